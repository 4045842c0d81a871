"""Where a diagnosis says to read on: written in a variant's docstring, checked against the handout, told to all."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.batch.reading import read_on, sections, split_docstring
from grader.batch.variants import read_variants
from grader.content import assignment_ids, load_assignment
from grader.errors import UsageProblem
from grader.judge.diagnosis import read_misconceptions
from grader.model.result import ReadOn

ROOT = Path(__file__).parent.parent
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]

HANDOUT = """# Gaps: the `first` part

Intro.

## Weights

- **Why divide by sqrt(d)?** A dot product
  adds up d terms; `[Layer()] * 2` is *one* layer.

```python
# Not a heading
x = 1
```

## Weights, by hand ##

Sum to 1.
#hashtag
"""


@pytest.fixture
def place(tmp_path: Path) -> Callable[[str], ReadOn]:
    """Finds a pointer in the handout above."""
    (tmp_path / "README.md").write_text(HANDOUT)
    return lambda pointer: read_on(pointer, Path("wrong/a.py"), tmp_path / "README.md")


@pytest.mark.parametrize(
    ("docstring", "explanation", "pointer"),
    [
        ("You square.", "You square.", ""),
        ("You square;\ndouble.\n\nRead on: Weights, by\nhand", "You square; double.", "Weights, by hand"),
        ("You square.\nRead on: Weights\n", "You square.", "Weights"),
        ("You do not Read on: this.", "You do not Read on: this.", ""),
        ("", "", ""),
    ],
)
def test_a_docstring_is_an_explanation_and_a_pointer(docstring: str, explanation: str, pointer: str) -> None:
    assert split_docstring(docstring) == (explanation, pointer)


def test_headings_are_those_that_a_reader_sees() -> None:
    assert [one.heading for one in sections(HANDOUT)] == ["Gaps: the first part", "Weights", "Weights, by hand"]


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("Weights", ReadOn("Weights")),
        ("Gaps: the `first` part, Intro.", ReadOn("Gaps: the first part", "Intro.")),
        ("Weights, Why divide by sqrt(d)?", ReadOn("Weights", "Why divide by sqrt(d)?")),
        ("Weights, A dot product adds up", ReadOn("Weights", "A dot product adds up")),
        ("Weights, `[Layer()] * 2` is one layer", ReadOn("Weights", "[Layer()] * 2 is one layer")),
        ("Weights, by hand", ReadOn("Weights, by hand")),
        ("Weights, by hand, Sum to 1", ReadOn("Weights, by hand", "Sum to 1")),
    ],
)
def test_a_pointer_names_a_heading_and_perhaps_words(
    place: Callable[[str], ReadOn], pointer: str, found: ReadOn
) -> None:
    assert place(pointer) == found


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("Wights, Why divide", "read on at “Wights, Why divide”, but {} has no such heading. Did you mean “Weights”?"),
        ("Not a heading", "read on at “Not a heading”, but {} has no such heading."),
        ("Weights, Sum to 1", "under the heading “Weights” at “Sum to 1”, but these words do not stand there in {}."),
    ],
)
def test_a_pointer_to_nowhere_is_refused(
    place: Callable[[str], ReadOn], tmp_path: Path, pointer: str, words: str
) -> None:
    with pytest.raises(UsageProblem) as problem:
        place(pointer)
    assert str(problem.value).startswith("wrong/a.py says to read on ")
    assert str(problem.value).endswith(words.format(tmp_path / "README.md"))


def test_a_handout_without_a_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"a\.py says where to read on in .*README\.md, which cannot be read\."):
        read_on("Weights", Path("a.py"), tmp_path / "README.md")


def test_a_stale_pointer_stops_validate_before_it_grades(grader: Command, tiny_course: Path) -> None:
    handout = tiny_course / "assignments" / "tiny" / "handout" / "README.md"
    handout.write_text(handout.read_text().replace("# Tiny", "# Small"))
    ran = grader("validate", "tiny", "--no-mutants", "--course", tiny_course)
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert "wrong/square.py" in line
    assert "“Tiny, Double a tensor”" in line
    assert "has no such heading" in line


def test_students_and_staff_are_told_where_to_read_on(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    out = tmp_path / "out"
    ran = grader("grade", tiny_class, "--assignment", "tiny", "--course", tiny_course, "--out", out)
    assert ran.returncode == 0, ran.stderr
    told = "Read on in README.md: “Tiny”, at “Double a tensor …”"
    assert read_results(out)["bob"]["checks"][0]["diagnosis"] == {
        "slug": "square",
        "explanation": "You square; double means times two.",
        "read_on": {"heading": "Tiny", "words": "Double a tensor"},
    }
    assert told in (out / "reports" / "bob.html").read_text("utf-8")
    assert told in (out / "index.html").read_text("utf-8")
    assert "Read on" not in (out / "reports" / "ada.html").read_text("utf-8")


@pytest.mark.full
def test_check_tells_it_from_the_values_in_the_kit(grader: Command, tiny_class: Path, tiny_course: Path) -> None:
    written = grader("validate", "tiny", "--no-mutants", "--write", "--course", tiny_course)
    assert written.returncode == 0, written.stdout + written.stderr
    ran = grader("check", tiny_class / "bob", "--assignment", "tiny", "--course", tiny_course)
    assert (
        "  You square; double means times two.\n  Read on in README.md: “Tiny”, at “Double a tensor …”\n" in ran.stdout
    )


@pytest.mark.parametrize("name", assignment_ids(ROOT))
def test_every_misconception_of_the_course_has_its_place_in_the_handout(name: str) -> None:
    assignment = load_assignment(ROOT, name)
    places = {variant.slug: variant.read_on for variant in read_variants(assignment, ("wrong",))}
    assert [slug for slug, place in places.items() if place is None or not place.words] == []
    kit = read_misconceptions(assignment.handout_dir / "misconceptions.json")
    assert {known.slug: known.read_on for known in kit.variants} == {
        known.slug: places[known.slug] for known in kit.variants
    }
    assert kit.variants


@pytest.mark.parametrize("name", assignment_ids(ROOT))
def test_an_explanation_of_the_course_keeps_its_pointer_apart(name: str) -> None:
    assignment = load_assignment(ROOT, name)
    for variant in read_variants(assignment, ("wrong",)):
        docstring = ast.get_docstring(ast.parse(variant.text)) or ""
        assert variant.explanation
        assert "Read on" not in variant.explanation
        assert docstring.count("\n\nRead on: ") == 1


def test_older_values_of_a_kit_can_be_read(tmp_path: Path) -> None:
    old = {"fingerprint": "public", "variants": [{"slug": "a", "explanation": "You square.", "checks": {}}]}
    (tmp_path / "m.json").write_bytes(msgspec.json.encode(old))
    (variant,) = read_misconceptions(tmp_path / "m.json").variants
    assert (variant.slug, variant.read_on) == ("a", None)
