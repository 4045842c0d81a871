import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be in (0, 1] but is {rate}")
    ok = ~torch.isin(ids, torch.tensor(special_ids))
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ok
    if ok.any() and not chosen.any():
        # nothing drawn: take one position at random
        where = ok.nonzero()
        b, t = where[torch.randint(len(where), (1,), generator=generator)][0]
        chosen[b, t] = True
    return chosen


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be in (0, 1] but is {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool must not be empty")
    chosen = select_targets(ids, special_ids, generator, rate)
    p = torch.rand(ids.shape, generator=generator)
    words = random_pool[torch.randint(0, len(random_pool), ids.shape, generator=generator)]
    new = ids.clone()
    new[chosen & (p < 0.8)] = mask_id
    swap = chosen & (p >= 0.8) & (p < 0.9)
    new[swap] = words[swap]
    return new, chosen
