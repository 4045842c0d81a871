# CANARY-PRIVATE-mlm_loss-wrong-nsp_negatives_forgotten
"""You score only the pairs in which B follows A. A pair that does not follow costs -log(1 - p).

Read on: The NSP loss, -log(1 - p) for one that does not"""

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
    return -(is_next.to(scores.dtype) * F.logsigmoid(scores)).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
