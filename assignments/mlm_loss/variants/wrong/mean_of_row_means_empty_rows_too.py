# CANARY-PRIVATE-mlm_loss-wrong-mean_of_row_means_empty_rows_too
"""You average within each sequence first, count a sequence without any selected token as zero, and average over the
sequences. Take one mean over all selected positions of the batch.

Read on: The MLM loss, One mean over the whole batch."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    picked = F.cross_entropy(logits.transpose(1, 2), targets.masked_fill(~selected, 0), reduction="none")  # (B, T)
    picked = picked.masked_fill(~selected, 0.0)  # (B, T)
    row_means = picked.sum(dim=1) / selected.sum(dim=1).clamp(min=1)  # (B,)
    return row_means.mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
