import torch

def _check(rate, pool=None):
    if rate <= 0 or rate > 1:
        raise ValueError("rate = %r" % rate)
    if pool is not None and not len(pool):
        raise ValueError("random_pool has no tokens")

def _draw(ids, special_ids, g, rate):
    ok = torch.ones_like(ids).bool()
    for s in special_ids:
        ok = ok & (ids != s)
    u = torch.rand(ids.shape, generator=g)
    sel = (u < rate) & ok
    if not sel.any() and ok.any():
        idx = torch.nonzero(ok.flatten()).flatten()
        sel.view(-1)[idx[torch.randint(len(idx), (), generator=g)]] = True
    return sel, u

def select_targets(ids, special_ids, generator, rate=0.15):
    _check(rate)
    return _draw(ids, special_ids, generator, rate)[0]

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    _check(rate, random_pool)
    sel, u = _draw(ids, special_ids, generator, rate)
    out = ids.clone()
    out[sel & (u < 0.8)] = mask_id
    r = sel & (u >= 0.8) & (u < 0.9)
    out[r] = random_pool[torch.randint(len(random_pool), (int(r.sum()),), generator=generator)]
    return out, sel
