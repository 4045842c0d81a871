"""`grader check`, cold, against `python -c "import torch"`, measured in turn in one run. Medians and their ratio."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUNS = 9


def seconds(command: list[str], cwd: Path) -> float:
    """Wall-clock time of a command."""
    started = time.monotonic()
    subprocess.run(command, cwd=cwd, capture_output=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return time.monotonic() - started


def main() -> None:
    """Measure and print."""
    bare, check = [], []
    grader = [sys.executable, "-m", "grader.cli.main", "check", str(ROOT / "examples" / "class" / "s01")]
    with tempfile.TemporaryDirectory() as folder:
        for command in ([sys.executable, "-c", "import torch"], grader):
            seconds(command, Path(folder))  # from disk into memory
        for _ in range(RUNS):
            bare.append(seconds([sys.executable, "-c", "import torch"], Path(folder)))
            check.append(seconds(grader, Path(folder)))
    print(f"import torch   {statistics.median(bare):.2f} s")
    print(
        f"grader check   {statistics.median(check):.2f} s, {statistics.median(check) / statistics.median(bare):.2f} x"
    )


if __name__ == "__main__":
    main()
