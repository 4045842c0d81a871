# CANARY-PRIVATE-corruption-right-python_random_private
"""Python lists and a private random.Random, seeded by a draw; tensors only at the two ends. Returns a list of two."""

from random import Random

import torch


def _rng(generator):
    return Random(int(torch.randint(1 << 60, (1,), generator=generator)))


def _choose(rows, special, rng, rate):
    places = [(b, t) for b, row in enumerate(rows) for t, token in enumerate(row) if token not in special]
    chosen = {place for place in places if rng.random() < rate}
    if places and not chosen:
        chosen.add(rng.choice(places))
    return chosen


def _to_mask(ids, chosen):
    mask = torch.zeros(ids.shape, dtype=torch.bool)
    for b, t in chosen:
        mask[b, t] = True
    return mask


def select_targets(ids, special_ids, generator, rate=0.15):
    if rate <= 0 or 1 < rate:
        raise ValueError(f"A rate of {rate} makes no sense.")
    return _to_mask(ids, _choose(ids.tolist(), frozenset(special_ids), _rng(generator), rate))


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate <= 0 or 1 < rate:
        raise ValueError(f"A rate of {rate} makes no sense.")
    pool = random_pool.tolist()
    if not pool:
        raise ValueError("`random_pool` is empty.")
    rng = _rng(generator)
    rows = ids.tolist()
    chosen = _choose(rows, frozenset(special_ids), rng, rate)
    for b, t in sorted(chosen):
        kind = rng.choices(("mask", "random", "same"), weights=(8, 1, 1))[0]
        if kind == "mask":
            rows[b][t] = mask_id
        elif kind == "random":
            rows[b][t] = rng.choice(pool)
    return [torch.tensor(rows, dtype=torch.int64), _to_mask(ids, chosen)]
