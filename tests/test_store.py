"""A run on disk: whole files or none, resumable, and nobody else's files touched."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader import store
from grader.errors import UsageProblem
from grader.model.observation import Observation, tensor_to_json
from grader.model.result import AssignmentInfo, CheckResult, Environment, GradeResult, Isolation, SubmissionInfo
from grader.store import Run, write_atomically

LARGE = tensor_to_json("float32", (50, 40), [number / 7 for number in range(2000)])
SMALL = tensor_to_json("float32", (2,), [1.0, "nan"])


def result(name: str, *observations: Observation, score: float = 10.0) -> GradeResult:
    """A graded result of one check with these observations."""
    check = CheckResult("rows", "T", "G", "passed", None, 10, 10, "visible", observations=list(observations))
    return GradeResult(
        schema_version=1,
        assignment=AssignmentInfo("attention", "1", "Attention"),
        submission=SubmissionInfo(name, "Ann", None, "", []),
        status="graded",
        reason=None,
        score=score,
        max_score=100.0,
        checks=[check],
        notices=[],
        stdout="",
        stderr="",
        environment=Environment("", "", "", "", ""),
        isolation=Isolation("B", []),
        seconds=0.0,
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A prepared run."""
    made = Run(tmp_path / "out")
    made.prepare()
    return made


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_results_come_back_in_the_order_of_their_ids(run: Run) -> None:
    names = ["b", "a-2", "a", "B.2", "a.b"]
    for name in names:
        run.save(result(name, Observation("o", "close", SMALL, [1, "x"], "")))
    assert run.load("a-2") == result("a-2", Observation("o", "close", SMALL, [1, "x"], ""))
    assert [found.submission.id for found in run.results()] == sorted(names)


def test_a_newer_result_takes_the_place_of_the_old(run: Run) -> None:
    run.save(result("a", score=1.0))
    run.save(result("a", score=2.0))
    assert [found.score for found in run.results()] == [2.0]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"[]", b"{}", b"\xff\xfe", b'{"schema_version": 1}', b"[" * 100_000, b"x" * 10_000],
)
def test_a_corrupt_result_is_as_none(run: Run, content: bytes) -> None:
    run.save(result("a"))
    run.save(result("b"))
    (run.folder / "results" / "a.json").write_bytes(content)
    assert run.load("a") is None
    assert [found.submission.id for found in run.results()] == ["b"]
    run.save(result("a"))
    assert run.load("a") == result("a")


def test_a_cut_result_is_as_none(run: Run) -> None:
    run.save(result("a", Observation("o", "close", SMALL, SMALL, "")))
    path = run.folder / "results" / "a.json"
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 11):
        path.write_bytes(whole[:length])
        assert run.load("a") is None


def test_a_missing_result_is_none(run: Run) -> None:
    assert run.load("a") is None
    (run.folder / "results" / "d.json").mkdir()
    assert run.load("d") is None
    assert list(run.results()) == []


def test_a_result_under_another_name_is_not_ours(run: Run) -> None:
    run.save(result("a"))
    (run.folder / "results" / "copy.json").write_bytes((run.folder / "results" / "a.json").read_bytes())
    assert [found.submission.id for found in run.results()] == ["a"]


def test_large_tensors_lie_beside(run: Run) -> None:
    seen = [Observation("o", "close", LARGE, SMALL, ""), Observation("o", "close", 1, LARGE, "x")]
    run.save(result("a", *seen))
    assert (run.folder / "results" / "a.json").stat().st_size < 4000
    found = run.load("a")
    assert found is not None
    first, second = found.checks[0].observations
    assert (first.actual, second.expected) == (SMALL, 1)
    for kept in (first.expected, second.actual):
        assert (kept["dtype"], kept["shape"], kept["data"]) == ("float32", [50, 40], None)
        tensors = msgspec.msgpack.decode((run.folder / "results" / kept["file"]).read_bytes())
        assert tensors[kept["key"]] == LARGE["data"]


def test_a_side_file_of_another_stays_whatever_its_name(run: Run) -> None:
    seen = Observation("o", "close", LARGE, 1, "")
    names = ["a", "a.tensors-b", "a.tensors-0123456789ab"]
    for name in names:
        run.save(result(name, seen))
    for name in names:
        run.save(result(name, seen))
    for name in names:
        found = run.load(name)
        assert found is not None
        assert (run.folder / "results" / found.checks[0].observations[0].expected["file"]).is_file()


def test_of_two_with_one_name_the_first_keeps_its_id(run: Run) -> None:
    for name in ("ann", "ann-2", "ann-10"):
        run.save(result(name))
    assert run.known_ids() == {"Ann": "ann"}


def test_the_side_file_goes_when_it_is_needed_no_more(run: Run) -> None:
    run.save(result("a", Observation("o", "close", LARGE, 1, "")))
    run.save(result("a"))
    assert sorted(everything(run.folder)) == ["results/a.json"]


def test_side_files_of_an_earlier_run_go_too(run: Run) -> None:
    run.save(result("a", Observation("o", "close", LARGE, 1, "")))
    run.save(result("b", Observation("o", "close", LARGE, 1, "")))
    later = Run(run.folder)
    later._locked = run._locked  # as after the end of the first
    later.prepare()
    later.save(result("a"))
    assert [name.split(".")[0] for name in everything(run.folder) if name.endswith(".msgpack")] == ["results/b"]


def test_summaries_share_equal_checks(run: Run) -> None:
    seen = Observation("o", "close", SMALL, [1, "x"], "long")
    for name in ("a", "b"):
        run.save(msgspec.structs.replace(result(name, seen), stdout="printed"))
    first, second = run.summaries()
    assert first.checks[0] is second.checks[0]
    assert (first.checks[0].status, first.checks[0].observations, first.stdout) == ("passed", [], "")
    assert [found.checks[0].observations for found in run.results()] == [[seen], [seen]]


@pytest.mark.parametrize(
    "value",
    [
        {"dtype": 1, "shape": 2, "data": 5},
        {"dtype": "x", "shape": [], "data": {"a": 1}},
        {"dtype": 1, "shape": 2},
        {"dtype": None, "shape": None, "data": "x" * 5000},
        {"dtype": 1, "shape": 2, "data": True},
    ],
)
def test_values_that_only_look_like_tensors(run: Run, value: Any) -> None:
    run.save(result("a", Observation("o", "same", 1, value, "no")))
    found = run.load("a")
    assert found is not None
    assert found.checks[0].observations[0].expected == 1


def test_reports_and_the_class(run: Run) -> None:
    run.save_report("a", "<p>Zoë \ud800</p>")
    run.save_class("<p>class</p>", iter(["id\r\n", "a\r\n"]))
    assert everything(run.folder) == {
        "reports/a.html": "<p>Zoë ?</p>".encode(),
        "index.html": b"<p>class</p>",
        "grades.csv": b"id\r\na\r\n",
    }
    assert run.report_name("a") == "reports/a.html"


FAILURES: list[Callable[[pytest.MonkeyPatch], None]] = [
    lambda patch: patch.setattr(store.os, "replace", broken),
    lambda patch: patch.setattr(store.os, "fsync", broken),
]


def broken(*_: Any) -> None:
    """A call that a full disk fails."""
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("fail", FAILURES, ids=["replace", "fsync"])
def test_a_write_that_fails_leaves_what_was(
    run: Run, monkeypatch: pytest.MonkeyPatch, fail: Callable[[pytest.MonkeyPatch], None]
) -> None:
    path = run.folder / "grades.csv"
    write_atomically(path, b"old")
    with monkeypatch.context() as patch:
        fail(patch)
        with pytest.raises(OSError, match="No space left"):
            write_atomically(path, b"new and longer")
        with pytest.raises(OSError, match="No space left"):
            run.save(result("a"))
    assert everything(run.folder) == {"grades.csv": b"old"}
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_an_interrupted_write_leaves_what_was(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    path = run.folder / "index.html"
    write_atomically(path, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(store.os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_atomically(path, b"new")
    assert everything(run.folder) == {"index.html": b"old"}


def test_half_written_files_are_cleared_and_others_stay(run: Run) -> None:
    run.save(result("a"))
    kept = everything(run.folder)
    foreign = [
        *(
            "notes.txt",
            "results/b.txt",
            "results/mine.grader-tmp",
            "results/.hidden",
            "reports/.x.tmp",
            "x/.a.grader-tmp",
        ),
        *("results/.a b.grader-tmp", ".grader-tmp", "results/.a.grader-tmp.txt"),
    ]
    half = ["results/.a.json.grader-tmp", ".grades.csv.grader-tmp", "reports/.a.html.grader-tmp"]
    for name in [*foreign, *half]:
        (run.folder / name).parent.mkdir(exist_ok=True)
        (run.folder / name).write_bytes(b"theirs")
    run.prepare()
    assert everything(run.folder) == kept | dict.fromkeys(foreign, b"theirs")
    assert Run(run.folder).load("a") == result("a")


def test_a_folder_in_the_place_of_a_half_written_file(run: Run) -> None:
    (run.folder / ".x.grader-tmp").mkdir()
    with pytest.raises(UsageProblem, match="cannot be written to"):
        run.prepare()


def test_out_may_be_deep_and_new(tmp_path: Path) -> None:
    Run(tmp_path / "a" / "b" / "c").prepare()
    assert sorted(os.listdir(tmp_path / "a" / "b" / "c")) == ["reports", "results"]


def test_out_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"mine")
    with pytest.raises(UsageProblem, match=r"out is a file; name a folder\."):
        Run(path).prepare()
    with pytest.raises(UsageProblem, match="cannot be written to"):
        Run(path / "below").prepare()
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["results", "reports"])
def test_a_file_in_the_place_of_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(UsageProblem, match="cannot be written to"):
        Run(tmp_path).prepare()
    assert (tmp_path / name).read_bytes() == b"mine"


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    first = Run(tmp_path / "out")
    first.prepare()
    with pytest.raises(UsageProblem, match="another grader"):
        Run(tmp_path / "out").prepare()
    del first
    Run(tmp_path / "out").prepare()


def test_a_whole_result_has_its_large_tensors(run: Run) -> None:
    large = Observation("x", "close", LARGE, 1.0)
    run.save(result("ada", large, Observation("y", "same", 1, 1)))
    assert run.load_whole("ada") == result("ada", large, Observation("y", "same", 1, 1))
    run.save(run.load_whole("ada") or result("ada"))
    assert run.load_whole("ada") == result("ada", large, Observation("y", "same", 1, 1))
    (side,) = (run.folder / "results").glob("*.msgpack")
    side.unlink()
    assert run.load_whole("ada") == run.load("ada")


def test_a_side_file_of_another_is_not_read(run: Run) -> None:
    large = Observation("x", "close", LARGE, 1.0)
    run.save(result("ada", large))
    run.save(result("bob", large))
    path = run.folder / "results" / "ada.json"
    path.write_text(path.read_text().replace("ada.tensors-", "bob.tensors-"))
    assert run.load_whole("ada") == run.load("ada")


def test_results_are_kept_apart_and_no_run_reads_them(run: Run) -> None:
    run.save(result("ada"))
    now = datetime(2026, 12, 1, 9, 5, 7, tzinfo=UTC)
    kept = [run.keep_results(now), run.keep_results(now)]
    assert [path.name for path in kept] == ["results.before-2026-12-01-090507", "results.before-2026-12-01-090507-2"]
    run.save(result("ada", score=5.0))
    assert json.loads((kept[0] / "ada.json").read_text("utf-8"))["score"] == 10
    assert [found.score for found in run.results()] == [5.0]
    assert run.ids() == ["ada"]


def test_results_that_cannot_be_kept_leave_nothing_half_done(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.save(result("ada"))
    before = everything(run.folder)
    monkeypatch.setattr(Path, "rename", broken)
    with pytest.raises(OSError, match="No space"):
        run.keep_results(datetime(2026, 12, 1, tzinfo=UTC))
    assert everything(run.folder) == before
