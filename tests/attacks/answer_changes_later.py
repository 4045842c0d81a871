"""Returns its own argument, and lets a thread write other values into it for as long as the process lives, so that a
later comparison against the input, or against the answer, sees what is convenient then.

Verdict: failed
Class C.
"""

import threading
import time

import torch


def _repaint(tensor):
    for number in range(1000):
        tensor.fill_(number % 2)
        time.sleep(0.001)


def full_visibility(nonpadding):
    threading.Thread(target=_repaint, args=(nonpadding,), daemon=True).start()
    return nonpadding


def causal_visibility(nonpadding):
    nonpadding.zero_()
    return nonpadding


def attention_weights(query, key, visible=None):
    scores = torch.zeros(query.shape[-2], key.shape[-2])
    threading.Thread(target=_repaint, args=(scores,), daemon=True).start()
    return scores.expand(*query.shape[:-2], *scores.shape)
