"""The plain backend: an ordinary process with time and memory limits. It protects nothing, and says so.

Runs in the judge. For a student's own machine (`grader check`), and for `grade` only when it is told
`--isolation plain`. Where the system can fork, a warm zygote forks one process per submission; where it cannot
(Windows), each student process is a new interpreter that connects back over the loopback interface.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.assignment import Limits
from grader.sandbox.backends.interpreter import plain_arguments
from grader.sandbox.backends.spawned import SpawnSandbox
from grader.sandbox.base import Sandbox
from grader.sandbox.zygote import ZygoteSandbox

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH")


@dataclass(frozen=True)
class PlainBackend:
    """Mode `plain`; `fork` says whether a zygote is used."""

    fork: bool = hasattr(os, "fork")
    name: str = "plain"
    mode: str = "plain"

    def open(self, limits: Limits, preload: Sequence[str], slot: int) -> Sandbox:
        """See `Backend.open`."""
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        environment |= {"PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
        if not self.fork:
            return SpawnSandbox(limits.output_kb << 10, environment, tuple(preload))
        settings = {
            "namespaces": False,
            "filtered": False,
            "readable": None,
            "preload": list(preload),
            "memory": limits.memory_mb << 20,
            "scratch_bytes": limits.scratch_mb << 20,
            "scratch_files": limits.scratch_files,
        }
        arguments = plain_arguments()
        return ZygoteSandbox(
            "plain",
            lambda descriptor: [*arguments, str(descriptor), json.dumps(settings)],
            environment,
            limits.output_kb << 10,
        )
