"""Runs machine code of its own from memory that is both writable and executable, and asks the kernel for a socket through
the entrance for 32-bit programs, where other numbers hold.

Verdict: crashed
Class I.
"""

import ctypes
import mmap
import platform

# mov eax, 359 (socket of i386); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; ret: with rbx kept
CODE = bytes.fromhex("53 b867010000 bb02000000 b901000000 31d2 cd80 5b c3")


def full_visibility(nonpadding):
    if platform.machine() != "x86_64":
        return ctypes.string_at(0)
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(CODE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    found = ctypes.CFUNCTYPE(ctypes.c_int)(start)()
    if found >= 0:
        print("BREACH: a socket through int 0x80", found, flush=True)
    return ctypes.string_at(0)
