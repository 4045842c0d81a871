"""MarkUs: the objects that a custom tester prints, and the files to upload for its autotesting.

Formats as in MarkUs's documentation ("Automated Testing", custom tester) and as its server reads them: one JSON object
for each test on standard output, anything else there is reported as malformed. A criterion's mark is set to earned over
total of all tests; only of a run without any test is the mark left as it is. So a submission that could not be graded
prints nothing at all: an object of `error_all` would make it a 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, script
from grader.exporters.packing import private_tar
from grader.exporters.words import capped, check_words, headline, overall_words
from grader.model.text import plain_line
from grader.model.view import CheckView

_FAILED = 1
_NAME_CHARACTERS = 200
_COMMENT_CHARACTERS = 10_000
_RUNS = ("course/", "known.msgpack")
_ARCHIVE = "grader_tests.tar"


class MarkUs:
    """The platform `markus`."""

    title = "MarkUs"
    seconds = 300
    memory_mb = 3072

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`: the folder that `run_grader.sh` makes of what was handed in."""
        return Places("submission")

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: nothing, as MarkUs itself keeps who and when, and takes off what being late costs."""
        return Told()

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`: an object for each check, and one comment on the whole."""
        tests = [_test(check) for check in graded.checks]
        if graded.view.status != "graded" or not tests:
            tests = [_object("Your submission", headline(graded.view), 0.0, graded.view.max_score, "fail")]
        comment = {"overall_comment": capped(overall_words(graded.view), _COMMENT_CHARACTERS)}
        return Delivery(stdout="".join(f"{json.dumps(found)}\n" for found in [*tests, comment]))

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: no test at all, so that the mark stays as it is."""
        return Delivery(exit_status=_FAILED)

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: two files to upload, and what an administrator installs once."""
        hidden = {name: member for name, member in kit.common.items() if name.startswith(_RUNS)}
        values = {"OPTIONS": " ".join(kit.options), "ARCHIVE": _ARCHIVE, "SECONDS": str(kit.seconds - 2)}
        members = {f"server/{name}": member for name, member in kit.common.items() if name not in hidden}
        members[f"upload/{_ARCHIVE}"] = Member(private_tar(hidden))
        members["upload/run_grader.sh"] = Member(script("markus", "run_grader.sh", values), executable=True)
        return Package(
            members,
            advice=(
                "Unpack the file. On the machine that runs the tests, once a term: bash server/install.sh /opt/grader",
                "In the assignment's Automated Testing upload both files of upload/, add a custom tester with the "
                f"script run_grader.sh, one test group, and a timeout of {kit.seconds} seconds.",
                f"Give the group's criterion {kit.max_score:g} points, or any other number: marks are scaled to it.",
            ),
        )


def _test(check: CheckView) -> dict[str, Any]:
    """`partial` is for what lies between nothing and all."""
    whole = check.points >= check.max_points
    status = (
        "pass" if check.status == "passed" and whole else "partial" if 0 < check.points < check.max_points else "fail"
    )
    points = check.points if status != "fail" else 0.0
    return _object(check.title, check_words(check) or "Passed.", points, check.max_points, status)


def _object(name: str, output: str, earned: float, total: float, status: str) -> dict[str, Any]:
    return {
        "name": plain_line(name, _NAME_CHARACTERS),
        "output": output,
        "marks_earned": earned,
        "marks_total": total,
        "status": status,
        "time": None,
    }
