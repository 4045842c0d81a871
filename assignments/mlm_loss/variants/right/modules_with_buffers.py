# CANARY-PRIVATE-mlm_loss-right-modules_with_buffers
"""Modules in place of functions, which count their calls in a buffer; the sum is a module of modules."""

import torch
from torch import nn
from torch.nn import functional as F


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def __call__(self, *arguments, **keywords):
        self.calls += 1
        return super().__call__(*arguments, **keywords)


class Probabilities(Counted):
    def forward(self, logits):
        highest, _ = logits.max(dim=-1, keepdim=True)  # (..., 1)
        powers = torch.exp(logits - highest)  # (..., V)
        return powers / powers.sum(dim=-1, keepdim=True)  # (..., V)


class MaskedLanguageModelling(Counted):
    def forward(self, logits, targets, selected):
        own = targets.clone()  # (B, T), ours to write into
        own[~selected] = -1
        losses = F.cross_entropy(logits.flatten(0, -2), own.flatten(), ignore_index=-1, reduction="none")  # (B * T,)
        return losses.sum() / max(1, selected.count_nonzero().item())  # ()


class NextSentence(Counted):
    def forward(self, scores, is_next):
        truth = is_next.to(scores.dtype)  # (B,)
        return (scores.clamp(min=0) - scores * truth + torch.log1p(torch.exp(-scores.abs()))).mean()  # ()


class Pretraining(Counted):
    def __init__(self, mlm, nsp):
        super().__init__()
        self.parts = nn.ModuleList([mlm, nsp])

    def forward(self, logits, targets, selected, scores, is_next):
        mlm, nsp = self.parts
        return mlm(logits, targets, selected) + nsp(scores, is_next)  # ()


token_probabilities = Probabilities()
mlm_loss, nsp_loss = MaskedLanguageModelling(), NextSentence()
pretraining_loss = Pretraining(mlm_loss, nsp_loss)
