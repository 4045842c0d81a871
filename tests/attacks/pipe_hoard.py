"""Hoards memory that belongs to the kernel and that no limit of a process counts: sockets and pipes with full buffers, and
more of them than it may have open, since those that it has sent to itself and not received are in nobody's hands.

Verdict: error PermissionError
Class F.
"""

import contextlib
import os
import socket

FULL = b"x" * (1 << 16)


def _filled():
    ends = socket.socketpair()
    held = 0
    for end in ends:
        end.setblocking(False)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        with contextlib.suppress(BlockingIOError):
            while True:
                held += end.send(FULL)
    return ends, held


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    kept, held = [], 0
    near, far = socket.socketpair()
    near.setblocking(False)
    try:
        while held < 512 << 20:
            ends, more = _filled()
            held += more
            try:
                socket.send_fds(near, [b"x"], [end.fileno() for end in ends])
                for end in ends:
                    end.close()
            except OSError:
                kept += ends
        print("BREACH: holds", held >> 20, "MB outside its own memory")
    finally:
        print("held", held >> 20, "MB, open", len(kept), "in", os.getpid())
