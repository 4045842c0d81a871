"""`grader doctor`: what this machine offers, tried for real.

Runs in the command, which is trusted and has one thread; grades nothing. First each layer of confinement by itself,
then each mode by a process confined in it, then every promise of the best mode by code that tries to break it.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from pathlib import Path

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

import grader
from grader.cli.options import course_option
from grader.content import assignment_ids, course_folder
from grader.render.terminal import output_console, shown
from grader.sandbox.base import Probe
from grader.sandbox.contract import PROMISES, try_contract
from grader.sandbox.layers import Layer, try_layers
from grader.sandbox.modes import probe_all

NO_CONFINEMENT = 3


@click.command(name="doctor")
@course_option
def command(course: Path | None) -> None:
    """Say which versions and isolation layers this machine has, what is missing, and how to get it.

    Each layer is tried by itself, each mode by starting a confined process in it; the best mode then has to keep every
    promise of the sandbox. Exit status 3 if no mode but plain works, or a promise is broken.
    """
    console = output_console()
    layers = try_layers()  # before anything could start a thread
    _print_versions(console, course_folder(course))
    console.print(_layer_table(layers))
    _print_missing(console, layers)
    probes = probe_all()
    console.print()
    console.print(_mode_table(probes))
    best = next(probe for probe in probes if probe.works)
    if best.mode == "plain":
        console.print(shown("\nNo mode confines student code here: `check` works, `grade` needs --isolation plain."))
        raise click.exceptions.Exit(NO_CONFINEMENT)
    console.print(shown(f"\n`grade` takes mode {best.mode}. Its promises, tried:"))
    broken = 0
    for promise, problem in zip(PROMISES, try_contract(best.mode), strict=True):
        broken += problem is not None
        mark = shown("  broken  " if problem else "  kept    ", "red" if problem else "green")
        console.print(mark + shown(promise.title + (f": {problem}" if problem else "")))
    if broken:
        sys.stdout.flush()
        raise click.exceptions.Exit(NO_CONFINEMENT)


def _print_versions(console: Console, course: Path) -> None:
    versions = [f"{name} {metadata.version(name)}" for name in ("torch", "numpy", "pytest")]
    console.print(shown(f"grader {grader.__version__}, Python {platform.python_version()}, {', '.join(versions)}"))
    who = ", as root" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
    console.print(shown(f"{platform.system()} {platform.release()} {platform.machine()}{who}"))
    console.print(shown(f"Course {course}: {', '.join(assignment_ids(course)) or 'no assignments'}\n"), soft_wrap=True)


def _layer_table(layers: list[Layer]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("layer", no_wrap=True)
    table.add_column("here", no_wrap=True)
    table.add_column("needed by", no_wrap=True)
    table.add_column("what was tried", ratio=1)
    for layer in layers:
        here = shown("present" if layer.present else "missing", "green" if layer.present else "yellow")
        table.add_row(shown(layer.name), here, shown(" ".join(layer.needed_by) or "–"), shown(layer.tried))
    return table


def _print_missing(console: Console, layers: list[Layer]) -> None:
    """How to get what is missing, once for all layers that the same would bring."""
    by_hint: dict[str, list[str]] = {}
    for layer in layers:
        if not layer.present:
            by_hint.setdefault(layer.hint, []).append(layer.name)
    if by_hint:
        console.print(shown("\nWhat is missing, and how to get it:"))
    for hint, names in by_hint.items():
        console.print(Padding(shown(f"{', '.join(names)}: {hint}."), (0, 0, 0, 2)))


def _mode_table(probes: list[Probe]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("mode", no_wrap=True)
    table.add_column("works", no_wrap=True)
    table.add_column("layers, or what is missing", ratio=1)
    for probe in probes:
        words = ", ".join(probe.layers) if probe.works else probe.reason
        if probe.works and probe.mode == "plain":
            words = "no protection: time and memory limits only"
        table.add_row(shown(probe.mode), shown("yes" if probe.works else "no"), shown(words))
    return table
