"""Options of the commands that grade inside a platform, or build what does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from grader import registry

_Command = TypeVar("_Command", bound=Callable[..., Any])

platform_option = click.option(
    "--for", "platform", required=True, type=click.Choice(list(registry.PLATFORMS)), help="Whose formats and paths."
)
hidden_checks_option = click.option(
    "--hidden-checks",
    type=click.Choice(["platform", "report"]),
    default="platform",
    show_default=True,
    help="platform: hidden as it hides tests; report: with title, status and hint, as in the student's report.",
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["auto", "strict", "plain"]),
    default="auto",
    show_default=True,
    help="auto: the best that works there; strict: A1, A2 or B; plain: no protection at all.",
)


def attempts_options(command: _Command) -> _Command:
    """`--attempts` and `--hours`."""
    attempts = click.option(
        "--attempts", type=click.IntRange(1), metavar="N", help="Grade at most N submissions of the same people …"
    )
    hours = click.option(
        "--hours",
        type=click.FloatRange(min=0, min_open=True),
        default=24,
        show_default=True,
        help="… handed in within so many hours.",
    )
    return attempts(hours(command))
