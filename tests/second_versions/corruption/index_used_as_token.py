import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    ok = torch.tensor([[x not in special_ids for x in r] for r in ids.tolist()])
    u = torch.rand(ids.shape, generator=generator)
    s = ok & (u < rate)
    if ok.any() and not s.any():
        s.view(-1)[u.masked_fill(~ok, 2).argmin()] = True
    return s

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    if len(random_pool) < 1: raise ValueError("random_pool?")
    s = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    for b, t in s.nonzero():
        u = torch.rand((), generator=generator)
        if u < .8: out[b, t] = mask_id
        elif u < .9: out[b, t] = torch.randint(0, random_pool.shape[0], (), generator=generator)
    return out, s
