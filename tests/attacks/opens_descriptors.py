"""Tries every descriptor up to 4096 for what its parent forgot to close: files of checks, the socket of another student,
the pipe that results go up, a folder to climb out of with `..`.

Verdict: error LookupError
Class A.
"""

import contextlib
import os
import stat


def full_visibility(nonpadding):
    for number in range(4, 4096):
        with contextlib.suppress(OSError):
            kind = stat.filemode(os.fstat(number).st_mode)
            print("BREACH: descriptor", number, kind)
    for number in range(3):
        if stat.S_ISREG(os.fstat(number).st_mode) or stat.S_ISDIR(os.fstat(number).st_mode):
            print("BREACH: descriptor", number, "is a file")
        with contextlib.suppress(OSError):
            folder = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=number)
            print("BREACH: climbed to", os.listdir(folder))
    if os.isatty(0) or os.isatty(1) or os.isatty(2):
        print("BREACH: a terminal")
    raise LookupError("0, 1, 2 and 3 alone")
