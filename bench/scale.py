"""Classes of many sizes: seconds a submission, and the memory of every process at the start and at the end.

`python bench/scale.py [SIZES …]` makes classes for the small assignment of the tests (three checks), a seventh of which
is wrong, raises, is no Python or leaves the interpreter, and grades each with the product's own command on all cores.
Memory is what a process holds that is no file's (`Anonymous` in smaps_rollup, proc(5)), the median of what was seen in
the second tenth of the run and in the last, in MB: the command, the judges' zygotes and the sandboxes'. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
COURSE = ROOT / "tests" / "course"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
TEXTS = (
    *(RIGHT,) * 18,
    RIGHT.replace("2 * x", "x * x"),
    RIGHT.replace("2 * x", "x[10**6]"),
    "def double(x:\n",
    "import os\nos._exit(3)\n",
)
KINDS = {"command": "grader.cli.main", "judge": "grader.batch.slot", "sandbox": "grader.sandbox.forkserver"}


def make_class(folder: Path, size: int) -> None:
    """A folder for each of so many students."""
    for number in range(size):
        place = folder / f"student{number:06d}"
        place.mkdir(parents=True)
        (place / "tiny.py").write_text(f"{TEXTS[number % len(TEXTS)]}\n# {number}\n")


def megabytes(pid: int) -> float:
    """Memory of a process that no file stands behind."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) / 1024
    return 0.0


def zygotes(pid: int, depth: int = 0) -> dict[int, str]:
    """The long-lived processes at and below the command, by what they are; forks for one submission are left out."""
    found: dict[int, str] = {}
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        program = Path(words.split("\0")[0]).name
        kind = next((kind for kind, module in KINDS.items() if module in words and program != "bwrap"), None)
        if kind is not None:
            found[pid] = kind
        for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            below = zygotes(child, depth + 1)
            found |= {number: name for number, name in below.items() if name != kind}
    return found


def grade(source: Path, out: Path) -> tuple[float, dict[str, list[list[float]]]]:
    """Seconds of the whole run, and what each kind of process held over time."""
    command = [sys.executable, "-m", "grader.cli.main", "grade", str(source), "--assignment", "tiny", "--out", str(out)]
    started = time.monotonic()
    running = subprocess.Popen(
        [*command, "--course", str(COURSE)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    seen: dict[tuple[str, int], list[float]] = defaultdict(list)
    while running.poll() is None:
        for pid, kind in zygotes(running.pid).items():
            with contextlib.suppress(OSError):
                seen[kind, pid].append(megabytes(pid))
        time.sleep(0.5)
    seconds = time.monotonic() - started
    by_kind: dict[str, list[list[float]]] = defaultdict(list)
    for (kind, _), values in seen.items():
        by_kind[kind].append(values)
    return seconds, by_kind


def at(values: list[float], first: float, last: float) -> float:
    """The median of what was seen between two shares of the run."""
    return statistics.median(values[int(first * len(values)) : max(1, int(last * len(values)))] or values)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", type=int, default=[20, 200, 2000, 10_000])
    options = parser.parse_args()
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            source, out = Path(folder) / "class", Path(folder) / "out"
            make_class(source, size)
            seconds, held = grade(source, out)
            written = sum(1 for _ in os.scandir(out / "results"))
            assert written == size, f"{written} results of {size}"
            again = time.monotonic()
            grade(source, out)
            again = time.monotonic() - again
        memory = "; ".join(
            f"{kind} {max(at(values, 0.1, 0.2) for values in series):.0f} and "
            f"{max(at(values, 0.9, 1.0) for values in series):.0f}"
            for kind, series in held.items()
        )
        print(
            f"{size:6} submissions: {seconds:7.1f} s, {1000 * seconds / size:6.1f} ms each; memory in MB early and "
            f"late: {memory}; the same command again: {again:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
