"""A homework grader for machine-learning courses. In a notebook, `grader.check("attention")` checks its functions."""

__version__ = "0.1.0"


def check(assignment_id: str = "", course: str | None = None, lang: str | None = None) -> None:
    """Check what this notebook has run so far, this cell included, and show the report below the cell.

    The public checks of the assignment `assignment_id` run in a process of their own, on the notebook's code; `course`
    is the folder of the course, where `$GRADER_COURSE` does not name it; `lang` is the language of the report. What
    cannot be checked is told in a sentence.
    """
    from grader.cli.notebook import check_running_notebook  # here: whoever only imports grader pays for nothing

    check_running_notebook(assignment_id, course, lang)
