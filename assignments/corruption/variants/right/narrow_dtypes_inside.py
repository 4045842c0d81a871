# CANARY-PRIVATE-corruption-right-narrow_dtypes_inside
"""Small dtypes on the way: int32 ids, uint8 masks, half the numbers as float64; the results are int64 and bool."""

import torch


def _allowed(ids, special_ids):
    table = torch.tensor(special_ids, dtype=torch.int32)
    hit = (ids.int()[None] == table[:, None, None]).to(torch.uint8)  # (S, B, T)
    return 1 - hit.amax(dim=0)  # (B, T) uint8


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate ({rate}) should be in the half-open interval from 0 to 1")
    allowed = _allowed(ids, special_ids)
    numbers = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    selected = (numbers < rate).to(torch.uint8) * allowed
    if int(allowed.sum()) > 0 and int(selected.sum()) == 0:
        # The largest of independent keys is at each of the allowed places with the same chance.
        keys = torch.rand(ids.shape, generator=generator, dtype=torch.float64) + 1
        best = int((keys * allowed).argmax())
        selected.view(-1)[best] = 1
    return selected.bool()


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate ({rate}) should be in the half-open interval from 0 to 1")
    if random_pool.numel() < 1:
        raise ValueError("random_pool has length 0")
    chosen = select_targets(ids, special_ids, generator, rate).long()
    u = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    w = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    index = (w * random_pool.numel()).floor().long().clamp(max=random_pool.numel() - 1)
    is_mask = chosen * (u < 0.8)
    is_random = chosen * (u >= 0.8) * (u < 0.9)
    corrupted = ids * (1 - is_mask - is_random) + mask_id * is_mask + random_pool[index] * is_random
    return corrupted, chosen == 1
