# CANARY-PRIVATE-mlm_loss-right-by_hand
"""No softmax from the library: subtract the largest score, then exponentiate, sum and take the logarithm."""

import torch


def shifted(logits):
    return logits - logits.detach().max(dim=-1, keepdim=True).values  # (..., V), largest entry 0


def token_probabilities(logits):
    powers = shifted(logits).exp()  # (..., V)
    return powers / powers.sum(dim=-1, keepdim=True)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return (logits * 0).sum()  # ()
    scores = shifted(logits[selected])  # (M, V)
    truth = scores.take_along_dim(targets[selected][:, None], dim=1)[:, 0]  # (M,)
    return (scores.exp().sum(dim=1).log() - truth).mean()  # ()


def nsp_loss(scores, is_next):
    wrong_way = torch.where(is_next != 0, -scores, scores)  # (B,), how strongly the score says the wrong thing
    return torch.nn.functional.softplus(wrong_way).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    mlm = mlm_loss(logits, targets, selected)  # ()
    nsp = nsp_loss(scores, is_next)  # ()
    return mlm + nsp  # ()
