"""Opens a server on the loopback interface and under an abstract name, calls it itself, and searches all ports for other
servers: the grader's, or another student's.

Verdict: error PermissionError
Class I.
"""

import contextlib
import socket


def full_visibility(nonpadding):
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with contextlib.suppress(OSError), socket.socket(family) as server:
            server.bind((host, 0))
            server.listen()
            print("BREACH: a server on", host)
            with socket.create_connection(server.getsockname()[:2], timeout=1):
                print("BREACH: called it")
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as server:
        server.bind("\0loopback_server")
        server.listen()
        print("BREACH: an abstract name")
    for port in (22, 80, 443, 631, 2375, 5432, 6379, 8080, 8888):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.05):
            print("BREACH: port", port)
    socket.socket()
