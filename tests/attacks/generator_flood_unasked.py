"""Adds 10 000 whole generator states to each answer, though no generator was sent; the judge must not keep or copy them.

Verdict: invalid disturbs the channel
Class H.
"""

import json

import grader.sandbox.worker as worker

_real = worker.pack_frame


def _added(header, payload=b""):
    reply = json.loads(header) | {"gen": [{"g": [0, 0, 0]}] * 10_000}
    return _real(json.dumps(reply).encode(), payload)


worker.pack_frame = _added


def full_visibility(nonpadding):
    return nonpadding[:, None, :].repeat(1, nonpadding.shape[1], 1)
