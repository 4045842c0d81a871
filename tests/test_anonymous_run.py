"""`grade --anonymous` and `report --anonymous` on a real run: no name in what people read, and all names back again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

RIGHT = "def double(x):\n    print('made by Featherstone')\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
TEXTS = {
    "Wilhelmina Featherstone": RIGHT,
    "quentin.blackwood": RIGHT.replace("2 * x", "x['/home/blackwood/QUENTIN.csv']"),
    "zapata_ximena_90210456": "raise RuntimeError('Ximena was here')\n",
}
SECRETS = ["wilhelmina", "featherstone", "quentin", "blackwood", "zapata", "ximena", "90210456", "yolanda", "4711"]


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three folders, and a roster beside them with one person more."""
    source = tmp_path_factory.mktemp("anonymous") / "class"
    for name, text in TEXTS.items():
        (source / name).mkdir(parents=True)
        (source / name / "tiny.py").write_text(text)
        (source / name / f"notes of {name}.txt").write_text("x")
    (source.parent / "roster.csv").write_text("Name,ID\nYolanda Underhill,4711\nXimena Zapata,90210456\n")
    return source


def leaks(*texts: str) -> list[str]:
    """The secrets in any of these texts, whatever their case."""
    return [secret for secret in SECRETS if any(secret in text.lower() for text in texts)]


def pages(out: Path) -> dict[str, str]:
    """The pages of a run, by where they lie."""
    return {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in sorted(out.rglob("*.html"))}


def test_names_are_hidden_and_come_back(
    grader: Command, class_folder: Path, tmp_path: Path, read_results: Callable[[Path], dict[str, Any]]
) -> None:
    course, out = Path(__file__).parent / "course", tmp_path / "out"
    command = ("grade", class_folder, "--assignment", "tiny", "--out", out, "--course", course)
    roster = ("--roster", class_folder.parent / "roster.csv")
    ran = grader(*command, *roster, "--anonymous")
    assert ran.returncode == 0, ran.stderr
    assert leaks(ran.stdout, ran.stderr.replace(str(class_folder), "")) == []
    assert "student-001 (Student 001)" in ran.stdout
    assert "Without a submission: Student 004." in ran.stderr
    found = pages(out)
    results = read_results(out)
    hidden = [f"anonymous/student-{number:03}.html" for number in (1, 2, 3)]
    assert set(found) == {"index.html", *hidden, *(f"reports/{name}.html" for name in results)}
    assert leaks(*found.values()) == []
    assert all(f'href="{address}"' in found["index.html"] for address in hidden)
    assert sorted(found[address] for address in hidden) == sorted(found[f"reports/{name}.html"] for name in results)
    assert "featherstone" in (out / "grades.csv").read_text().lower()
    assert any("Ximena was here" in str(result) for result in results.values())

    again = grader(*command, "--anonymous", "--only", next(iter(results)))
    assert again.returncode == 0, again.stderr
    assert leaks(again.stdout, again.stderr.replace(str(class_folder), "")) == []
    assert pages(out).keys() == found.keys()
    assert leaks(*pages(out).values()) == []

    (out / "anonymous" / "mine.html").write_text("not ours")
    named = grader("report", out, "--course", course)
    assert named.returncode == 0, named.stderr
    assert [path.name for path in (out / "anonymous").iterdir()] == ["mine.html"]
    (out / "anonymous" / "mine.html").unlink()
    shown = pages(out)
    assert "Featherstone" in shown["index.html"]
    assert "made by Featherstone" in "".join(shown.values())

    assert grader("report", out, "--course", course, "--anonymous").returncode == 0
    assert leaks(*pages(out).values()) == []
    plain = grader(*command)
    assert plain.returncode == 0, plain.stderr
    assert not (out / "anonymous").exists()
    assert pages(out) == shown


@pytest.mark.full
def test_rescoring_keeps_names_hidden(grader: Command, class_folder: Path, tiny_course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("grade", class_folder, "--assignment", "tiny", "--out", out, "--course", tiny_course)
    assert grader(*command, "--anonymous").returncode == 0
    (hidden,) = (tiny_course / "assignments" / "tiny" / "hidden").glob("test_*.py")
    first, second, third = hidden.read_text().split("@points(30)")
    hidden.write_text(f"{first}@points(20){second}@points(40){third}")
    ran = grader("rescore", out, "--course", tiny_course, "--accept-lower")
    assert ran.returncode == 0, ran.stderr
    assert "Student 00" in ran.stdout
    assert leaks(ran.stdout, ran.stderr, *pages(out).values()) == []
