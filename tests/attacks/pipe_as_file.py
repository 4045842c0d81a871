"""Special files under the name of the work: a named pipe, on which opening waits for ever, a socket, and devices where the
student may make them.

Verdict: refused
Class G.
"""

import contextlib
import os
import socket
import stat
from pathlib import Path


def handed_in(folder: Path) -> None:
    own = folder / "pipe_as_file"
    own.mkdir()
    os.mkfifo(own / "attention.py")
    os.mkfifo(folder / "pipe_as_file_loose.py")
    with contextlib.suppress(OSError):  # where the path is not too long for a socket
        socket.socket(socket.AF_UNIX).bind(str(own / "socket.py"))
    with contextlib.suppress(OSError):
        os.mknod(own / "zero.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
