"""A student's folder in which attention.py is a symbolic link to the work of a neighbour: graded, it would bring the
neighbour's points.

Verdict: refused
Class G.
"""

from pathlib import Path


def handed_in(folder: Path) -> None:
    own = folder / "link_to_neighbour"
    own.mkdir()
    (own / "attention.py").symlink_to("../00_honest.py")
    (own / "other").symlink_to("..", target_is_directory=True)
