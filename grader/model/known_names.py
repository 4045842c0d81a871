"""Finds the names of a class in any text, so that something else can stand in their place.

Pure functions over strings. What is found, whatever its case: whole names, ids, logins, addresses and file names, and
the words of names. Strings of six characters and more are found anywhere, in `lovelacehome` as well; shorter ones only
where they stand alone, as words, parts of `snake_case` or `CamelCase`, since `Ada` is in `gradation`. Chinese, Japanese
and Korean names have no such borders and are short: they are found anywhere from two characters on.

One regular expression is made of all strings at once, as a tree of their common beginnings: the time that a text takes
hardly grows with the class.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from grader.model.text import plain_text

_LONG = 6
_SHORTEST = 3
_LONGEST = 120
_LETTER, _HUMP = r"[^\W\d_]", r"(?<=[a-z])(?=[A-Z])"
_BEFORE = {True: rf"(?:(?<!{_LETTER})|{_HUMP})", False: r"(?<!\d)(?<!\d\.)"}
_AFTER = {True: rf"(?:(?!{_LETTER})|{_HUMP})", False: r"(?!\d)(?!\.\d)"}
"""What stands around a short string, by whether it begins or ends with a letter; 0.1001 does not hold the id 1001."""

_MARKS = (" ", "", "_", "-", ".", ", ")
_END = ""


def words_of(name: str) -> set[str]:
    """The words of a name that are told apart from others: of three letters and more, of Chinese ones of two."""
    return {
        word for form in (name, re.sub(_HUMP, " ", name)) for word in re.findall(rf"{_LETTER}+", form) if _counts(word)
    }


def numbers_of(name: str) -> set[str]:
    """The longer numbers in an id or a folder's name."""
    return set(re.findall(r"\d{4,}", name))


def orders_of(name: str) -> set[str]:
    """A name whose words are too short to be looked for alone, in the forms that people and machines give to it."""
    words = re.findall(rf"{_LETTER}+", name)
    if len(words) < 2 or all(map(_counts, words)):
        return set()
    turned = (words, [*words[1:], words[0]], [words[-1], *words[:-1]])
    return {mark.join(order) for order in turned for mark in _MARKS}


def joined_forms(name: str) -> set[str]:
    """A name of several words, joined in the ways of people and machines."""
    return {mark.join(name.split()) for mark in _MARKS}


def _counts(text: str) -> bool:
    return len(text) >= (2 if _is_dense(text) else _SHORTEST)


def _is_dense(text: str) -> bool:
    """Whether there is a letter of a script that writes a word in a sign or two."""
    return any(sign >= "\u2e80" for sign in text)


def replacer(known: Mapping[str, str], alone: Collection[str] = ()) -> Callable[[str], str]:
    """What replaces each string of `known` in a text by its value; the text comes back in characters that can be read.

    Strings of fewer than three characters are not looked for: they are in every text. Where two begin at one place the
    longer is found. Those in `alone` are found first, and where they stand alone, however long they are.
    """
    values: dict[str, str] = {}
    first, anywhere, bounded = (dict[str, None]() for _ in range(3))
    for text, value in known.items():
        for form in filter(_counts, _forms(text)):
            values.setdefault(form, value)
            is_long = _is_dense(form) or (len(form) >= _LONG and not form.isdigit())
            (first if text in alone else anywhere if is_long else bounded)[form] = None
    if not values:
        return lambda text: plain_text(text, len(text))
    pattern = _pattern(first, anywhere, bounded)

    def replaced(text: str) -> str:
        plain = plain_text(text, len(text))
        return pattern.sub(lambda found: values.get(" ".join(found[0].lower().split()), "[name]"), plain)

    return replaced


_SPELLED = tuple(
    str.maketrans(table)
    for table in (
        {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d"},
        {"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d", "ı": "i"},
    )
)
"""How letters are written where a keyboard has none of them; what is an accent falls away by itself."""


def _forms(text: str) -> set[str]:
    """A string as it may be written: composed, decomposed, without accents, and in plain letters."""
    plain = " ".join(plain_text(text, _LONGEST * 2).split()).lower()[:_LONGEST].strip()
    composed = unicodedata.normalize("NFC", plain)
    spelled = {composed, *(composed.translate(table) for table in _SPELLED)}
    bare = {_bare(form) for form in spelled}
    return {plain, unicodedata.normalize("NFD", plain), *spelled, *bare}


def _bare(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _pattern(first: Collection[str], anywhere: Collection[str], bounded: Collection[str]) -> re.Pattern[str]:
    """Whole names come before their words, wherever each of them may be found, and `first` before both."""
    parts = [*_alone(first), *([f"(?i:{_branches(_tree(anywhere))})"] if anywhere else []), *_alone(bounded)]
    return re.compile("|".join(parts))


def _alone(strings: Iterable[str]) -> list[str]:
    """Expressions for strings that are found where they stand alone."""
    groups: dict[tuple[bool, bool], list[str]] = {}
    for text in strings:
        groups.setdefault((not text[0].isdigit(), not text[-1].isdigit()), []).append(text)
    return [
        f"{_BEFORE[begins]}(?i:{_branches(_tree(group))}){_AFTER[ends]}" for (begins, ends), group in groups.items()
    ]


def _tree(strings: Iterable[str]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for text in strings:
        node = root
        for sign in text:
            node = node.setdefault(sign, {})
        node[_END] = {}
    return root


def _branches(node: dict[str, Any]) -> str:
    """The strings below a node as an expression that tries the longer ones first."""
    branches = []
    for first, below in node.items():
        if first == _END:
            continue
        run, child = [first], below
        while len(child) == 1 and _END not in child:
            sign = next(iter(child))
            run.append(sign)
            child = child[sign]
        text = "".join(r"\s+" if one == " " else re.escape(one) for one in run)
        branches.append(text + (_branches(child) if child.keys() != {_END} else ""))
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)})" + ("?" if _END in node else "")
