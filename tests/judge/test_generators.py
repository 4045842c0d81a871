"""Generator states that come back from student code: followed where drawing leads there, never believed."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.generators import STATE_BYTES, follow, move

HEAD = struct.Struct("<QiiQ")
DRAWS: dict[str, Callable[[torch.Generator], object]] = {
    "one": lambda g: torch.rand(1, generator=g),
    "a block": lambda g: torch.rand(624, generator=g),
    "many": lambda g: torch.rand(1_000_000, generator=g),
    "integers": lambda g: torch.randint(0, 2**40, (1000,), generator=g),
    "a permutation": lambda g: torch.randperm(50, generator=g),
    "odd normals": lambda g: torch.randn(7, generator=g),
    "normals": lambda g: torch.randn(100, generator=g),
    "doubles": lambda g: torch.empty(33, dtype=torch.double).uniform_(generator=g),
    "choices": lambda g: torch.multinomial(torch.ones(9), 3, generator=g),
    "coins": lambda g: torch.bernoulli(torch.full((1249,), 0.1), generator=g),
}


def state_of(generator: torch.Generator) -> bytes:
    """As it crosses."""
    return bytes(generator.get_state().numpy().tobytes())


def at(state: bytes) -> torch.Generator:
    """A generator in a state."""
    generator = torch.Generator()
    generator.set_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
    return generator


@pytest.mark.parametrize("name", DRAWS)
def test_drawing_is_followed(name: str) -> None:
    mine, theirs = torch.Generator().manual_seed(7), torch.Generator().manual_seed(7)
    for _ in range(3):
        sent = state_of(mine)
        DRAWS[name](theirs)
        move(mine, sent, state_of(theirs), "salt")
        assert torch.equal(
            torch.rand(1500, generator=at(state_of(mine))), torch.rand(1500, generator=at(state_of(theirs)))
        )


@given(seed=st.integers(0, 2**63 - 1), sizes=st.lists(st.integers(0, 2000), max_size=5))
@settings(max_examples=100, deadline=None)
def test_any_drawing_is_followed(seed: int, sizes: list[int]) -> None:
    generator = torch.Generator().manual_seed(seed)
    sent = state_of(generator)
    for size in sizes:
        torch.rand(size, generator=generator)
    assert follow(sent, state_of(generator)) == state_of(generator)


def hostile() -> dict[str, bytes]:
    """States that no number of draws leads to from `sent()`."""
    start = torch.Generator().manual_seed(7)
    torch.rand(900, generator=start)
    good = bytearray(state_of(start))
    seed, left, seeded, index = HEAD.unpack_from(good)

    def with_head(*fields: int) -> bytes:
        return HEAD.pack(*fields) + bytes(good[HEAD.size :])

    return {
        "past the end": with_head(seed, 624, seeded, 624),
        "far past the end": with_head(seed, left, seeded, 2**40),
        "more left than there are": with_head(seed, 2**31 - 1, seeded, index),
        "negative": with_head(seed, -5, seeded, 630),
        "not seeded": with_head(seed, left, 0, index),
        "another seed": state_of(torch.Generator().manual_seed(8)),
        "all zero": bytes(STATE_BYTES),
        "a table of zeros": bytes(good[: HEAD.size]) + bytes(STATE_BYTES - HEAD.size),
        "one bit": bytes(good[:1000]) + bytes([good[1000] ^ 1]) + bytes(good[1001:]),
        "wide words": bytes(good[: HEAD.size]) + b"\xff" * 4992 + bytes(good[HEAD.size + 4992 :]),
    }


def sent() -> bytes:
    """Where the judge's generator was."""
    return state_of(torch.Generator().manual_seed(7))


@pytest.mark.parametrize("name", hostile())
def test_a_state_that_cannot_be_reached_is_not_taken_over(name: str) -> None:
    state = hostile()[name]
    assert follow(sent(), state) is None
    drawn = []
    for salt in ("a", "a", "b"):
        generator = torch.Generator().manual_seed(7)
        move(generator, sent(), state, salt)
        drawn.append(torch.rand(700, generator=generator).tolist())
    assert drawn[0] == drawn[1] != drawn[2]  # the same for every grading, and not to be foreseen
    assert len(set(drawn[0])) > 600
    assert drawn[0] != torch.rand(700, generator=at(sent())).tolist()


def test_going_back_is_not_drawing() -> None:
    generator = torch.Generator().manual_seed(7)
    torch.rand(10, generator=generator)
    early = state_of(generator)
    torch.rand(10, generator=generator)
    assert follow(state_of(generator), early) is None


def test_a_normal_number_kept_for_later_is_dropped() -> None:
    generator = torch.Generator().manual_seed(7)
    torch.rand(3, generator=generator)
    chosen = bytearray(state_of(generator))
    chosen[5016:] = b"\x01" * (STATE_BYTES - 5016)
    reached = follow(sent(), bytes(chosen))
    assert reached == state_of(generator)


@pytest.mark.parametrize("state", [b"", b"x", bytes(STATE_BYTES - 1), bytes(STATE_BYTES + 1)])
def test_another_length_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match="generator state"):
        move(torch.Generator(), sent(), state, "")
