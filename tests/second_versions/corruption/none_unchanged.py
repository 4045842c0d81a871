import numpy as np
import torch

def _go(ids, special_ids, generator, rate):
    if not 0 < rate <= 1: raise ValueError(f"rate {rate}")
    rng = np.random.default_rng(int(torch.randint(1 << 40, (1,), generator=generator)))
    ok = ~np.isin(ids.numpy(), special_ids)
    m = ok & (rng.random(ok.shape) < rate)
    if ok.any() and not m.any():
        m.flat[rng.choice(np.flatnonzero(ok))] = True
    return rng, m

def select_targets(ids, special_ids, generator, rate=0.15):
    return torch.from_numpy(_go(ids, special_ids, generator, rate)[1])

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(f"rate {rate}")
    if not random_pool.numel(): raise ValueError("random_pool must have tokens")
    rng, m = _go(ids, special_ids, generator, rate)
    out = ids.numpy().copy()
    n = int(m.sum())
    fate = rng.random(n)
    out[m] = np.where(fate < 0.8, mask_id, rng.choice(random_pool.numpy(), n))
    return torch.from_numpy(out), torch.from_numpy(m)
