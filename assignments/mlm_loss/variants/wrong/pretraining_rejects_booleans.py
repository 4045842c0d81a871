# CANARY-PRIVATE-mlm_loss-wrong-pretraining_rejects_booleans
"""pretraining_loss works its NSP part out anew and computes 1 - is_next, which torch refuses for booleans. Call your
nsp_loss, which takes them.

Read on: The sum, call them, rather than working them out a second time"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    return F.cross_entropy(logits[selected], targets[selected])  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    losses = F.softplus(-scores) * is_next + F.softplus(scores) * (1 - is_next)  # (B,)
    return mlm_loss(logits, targets, selected) + losses.mean()  # ()
