"""Finds the course: assignments, references and report templates, as files.

Runs in every trusted process. Looks in the folder given by `--course`, then in `$GRADER_COURSE`, then in the checkout
that this package lies in, then in the installed package, which holds the public part only. What is public is decided
here, by an allow-list: `public_files` names what a student's kit may hold.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

import grader
from grader.errors import UsageProblem
from grader.model.assignment import Assignment, AssignmentFile, Attempts, Deadline, IsolationNeeds, Limits, SandboxNeeds
from grader.model.submission import Submission
from grader.model.terms import deadline_problem

_PACKAGE = Path(grader.__file__).resolve().parent
_MISCONCEPTIONS = "misconceptions.json"
_ID = re.compile(r"[a-z][a-z0-9_]{0,40}")
_SHORT_TIME = re.compile(r"""^(\s*[\w."'-]+\s*=\s*["']?\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d)(["']?\s*(#.*)?)$""", re.MULTILINE)
"""A time without seconds, which TOML allows since its version 1.1."""
_EXTENSIONS = re.compile(
    r"^[ \t]*\[[ \t]*deadline[ \t]*\.[ \t]*extensions[ \t]*\](?:(?!^[ \t]*\[).*\n?)*", re.MULTILINE
)
"""The table of extensions, up to the head of the next one."""


def course_folder(given: Path | None = None) -> Path:
    """The folder that holds `assignments/`.

    Raises:
        UsageProblem: a folder was named, by option or environment, and holds no assignments.
    """
    named = _named_folder(given)
    if named is not None:
        if not (named / "assignments").is_dir():
            raise UsageProblem(f"The course folder {named} holds no folder `assignments`.")
        return named.resolve()
    for folder in (_PACKAGE.parent, _PACKAGE / "course"):
        if (folder / "assignments").is_dir():
            return folder
    raise UsageProblem("No course was found; name its folder with --course or in GRADER_COURSE.")


def _named_folder(given: Path | None) -> Path | None:
    return given or (Path(os.environ["GRADER_COURSE"]) if os.environ.get("GRADER_COURSE") else None)


def author_folder(given: Path | None = None) -> Path:
    """The course to which an author adds: the folder that was named, which need not be there yet, else the checkout.

    Raises:
        UsageProblem: what was named is no folder, or nothing was named and there is no checkout.
    """
    named = _named_folder(given)
    if named is None and (_PACKAGE.parent / "assignments").is_dir():
        return _PACKAGE.parent
    if named is None:
        raise UsageProblem("Name the folder of your course with --course; it is made if it is not there.")
    if named.exists() and not named.is_dir():
        raise UsageProblem(f"{named} is a file; name the folder of your course.")
    return named


def templates_folders(course: Path) -> tuple[Path, ...]:
    """The folders with report templates: the course's own, if it has one, and the one that comes with the grader.

    What is found in an earlier one counts. So a course can add a language, or change one page, by one file.
    """
    places = dict.fromkeys(folder / "reports" for folder in (course, _PACKAGE.parent, _PACKAGE / "course"))
    found = tuple(place for place in places if place.is_dir())
    if not found:
        raise UsageProblem("The report templates are missing; install the grader again.")
    return found


def assignment_ids(course: Path) -> list[str]:
    """Ids of the course's assignments, sorted."""
    found = (course / "assignments").glob("*/assignment.toml")
    return sorted(path.parent.name for path in found if _ID.fullmatch(path.parent.name))


def is_assignment_id(name: str) -> bool:
    """Whether an assignment can be called so: its folder has this name, and its file of Python as a rule too."""
    return _ID.fullmatch(name) is not None


def load_assignment(course: Path, name: str) -> Assignment:
    """The assignment called `name`.

    Raises:
        UsageProblem: there is none of that name, or its `assignment.toml` is malformed.
    """
    known = assignment_ids(course)
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        guess = f" Did you mean {close[0]}?" if close else ""
        raise UsageProblem(f"There is no assignment {name!r}; this course has: {', '.join(known) or 'none'}.{guess}")
    folder = course / "assignments" / name
    hidden, reference, variants = folder / "hidden", course / "reference" / f"{name}.py", folder / "variants"
    about = read_assignment_file(folder / "assignment.toml", hidden.is_dir())
    told = {about.files[0], "README.md", _MISCONCEPTIONS}
    graded_by = [folder / "assignment.toml", *all_files(folder / "handout", told), *all_files(hidden)]
    if reference.is_file():
        graded_by.append(reference)
    return Assignment(
        id=name,
        about=about,
        folder=folder,
        handout_dir=folder / "handout",
        hidden_dir=hidden if hidden.is_dir() else None,
        reference_file=reference if reference.is_file() else None,
        variants_dir=variants if variants.is_dir() else None,
        fingerprint=_fingerprint(course, graded_by),
    )


def load_private_assignment(course: Path, name: str) -> Assignment:
    """The assignment called `name`, with what grading it takes.

    Raises:
        UsageProblem: as `load_assignment`, and if the hidden checks or the reference are not there.
    """
    assignment = load_assignment(course, name)
    if assignment.hidden_dir is None or assignment.reference_file is None:
        raise UsageProblem(
            f"The hidden checks or the reference of {assignment.id} are not in {course}; name the private course "
            "folder with --course."
        )
    return assignment


def read_assignment_file(path: Path, grades: bool = True) -> AssignmentFile:
    """The description in an `assignment.toml`. Where nothing is graded, a machine need not know the deadline's zone.

    Raises:
        UsageProblem: it is not TOML, has a key that does not exist, lacks one, or a value has another type; the
            sentence names the key, its line and what was expected.
    """
    try:
        text = path.read_text("utf-8")
        about = msgspec.convert(_parsed(text), AssignmentFile)
    except OSError as error:
        raise UsageProblem(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path} is not valid TOML: {error}.") from None
    except msgspec.ValidationError as error:
        raise UsageProblem(f"{path}{_explain(str(error), text)}") from None
    if not about.files or not about.names:
        raise UsageProblem(f"{path}: `files` and `names` must each name at least one.")
    if bad := [name for name in about.files if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*\.py", name)]:
        raise UsageProblem(f"{path}, line {_line_of('files', text)}: {bad[0]!r} is no name of a Python module's file.")
    if grades and about.deadline is not None and (problem := deadline_problem(about.deadline)) is not None:
        raise UsageProblem(f"{path}, line {_line_of(problem[0], text)}: {problem[1]}.")
    return about


def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(_SHORT_TIME.sub(r"\1:00\2", text))


def _explain(problem: str, text: str) -> str:
    """msgspec's complaint about a key, with the key's line and what would have been right."""
    unknown = re.search(r"unknown field `([^`]*)`", problem)
    where = re.search(r"at `\$\.?([^`]*)`", problem)
    section = where.group(1).split(".")[0] if where else ""
    if unknown:
        key = unknown.group(1)
        tables = {
            "limits": Limits,
            "sandbox": SandboxNeeds,
            "isolation": IsolationNeeds,
            "attempts": Attempts,
            "deadline": Deadline,
        }
        allowed = tables.get(section, AssignmentFile).__struct_fields__
        close = difflib.get_close_matches(key, allowed, n=1)
        expected = f"did you mean `{close[0]}`?" if close else f"expected one of: {', '.join(allowed)}."
        return f", line {_line_of(key, text)}: there is no key `{key}`; {expected}"
    missing = re.search(r"missing required field `([^`]*)`", problem)
    if missing:
        return f": the key `{missing.group(1)}` is missing."
    key = re.sub(r"\[.*?\]", "", where.group(1)).split(".")[-1] if where else ""
    expected = problem.partition(" - at ")[0].lower()
    if "datetime" in expected:
        expected = "expected a date and time, as 2026-12-01T23:59"
    return f", line {_line_of(key, text)}: key `{key}`: {expected}."


def _line_of(key: str, text: str) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*(=|\])", line):
            return number
    return 1


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def all_files(folder: Path, without: Collection[str] = ()) -> list[Path]:
    """The files in a folder of an assignment, sorted, but for those of these names and what Python compiled."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(path for path in found if path.name not in without)


def _fingerprint(course: Path, paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(course).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def reference_submission(assignment: Assignment) -> Submission:
    """The reference as somebody would hand it in; the assignment must have one."""
    assert assignment.reference_file is not None, assignment.id
    main = assignment.main_file
    return Submission("reference", "reference", (), main, {main: assignment.reference_file.read_text("utf-8")})


def check_files(assignment: Assignment, public_only: bool) -> list[Path]:
    """The files with the checks, the public ones first."""
    found = _files(assignment.handout_dir, "check_*.py")
    if not public_only and assignment.hidden_dir is not None:
        found += _files(assignment.hidden_dir, "test_*.py")
    return found


def support_files(assignment: Assignment) -> list[Path]:
    """What lies beside the checks for them to use: whatever else can change a mark."""
    told = {assignment.main_file, "README.md", _MISCONCEPTIONS}
    folders = [assignment.handout_dir, *([] if assignment.hidden_dir is None else [assignment.hidden_dir])]
    checks = check_files(assignment, False)
    return [path for folder in folders for path in all_files(folder, told) if path not in checks]


def variant_files(assignment: Assignment, kind: str) -> list[Path]:
    """The files of the `right` or `wrong` variants, sorted by name."""
    if assignment.variants_dir is None:
        return []
    return _files(assignment.variants_dir / kind, "*.py")


def stub_file(assignment: Assignment) -> Path:
    """The file that students start from."""
    return assignment.handout_dir / assignment.main_file


def public_files(assignment: Assignment) -> list[tuple[Path, str]]:
    """What students may have: (file, its name in their kit). An allow-list; symbolic links are refused.

    Raises:
        UsageProblem: the handout holds a symbolic link.
    """
    found = []
    for path in sorted(assignment.handout_dir.rglob("*")):
        if path.is_symlink():
            raise UsageProblem(f"{path} is a symbolic link; a handout holds files only.")
        name = path.relative_to(assignment.handout_dir).as_posix()
        if path.is_file() and "__pycache__" not in name:
            found.append((path, name))
    return found


def public_description(assignment: Assignment) -> str:
    """`assignment.toml` as students may have it: without the extensions, which name people.

    Raises:
        UsageProblem: they stand where they cannot be cut out.
    """
    path = assignment.folder / "assignment.toml"
    text = path.read_bytes().decode("utf-8")
    if assignment.about.deadline is None or not assignment.about.deadline.extensions:
        return text
    cut = _EXTENSIONS.sub("", text)
    if "extensions" in _parsed(cut)["deadline"]:
        raise UsageProblem(f"{path}: extensions must stand under [deadline.extensions], to be left out of the kit.")
    return cut


def misconceptions_file(assignment: Assignment) -> Path:
    """The values that wrong variants give on the public checks, for diagnosis without the variants."""
    return assignment.handout_dir / _MISCONCEPTIONS
