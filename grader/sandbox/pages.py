"""Cheap forks of a warm process: nothing that a collection would touch, and huge pages for what it holds.

Runs in processes that fork often: the judge's and the sandbox's zygote, once, when everything is imported. A fork
copies the table of all pages and its end gives each of them back; memory in pages of 2 MB has one entry where pages of
4 KB have 512. The contents stay the same, and whatever a fork writes is copied in small pages as before.

Linux since 6.1 does this on request (madvise(2), MADV_COLLAPSE). Elsewhere, and where no huge page is free, nothing
happens.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_SIZE = 2 << 20
_MADV_COLLAPSE = 25


def make_forks_cheap() -> None:
    """To be called when everything is imported: a collection in a fork would copy every page that it touches."""
    gc.collect()
    gc.freeze()
    use_huge_pages()


def use_huge_pages() -> int:
    """Move this process's private memory into huge pages where that is possible; returns the bytes moved."""
    if sys.platform != "linux":
        return 0
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    moved = 0
    for first, end in _private_memory():
        for start in range(-(-first // _SIZE) * _SIZE, end - _SIZE + 1, _SIZE):
            moved += _SIZE if madvise(start, _SIZE, _MADV_COLLAPSE) == 0 else 0
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
