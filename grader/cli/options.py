"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

lang_option = click.option("--lang", metavar="LANG", help="Language of the reports (else the assignment's): de, en.")
course_option = click.option(
    "--course",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the course (else $GRADER_COURSE, the checkout, the installed course).",
)

anonymous_option = click.option(
    "--anonymous",
    is_flag=True,
    help="Hide names in what people read: class page, reports, terminal. grades.csv and results/ keep them.",
)
