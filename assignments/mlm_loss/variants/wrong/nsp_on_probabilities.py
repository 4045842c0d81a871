# CANARY-PRIVATE-mlm_loss-wrong-nsp_on_probabilities
"""You give binary_cross_entropy the sigmoid of the scores; it cuts each loss off at 100, and rounding spoils it long
before that. Use binary_cross_entropy_with_logits on the scores themselves.

Read on: The NSP loss, Scores up to 10 000 in size"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy(scores.sigmoid(), is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
