"""Climbs from its parent to the parent's parent through /proc, and reads their arguments, environments, open files,
folders, memory maps and memory.

Verdict: error LookupError
Class A.
"""

import contextlib
import os


def _ancestors():
    number = os.getppid()
    while number > 0:
        yield number
        try:
            with open(f"/proc/{number}/status") as file:
                number = next(int(line.split()[1]) for line in file if line.startswith("PPid:"))
        except OSError:
            return


def full_visibility(nonpadding):
    own = os.getpid()
    for number in {*_ancestors(), 1, 2, *range(max(1, own - 20), own)} - {own}:
        for name in ("cmdline", "environ", "maps", "mem", "stack", "auxv"):
            with contextlib.suppress(OSError):
                with open(f"/proc/{number}/{name}", "rb", 0) as file:
                    if name == "mem":
                        print("BREACH: opened the memory of", number)
                    elif content := file.read(4096):
                        print("BREACH:", name, "of", number, len(content))
        for name in ("cwd", "root", "exe", "ns/pid"):
            with contextlib.suppress(OSError):
                print("BREACH:", name, "of", number, "is", os.readlink(f"/proc/{number}/{name}"))
        with contextlib.suppress(OSError):
            print("BREACH: descriptors of", number, os.listdir(f"/proc/{number}/fd"))
    raise LookupError("an orphan")
