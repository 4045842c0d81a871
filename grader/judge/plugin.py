"""The pytest plugin: collects the checks once, then runs them for one submission after the other.

Runs in the judge. pytest is the engine (collection, fixtures, one item at a time); this plugin replaces its loop and
its reports. `pytest_runtestloop` hands control to `serve`, which forks or not as its caller wants; `run` executes
one check's body and tells what it raised and observed; what that means is decided in `run.py`, never by anything
printed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from grader.content import support_files
from grader.errors import UsageProblem
from grader.judge import marks
from grader.judge.basis import CheckPlace, Part, digests
from grader.judge.expect import Expect
from grader.judge.student import Student
from grader.model.assignment import Assignment
from grader.model.result import Visibility


@dataclass(frozen=True)
class CheckSpec:
    """What is known of a check before it runs."""

    id: str
    title: str
    group: str
    points: float
    visibility: Visibility
    hint: str
    needs: tuple[str, ...]
    fresh: bool
    public: bool
    text: Part = field(default_factory=Part)
    """Digests of what it asks and of what it allows."""


@dataclass(frozen=True)
class Ran:
    """One execution of a check's body: what it raised, if anything, what it observed, and `asked_on`, whether student
    code was asked for anything after that."""

    error: BaseException | None
    expect: Expect
    asked_on: bool


class JudgePlugin:
    """See the module's docstring. `serve` is called once, when the checks are collected."""

    def __init__(self, assignment: Assignment, serve: Callable[[JudgePlugin], None]) -> None:
        self._assignment = assignment
        self._serve = serve
        self._items: dict[str, pytest.Item] = {}
        self.specs: list[CheckSpec] = []
        self.problem: BaseException | None = None
        self.served = False
        self._student: Student | None = None
        self._expect = Expect()
        self._raised: BaseException | None = None
        self._reference: Any = None
        self.seed = assignment.about.seed  # of the submission under test; a judge may be told another

    @property
    def salt(self) -> str:
        """Private to the judge and the same for every submission: it names the hidden files' contents."""
        return self._assignment.fingerprint

    # hooks, in the order in which pytest calls them

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare our marks."""
        for name in marks.NAMES:
            config.addinivalue_line("markers", f"{name}: see grader.judge.marks")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A check file that cannot be loaded is the author's to mend, and nothing can be graded without it."""
        if report.failed and self.problem is None:
            name = Path(report.nodeid).name
            text = str(report.longrepr).strip()
            numbers = re.findall(rf"{re.escape(name)}.*?\bline (\d+)|{re.escape(name)}:(\d+)", text)
            where = f", line {''.join(numbers[-1])}" if numbers else ""
            line = text.splitlines()[-1].removeprefix("E").strip()
            self.problem = UsageProblem(f"The checks of {self._assignment.id} cannot be loaded: {name}{where}: {line}")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take over: describe the checks, load the reference, serve."""
        if self.problem is not None:
            return True
        try:
            self._describe(session.items)
            if self._assignment.reference_file is not None:
                self._reference = load_module(self._assignment.reference_file, "reference")
                if missing := [name for name in self._assignment.about.names if not hasattr(self._reference, name)]:
                    raise UsageProblem(f"{self._assignment.reference_file} does not define {', '.join(missing)}.")
            self.served = True
            self._serve(self)
        except BaseException as error:  # pytest would swallow it; `session.collect_checks` raises it again
            self.problem = error
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Keep the first exception of an item, whichever phase it comes from.

        pytest's own report is not made: it would format a traceback from source files, 40 ms for each failure.
        """
        if call.excinfo is not None and self._raised is None:
            self._raised = call.excinfo.value
        outcome: Literal["passed", "failed"] = "passed" if call.excinfo is None else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)  # type: ignore[arg-type]

    # fixtures

    @pytest.fixture
    def student(self) -> Student:
        """The submission under test."""
        if self._student is None:
            raise RuntimeError("no submission is under test")
        return self._student

    @pytest.fixture
    def expect(self) -> Expect:
        """Comparisons, recorded."""
        return self._expect

    @pytest.fixture
    def reference(self) -> Any:
        """The reference solution's module; public checks may not use it."""
        if self._reference is None:
            raise RuntimeError("the reference solution is not installed here")
        return self._reference

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> Any:
        """A torch.Generator seeded from the run's seed, which is the assignment's, and the check's name.

        That of a hidden check depends on the hidden files too: the seed is public, and nobody who has only that may
        draw the same inputs.
        """
        return self._generator(request, check_id(request.node))

    @pytest.fixture
    def once(self, request: pytest.FixtureRequest, student: Student) -> Callable[[str, Callable[[Any], Any]], Any]:
        """`once(name, make)`: what `make(generator)` returned in the first check of this submission that asked.

        The generator depends on the name, not on the check, so that the order of the checks changes nothing. A `make`
        that raises is tried again by the next check.
        """

        def made(name: str, make: Callable[[Any], Any]) -> Any:
            if name not in student._shared:
                student._shared[name] = make(self._generator(request, name))
            return student._shared[name]

        return made

    def _generator(self, request: pytest.FixtureRequest, name: str) -> Any:
        import torch

        hidden = self._assignment.hidden_dir
        private = _digest(request.path) if hidden is not None and request.path.is_relative_to(hidden) else ""
        text = f"{self.seed} {name}{private}"
        return torch.Generator().manual_seed(int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big"))

    # running

    def run(self, name: str, student: Student) -> Ran:
        """Run one check's body against a submission."""
        item = self._items[name]
        self._student, self._expect, self._raised = student, Expect(lambda: student._times_asked), None
        try:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        finally:
            self._student = None
        if isinstance(self._raised, (KeyboardInterrupt, SystemExit)):
            raise self._raised
        return Ran(self._raised, self._expect, self._expect.asked != student._times_asked)

    def _describe(self, items: list[pytest.Item]) -> None:
        """Fill `specs`; raises UsageProblem for what its author has to mend."""
        for item in items:
            spec = self._spec(item)
            if spec.id in self._items:
                raise UsageProblem(f"Two checks of {self._assignment.id} are called {spec.id}.")
            self._items[spec.id] = item
            self.specs.append(spec)
        texts = self._texts()
        self.specs = [replace(spec, text=texts[spec.id]) for spec in self.specs]
        # Visible checks first: what they print is shown, and must not hold what hidden ones have let be seen.
        self.specs.sort(key=lambda spec: spec.visibility != "visible")
        before: set[str] = set()
        for spec in self.specs:
            if unknown := [need for need in spec.needs if need not in before]:
                raise UsageProblem(f"The check {spec.id} needs {unknown[0]}, which is no check that runs before it.")
            before.add(spec.id)

    def _texts(self) -> dict[str, Part]:
        """By check, what its observations rest on: its text, what it shares with others, and for some the reference."""
        assignment, places = self._assignment, {}
        for name, item in self._items.items():
            function = getattr(item, "originalname", None) or item.name
            places[name] = CheckPlace(str(item.path), function, frozenset(getattr(item, "fixturenames", ())))
        files = {place.file: Path(place.file).read_text("utf-8") for place in places.values()}
        reference = assignment.reference_file
        text = "" if reference is None else reference.read_text("utf-8")
        beside = [f"{path.name} {_digest(path)}" for path in support_files(assignment)]
        return digests(places, files, text, [str(assignment.about.seed), *beside])

    def _spec(self, item: pytest.Item) -> CheckSpec:
        if not isinstance(item, pytest.Function):
            raise UsageProblem(f"{item.nodeid} is not a check function.")
        name = check_id(item)
        public = item.path.parent == self._assignment.handout_dir
        if public and "reference" in item.fixturenames:
            raise UsageProblem(f"The public check {name} uses the reference, which students do not have.")
        worth = item.get_closest_marker("points")
        if worth is None or len(worth.args) != 1 or type(worth.args[0]) not in (int, float) or worth.args[0] < 0:
            raise UsageProblem(f"The check {name} in {item.path.name} needs @points(number), of 0 or more.")
        visibility = _text(item, "visibility", "visible" if public else "hidden")
        if visibility not in get_args(Visibility):
            kinds = ", ".join(get_args(Visibility))
            raise UsageProblem(f"The check {name} has the visibility {visibility!r}; expected one of {kinds}.")
        return CheckSpec(
            id=name,
            title=(item.function.__doc__ or name).strip().splitlines()[0],
            group=_text(item, "group", self._assignment.about.title),
            points=float(worth.args[0]),
            visibility=visibility,
            hint=_text(item, "hint", ""),
            needs=tuple(need.removeprefix("test_") for mark in item.iter_markers("needs") for need in mark.args),
            fresh=item.get_closest_marker("fresh") is not None,
            public=public,
        )


def check_id(item: Any) -> str:
    """A check's id: its function's name without `test_`."""
    return str(item.name).removeprefix("test_")


def _text(item: pytest.Item, mark: str, default: str) -> Any:
    found = item.get_closest_marker(mark)
    return found.args[0] if found else default


def load_module(path: Path, name: str) -> Any:
    """A Python file as a module called `name`, without the import system's caches."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageProblem(f"{path} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageProblem(f"{path} cannot be loaded: {type(error).__name__}: {error}") from None
    return module


@functools.cache
def _digest(path: Path) -> str:
    """Of a check file, which stays as it was when it was collected."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
