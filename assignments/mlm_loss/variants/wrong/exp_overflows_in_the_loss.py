# CANARY-PRIVATE-mlm_loss-wrong-exp_overflows_in_the_loss
"""Your loss exponentiates the logits as they are; in float32 exp overflows beyond about 88. Use log_softmax or
cross_entropy, which subtract the largest logit first.

Read on: The MLM loss, Large logits."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    powers = chosen.exp()  # (M, V)
    picked = chosen.gather(1, truth[:, None])[:, 0]  # (M,)
    return (powers.sum(dim=-1).log() - picked).mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
