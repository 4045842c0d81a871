import torch
import torch.nn.functional as F


def token_probabilities(logits):
    return F.softmax(logits, dim=-1)


def mlm_loss(logits, targets, selected):
    # only keep the positions that were selected
    z = logits[selected]        # (M, V)
    y = targets[selected]       # (M,)
    if len(y) == 0:
        return logits.sum() * 0.0
    return F.cross_entropy(z, y)


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)
