# CANARY-PRIVATE-mlm_loss-wrong-mlm_loss_detached
"""You cut the MLM loss out of the graph, so nothing can be learned from it. Return the tensor as it is: no detach,
item or no_grad.

Read on: What may go wrong, No graph."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    return F.cross_entropy(chosen, truth).detach()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
