# CANARY-PRIVATE-reference-corruption
"""What BERT is asked to recover: choose about 15% of the ordinary tokens, and hide most of them.

Two decisions are kept apart. *Which positions count* is a boolean tensor, made by `select_targets`: each eligible
position with probability `rate`, and one of them if the draw left all out. *What the model gets to see* at those
positions is decided by `corrupt`, by a second draw for each, of tenths: [MASK] for eight, a random token for one, the
token itself for the last.

All draws have the shape of the batch and come from the generator that was passed in, in a fixed order: selection,
tenths, replacement. Drawing for every position and using a few of the numbers costs little, and the answer does not
depend on loops over positions.

Shape letters: B batch, T length, P tokens in the pool, N eligible positions of the batch.
"""

from __future__ import annotations

import torch
from torch import Tensor

MASK_TENTHS = 8
RANDOM_TENTHS = 1


def select_targets(ids: Tensor, special_ids: list[int], generator: torch.Generator, rate: float = 0.15) -> Tensor:
    """Select the positions whose tokens the model must recover.

    ids: (B, T) int64; special_ids: ids that are never selected; rate: in (0, 1], else ValueError.
    Returns (B, T) bool. At least one position is selected if any is eligible.
    """
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = eligible & (torch.rand(ids.shape, generator=generator) < rate)  # (B, T)
    if eligible.any() and not selected.any():
        places = eligible.nonzero()  # (N, 2)
        chosen = torch.randint(len(places), (1,), generator=generator)  # (1,)
        row, column = places[chosen.item()]
        selected[row, column] = True
    return selected


def corrupt(
    ids: Tensor,
    special_ids: list[int],
    mask_id: int,
    random_pool: Tensor,
    generator: torch.Generator,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Select positions and replace most of their tokens: 80% by [MASK], 10% from the pool, 10% not at all.

    ids: (B, T) int64; random_pool: (P,) int64, not empty, else ValueError; the rest as in `select_targets`.
    Returns corrupted (B, T) int64 and selected (B, T) bool.
    """
    if random_pool.numel() == 0:
        raise ValueError("random_pool is empty: there is no token to draw a replacement from")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    tenth = torch.randint(10, ids.shape, generator=generator)  # (B, T)
    replacement = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]  # (B, T)
    masked = selected & (tenth < MASK_TENTHS)  # (B, T)
    replaced = selected & (tenth < MASK_TENTHS + RANDOM_TENTHS)  # (B, T), the masked ones among them
    corrupted = torch.where(replaced, replacement, ids)  # (B, T)
    return corrupted.masked_fill(masked, mask_id), selected
