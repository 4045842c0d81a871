"""A web server on this machine for imitations of LMSs: it keeps what it was asked, and fails when told to.

One thread per connection. `asked` holds every request in its order. A fault is used up by the first request that it
fits, before or after the imitation did what was asked.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request: method, path, parameters of the address, form fields, files by name, and headers in lower case."""

    method: str
    path: str
    query: list[tuple[str, str]]
    form: list[tuple[str, str]]
    files: dict[str, bytes]
    headers: dict[str, str]

    def value(self, name: str, default: str = "") -> str:
        """A form field or parameter."""
        return next((value for key, value in [*self.form, *self.query] if key == name), default)

    def values(self, name: str) -> list[str]:
        """All of that name."""
        return [value for key, value in [*self.form, *self.query] if key == name]


@dataclass(frozen=True)
class Answer:
    """What comes back: JSON unless `body` is text."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    """What goes wrong at the first request that `fits`: an answer of its own, or none at all.

    `done`: the imitation does what was asked all the same.
    """

    fits: Callable[[Asked], bool]
    answer: Answer | None = None
    done: bool = False


class Web:
    """The server; an imitation is its `answer`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, asked: Asked) -> Answer:
        """What the LMS answers."""
        raise NotImplementedError

    def changes(self) -> list[Asked]:
        """The requests that were not mere questions."""
        raise NotImplementedError

    def respond(self, asked: Asked) -> Answer | None:
        """Answer, or fail as told; None hangs up."""
        with self._lock:
            self.asked.append(asked)
            fault = next((fault for fault in self.faults if fault.fits(asked)), None)
            if fault is None:
                return self.answer(asked)
            self.faults.remove(fault)
            if fault.done:
                self.answer(asked)
            return fault.answer


@contextmanager
def served(web: Web) -> Iterator[Web]:
    """The imitation, listening at `web.url` on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = web.respond(_asked(self.command, self.path, dict(self.headers.items()), body))
            if answer is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            content = text.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _any

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    web.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _asked(method: str, address: str, headers: dict[str, str], body: bytes) -> Asked:
    parts = urlsplit(address)
    low = {name.lower(): value for name, value in headers.items()}
    kind = low.get("content-type", "")
    form: list[tuple[str, str]] = []
    files: dict[str, bytes] = {}
    if kind.startswith("application/x-www-form-urlencoded"):
        form = parse_qsl(body.decode(), keep_blank_values=True)
    elif kind.startswith("multipart/form-data"):
        message = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
        for part in message.walk():
            name = part.get_param("name", header="content-disposition")
            file, content = part.get_filename(), part.get_payload(decode=True)
            if file and isinstance(content, bytes):
                files[file] = content
            elif name and isinstance(content, bytes):
                form.append((str(name), content.decode()))
    return Asked(method, parts.path, parse_qsl(parts.query, keep_blank_values=True), form, files, low)
