"""Landlock: which files a process may still open, whatever its mount namespace shows.

Runs in the student process before student code. Layouts and rights are those of linux/landlock.h; each ABI version
adds rights, and a right that the running kernel does not know must not be asked for.

    1 (Linux 5.13) files   2 (5.19) refer   3 (6.2) truncate   4 (6.7) TCP   5 (6.10) ioctl   6 (6.12) scopes
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from grader.sandbox.backends.kernel import checked, libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_RIGHTS = (
    *("execute", "write_file", "read_file", "read_dir", "remove_dir", "remove_file", "make_char", "make_dir"),
    *("make_reg", "make_sock", "make_fifo", "make_block", "make_sym", "refer", "truncate", "ioctl_dev"),
)
_BIT = {name: 1 << index for index, name in enumerate(_RIGHTS)}
_SINCE = {"refer": 2, "truncate": 3, "ioctl_dev": 5}
_FILE_RIGHTS = _BIT["execute"] | _BIT["write_file"] | _BIT["read_file"] | _BIT["truncate"] | _BIT["ioctl_dev"]
_NET_RIGHTS = 0b11  # bind and connect of TCP, ABI 4
_SCOPES = 0b11  # abstract UNIX sockets and signals, ABI 6

LIST = _BIT["read_dir"]
READ = _BIT["read_file"] | LIST
WRITE_FILE = READ | _BIT["write_file"]
READ_WRITE = WRITE_FILE | sum(
    _BIT[name]
    for name in ("remove_dir", "remove_file", "make_dir", "make_reg", "make_fifo", "make_sock", "make_sym", "refer")
)
READ_WRITE |= _BIT["truncate"]


def abi() -> int:
    """The kernel's Landlock ABI, 0 where there is none."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_CREATE_RULESET_VERSION))
    return max(0, int(version))


def restrict(rules: list[tuple[str, int]]) -> int:
    """Allow only what the rules (path, rights) say, from here on and for every child; returns the ABI used.

    Paths that do not exist are left out. Raises OSError where the kernel has no Landlock or refuses.
    """
    version = abi()
    if not version:
        raise OSError(0, "this kernel has no Landlock")
    handled = sum(bit for name, bit in _BIT.items() if _SINCE.get(name, 1) <= version)
    attributes = struct.pack("QQQ", handled, _NET_RIGHTS if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = checked(
        libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0)), "landlock_create_ruleset"
    )
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights & handled)
        checked(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint(0)), "landlock_restrict_self")
    finally:
        os.close(ruleset)
    return version


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, descriptor)
        checked(libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, ctypes.c_uint(0)), f"landlock rule {path}")
    finally:
        os.close(descriptor)
