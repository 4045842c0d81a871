import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    ok = ~torch.isin(ids, torch.tensor(special_ids))
    s = ok & (torch.rand(ids.shape, generator=generator) < rate)
    if ok.any() and not s.any():
        p = ok.flatten().nonzero().flatten()
        s.view(-1)[p[torch.randint(len(p), (), generator=generator)]] = True
    return s

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    if len(random_pool) < 1: raise ValueError("random_pool?")
    s = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    for b in range(ids.shape[0]):
        word = random_pool[torch.randint(len(random_pool), (1,), generator=generator)]
        u = torch.rand(ids.shape[1], generator=generator)
        out[b][s[b] & (u < .8)] = mask_id
        out[b][s[b] & (u >= .8) & (u < .9)] = word
    return out, s
