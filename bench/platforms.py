"""Every platform's package and the time of one submission there, beside `grader grade` of the same, in one run.

A package is built once and its size told; `grade-one` starts as it does in the platform's container, on the reference
of `attention`, and must give full marks. Times are medians, from start to result, with the ratio to `grader grade`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grader import registry

ROOT = Path(__file__).parent.parent
ASSIGNMENT = "attention"
RUNS = 3
GRADER = [sys.executable, "-P", "-m", "grader.cli.main"]


def seconds(command: list[str], cwd: Path) -> float:
    """Wall-clock time of a command, which must work."""
    started = time.monotonic()
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ})
    took = time.monotonic() - started
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
    return took


def lay_out(place: Path, work: Path) -> None:
    """What two platforms say of a submission, which they cannot do without."""
    inside = place / ".__input"
    inside.mkdir()
    (inside / "work").write_bytes(work.read_bytes())
    about = {"@username": "zoe", "@time": "", "work": {"filename": work.name, "value": "/.__input/work"}}
    (inside / "__inputdata.json").write_text(json.dumps({"input": about}))
    body = {"student_response": work.read_text("utf-8"), "grader_payload": "{}", "student_info": "{}"}
    content = {"xqueue_header": "{}", "xqueue_body": json.dumps(body), "xqueue_files": "{}"}
    (place / "submission.json").write_text(json.dumps(content))


def main() -> None:
    """Measure and print."""
    work = ROOT / "reference" / f"{ASSIGNMENT}.py"
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        common = ["--assignment", ASSIGNMENT]
        grade = [*GRADER, "grade", str(work), *common, "--out", str(top / "out"), "--fresh"]
        seconds(grade, top)  # from disk into memory, and the misconceptions learned
        base = statistics.median(seconds(grade, top) for _ in range(RUNS))
        print(f"{'grader grade':14} {base:6.2f} s")
        for platform in registry.PLATFORMS:
            package = top / f"{platform}.package"
            seconds([*GRADER, "package", ASSIGNMENT, "--for", platform, "--out", str(package)], top)
            place = top / platform
            place.mkdir()
            lay_out(place, work)
            result = place / "result.json"
            one = [*GRADER, "grade-one", *common, "--for", platform, "--root", str(place), "--result", str(result)]
            one += ["--seconds", "600"]  # as packages do, which know the misconceptions
            one += [] if platform in ("inginious", "openedx") else [str(work)]
            took = statistics.median(seconds(one, place) for _ in range(RUNS))
            score = json.loads(result.read_bytes())["score"]
            size = package.stat().st_size / 1e6
            print(f"{platform:14} {took:6.2f} s, {took / base:.2f} x; package {size:.2f} MB; score {score:g}")


if __name__ == "__main__":
    main()
