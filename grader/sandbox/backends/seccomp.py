"""seccomp: an allow-list of system calls, as a classic BPF program.

Runs in the sandbox zygote (which builds the program) and in the student process (which installs it last of all layers).
Everything that is not listed is refused with EPERM, so that honest code meets an ordinary OSError; what is newer than
the tables, with ENOSYS. No exec in any profile. Instruction encoding: linux/filter.h, linux/bpf_common.h; the data that
a filter reads: linux/seccomp.h.

Profile `single`: no fork, no sockets but socketpair. Profile `multi` adds both, the sockets of AF_UNIX alone. Where
other processes and files of the same user are in reach (no namespaces), `own_pid` limits signals to the process itself,
and calls that change a file's metadata succeed without doing anything: honest copies of files go on, and nobody's file
becomes unreadable.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence

from grader.sandbox.backends import syscalls
from grader.sandbox.backends.kernel import checked, libc

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARGUMENT_0, _OFFSET_ARGUMENT_1 = 0, 4, 16, 24
_OFFSET_ARGUMENT_2, _OFFSET_ARGUMENT_3 = 32, 40
_SET_MODE_FILTER = 1
_CLONE_NEW_ANY = 0x7E020000  # every CLONE_NEW* flag that clone(2) takes
_CLONE_THREAD = 0x00010000
_AF_UNIX = 1
_SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPES = 1, 5, 0xF
_SO_REUSEADDR = 2  # what multiprocessing's listeners set; others run programs of the packet filter in the kernel
_SO_HARMLESS = (3, 4, 38, 39)  # SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN; not who is at the other end
_CLOCKS = 12  # from here on, clock ids name other processes
_SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15  # would let the kernel send signals to others
_F_SETLEASE, _F_NOTIFY = 1024, 1026  # would make others wait for us, or watch them
_F_LOCKS = (5, 6, 7, 36, 37, 38)  # of files: kernel memory without limit, and signs to others who run at the same time
_IOCTL_HARMLESS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS (is it a terminal?), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX (asm-generic/ioctls.h). Not TIOCSTI,
which types into the terminal of whoever started us, nor FIOSETOWN and FIOASYNC, which make the kernel send signals."""
_PRCTL_HARMLESS = (15, 16, 0x53564D41, 2, 3, 21, 23, 39)
"""PR_SET_NAME, PR_GET_NAME and PR_SET_VMA, which the C library calls; and questions: PDEATHSIG, DUMPABLE, SECCOMP,
CAPBSET_READ, NO_NEW_PRIVS (linux/prctl.h). Not PR_SET_PDEATHSIG: the process must end with its zygote."""


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _fail(code: int) -> bytes:
    return _instruction(_RETURN, _ERRNO | code)


_PERMIT = _instruction(_RETURN, _ALLOW)
_REFUSE = _fail(errno.EPERM)
_PRETEND = _fail(0)
_NO_TERMINAL = _fail(errno.ENOTTY)


def _only_for(number: int, block: Sequence[bytes]) -> bytes:
    """Run `block`, which returns on every path, if the call has this number."""
    return _instruction(_EQUAL, number, 0, len(block)) + b"".join(block)


def _if_argument(
    offset: int, values: Sequence[int], then: bytes, otherwise: bytes, bits: int = 0xFFFFFFFF
) -> list[bytes]:
    """Decide by an argument's low 32 bits, or those of them that are named."""
    block = [_instruction(_LOAD, offset), _instruction(_AND, bits)]
    block += [_instruction(_EQUAL, value, len(values) - index, 0) for index, value in enumerate(values)]
    return [*block, otherwise, then]


def program(architecture: str, multi: bool = False, own_pid: int | None = None) -> bytes:
    """The filter for an architecture and profile; with `own_pid`, for a process that shares its user with others.

    Raises:
        KeyError: there is no table for the architecture.
    """
    rules = _argument_rules(multi, own_pid)
    by_argument = syscalls.ARGUMENT_CHECKED[architecture]
    plain = dict(syscalls.ALLOWED[architecture])
    pretended = syscalls.METADATA[architecture] if own_pid is not None else {}
    if multi:
        plain |= syscalls.MULTI[architecture]
    parts = [
        _instruction(_LOAD, _OFFSET_ARCH),
        _instruction(_EQUAL, syscalls.AUDIT_ARCH[architecture], 1, 0),
        _instruction(_RETURN, _KILL_PROCESS),
        _instruction(_LOAD, _OFFSET_NUMBER),
        _instruction(_AT_LEAST, syscalls.FIRST_UNKNOWN, 0, 1),
        _fail(errno.ENOSYS),
        _only_for(syscalls.CLONE3, [_fail(errno.ENOSYS)]),
    ]
    decided = {name for name in plain if name in pretended or name in rules}
    parts += [_only_for(number, [_PERMIT]) for name, number in plain.items() if name not in decided]
    parts += [_only_for(number, [_PRETEND]) for number in pretended.values()]
    parts += [_only_for({**plain, **by_argument}[name], block) for name, block in rules.items()]
    return b"".join([*parts, _REFUSE])


def _argument_rules(multi: bool, own_pid: int | None) -> dict[str, list[bytes]]:
    """For each call whose arguments decide, the block that decides."""
    threads_only = [_instruction(_ANY_BIT, _CLONE_THREAD, 1, 0), _REFUSE, _PERMIT]
    clone = [_instruction(_LOAD, _OFFSET_ARGUMENT_0), _instruction(_ANY_BIT, _CLONE_NEW_ANY, 0, 1), _REFUSE]
    clone += [_PERMIT] if multi else threads_only
    # Not datagrams: from one of a pair they could be sent to any named socket that the user may write to.
    stream_only = _if_argument(_OFFSET_ARGUMENT_1, [_SOCK_STREAM, _SOCK_SEQPACKET], _PERMIT, _REFUSE, bits=_SOCK_TYPES)
    unix_pair = [_instruction(_LOAD, _OFFSET_ARGUMENT_0), _instruction(_EQUAL, _AF_UNIX, 1, 0), _REFUSE, *stream_only]
    unix_only = _if_argument(_OFFSET_ARGUMENT_0, [_AF_UNIX], _PERMIT, _REFUSE)
    signals = [_PERMIT] if own_pid is None else _if_argument(_OFFSET_ARGUMENT_0, [own_pid], _PERMIT, _REFUSE)
    # Shared memory that no file backs would be in nobody's resident size once its pages are dropped from the tables.
    countable = _if_argument(_OFFSET_ARGUMENT_3, [_SHARED_ANONYMOUS], _REFUSE, _PERMIT, bits=_SHARED_ANONYMOUS)
    owners = (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_SETLEASE, _F_NOTIFY, *_F_LOCKS)
    own_clocks = [_instruction(_LOAD, _OFFSET_ARGUMENT_0), _instruction(_AT_LEAST, _CLOCKS, 0, 1), _REFUSE, _PERMIT]
    rules = dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep", "timer_create"), own_clocks)
    rules |= {"mmap": countable} if multi else {}
    options = _if_argument(_OFFSET_ARGUMENT_2, [_SO_REUSEADDR], _PERMIT, _REFUSE)
    return rules | {
        "setsockopt": options if multi else [_REFUSE],
        "getsockopt": _if_argument(_OFFSET_ARGUMENT_2, _SO_HARMLESS, _PERMIT, _REFUSE),
        "fcntl": _if_argument(_OFFSET_ARGUMENT_1, owners, _REFUSE, _PERMIT),
        "clone": clone,
        "kill": signals,
        "tgkill": signals,
        "prctl": _if_argument(_OFFSET_ARGUMENT_0, _PRCTL_HARMLESS, _PERMIT, _REFUSE),
        "socketpair": unix_pair,
        "socket": unix_only if multi else [_REFUSE],
        "prlimit64": _if_argument(_OFFSET_ARGUMENT_0, [0], _PERMIT, _REFUSE),
        "ioctl": _if_argument(_OFFSET_ARGUMENT_1, _IOCTL_HARMLESS, _PERMIT, _NO_TERMINAL),
    }


class _FilterProgram(ctypes.Structure):
    """struct sock_fprog of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install(filter_program: bytes, architecture: str) -> None:
    """Put the filter on this process for good. Needs no_new_privs. Raises OSError if the kernel refuses."""
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    described = _FilterProgram(len(filter_program) // 8, ctypes.addressof(buffer))
    number = syscalls.SECCOMP[architecture]
    checked(libc.syscall(number, _SET_MODE_FILTER, ctypes.c_uint(0), ctypes.byref(described)), "seccomp")
