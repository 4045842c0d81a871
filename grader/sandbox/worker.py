"""The worker: the code of ours that runs in the student process, and answers the judge's calls.

It runs in the student process, beside code that may rewrite it: nothing here is a boundary. What it reports is the
student's word, which the judge checks as such; all that it promises is to be of use to honest code. It imports the
submission from the bytes that it is sent, never from disk, answers one call at a time, and puts torch's, numpy's and
Python's global switches back between checks. It knows no tests, no reference and no other submission.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import io
import json
import random
import sys
from collections.abc import Callable
from typing import Any

from grader.sandbox import loading, switches
from grader.sandbox.clock import Clock
from grader.wire import calls
from grader.wire.frames import pack_frame, read_frame
from grader.wire.values import Encoder, Generator, Handle


class Worker:
    """Answers calls until the judge hangs up. `read` returns exactly n bytes, `write` sends all of them."""

    def __init__(self, read: Callable[[int], bytes], write: Callable[[bytes], None]) -> None:
        self._read = read
        self._write = write
        self._clock = Clock()
        self._module: Any = None
        self._kept: dict[int, Any] = {}
        self._next_handle = 1
        self._switches = switches.current()
        self._operations: dict[str, Callable[[dict[str, Any]], Any]] = {
            calls.LOAD: self._load,
            calls.RESET: self._reset,
            calls.CALL: self._call,
            calls.CALLS: self._calls,
            calls.FETCH: self._fetch,
            calls.VJP: self._vjp,
            calls.STATE: self._state,
            calls.PARAMETERS: self._parameters,
            calls.LOAD_STATE: self._load_state,
            calls.GLOBALS: self._globals,
        }

    def serve(self) -> None:
        """Answer one call after the other; returns when the judge closes the connection."""
        while True:
            try:
                header, payload = read_frame(self._read)
            except EOFError:
                return
            frame = self._answer(calls.parse_request(header, payload))
            flush_output()
            self._write(frame)

    def _answer(self, request: calls.Request) -> bytes:
        """The reply to one call; student code runs on the clock, and nothing else does."""
        generators: dict[int, Any] = {}
        encoder = Encoder(keep=self._keep)
        kind = "ok"
        switched: list[str] | None = None if request.reset is None else []
        try:
            self._clock.start(request.seconds)
            try:
                if switched is not None:
                    switched += self._reset({"seed": request.reset})
                tree = encoder.tree(self._operations[request.operation](self._received(request.arguments, generators)))
            except BaseException as error:  # student code may raise anything, SystemExit and KeyboardInterrupt too
                kind, encoder, tree = "err", Encoder(), loading.error_report(error)
            finally:
                self._clock.stop()
            return _reply_frame(request.nonce, kind, tree, encoder, generators, switched)
        except BaseException as error:  # the clock's, or of a reply that is larger than the wire takes
            self._clock.stop()
            return _reply_frame(request.nonce, "err", loading.error_report(error), Encoder(), generators, switched)

    def _keep(self, value: Any) -> int:
        number = self._next_handle
        self._next_handle += 1
        self._kept[number] = value
        return number

    def _received(self, value: Any, generators: dict[int, Any]) -> Any:
        """Arguments with handles replaced by their objects and generator states by generators, one a number."""
        if isinstance(value, Handle):
            return self._kept[value.number]
        if isinstance(value, Generator):
            if value.number not in generators:
                import torch

                generators[value.number] = torch.Generator()
                generators[value.number].set_state(torch.frombuffer(bytearray(value.state), dtype=torch.uint8).clone())
            return generators[value.number]
        if type(value) is dict:
            return {key: self._received(item, generators) for key, item in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._received(item, generators) for item in value)
        return value

    def _target(self, path: list[Any]) -> Any:
        """The object that a path names: an object that was kept, or the submission, then attributes."""
        start, *names = path
        target = self._module if start is None else start
        for name in names:
            target = getattr(target, name)
        return target

    def _load(self, arguments: dict[str, Any]) -> dict[str, Any]:
        wanted = loading.Wanted(
            files={name: content.decode("utf-8") for name, content in arguments["files"].items()},
            main=arguments["main"],
            required=tuple(arguments["required"]),
            seconds=arguments["seconds"],
            only_definitions=arguments["definitions_only"],
            cells=tuple((first, last) for first, last in arguments.get("cells", ())),
            skip=frozenset(arguments.get("skip", ())),
        )
        loaded = loading.load_submission(wanted, self._clock)
        self._module = loaded.module
        return loaded.report(wanted.required)

    def _reset(self, arguments: dict[str, Any]) -> list[str]:
        self._kept.clear()
        changed = switches.restore(self._switches)
        seed_everything(arguments["seed"])
        return changed

    def _call(self, arguments: dict[str, Any]) -> Any:
        args = _positional(arguments)
        result = self._target(arguments["target"])(*args, **arguments["kwargs"])
        return (result, tuple(args)) if arguments["inspect"] else result

    def _calls(self, arguments: dict[str, Any]) -> list[Any]:
        target = self._target(arguments["target"])
        return [target(*_positional(call), **call["kwargs"]) for call in arguments["calls"]]

    def _globals(self, arguments: dict[str, Any]) -> dict[str, str]:
        if arguments["seed"] is not None:
            seed_everything(arguments["seed"])
        return global_states()

    def _fetch(self, arguments: dict[str, Any]) -> Any:
        return self._target(arguments["target"])

    def _vjp(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """A vector-Jacobian product: gradients of inputs and parameters for a cotangent (None: of a scalar)."""
        import torch

        target = self._target(arguments["target"])
        args = _positional(arguments)
        for index in arguments["wrt"]:
            args[index] = args[index].requires_grad_(True)
        named = dict(target.named_parameters()) if isinstance(target, torch.nn.Module) else {}
        output = target(*args, **arguments["kwargs"])
        if not isinstance(output, torch.Tensor):
            return {"output": output, "requires_grad": False, "inputs": [], "parameters": {}}
        inputs = [args[index] for index in arguments["wrt"]]
        wanted = inputs + list(named.values())
        gradients: list[Any] = [None] * len(wanted)
        if output.requires_grad:
            # As a scalar: with a cotangent of its own, torch's first backward imports 487 modules, in every child.
            cotangent = arguments["cotangent"]
            scalar = output if cotangent is None else (output * cotangent).sum()
            learnable = [index for index, tensor in enumerate(wanted) if tensor.requires_grad]
            found = torch.autograd.grad(scalar, [wanted[index] for index in learnable], allow_unused=True)
            for index, gradient in zip(learnable, found, strict=True):
                gradients[index] = gradient
        return {
            "output": output,
            "requires_grad": output.requires_grad,
            "inputs": gradients[: len(inputs)],
            "parameters": dict(zip(named, gradients[len(inputs) :], strict=True)),
        }

    def _state(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return dict(self._target(arguments["target"]).state_dict())

    def _parameters(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return dict(self._target(arguments["target"]).named_parameters())

    def _load_state(self, arguments: dict[str, Any]) -> None:
        """Copies by parameter name; buffers of the student's own are left alone."""
        import torch

        target = self._target(arguments["target"])
        own = dict(target.named_parameters())
        given = arguments["state"]
        if own.keys() != given.keys() or any(own[name].shape != given[name].shape for name in own):
            expected = ", ".join(f"{name} {tuple(given[name].shape)}" for name in sorted(given))
            found = ", ".join(f"{name} {tuple(own[name].shape)}" for name in sorted(own)) or "none"
            raise ValueError(f"the parameters must be {expected}; yours are {found}")
        with torch.no_grad():
            for name, parameter in own.items():
                parameter.copy_(given[name])


def _positional(call: dict[str, Any]) -> list[Any]:
    """The positional arguments of a call, with those that were sent as views made so."""
    args = list(call["args"])
    for index, (shape, strides, offset) in call["views"].items():
        args[index] = args[index].as_strided(shape, strides, offset)
    return args


def _reply_frame(
    nonce: str, kind: str, tree: Any, encoder: Encoder, generators: dict[int, Any], switched: list[str] | None = None
) -> bytes:
    """A reply as one frame; raises FrameError, a ValueError, if it is larger than the wire takes."""
    reply = {"n": nonce, kind: tree}
    if switched is not None:
        reply["sw"] = switched
    if generators:
        reply["gen"] = [encoder.tree(Generator(g.get_state().numpy().tobytes(), n)) for n, g in generators.items()]
    return pack_frame(json.dumps(reply).encode("ascii"), encoder.payload)


def seed_everything(seed: int) -> None:
    """Seed Python's, numpy's and torch's global generators; a fork copies them, it does not reseed."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        # The CPU's generator alone: torch.manual_seed looks for devices first, on every call.
        sys.modules["torch"].default_generator.manual_seed(seed)


def global_states() -> dict[str, str]:
    """A digest of the state of each global generator of Python, numpy and torch, as far as they are imported."""
    states = {"Python": repr(random.getstate())}
    if "numpy" in sys.modules:
        name, key, *rest = sys.modules["numpy"].random.get_state()
        states["numpy"] = repr((name, key.tolist(), rest))
    if "torch" in sys.modules:
        states["torch"] = repr(sys.modules["torch"].default_generator.get_state().tolist())
    return {name: hashlib.sha256(state.encode()).hexdigest() for name, state in states.items()}


def flush_output() -> None:
    """Send what student code printed on its way; a stream that it closed or replaced is its own affair."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def rehearse() -> None:
    """Go once through what every process does for its first call; for a zygote, whose forks then have it behind them.

    Without student code and without a backward, which a fork does not survive everywhere.
    """
    switches.restore(switches.current())
    seed_everything(0)
    arguments = _rehearsed_arguments()
    packed = calls.pack_request("0" * 16, calls.CALL, arguments, 1.0)
    request = calls.parse_request(*read_frame(io.BytesIO(packed.frame).read))
    encoder = Encoder()
    _reply_frame(request.nonce, "ok", encoder.tree(request.arguments), encoder, {})


def _rehearsed_arguments() -> dict[str, Any]:
    torch = sys.modules.get("torch")
    values: tuple[Any, ...] = (1, 0.5, "text", [True, None])
    if torch is not None:
        values += (torch.zeros(2, 3), torch.zeros(2, dtype=torch.int64), torch.zeros(2, dtype=torch.bool))
    return {"target": [None, "name"], "args": values, "kwargs": {}, "views": {}, "inspect": False}


def serve_connection(connection: Any) -> None:
    """Serve calls on a connected stream socket until the other side closes it."""
    if not faulthandler.is_enabled():  # a warm zygote has done it, with memory that no limit can refuse
        faulthandler.enable(2, all_threads=False)
    incoming = connection.makefile("rb", buffering=1 << 16)

    def read_exactly(length: int) -> bytes:
        content = incoming.read(length)
        if len(content) < length:
            raise EOFError
        return bytes(content)

    Worker(read_exactly, connection.sendall).serve()
