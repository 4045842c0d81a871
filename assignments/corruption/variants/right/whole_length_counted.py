# CANARY-PRIVATE-corruption-right-whole_length_counted
"""Counts on the length of the row for how many to draw, as original BERT does, and never takes more than there are."""

import torch


def _rows(ids, special_ids, generator, rate):
    special = torch.tensor(sorted(special_ids))
    for tokens in ids:
        places = (~torch.isin(tokens, special)).nonzero()[:, 0]  # (n,)
        wanted = max(1, int(round(len(tokens) * rate)))
        shuffled = places[torch.randperm(len(places), generator=generator)]  # (n,)
        yield shuffled[: min(wanted, len(places))]


def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0:
        raise ValueError("impossible rate %s" % rate)
    torch.rand(1, generator=generator)  # a permutation of a single place draws nothing
    out = torch.full(ids.shape, False)
    for b, chosen in enumerate(_rows(ids, special_ids, generator, rate)):
        out[b].index_fill_(0, chosen, True)
    return out


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0:
        raise ValueError("impossible rate %s" % rate)
    if random_pool.nelement() == 0:
        raise ValueError("random_pool has no elements")
    targets = select_targets(ids, special_ids, generator, rate=rate)
    result = ids.clone()
    prob = torch.rand(ids.size(), generator=generator)
    result = result.masked_fill(targets & prob.lt(0.8), mask_id)
    to_random = targets & prob.ge(0.9)
    index = torch.randint(0, random_pool.nelement(), ids.size(), generator=generator)
    result[to_random] = random_pool[index][to_random]
    return result, targets
