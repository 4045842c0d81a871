"""The corpus of cheats as data: what each says of itself, whether a result is what it must be, and the table of both.

A cheat is one file of `tests/attacks/`. Its docstring tells the trick, and ends with two lines: `Verdict: …`, the kinds
of result that are right for it (see `answers`), and `Class X.`. Most are what a student hands in, and are copied into
the class folder as they are. A file that defines `handed_in(folder)` is code of ours: it makes something in the class
folder that is no plain file, under names with the cheat's own name in them.
"""

from __future__ import annotations

import ast
import collections
import importlib.util
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SECURITY = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- attacks: begin -->", "<!-- attacks: end -->"

CLASSES = {
    "A": "reading what is private: hidden checks, the reference, the grader's memory and environment",
    "B": "forging the result",
    "C": "patched libraries and values that lie",
    "D": "hard-coded answers, detection of the grader, seeds and switches",
    "E": "signals, crashes and early ends",
    "F": "processor time, memory, processes",
    "G": "files, archives and floods of output",
    "H": "hostile values and replies",
    "I": "privileges, the kernel, the network",
    "J": "traces for the next submission, and looking for them",
    "K": "reports, and the people who read them",
}
"""What a class of cheats is after, by its letter."""

WORDS = {
    "failed": "wrong answer",
    "error": "refused with an exception",
    "timeout": "time-out",
    "crashed": "process ended",
    "memory": "memory limit",
    "protocol": "violation of the protocol",
    "invalid": "not importable",
    "refused": "not accepted",
    "passed": "marked for its right code alone",
}
"""Kinds of verdict, as the table calls them."""
_OR = re.compile(rf" or (?=(?:{'|'.join(WORDS)})\b)")


@dataclass(frozen=True)
class Cheat:
    """One file of the corpus."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name, which its submissions bear too."""
        return self.path.stem

    @cached_property
    def text(self) -> str:
        """The source."""
        return self.path.read_text("utf-8")

    @cached_property
    def _about(self) -> list[str]:
        return (ast.get_docstring(ast.parse(self.text)) or "").splitlines()

    @property
    def letter(self) -> str:
        """Its class; raises ValueError if the docstring names none."""
        found = re.fullmatch(r"Class ([A-K])\.", self._about[-1] if self._about else "")
        if found is None:
            raise ValueError(f"the docstring of {self.path.name} does not end with `Class X.`")
        return found[1]

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """Kinds of result that are right for it, each with words that must be found there."""
        lines = [line.removeprefix("Verdict: ") for line in self._about if line.startswith("Verdict: ")]
        pairs = [verdict.partition(" ") for line in lines for verdict in re.split(_OR, line)]
        if not pairs or not {kind for kind, _, _ in pairs} <= WORDS.keys():
            raise ValueError(f"the docstring of {self.path.name} has no line `Verdict: …`, or one of an unknown kind")
        return [(kind, words) for kind, _, words in pairs]

    @property
    def assignment(self) -> str:
        """What it is handed in for."""
        return "mlm_loss" if "def mlm_loss" in self.text else "attention"

    def hand_in(self, folder: Path) -> None:
        """Put it into a class folder."""
        if "def handed_in(" not in self.text:
            shutil.copy(self.path, folder)
            return
        spec = importlib.util.spec_from_file_location(f"attack_{self.name}", self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.handed_in(folder)


CORPUS = {path.stem: Cheat(path) for path in sorted((ROOT / "tests" / "attacks").glob("*.py"))}


def owner(name: str) -> str | None:
    """The cheat that a submission belongs to, by the submission's id."""
    return max((cheat for cheat in CORPUS if cheat in name.lower()), key=len, default=None)


def answered(cheat: Cheat, result: dict[str, Any]) -> str | None:
    """The kind of verdict of the cheat that the result shows, None if it shows none of them."""
    return next((kind for kind, words in cheat.verdicts if shows(result, kind, words)), None)


def shows(result: dict[str, Any], kind: str, words: str) -> bool:
    """Whether a result is of a kind, with these words in its reason, or in what is told of a check of that kind."""
    if kind in ("invalid", "refused"):
        handed_over = result["submission"]["graded_file"] is not None
        return result["status"] == "invalid" and (kind == "invalid" or not handed_over) and words in result["reason"]
    for check in result["checks"]:
        told = " ".join(((check["error"] or {}).get("type", ""), check["feedback"], check["staff_detail"]))
        violation = any(one["kind"] == "protocol" and check["id"] in one["checks"] for one in result["incidents"])
        if (violation if kind == "protocol" else check["status"] == kind) and words in told:
            return True
    return False


class Outcomes:
    """What became of every cheat on every machine, and the table of it. `machines` are (name, mode)."""

    def __init__(self, machines: Iterable[tuple[str, str]]) -> None:
        self._machines = dict(machines)
        self._contained: dict[tuple[str, str], bool] = {}
        self._kinds: dict[str, collections.Counter[str]] = {letter: collections.Counter() for letter in CLASSES}

    def add(self, machine: str, cheat: Cheat, contained: bool, kinds: Iterable[str]) -> None:
        """One cheat's run on one machine."""
        self._contained[machine, cheat.name] = contained
        self._kinds[cheat.letter].update(kinds)

    def complete(self) -> bool:
        """Whether every cheat ran on every machine."""
        return len(self._contained) == len(self._machines) * len(CORPUS)

    def table(self) -> str:
        """The table as Markdown."""
        heads = [f"{mode}: {name}" for name, mode in self._machines.items()]
        lines = ["| class | " + " | ".join(heads) + " | what mostly happens |", "|---" * (len(heads) + 2) + "|"]
        for letter, about in CLASSES.items():
            names = [cheat.name for cheat in CORPUS.values() if cheat.letter == letter]
            cells = [self._cell(machine, names) for machine in self._machines]
            mostly = ", ".join(WORDS[kind] for kind, _ in self._kinds[letter].most_common(3))
            lines.append(f"| {letter}: {about} | " + " | ".join([*cells, mostly]) + " |")
        totals = [self._cell(machine, list(CORPUS)) for machine in self._machines]
        lines.append("| all | " + " | ".join([*totals, ""]) + " |")
        return "\n".join(lines)

    def _cell(self, machine: str, names: list[str]) -> str:
        ran = [self._contained[machine, name] for name in names if (machine, name) in self._contained]
        return f"{sum(ran)} of {len(ran)}"

    def write(self) -> None:
        """Put the table into docs/security.md, between the two marks."""
        before, _, rest = SECURITY.read_text("utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        SECURITY.write_text(f"{before}{BEGIN}\n{self.table()}\n{END}{after}", "utf-8")


def documented() -> dict[str, set[int]]:
    """Class -> how many cheats of it ran, as the table in docs/security.md says for the machines."""
    _, _, rest = SECURITY.read_text("utf-8").partition(BEGIN)
    table, _, _ = rest.partition(END)
    rows = re.findall(r"^\| ([A-K]): (.*)$", table, re.MULTILINE)
    return {letter: {int(number) for number in re.findall(r"\d+ of (\d+)", cells)} for letter, cells in rows}
