"""Answers with tensors that are none in memory, or not as they look: sparse, on the device `meta`, nested, quantised, of
eight bits, complex, conjugated, with a stride of zero, of truth values that are neither 0 nor 1.

Verdict: failed
Class H.
"""

import torch

_SCALES = {"scale": 0.1, "zero_point": 0, "dtype": torch.quint8}
_MADE = (
    lambda full: full.float().to_sparse(),
    lambda full: full.to("meta"),
    lambda full: torch.nested.nested_tensor([full[0].float()]),
    lambda full: torch.quantize_per_tensor(full.float(), **_SCALES),
    lambda full: full.to(torch.float8_e4m3fn),
    lambda full: torch.conj(full.to(torch.complex64)),
    lambda full: torch.ones(1).expand(full.shape)._neg_view(),
    lambda full: torch.full(full.shape, 2, dtype=torch.uint8).view(torch.bool),
    lambda full: torch.ones(2).as_strided((1 << 20, 1 << 20), (0, 0)),
    lambda full: torch.empty(0, 1 << 40),
    lambda full: full.to(torch.uint64),
)
_left = [*_MADE]


def full_visibility(nonpadding):
    full = nonpadding[:, None, :].repeat(1, nonpadding.shape[1], 1)
    return [_try(make, full) for make in _MADE]


def causal_visibility(nonpadding):
    return _try(_left.pop(), torch.ones(1, 6, 6))


def attention_weights(query, key, visible=None):
    return _try(_left.pop(), torch.ones(1, 4, 4))


def _try(make, full):
    try:
        return make(full)
    except Exception as error:
        return str(error)
