# CANARY-PRIVATE-mlm_loss-wrong-raw_logits_as_log_probabilities
"""You use the logits as if they were log-probabilities. Take log_softmax first, or use cross_entropy.

Read on: The MLM loss, log softmax(z_i)[y_i]"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.nll_loss(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
