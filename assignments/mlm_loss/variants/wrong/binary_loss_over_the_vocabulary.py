# CANARY-PRIVATE-mlm_loss-wrong-binary_loss_over_the_vocabulary
"""You treat each vocabulary entry as a yes-or-no question of its own. The tokens compete for one place: take cross-
entropy over the softmax.

Read on: Token probabilities, The tokens compete for one"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    one_hot = F.one_hot(truth, chosen.shape[-1]).to(chosen.dtype)  # (M, V)
    return F.binary_cross_entropy_with_logits(chosen, one_hot, reduction="sum") / len(truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
