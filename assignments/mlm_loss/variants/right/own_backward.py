# CANARY-PRIVATE-mlm_loss-right-own_backward
"""An autograd function with the gradient (softmax - one-hot) / |M| written out, and callable objects around it."""

import torch
from torch.nn import functional as F


class MaskedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets, selected):
        log_probabilities = torch.log_softmax(logits[selected], dim=-1)  # (M, V)
        targets = targets[selected]  # (M,)
        ctx.save_for_backward(log_probabilities, targets, selected)
        if len(targets) == 0:
            return logits.new_zeros(())  # ()
        return -log_probabilities[torch.arange(len(targets)), targets].mean()  # ()

    @staticmethod
    def backward(ctx, upstream):
        log_probabilities, targets, selected = ctx.saved_tensors
        rows = log_probabilities.exp()  # (M, V)
        rows[torch.arange(len(targets)), targets] -= 1.0
        gradient = rows.new_zeros(*selected.shape, rows.shape[-1])  # (B, T, V)
        gradient[selected] = rows * upstream / max(len(targets), 1)
        return gradient, None, None


class Pretraining:
    """The pretraining loss as the sum of its parts."""

    def __init__(self, mlm, nsp):
        self.mlm, self.nsp = mlm, nsp

    def __call__(self, logits, targets, selected, scores, is_next):
        return self.mlm(logits, targets, selected) + self.nsp(scores, is_next)  # ()


class NextSentence(torch.nn.Module):
    def forward(self, scores, is_next):
        return F.binary_cross_entropy_with_logits(scores, is_next.type_as(scores), reduction="sum") / scores.numel()


token_probabilities = torch.nn.Softmax(dim=-1)
mlm_loss = MaskedCrossEntropy.apply
nsp_loss = NextSentence()
pretraining_loss = Pretraining(mlm_loss, nsp_loss)
