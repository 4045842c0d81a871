"""Makes namespaces of its own to be root in them, mounts, changes its root, climbs out through one that it left open, and
takes other identities.

Verdict: error LookupError
Class I.
"""

import contextlib
import ctypes
import os

TARGETS = ("/proc/1/ns/mnt", "/proc/1/ns/net", "/proc/self/ns/user", "/proc/self/ns/pid")


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    here = os.getcwd().encode()
    for flag in (0x10000000, 0x00020000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x20000000):
        if libc.unshare(flag) == 0:
            print("BREACH: unshared", hex(flag))
    for name in TARGETS:
        with contextlib.suppress(OSError):
            number = os.open(name, os.O_RDONLY)
            if libc.setns(number, 0) == 0:
                print("BREACH: entered", name)
    if libc.mount(b"tmpfs", here, b"tmpfs", 0, None) == 0 or libc.mount(b"/", here, None, 4096 | 16384, None) == 0:
        print("BREACH: mounted")
    if libc.pivot_root(here, here) == 0 if hasattr(libc, "pivot_root") else False:
        print("BREACH: another root")
    with contextlib.suppress(OSError):
        os.chroot(here)
        print("BREACH: changed its root")
    for change in (os.setuid, os.setgid):
        with contextlib.suppress(OSError):
            change(0 if change(os.getuid()) is None and os.getuid() else 1)
            print("BREACH: another identity", os.getresuid(), os.getresgid())
    if libc.prctl(23, 21, 0, 0, 0) == 1:  # PR_CAPBSET_READ of CAP_SYS_ADMIN
        with contextlib.suppress(OSError):
            os.mknod("device", 0o20666, os.makedev(1, 1))
            print("BREACH: made a device")
    raise LookupError("nowhere else")
