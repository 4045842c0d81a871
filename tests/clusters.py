"""A Dask cluster on this machine for tests: a scheduler and workers, processes of their own, started as people do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
START_SECONDS = 60


class LocalCluster:
    """`address` of the scheduler; workers by name. Their logs and local folders lie in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        told = folder / "scheduler.json"
        command = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)]
        self.scheduler = self._start("scheduler", command)
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.address = json.loads(_when_there(told))["address"]

    def add_worker(self, name: str, *options: str, preload: str = "", nanny: bool = False) -> subprocess.Popen[bytes]:
        """A worker with one thread, unless `options` say otherwise; `preload` is a script that it runs first."""
        if preload:
            script = self.folder / f"{name}_preload.py"
            script.write_text(preload)
            options = (*options, "--preload", str(script))
        threads = () if "--nthreads" in options else ("--nthreads", "1")
        command = ["worker", self.address, "--name", name, "--no-dashboard", "--local-directory", str(self.local(name))]
        self.workers[name] = self._start(name, [*command, *threads, "--nanny" if nanny else "--no-nanny", *options])
        return self.workers[name]

    def local(self, name: str) -> Path:
        """The folder that a worker was given."""
        return self.folder / f"local-{name}"

    def log(self, name: str) -> str:
        """What a process has said."""
        return (self.folder / f"{name}.log").read_text("utf-8")

    def wait_for_workers(self) -> None:
        """Wait until every worker is registered."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if all("Registered to" in self.log(name) for name in self.workers):
                return
            time.sleep(0.1)
        raise AssertionError({name: self.log(name) for name in self.workers})

    def unpacked(self) -> list[Path]:
        """Folders with an assignment, on all workers."""
        return [path for name in self.workers for path in self.local(name).glob("**/grader-*") if path.is_dir()]

    def end(self) -> None:
        """End all processes, the scheduler last: workers that lose it while they leave do not end."""
        for processes in (list(self.workers.values()), [self.scheduler]):
            for process in processes:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
            for process in processes:
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def _start(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *command],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": paths},
                stdout=log,
                stderr=log,
            )


@contextmanager
def cluster_of(folder: Path, *workers: str, nthreads: int = 1) -> Iterator[LocalCluster]:
    """A cluster with these workers, ready."""
    cluster = LocalCluster(folder)
    try:
        for name in workers:
            cluster.add_worker(name, "--nthreads", str(nthreads))
        cluster.wait_for_workers()
        yield cluster
    finally:
        cluster.end()


def _when_there(path: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if path.is_file() and (text := path.read_text("utf-8")).rstrip().endswith("}"):
            return text
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")
