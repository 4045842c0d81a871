# CANARY-PRIVATE-corruption-right-exact_count_floor
"""Exactly floor(rate * n) of each row, one at least: random keys, of which each row keeps the smallest ones."""

import math

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate should be > 0 and <= 1 but is {rate:g}")
    special = torch.isin(ids, torch.as_tensor(special_ids))  # (B, T)
    keys = torch.rand(ids.shape, generator=generator) + 2 * special  # (B, T), special ones beyond all others
    rank = keys.argsort(dim=1).argsort(dim=1)  # (B, T)
    numbers = [max(1, math.floor(rate * n + 1e-9)) for n in (~special).sum(dim=1).tolist()]
    count = torch.tensor(numbers)[:, None]  # (B, 1)
    return (rank < count) & ~special  # (B, T)


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate should be > 0 and <= 1 but is {rate:g}")
    if random_pool.numel() == 0:
        raise ValueError("random_pool should hold a token but is empty")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    keep_prob, random_prob = 0.1, 0.1
    weights = torch.tensor([1 - keep_prob - random_prob, random_prob, keep_prob])  # (3,)
    branch = torch.multinomial(weights, ids.numel(), replacement=True, generator=generator).view_as(ids)  # (B, T)
    words = torch.randint(len(random_pool), ids.shape, generator=generator)  # (B, T)
    options = torch.stack([torch.full_like(ids, mask_id), random_pool[words], ids])  # (3, B, T)
    corrupted = options.gather(0, branch[None])[0]  # (B, T)
    return torch.where(selected, corrupted, ids), selected
