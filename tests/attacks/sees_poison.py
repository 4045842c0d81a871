"""Looks in its fresh interpreter for what a submission before it replaced, registered or left.

Verdict: error LookupError
Class J.
"""

import builtins
import sys

import torch


def full_visibility(nonpadding):
    if hasattr(builtins, "poisoned_by_a_cheat") or hasattr(torch, "poisoned_by_a_cheat"):
        print("BREACH: a mark")
    if "poisoned_by_a_cheat" in sys.modules or hasattr(torch.ops.poisoned_by_a_cheat, "zero"):
        print("BREACH: a module or an operator")
    if not bool(torch.zeros(3).softmax(0).sum() > 0.9):
        print("BREACH: another softmax")
    if sys.modules.get("submission") and hasattr(sys.modules["submission"], "poisoned"):
        print("BREACH: another's submission")
    others = [name for name in sys.modules if name.startswith("submission.") and "attention" not in name]
    if others:
        print("BREACH: modules of others", others)
    raise LookupError("fresh")
