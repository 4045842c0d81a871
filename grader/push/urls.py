"""The address of an LMS, checked before a token goes there. Pure functions."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from grader.errors import UsageProblem
from grader.model.text import plain_line


def checked_url(text: str, insecure: bool) -> str:
    """The address of an LMS without a slash at its end.

    Raises:
        UsageProblem: it is none, holds a password or a query, or would send the token unencrypted over a network.
    """
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("https", "http"):
        raise UsageProblem(f"--url {plain_line(text)} is no address; write https://HOST.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageProblem("--url is the address of the LMS alone: no name, password, ? or # in it.")
    if parts.scheme == "http" and not insecure and not _is_this_machine(host):
        raise UsageProblem(
            f"--url http://{host} would send the token unencrypted; write https://, or --insecure-http if you must."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
