"""A table as it lies in a file, cell by cell with its place, so that some cells can change and nothing else does.

Pure functions, in the command. Decoding is strict and can be undone, whatever the encoding; a cell is a slice of the
text. What is written is the old text with the slices of the new cells in it: marks, line ends, quotes, separators and
the end of the file stay as they are. Cells are cut as Python's `csv` cuts them (RFC 4180, and what is common beyond):
quotes count at the beginning of a cell, doubled ones stand for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.model.headings import encoding_of

SEPARATORS = "\t;,"
_SEPARATOR_LINE = re.compile(r"sep=(.)(?:\r\n|\r|\n)")
"""A line of Excel's own before the headings."""


class NoTable(ValueError):
    """The bytes are no table; the text says why, in half a sentence."""


@dataclass(frozen=True)
class Cell:
    """A cell: what it says, and which slice of the text it is, its quotes included."""

    value: str
    begin: int
    end: int


@dataclass(frozen=True)
class Table:
    """A file's bytes as `mark + text.encode(encoding)`, and the cells in its text, row by row.

    `first` is where the headings are among the rows. Rows may be of different lengths; an empty line has no cells.
    """

    mark: bytes
    encoding: str
    text: str
    separator: str
    rows: tuple[tuple[Cell, ...], ...]
    first: int = 0

    def value(self, row: int, column: int) -> str:
        """What a cell says; empty where a row ends before it."""
        cells = self.rows[row]
        return cells[column].value if column < len(cells) else ""

    @property
    def headings(self) -> list[str]:
        """What stands above the columns."""
        return [cell.value for cell in self.rows[self.first]]

    @property
    def body(self) -> range:
        """The numbers of the rows below the headings."""
        return range(self.first + 1, len(self.rows))


def read_table(content: bytes, worth: Callable[[list[str]], int]) -> Table:
    """The table in a file, by the separator that gives it the headings of most worth, then most cells.

    Raises:
        NoTable: it cannot be decoded, or its quotation marks do not match.
    """
    if content.startswith((b"PK\3\4", b"\xd0\xcf\x11\xe0")):
        raise NoTable("it is a workbook; export it as CSV")
    mark, encoding, text = _decoded(content)
    said = _SEPARATOR_LINE.match(text)
    begin = said.end() if said else 0
    tables = []
    for separator in [said[1]] if said else SEPARATORS:
        rows = scan(text, separator, begin)
        if rows is None:
            continue
        first = max(range(min(len(rows), 5)), key=lambda n: worth([cell.value for cell in rows[n]]), default=None)
        if first is not None:
            tables.append(Table(mark, encoding, text, separator, rows, first))
    if not tables:
        raise NoTable("its quotation marks do not match" if text.strip() else "it is empty")
    return max(tables, key=lambda table: (worth(table.headings), len(table.headings)))


def _decoded(content: bytes) -> tuple[bytes, str, str]:
    mark, encoding = encoding_of(content)
    body = content[len(mark) :]
    for candidate in (encoding, "latin-1") if encoding == "cp1252" else (encoding,):
        try:
            return mark, candidate, body.decode(candidate)
        except UnicodeDecodeError:
            continue
    raise NoTable(f"it is broken as {encoding.upper()} text; export it again")


def scan(text: str, separator: str, begin: int = 0) -> tuple[tuple[Cell, ...], ...] | None:
    """The cells of all rows from `begin` on; None if a quoted cell does not end."""
    plain = re.compile(rf"[^{re.escape(separator)}\r\n]*")
    rows: list[tuple[Cell, ...]] = []
    row: list[Cell] = []
    at = begin
    while at < len(text) or row:
        start, value = at, ""
        if text.startswith('"', at):
            quoted = _QUOTED.match(text, at)
            if quoted is None:
                return None
            value, at = quoted[1].replace('""', '"'), quoted.end()
        rest = plain.match(text, at)
        assert rest is not None
        value, at = value + rest[0], rest.end()
        is_empty_line = not row and at == start and not text.startswith(separator, at)
        if not is_empty_line:
            row.append(Cell(value, start, at))
        if text.startswith(separator, at):
            at += 1
            if at < len(text):
                continue
            row.append(Cell("", at, at))
        rows.append(tuple(row))
        row = []
        at += 2 if text.startswith("\r\n", at) else 1
    return tuple(rows)


_QUOTED = re.compile(r'"((?:[^"]|"")*+)"')


def filled(table: Table, values: Mapping[tuple[int, int], str]) -> bytes:
    """The file with other values in some cells, by row and column; every other byte is as it was.

    A new cell has quotes where the old one had them or where it needs them, and `="…"` around it where the old one had.
    """
    parts = []
    done = 0
    for (row, column), value in sorted(values.items()):
        cell = table.rows[row][column]
        parts += [table.text[done : cell.begin], _written(value, table.text[cell.begin : cell.end], table.separator)]
        done = cell.end
    return table.mark + "".join([*parts, table.text[done:]]).encode(table.encoding)


def _written(value: str, old: str, separator: str) -> str:
    if re.fullmatch(r'="[^"]*"', old) and not set(value) & {separator, '"', "\r", "\n"}:
        return f'="{value}"'
    if re.fullmatch(r'"=""[^"]*"""', old):
        value = f'="{value}"'
    if old.startswith('"') or set(value) & {separator, '"', "\r", "\n"}:
        return '"{}"'.format(value.replace('"', '""'))
    return value
