"""seccomp: an allow-list of system calls, as a classic BPF program.

Runs in the sandbox zygote (which builds the program once) and in the student process (which installs it last of all
layers). Everything that is not listed is refused with EPERM, so that honest code meets an ordinary OSError; what is
newer than the tables, with ENOSYS. No fork, no exec, no sockets but socketpair. Instruction encoding: linux/filter.h,
linux/bpf_common.h; the data that a filter reads: linux/seccomp.h.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from grader.sandbox.backends import syscalls
from grader.sandbox.backends.kernel import checked, libc

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARGUMENT_0, _OFFSET_ARGUMENT_1 = 0, 4, 16, 24
_SET_MODE_FILTER = 1
_CLONE_NEW_ANY = 0x7E020000  # every CLONE_NEW* flag that clone(2) takes
_CLONE_THREAD = 0x00010000
_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # would type into the terminal of whoever started us


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _fail(code: int) -> bytes:
    return _instruction(_RETURN, _ERRNO | code)


def _only_for(number: int, block: list[bytes]) -> bytes:
    """Run `block`, which returns on every path, if the call has this number."""
    return _instruction(_EQUAL, number, 0, len(block)) + b"".join(block)


def program(architecture: str) -> bytes:
    """The filter for an architecture.

    Raises:
        KeyError: there is no table for it.
    """
    checked_calls = syscalls.ARGUMENT_CHECKED[architecture]
    allow = _instruction(_RETURN, _ALLOW)
    refuse = _fail(errno.EPERM)
    parts = [
        _instruction(_LOAD, _OFFSET_ARCH),
        _instruction(_EQUAL, syscalls.AUDIT_ARCH[architecture], 1, 0),
        _instruction(_RETURN, _KILL_PROCESS),
        _instruction(_LOAD, _OFFSET_NUMBER),
        _instruction(_AT_LEAST, syscalls.FIRST_UNKNOWN, 0, 1),
        _fail(errno.ENOSYS),
        _only_for(syscalls.CLONE3, [_fail(errno.ENOSYS)]),
    ]
    parts += [_only_for(number, [allow]) for number in syscalls.ALLOWED[architecture].values()]
    threads_only = [
        _instruction(_LOAD, _OFFSET_ARGUMENT_0),
        _instruction(_ANY_BIT, _CLONE_NEW_ANY, 0, 1),
        refuse,
        _instruction(_ANY_BIT, _CLONE_THREAD, 1, 0),
        refuse,
        allow,
    ]
    unix_only = [_instruction(_LOAD, _OFFSET_ARGUMENT_0), _instruction(_EQUAL, _AF_UNIX, 1, 0), refuse, allow]
    own_only = [_instruction(_LOAD, _OFFSET_ARGUMENT_0), _instruction(_EQUAL, 0, 1, 0), refuse, allow]
    no_typing = [
        _instruction(_LOAD, _OFFSET_ARGUMENT_1),
        _instruction(_EQUAL, _TIOCSTI, 1, 0),
        _instruction(_EQUAL, _TIOCLINUX, 0, 1),
        refuse,
        allow,
    ]
    parts += [
        _only_for(checked_calls["clone"], threads_only),
        _only_for(checked_calls["socketpair"], unix_only),
        _only_for(checked_calls["prlimit64"], own_only),
        _only_for(checked_calls["ioctl"], no_typing),
        refuse,
    ]
    return b"".join(parts)


class _FilterProgram(ctypes.Structure):
    """struct sock_fprog of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install(filter_program: bytes, architecture: str) -> None:
    """Put the filter on this process for good. Needs no_new_privs. Raises OSError if the kernel refuses."""
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    described = _FilterProgram(len(filter_program) // 8, ctypes.addressof(buffer))
    number = syscalls.SECCOMP[architecture]
    checked(libc.syscall(number, _SET_MODE_FILTER, ctypes.c_uint(0), ctypes.byref(described)), "seccomp")
