# CANARY-PRIVATE-corruption-right-one_forced_in_every_row
"""Independent choice, and one position forced in each row that got none. Results are views of transposed tensors."""

import torch


def eligible_positions(ids, special_ids):
    specials = torch.tensor(special_ids)  # (S,)
    return (ids.unsqueeze(-1) != specials).all(dim=-1)  # (B, T)


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate: {rate}")
    ok = eligible_positions(ids, special_ids).T.contiguous()  # (T, B)
    keys = torch.empty(ok.shape).uniform_(generator=generator)  # (T, B)
    selected = ok & (keys < rate)  # (T, B)
    lowest = keys.masked_fill(~ok, 2.0).argmin(dim=0)  # (B,)
    forced = torch.zeros_like(ok).scatter_(0, lowest[None], True)  # (T, B)
    missing = ~selected.any(dim=0)  # (B,)
    return (selected | (forced & ok & missing)).T  # (B, T), not contiguous


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate: {rate}")
    if random_pool.size(0) == 0:
        raise ValueError("random_pool: empty")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    u = torch.empty(ids.T.shape).uniform_(generator=generator).T  # (B, T)
    pick = torch.empty(ids.T.shape, dtype=torch.int64).random_(random_pool.size(0), generator=generator).T  # (B, T)
    corrupted = ids.T.clone().T  # (B, T), not contiguous
    corrupted = torch.where(selected & (u < 0.8), torch.full_like(corrupted, mask_id), corrupted)
    corrupted = torch.where(selected & (u >= 0.8) & (u < 0.9), random_pool.take(pick), corrupted)
    return corrupted, selected
