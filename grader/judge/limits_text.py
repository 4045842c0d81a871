"""Which limit struck, and what usually leads there: tables from kinds of exceptions and of ends to sentences.

Pure data and functions, in the judge. An exception is recognised by the names of its classes, its errno or words of its
text, all of which are the student's word: the sentence that follows says what the grader allows, never what happened.
"""

from __future__ import annotations

import errno
import re
import signal
from collections.abc import Set
from dataclasses import dataclass, replace

import msgspec

from grader.model import causes
from grader.model.assignment import Limits
from grader.sandbox.base import StudentGone, TimeLimit
from grader.sandbox.facts import explain_end
from grader.wire.calls import ErrorReport


@dataclass(frozen=True)
class Rule:
    """A kind of exception, and the sentences on the limit behind it; `{…}` in them are fields of `Limits`.

    It applies if one of `kinds` is among the exception's classes and one of `numbers` is its errno, or one of `words`
    stands in its text; of what is empty, `kinds` and `numbers` fit anything, `words` nothing.
    """

    sentences: str
    kinds: Set[str] = frozenset()
    numbers: Set[int] = frozenset()
    words: tuple[str, ...] = ()

    def applies(self, report: ErrorReport) -> bool:
        """Whether the exception is of this kind."""
        text = report.text.lower()
        if any(word in text for word in self.words):
            return True
        by_kind = not self.kinds or bool(self.kinds & set(report.kinds))
        by_number = not self.numbers or _number(report) in self.numbers
        return bool(self.kinds or self.numbers) and by_kind and by_number


_ERRNO = re.compile(r"\[Errno (-?\d{1,4})\]")
_SYSTEM_ERRORS = frozenset({"OSError"})

MEMORY = Rule(
    "",
    frozenset({"MemoryError"}),
    words=("can't allocate memory", "cannot allocate memory", "not enough memory", "std::bad_alloc", "out of memory"),
)
"""Python's and torch's ways to say that memory ran out."""

_RULES = (
    Rule(causes.RECURSION, frozenset({"RecursionError"})),
    Rule(causes.LEAVING, frozenset({"SystemExit"})),
    Rule(
        causes.WORKERS,
        words=("dataloader worker", "num_workers", "shared memory", "torch_shm_manager", "items of ancdata"),
    ),
    Rule(
        causes.OPEN_FILES,
        _SYSTEM_ERRORS,
        frozenset({errno.EMFILE, errno.ENFILE}),
        words=("too many open files",),
    ),
    Rule(
        "The working folder holds {scratch_mb} MB in {scratch_files} files. "
        "Saving a checkpoint or a figure at every step is the usual cause.",
        _SYSTEM_ERRORS,
        frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}),
        words=("no space left on device", "file too large", "pytorchstreamwriter failed", "unexpected pos"),
    ),
    Rule(
        causes.THREADS,
        _SYSTEM_ERRORS,
        frozenset({errno.EAGAIN}),
        words=("can't start new thread", "thread creation failed", "resource temporarily unavailable"),
    ),
    Rule(
        causes.NETWORK,
        frozenset({"gaierror", "URLError", "ConnectionRefusedError", "MaxRetryError", "LocalEntryNotFoundError"}),
        words=("urlopen error", "name resolution", "couldn't connect to", "network is unreachable"),
    ),
    Rule(
        causes.REFUSED,
        _SYSTEM_ERRORS,
        frozenset({errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOSYS}),
        words=("operation not permitted", "permission denied", "read-only file system", "function not implemented"),
    ),
    Rule(causes.REFUSED, frozenset({"PermissionError"})),
    Rule(causes.NO_DATA, frozenset({"FileNotFoundError"}), words=("no such file or directory", "parent directory")),
    Rule(causes.INPUT, words=("eof when reading a line",)),
    Rule(
        causes.NO_GRAPHICS,
        words=("not compiled with cuda", "nvidia driver", "no cuda gpus", "on a cuda device", "with the mps backend"),
    ),
)
"""The first that applies counts."""

_CRASHES = {
    "SIGSEGV": causes.NATIVE,
    "SIGABRT": "A failed assertion in native code, or memory that was freed twice, is the usual cause.",
    "SIGKILL": "Want of memory (the limit is {memory_mb} MB) is the usual cause.",
    "SIGFPE": "An integer divided by zero in ctypes or compiled code is the usual cause.",
    "SIGBUS": "A file mapped into memory and then cut, or too large for the working folder, is the usual cause.",
    "SIGILL": "Code compiled for another processor is the usual cause.",
    "SIGSYS": causes.REFUSED,
}
_OTHER_SIGNALS = "A signal that your code sends to itself (os.kill, signal.alarm) is the usual cause."


def on_error(report: ErrorReport, limits: Limits) -> str:
    """The limit behind an exception and its usual cause; empty if no limit is known to lead to it."""
    for rule in _RULES:
        if rule.applies(report):
            return _filled(rule.sentences, limits)
    return ""


def on_end(gone: StudentGone, limits: Limits) -> tuple[str, str]:
    """How a process ended, as a clause, and the usual cause of such an end."""
    facts = gone.facts
    if gone.aborted and facts.signal_name == "SIGSEGV":
        facts = replace(facts, status=-signal.SIGABRT)
    name = facts.signal_name
    cause = causes.LEAVING if name is None else _CRASHES.get(name, _OTHER_SIGNALS)
    return explain_end(facts), _filled(cause, limits)


def on_time(limit: TimeLimit, limits: Limits, where: str) -> str:
    """Which time was up, with its number, `where` in brackets, and its usual cause."""
    if limit == "processor":
        head = (
            f"Your code used up the {limits.cpu_seconds} s of processor time that all checks together may take{where}."
        )
        return f"{head} {causes.LOOP}"
    if limit == "total":
        head = (
            f"Your code did not finish{where}: the {limits.total_seconds:g} s that all checks together may take are up."
        )
        return f"{head} {causes.WHOLE_TIME}"
    if limit == "share":
        head = f"Your code did not finish within this check's share of the time that the platform gives{where}."
        return f"{head} {causes.WHOLE_TIME}"
    if limit == "import":
        return f"Your file did not finish importing within {limits.import_seconds:g} s{where}. {causes.TOP_LEVEL}"
    return f"Your code did not finish within {limits.check_seconds:g} s{where}. {causes.LOOP}"


def _number(report: ErrorReport) -> int | None:
    found = _ERRNO.search(report.text)
    return int(found[1]) if found else None


def _filled(sentences: str, limits: Limits) -> str:
    return sentences.format_map(msgspec.structs.asdict(limits))
