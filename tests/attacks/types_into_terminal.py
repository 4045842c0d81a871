"""Types commands into the terminal of whoever started the grader, and turns its keyboard's light on.

Verdict: error PermissionError or error OSError
Class I.
"""

import contextlib
import fcntl
import glob
import os

TIOCSTI, TIOCLINUX, TIOCSCTTY, TIOCNOTTY = 0x5412, 0x541C, 0x540E, 0x5422


def full_visibility(nonpadding):
    for name in ("/dev/tty", "/dev/console", "/dev/tty1", "/dev/ptmx", *glob.glob("/dev/pts/*")):
        with contextlib.suppress(OSError):
            number = os.open(name, os.O_RDWR | os.O_NOCTTY)
            print("BREACH: opened", name)
            fcntl.ioctl(number, TIOCSCTTY, 1)
            os.close(number)
    for number in range(3):
        with contextlib.suppress(OSError):
            for letter in b"echo typed\n":
                fcntl.ioctl(number, TIOCSTI, bytes([letter]))
            print("BREACH: typed")
    fcntl.ioctl(0, TIOCLINUX, b"\x02")
