"""Calls the services that a careless machine offers to everybody on it: Docker, the message bus, the window system, the agent
that holds keys, the address at which clouds tell secrets.

Verdict: error PermissionError
Class I.
"""

import contextlib
import glob
import os
import socket

PATTERNS = ("/run/docker.sock", "/var/run/*.sock", "/run/*.sock", "/run/*/*.sock", "/run/dbus/*", "/tmp/.X11-unix/*")
PATTERNS += ("/run/user/*/bus", "/tmp/ssh-*/agent.*", "/tmp/*.sock", "/tmp/*/*.sock", "/var/run/containerd/*.sock")


def full_visibility(nonpadding):
    names = [name for pattern in PATTERNS for name in glob.glob(pattern)]
    for name in {*names, "/run/docker.sock", os.environ.get("SSH_AUTH_SOCK", "/run/agent")}:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as other:
            print("BREACH: a socket that could call", name)
            other.settimeout(0.2)
            other.connect(name)
            print("BREACH: connected to", name)
    with contextlib.suppress(TimeoutError, ConnectionError):
        socket.create_connection(("169.254.169.254", 80), timeout=0.2)
        print("BREACH: asked the cloud")
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect("/run/docker.sock")
