# CANARY-PRIVATE-corruption-wrong-exact_counts_of_each_row
"""You deal the fates out in each row, int(0.8 * m) of its m selected positions for [MASK]. With few positions the
rounding shifts the shares, and the fates are not independent: each position draws on its own.

Read on: Corruption, And these numbers are averages."""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = eligible & (torch.rand(ids.shape, generator=generator) < rate)  # (B, T)
    if eligible.any() and not selected.any():
        places = eligible.nonzero()  # (N, 2)
        row, column = places[torch.randint(len(places), (1,), generator=generator).item()]
        selected[row, column] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool is empty")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    branch = torch.ones(ids.shape)  # (B, T)
    for row, places in enumerate(selected):
        where = places.nonzero()[:, 0]  # (m,)
        where = where[torch.randperm(len(where), generator=generator)]  # (m,)
        masks, randoms = int(0.8 * len(where)), int(0.1 * len(where))
        branch[row, where[:masks]] = 0.0
        branch[row, where[masks : masks + randoms]] = 0.85
    replacement = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]  # (B, T)
    becomes_mask = selected & (branch < 0.8)  # (B, T)
    becomes_random = selected & (branch >= 0.8) & (branch < 0.9)  # (B, T)
    corrupted = torch.where(becomes_random, replacement, ids)  # (B, T)
    return corrupted.masked_fill(becomes_mask, mask_id), selected
