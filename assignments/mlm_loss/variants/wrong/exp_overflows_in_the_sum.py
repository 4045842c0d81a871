# CANARY-PRIVATE-mlm_loss-wrong-exp_overflows_in_the_sum
"""pretraining_loss works its MLM part out anew, with a bare exp that overflows beyond about 88. Call your mlm_loss,
which is right.

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
    rows, truth = logits[selected], targets[selected]  # (M, V), (M,)
    losses = rows.exp().sum(dim=1).log() - rows.gather(1, truth[:, None])[:, 0]  # (M,)
    return losses.sum() / max(len(truth), 1) + nsp_loss(scores, is_next)  # ()
