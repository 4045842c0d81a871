"""Text of students: what is stripped, what is kept, and that the notes of what is left out are true."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.text import plain_ends, plain_line, plain_text

UNICODE = st.text(st.characters(), max_size=300)
"""Any code points, lone surrogates among them."""

DRAWN = {"control", "ARABIC", "SYRIAC", "KAITHI"}
BIDI_CONTROLS = ["LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"]


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("loss 0.3\n\tepoch 2", "loss 0.3\n\tepoch 2"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b\x1b[31m[31mred", "[31mred"),
        ("\x1b]0;title\x07", "]0;title"),
        ("nul\x00 bell\x07 c1\x9b31m del\x7f", "nul bell c131m del"),
        ("exe\u202efdp.py \u2066x\u2069 \u200fy", "exefdp.py x y"),
        ("zero\u200bwi\u200cdt\u200dh\ufeff\u00ad", "zerowidth"),
        ("tag\U000e0041s \ufe0f filler\u3164", "tags  filler"),
        ("half \ud83d pair", "half  pair"),
        ("5\x850\x0b1\x0c2\x1c3\u20284", "5\n0\n1\n2\n3\n4"),  # what ends a line must not join two numbers
        ("hiero\U00013430x \U0001fffe", "hierox "),
        ("⠀⠿⠀", " ⠿ "),
        ("z" + "\u0301" * 90 + "\u20d2" * 9 + "y", "z" + "\u0301" * 5 + "y"),
        ("ก" + "้" * 90, "ก" + "้" * 5),
        ("יְרוּשָׁלִַ֗ם Việt ĝ̂ नमस्ते", "יְרוּשָׁלִַ֗ם Việt ĝ̂ नमस्ते"),
        ("Zoë 李娜 Ñandú 😀 שלום", "Zoë 李娜 Ñandú 😀 שלום"),
        ("", ""),
    ],
)
def test_plain_text_keeps_what_can_be_read(raw: str, plain: str) -> None:
    assert plain_text(raw) == plain


@given(UNICODE)
def test_nothing_that_acts_is_left(text: str) -> None:
    plain = plain_text(text)
    plain.encode("utf-8")
    for character in plain:
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in BIDI_CONTROLS


def test_every_format_character_goes_but_those_that_are_drawn() -> None:
    """Arabic, Syriac and Kaithi signs (numbers, pounds, verse ends) stand in texts and move nothing."""
    kept = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and plain_text(chr(code)) == chr(code)
    ]
    assert {unicodedata.name(character, "control").split()[0] for character in kept} <= DRAWN
    assert [character for character in kept if unicodedata.category(character) == "Cc"] == ["\t", "\n"]


def test_no_code_point_that_is_no_character_is_left() -> None:
    assert not [hex(code) for code in range(0xFFFE, 0x110000, 0x10000) if plain_text(chr(code) + chr(code + 1))]


@given(UNICODE)
def test_plain_text_is_stable(text: str) -> None:
    assert plain_text(plain_text(text)) == plain_text(text)


@given(st.text(max_size=200), st.integers(0, 100))
def test_the_note_counts_what_is_left_out(text: str, cap: int) -> None:
    whole = plain_text(text)
    capped = plain_text(text, cap)
    if len(whole) <= cap:
        assert capped == whole
    else:
        assert capped == f"{whole[:cap]}\n[{len(whole) - cap:,} more characters are left out here]"


def test_a_long_text_is_cut_at_four_thousand() -> None:
    assert plain_text("x" * 70_000).endswith("x\n[66,000 more characters are left out here]")


@given(UNICODE)
def test_plain_line_is_one_line(text: str) -> None:
    line = plain_line(text)
    assert line == line.strip()
    assert len(line.splitlines()) <= 1


def test_plain_line_folds_and_cuts() -> None:
    assert plain_line("  Wei\n\tChen ") == "Wei Chen"
    assert plain_line("n" * 1_300, 100) == "n" * 100 + "… [1,200 more characters]"


@given(UNICODE, st.integers(0, 120), st.integers(1, 12))
def test_ends_and_what_is_between_make_the_whole(text: str, cap: int, lines: int) -> None:
    whole = plain_text(text)
    ends = plain_ends(text, cap, lines)
    assert whole.startswith(ends.head)
    assert whole.endswith(ends.tail)
    assert len(ends.head) + ends.left_out + len(ends.tail) == len(whole)
    if ends.left_out:
        assert len(ends.head) + len(ends.tail) <= cap
    else:
        assert ends == (whole, 0, "")


def test_ends_show_beginning_and_end() -> None:
    head, left_out, tail = plain_ends("first " + "x" * 64_000 + " last", 1_000)
    assert (head[:6], len(head), left_out, len(tail), tail[-5:]) == ("first ", 500, 63_011, 500, " last")


def test_many_short_lines_are_cut_as_well() -> None:
    head, left_out, tail = plain_ends("\n" * 5_000, 20_000, lines=100)
    assert (len(head), left_out, len(tail)) == (50, 4_900, 50)
