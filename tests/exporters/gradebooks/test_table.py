"""A table in a file: cut as Python cuts it, and written back to the byte but for the cells that change."""

from __future__ import annotations

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.exporters.gradebooks.table import NoTable, filled, read_table, scan
from grader.model.headings import kind_of

ENCODINGS = [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")]
TEXT = st.text(st.sampled_from('ab0.,;\t"\r\n ä–💡'), max_size=8)


def worth(headings: list[str]) -> int:
    """Headings of people."""
    return sum(kind_of(heading) != "" for heading in headings)


@given(st.text(st.sampled_from('a,;"\r\n '), max_size=30))
def test_cells_are_those_of_csv(text: str) -> None:
    cells = scan(text, ",")
    if cells is None:
        with pytest.raises(csv.Error):
            list(csv.reader(io.StringIO(text, newline=""), strict=True))
    else:
        expected = list(csv.reader(io.StringIO(text, newline="")))
        assert [[cell.value for cell in row] for row in cells] == expected


def clothed(cell: str, separator: str, always: bool) -> str:
    """A cell as RFC 4180 writes it."""
    needed = set(cell) & {separator, '"', "\r", "\n"}
    return '"{}"'.format(cell.replace('"', '""')) if always or needed else cell


@given(
    st.lists(st.tuples(TEXT, TEXT, TEXT, st.text("0123456789", max_size=3)), min_size=1, max_size=5),
    st.sampled_from("\t;,"),
    st.sampled_from(["\r\n", "\n", "\r"]),
    st.booleans(),
    st.sampled_from(ENCODINGS),
    st.booleans(),
    st.sampled_from(["75", "87.5", "87,5"]),
)
def test_nothing_changes_outside_of_the_cells(
    rows: list[tuple[str, str, str, str]],
    separator: str,
    line_end: str,
    quotes: bool,
    encoding: tuple[bytes, str],
    ends: bool,
    mark: str,
) -> None:
    lines = [
        separator.join(clothed(cell, separator, quotes) for cell in row)
        for row in (["Name", "ID", "Email", "HW1"], *rows)
    ]
    text = line_end.join(lines) + (line_end if ends else "")
    content = encoding[0] + text.encode(encoding[1])

    table = read_table(content, worth)
    assert table.separator == separator
    assert filled(table, {}) == content
    for row in table.body:
        for column in range(4):
            cell = table.rows[row][column]
            new = filled(table, {(row, column): mark})[len(encoding[0]) :].decode(encoding[1])
            tail = text[cell.end :]
            assert new.startswith(text[: cell.begin])
            assert new.endswith(tail)
            inside = new[cell.begin : len(new) - len(tail)]
            assert next(csv.reader([inside], delimiter=separator)) == [mark]
    changed = {(row, 3): mark for row in table.body}
    again = read_table(filled(table, changed), worth)
    expected = [[*row[:3], mark] for row in rows]
    assert [[cell.value for cell in again.rows[row]] for row in again.body] == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [('="80"', '="75"'), ('"=""80"""', '"=""75"""'), ('"80"', '"75"'), ("80", "75"), ("", "75"), ('="', "75")],
)
def test_a_cell_keeps_its_clothes(old: str, new: str) -> None:
    table = read_table(f"ID,HW1\n1,{old}\n".encode(), worth)
    assert filled(table, {(1, 1): "75"}) == f"ID,HW1\n1,{new}\n".encode()


def test_a_decimal_comma_between_commas_is_quoted() -> None:
    table = read_table(b"ID,HW1\n1,\n", worth)
    assert filled(table, {(1, 1): "7,5"}) == b'ID,HW1\n1,"7,5"\n'


def test_a_line_that_names_the_separator_stays() -> None:
    content = b"sep=;\r\nID;HW1\r\n1,5;\r\n"
    table = read_table(content, worth)
    assert table.headings == ["ID", "HW1"]
    assert filled(table, {(1, 1): "75"}) == b"sep=;\r\nID;HW1\r\n1,5;75\r\n"


@pytest.mark.parametrize("content", ["Name;ID;HW1\nZoë;1;\n".encode("cp1252"), b"Name;ID;HW1\n\x81\xeb;1;\n"])
def test_old_encodings_stay(content: bytes) -> None:
    assert filled(read_table(content, worth), {(1, 2): "75"}) == content[:-1] + b"75\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b'ID,HW1\n"1,\n', "quotation marks"),
        (b"PK\3\4 and so on", "workbook"),
        (codecs.BOM_UTF8 + b"ID,HW1\n\xff,\n", "broken as UTF-8"),
        (codecs.BOM_UTF16_LE + "ID\tHW1\n".encode("utf-16-le") + b"x", "broken as UTF-16-LE"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(NoTable, match=why):
        read_table(content, worth)
