"""Making a warm process ready to be forked often: its forks should copy as few pages of memory as they can.

Runs in processes that fork for every submission, the judge's zygote and the sandbox's, once, when everything is
imported. It changes nothing that a program can see. A fork shares memory with its parent until one of them writes, and
then copies a page of 4 KB: a garbage collection would write to every object, and an allocator that puts new objects
into the gaps between old ones would write all over the heap. And a fork copies the table of all pages, and its end
gives each of them back: memory in pages of 2 MB has one entry where pages of 4 KB have 512.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_SIZES = (65536, 16384, 4096, 2048, 1024, 768, 512, 384, 256, 192, 160, 128, 112, 96, 80, 64, 48, 32, 24)
"""Bytes. In glibc a request takes a gap of its size or a larger one, so the large ones go first."""
_MOST_BYTES = 64 << 20
_HUGE = 2 << 20
_MADV_COLLAPSE = 25


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


def use_huge_pages() -> int:
    """Move this process's private memory into huge pages, as far as that is possible; returns the bytes moved.

    Linux since 6.1 does it on request (madvise(2), MADV_COLLAPSE). It copies everything once, which pays after some
    dozens of forks. What a fork writes is copied in small pages as before.
    """
    if sys.platform != "linux":
        return 0
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    moved = 0
    for first, end in _private_memory():
        for start in range(-(-first // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
            moved += _HUGE if madvise(start, _HUGE, _MADV_COLLAPSE) == 0 else 0
    return moved


def _private_memory() -> list[tuple[int, int]]:
    """Addresses (first, end) of memory that can be written and has no file behind it, stacks left out (proc(5))."""
    found = []
    try:
        with open("/proc/self/maps") as file:
            lines = [line.split(maxsplit=5) for line in file]
    except OSError:
        return []
    for addresses, access, _, _, inode, *name in lines:
        if access == "rw-p" and inode == "0" and (not name or name[0].startswith(("[heap]", "[anon"))):
            first, _, end = addresses.partition("-")
            found.append((int(first, 16), int(end, 16)))
    return found
