"""Changes the flags of library files (append only, no dump, synchronous) through descriptors that are open for reading:
no permission to write is asked for that, only the user to whom they belong.

Verdict: failed
Class I.
"""

import contextlib
import fcntl
import os
import struct
import sys


def full_visibility(nonpadding):
    for folder in sys.path:
        for name in sorted(os.listdir(folder))[:40] if os.path.isdir(folder) else ():
            with contextlib.suppress(OSError), open(os.path.join(folder, name), "rb") as file:
                flags = struct.unpack("i", fcntl.ioctl(file, 0x80086601, struct.pack("i", 0))[:4])[0]
                fcntl.ioctl(file, 0x40086602, struct.pack("i", flags))  # FS_IOC_SETFLAGS, to what they are
                print("BREACH: flags of", name, "were set")
    return nonpadding
