"""Limits and what usually strikes them, in words that never depend on what student code says.

Fixed texts, used in the judge beside the numbers and lines of a visible check, and by `view` for hidden ones. Of a
hidden check nothing is told that student code can choose freely: the words follow from the status, from which limit of
time was up, and from the type of an exception if Python itself defines it; the line is one of the student's own file.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping

import msgspec

from grader.model.result import MISSING_NAME, CheckResult

LOOP = "A loop whose condition never turns false is the usual cause."
WHOLE_TIME = "Slow or endless code in several checks is the usual cause."
TOP_LEVEL = (
    "Code that trains or waits at the top level of the file is the usual cause; "
    'put it under `if __name__ == "__main__":`.'
)
BIG_TENSOR = "A tensor with one axis too many is the usual cause."
PROCESSES = "Worker processes that each hold a copy of the data are the usual cause."
NATIVE = "Endless recursion in native code and ctypes are the usual causes."
CRASH = "Endless recursion in native code, ctypes, want of memory and os._exit are the usual causes."
LEAVING = "Code that is checked must return. exit(), quit(), sys.exit() and os._exit() are the usual causes."
RECURSION = (
    "Python allows about 1000 calls inside one another. "
    "A recursion that never reaches its base case is the usual cause."
)
REFUSED = (
    "The grader runs your code without network, without other programs or processes, and lets it write only to an "
    "empty working folder, in some modes to none. Downloading data, os.system, DataLoader(num_workers>0), and saving "
    "a figure or a checkpoint are the usual causes."
)
NETWORK = "The grader runs your code without network. Downloading data or pretrained weights is the usual cause."
WORKERS = (
    "The grader gives your code one process and little shared memory. "
    "DataLoader(num_workers>0) is the usual cause; use num_workers=0."
)
NO_DATA = (
    "Of what you handed in only the Python files are there, as modules; data and folders are not. "
    "Reading or writing a path of your own machine is the usual cause."
)
THREADS = "The grader allows your code a few dozen threads. Threads started in a loop are the usual cause."
OPEN_FILES = (
    "The grader allows your code 64 open files at a time. "
    "Files that are opened in a loop and never closed are the usual cause; open them with `with`."
)
NO_GRAPHICS = (
    'The grader has no graphics card. `.cuda()` or `device="cuda"` is the usual cause; use the device of the inputs.'
)
INPUT = "Nobody types while the grader runs your code. input() is the usual cause."
SYSTEM = (
    "A full working folder, too many open files, and what the grader refuses (network, other programs and processes) "
    "are the usual causes."
)

BY_EXCEPTION: Mapping[str, str] = {
    "BlockingIOError": THREADS,
    "ConnectionError": NETWORK,
    "ConnectionRefusedError": NETWORK,
    "EOFError": INPUT,
    "FileNotFoundError": NO_DATA,
    "OSError": SYSTEM,
    "PermissionError": REFUSED,
    "RecursionError": RECURSION,
    "SystemExit": LEAVING,
}
"""What usually leads to an exception of Python's own that the grader's limits bring about."""

KNOWN_ERRORS = {
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
} | {"OutOfMemoryError"}
"""Types of exceptions that Python or torch defines."""
_LAST_LINE = 2000
"""Of a hidden check no line beyond is told: in a file of millions the line itself would be a message."""

_HIDDEN: Mapping[str, tuple[str, str]] = {
    "failed": ("The result is not what the assignment asks for", ""),
    "error": ("Your code raised an exception", ""),
    "timeout": ("Your code did not finish within the time that a check may take", LOOP),
    "memory": ("Your code needed more memory than the limit allows", BIG_TENSOR),
    "crashed": ("Your code ended its process", CRASH),
    "skipped": ("Not run, because a check that it builds on did not pass", ""),
}

_HIDDEN_TIMES: Mapping[str, tuple[str, str]] = {
    "processor": ("Your code used up the processor time that all checks together may take", LOOP),
    "total": ("The time that all checks together may take was up before this one had finished", WHOLE_TIME),
    "share": ("Your code did not finish within this check's share of the time that the platform gives", WHOLE_TIME),
    "import": ("Your file could not be imported again within its time", TOP_LEVEL),
}
"""By the type of a time-out's `StudentError`: which time was up, if not that of the check."""


RAISED = "Your code raised"
NO_NAME = "Your file does not define a name that this check calls"
NOT_YOURS = "This check could not be run, and this is not your doing"
NOT_COMPLETED = "Grading could not be completed, and this is not your doing. The course staff have been told."


class Told(msgspec.Struct, frozen=True):
    """What a student reads of a check that says nothing else, in parts, so that a report can say it in its language.

    `words` and `cause` are sentences of this module, `kind` the type of an exception of Python's own, if `words` is
    `RAISED`; empty is an exception that it does not define. `line` 0: no place is known.
    """

    words: str
    cause: str = ""
    kind: str = ""
    file: str = ""
    line: int = 0

    @property
    def sentence(self) -> str:
        """All of it in English."""
        place = f"at {self.file}, line {self.line}" if self.line else ""
        if self.words == RAISED:
            words = f"{RAISED} {self.kind or 'an exception'}{' ' if place else ''}{place}"
        else:
            words = f"{self.words} ({place})" if place else self.words
        return f"{words}. {self.cause}".strip()


def told_of_hidden(check: CheckResult) -> Told:
    """What the student reads of a hidden check that did not pass, through a fault of theirs."""
    error = check.error
    if error is not None and error.type == MISSING_NAME:
        return Told(NO_NAME)
    words, cause = _HIDDEN[check.status]
    kind, file, line = "", "", 0
    if error is not None and error.file and error.line and error.line <= _LAST_LINE:
        file, line = error.file, error.line
    if check.status == "error" and error is not None:
        kind = error.type if error.type in KNOWN_ERRORS else ""
        words, cause = RAISED, BY_EXCEPTION.get(kind, "")
    elif check.status == "timeout" and error is not None:
        words, cause = _HIDDEN_TIMES.get(error.type, (words, cause))
    return Told(words, cause, kind, file, line)


def fixed_sentences() -> set[str]:
    """Every sentence that a report may have to say in another language."""
    pairs = [*_HIDDEN.values(), *_HIDDEN_TIMES.values()]
    told = {text for pair in pairs for text in pair} | set(BY_EXCEPTION.values())
    return {text for text in told | {NO_NAME, NOT_YOURS, NOT_COMPLETED} if text}
