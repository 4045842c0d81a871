"""Comparisons that record what they saw.

Runs in the judge, on plain values only. Each method compares, records an `Observation` whether it holds or not, and
raises `CheckFailed` if it does not, with a text that shows what differs: kind, dtype, shape, the first differing
index, both values with enough digits, the difference and what was allowed. Every comparison is written so that NaN
fails, and a value of a wrong type is the student's failure, never an error of the check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import msgspec
import torch

from grader.judge import verdicts
from grader.judge.chance import Claim
from grader.judge.compare import as_tensor, at, describe, dtype_name, first_index, value_to_json, within
from grader.judge.student import StudentRaised
from grader.model.observation import Observation, number_to_json

RTOL = 1e-4
ATOL = 1e-5


class CheckFailed(AssertionError):
    """A comparison did not hold; the text is for the student of a visible check, and for staff."""


class Expect:
    """The `expect` fixture: one per check. `name` in every method says in plain words what is compared.

    `asked` is how many calls student code had been asked for when the last comparison was made, as the argument tells.
    """

    def __init__(self, asked: Callable[[], int] = lambda: 0) -> None:
        self.observations: list[Observation] = []
        self.asked = -1
        self._asked = asked

    def tensor(
        self, actual: Any, name: str, shape: Sequence[int] | None = None, dtype: torch.dtype | None = None
    ) -> torch.Tensor:
        """`actual` must be a tensor, of this shape and dtype if given; returns it."""
        if not isinstance(actual, torch.Tensor):
            self._fail(
                name, "tensor", "a tensor", describe(actual), f"{name}: expected a tensor, got {describe(actual)}."
            )
        if shape is not None:
            self.shape(actual, shape, name)
        if dtype is not None:
            self.dtype(actual, dtype, name)
        return actual

    def shape(self, actual: Any, shape: Sequence[int], name: str) -> None:
        """`actual` must be a tensor of this shape."""
        tensor = self.tensor(actual, name)
        expected, found = list(shape), list(tensor.shape)
        text = f"{name}: expected shape {tuple(expected)}, got {tuple(found)}." if expected != found else ""
        self._record(name, "shape", expected, found, text)

    def dtype(self, actual: Any, dtype: torch.dtype, name: str) -> None:
        """`actual` must be a tensor of this dtype."""
        expected, found = dtype_name(dtype), dtype_name(self.tensor(actual, name).dtype)
        text = f"{name}: expected dtype {expected}, got {found}." if expected != found else ""
        self._record(name, "dtype", expected, found, text)

    def close(self, actual: Any, expected: Any, name: str, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Equal shapes, and |actual - expected| <= atol + rtol * |expected| everywhere. Numbers count as 0-d tensors.

        dtypes may differ: where one is part of the contract, use `dtype`. Booleans must be equal.
        """
        wanted = as_tensor(expected)
        found = self._comparable(actual, wanted, name)
        text = verdicts.on_close(name, found, wanted, rtol, atol)
        allowed = {"rtol": _amount(rtol), "atol": _amount(atol)}
        self._record(name, "close", value_to_json(wanted), value_to_json(found), text, allowed)

    def curve(
        self, actual: Any, expected: Sequence[float], name: str, bar: float, rtol: float = RTOL, atol: float = ATOL
    ) -> None:
        """A list of numbers, one for each epoch, close to the reference's, the last of them less than `bar`.

        Reports draw both over the epochs, and the bar.
        """
        wanted, odd = f"a list of {len(expected)} numbers", None
        if type(actual) is not list:
            odd = describe(actual)
        elif strange := [f"one whose entry {n} is {describe(x)}" for n, x in enumerate(actual) if not _is_number(x)]:
            odd = strange[0]
        if odd is not None:
            self._fail(name, "list", wanted, odd, f"{name}: expected {wanted}, got {odd}.")
        found = torch.tensor([float(value) for value in actual], dtype=torch.float64)  # (epochs,)
        wanted_values = torch.tensor(expected, dtype=torch.float64)  # (epochs,)
        text = verdicts.on_curve(name, found, wanted_values, bar, rtol, atol)
        allowed = {"rtol": _amount(rtol), "atol": _amount(atol), "bar": _amount(bar)}
        self._record(name, "curve", value_to_json(wanted_values), value_to_json(found), text, allowed)

    def equal(self, actual: Any, expected: Any, name: str) -> None:
        """Equal shapes and exactly equal values, for booleans and integers."""
        self.close(actual, expected, name, rtol=0.0, atol=0.0)

    def same(self, actual: Any, expected: Any, name: str) -> None:
        """`actual` must be this plain value (a number, text, boolean, or a list or tuple of them)."""
        held = _same_plain(actual, expected)
        text = "" if held else f"{name}: expected {describe(expected)}, got {describe(actual)}."
        self._record(name, "same", value_to_json(expected), value_to_json(actual), text)

    def rows_sum_to_one(self, actual: Any, name: str, atol: float = 1e-4) -> None:
        """The last axis of a floating tensor must sum to 1 within `atol`."""
        tensor = self.tensor(actual, name)
        sums = tensor.detach().double().sum(-1)  # (...,)
        text = verdicts.on_sums(name, sums, atol)
        allowed = {"atol": _amount(atol)}
        self._record(name, "rows_sum_to_one", value_to_json(torch.ones_like(sums)), value_to_json(sums), text, allowed)

    def below(self, actual: Any, bound: float, name: str) -> None:
        """A number that must be less than `bound`; NaN is not."""
        value = self._number(actual, name)
        text = verdicts.on_below(name, value, bound)
        self._record(name, "below", _amount(bound), number_to_json(value), text, {"bound": _amount(bound)})

    def above(self, actual: Any, bound: float, name: str) -> None:
        """Every element must be greater than `bound`; NaN is not."""
        tensor = self._comparable(actual, torch.tensor(0.0), name)
        text = verdicts.on_above(name, tensor, bound)
        self._record(name, "above", _amount(bound), value_to_json(tensor), text, {"bound": _amount(bound)})

    def finite(self, actual: Any, name: str) -> None:
        """No element may be NaN or infinite."""
        tensor = self._comparable(actual, torch.tensor(0.0), name)
        off = ~torch.isfinite(tensor)
        text = ""
        if bool(off.any()):
            index = first_index(off)
            text = f"{name}: expected finite values, got {tensor[tuple(index)].item()}{at(index)}."
        self._record(name, "finite", "finite", value_to_json(tensor), text)

    def unchanged(self, after: Any, before: Any, name: str) -> None:
        """An argument must be after the call what it was before."""
        wanted = as_tensor(before)
        same = (
            isinstance(after, torch.Tensor) and after.shape == wanted.shape and bool(within(after, wanted, 0, 0).all())
        )
        text = "" if same else f"{name}: your code changed this argument; work on a copy."
        self._record(name, "unchanged", value_to_json(wanted), value_to_json(after), text)

    def raises(self, kind: str, call: Callable[[], Any], name: str, mentions: Sequence[str] = ()) -> None:
        """`call()` must raise an exception whose type, or a base of it, is called `kind`.

        Its text must contain at least one of `mentions`, if there are any. The text itself is not kept: only
        whether it mentions what it should.
        """
        wanted = f"{kind} that mentions {' or '.join(mentions)}" if mentions else kind
        try:
            value = call()
        except StudentRaised as raised:
            report = raised.report
            if kind not in report.kinds:
                text = f"{name}: expected {wanted}, got {report.kinds[0]}."
                self._fail(name, "raises", wanted, report.kinds[0], text)
            if mentions and not any(word in report.text for word in mentions):
                text = f"{name}: the text of the {kind} should contain {' or '.join(mentions)}."
                self._fail(name, "raises", wanted, f"{kind} that does not", text)
            self._record(name, "raises", wanted, wanted, "")
            return
        self._fail(name, "raises", wanted, "nothing", f"{name}: expected {wanted}, got {describe(value)} instead.")

    def that(self, holds: bool, name: str, text: str) -> None:
        """A condition of the check's own; `text` says what is wrong when it does not hold.

        Raises TypeError for anything but a bool: whatever else counts as true might be the student's.
        """
        if type(holds) is not bool:
            raise TypeError(f"expect.that takes a bool, not {type(holds).__name__}")
        self._record(name, "that", True, holds, "" if holds else f"{name}: {text}")

    def proportion(self, count: int, total: int, share: float, name: str, risk: float = 1e-10) -> None:
        """`count` of `total` must lie in the exact binomial interval around `share`; see `proportions`."""
        self.proportions([Claim(name, count, total, share)], name, risk)

    def proportions(self, claims: Sequence[Claim], name: str, risk: float = 1e-10) -> None:
        """Every claim's count must lie in its exact binomial interval; one observation holds them all.

        `risk`: how likely a right implementation is to fail any of them, at most. It is divided among the intervals'
        ends. A claim about no case, or about a share that none or all have, does not hold.
        """
        text, expected, actual = verdicts.on_claims(name, claims, risk)
        allowed = {"risk": _amount(risk), "least": [claim.least for claim in claims]}
        self._record(name, "proportions", expected, actual, text, allowed)

    def _comparable(self, actual: Any, wanted: torch.Tensor, name: str) -> torch.Tensor:
        if isinstance(actual, torch.Tensor):
            found = actual.detach()
        elif type(actual) in (int, float) or (type(actual) is bool and wanted.dtype == torch.bool):
            large = type(actual) is int and not -(1 << 63) <= actual < 1 << 63
            found = torch.tensor(float(actual) if large else actual, dtype=_dtype_of_number(actual, large))
        else:
            self._fail(
                name, "tensor", "a tensor", describe(actual), f"{name}: expected a tensor, got {describe(actual)}."
            )
        if wanted.dtype == torch.bool and found.dtype != torch.bool:
            text = f"{name}: expected booleans, got dtype {dtype_name(found.dtype)}."
            self._fail(name, "dtype", "bool", dtype_name(found.dtype), text)
        return found

    def _number(self, actual: Any, name: str) -> float:
        tensor = self._comparable(actual, torch.tensor(0.0), name)
        if tensor.numel() != 1:
            text = f"{name}: expected a single number, got shape {tuple(tensor.shape)}."
            self._fail(name, "shape", [], list(tensor.shape), text)
        return float(tensor.reshape(()).item())

    def _record(
        self, name: str, kind: str, expected: Any, actual: Any, text: str, allowed: dict[str, Any] | None = None
    ) -> None:
        seen = Observation(name, kind, expected, actual, text, msgspec.UNSET if allowed is None else allowed)
        self.observations.append(seen)
        self.asked = self._asked()
        if text:
            raise CheckFailed(text)

    def _fail(self, name: str, kind: str, expected: Any, actual: Any, text: str) -> NoReturn:
        self.observations.append(Observation(name, kind, expected, actual, text))
        raise CheckFailed(text)


def _amount(number: Any) -> float | str:
    """What a comparison allows, as an observation keeps it."""
    return number_to_json(float(number))


def _is_number(value: Any) -> bool:
    """Whether a value is a plain number; a bool is none."""
    return type(value) in (int, float)


def _same_plain(actual: Any, expected: Any) -> bool:
    """Equal values of equal plain types, all the way down; a tensor is never equal to anything here."""
    if type(actual) is not type(expected):
        return False
    if isinstance(expected, (list, tuple)):
        return len(actual) == len(expected) and all(map(_same_plain, actual, expected))
    return isinstance(expected, (bool, int, float, str, type(None))) and bool(actual == expected)


def _dtype_of_number(value: Any, large: bool) -> torch.dtype | None:
    return torch.float64 if large or type(value) is float else None
