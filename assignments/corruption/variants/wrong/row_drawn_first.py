# CANARY-PRIVATE-corruption-wrong-row_drawn_first
"""When the draw selects nothing, you draw a row and then a position in it. A position in a short row gets a better
chance than one in a long row: draw from all eligible positions of the batch at once.

Read on: Selection, At least one."""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = eligible & (torch.rand(ids.shape, generator=generator) < rate)  # (B, T)
    if eligible.any() and not selected.any():
        rows = eligible.any(dim=1).nonzero()[:, 0]  # (rows,)
        row = rows[torch.randint(len(rows), (1,), generator=generator).item()]
        columns = eligible[row].nonzero()[:, 0]  # (n,)
        selected[row, columns[torch.randint(len(columns), (1,), generator=generator).item()]] = True
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
