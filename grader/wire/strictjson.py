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
    """Refuses nesting beyond MAX_DEPTH without recursion; brackets inside strings do not count."""
    if content.count(b"[") + content.count(b"{") <= MAX_DEPTH:
        return
    depth, in_string, escaped = 0, False, False
    for byte in content:
        if in_string:
            if escaped:
                escaped = False
            elif byte == 0x5C:  # backslash
                escaped = True
            elif byte == 0x22:  # quote
                in_string = False
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise FrameError(f"the reply is nested deeper than {MAX_DEPTH}")
        elif byte in b"]}":
            depth -= 1


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
