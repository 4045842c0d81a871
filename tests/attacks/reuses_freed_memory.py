"""Asks torch for memory without clearing it, again and again, and looks for rows that sum to 1: weights that the
grader's own solution computed a moment ago in the same process, and freed.

Verdict: error LookupError
Class A.
"""

import torch


def attention_weights(query, key, visible=None):
    shape = (*query.shape[:-1], key.shape[-2])
    for _ in range(300):
        found = torch.empty(shape)
        sums = found.sum(-1)
        if bool(((sums - 1).abs() < 1e-5).all()) and bool((found >= 0).all()):
            print("BREACH: weights that nobody here has computed")
            return found
    raise LookupError("only dust")
