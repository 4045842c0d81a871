"""Student processes without fork: a new interpreter each, connected over the loopback interface. For mode plain only.

The class runs in the judge; `connect_and_serve` is what the new interpreter starts with. The connection is taken from
the process that repeats a secret drawn for it. Output goes through ordinary pipes, emptied by two threads. No
protection: a process of the user's own, with a clock.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

import grader
from grader.sandbox.base import SandboxBroken, StudentTrouble
from grader.sandbox.facts import ExitFacts
from grader.sandbox.process import ConnectedProcess, Printed
from grader.wire.frames import pack_frame

_START_SECONDS = 120.0
_SECRET_BYTES = 32


class SpawnSandbox:
    """Starts an interpreter for each student process."""

    mode = "plain"

    def __init__(self, output_cap: int, environment: dict[str, str], preload: tuple[str, ...]) -> None:
        self._cap = output_cap
        self._environment = environment
        self._preload = preload
        self._running: list[tuple[subprocess.Popen[bytes], str]] = []

    def wait_ready(self) -> None:
        """See `Sandbox.wait_ready`: there is nothing to wait for."""

    def expect_many(self) -> None:
        """See `Sandbox.expect_many`: nothing, since nothing is forked."""

    def spawn(self, cpu_seconds: int) -> ConnectedProcess:
        """See `Sandbox.spawn`; processor time is bounded by the judge's clock alone."""
        scratch = tempfile.mkdtemp(prefix="grader-")
        secret = secrets.token_hex(_SECRET_BYTES // 2)
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(_START_SECONDS)
            started = self._start(server.getsockname()[1], scratch)
            assert started.stdin is not None
            started.stdin.write(secret.encode("ascii"))
            started.stdin.close()
            self._running.append((started, scratch))
            connection = _accept(server, started, secret)
        process = ConnectedProcess(connection, [], self._cap, lambda: _end(started, scratch))
        for pipe, stream in zip((started.stdout, started.stderr), process.streams, strict=True):
            threading.Thread(target=_pump, args=(pipe, stream), daemon=True).start()
        try:
            header, _ = process.receive(time.monotonic() + _START_SECONDS)
        except StudentTrouble as trouble:  # of our own making: no student code has run yet
            process.end()
            raise SandboxBroken(f"a process for student code did not start ({trouble})") from None
        process.layers = json.loads(header)["ready"]
        return process

    def _start(self, port: int, scratch: str) -> subprocess.Popen[bytes]:
        package = str(Path(grader.__file__).parent.parent)
        code = (
            f"import sys; sys.path.insert(0, {package!r}); "
            "from grader.sandbox.backends.spawned import connect_and_serve; "
            f"connect_and_serve({port}, {list(self._preload)!r})"
        )
        return subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment,
            cwd=scratch,
        )

    def sweep(self) -> None:
        """See `Sandbox.sweep`."""
        for process, scratch in self._running:
            _end(process, scratch)
        self._running.clear()

    def close(self) -> None:
        """See `Sandbox.close`."""
        self.sweep()


def _accept(server: socket.socket, started: subprocess.Popen[bytes], secret: str) -> socket.socket:
    """The connection of the process that knows the secret; others are hung up on."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and started.poll() is None:
        server.settimeout(1)
        try:
            connection, _ = server.accept()
            connection.settimeout(5)
            if secrets.compare_digest(connection.recv(_SECRET_BYTES), secret.encode("ascii")):
                return connection
            connection.close()
        except TimeoutError:
            continue
    raise SandboxBroken("a process for student code did not start")


def _pump(pipe: IO[bytes] | None, stream: Printed) -> None:
    with contextlib.suppress(OSError, ValueError):
        while pipe is not None and (chunk := os.read(pipe.fileno(), 1 << 16)):
            stream.feed(chunk)


def _end(process: subprocess.Popen[bytes], scratch: str) -> ExitFacts:
    process.kill()
    status = process.wait()
    with contextlib.suppress(RecursionError):
        shutil.rmtree(scratch, ignore_errors=True)
    return ExitFacts(status, 0.0, 0)


def connect_and_serve(port: int, preload: list[str]) -> None:
    """What a new interpreter does: connect back, import what is asked for, answer calls. Runs beside student code."""
    from grader.sandbox.worker import serve_connection

    secret = sys.stdin.buffer.read(_SECRET_BYTES)
    connection: Any = socket.create_connection(("127.0.0.1", port))
    connection.sendall(secret)
    for name in preload:
        importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    connection.sendall(pack_frame(json.dumps({"ready": ["time limits"]}).encode("ascii")))
    serve_connection(connection)
    os._exit(0)
