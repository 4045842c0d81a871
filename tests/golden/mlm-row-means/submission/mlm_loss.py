import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(-1)


def mlm_loss(logits, targets, selected):
    losses = []
    for b in range(logits.shape[0]):
        m = selected[b]
        if m.any():
            losses.append(F.cross_entropy(logits[b][m], targets[b][m]))   # loss of this sentence
    if not losses:
        return (logits * 0).sum()
    return torch.stack(losses).mean()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.float())


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)
