# CANARY-PRIVATE-mlm_loss-right-double_precision_inside
"""Computes in float64; the losses stay float64, the probabilities go back to the dtype of the logits."""

from torch import Tensor
from torch.nn import functional as F


def token_probabilities(logits: Tensor, temperature: float = 1.0) -> Tensor:
    return (logits.double() / temperature).softmax(dim=-1).to(logits.dtype)  # (..., V)


def mlm_loss(logits: Tensor, targets: Tensor, selected: Tensor) -> Tensor:
    count = int(selected.sum())
    log_probabilities = logits.double()[selected].log_softmax(dim=-1)  # (M, V)
    total = F.nll_loss(log_probabilities, targets[selected], reduction="sum")  # ()
    return total / count if count else total * 0  # ()


def nsp_loss(scores: Tensor, is_next: Tensor) -> Tensor:
    truth = is_next.double()  # (B,)
    scores = scores.double()  # (B,)
    return -(truth * F.logsigmoid(scores) + (1 - truth) * F.logsigmoid(-scores)).mean()  # ()


def pretraining_loss(
    logits: Tensor, targets: Tensor, selected: Tensor, scores: Tensor, is_next: Tensor, nsp_weight: float = 1.0
) -> Tensor:
    return mlm_loss(logits, targets, selected) + nsp_weight * nsp_loss(scores, is_next)  # ()
