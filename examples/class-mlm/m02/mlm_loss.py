"""Losses, written out from the formula in the slides."""
import torch


def token_probabilities(logits):
    # subtract the max so exp() does not explode
    e = torch.exp(logits - logits.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def log_softmax(z):
    return z - torch.logsumexp(z, dim=-1, keepdim=True)


def mlm_loss(logits, targets, selected):
    safe = torch.where(selected, targets, torch.zeros_like(targets))
    logp = log_softmax(logits)
    nll = -torch.gather(logp, -1, safe[..., None])[..., 0]     # (B, T)
    nll = nll * selected
    n = selected.sum()
    return nll.sum() / torch.clamp(n, min=1)


def nsp_loss(scores, is_next):
    y = is_next.float()
    pos = torch.nn.functional.logsigmoid(scores)
    neg = torch.nn.functional.logsigmoid(-scores)
    return -(y * pos + (1 - y) * neg).mean()


def pretraining_loss(logits, targets, selected, scores, is_next):
    a = mlm_loss(logits, targets, selected)
    b = nsp_loss(scores, is_next)
    return a + b
