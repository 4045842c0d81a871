"""`grader check --watch`: from a save to the last line about it, and to compare, a cold `grader check`.

`python bench/watch.py [--saves N]` watches the reference of `attention` in a folder of its own and saves it again and
again, each time with another comment. Seconds from the rename that ends the save until the output stands still.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LAST = "Since the last check:"


def wait_for(log: Path, count: int) -> None:
    """Until so many checks have been told of to the end."""
    while True:
        text = log.read_text("utf-8")
        if text.count(LAST) >= count and text.endswith("\n") and text.rpartition(LAST)[2].strip():
            return
        time.sleep(0.002)


def save(file: Path, text: str) -> float:
    """Save as editors do, beside and renamed; the time at which it is there."""
    beside = file.with_name(f"{file.name}~")
    beside.write_text(text, "utf-8")
    os.replace(beside, file)
    return time.monotonic()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--saves", type=int, default=20)
    options = parser.parse_args()
    text = (ROOT / "reference" / "attention.py").read_text("utf-8")
    command = [sys.executable, "-m", "grader.cli.main", "check"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hw" / "attention.py"
        file.parent.mkdir()
        save(file, text)
        started = time.monotonic()
        subprocess.run([*command, str(file.parent)], cwd=ROOT, capture_output=True, check=True)
        cold = time.monotonic() - started
        log = Path(folder) / "log.txt"
        with log.open("w") as output:
            watching = subprocess.Popen(
                [*command, str(file.parent), "--watch"],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        while "Watching" not in log.read_text("utf-8"):
            time.sleep(0.05)
        time.sleep(1)
        times = []
        for number in range(1, options.saves + 1):
            saved = save(file, f"{text}\n# {number}\n")
            wait_for(log, number)
            times.append(time.monotonic() - saved)
        watching.send_signal(signal.SIGINT)
        watching.wait(30)
    print(f"a cold check    {cold:.2f} s")
    print(f"after a save    {statistics.median(times):.2f} s, at most {max(times):.2f} s, of {len(times)}")


if __name__ == "__main__":
    main()
