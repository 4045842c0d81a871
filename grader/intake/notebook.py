"""A notebook as one Python text, whose cells lie at known lines, and the files that its cells write.

Pure functions, in the command, on hostile JSON: nothing is run. Notebooks of format 4 are read leniently, as the JSON
that they are, since half of those who hand one in have saved it with something that nbformat would refuse; older ones
are upgraded by nbformat. Outputs and metadata are never looked at, but for the language. What IPython alone
understands is made plain by `magics`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.intake import magics
from grader.intake.scan import defined_names
from grader.intake.text import NotText
from grader.model.submission import Cell
from grader.model.text import plain_line

MAX_CELLS = 5000
MAX_CODE = 8 << 20
"""Characters of code in a notebook: whoever reads more spends a platform's time on it."""
_MAX_LISTED = 5
_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ")


@dataclass(frozen=True)
class CellText:
    """A cell as it stands in the notebook: its number among all cells, from 1, and whether it holds code."""

    number: int
    code: bool
    source: str


@dataclass(frozen=True)
class Notebook:
    """What a notebook comes to. `written` are the files that its cells write, each with the cell that did so last."""

    text: str
    cells: tuple[Cell, ...]
    written: dict[str, tuple[int, str]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    places: dict[str, tuple[int, ...]] = field(default_factory=dict)
    prose: tuple[CellText, ...] = ()

    def defines(self, name: str) -> bool:
        """Whether a code cell binds this name at its top level."""
        return name in self.places


def read_notebook(text: str, name: str) -> Notebook:
    """The notebook in a JSON text; `name` is the file's, for sentences.

    Raises:
        NotText: it is damaged, in another language than Python, or holds no code.
    """
    tree = _parsed(text, name)
    _refuse_other_languages(tree, name)
    found = list(_cells(_upgraded(tree, name)))
    if len(found) > MAX_CELLS:
        raise NotText(f"{name} holds {len(found)} cells, more than the limit of {MAX_CELLS}.")
    if sum(len(cell.source) for cell in found if cell.code) > MAX_CODE:
        raise NotText(f"{name} holds more than {MAX_CODE >> 20} MB of code.")
    notebook = _assembled(found)
    if not notebook.text.strip() and not notebook.written:
        raise NotText(f"{name} is a notebook without any code; was it saved before it was handed in?")
    return notebook


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = text.split("\n")
        marked = next((number for number, line in enumerate(lines, 1) if line.startswith(_MARKERS)), None)
        if marked is not None:
            raise NotText(
                f"{name} is a notebook with a marker of a merge conflict of git in line {marked}; open it with a text "
                "editor, keep one of the two versions and delete the markers."
            ) from None
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NotText(
            f"{name} is a damaged notebook: its JSON breaks off{where}. Save it once more, or download it again."
        ) from None
    return tree if isinstance(tree, dict) else {}


def _refuse_other_languages(tree: dict[str, Any], name: str) -> None:
    """A kernel may be called anything; only a language that is named, and is not Python, is refused."""
    metadata = _dict(tree.get("metadata"))
    named = [_dict(metadata.get("language_info")).get("name"), _dict(metadata.get("kernelspec")).get("language")]
    languages = [language.strip() for language in named if isinstance(language, str) and language.strip()]
    if languages and not any("python" in language.lower() for language in languages):
        raise NotText(f"{name} is a notebook in {plain_line(languages[0], 40)}; hand in one in Python.")


def _upgraded(tree: dict[str, Any], name: str) -> list[Any]:
    """The cells of a notebook of any format."""
    cells = tree.get("cells")
    if isinstance(cells, list):
        return cells
    import nbformat

    upgrader: Any = nbformat
    for sheet in _list(tree.get("worksheets")):
        for cell in _list(_dict(sheet).get("cells")):
            if isinstance(cell, dict):  # what nbformat insists on
                cell.update(outputs=[], metadata=_dict(cell.get("metadata")))
                cell.setdefault("collapsed", False)
                cell.setdefault("language", "python")
                for key in {"input", "source"} & cell.keys():
                    cell[key] = _joined(cell[key])
    try:
        old = upgrader.from_dict({**tree, "metadata": _dict(tree.get("metadata"))})
        return list(upgrader.convert(old, 4).cells)
    except Exception:  # whatever it makes of a file that is none
        raise NotText(f"{name} is a notebook of a format that cannot be read; save it again with Jupyter.") from None


def _cells(raw: list[Any]) -> Iterator[CellText]:
    for number, cell in enumerate(raw, 1):
        kind = _dict(cell).get("cell_type")
        yield CellText(number, kind == "code", _joined(_dict(cell).get("source")))


def _assembled(found: Sequence[CellText]) -> Notebook:
    """The code cells one below the other, and what of them is left out."""
    lines: list[str] = []
    cells: list[Cell] = []
    written: dict[str, tuple[int, str]] = {}
    places: dict[str, tuple[int, ...]] = {}
    skipped: list[str] = []
    left = magics.WORK
    for cell in found:
        if not cell.code or not cell.source.strip():
            continue
        left -= magics.cost(cell.source)
        plain = magics.plain_cell(cell.source, special=left >= 0)
        skipped += [f"`{plain_line(line, 60)}` (cell {cell.number}, line {number})" for number, line in plain.skipped]
        if plain.magic is not None:
            skipped.append(f"cell {cell.number}, which begins with `{plain_line(plain.magic, 60)}`")
        elif plain.file is not None:
            before = written.get(plain.file, (0, ""))[1] if plain.appends else ""
            written[plain.file] = (cell.number, f"{before}{plain.text}\n")
        elif plain.text.strip():
            own = plain.text.rstrip("\n").split("\n")
            cells.append(Cell(cell.number, len(lines) + 1, len(lines) + len(own)))
            lines += own
            for name in defined_names(plain.text):
                places[name] = (*places.get(name, ()), cell.number)
    prose = tuple(cell for cell in found if not cell.code)
    return Notebook("\n".join([*lines, ""]), tuple(cells), written, _told_skipped(skipped), places, prose)


def _told_skipped(skipped: list[str]) -> tuple[str, ...]:
    if not skipped:
        return ()
    more = f" and {len(skipped) - _MAX_LISTED} more" if len(skipped) > _MAX_LISTED else ""
    return (f"Not run, since only Python is: {', '.join(skipped[:_MAX_LISTED])}{more}.",)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _joined(source: Any) -> str:
    """A cell's text, which is a string or a list of lines, without the halves of surrogate pairs that JSON can hold."""
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str))
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
