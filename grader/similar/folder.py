"""The folder `similar/` of a run: written whole beside its place, then put there.

Runs in the command. Whoever opens it sees the pages of one comparison, never of two: an interrupted command leaves what
was there before. A folder of that name that holds anything else is somebody's, and is not touched.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from grader.errors import UsageProblem
from grader.store import write_atomically

INDEX = "index.html"
_OURS = re.compile(r"index\.html|pair-[0-9]{3,}\.html|\.[a-z0-9.-]+\.grader-tmp")


def refuse_strange(out: Path) -> None:
    """Raises UsageProblem if OUT/similar holds what this grader did not write there."""
    folder = out / "similar"
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageProblem(f"{folder} is no folder of ours; name another DIR, or take it away.")
    strange = [path.name for path in folder.iterdir() if not _OURS.fullmatch(path.name)] if folder.is_dir() else []
    if strange:
        raise UsageProblem(f"{folder} holds {strange[0]}, which is not ours; name another DIR, or take it away.")


def put(out: Path, pages: Iterable[tuple[str, str]]) -> Path:
    """Write OUT/similar with these (name, html), in the place of one that was there; returns its index.

    Raises:
        OSError: it could not be written; what was there before still is.
    """
    folder, new, old = out / "similar", out / ".similar.unfinished", out / ".similar.before"
    out.mkdir(parents=True, exist_ok=True)
    if old.exists() and not folder.exists():  # a command was stopped between the two steps below
        old.rename(folder)
    for left in (new, old):
        if left.exists():
            shutil.rmtree(left)
    try:
        new.mkdir()
        for name, html in pages:
            write_atomically(new / name, html.encode("utf-8", "replace"))
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return folder / INDEX
