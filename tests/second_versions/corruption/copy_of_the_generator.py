import torch

class Draw:
    def __init__(self, generator):
        self.g = torch.Generator()
        self.g.set_state(generator.get_state().clone())
    def uniform(self, shape): return torch.rand(shape, generator=self.g)
    def index(self, n, shape): return torch.randint(n, shape, generator=self.g)

def _select(ids, special_ids, d, rate):
    ok = (ids[..., None] != torch.tensor(special_ids)).all(-1)
    s = ok & (d.uniform(ids.shape) < rate)
    if ok.any() and not s.any():
        p = ok.flatten().nonzero().flatten()
        s.view(-1)[p[d.index(len(p), ())]] = True
    return s

def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    return _select(ids, special_ids, Draw(generator), rate)

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    if len(random_pool) < 1: raise ValueError("random_pool?")
    d = Draw(generator)
    s = _select(ids, special_ids, d, rate)
    k = d.index(10, ids.shape)
    out = torch.where(s & (k < 8), torch.full_like(ids, mask_id), ids)
    return torch.where(s & (k == 8), random_pool[d.index(len(random_pool), ids.shape)], out), s
