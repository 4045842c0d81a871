"""`grader doctor`: what this machine offers, tried for real. Runs in the command; grades nothing."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

import grader
from grader.cli.options import course_option
from grader.content import assignment_ids, course_folder
from grader.render.terminal import output_console
from grader.sandbox.base import Probe
from grader.sandbox.contract import PROMISES, try_contract
from grader.sandbox.modes import probe_all

NO_CONFINEMENT = 3


@click.command(name="doctor")
@course_option
def command(course: Path | None) -> None:
    """Say which versions and isolation layers this machine has, what is missing, and how to get it.

    Each mode is tried by starting a confined process in it; the best one then has to keep every promise of the
    sandbox. Exit status 3 if no mode but plain works, or a promise is broken.
    """
    console = output_console()
    versions = [f"{name} {metadata.version(name)}" for name in ("torch", "numpy", "pytest")]
    console.print(Text(f"grader {grader.__version__}, Python {platform.python_version()}, {', '.join(versions)}"))
    console.print(Text(f"{platform.system()} {platform.release()} {platform.machine()}"))
    folder = course_folder(course)
    console.print(Text(f"Course {folder}: {', '.join(assignment_ids(folder)) or 'no assignments'}\n"), soft_wrap=True)
    probes = probe_all()
    console.print(_table(probes))
    best = next(probe for probe in probes if probe.works)
    if best.mode == "plain":
        console.print(Text("\nNo mode confines student code here: `check` works, `grade` needs --isolation plain."))
        raise click.exceptions.Exit(NO_CONFINEMENT)
    console.print(Text(f"\n`grade` takes mode {best.mode}. Its promises, tried:"))
    broken = 0
    for promise, problem in zip(PROMISES, try_contract(best.mode), strict=True):
        broken += problem is not None
        mark = Text("  broken  " if problem else "  kept    ", style="red" if problem else "green")
        console.print(mark + Text(promise.title + (f": {problem}" if problem else "")))
    if broken:
        sys.stdout.flush()
        raise click.exceptions.Exit(NO_CONFINEMENT)


def _table(probes: list[Probe]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("mode", no_wrap=True)
    table.add_column("works", no_wrap=True)
    table.add_column("layers, or what is missing", ratio=1)
    for probe in probes:
        words = ", ".join(probe.layers) if probe.works else probe.reason
        if probe.works and probe.mode == "plain":
            words = "no protection: time and memory limits only"
        table.add_row(probe.mode, Text("yes" if probe.works else "no"), Text(words))
    return table
