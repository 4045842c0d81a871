# CANARY-PRIVATE-corruption-right-tensors_in_loops
"""Loops over positions that compare tensors of one element with each other, the slowest honest way."""

import torch


def check(rate, pool=None):
    if not (rate > 0 and rate <= 1):
        raise ValueError("rate must be in (0, 1], got " + str(rate))
    if pool is not None and pool.shape[0] < 1:
        raise ValueError("random_pool is empty")


def select_targets(ids, special_ids, generator, rate=0.15):
    check(rate)
    selected = torch.zeros_like(ids).bool()
    for row, out in zip(ids, selected):
        for t, token in enumerate(row):
            special = False
            for s in special_ids:
                if token == s:
                    special = True
                    break
            if not special:
                out[t] = torch.rand(1, generator=generator)[0] < rate
    if not selected.any():
        left = [(b, t) for b, row in enumerate(ids.tolist()) for t, x in enumerate(row) if x not in special_ids]
        if left:
            selected[left[int(torch.randint(len(left), (1,), generator=generator))]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    check(rate, random_pool)
    selected = select_targets(ids, special_ids, generator, rate)
    corrupted = ids.clone()
    for b, t in torch.nonzero(selected):
        what = torch.rand((), generator=generator)
        if what < 0.8:
            corrupted[b, t] = mask_id
        elif what < 0.9:
            corrupted[b, t] = random_pool[torch.randint(random_pool.numel(), (), generator=generator)]
    return corrupted, selected
