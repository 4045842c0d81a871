# CANARY-PRIVATE-corruption-wrong-errors_not_raised
"""You accept any rate and any pool. A rate outside (0, 1] and an empty pool raise ValueError: without that, a rate of
15 selects everything and nobody notices.

Read on: Errors, outside (0, 1] raises"""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = eligible & (torch.rand(ids.shape, generator=generator) < rate)  # (B, T)
    if eligible.any() and not selected.any():
        places = eligible.nonzero()  # (N, 2)
        row, column = places[torch.randint(len(places), (1,), generator=generator).item()]
        selected[row, column] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    branch = torch.rand(ids.shape, generator=generator)  # (B, T)
    index = torch.randint(max(1, len(random_pool)), ids.shape, generator=generator)  # (B, T)
    replacement = random_pool[index] if len(random_pool) else ids  # (B, T)
    becomes_mask = selected & (branch < 0.8)  # (B, T)
    becomes_random = selected & (branch >= 0.8) & (branch < 0.9)  # (B, T)
    corrupted = torch.where(becomes_random, replacement, ids)  # (B, T)
    return corrupted.masked_fill(becomes_mask, mask_id), selected
