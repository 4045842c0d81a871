import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"bad rate {rate}")
    u = torch.rand(ids.shape, generator=generator)
    return pick(ids, special_ids, u, generator, rate)


def pick(ids, special_ids, u, generator, rate):
    eligible = torch.ones_like(ids, dtype=torch.bool)
    for s in special_ids:
        eligible &= ids != s
    selected = eligible & (u < rate)
    if not selected.any() and eligible.any():
        flat = eligible.flatten().nonzero().flatten()
        selected.view(-1)[flat[torch.randint(len(flat), (1,), generator=generator)]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"bad rate {rate}")
    if len(random_pool) == 0:
        raise ValueError("bad random_pool")
    u = torch.rand(ids.shape, generator=generator)      # one random number for every position
    selected = pick(ids, special_ids, u, generator, rate)
    pool = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]
    corrupted = torch.where(selected & (u < 0.8), mask_id, ids)
    corrupted = torch.where(selected & (u >= 0.8) & (u < 0.9), pool, corrupted)
    return corrupted, selected
