"""The state of a generator that a call moved: where student code may have taken it, and nowhere else.

Runs in the judge. A torch.Generator crosses to the student process as its state and comes back as another; what comes
back is the student's word. Torch believes any state that has the right length: one with a false position makes later
draws read past the end of its table, one of zeros makes all later draws alike. So a state is taken over only if the one
that was sent leads to it by drawing; else the judge's generator goes where nobody can foresee it.

Layout: CPUGeneratorImplState of torch's aten/src/ATen/CPUGeneratorImpl.cpp. The twister is MT19937 (Matsumoto and
Nishimura, 1998), of which numpy has the same.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import numpy as np

STATE_BYTES = 5056
MAX_TWISTS = 200_000
"""Times 624 draws: several hundred for each position of a batch of 170 000. They take a second to follow."""
_FIRST_TWISTS, _AT_ONCE = 4, 500
"""Twists made before the first look, and at most between two looks: most calls draw little."""
_WORDS = 624
_HEAD = struct.Struct("<QiiQ")
"""The seed; draws left before the next twist, plus one; whether seeded; the next word's index."""


def move(generator: Any, sent: bytes, returned: bytes, salt: str) -> None:
    """Take a torch.Generator from the state `sent` to `returned`, or somewhere private if that cannot be reached.

    Raises:
        ValueError: `returned` has not the length of a state.
    """
    import torch

    if len(returned) != STATE_BYTES:
        raise ValueError("the generator state that it sent back is none")
    reached = follow(sent, returned)
    if reached is None:
        digest = hashlib.sha256(salt.encode() + returned).digest()
        generator.manual_seed(int.from_bytes(digest[:7], "big"))
        return
    generator.set_state(torch.frombuffer(bytearray(reached), dtype=torch.uint8))


def follow(sent: bytes, returned: bytes) -> bytes | None:
    """The state at the position of `returned`, made by drawing from `sent`; None if no number of draws leads there.

    A normal number that torch keeps for later is dropped.
    """
    if returned == sent:
        return sent
    seed, left, seeded, index = _HEAD.unpack_from(returned)
    sent_seed, _, _, sent_index = _HEAD.unpack_from(sent)
    if seed != sent_seed or seeded != 1 or not 1 <= index <= _WORDS or left + index != _WORDS + 1:
        return None
    wanted, words = _table(returned), _table(sent)
    if np.array_equal(wanted, words):
        return _state(seed, words, index) if index >= sent_index else None
    if wanted.max() >> 32 or not wanted.any():
        return None
    twister = np.random.MT19937()
    key = words.astype(np.uint32)
    twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": _WORDS}}
    drawn = _tempered(wanted)
    made, more = 0, _FIRST_TWISTS
    while made < MAX_TWISTS:
        tables = twister.random_raw(more * _WORDS).reshape(more, _WORDS)  # (more, 624)
        made, more = made + more, min(2 * more, _AT_ONCE)
        candidates = tables[tables[:, 0] == drawn[0]]  # (few, 624)
        if (candidates == drawn).all(axis=1).any():
            return _state(seed, wanted, index)
    return None


def _tempered(words: np.ndarray[Any, np.dtype[np.uint64]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """What the twister puts out for the words of its table, one to one."""
    mixed = words.copy()  # (624,)
    mixed ^= mixed >> np.uint64(11)
    mixed ^= (mixed << np.uint64(7)) & np.uint64(0x9D2C5680)
    mixed ^= (mixed << np.uint64(15)) & np.uint64(0xEFC60000)
    mixed ^= mixed >> np.uint64(18)
    return mixed  # (624,)


def _table(state: bytes) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.frombuffer(state, dtype="<u8", count=_WORDS, offset=_HEAD.size)  # (624,)


def _state(seed: int, words: np.ndarray[Any, np.dtype[np.uint64]], index: int) -> bytes:
    content = _HEAD.pack(seed, _WORDS + 1 - index, 1, index) + words.astype("<u8").tobytes()
    return content.ljust(STATE_BYTES, b"\0")
