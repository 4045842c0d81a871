"""Global switches of Python, numpy and torch that student code may leave behind.

Runs in the student process, which imports the submission once and then answers many checks: what one check's code
switched (gradients off, another default dtype) must not decide the next one. `current` reads the switches, `restore`
puts them back and names those that had moved.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

NAMES = (
    "torch.set_grad_enabled",
    "torch.set_default_dtype",
    "torch.set_num_threads",
    "torch.set_default_device",
    "torch.use_deterministic_algorithms",
    "torch.set_anomaly_enabled",
    "torch.set_flush_denormal",
    "numpy.seterr",
    "sys.setrecursionlimit",
    "os.chdir",
)
"""What `restore` may name; the judge takes no other word for a switch."""

Switch = tuple[str, Callable[[], Any], Callable[[Any], Any]]


def _torch_switches() -> list[Switch]:
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    return [
        ("torch.set_grad_enabled", torch.is_grad_enabled, torch.set_grad_enabled),
        ("torch.set_default_dtype", torch.get_default_dtype, torch.set_default_dtype),
        ("torch.set_num_threads", torch.get_num_threads, torch.set_num_threads),
        ("torch.set_default_device", torch.get_default_device, _set_default_device),
        (
            "torch.use_deterministic_algorithms",
            torch.are_deterministic_algorithms_enabled,
            _set_deterministic,
        ),
        ("torch.set_anomaly_enabled", torch.is_anomaly_enabled, torch.set_anomaly_enabled),
        ("torch.set_flush_denormal", _flushes_denormals, torch.set_flush_denormal),
    ]


def _set_deterministic(mode: bool) -> None:
    # torch.use_deterministic_algorithms imports its compiler's settings first, for seconds.
    sys.modules["torch"]._C._set_deterministic_algorithms(mode, warn_only=False)


def _numpy_switches() -> list[Switch]:
    numpy = sys.modules.get("numpy")
    return [] if numpy is None else [("numpy.seterr", numpy.geterr, lambda wanted: numpy.seterr(**wanted))]


def _set_default_device(device: Any) -> None:
    torch = sys.modules["torch"]
    # None removes the mode that a set device leaves on every call.
    torch.set_default_device(None if device == torch.device("cpu") else device)


def _flushes_denormals() -> bool:
    torch = sys.modules["torch"]
    return bool(torch.tensor(1e-40, dtype=torch.float32, device="cpu").mul(1.0).item() == 0.0)


def _switches() -> list[Switch]:
    return [
        *_torch_switches(),
        *_numpy_switches(),
        ("sys.setrecursionlimit", sys.getrecursionlimit, sys.setrecursionlimit),
        ("os.chdir", os.getcwd, os.chdir),
        ("warnings filters", lambda: list(warnings.filters), _set_filters),
    ]


def _set_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]


def current() -> dict[str, Any]:
    """The present position of every switch, by its name."""
    return {name: read() for name, read, _ in _switches()}


def restore(wanted: dict[str, Any]) -> list[str]:
    """Put every switch back to its position in `wanted`; returns the names of those that had moved."""
    moved = []
    for name, read, write in _switches():
        try:
            same = read() == wanted[name]
        except Exception:  # the working folder may be gone
            same = False
        if not same:
            moved.append(name)
            with contextlib.suppress(Exception):
                write(wanted[name])
    return [name for name in moved if name != "warnings filters"]
