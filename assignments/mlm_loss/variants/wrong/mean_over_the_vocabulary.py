# CANARY-PRIVATE-mlm_loss-wrong-mean_over_the_vocabulary
"""You take the mean over the vocabulary as well, so the loss is V times too small. Only the target's log-probability
counts: sum over the vocabulary, then take the mean over the selected positions.

Read on: What may go wrong, The wrong denominator."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    one_hot = F.one_hot(truth, chosen.shape[-1])  # (M, V)
    return -(one_hot * chosen.log_softmax(dim=-1)).mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
