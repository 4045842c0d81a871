"""Makes empty files and folders, which take no bytes and yet memory of the kernel, until it has a hundred thousand.

Verdict: error OSError or error PermissionError or error FileNotFoundError
Class G.
"""

import contextlib
import os
import tempfile


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    made = 0
    for place in ("/dev/shm", "/var/tmp", "/run/lock", os.getcwd(), tempfile.gettempdir()):
        with contextlib.suppress(OSError):
            for number in range(60_000):
                os.close(os.open(f"{place}/inode{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                made += 1
    print("made", made)
    if made > 60_000:
        print("BREACH: made", made, "files")
    raise OSError("full")
