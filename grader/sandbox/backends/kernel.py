"""System calls that Python 3.11 does not wrap: namespaces, mounts, capabilities, prctl, file descriptors.

Runs in the sandbox zygote and, between fork and the first byte of student code, in the student process. Numbers are
from the kernel's uapi headers (linux/sched.h, linux/mount.h, linux/prctl.h, linux/capability.h).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63
_SYS_CLOSE_RANGE = 436  # the same on every architecture, as all calls since Linux 5.1

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """`result`, or OSError with what was tried if it is negative."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """Move this process (for PID namespaces: its next children) into new namespaces."""
    checked(libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int) -> None:
    """Join the namespace behind a descriptor."""
    checked(libc.setns(descriptor, kind), "setns")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2)."""
    encoded = [text.encode() if text is not None else None for text in (source, target, kind, options)]
    checked(libc.mount(*encoded[:3], ctypes.c_ulong(flags), encoded[3]), f"mount {target}")


def close_from(lowest: int) -> None:
    """Close every file descriptor from `lowest` on."""
    result = libc.syscall(_SYS_CLOSE_RANGE, ctypes.c_uint(lowest), ctypes.c_uint(0xFFFFFFFF), ctypes.c_uint(0))
    checked(result, "close_range")


def prctl(option: int, first: int = 0) -> int:
    """prctl(2) with one argument."""
    zero = ctypes.c_ulong(0)
    return checked(libc.prctl(option, ctypes.c_ulong(first), zero, zero, zero), f"prctl {option}")


def die_with_parent() -> None:
    """Ask for SIGKILL when the thread that forked this process ends. A change of uid clears it."""
    prctl(_PR_SET_PDEATHSIG, 9)


def forbid_inspection() -> None:
    """Let no process of the same user trace this one or read its memory, nor any that it forks."""
    prctl(_PR_SET_DUMPABLE, 0)


def forbid_new_privileges() -> None:
    """From here on no exec can gain privileges; needed before seccomp without privileges."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_bounding_set() -> None:
    """Remove every capability from the bounding set, as far as CAP_SETPCAP allows."""
    for number in range(_LAST_CAPABILITY + 1):
        zero = ctypes.c_ulong(0)
        if libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(number), zero, zero, zero) < 0:
            if ctypes.get_errno() == errno.EINVAL:  # past the kernel's last capability
                return
            if ctypes.get_errno() != errno.EPERM:
                checked(-1, "prctl PR_CAPBSET_DROP")


def drop_capabilities() -> None:
    """Clear the ambient, effective, permitted and inheritable sets."""
    zero = ctypes.c_ulong(0)
    libc.prctl(_PR_CAP_AMBIENT, ctypes.c_ulong(_PR_CAP_AMBIENT_CLEAR_ALL), zero, zero, zero)
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION_3, 0))
    data = ctypes.create_string_buffer(struct.pack("6I", 0, 0, 0, 0, 0, 0))
    checked(libc.capset(header, data), "capset")


def machine() -> str:
    """The processor's architecture as the kernel names it."""
    return platform.machine()
