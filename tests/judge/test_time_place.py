"""Which line is named when time is up: the same one, wherever in a loop the process was interrupted."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.last_words import place_in
from grader.judge.time_place import time_place
from grader.sandbox.base import Place

SOURCE = """\
def endless(x):
    # a comment
    while x:
        y = x + 1

        if y:
            x = y
    return x

def calls(x):
    for head in range(4):
        x = endless(
            x,
            head,
        )
    return x

def nested(x):
    for row in x:
        for column in row:
            count(column)
        else:
            x = 1

def count(n):
    return n + 1

def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)

def straight(x):
    a = x @ x
    return a @ a

def comprehends(x):
    total = [
        count(n)
        for n in x
    ]
    return total

def sums(x):
    return sum(count(n) for n in x)

class Model:
    def forward(self, x):
        while x.sum() > 0:
            x = self.step(x)
        return x

    def step(self, x):
        def inner(y):
            return y + 1
        return inner(x)

for epoch in range(10):
    straight(epoch)
""".replace("        if y:", "\tif y:").replace("            x = y", "\t    x = y")
SOURCES = {"a.py": SOURCE}


def named(*frames: tuple[str, int]) -> tuple[str | None, int] | None:
    """The place that is named for a stack, outermost first."""
    stack = []
    for function, line in reversed(frames):
        place = place_in(SOURCES, "a.py", line, function)
        assert place is not None
        stack.append(place)
    found = time_place(stack, SOURCES)
    return None if found is None else (found.function, found.line)


def line(text: str) -> int:
    """Number of the line with this text."""
    return next(number for number, found in enumerate(SOURCE.split("\n"), 1) if found.strip() == text)


@pytest.mark.parametrize("text", ["while x:", "y = x + 1", "if y:", "x = y"])
def test_wherever_in_a_loop(text: str) -> None:
    assert named(("endless", line(text))) == ("endless", line("while x:"))


def test_before_and_after_a_loop() -> None:
    assert named(("endless", line("def endless(x):"))) == ("endless", 1)
    assert named(("endless", line("return x"))) == ("endless", line("return x"))


@pytest.mark.parametrize("text", ["y = x + 1", "while x:"])
@pytest.mark.parametrize("at", ["x = endless(", "x,", "head,"])
def test_a_while_goes_before_the_for_around_it(text: str, at: str) -> None:
    assert named(("calls", line(at)), ("endless", line(text))) == ("endless", line("while x:"))


@pytest.mark.parametrize(
    "frames",
    [
        [("nested", "for column in row:")],
        [("nested", "for row in x:")],
        [("nested", "count(column)"), ("count", "return n + 1")],
        [("nested", "count(column)"), ("count", "def count(n):")],
        [("nested", "x = 1")],
    ],
)
def test_the_outermost_for(frames: list[tuple[str, str]]) -> None:
    assert named(*((function, line(text)) for function, text in frames)) == ("nested", line("for row in x:"))


@pytest.mark.parametrize("depth", [2, 3, 30])
@pytest.mark.parametrize("text", ["if n < 2:", "return n", "return fib(n - 1) + fib(n - 2)"])
def test_recursion(depth: int, text: str) -> None:
    call = line("return fib(n - 1) + fib(n - 2)")
    assert named(*[("fib", call)] * depth, ("fib", line(text))) == ("fib", call)


def test_no_loop() -> None:
    assert named(("straight", line("return a @ a"))) == ("straight", line("return a @ a"))
    assert named() is None


@pytest.mark.parametrize("inside", [[], ["count(n)"], ["for n in x"], ["count(n)", "return n + 1"]])
def test_comprehensions_of_several_lines(inside: list[str]) -> None:
    names = ["<listcomp>", "count"]
    frames = [(name, line(text)) for name, text in zip(names, inside, strict=False)]
    assert named(("comprehends", line("total = [")), *frames) == ("comprehends", line("total = ["))
    inlined = [("comprehends", line(text)) for text in inside[:1]]
    assert named(*(inlined or [("comprehends", line("total = ["))])) == ("comprehends", line("total = ["))


def test_generator_expressions() -> None:
    text = line("return sum(count(n) for n in x)")
    assert named(("sums", text), ("<genexpr>", text), ("count", line("return n + 1"))) == ("sums", text)


def test_methods_and_functions_inside_functions() -> None:
    step = ("step", line("return inner(x)")), ("inner", line("return y + 1"))
    assert named(("forward", line("x = self.step(x)")), *step) == ("forward", line("while x.sum() > 0:"))
    assert named(*step) == ("inner", line("return y + 1"))


def test_a_loop_at_the_top_level() -> None:
    frames = ("<module>", line("straight(epoch)")), ("straight", line("a = x @ x"))
    assert named(*frames) == ("<module>", line("for epoch in range(10):"))
    assert named(("<module>", line("straight(epoch)"))) == ("<module>", line("for epoch in range(10):"))


LAYOUT = st.text(st.sampled_from(list("while for def x:()[],#\\ \t\n")), max_size=120)


@given(LAYOUT, st.data())
def test_any_text_gives_a_line_of_it(text: str, data: st.DataObject) -> None:
    sources = {"a.py": text}
    number = st.integers(1, text.count("\n") + 1)
    function = st.sampled_from(["f", "g", "<listcomp>", "<module>", None])
    stack = [Place("a.py", data.draw(number), data.draw(function), "") for _ in range(data.draw(st.integers(1, 4)))]
    found = time_place(stack, sources)
    assert found is not None
    assert 1 <= found.line <= text.count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "\n",
        "(\n" * 50_000,
        "for\n" * 50_000,
        "x [" + " for " * 20_000,
        "\t" * 100_000,
        "while\n" * 50_000,
    ],
)
def test_hostile_layout_costs_little(text: str) -> None:
    last = text.count("\n") + 1
    started = time.process_time()
    time_place([Place("a.py", max(1, last - 1), f"f{number}", "") for number in range(30)], {"a.py": text})
    assert time.process_time() - started < 5
