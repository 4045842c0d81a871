# CANARY-PRIVATE-mlm_loss-right-sums_and_counts
"""Sequence by sequence, but as sums and counts, which can be added up; lambdas and a reduce."""

from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F


class Term(NamedTuple):
    """A sum of losses, and how many they are."""

    total: Tensor
    count: int

    def plus(self, other):
        return Term(self.total + other.total, self.count + other.count)

    @property
    def mean(self):
        return self.total / max(self.count, 1)  # ()


token_probabilities = lambda logits: F.softmax(logits, dim=logits.dim() - 1)


def term(logits, targets, selected):
    rows, truth = logits[selected], targets[selected]  # (m, V), (m,)
    return Term(F.cross_entropy(rows, truth, reduction="sum"), len(truth))


mlm_loss = lambda logits, targets, selected: reduce(Term.plus, map(term, logits, targets, selected)).mean
nsp_loss = lambda scores, is_next: F.softplus(torch.where(is_next.bool(), -scores, scores)).mean()
pretraining_loss = lambda *given: mlm_loss(*given[:3]) + nsp_loss(*given[3:])
