"""Hands in, beside a file that computes nothing, everything that a careless test runner would pick up: a conftest.py that
turns failures into passes, settings for pytest, a sitecustomize.py, checks of its own and a finished result.

Verdict: failed
Class C.
"""

from pathlib import Path

HOOK = """
import pytest

print("BREACH: a hook of the student's runs", file=__import__("sys").__stderr__)

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.get_result().outcome = "passed"
"""


def handed_in(folder: Path) -> None:
    own = folder / "planted_conftest"
    (own / "hidden").mkdir(parents=True)
    (own / "attention.py").write_text("def full_visibility(nonpadding):\n    return nonpadding\n")
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "hidden/conftest.py"):
        (own / name).write_text(HOOK)
    (own / "check_attention.py").write_text("def test_nothing():\n    pass\n")
    (own / "hidden" / "test_module.py").write_text("def test_nothing():\n    pass\n")
    (own / "pytest.ini").write_text("[pytest]\naddopts = -p conftest --collect-only\n")
    (own / "assignment.toml").write_text('title = "x"\nversion = "1"\nfiles = ["attention.py"]\npublic_points = 0\n')
    (own / "results.json").write_text('{"status": "graded", "score": 100}')
