"""Asks the socket on which it answers who is at its other end, and gives it a program for the kernel's packet filter.

Verdict: failed
Class I.
"""

import contextlib
import ctypes
import socket
import struct


def full_visibility(nonpadding):
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=3)
    for option, length in ((17, 12), (77, 4)):  # SO_PEERCRED, SO_PEERPIDFD
        with contextlib.suppress(OSError):
            print("BREACH: the other end is", struct.unpack("i", line.getsockopt(1, option, length)[:4]))
    accept = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xFFFFFFFF))
    near, far = socket.socketpair()
    with contextlib.suppress(OSError):
        near.setsockopt(1, 26, struct.pack("HL", 1, ctypes.addressof(accept)))  # SO_ATTACH_FILTER
        print("BREACH: a filter runs in the kernel")
    line.detach()
    return nonpadding
