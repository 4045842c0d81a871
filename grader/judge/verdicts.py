"""Whether a comparison holds that allows a chosen amount, and the text that says why it does not.

Pure functions of the judge. `Expect` asks them while a check runs, `again` long after, with the values that the
observation kept and what is allowed today: so the same values and the same allowance always get the same verdict, in
the same words. A text is empty where the comparison holds; NaN never does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import torch

from grader.judge.chance import Claim, broken, claim_text, risk_of_each_end
from grader.judge.compare import at, difference_text, first_index, within
from grader.model.observation import Observation, is_tensor_json, number_to_json

_CLAIMS_TOLD = 4
"""Up to so many claims of one comparison are all told in feedback, else the first that does not hold."""


class NotKept(Exception):
    """An observation does not hold the values that it was made of."""


def on_close(name: str, found: torch.Tensor, wanted: torch.Tensor, rtol: float, atol: float) -> str:
    """Equal shapes, and every value within `atol + rtol * |wanted|`."""
    if list(found.shape) != list(wanted.shape):
        return f"{name}: expected shape {tuple(wanted.shape)}, got {tuple(found.shape)}."
    off = ~within(found, wanted, rtol, atol)
    return difference_text(name, found, wanted, off, rtol, atol) if bool(off.any()) else ""


def on_curve(name: str, found: torch.Tensor, wanted: torch.Tensor, bar: float, rtol: float, atol: float) -> str:
    """As many numbers as wanted, each within `atol + rtol * |wanted|`, and the last less than `bar`; (epochs,) both."""
    if len(found) != len(wanted):
        return f"{name}: expected {len(wanted)} numbers, one for each epoch, got {len(found)}."
    off = ~within(found, wanted, rtol, atol)  # (epochs,)
    last = "" if float(found[-1]) < bar else f"The last is {float(found[-1]):.6g}; it should be below {bar:g}."
    if not bool(off.any()):
        return f"{name}: {last}" if last else ""
    epoch = first_index(off)[0]
    mine, theirs = float(found[epoch]), float(wanted[epoch])
    apart = f"differs from epoch {epoch + 1} on: yours {mine:.6g}, expected {theirs:.6g}"
    text = f"{name}: {apart} (difference {abs(mine - theirs):.3g}, allowed {atol + rtol * abs(theirs):.3g})."
    return f"{text}\n{last}".strip()


def on_sums(name: str, sums: torch.Tensor, atol: float) -> str:
    """Every sum is 1 within `atol`."""
    off = ~((sums - 1).abs() <= atol)
    if not bool(off.any()):
        return ""
    index = first_index(off)
    return f"{name}: row {index} sums to {sums[tuple(index)].item():.6g}, not to 1 (allowed difference {atol:g})."


def on_below(name: str, value: float, bound: float) -> str:
    """The number is less than `bound`."""
    return "" if value < bound else f"{name}: expected less than {bound:g}, got {value:.6g}."


def on_above(name: str, found: torch.Tensor, bound: float) -> str:
    """Every element is greater than `bound`."""
    off = ~(found > bound)
    if not bool(off.any()):
        return ""
    index = first_index(off)
    return f"{name}: expected more than {bound:g}, got {found[tuple(index)].item():.6g}{at(index)}."


def on_claims(name: str, claims: Sequence[Claim], risk: float) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Every claim holds, where a right implementation fails one of them with at most this risk: the text, and what was
    expected and found, as an observation keeps them."""
    each, wrong = risk_of_each_end(claims, risk), broken(claims, risk)
    text = ""
    if wrong is not None:
        told = claims if len(claims) <= _CLAIMS_TOLD else [wrong]
        lines = [claim_text(claim, each) + "." for claim in told]
        text = lines[0] if len(claims) == 1 else "\n".join([f"{name}:", *lines])
    bounds = [(0, 0) if claim.empty else claim.bounds(each) for claim in claims]
    expected = {
        "of": [claim.name for claim in claims],
        "share": [number_to_json(claim.share) for claim in claims],
        "low": [low for low, _ in bounds],
        "high": [high for _, high in bounds],
    }
    return text, expected, {"count": [claim.count for claim in claims], "total": [claim.total for claim in claims]}


def again(seen: Observation, allowed: dict[str, Any]) -> Observation:
    """The observation, decided with what is allowed now.

    Raises:
        NotKept: it does not hold the values.
    """
    expected, actual = seen.expected, seen.actual
    try:
        if seen.kind == "close":
            rtol, atol = float(allowed["rtol"]), float(allowed["atol"])
            text = on_close(seen.name, _tensor(actual), _tensor(expected), rtol, atol)
        elif seen.kind == "curve":
            rtol, atol, bar = (float(allowed[key]) for key in ("rtol", "atol", "bar"))
            text = on_curve(seen.name, _tensor(actual), _tensor(expected), bar, rtol, atol)
        elif seen.kind == "rows_sum_to_one":
            text = on_sums(seen.name, _tensor(actual), float(allowed["atol"]))
        elif seen.kind == "below":
            expected = allowed["bound"]
            text = on_below(seen.name, float(actual), float(expected))
        elif seen.kind == "above":
            expected = allowed["bound"]
            text = on_above(seen.name, _tensor(actual), float(expected))
        elif seen.kind == "proportions":
            allowed = {**allowed, "least": (seen.allowed or {})["least"]}
            text, expected, _ = on_claims(seen.name, _claims(seen, allowed["least"]), float(allowed["risk"]))
        else:
            raise NotKept(f"comparisons of the kind {seen.kind} allow nothing")
    except (ArithmeticError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise NotKept(f"the values of {seen.name} cannot be read: {error}") from None
    return msgspec.structs.replace(seen, expected=expected, detail=text, allowed=allowed)


def _claims(seen: Observation, least: list[float | None]) -> list[Claim]:
    columns = (seen.expected["of"], seen.actual["count"], seen.actual["total"], seen.expected["share"], least)
    return [
        Claim(name, count, total, float(share), low) for name, count, total, share, low in zip(*columns, strict=True)
    ]


def _tensor(value: Any) -> torch.Tensor:
    """The tensor that an observation holds."""
    dtype = getattr(torch, str(value["dtype"]), None) if is_tensor_json(value) else None
    if not isinstance(dtype, torch.dtype):
        raise NotKept("a value is no tensor")
    if value["data"] is None:
        raise NotKept("a tensor was too large to be kept")
    numbers = [float(item) if isinstance(item, str) else item for item in value["data"]]
    return torch.tensor(numbers, dtype=dtype).reshape(value["shape"])
