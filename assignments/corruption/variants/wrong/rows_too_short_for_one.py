# CANARY-PRIVATE-corruption-wrong-rows_too_short_for_one
"""You select round(rate * n) positions of each row, which is 0 for rows of up to three words. At least one must be
selected: max(1, round(rate * n)).

Read on: Selection, an exact count"""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = torch.zeros_like(eligible)  # (B, T)
    for row, places in enumerate(eligible):
        where = places.nonzero()[:, 0]  # (n,)
        order = torch.randperm(len(where), generator=generator)  # (n,)
        selected[row, where[order[: round(rate * len(where))]]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
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
