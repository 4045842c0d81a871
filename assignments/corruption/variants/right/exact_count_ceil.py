# CANARY-PRIVATE-corruption-right-exact_count_ceil
"""Exactly ceil(rate * n) of each row, drawn one after the other without replacement by torch.multinomial."""

import math

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"{rate} is no rate")
    special = set(special_ids)
    rows = []
    for row in ids.tolist():
        weights = torch.tensor([0.0 if token in special else 1.0 for token in row])  # (T,)
        n = int(weights.sum())
        picked = torch.zeros(len(row), dtype=torch.bool)  # (T,)
        if n:
            picked[torch.multinomial(weights, math.ceil(rate * n), generator=generator)] = True
        rows.append(picked)
    return torch.stack(rows)  # (B, T)


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"{rate} is no rate")
    if not len(random_pool):
        raise ValueError("nothing in random_pool")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    masked = torch.bernoulli(torch.full(ids.shape, 0.8), generator=generator).bool()  # (B, T)
    random_if_not_masked = torch.bernoulli(torch.full(ids.shape, 0.5), generator=generator).bool()  # (B, T)
    words = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]  # (B, T)
    corrupted = torch.where(selected & masked, torch.tensor(mask_id), ids)  # (B, T)
    return torch.where(selected & ~masked & random_if_not_masked, words, corrupted), selected
