"""The system call filter, run by an interpreter of its own: what each call would meet, on every architecture.

The real kernel's verdicts are in `test_backends.py` and in the attacks; here also those for processors that this
machine has not.
"""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.sandbox.backends import seccomp, syscalls

ARCHITECTURES = ("x86_64", "aarch64")
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSED, UNKNOWN, PRETENDED = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x00050000
NO_TERMINAL = 0x00050000 | errno.ENOTTY
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
THREAD, NEW_USER, NEW_PID, NEW_NET = 0x00010000, 0x10000000, 0x20000000, 0x40000000


def verdict(program: bytes, number: int, *arguments: int, architecture: str = "x86_64") -> int:
    """What the filter returns for a call (struct seccomp_data of linux/seccomp.h)."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<iIQ6Q", number, syscalls.AUDIT_ARCH[architecture], 0, *padded)
    instructions = list(struct.iter_unpack("HBBI", program))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = instructions[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return int(value)
        elif code == 0x54:
            accumulator &= value
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            at += if_true if holds else if_false


@pytest.fixture(params=ARCHITECTURES)
def architecture(request: pytest.FixtureRequest) -> str:
    """Each that there is a table for."""
    return str(request.param)


def number_of(name: str, architecture: str) -> int:
    """A call's number in any of the tables."""
    tables = (syscalls.ALLOWED, syscalls.ARGUMENT_CHECKED, syscalls.MULTI, syscalls.METADATA)
    return next(table[architecture][name] for table in tables if name in table[architecture])


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("own_pid", [None, 77])
def test_every_path_ends_and_fits_the_kernel(architecture: str, multi: bool, own_pid: int | None) -> None:
    program = seccomp.program(architecture, multi, own_pid)
    assert len(program) % 8 == 0
    assert len(program) // 8 <= 4096  # BPF_MAXINSNS
    for index, (code, if_true, if_false, _) in enumerate(struct.iter_unpack("HBBI", program)):
        if code not in (0x06, 0x20, 0x54):
            assert index + 1 + max(if_true, if_false) < len(program) // 8
    for number in range(-1, 600):
        assert verdict(program, number, architecture=architecture) in (ALLOW, REFUSED, UNKNOWN, PRETENDED, NO_TERMINAL)


@given(number=st.integers(-(2**31), 2**31 - 1), first=st.integers(0, 2**64 - 1), second=st.integers(0, 2**64 - 1))
@settings(max_examples=2000, deadline=None)
def test_what_is_in_no_table_is_refused(number: int, first: int, second: int) -> None:
    for architecture in ARCHITECTURES:
        for multi in (False, True):
            known = {**syscalls.ALLOWED[architecture], **syscalls.ARGUMENT_CHECKED[architecture]}
            known |= syscalls.MULTI[architecture] if multi else {}
            got = verdict(seccomp.program(architecture, multi), number, first, second, architecture=architecture)
            if number not in known.values():
                assert got in (REFUSED, UNKNOWN)
            elif multi and number == syscalls.ALLOWED[architecture]["mmap"]:
                assert got in (ALLOW, REFUSED)
            elif number in syscalls.ALLOWED[architecture].values():
                assert got == ALLOW


def test_another_architecture_is_killed() -> None:
    assert verdict(seccomp.program("x86_64"), 0, architecture="aarch64") == KILL
    assert verdict(seccomp.program("aarch64"), 63, architecture="x86_64") == KILL


def test_calls_of_the_x32_abi_do_not_exist() -> None:
    for number in (0, 1, 59, 520):
        assert verdict(seccomp.program("x86_64"), 0x40000000 | number) == UNKNOWN


def test_processes_and_namespaces(architecture: str) -> None:
    clone = number_of("clone", architecture)
    for multi in (False, True):
        program = seccomp.program(architecture, multi)

        def flags(value: int, program: bytes = program) -> int:
            return verdict(program, clone, value, architecture=architecture)

        assert flags(THREAD | 0x50F00) == ALLOW
        assert flags(17) == (ALLOW if multi else REFUSED)
        for new in (NEW_USER, NEW_PID, NEW_NET, 0x00020000, 0x02000000, 0x04000000, 0x08000000):
            assert flags(new | 17) == REFUSED
            assert flags(new | THREAD) == REFUSED
        assert verdict(program, syscalls.CLONE3, architecture=architecture) == UNKNOWN


def test_signals_where_others_are_in_reach(architecture: str) -> None:
    alone, exposed = seccomp.program(architecture), seccomp.program(architecture, own_pid=4321)
    for name in ("kill", "tgkill"):
        number = number_of(name, architecture)
        for target in (1, 0, 4322, 2**32 - 1, 2**32 - 4321):
            assert verdict(alone, number, target, architecture=architecture) == ALLOW
            assert verdict(exposed, number, target, architecture=architecture) == REFUSED
        assert verdict(exposed, number, 4321, architecture=architecture) == ALLOW


def test_metadata_where_the_user_is_shared(architecture: str) -> None:
    alone, exposed = seccomp.program(architecture), seccomp.program(architecture, own_pid=4321)
    for name, number in syscalls.METADATA[architecture].items():
        assert verdict(exposed, number, architecture=architecture) == PRETENDED, name
        expected = ALLOW if name in syscalls.ALLOWED[architecture] else REFUSED
        assert verdict(alone, number, architecture=architecture) == expected, name


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("fcntl", (3, 1), ALLOW),
        ("fcntl", (3, 8, 1), REFUSED),
        ("fcntl", (3, 15, 1), REFUSED),
        ("fcntl", (3, 10, 9), REFUSED),
        ("fcntl", (3, 1024, 1), REFUSED),
        ("fcntl", (3, 6, 1), REFUSED),
        ("fcntl", (3, 37, 1), REFUSED),
        ("fcntl", (3, 1030, 10), ALLOW),
        ("getsockopt", (3, 1, 3), ALLOW),
        ("getsockopt", (3, 1, 17), REFUSED),
        ("getsockopt", (3, 1, 77), REFUSED),
        ("prctl", (15, 0), ALLOW),
        ("prctl", (1, 0), REFUSED),
        ("prctl", (4, 1), REFUSED),
        ("prctl", (22, 0), REFUSED),
        ("prctl", (38, 1), REFUSED),
        ("prlimit64", (0, 0), ALLOW),
        ("prlimit64", (1, 0), REFUSED),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), NO_TERMINAL),
        ("ioctl", (0, 0x541C), NO_TERMINAL),
        ("ioctl", (3, 0x8901), NO_TERMINAL),
        ("ioctl", (3, 0x8902), NO_TERMINAL),
        ("ioctl", (3, 0x5452), NO_TERMINAL),
        ("socketpair", (1, 1), ALLOW),
        ("socketpair", (1, 5), ALLOW),
        ("socketpair", (1, 1 | 0x80800), ALLOW),
        ("socketpair", (1, 2), REFUSED),
        ("socketpair", (1, 2 | 0x80800), REFUSED),
        ("socketpair", (1, 3), REFUSED),
        ("socketpair", (2, 1), REFUSED),
        ("setsockopt", (3, 1, 26), REFUSED),
        ("setsockopt", (3, 1, 2), REFUSED),
        ("clock_gettime", (0,), ALLOW),
        ("clock_gettime", (11,), ALLOW),
        ("clock_gettime", (2**32 - 6,), REFUSED),
        ("clock_nanosleep", (1,), ALLOW),
        ("clock_nanosleep", (2**32 - 2,), REFUSED),
        ("socket", (1, 1), REFUSED),
        ("socket", (2, 1), REFUSED),
    ],
)
def test_calls_whose_arguments_decide(architecture: str, name: str, arguments: tuple[int, ...], expected: int) -> None:
    program = seccomp.program(architecture)
    number = number_of(name, architecture)
    assert verdict(program, number, *arguments, architecture=architecture) == expected


def test_sockets_of_the_profile_multi_are_local(architecture: str) -> None:
    program = seccomp.program(architecture, multi=True)
    number = number_of("socket", architecture)
    found = {family: verdict(program, number, family, architecture=architecture) for family in range(50)}
    assert {family for family, got in found.items() if got == ALLOW} == {1}


def test_memory_that_many_processes_share_is_that_of_files(architecture: str) -> None:
    mmap = number_of("mmap", architecture)
    for multi in (False, True):
        program = seccomp.program(architecture, multi)
        for flags, allowed in ((0x22, True), (0x01, True), (0x21, not multi), (0x23, not multi), (0x8021, not multi)):
            expected = ALLOW if allowed else REFUSED
            assert verdict(program, mmap, 0, 4096, 3, flags, architecture=architecture) == expected


def test_options_of_the_profile_multi(architecture: str) -> None:
    program = seccomp.program(architecture, multi=True)
    number = number_of("setsockopt", architecture)
    found = {option: verdict(program, number, 3, 1, option, architecture=architecture) for option in range(90)}
    assert {option for option, got in found.items() if got == ALLOW} == {2}


def test_no_number_stands_twice(architecture: str) -> None:
    tables = (syscalls.ALLOWED, syscalls.ARGUMENT_CHECKED, syscalls.MULTI)
    numbers = [number for table in tables for number in table[architecture].values()]
    assert len(numbers) == len(set(numbers))
    assert max(numbers) < syscalls.FIRST_UNKNOWN


def test_numbers_are_the_kernels(architecture: str) -> None:
    header = HEADERS[architecture]
    if not header.exists():
        pytest.skip(f"needs the layer: the kernel's headers ({header}, package linux-libc-dev)")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    tables = (syscalls.ALLOWED, syscalls.ARGUMENT_CHECKED, syscalls.MULTI, syscalls.METADATA)
    names = {"newfstatat": "fstatat"} if architecture == "aarch64" else {}
    newer = {"cachestat", "fchmodat2"}  # than some distributions' headers
    for table in tables:
        for name, number in table[architecture].items():
            known = defined.get(names.get(name, name))
            assert known == str(number) or (known is None and name in newer), name
    assert defined["clone3"] == str(syscalls.CLONE3)
    assert defined["seccomp"] == str(syscalls.SECCOMP[architecture])
