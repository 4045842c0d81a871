"""Lines of a notebook as its author counts them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.judge import outcome
from grader.judge.conversation import Conversation
from grader.judge.import_text import load_notices, reason_not_loadable
from grader.judge.places import Work
from grader.judge.student import StudentRaised
from grader.model.assignment import Limits, SandboxNeeds
from grader.model.causes import told_of_hidden
from grader.model.result import CheckResult
from grader.model.submission import Cell
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Place, Sandbox, StudentTimeout
from grader.wire import calls
from grader.wire.calls import ErrorReport

MAIN = "attention.ipynb"
LIMITS = Limits(check_seconds=0.6, import_seconds=2, cpu_seconds=60, total_seconds=60)
CELLS = [
    "import time",
    "def one():\n    return 1",
    "",
    "def bad():\n    x = 1\n    return [][x]\n\ndef slow():\n    while True:\n        time.sleep(0.01)",
]


def work_of(*sources: str) -> Work:
    """A notebook of these cells, numbered by threes, so that numbers of cells and lines cannot be mixed up."""
    lines: list[str] = []
    cells = []
    for number, source in enumerate(sources):
        own = source.split("\n")
        cells.append(Cell(3 * number + 2, len(lines) + 1, len(lines) + len(own)))
        lines += own
    return Work({MAIN: "\n".join([*lines, ""]), "helper.py": "x = 1\n"}, MAIN, tuple(cells))


WORK = work_of("a\nb", "c", "d\ne\nf")


@pytest.mark.parametrize(
    ("file", "line", "shown"),
    [
        (MAIN, 1, (f"{MAIN}, cell 2", 1)),
        (MAIN, 2, (f"{MAIN}, cell 2", 2)),
        (MAIN, 3, (f"{MAIN}, cell 5", 1)),
        (MAIN, 6, (f"{MAIN}, cell 8", 3)),
        (MAIN, 7, (MAIN, 7)),
        ("helper.py", 1, ("helper.py", 1)),
    ],
)
def test_places(file: str, line: int, shown: tuple[str, int]) -> None:
    place = WORK.place(Place(file, line, "f", "text"))
    assert (place.file, place.line) == shown
    error = WORK.error(ErrorReport(("E",), "", file, line))
    assert (error.file, error.line) == shown


def test_a_file_has_its_own_lines() -> None:
    work = Work({"a.py": "x\ny\n"}, "a.py")
    assert work.place(Place("a.py", 2, None, "y")).line == 2
    assert work.lines([(1, 1), (2, 4), (9, 9)]) == "lines 1 to 4 and 9"
    assert work.lines([(3, 3)]) == "line 3"


def test_lines_are_listed_by_cell() -> None:
    assert WORK.lines([(1, 1), (2, 2), (3, 3), (5, 6)]) == "cell 2, lines 1 to 2; cell 5, line 1; cell 8, lines 2 to 3"


def test_far_down_no_cell_is_told() -> None:
    work = work_of("\n" * 1500, "\n" * 1500)
    assert work.place(Place(MAIN, 1600, None, "")).file == f"{MAIN}, cell 5"
    far = work.place(Place(MAIN, 2600, None, ""))
    assert (far.file, far.line) == (f"{MAIN}, all cells together", 2600)


def test_of_a_hidden_check_the_cell_is_told() -> None:
    report = WORK.error(ErrorReport(("ValueError",), "a hidden input", MAIN, 5, "f", "e"))
    ended = outcome.of_error(report, LIMITS)
    check = CheckResult(
        "c", "t", "g", "error", "student", 0.0, 1.0, "hidden", ended.feedback, "", None, [], 0.0, ended.error
    )
    assert told_of_hidden(check).sentence == f"Your code raised ValueError at {MAIN}, cell 8, line 2."


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A plain sandbox without torch."""
    opened = PlainBackend().open(LIMITS, SandboxNeeds(), slot=5)
    yield opened
    opened.close()


@pytest.fixture
def conversation(sandbox: Sandbox) -> Iterator[Conversation]:
    """A notebook, imported."""
    started = Conversation(sandbox, work_of(*CELLS), ("one",), LIMITS, seed=1)
    assert started.load().error is None
    yield started
    started.end()


def call(conversation: Conversation, name: str) -> None:
    """Call a function of the notebook, in a check of its own."""
    conversation.begin_check(name, fresh=False)
    arguments = {"target": [None, name], "args": (), "kwargs": {}, "views": {}, "inspect": False}
    conversation.ask(calls.CALL, arguments)


def test_exceptions_and_time_outs_in_checks_name_the_cell(conversation: Conversation) -> None:
    with pytest.raises(StudentRaised) as raised:
        call(conversation, "bad")
    report = raised.value.report
    assert (report.file, report.line, report.source) == (f"{MAIN}, cell 11", 3, "return [][x]")
    with pytest.raises(StudentTimeout) as late:
        call(conversation, "slow")
    assert late.value.place is not None
    assert (late.value.place.file, late.value.place.line) == (f"{MAIN}, cell 11", 6)


def loaded(sandbox: Sandbox, *sources: str) -> tuple[list[str], str | None]:
    """Notices and reason after importing a notebook of these cells."""
    conversation = Conversation(sandbox, work_of(*sources), ("one",), LIMITS, seed=1)
    try:
        report = conversation.load()
    finally:
        conversation.end()
    work = work_of(*sources)
    return load_notices(report, work, LIMITS), reason_not_loadable(report, work, ["one"], LIMITS)


def test_the_first_cause_comes_first(sandbox: Sandbox) -> None:
    notices, reason = loaded(sandbox, "import pandas", "table = pandas.DataFrame()", "def one(): return table", "1 +")
    assert reason is None
    assert (
        notices[0]
        == "Cell 2 stopped at line 1, `import pandas`, which the grading machine does not have. The others were run."
    )
    assert notices[1] == "Cell 5, line 1 stopped with NameError: name 'pandas' is not defined; it was left out."
    assert notices[2].startswith("Cell 11, line 1 is not Python (SyntaxError: invalid syntax)")


def test_why_a_notebook_is_worth_nothing(sandbox: Sandbox) -> None:
    _, reason = loaded(sandbox, "class Base(Missing): pass", "class Two(Base): pass")
    assert reason is not None
    assert reason.startswith(
        f"{MAIN} defines none of the names that are graded (one). Cell 2 stopped with an exception"
    )
    assert f"NameError at {MAIN}, cell 2, line 1" in reason


def test_names_of_a_session_that_is_gone(sandbox: Sandbox) -> None:
    notices, _ = loaded(sandbox, "def one(): return MASK_ID + late\nlate = 3", "print(GONE)")
    assert notices[-2:] == [
        "Cell 2, line 1 uses `MASK_ID`, which no cell defines; try Restart and Run All in your notebook.",
        "Cell 5, line 1 uses `GONE`, which no cell defines; try Restart and Run All in your notebook.",
    ]


def test_another_process_leaves_out_what_was_late(sandbox: Sandbox) -> None:
    sources = ["def one():\n    import os\n    os._exit(3)", "while True: pass", "x = sum(1\n  for _ in iter(int, 1))"]
    conversation = Conversation(sandbox, work_of(*sources), ("one",), LIMITS, seed=1)
    try:
        report = conversation.load()
        assert [stop.how for stop in report.stops] == ["late", "late"]
        assert report.left_out == (4, 5)
        again = conversation._start()
        assert again.stops == ()
        assert again.left_out == (4, 5)
    finally:
        conversation.end()
