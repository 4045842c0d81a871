"""Pages of documentation that are followed literally: files are written and commands run as the page says.

A block of code after a paragraph that ends with "`PATH`:" is that file, whole. In a `console` block a line that begins
with "$ " is a command for one shell that lasts for the whole page, and what stands below is what it prints; a line `…`
stands for any lines. Times and the mode of isolation are not compared: other machines have others. A comment
`<!-- screenshot of FILE -->` above a picture says which page of HTML, of those that the commands wrote, it shows;
`<!-- with a copy of FOLDER -->` says that a folder of the checkout lies there from the beginning.

`python tests/pages.py PAGE` runs a page, writes into it what its commands print, where that is something else, and
takes its screenshots.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from browsing import a_browser

BLOCK = re.compile(r"^(?P<fence>`{3,})(?P<kind>[a-z]*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"`([^`\n]+)`:\n\n\Z")
COPY = re.compile(r"<!-- with a copy of (\S+) -->")
PICTURE = re.compile(r"<!-- screenshot of (\S+) -->\n!\[[^\]\n]+\]\((\S+)\)")
ROOT = Path(__file__).parent.parent
END = "--- the command has ended with status"


@dataclass(frozen=True)
class Step:
    """A block of the page: `place` is the file that it is, or None; `kind` is the language that it names."""

    kind: str
    text: str
    place: str | None
    start: int


@dataclass(frozen=True)
class Command:
    """A command, and the lines that the page says it prints."""

    line: str
    output: list[str]


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    command: Command
    output: list[str]
    status: int

    @property
    def as_told(self) -> bool:
        """Whether it printed what the page says."""
        return matches(self.command.output, self.output)


def steps_of(page: str) -> list[Step]:
    """The blocks of a page, in their order."""
    found = []
    for block in BLOCK.finditer(page):
        place = PLACE.search(page[: block.start()])
        found.append(Step(block["kind"], block["text"], place[1] if place else None, block.start("text")))
    return found


def commands_of(text: str) -> list[Command]:
    """The commands of a `console` block."""
    found: list[Command] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        else:
            found[-1].output.append(line)
    return found


def matches(told: list[str], printed: list[str]) -> bool:
    """Whether lines are those of the page, apart from what each machine has of its own."""
    parts = [r"(?:.*\n)*?" if line == "…" else re.escape(_anywhere(line)) + "\n" for line in told]
    return re.fullmatch("".join(parts), "".join(f"{_anywhere(line)}\n" for line in printed)) is not None


def _anywhere(line: str) -> str:
    return re.sub(r"\bisolation [A-C][12]?\b", "isolation ?", re.sub(r"\b\d+\.\d+ s\b", "? s", line.rstrip()))


class Shell:
    """One shell in a folder; `grader` is the program of this checkout."""

    def __init__(self, folder: Path, programs: Path) -> None:
        programs.mkdir(parents=True)
        program = programs / "grader"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m grader.cli.main "$@"\n')
        program.chmod(0o755)
        environment = {name: value for name, value in os.environ.items() if name != "GRADER_COURSE"}
        environment |= {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",  # so that what is printed is in the order in which a terminal shows it
            "XDG_CACHE_HOME": str(programs / "cache"),
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
        }
        self._shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )

    def run(self, command: Command) -> Ran:
        """Run a command of the page."""
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        self._shell.stdin.write(f"{{ {command.line}\n}} </dev/null\nprintf '\\n{END} %d\\n' $?\n")
        self._shell.stdin.flush()
        lines: list[str] = []
        for line in self._shell.stdout:
            if line.startswith(END):
                lines.pop()  # the line end before ours, which is empty, or ends what the command left open
                return Ran(command, lines, int(line.removeprefix(END)))
            lines.append(line.removesuffix("\n"))
        raise AssertionError(f"the shell ended with: {command.line}")

    def close(self) -> None:
        """End the shell."""
        self._shell.communicate("exit\n", timeout=60)


def prepared(page: str, folder: Path) -> Path:
    """The folder in which a page is followed, made here, with what the page wants in it."""
    folder.mkdir()
    for name in COPY.findall(page):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def followed(steps: list[Step], folder: Path, programs: Path) -> list[list[Ran]]:
    """Follow the steps in an empty folder; what became of the commands, a list for each `console` block."""
    shell = Shell(folder, programs)
    ran = []
    try:
        for step in steps:
            if step.kind == "console":
                ran.append([shell.run(command) for command in commands_of(step.text)])
            elif step.place is not None:
                path = folder / step.place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text, "utf-8")
    finally:
        shell.close()
    return ran


def updated(page: str, ran: list[list[Ran]]) -> str:
    """The page, with what its commands printed."""
    consoles = [step for step in steps_of(page) if step.kind == "console"]
    for step, runs in reversed(list(zip(consoles, ran, strict=True))):
        lines = []
        for one in runs:
            shown = one.command.output if one.as_told else [line.rstrip() for line in one.output]
            lines += [f"$ {one.command.line}", *shown]
        page = page[: step.start] + "".join(f"{line}\n" for line in lines) + page[step.start + len(step.text) :]
    return page


def photograph(page: str, folder: Path, pictures: Path) -> list[Path]:
    """Take the screenshots of a page that was followed in `folder`; returns the pictures, which go to `pictures`."""
    made = []
    with a_browser() as browser:
        shown = browser.new_page(viewport={"width": 960, "height": 1160}, color_scheme="light")
        for source, place in PICTURE.findall(page):
            shown.goto((folder / source).as_uri())
            made.append(pictures / place)
            made[-1].parent.mkdir(parents=True, exist_ok=True)
            shown.screenshot(path=made[-1])
    return made


def main() -> None:
    """See the module's docstring."""
    path = Path(sys.argv[1])
    page = path.read_text("utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        folder = prepared(page, Path(scratch) / "folder")
        ran = followed(steps_of(page), folder, Path(scratch) / "programs")
        photograph(page, folder, path.parent)
    path.write_text(updated(page, ran), "utf-8")


if __name__ == "__main__":
    main()
