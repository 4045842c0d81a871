"""Calls: what the judge may ask of a student process, and the form of the answers.

Runs on both sides. A request's header is `{"n": nonce, "op": name, "a": value tree, "s": seconds}`, where the seconds
are those after which the worker interrupts student code (0: never; the judge's own clock runs apart); a reply's is
`{"n": nonce, "ok": value tree}` or `{"n": nonce, "err": {...}}`, and either may add `"gen"`, the states that the
generators among the arguments were left in. The first request of a check has `"r"`, a seed, too: before it is obeyed
everything is made as if RESET had been asked, whose answer the reply then has as `"sw"`. The nonce is drawn anew for
each call by the judge: a reply that does not repeat it answers something else, and is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from grader.wire.decoding import Payload, decode
from grader.wire.frames import FrameError, pack_frame
from grader.wire.strictjson import strict_loads
from grader.wire.values import Encoder, Generator

LOAD = "load"
"""Import the submission: {files, main, required, seconds, definitions_only, cells, skip} -> what became of it.

`cells` are [first line, last line] of a notebook's cells, `skip` first lines of statements to leave out. The answer is
{defined, public, error, left, late, stops, skipped, standins, unbound}; see `grader.judge.load_report`.
"""
RESET = "reset"
"""Before a check: {seed} -> names of the global switches that had been changed and were put back."""
CALL = "call"
"""{target, args, kwargs, views, inspect} -> the result, or with `inspect` (result, arguments as they are afterwards).

`views` maps the index of a positional argument to the (shape, strides, offset) that it has in what was sent for it.
"""
CALLS = "calls"
"""{target, calls: [{args, kwargs, views}, ..]} -> the results of one call after the other."""
FETCH = "fetch"
"""{target} -> the object itself: a value or a handle."""
VJP = "vjp"
"""{target, args, kwargs, views, wrt, cotangent} -> {output, requires_grad, inputs, parameters}."""
STATE = "state"
"""{target} -> {parameter or buffer name: tensor}."""
PARAMETERS = "parameters"
"""{target} -> {parameter name: tensor}."""
LOAD_STATE = "load_state"
"""{target, state} -> None; the names and shapes must be the module's own."""
GLOBALS = "globals"
"""{seed} -> {name: digest of its state} of the global generators, after seeding them unless the seed is None."""

MAX_ERROR_TEXT = 4000

OUT_OF_TIME = "out of time"
"""Kind of the error with which the worker ends a call whose seconds are over. No class can be called so by accident."""
OUT_OF_PROCESSOR_TIME = "out of processor time"
"""The same for the processor time of the process."""


@dataclass(frozen=True)
class ErrorReport:
    """An exception in the student process, as that process tells it. All of it is the student's word.

    `kinds` are the names of the exception's classes, most derived first; `line` is the innermost line in a file of the
    student's, in `function`; `source` is that line's text.
    """

    kinds: tuple[str, ...]
    text: str
    file: str | None = None
    line: int | None = None
    function: str | None = None
    source: str | None = None


class Request(NamedTuple):
    """A call as the worker reads it."""

    nonce: str
    operation: str
    arguments: dict[str, Any]
    seconds: float
    reset: int | None = None


@dataclass(frozen=True)
class Reply:
    """A reply that answers its call: a value, or an error."""

    value: Any = None
    error: ErrorReport | None = None
    generators: tuple[bytes, ...] = field(default=())
    switched: tuple[str, ...] = ()


class Packed(NamedTuple):
    """A request as one frame, and how many generators it holds."""

    frame: bytes
    generators: int


def pack_request(
    nonce: str, operation: str, arguments: dict[str, Any], seconds: float = 0.0, reset: int | None = None
) -> Packed:
    """A request, to be sent. Raises TypeError or ValueError for values that cannot cross."""
    encoder = Encoder()
    header = {"n": nonce, "op": operation, "a": encoder.tree(arguments), "s": seconds}
    if reset is not None:
        header["r"] = reset
    return Packed(pack_frame(json.dumps(header).encode("ascii"), encoder.payload), len(encoder.generators))


def parse_request(header: bytes, payload: bytes) -> Request:
    """The request in a frame; used by the worker, which trusts the judge."""
    tree = json.loads(header)
    return Request(tree["n"], tree["op"], decode(tree["a"], payload), tree["s"], tree.get("r"))


def parse_reply(header: bytes, payload: bytes, nonce: str, generators_sent: int = 0, reset: bool = False) -> Reply:
    """The reply in a frame that a student process sent, to a call with so many generators among its arguments.

    `reset`: the call was the first of a check.

    Raises:
        FrameError: it is malformed, or does not answer the call with this nonce.
    """
    tree = strict_loads(header)
    if type(tree) is not dict or tree.get("n") != nonce:
        raise FrameError("the reply does not answer this call")
    if not tree.keys() <= {"n", "ok", "err", "gen", "sw"} or ("ok" in tree) == ("err" in tree):
        raise FrameError("the reply is neither a value nor an error")
    switched = _switched(tree.get("sw"), reset)
    items = _items(tree.get("gen", []))
    if len(items) != generators_sent:
        raise FrameError("the reply holds another number of generators than the call")
    content = Payload(payload)
    generators = tuple(_generator_state(item, content) for item in items)
    if "err" in tree:
        return Reply(error=error_from_value(tree["err"]), generators=generators, switched=switched)
    return Reply(value=decode(tree["ok"], content), generators=generators, switched=switched)


def _switched(body: Any, reset: bool) -> tuple[str, ...]:
    """What the reply says of global switches: names where it was asked to put them back, else nothing."""
    if not reset and body is None:
        return ()
    if not reset or type(body) is not list or any(type(name) is not str for name in body):
        raise FrameError("the reply tells of global switches in no known form")
    return tuple(body)


def _items(body: Any) -> list[Any]:
    if type(body) is not list:
        raise FrameError("the reply holds malformed generator states")
    return body


def _generator_state(item: Any, payload: Payload) -> bytes:
    value = decode(item, payload)
    if not isinstance(value, Generator):
        raise FrameError("the reply holds malformed generator states")
    return value.state


def error_from_value(body: Any) -> ErrorReport:
    """The error that `grader.sandbox.loading.error_report` described. Raises FrameError for another form."""
    if type(body) is not dict or not body.keys() <= {"kinds", "text", "file", "line", "function", "source"}:
        raise FrameError("the reply holds a malformed error")
    kinds, text, line = body.get("kinds"), body.get("text"), body.get("line")
    names = [body.get(key) for key in ("file", "function", "source")]
    if type(kinds) is not list or not kinds or any(type(kind) is not str for kind in kinds) or type(text) is not str:
        raise FrameError("the reply holds a malformed error")
    if any(name is not None and type(name) is not str for name in names):
        raise FrameError("the reply holds a malformed error")
    if line is not None and type(line) is not int:
        raise FrameError("the reply holds a malformed error")
    if line is not None and not 0 < line < 1 << 31:
        line = None  # an exception may claim any line
    file, function, source = (name[:200] if name is not None else None for name in names)
    return ErrorReport(
        kinds=tuple(kind[:80] for kind in kinds[:20]),
        text=text[:MAX_ERROR_TEXT],
        file=file,
        line=line,
        function=function,
        source=source,
    )
