"""Runs a command as on another kind of machine: `python imitate.py container|apparmor COMMAND ARGUMENT…`.

    container   no namespaces, as under a container engine's default seccomp profile: unshare, setns, mount and the
                like are refused with EPERM, clone with a CLONE_NEW* flag too, clone3 does not exist; root keeps the
                fourteen capabilities that engines give by default (Docker's and Podman's documentation list them)
    apparmor    bubblewrap works, but nobody inside it has capabilities, as under Ubuntu's profile
                bwrap-userns-restrict: here unshare and setns are refused, which the inner layers of mode A1 need and
                bubblewrap itself does not

Uses nothing of the package under test, so that a fault there cannot make the imitation kinder. x86_64 and aarch64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NEW_ANY = 0x7E020080
_CLONE3 = 435
_NUMBERS = {
    "x86_64": {"clone": 56, "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155},
    "aarch64": {"clone": 220, "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41},
}
_NEW_MOUNT_CALLS = range(428, 434)  # open_tree, move_mount, fsopen, fsconfig, fsmount, fspick: the same everywhere
_DEFAULT_CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
"""CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD,
AUDIT_WRITE, SETFCAP (linux/capability.h)."""
_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 24, 38, 22

libc = ctypes.CDLL(None, use_errno=True)


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One BPF instruction."""
    return struct.pack("HBBI", code, if_true, if_false, value)


def program(kind: str) -> bytes:
    """The filter of a kind of machine."""
    numbers = _NUMBERS[platform.machine()]
    refused = [numbers["unshare"], numbers["setns"]]
    parts = [instruction(_LOAD, 0)]
    if kind == "container":
        refused += [numbers["mount"], numbers["umount2"], numbers["pivot_root"], *_NEW_MOUNT_CALLS]
        parts += [instruction(_EQUAL, _CLONE3, 0, 1), instruction(_RETURN, _ERRNO | errno.ENOSYS)]
        parts += [instruction(_EQUAL, numbers["clone"], 0, 4), instruction(_LOAD, 16)]
        parts += [instruction(_ANY_BIT, _NEW_ANY, 0, 1), instruction(_RETURN, _ERRNO | errno.EPERM)]
        parts += [instruction(_RETURN, _ALLOW)]
    for number in refused:
        parts += [instruction(_EQUAL, number, 0, 1), instruction(_RETURN, _ERRNO | errno.EPERM)]
    return b"".join([*parts, instruction(_RETURN, _ALLOW)])


class FilterProgram(ctypes.Structure):
    """struct sock_fprog of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def prctl(option: int, first: int, second: int = 0) -> None:
    """prctl(2); raises OSError."""
    zero = ctypes.c_ulong(0)
    if libc.prctl(option, ctypes.c_ulong(first), ctypes.c_ulong(second), zero, zero) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def main(kind: str, command: list[str]) -> None:
    """Become the command, on such a machine."""
    content = program(kind)
    buffer = ctypes.create_string_buffer(content, len(content))
    described = FilterProgram(len(content) // 8, ctypes.addressof(buffer))
    if os.geteuid() != 0:
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
    prctl(_PR_SET_SECCOMP, 2, ctypes.addressof(described))
    if os.geteuid() == 0:
        with open("/proc/sys/kernel/cap_last_cap") as file:
            last = int(file.read())
        for number in set(range(last + 1)) - _DEFAULT_CAPABILITIES:
            prctl(_PR_CAPBSET_DROP, number)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
