"""Makes a pair of datagram sockets, from either of which a message can be sent to any named socket of the machine: a
log, a service, a friend who listens.

Verdict: error PermissionError
Class I.
"""

import contextlib
import socket


def full_visibility(nonpadding):
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    print("BREACH: a pair of datagram sockets")
    for name in ("/dev/log", "/run/systemd/journal/dev-log", "/run/systemd/notify", "\0grader"):
        with contextlib.suppress(OSError):
            near.sendto(str(nonpadding.tolist()).encode(), name)
            print("BREACH: sent to", name)
    return nonpadding
