# CANARY-PRIVATE-mlm_loss-wrong-nsp_inverts_with_tilde
"""You use ~is_next for "not next". For integers ~1 is -2, not 0: convert to bool first, or use 1 - y on floats.

Read on: The NSP loss, may be bool, or 0 and 1 of any dtype"""

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
    return -(is_next * F.logsigmoid(scores) + ~is_next * F.logsigmoid(-scores)).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
