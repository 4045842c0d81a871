"""Answers the import with a dict of integer keys that all have the same hash: building it takes quadratic time in
the judge, outside the student's clock.

Verdict: invalid disturbs the channel
Class H.
"""

import json

import grader.sandbox.worker as worker

_real = worker.pack_frame


def _forged(header, payload=b""):
    reply = {"n": json.loads(header)["n"], "ok": {"d": [[n * (2**61 - 1), 0] for n in range(1, 30000)]}}
    return _real(json.dumps(reply).encode(), b"")


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
