"""JSON from a process that may lie.

Runs in the judge on every header that a student process sends. Python's parser recurses on nesting, turns digits into
integers in quadratic time and keeps the last of two equal keys; each of these is refused before or while parsing.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from grader.wire.frames import FrameError

MAX_DEPTH = 48
"""Values may be nested 12 levels deep, of at most 3 brackets each."""
MAX_INTEGER_DIGITS = 40
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def strict_loads(content: bytes) -> Any:
    """The value that `content` holds, of plain JSON types.

    Raises:
        FrameError: not UTF-8, not JSON, nested deeper than 48, an integer of more than 40 digits, a key given
            twice, or a literal (`NaN`, `Infinity`) that JSON does not have.
    """
    _check_depth(content)
    try:
        text = content.decode("utf-8")
        value = json.loads(
            text, parse_int=_parse_int, parse_float=_parse_float, parse_constant=_no_constant, object_pairs_hook=_unique
        )
        if _SURROGATE.search(content):
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # raises for half a pair
        return value
    except FrameError:
        raise
    except (ValueError, RecursionError) as error:
        raise FrameError(f"the reply's header is not the JSON that the wire speaks ({type(error).__name__})") from None


def _check_depth(content: bytes) -> None:
    """Refuses nesting beyond MAX_DEPTH without recursion; brackets inside strings do not count.

    Of the brackets alone, each round takes away the innermost pairs, so that as many rounds empty a text as it is deep.
    """
    if content.count(b"[") + content.count(b"{") <= MAX_DEPTH:
        return
    brackets = _STRING.sub(b"", content).translate(None, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    if b"[]" in brackets or b"{}" in brackets:  # what else is left has no partner, and is no JSON
        raise FrameError(f"the reply is nested deeper than {MAX_DEPTH}")


def _parse_int(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise FrameError(f"the reply holds an integer of {len(digits)} digits")
    return int(digits)


def _parse_float(digits: str) -> float:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise FrameError(f"the reply holds a number of {len(digits)} characters")
    return float(digits)


def _no_constant(name: str) -> NoReturn:
    raise FrameError(f"the reply holds the literal {name}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise FrameError("the reply gives a key twice")
    return result
