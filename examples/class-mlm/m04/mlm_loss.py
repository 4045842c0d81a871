import math

import torch
import torch.nn as nn

LN2 = math.log(2)


def token_probabilities(logits):
    return torch.softmax(logits, dim=-1)


def mlm_loss(logits, targets, selected):
    if selected.sum() == 0:
        return logits.sum() * 0
    logp = torch.log_softmax(logits, dim=-1) / LN2      # in bits
    logp = logp[selected]
    y = targets[selected]
    return -logp[torch.arange(len(y)), y].mean()


def nsp_loss(scores, is_next):
    bce = nn.BCEWithLogitsLoss()
    return bce(scores, is_next.to(scores.dtype)) / LN2


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)
