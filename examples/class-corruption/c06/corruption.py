import random

import torch


def seed_all(generator):
    s = torch.randint(2 ** 31, (1,), generator=generator).item()
    torch.manual_seed(s)
    random.seed(s)


def _select(ids, special_ids, rate):
    places = [(b, t) for b in range(ids.shape[0]) for t in range(ids.shape[1]) if ids[b, t].item() not in special_ids]
    sel = torch.zeros(ids.shape, dtype=torch.bool)
    for b, t in places:
        if random.random() < rate:
            sel[b, t] = True
    if places and not sel.any():
        sel[random.choice(places)] = True
    return sel


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate: {rate}")
    seed_all(generator)
    return _select(ids, special_ids, rate)


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate: {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool: empty")
    seed_all(generator)
    sel = _select(ids, special_ids, rate)
    new = ids.clone()
    pool = random_pool.tolist()
    for b, t in sel.nonzero().tolist():
        u = random.random()
        if u < 0.8:
            new[b, t] = mask_id
        elif u < 0.9:
            new[b, t] = random.choice(pool)
    return new, sel
