"""Poisons the interpreter for those who use it after: replaces functions of torch and of Python, registers operators and
hooks, leaves modules, and marks what it touched.

Verdict: failed or error RuntimeError
Class J.
"""

import builtins
import sys
import types

import torch


def full_visibility(nonpadding):
    builtins.poisoned_by_a_cheat = torch.poisoned_by_a_cheat = True
    sys.modules["poisoned_by_a_cheat"] = types.ModuleType("poisoned_by_a_cheat")
    library = torch.library.Library("poisoned_by_a_cheat", "DEF")
    library.define("zero(Tensor x) -> Tensor")
    other = torch.library.Library("aten", "IMPL")
    other.impl("softmax.int", lambda x, dim, dtype=None: torch.zeros_like(x), "CompositeImplicitAutograd")
    torch.Tensor.softmax = torch.softmax = torch.nn.functional.softmax = lambda *more, **named: more[0] * 0
    torch.nn.modules.module.register_module_forward_hook(lambda module, given, output: output * 0)
    torch._C._set_default_tensor_type = None
    return nonpadding
