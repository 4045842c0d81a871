"""The student's folder is itself a symbolic link, to a folder that holds good work, and another leads in a circle.

Verdict: refused is a link
Class G.
"""

from pathlib import Path


def handed_in(folder: Path) -> None:
    good = folder.parent / "good_work"
    good.mkdir()
    (good / "attention.py").write_bytes((folder / "00_honest.py").read_bytes())
    (folder / "link_instead_of_folder").symlink_to(good, target_is_directory=True)
    (folder / "link_instead_of_folder.py").symlink_to(folder / "00_honest.py")
