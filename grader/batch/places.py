"""Who in a cluster may be given the next submission: workers that come and go, and how many each may hold.

Runs in the command; used by many threads at once. It knows nothing of how workers are reached. A submission that was
out when workers were lost may ask to be alone on the next one: then what happens there is its own doing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

OUT_PER_SLOT = 2
"""One is being judged and one is on its way, so that no slot waits for the network."""


class Stopped(Exception):
    """The run is over; nothing more is given out."""


class Place:
    """Room for one submission on a worker; `woken` is set when the worker is lost, and by whoever has news of it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.woken = threading.Event()
        self.lost = False


class _Worker:
    """`alone`: a submission has the worker to itself, or waits until it has."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.alone = False
        self.out: set[Place] = set()

    @property
    def is_open(self) -> bool:
        return not self.alone and len(self.out) < self.slots * OUT_PER_SLOT


class Places:
    """The places of all workers that are ready."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._workers: dict[str, _Worker] = {}
        self._stopped = False

    @property
    def count(self) -> int:
        """How many submissions may be out at once."""
        with self._changed:
            return sum(worker.slots * OUT_PER_SLOT for worker in self._workers.values())

    def add(self, address: str, slots: int) -> None:
        """A worker is ready."""
        with self._changed:
            self._workers[address] = _Worker(slots)
            self._changed.notify_all()

    def lose(self, address: str) -> bool:
        """A worker is gone: whoever has a submission there learns of it. False if it was not here."""
        with self._changed:
            worker = self._workers.pop(address, None)
            for place in worker.out if worker else ():
                place.lost = True
                place.woken.set()
            self._changed.notify_all()
            return worker is not None

    def stop(self) -> None:
        """Give out nothing more; all who wait or have a submission out are woken."""
        with self._changed:
            self._stopped = True
            addresses = list(self._workers)
        for address in addresses:
            self.lose(address)
        with self._changed:
            self._changed.notify_all()

    @contextlib.contextmanager
    def take(self, alone: bool = False) -> Iterator[Place]:
        """A place on the worker that has least to do, as soon as there is one; `alone`, with nothing beside it.

        Raises:
            Stopped: the run is over.
        """
        with self._changed:
            worker, place = self._take_alone() if alone else self._take()
        try:
            yield place
        finally:
            with self._changed:
                worker.out.discard(place)
                if alone:
                    worker.alone = False
                self._changed.notify_all()

    def _take(self) -> tuple[_Worker, Place]:
        address = self._least_busy()
        worker, place = self._workers[address], Place(address)
        worker.out.add(place)
        return worker, place

    def _take_alone(self) -> tuple[_Worker, Place]:
        while True:
            address = self._least_busy()
            worker, place = self._workers[address], Place(address)
            worker.alone = True
            while worker.out and self._workers.get(address) is worker:
                self._changed.wait()
            self._refuse_when_stopped()
            if self._workers.get(address) is worker:
                worker.out.add(place)
                return worker, place

    def _least_busy(self) -> str:
        while True:
            self._refuse_when_stopped()
            loads = {
                address: len(worker.out) / worker.slots for address, worker in self._workers.items() if worker.is_open
            }
            if loads:
                return min(loads, key=lambda address: loads[address])
            self._changed.wait()

    def _refuse_when_stopped(self) -> None:
        if self._stopped:
            raise Stopped
