"""Large tensors of observations, taken out of a result and put back.

Pure functions over records. A result's file holds small tensors itself; in the place of a large one it has the key of
its numbers and the name of the file beside it that holds them, which `grader.store` writes and reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from grader.model.observation import is_tensor_json
from grader.model.result import CheckResult

_LARGE = 1024
"""Elements above which a tensor of an observation goes into the side file."""


def taken_out(checks: Iterable[CheckResult]) -> tuple[list[CheckResult], dict[str, Any]]:
    """The checks with a key in the place of each large tensor, and the numbers of these by key."""
    tensors: dict[str, Any] = {}

    def moved(value: Any, key: str) -> Any:
        if is_tensor_json(value) and value["data"] is not None and len(value["data"]) > _LARGE:
            tensors[key] = value["data"]
            return {"dtype": value["dtype"], "shape": value["shape"], "data": None, "key": key}
        return value

    return [_mapped(check, moved) for check in checks], tensors


def naming(checks: Iterable[CheckResult], side_file: str) -> list[CheckResult]:
    """The checks with the side file's name beside each key into it."""

    def named(value: Any, _: str) -> Any:
        return {**value, "file": side_file} if is_tensor_json(value) and "key" in value else value

    return [_mapped(check, named) for check in checks]


def put_back(checks: Iterable[CheckResult], read: Callable[[str], dict[str, Any]]) -> list[CheckResult]:
    """The checks with their large tensors, as far as `read(file)` has their numbers by key."""

    def restored(value: Any, _: str) -> Any:
        if not is_tensor_json(value) or "key" not in value:
            return value
        data = read(str(value.get("file"))).get(value["key"])
        return value if data is None else {"dtype": value["dtype"], "shape": value["shape"], "data": data}

    return [_mapped(check, restored) for check in checks]


def _mapped(check: CheckResult, change: Callable[[Any, str], Any]) -> CheckResult:
    """The check with both sides of each observation changed; `change` is told the key for the place, too."""
    observations = [
        msgspec.structs.replace(
            seen,
            expected=change(seen.expected, f"{check.id}/{index}/expected"),
            actual=change(seen.actual, f"{check.id}/{index}/actual"),
        )
        for index, seen in enumerate(check.observations)
    ]
    return msgspec.structs.replace(check, observations=observations)
