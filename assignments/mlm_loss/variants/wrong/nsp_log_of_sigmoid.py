# CANARY-PRIVATE-mlm_loss-wrong-nsp_log_of_sigmoid
"""You take the logarithm of the sigmoid. In float32 the sigmoid reaches exactly 0 or 1 and the logarithm becomes
infinite: use logsigmoid or binary_cross_entropy_with_logits.

Read on: The NSP loss, Scores up to 10 000 in size"""

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
    truth = is_next.to(scores.dtype)  # (B,)
    probability = scores.sigmoid()  # (B,)
    return -(truth * probability.log() + (1 - truth) * (1 - probability).log()).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
