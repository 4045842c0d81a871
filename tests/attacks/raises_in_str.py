"""Raises an exception whose text, representation and name raise exceptions themselves.

Verdict: error
Class E.
"""

import torch
from torch import nn


def full_visibility(nonpadding):
    raise _Bad


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError


class _Meta(type):
    @property
    def __name__(cls):
        raise SystemExit

    def __repr__(cls):
        raise SystemExit


class _Bad(BaseException, metaclass=_Meta):
    def __str__(self):
        raise SystemExit

    __repr__ = __str__
