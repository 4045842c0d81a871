"""Syntax errors that Python really raises, and what is told of them beyond its own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.syntax_text import explain_syntax
from grader.wire.calls import ErrorReport

COPIED = "often comes from copying out of a PDF or chat"


def error_of(source: str) -> ErrorReport:
    """The report on compiling a text, as the student process would send it."""
    with pytest.raises(SyntaxError) as caught:
        compile(source, "a.py", "exec")
    kinds = tuple(kind.__name__ for kind in type(caught.value).__mro__[:-1])
    return ErrorReport(kinds, str(caught.value.msg), "a.py", caught.value.lineno)


TOLD = {
    "no-break space": (
        "x = 1\nif x:\n\u00a0\u00a0\u00a0\u00a0y = 2",
        ["Column 1", "NO-BREAK SPACE (U+00A0)", "ordinary space"],
    ),
    "within a line": ("x =\u00a01", ["Column 4", "NO-BREAK SPACE"]),
    "curly quotes": ("x = “a”", ["Column 5", "`“` (LEFT DOUBLE QUOTATION MARK, U+201C)", 'type " instead']),
    "single curly quotes": ("x = ‘a’", ["LEFT SINGLE QUOTATION MARK", "type ' instead"]),
    "one curly quote": ('x = "a”', ["Column 7", "RIGHT DOUBLE QUOTATION MARK", "does not end a string"]),
    "zero width": ("x = 1\u200b", ["Column 6", "ZERO WIDTH SPACE (U+200B)", "cannot be seen; delete it"]),
    "a mark of byte order inside": ("x = 1\ny\ufeff = 2", ["ZERO WIDTH NO-BREAK SPACE", "delete it"]),
    "minus sign": ("x = 3 − 1", ["MINUS SIGN", "type - instead"]),
    "times": ("x = 3 × 2", ["MULTIPLICATION SIGN", "type * instead"]),
    "full width": ("f（1）", ["FULLWIDTH LEFT PARENTHESIS", "type ( instead"]),
    "ellipsis": ("x = …", ["HORIZONTAL ELLIPSIS", "type ... instead"]),
    "euro": ("x = 3€", ["EURO SIGN", "type the line anew"]),
    "after legal ones": ("x = '“’ \u00a0' + “a”", ["Column 14", "LEFT DOUBLE QUOTATION MARK"]),
    "tabs and spaces": (
        "if 1:\n    x = 1\n\ty = 2",
        ["indented with a tab (CHARACTER TABULATION, U+0009)", "lines above with spaces"],
    ),
    "spaces after tabs": ("if 1:\n\tx = 1\n        y = 2\n    z = 3", ["spaces", "tabs"]),
    "conflict": (
        "x = 1\n<<<<<<< HEAD\ny = 2\n=======\ny = 3\n>>>>>>> b\n",
        ["This line is a marker of a merge conflict of git (`<<<<<<< HEAD`)"],
    ),
    "the middle of a conflict": ("y = 2\n=======\ny = 3\n", ["marker of a merge conflict", "`=======`"]),
    "vague": ("x = = 1", ["is the usual cause"]),
    "vague, in a call": ("f(a b c", ["comma|closed"]),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_is_told(case: str) -> None:
    source, words = TOLD[case]
    error = error_of(source)
    told = f"{error.text} {explain_syntax(error, source)}"
    assert all(any(each in told for each in word.split("|")) for word in words), told
    if "U+" in explain_syntax(error, source) and "TABULATION" not in told:
        assert COPIED in told


@pytest.mark.parametrize(
    "source",
    [
        "s = '“curly” \u00a0'  # ‘x’ —\nx = = 1",
        '"""“…”\n\u200b"""\nx = = 1',
        "größe = 'é'\nx = = 1",
        "s = '''\n=======\n'''\nx = = 1",
        "# <<<<<<< HEAD\nx = = 1",
    ],
)
def test_legal_characters_are_never_blamed(source: str) -> None:
    told = explain_syntax(error_of(source), source)
    assert "U+" not in told
    assert "conflict" not in told
    assert "usual cause" in told


def test_python_explains_some_itself() -> None:
    assert explain_syntax(error_of("def f()\n    pass"), "def f()\n    pass") == ""
    assert explain_syntax(ErrorReport(("ValueError",), "U+00A0", "a.py", 1), "x") == ""
    assert explain_syntax(ErrorReport(("SyntaxError",), "invalid syntax", "a.py", 9), "x") == ""


@given(st.text(max_size=60), st.text(max_size=60), st.integers(-2, 5), st.sampled_from(["SyntaxError", "TabError"]))
def test_whatever_a_process_says_is_only_text(source: str, text: str, line: int, kind: str) -> None:
    assert isinstance(explain_syntax(ErrorReport((kind,), text, "a.py", line), source), str)
