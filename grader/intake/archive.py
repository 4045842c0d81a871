"""Archives: what a person packed, unpacked in memory.

Runs in the command, on hostile input. Nothing is written to a disk, sizes and counts are capped while reading, and a
member that is a link, encrypted or would lie outside is refused.
"""

from __future__ import annotations

from grader.intake.files import Files, read_zip, shown

_SOURCES = (".py", ".ipynb")
_ARCHIVES = (".zip",)


def unpack_handed_in(files: Files, notices: list[str]) -> Files:
    """If what was handed in is one archive and no source, the archive's files; else `files`.

    Raises:
        RefusedFiles: the archive breaks a rule of intake.
    """
    archives = [name for name in files if name.lower().endswith(_ARCHIVES)]
    if len(archives) != 1 or any(name.lower().endswith(_SOURCES) for name in files):
        return files
    notices.append(f"{shown(archives[0])} was unpacked.")
    return read_zip(files[archives[0]], archives[0])
