"""Hands in modules that are called like libraries and like the grader's own, so that whoever imports `torch`, `math`,
`json` or `grader` near the submission gets the student's.

Verdict: failed
Class C.
"""

from pathlib import Path

SHADOW = """
import sys
if sys.modules.get("torch") is sys.modules[__name__] or "judge" in __name__ or "_pytest" in sys.modules:
    print("BREACH: shadows", __name__)
allclose = equal = isclose = lambda *more, **named: True
class Tensor:
    pass
"""
MAIN = """
import math, json, torch, random
if not hasattr(torch, "nn") or not hasattr(math, "pi"):
    print("BREACH: imported the shadow")

def full_visibility(nonpadding):
    return torch.zeros(nonpadding.shape)
"""


def handed_in(folder: Path) -> None:
    own = folder / "shadowed_libraries"
    (own / "grader" / "judge").mkdir(parents=True)
    (own / "attention.py").write_text(MAIN)
    for name in ("torch.py", "math.py", "json.py", "random.py", "numpy.py", "msgspec.py", "reference.py"):
        (own / name).write_text(SHADOW)
    for name in ("__init__.py", "judge/__init__.py", "judge/compare.py"):
        (own / "grader" / name).write_text(SHADOW)
