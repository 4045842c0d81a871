import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    ok = ~torch.isin(ids, torch.tensor(special_ids))
    u = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    s = ok & (u < rate)
    if ok.any() and not s.any():
        s.view(-1)[u.masked_fill(~ok, 2).argmin()] = True
    return s

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    if len(random_pool) < 1: raise ValueError("random_pool?")
    s = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    d = torch.randint(1, 11, ids.shape, generator=generator)
    pick = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]
    out[s & (d <= 8)] = mask_id
    out[s & (d == 9)] = pick[s & (d == 9)]
    return out, out.ne(ids)
