# CANARY-PRIVATE-corruption-right-private_generators
"""Three private torch generators, seeded by three draws: selection, branch and replacement do not disturb each other."""

import torch


def children(generator, count):
    seeds = torch.randint(0, 2**63 - 1, (count,), generator=generator).tolist()
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def _select(ids, special_ids, generator, rate):
    eligible = torch.tensor([t not in special_ids for t in ids.reshape(-1).tolist()]).view(ids.shape)  # (B, T)
    selected = torch.logical_and(eligible, torch.rand(ids.shape, generator=generator).le(rate))  # (B, T)
    if eligible.any() and not selected.any():
        spot = torch.multinomial(eligible.flatten().float(), 1, generator=generator)  # (1,)
        selected.view(-1)[spot] = True
    return selected


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"Not a rate: {rate}")
    return _select(ids, special_ids, children(generator, 1)[0], rate)


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"Not a rate: {rate}")
    if random_pool.shape == (0,):
        raise ValueError("random_pool is an empty tensor")
    first, second, third = children(generator, 3)
    selected = _select(ids, special_ids, first, rate)  # (B, T)
    die = torch.randint(1, 11, ids.shape, generator=second)  # (B, T)
    token = random_pool.index_select(0, torch.randint(len(random_pool), (ids.numel(),), generator=third)).view_as(ids)
    out = torch.where(die <= 8, mask_id, torch.where(die == 9, token, ids))  # (B, T)
    return torch.where(selected, out, ids), selected
