"""Making a warm process ready to be forked often: its forks should copy as few pages of memory as they can.

Runs in processes that fork for every submission, the judge's zygote and the sandbox's, once, when everything is
imported. It changes nothing that a program can see. A fork shares memory with its parent until one of them writes, and
then copies a page of 4 KB: a garbage collection would write to every object, and an allocator that puts new objects
into the gaps between old ones would write all over the heap.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_SIZES = (65536, 16384, 4096, 2048, 1024, 768, 512, 384, 256, 192, 160, 128, 112, 96, 80, 64, 48, 32, 24)
"""Bytes. In glibc a request takes a gap of its size or a larger one, so the large ones go first."""
_MOST_BYTES = 64 << 20


def make_forkable() -> None:
    """To be called when everything is imported and warm, by a process with one thread."""
    gc.collect()
    gc.freeze()
    fill_gaps()


def fill_gaps() -> int:
    """Allocate the free gaps in the C library's heap, for good; returns their bytes.

    What is allocated afterwards stands side by side at the end of the heap. Does nothing where the C library is not
    glibc, whose heap ends where sbrk(2) says.
    """
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version"):
        return 0
    libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
    libc.malloc.argtypes, libc.sbrk.argtypes = (ctypes.c_size_t,), (ctypes.c_ssize_t,)
    end = libc.sbrk(0)
    filled = 0
    for size in _SIZES:
        while filled < _MOST_BYTES and (place := libc.malloc(size)) is not None and place < end:
            filled += size
    return filled
