# CANARY-PRIVATE-corruption-right-draws_until_something_is_selected
"""Draws the whole batch again until something is selected: given that, every eligible position is equally likely."""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not (0 < rate and rate <= 1):
        raise ValueError(f"rate must satisfy 0 < rate <= 1; you gave {rate}")
    eligible = torch.ones(ids.shape, dtype=torch.bool)
    for s in special_ids:
        eligible &= ids.ne(s)
    chance = eligible.double() * rate  # (B, T)
    while True:
        selected = torch.bernoulli(chance, generator=generator) == 1  # (B, T)
        if selected.any() or not eligible.any():
            return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not (0 < rate and rate <= 1):
        raise ValueError(f"rate must satisfy 0 < rate <= 1; you gave {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool must contain at least one id")
    selected = select_targets(ids, special_ids, generator, rate)
    positions = selected.nonzero(as_tuple=True)
    n = len(positions[0])
    new = ids[positions]  # (n,)
    kind = torch.multinomial(torch.tensor([8.0, 1.0, 1.0]), n, True, generator=generator) if n else new
    new = torch.where(kind == 0, torch.full_like(new, mask_id), new)
    randoms = torch.randint(len(random_pool), (n,), generator=generator)
    new = torch.where(kind == 1, random_pool[randoms], new)
    return ids.index_put(positions, new), selected
