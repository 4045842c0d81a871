"""What an edit of a check file changes: what is asked, what is allowed, or neither."""

from __future__ import annotations

import pytest

from grader.judge.basis import CheckPlace, Part, digests

FILE = '''
"""Checks."""

import torch
from grader.judge.expect import ATOL
from grader.judge.marks import group, hint, points

TOLERANCE = 1e-3
BAR = 0.3
SIZE = 5


def compare(student, expect, cases, atol=1e-4):
    """Compares."""
    for case in cases:
        expect.close(student.f(case), case, "f", atol=atol)


def gathered(student, expect, **amounts):
    expect.close(student.f(2), 2, "f", **amounts)


@points(5)
@group("A")
@hint("Think.")
def test_one(student, expect, reference):
    """One."""
    expect.close(student.f(SIZE), reference.f(SIZE), "f", atol=TOLERANCE)
    expect.below(student.f(1), BAR, "f")


@points(5)
def test_two(student, expect):
    """Two."""
    compare(student, expect, [1, 2], atol=1e-2)
    gathered(student, expect, rtol=0.0)


@points(5)
def test_three(student, expect, once):
    """Three."""
    made = once("sample", lambda rng: student.f(rng))
    expect.close(made, 1, "f", rtol=ATOL)


@points(5)
def test_four(student, expect, once):
    """Four."""
    expect.equal(once("sample", lambda rng: student.f(rng)), 1, "f")
'''
FIXTURES = {"one": {"reference"}, "two": set(), "three": {"once"}, "four": {"once"}}
ALL = set(FIXTURES)


def parts(text: str, reference: str = "def f(x):\n    return x\n", common: tuple[str, ...] = ()) -> dict[str, Part]:
    """The digests of the checks in `text`."""
    places = {name: CheckPlace("a.py", f"test_{name}", frozenset(uses)) for name, uses in FIXTURES.items()}
    return digests(places, {"a.py": text}, reference, common)


def changed(old: dict[str, Part], new: dict[str, Part]) -> tuple[set[str], set[str]]:
    """The checks that ask something else, and those that allow something else."""
    return (
        {name for name in old if old[name].asked != new[name].asked},
        {name for name in old if old[name].allowed != new[name].allowed},
    )


@pytest.mark.parametrize(
    ("old", "new", "asked", "allowed"),
    [
        ("@points(5)", "@points(6)", set(), set()),
        ('@hint("Think.")\n', "", set(), set()),
        ('"""One."""', '"""The first."""  # a comment', set(), set()),
        ("import group, hint", "import needs, group, hint", set(), set()),
        ('@points(5)\n@group("A")', '@needs("x")\n@visibility("visible")\n@points(5)', set(), set()),
        ("TOLERANCE = 1e-3", "TOLERANCE = 1e-2 / 2", set(), ALL),
        ("BAR = 0.3", "BAR = 0.4", set(), ALL),
        ("atol=TOLERANCE", "atol=1e-3", set(), {"one"}),
        ("atol=TOLERANCE", "atol=1e-3, rtol=0", set(), {"one"}),
        ('expect.below(student.f(1), BAR, "f")', 'expect.below(student.f(1), 0.5, "f")', set(), {"one"}),
        ("[1, 2], atol=1e-2", "[1, 2], atol=2e-2", set(), {"two"}),
        ("[1, 2], atol=1e-2", "[1, 2]", set(), {"two"}),
        ("cases, atol=1e-4", "cases, atol=1e-5", set(), ALL),
        ("rtol=0.0)", "atol=1.0)", set(), {"two"}),
        ("SIZE = 5", "SIZE = 6", ALL, set()),
        ("student.f(1)", "student.f(2)", {"one"}, set()),
        ("[1, 2]", "[1, 3]", {"two"}, set()),
        ("@points(5)\ndef test_two", "@fresh\n@points(5)\ndef test_two", {"two"}, set()),
        ('made, 1, "f"', 'made, 2, "f"', {"three", "four"}, set()),
        ('"""Compares."""', "cases = cases[:1]", ALL, set()),
        # What is computed may differ from one student to the next, so that no change of an amount can be followed.
        ("atol=TOLERANCE", "atol=TOLERANCE * SIZE", ALL, ALL),
        ("atol=1e-2)", "atol=float(student.f(3)))", {"two"}, {"two"}),
        # A function that looks at the amount does more than allow it.
        ('"""Compares."""', "if atol > 1:\n        return", ALL, ALL),
    ],
)
def test_what_an_edit_changes(old: str, new: str, asked: set[str], allowed: set[str]) -> None:
    assert FILE.count(old) >= 1
    found = changed(parts(FILE), parts(FILE.replace(old, new, 1)))
    assert found == (asked, allowed)


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        (
            'if torch.allclose(student.f(1), x, atol=atol):\n        expect.same(1, 1, "f")',
            "helper(student, expect, atol=0.1)",
        ),
        ('expect.that(abs(student.f(1)) < atol, "f", "no")', "helper(student, expect, atol=0.1)"),
        ('atol = 2 * atol\n    expect.close(1, 1, "f", atol=atol)', "helper(student, expect, atol=0.1)"),
        ('other = expect\n    other.close(1, 1, "f", atol=atol)', "helper(student, expect, atol=0.1)"),
        ("return atol", "expect.close(student.f(1), helper(student, expect, atol=0.1), 'f')"),
    ],
)
def test_an_amount_that_does_more_is_part_of_the_question(helper: str, call: str) -> None:
    text = f"def helper(student, expect, atol):\n    {helper}\n\n\ndef test_one(student, expect):\n    {call}\n"
    places = {"one": CheckPlace("a.py", "test_one", frozenset())}
    old = digests(places, {"a.py": text}, "", ())
    new = digests(places, {"a.py": text.replace("atol=0.1", "atol=0.2")}, "", ())
    assert old["one"].asked != new["one"].asked


def test_amounts_that_are_computed_elsewhere_bind_the_others() -> None:
    """The reference's run tells what a comparison allows today: what it computes there is not what it is elsewhere."""
    text = 'def test_one(student, expect):\n    expect.close(1, 1, "a", atol=1.0)\n    {}\n'
    places = {"one": CheckPlace("a.py", "test_one", frozenset())}
    for computed in (
        'expect.close(1, 1, "b", atol=student.f(1))',
        'expect.close(1, 1, "b", 0.0, student.f(1))',
        "expect.close(*student.f(1))",
        'expect.close(1, 1, "b", **student.f(1))',
        "other(expect, rtol=student.f(1))",
    ):
        old = digests(places, {"a.py": text.format(computed)}, "", ())
        new = digests(places, {"a.py": text.format(computed).replace("atol=1.0", "atol=2.0")}, "", ())
        assert old["one"].asked != new["one"].asked, computed


def test_the_reference_counts_for_those_who_use_it() -> None:
    other = parts(FILE, "def f(x):\n    return x + 1\n")
    assert changed(parts(FILE), other) == ({"one"}, set())
    assert changed(parts(FILE), parts(FILE, "def f(x):\n    return x  # the same\n")) == (set(), set())


def test_what_is_common_counts_for_all() -> None:
    assert changed(parts(FILE), parts(FILE, common=("seed 2",))) == (ALL, set())
