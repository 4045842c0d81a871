"""What a run of cheats leaves and tells: changed files, files and processes, and leaks in what students read."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

SHARED = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/var/lock", "/var/cache", "/home", "/opt", "/mnt")
FIRST_STUDENT_UID = 1_900_000_000
ACTS = r"<script>|<script [^>]*src|<img|<svg on|<iframe|<meta http-equiv=.?refresh|href=.?javascript:"
"""Markup that a report of ours never has, and that would act."""
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


def below(folder: Path) -> Iterator[str]:
    yield os.fspath(folder)
    for root, folders, names in os.walk(folder):
        yield from (os.path.join(root, name) for name in (*folders, *names))


def state(path: str) -> tuple[object, ...]:
    """What would show that a file was changed; contents of all but the longest; nothing where the path is too long."""
    try:
        facts = os.lstat(path)
    except OSError:
        return ()
    regular = stat.S_ISREG(facts.st_mode) and facts.st_size < 32 << 20
    content = hashlib.sha256(Path(path).read_bytes()).hexdigest() if regular else ""
    target = os.readlink(path) if stat.S_ISLNK(facts.st_mode) else ""
    return facts.st_mode, facts.st_uid, facts.st_gid, facts.st_size, facts.st_mtime_ns, facts.st_nlink, content, target


def shared_files() -> set[str]:
    """Files of students' users in folders that people share, and those that cheats leave; memory that they share."""
    found = set()
    marks = re.compile("planted|left|locked_by_a_cheat|was_here|notes_between|hoard|inode|^big|^empty|^results.json")
    for folder in filter(os.path.isdir, SHARED):
        for entry in os.scandir(folder):
            with_student = entry.stat(follow_symlinks=False).st_uid >= FIRST_STUDENT_UID
            if with_student or marks.search(entry.name):
                found.add(entry.path)
    for kind in ("shm", "msg", "sem"):
        lines = Path("/proc/sysvipc", kind).read_text().splitlines()[1:]
        found |= {f"{kind} {line.split()[0]}" for line in lines if line.split()[0] == str(0x5EED)}
    return found


def running() -> list[str]:
    """Processes of the sandbox that no grader waits for any more; a moment is given to those that are ending."""

    def orphan(number: int) -> bool:
        while number in ours:
            number = table[number][0]
        return number <= 1 or number not in table

    for _ in range(20):
        table = dict(_processes())
        ours = {
            number
            for number, (_, uid, command) in table.items()
            if uid >= FIRST_STUDENT_UID or "grader.sandbox" in command or "grader.batch" in command
        }
        left = [f"{number} of user {table[number][1]}: {table[number][2][:200]}" for number in ours if orphan(number)]
        if not left:
            return []
        time.sleep(0.5)
    return left


def _processes() -> Iterator[tuple[int, tuple[int, int, str]]]:
    """Number -> (parent, user, command line) of every process."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            yield int(folder.name), (parent, folder.stat().st_uid, command)
        except (OSError, ValueError):
            continue


def tree(folders: Iterable[Path]) -> dict[str, tuple[object, ...]]:
    """The state of everything in these folders."""
    return {path: state(path) for folder in folders for path in below(folder)}


def hidden_values(results: Iterable[dict[str, Any]]) -> set[tuple[str, ...]]:
    """Every three neighbouring numbers that a hidden check expected, to four digits, without trivial ones."""
    found = set()
    for result in results:
        for check in result["checks"]:
            if check["visibility"] == "visible":
                continue
            for seen in check["observations"]:
                data = seen["expected"]["data"] if isinstance(seen["expected"], dict) else None
                numbers = [number for number in data or [] if type(number) is float and number not in (0.0, 1.0)]
                found |= {three for three in _threes(numbers) if len(set(three)) > 1}
    return found


def told_values(text: str) -> set[tuple[str, ...]]:
    """Every three neighbouring numbers of a text that have four digits or more."""
    numbers = [word for word in NUMBER.findall(text) if len(word.partition("e")[0].strip("-0.").replace(".", "")) >= 4]
    return set(_threes([float(word) for word in numbers]))


def _threes(numbers: list[float]) -> Iterator[tuple[str, ...]]:
    words = [f"{number:.3e}" for number in numbers]
    return zip(words, words[1:], words[2:], strict=False)


def acting(text: str) -> list[str]:
    """Characters that act instead of being read: controls, terminal escapes, directions, half pairs."""
    return sorted({hex(ord(c)) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"})
