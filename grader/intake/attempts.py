"""Of several attempts of one person, the one that counts.

Pure functions. By which rule is the assignment's business, and is quoted in a notice. Where times do not tell which
attempt came last, none is taken: whoever handed in twice must not lose by our guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from grader.intake.layouts.base import HandIn

Count = Literal["newest", "first", "newest_on_time"]
IsLate = Callable[[HandIn], bool | None]

_RULES = {"newest": "the newest counts", "first": "the first counts", "newest_on_time": "the newest in time counts"}


def counting(hand_ins: Iterable[HandIn], count: Count, is_late: IsLate) -> list[HandIn]:
    """One hand-in of each person; `is_late` is asked only where the rule depends on it."""
    found: list[HandIn] = []
    attempts: dict[str, list[HandIn]] = {}
    for hand_in in hand_ins:
        if hand_in.attempt is None:
            found.append(hand_in)
        else:
            attempts.setdefault(hand_in.who.student, []).append(hand_in)
    return found + [_chosen(several, count, is_late) for several in attempts.values()]


def _chosen(several: list[HandIn], count: Count, is_late: IsLate) -> HandIn:
    if len(several) == 1:
        return several[0]
    order = sorted(several, key=lambda hand_in: hand_in.attempt or "")
    times = [hand_in.attempt for hand_in in order]
    if not all(times) or len(set(times)) < len(times):
        text = f"There are {len(order)} attempts, and no telling which is the newest; staff have to decide."
        return replace(order[-1], files={}, unclear=text)
    rule = _RULES[count]
    chosen = order[0] if count == "first" else order[-1]
    if count == "newest_on_time":
        in_time = [hand_in for hand_in in order if not is_late(hand_in)]
        chosen = (in_time or order)[-1]
        rule = rule if in_time else "none was in time, so the newest counts"
    when = (chosen.submitted_at or str(chosen.attempt)).replace("T", " ")
    notice = f"There are {len(order)} attempts. The one of {when} was graded: {rule}."
    return replace(chosen, notices=(notice, *chosen.notices))
