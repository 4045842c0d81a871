"""Starts processes by every door but fork: clone3, whose flags a filter can't read, vfork, posix_spawn, clone with flags for
namespaces of its own.

Verdict: error PermissionError
Class I.
"""

import contextlib
import ctypes
import os
import platform
import signal
import struct


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    x86 = platform.machine() == "x86_64"
    own = os.getpid()
    clone = 56 if x86 else 220
    for flags in (0, 0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x02000000, 0x7E020000):  # CLONE_NEW*
        for number, words in ((435, None), (clone, (flags | signal.SIGCHLD, 0, 0, 0, 0))):
            if words is None:
                block = ctypes.create_string_buffer(struct.pack("8Q", flags, 0, 0, 0, signal.SIGCHLD, 0, 0, 0))
                made = libc.syscall(number, block, 64)
            else:
                made = libc.syscall(number, *(ctypes.c_long(word) for word in words))
            if made == 0 or os.getpid() != own:
                os._exit(0)
            if made > 0:
                print("BREACH: a process by call", number, "with", hex(flags))
    with contextlib.suppress(OSError):
        print("BREACH: spawned", os.posix_spawn("/proc/self/exe", ["python3", "-c", "pass"], {}))
    os.fork() or os._exit(0)
    print("BREACH: forked")
