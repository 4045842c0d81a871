"""Submitty's custom validator: hands a submission to the grader that is installed on the machine that grades.

Runs in `tmp_work`, beside the folder of the test case, which holds the submission, with the standard library alone. It
writes `validation_results.json`; whatever goes wrong here is a failed validation there, never a score of its own.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import zipfile

OPTIONS = shlex.split("@OPTIONS@")
SECONDS = int("@SECONDS@")
PYTHON = "/opt/grader/bin/python"
RESULTS = "validation_results.json"
SUBMITTYS_OWN = ("STDOUT", "STDERR", "execute_logfile")


def main() -> None:
    """Grade; what is said of it goes to standard error, which Submitty keeps for staff."""
    os.umask(0o077)
    if os.path.lexists(RESULTS):
        os.remove(RESULTS)
    try:
        with open("custom_validator_input.json", encoding="utf-8") as file:
            place = json.load(file)["testcase_prefix"]
        for name in os.listdir(place):
            path = os.path.join(place, name)
            if name.startswith(SUBMITTYS_OWN) and name.endswith(".txt") and not os.path.isdir(path):
                os.remove(path)  # a folder of such a name is the student's
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile("grader_course.zip") as archive:
                archive.extractall(folder)
            os.remove("grader_course.zip")
            command = [PYTHON, "-P", "-m", "grader.cli.main", "grade-one", place, *OPTIONS]
            command += ["--course", os.path.join(folder, "course"), "--known", os.path.join(folder, "known.msgpack")]
            subprocess.run(command, stdout=sys.stderr, timeout=SECONDS, check=False)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    if not os.path.exists(RESULTS):
        with open(RESULTS, "w", encoding="ascii") as file:
            json.dump({"status": "failure", "message": "The autograder has no result; see validation_stderr."}, file)


if __name__ == "__main__":
    main()
