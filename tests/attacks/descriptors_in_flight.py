"""Keeps descriptors on their way: sent over a socket to itself and never received, they count for the whole user, so
that nobody of that user, the grader included, could hand a descriptor on.

Verdict: error PermissionError
Class F.
"""

import array
import socket


def full_visibility(nonpadding):
    near, far = socket.socketpair()
    descriptors = array.array("i", [0] * 250)
    for _ in range(8):
        near.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        print("BREACH: 250 descriptors are on their way")
    return nonpadding
