"""Downloads of a class as platforms make them, for tests: names and contents, as a folder or as a zip."""

from __future__ import annotations

import zipfile
from pathlib import Path

CODE = "def f():\n    return 1\n"
MAIN = "attention.py"

CANVAS = {
    "oneilzoe_12345_987654_attention.py": CODE,
    "oneilzoe_12345_987653_helper-3.py": CODE,
    "oneilliam_LATE_12344_987655_attention-2.py": CODE,
    "garcíalópezana_12346_987660_Project 4.4 (1).py": CODE,
    "team7_12347_987661_attention.py": CODE,
    "studenttest_3143_207797_zipsubmission.zip": "PK",
    "oneilmary_LATE_12348_text.html": "<p>x</p>",
    "oneiltim_12349_link.html": "<p>x</p>",
}

MOODLE = {
    "Zoë ONeil_29123_assignsubmission_file/attention.py": CODE,
    "Zoë ONeil_29123_assignsubmission_file/pkg/util.py": CODE,
    "Zoë ONeil_29123_assignsubmission_onlinetext/onlinetext.html": "<p>x</p>",
    "Wei Chen_29124_assignsubmission_file_/attention.py": CODE,
    "Wei Chen_29125_assignsubmission_file_/attention.py": CODE,
    "Team 7_512_assignsubmission_file/attention.py": CODE,
    "Participant_29126_assignsubmission_file/attention.py": CODE,
    "Default group_assignsubmission_file/attention.py": CODE,
}

MOODLE_FLAT = {
    "Zoë ONeil_29123_assignsubmission_file_attention.py": CODE,
    "Zoë ONeil_29123_assignsubmission_file_helper_1.py": CODE,
    "Mallory_29124_assignsubmission_file_Zoë ONeil_29123_assignsubmission_file_attention.py": CODE,
    "Default group_assignsubmission_file_Zoë ONeil_29123_assignsubmission_file_attention.py": CODE,
}

GRADESCOPE_INDEX = """\
---
submission_9876543:
  :submitters:
  - :name: Zoë O'Neil
    :sid: '0234567'
    :email: zoe@example.edu
  - :name: Ana García López
    :sid: 1234568
    :email: ana@example.edu
  :created_at: 2026-11-29 10:14:00.123456000 Z
  :score: 17.0
  :status: processed
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests: !ruby/array:Foo []
  :history:
  - :created_at: 2026-11-28 09:00:00.000000000 Z
    :score: 12.0
submission_9876544:
  :submitters:
  - :name: Wei Chen
    :sid:
    :email: wei@example.edu
  :created_at: !ruby/object:ActiveSupport::TimeWithZone 2026-11-29 11:00:00.000000000 -08:00
submission_9876545:
  :submitters: []
"""
GRADESCOPE = {
    "assignment_123456_export/submission_metadata.yml": GRADESCOPE_INDEX,
    "assignment_123456_export/submission_9876543/attention.py": CODE,
    "assignment_123456_export/submission_9876543/pkg/util.py": CODE,
    "assignment_123456_export/submission_9876544/.DS_Store": "x",
    "assignment_123456_export/submission_9876545/attention.py": CODE,
}

BLACKBOARD_INDEX = """\
Name: Zoë O'Neil (z_oneil)
Assignment: HW_1
Date Submitted: Sunday, 29 November 2026 10:14:00 o'clock GMT
Current Mark: Needs Marking

Submission Field:
Files:
\tOriginal filename: mine.py
\tFilename: HW_1_wchen_attempt_2026-11-29-10-15-00_attention.py

Comments:
There are no student comments for this assignment.

Files:
\tOriginal filename: attention.py
\tFilename: HW_1_z_oneil_attempt_2026-11-29-10-14-00_a_t_t.py
"""
BLACKBOARD = {
    "HW_1_z_oneil_attempt_2026-11-29-10-14-00.txt": BLACKBOARD_INDEX,
    "HW_1_z_oneil_attempt_2026-11-29-10-14-00_a_t_t.py": CODE + "# newest",
    "HW_1_z_oneil_attempt_2026-11-28-09-00-00.txt": "Name: Zoë O'Neil (z_oneil)\n",
    "HW_1_z_oneil_attempt_2026-11-28-09-00-00_attention.py": CODE + "# first",
    "HW_1_wchen_attempt_2026-11-29-10-15-00.txt": "Nombre: Wei Chen (wchen)\r\nNo files were attached.\r\n",
    "HW_1_wchen_attempt_2026-11-29-10-15-00_attention.py": CODE,
    "HW_1_jroe_attempt_2026-11-30-10-15-00_attention.py": CODE,
}

BRIGHTSPACE = {
    "index.html": "<html>",
    "12345-67890 - Zoë O'Neil - Nov 29, 2026 1014 AM/attention.py": CODE + "# first",
    "12345-67891 - Zoë O'Neil - Nov 30, 2026 905 PM/attention.py": CODE + "# newest",
    "12346-67892 - Ana García - López - 29 November 2026 1014 AM/attention.py": CODE,
    "12347-67893 - Wei Chen - 29 novembre 2026 10 h 14/attention.py": CODE,
}

BRIGHTSPACE_FLAT = {
    "123456-12345 - N0123456 - Zoë O'Neil- Nov 29, 2026 1014 AM - attention.py": CODE,
    "123457-12345 - Wei Chen - 29 November 2026 1014 AM - my - attention.py": CODE,
}

NBGRADER = {
    "gradebook.db": "x",
    "source/attention/attention.py": "x",
    "release/attention/attention.py": "x",
    "submitted/zoneil/attention/attention.py": CODE,
    "submitted/zoneil/attention/timestamp.txt": "2026-11-29 10:14:00 UTC",
    "submitted/zoneil/ps2/attention.py": "x",
    "submitted/wchen/attention/attention.py": CODE,
    "submitted/wchen/attention/timestamp.txt": "2026-11-29 10:14:00.5 America/Los_Angeles\n",
    "submitted/late/ps2/attention.py": "x",
    "autograded/zoneil/attention/attention.py": "x",
}

GITHUB = {
    "hw1-submissions/hw1-zoe-oneil/attention.py": CODE,
    "hw1-submissions/hw1-zoe-oneil/.git/HEAD": "ref: refs/heads/main",
    "hw1-submissions/hw1-wei/attention.py": CODE,
    "hw1-submissions/hw1-wei/.git/HEAD": "ref: refs/heads/main",
    "hw1-submissions/README.md": "x",
}

GOOGLE = {
    "Zoë O'Neil - Attention.py": CODE,
    "Wei Chen - Attention.py": CODE,
    "Wei Chen - Attention (1).py": CODE,
    "Copy of Ana García - López - attention.py": CODE,
}

ALL = {
    "canvas": CANVAS,
    "moodle": MOODLE,
    "moodle flat": MOODLE_FLAT,
    "gradescope": GRADESCOPE,
    "blackboard": BLACKBOARD,
    "brightspace": BRIGHTSPACE,
    "brightspace flat": BRIGHTSPACE_FLAT,
    "nbgrader": NBGRADER,
    "github": GITHUB,
    "google": GOOGLE,
}


def as_folder(folder: Path, files: dict[str, str], under: str = "") -> Path:
    """The download, unpacked."""
    for name, text in files.items():
        path = folder / under / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def as_zip(path: Path, files: dict[str, str], under: str = "") -> Path:
    """The download as it came."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(under + name, text)
    return path
