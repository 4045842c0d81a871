import torch

def _seed(generator):
    torch.manual_seed(int(torch.empty((), dtype=torch.int64).random_(generator=generator)) % 2**32)

def _sel(ids, special_ids, rate):
    ok = ~torch.isin(ids, torch.tensor(special_ids))
    s = ok & torch.bernoulli(torch.full(ids.shape, float(rate))).bool()
    if ok.any() and not s.any():
        p = ok.flatten().nonzero()
        s.view(-1)[p[torch.randint(len(p), (1,))]] = True
    return s

def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    _seed(generator)
    return _sel(ids, special_ids, rate)

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    if len(random_pool) < 1: raise ValueError("random_pool?")
    _seed(generator)
    s = _sel(ids, special_ids, rate)
    out = ids.clone()
    m = s & (torch.rand(ids.shape) < .8)
    r = s & ~m & (torch.rand(ids.shape) < .5)
    out[m] = mask_id
    out[r] = random_pool[torch.randint(len(random_pool), (int(r.sum()),))]
    return out, s
