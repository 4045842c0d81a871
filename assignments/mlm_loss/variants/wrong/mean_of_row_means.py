# CANARY-PRIVATE-mlm_loss-wrong-mean_of_row_means
"""You average within each sequence first and then over the sequences, so a position in a sequence with few selected
tokens counts more. Take one mean over all selected positions of the batch.

Read on: The MLM loss, One mean over the whole batch."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    picked = F.cross_entropy(logits.transpose(1, 2), targets.masked_fill(~selected, 0), reduction="none")  # (B, T)
    picked = picked.masked_fill(~selected, 0.0)  # (B, T)
    counts = selected.sum(dim=1)  # (B,)
    row_means = picked.sum(dim=1)[counts > 0] / counts[counts > 0]  # (rows with a target,)
    return row_means.mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
