import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if rate <= 0 or rate > 1:
        raise ValueError(f"rate = {rate}")
    special = torch.isin(ids, torch.tensor(special_ids))
    selected = (torch.rand(ids.shape, generator=generator) < rate) & ~special
    if not selected.any() and not special.all():
        where = (~special).nonzero()                    # make sure there is one
        one = where[torch.randint(len(where), (1,), generator=generator)][0]
        selected[one[0], one[1]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate <= 0 or rate > 1:
        raise ValueError(f"rate = {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool = []")
    selected = select_targets(ids, special_ids, generator, rate)
    fate = torch.randint(10, ids.shape, generator=generator)
    ids[selected & (fate < 8)] = mask_id
    r = selected & (fate == 8)
    ids[r] = random_pool[torch.randint(len(random_pool), (int(r.sum()),), generator=generator)]
    return ids, selected
