"""`grader grade` as an instructor runs it, on the tiny course."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.model.jsonform import result_schema

RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
ROOT = Path(__file__).parent.parent
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]


def grade(grader: Command, source: Path, out: Path, course: Path, *more: object) -> subprocess.CompletedProcess[str]:
    """`grader grade` for the tiny assignment."""
    return grader("grade", source, "--assignment", "tiny", "--out", out, "--course", course, *more)


def test_class_is_graded(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    out = tmp_path / "out"
    ran = grade(grader, tiny_class, out, tiny_course)
    assert ran.returncode == 0, ran.stderr
    found = read_results(out)
    assert {name: (r["status"], r["score"]) for name, r in found.items()} == {
        "ada": ("graded", 100.0),
        "bob": ("graded", 30.0),
        "cyd": ("invalid", 0.0),
    }
    assert "line 1" in found["cyd"]["reason"]
    assert found["bob"]["checks"][0]["diagnosis"]["slug"] == "square"
    for result in found.values():
        jsonschema.validate(result, result_schema())
    assert sorted(path.name for path in (out / "reports").iterdir()) == ["ada.html", "bob.html", "cyd.html"]
    rows = list(csv.DictReader((out / "grades.csv").read_text("utf-8").splitlines()))
    assert [(row["id"], row["status"], row["score"]) for row in rows] == [
        ("ada", "graded", "100"),
        ("bob", "graded", "30"),
        ("cyd", "invalid", "0"),
    ]
    index = (out / "index.html").read_text("utf-8")
    assert all(f'href="reports/{name}.html"' in index for name in found)
    assert "ada" in ran.stdout
    assert str(out / "index.html") in ran.stdout


def test_hidden_values_stay_out_of_reports(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path
) -> None:
    (tiny_class / "bob" / "tiny.py").write_text(
        "print('import')\n\n\ndef double(x):\n    print('saw', x)\n    return 2 * x\n\n\n"
        "def total(x):\n    print('saw', x)\n    raise ValueError(f'{x}')\n"
    )
    out = tmp_path / "out"
    assert grade(grader, tiny_class, out, tiny_course).returncode == 0
    report = (out / "reports" / "bob.html").read_text("utf-8")
    assert "2.7183e+05" not in report
    assert "CANARY-PRIVATE" not in report
    assert "ValueError at tiny.py, line 11" in report
    assert "saw tensor([1., 2., 3.])" in report  # a visible check's output is the student's to see
    assert "2.7183e+05" in (out / "results" / "bob.json").read_text("utf-8")


@pytest.mark.parametrize("form", ["files", "one file", "zip", "one folder"])
def test_forms_of_source(grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results, form: str) -> None:
    source = tmp_path / "source"
    source.mkdir()
    if form == "files":
        (source / "ann.py").write_text(RIGHT)
        (source / "ben.py").write_text(RIGHT)
        expected = ["ann", "ben"]
    elif form == "one folder":
        (source / "tiny.py").write_text(RIGHT)
        expected = ["source"]
    elif form == "one file":
        (source / "tiny.py").write_text(RIGHT)
        source, expected = source / "tiny.py", ["tiny"]
    else:
        source = tmp_path / "class.zip"
        with zipfile.ZipFile(source, "w") as archive:
            archive.writestr("hw/ann/tiny.py", RIGHT)
            archive.writestr("hw/ben/tiny.py", RIGHT)
            archive.writestr("__MACOSX/hw/ann/._tiny.py", "x")
        expected = ["ann", "ben"]
    out = tmp_path / "out"
    ran = grade(grader, source, out, tiny_course)
    assert ran.returncode == 0, ran.stderr
    assert {name: r["score"] for name, r in read_results(out).items()} == dict.fromkeys(expected, 100.0)


def test_second_run_grades_only_what_changed(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    out = tmp_path / "out"
    grade(grader, tiny_class, out, tiny_course)
    (out / "notes.txt").write_text("mine")
    before = {name: (out / "results" / f"{name}.json").stat().st_mtime_ns for name in ("ada", "bob", "cyd")}
    (tiny_class / "bob" / "tiny.py").write_text(RIGHT)
    (tiny_class / "dan").mkdir()
    (tiny_class / "dan" / "tiny.py").write_text(RIGHT)
    ran = grade(grader, tiny_class, out, tiny_course)
    after = {path.stem: path.stat().st_mtime_ns for path in (out / "results").glob("*.json")}
    assert {name for name in after if after[name] != before.get(name)} == {"bob", "dan"}
    assert read_results(out)["bob"]["score"] == 100
    assert (out / "notes.txt").read_text() == "mine"
    assert "dan" in (out / "index.html").read_text("utf-8")
    assert "Graded 2" in ran.stderr
    assert "Nothing new" in grade(grader, tiny_class, out, tiny_course).stderr
    changed = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    changed.write_text(changed.read_text().replace("-1.5", "-2.5"))
    assert "Graded 4" in grade(grader, tiny_class, out, tiny_course).stderr
    assert "Graded 4" in grade(grader, tiny_class, out, tiny_course, "--fresh").stderr


def test_two_gradings_are_identical_but_for_times(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "graded_at")}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    runs = []
    for name in ("one", "two"):
        grade(grader, tiny_class, tmp_path / name, tiny_course)
        runs.append(timeless(read_results(tmp_path / name)))
    assert runs[0] == runs[1]
    assert len(runs[0]) == 3


def test_broken_check_is_the_authors_fault(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    hidden = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    hidden.write_text(hidden.read_text().replace("    x = torch.tensor([SECRET_INPUT, 1.0", "    1 / 0\n    x = ([1.0"))
    out = tmp_path / "out"
    ran = grade(grader, tiny_class, out, tiny_course)
    assert ran.returncode == 3
    result = read_results(out)["ada"]
    assert (result["status"], result["score"]) == ("ungraded", None)
    (broken,) = [check for check in result["checks"] if check["status"] == "error"]
    assert broken["fault"] == "author"
    assert "ZeroDivisionError" in broken["staff_detail"]
    report = (out / "reports" / "ada.html").read_text("utf-8")
    assert "ZeroDivisionError" not in report
    assert "Traceback" not in report
    assert "not your doing" in report
    row = next(csv.DictReader((out / "grades.csv").read_text("utf-8").splitlines()))
    assert (row["status"], row["score"]) == ("ungraded", "")


def test_a_value_that_a_check_stumbles_on_is_the_students(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    hidden = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    hidden.write_text(
        hidden.read_text().replace("expect.close(student.total(x),", "expect.close(student.total(x) + 0,")
    )
    (tiny_class / "bob" / "tiny.py").write_text(RIGHT.replace("x.sum()", "'nine'"))
    out = tmp_path / "out"
    assert grade(grader, tiny_class, out, tiny_course).returncode == 0
    found = read_results(out)
    assert found["ada"]["score"] == 100
    assert (found["bob"]["status"], found["bob"]["score"]) == ("graded", 70)
    assert "stumbled" in found["bob"]["checks"][-1]["staff_detail"]


TROUBLE = {
    "loops": ("while True:\n        pass", "timeout", "did not finish"),
    "sleeps": ("import time\n    time.sleep(100)", "timeout", "did not finish"),
    "exits": ("import os\n    os._exit(0)", "crashed", "exited with status 0"),
    "leaves": ("raise SystemExit(0)", "error", "SystemExit"),
    "aborts": ("import os\n    os.abort()", "crashed", "SIG"),
    "hoards": ("return bytearray(10**12)", "memory", "memory"),
    "raises": ("raise KeyError('k')", "error", "KeyError at tiny.py, line 6, in total: 'k'"),
    "floods": ("print('x' * 20_000_000)\n    return x.sum()", "passed", ""),
}


def test_trouble_costs_only_the_check_that_met_it(
    grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    source = tmp_path / "class"
    source.mkdir()
    for name, (body, _, _) in TROUBLE.items():
        (source / f"{name}.py").write_text(RIGHT.replace("return x.sum()", body))
    out = tmp_path / "out"
    ran = grade(grader, source, out, tiny_course)
    assert ran.returncode == 0, ran.stderr
    found = read_results(out)
    for name, (_, status, words) in TROUBLE.items():
        by_id = {check["id"]: check for check in found[name]["checks"]}
        assert by_id["total"]["status"] == status, (name, by_id["total"])
        assert words in by_id["total"]["feedback"], (name, by_id["total"])
        assert by_id["double"]["status"] == by_id["double_negative"]["status"] == "passed", name
        assert by_id["total"]["fault"] == (None if status == "passed" else "student")
        assert len(json.dumps(found[name]["stdout"])) < 200_000


IMPORTS = {
    "exit-first": ("import sys\nsys.exit(0)\n", "invalid", 0.0, "ends the program"),
    "hard-exit-first": ("import os\nos._exit(0)\n", "invalid", 0.0, "ends the program"),
    "exit-last": (f"{RIGHT}\nexit()\n", "graded", 100.0, "calls exit"),
    "hard-exit-last": (f"{RIGHT}\nimport os\nos._exit(0)\n", "graded", 100.0, "calls exit"),
    "crash-last": (
        f"{RIGHT}\nimport os\nos.kill(os.getpid(), 9) or os.abort()\n",
        "graded",
        100.0,
        "only its definitions",
    ),
    "raises-last": (f"{RIGHT}\n1 / 0\n", "graded", 100.0, "ZeroDivisionError at tiny.py, line 8"),
    "loops-last": (f"{RIGHT}\nwhile True:\n    pass\n", "graded", 100.0, "still running"),
    "loops-first": (f"while True:\n    pass\n{RIGHT}", "graded", 100.0, "still running"),
    "loops-alone": ("while True:\n    pass\n", "invalid", 0.0, "does not finish importing"),
    "nothing": ("x = 1\n", "invalid", 0.0, "defines none of"),
}


@pytest.mark.full
def test_imports_that_do_not_end_well(
    grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    source = tmp_path / "class"
    source.mkdir()
    for name, (text, _, _, _) in IMPORTS.items():
        (source / f"{name}.py").write_text(text)
    out = tmp_path / "out"
    assert grade(grader, source, out, tiny_course).returncode == 0
    found = read_results(out)
    for name, (_, status, score, words) in IMPORTS.items():
        result = found[name]
        assert (result["status"], result["score"]) == (status, score), (name, result["reason"])
        assert words in (result["reason"] or "; ".join(result["notices"])), (name, result)
        assert bool(result["checks"]) == (status == "graded")


def test_interrupt_keeps_what_is_done_and_the_next_run_goes_on(
    tiny_course: Path, tmp_path: Path, cache: Path, grader: Command, read_results: Results
) -> None:
    source = tmp_path / "class"
    source.mkdir()
    for number in range(40):
        (source / f"s{number:02}.py").write_text(
            RIGHT.replace("return 2", "import time\n    time.sleep(0.3)\n    return 2")
        )
    out = tmp_path / "out"
    arguments = ["grade", source, "--assignment", "tiny", "--out", out, "--course", tiny_course]
    running = subprocess.Popen(
        [sys.executable, "-m", "grader.cli.main", *map(str, arguments)],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list((out / "results").glob("*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "run the same command again" in said
    done = read_results(out)
    assert 3 <= len(done) < 40
    assert (out / "index.html").is_file()
    assert not list(out.rglob(".*"))
    (source / "s39.py").write_text(RIGHT)  # so that the rest need not be waited for
    for number in range(len(done), 39):
        if f"s{number:02}" not in done:
            (source / f"s{number:02}.py").write_text(RIGHT)
    ran = grader(*arguments)
    assert ran.returncode == 0
    assert len(read_results(out)) == 40
    assert {name: read_results(out)[name]["graded_at"] for name in done} == {
        name: result["graded_at"] for name, result in done.items()
    }


@pytest.mark.full
def test_reports_rendered_again_are_the_same(grader: Command, tmp_path: Path) -> None:
    out, source = tmp_path / "out", ROOT / "examples" / "class-corruption"
    assert grader("grade", source, "--assignment", "corruption", "--out", out).returncode == 0
    pages = {path.name: path.read_bytes() for path in (out / "reports").iterdir()}
    assert any(b"allowed" in page for page in pages.values())  # shares that were measured
    assert grader("report", out).returncode == 0
    assert {path.name: path.read_bytes() for path in (out / "reports").iterdir()} == pages


def test_reports_are_in_the_language_that_is_asked_for(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    wanted = ["grade", tiny_class, "--assignment", "tiny", "--out", out, "--course", tiny_course]
    strange = grader(*wanted, "--lang", "tlh")
    assert (strange.returncode, "no language file reports/lang/tlh.html.j2" in strange.stderr) == (2, True)
    assert not out.exists()
    assert grader(*wanted, "--lang", "de").returncode == 0
    pages = [out / "index.html", *(out / "reports").glob("*.html")]
    assert len(pages) == 4
    assert all('<html lang="de">' in page.read_text("utf-8") for page in pages)
    assert grader("report", out, "--lang", "en", "--course", tiny_course).returncode == 0
    assert all('<html lang="en">' in page.read_text("utf-8") for page in pages)
