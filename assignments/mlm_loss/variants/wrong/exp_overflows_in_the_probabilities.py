# CANARY-PRIVATE-mlm_loss-wrong-exp_overflows_in_the_probabilities
"""token_probabilities exponentiates the logits as they are; in float32 exp overflows beyond about 88 and infinity
divided by infinity is NaN. Subtract the largest logit first, or use softmax.

Read on: Token probabilities, already overflows"""

from torch.nn import functional as F


def token_probabilities(logits):
    powers = logits.exp()  # (..., V)
    return powers / powers.sum(dim=-1, keepdim=True)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
