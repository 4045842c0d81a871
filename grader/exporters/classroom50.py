"""Classroom 50's `result.json`, written beside the rest where its runner started the grader.

Pure function. The format is that of Classroom 50's page "Advanced Autograding", `classroom50/result/v1`: scores are
whole numbers. So points are counted in hundredths as soon as one of them is no whole number: rounding them would give
marks away, or take them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from grader.exporters.base import Graded, Write
from grader.model.text import plain_line

_SCHEMA = "classroom50/result/v1"
_REQUIRED = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
_NAME_CHARACTERS = 120


def classroom50_files(graded: Graded) -> Mapping[str, Write]:
    """The file, by the path at which its runner looks for it; nothing where it did not start the grader."""
    about = graded.told.about
    if not all(name in about for name in _REQUIRED):
        return {}
    checks = [(check.title, check.status == "passed", check.points, check.max_points) for check in graded.checks]
    most, score = graded.view.max_score, float(graded.score)
    checks = checks or [("Your submission", False, 0.0, most)]
    rest = round(score - sum(points for _, _, points, _ in checks), 2)
    if rest:
        checks.append(("Being late" if graded.view.lateness is not None else "Rounding", False, rest, 0.0))
    amounts = [score, most, *(amount for _, _, *both in checks for amount in both)]
    unit = 1 if all(amount == int(amount) for amount in amounts) else 100
    found: dict[str, Any] = {
        "schema": _SCHEMA,
        "classroom": about["CLASSROOM"],
        "assignment": about["ASSIGNMENT"],
        "submission": about["SUBMISSION_TAG"],
        "commit": about["COMMIT_URL"],
        "release": about["RELEASE_URL"],
        "review": about.get("REVIEW_URL") or about["COMMIT_URL"],
        "datetime": _zulu(graded.told.submitted_at),
        "score": round(score * unit),
        "max-score": round(most * unit),
        "tests": [
            {
                "test-name": plain_line(title, _NAME_CHARACTERS),
                "passed": passed,
                "score": round(points * unit),
                "max-score": round(max_points * unit),
            }
            for title, passed, points, max_points in checks
        ],
    }
    return {"result.json": Write(json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8"))}


def _zulu(submitted_at: str | None) -> str:
    moment = datetime.now(UTC) if submitted_at is None else datetime.fromisoformat(submitted_at).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
