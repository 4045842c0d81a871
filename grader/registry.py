"""Names of the parts that a newcomer may add, and where each lies. Strings only: nothing is imported until asked for.

One extension is one file and one line here.
"""

from __future__ import annotations

import importlib
from typing import Any

BACKENDS: dict[str, str] = {
    "A1": "grader.sandbox.backends.linux:LinuxBackend",
    "A2": "grader.sandbox.backends.linux:LinuxBackend",
    "B": "grader.sandbox.backends.linux:LinuxBackend",
    "C": "grader.sandbox.backends.container:ContainerBackend",
    "plain": "grader.sandbox.backends.plain:PlainBackend",
}
"""Isolation modes, best first, and the classes that provide them."""

LAYOUTS: dict[str, str] = {
    "gradescope": "grader.intake.layouts.gradescope:LAYOUT",
    "blackboard": "grader.intake.layouts.blackboard:LAYOUT",
    "moodle": "grader.intake.layouts.moodle:LAYOUT",
    "brightspace": "grader.intake.layouts.brightspace:LAYOUT",
    "canvas": "grader.intake.layouts.canvas:LAYOUT",
    "nbgrader": "grader.intake.layouts.nbgrader:LAYOUT",
    "github": "grader.intake.layouts.github:LAYOUT",
    "google": "grader.intake.layouts.google:LAYOUT",
    "single": "grader.intake.layouts.plain:ONE",
    "folders": "grader.intake.layouts.plain:FOLDERS",
    "files": "grader.intake.layouts.plain:FILES",
}
"""What SOURCE may look like, in the order in which it is tried; the last three are what no platform has arranged."""

GRADEBOOKS: dict[str, str] = {
    "canvas": "grader.exporters.gradebooks.canvas:GRADEBOOK",
    "moodle": "grader.exporters.gradebooks.moodle:GRADEBOOK",
    "blackboard": "grader.exporters.gradebooks.blackboard:GRADEBOOK",
    "brightspace": "grader.exporters.gradebooks.brightspace:GRADEBOOK",
    "gradescope": "grader.exporters.gradebooks.gradescope:GRADEBOOK",
    "csv": "grader.exporters.gradebooks.plain_csv:GRADEBOOK",
}
"""Where marks can go back to."""

PLATFORMS: dict[str, str] = {
    "gradescope": "grader.exporters.gradescope:Gradescope",
    "autolab": "grader.exporters.autolab:Autolab",
    "github": "grader.exporters.github:GitHub",
    "markus": "grader.exporters.markus:MarkUs",
    "prairielearn": "grader.exporters.prairielearn:PrairieLearn",
    "coursera": "grader.exporters.coursera:Coursera",
    "inginious": "grader.exporters.inginious:INGInious",
    "openedx": "grader.exporters.openedx:OpenEdX",
    "vpl": "grader.exporters.vpl:VPL",
    "submitty": "grader.exporters.submitty:Submitty",
}
"""Platforms whose autograder this can be, and the classes that speak their formats."""

PUSHERS: dict[str, str] = {
    "canvas": "grader.push.canvas:connect",
    "moodle": "grader.push.moodle:connect",
}
"""LMSs that scores can be sent to, and how to connect to them."""

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("grader.cli.init:command", "Make a working folder for an assignment."),
    "check": ("grader.cli.check:command", "Run the public checks on your work."),
    "grade": ("grader.cli.grade:command", "Grade every submission in SOURCE."),
    "rescore": ("grader.cli.rescore:command", "Compute the marks of a run again, without running student code."),
    "grade-one": ("grader.cli.grade_one:command", "Grade one submission inside a platform's autograder."),
    "pull": ("grader.cli.pull:command", "Grade what an Open edX queue holds."),
    "package": ("grader.cli.package:command", "Build the autograder that a platform takes."),
    "push": ("grader.cli.push:command", "Send scores, comments and reports of a run to an LMS."),
    "report": ("grader.cli.report:command", "Render the HTML of a run again."),
    "export": ("grader.cli.export:command", "Put the marks of a run into an LMS's gradebook."),
    "new": ("grader.cli.new:command", "Make an assignment to start from."),
    "similar": ("grader.cli.similar:command", "Show which submissions share code that nobody gave them."),
    "validate": ("grader.cli.validate:command", "Prove that the tests of assignments are good."),
    "release": ("grader.cli.release:command", "Write the kit for students: public files only."),
    "doctor": ("grader.cli.doctor:command", "Say what this machine offers for confining student code."),
}
"""Commands of the command line, in the order of `grader --help`: where each lies, and its line there."""


def load(place: str) -> Any:
    """The object at `module:name`. Raises ImportError or AttributeError if it is not there."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
