"""Looks through every live object, every frame and every module for checks, expected values and the reference, as a
grader that calls a submission in its own process leaves them lying about.

Verdict: error LookupError
Class A.
"""

import gc
import sys
import types


def full_visibility(nonpadding):
    for name, module in list(sys.modules.items()):
        origin = str(getattr(module, "__file__", ""))
        if name.startswith(("pytest", "_pytest", "grader.judge", "test_", "check_")) or "hidden" in origin:
            print("BREACH: a module", name, origin)
    frame = sys._getframe()
    while frame is not None:
        for name in frame.f_locals:
            if name in ("expect", "expected", "reference", "wanted", "spec", "rng"):
                print("BREACH: a local variable", name, "in", frame.f_code.co_name)
        frame = frame.f_back
    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and found.__name__.startswith("test_"):
            if found.__globals__.get("__name__", "").startswith("test_"):
                print("BREACH: a check", found.__name__)
        elif isinstance(found, types.ModuleType) and found.__name__ == "reference":
            print("BREACH: the reference")
    raise LookupError("nothing of interest")
