# CANARY-PRIVATE-corruption-wrong-ends_taken_for_special
"""You spare the first and the last position, where [CLS] and [SEP] are expected, and no others. Special tokens stand
anywhere, [SEP] in the middle and padding at the end: compare the ids with `special_ids`.

Read on: Selection, nor at the place in the row"""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    eligible = torch.ones_like(ids, dtype=torch.bool)  # (B, T)
    eligible[:, 0] = eligible[:, -1] = False
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
    branch = torch.rand(ids.shape, generator=generator)  # (B, T)
    replacement = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]  # (B, T)
    becomes_mask = selected & (branch < 0.8)  # (B, T)
    becomes_random = selected & (branch >= 0.8) & (branch < 0.9)  # (B, T)
    corrupted = torch.where(becomes_random, replacement, ids)  # (B, T)
    return corrupted.masked_fill(becomes_mask, mask_id), selected
