# CANARY-PRIVATE-corruption-wrong-rate_one_refused
"""You refuse a rate of 1. It is inside (0, 1] and selects everything that is eligible. The test is 0 < rate <= 1.

Read on: Errors, outside (0, 1] raises"""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate < 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = eligible & (torch.rand(ids.shape, generator=generator) < rate)  # (B, T)
    if eligible.any() and not selected.any():
        places = eligible.nonzero()  # (N, 2)
        row, column = places[torch.randint(len(places), (1,), generator=generator).item()]
        selected[row, column] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate < 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool is empty")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    branch = torch.rand(ids.shape, generator=generator)  # (B, T)
    replacement = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]  # (B, T)
    becomes_mask = selected & (branch < 0.8)  # (B, T)
    becomes_random = selected & (branch >= 0.8) & (branch < 0.9)  # (B, T)
    corrupted = torch.where(becomes_random, replacement, ids)  # (B, T)
    return corrupted.masked_fill(becomes_mask, mask_id), selected
