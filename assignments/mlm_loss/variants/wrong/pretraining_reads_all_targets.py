# CANARY-PRIVATE-mlm_loss-wrong-pretraining_reads_all_targets
"""pretraining_loss works its MLM part out anew, and looks targets up at positions that do not count, where they may
be no token at all. Call your mlm_loss, which selects first.

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
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")  # (B * T,)
    mlm = (losses * selected.flatten()).sum() / selected.sum().clamp(min=1)  # ()
    return mlm + nsp_loss(scores, is_next)  # ()
