# CANARY-PRIVATE-mlm_loss-wrong-ignore_index_only
"""You do not look at `selected` and rely on -100 in the targets. Targets at unselected positions may hold anything,
the original ids too: let `selected` decide.

Read on: Why a loss on some positions only, `selected` alone decides"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not (selected & (targets != -100)).any():
        return logits.sum() * 0  # ()
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
