import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    out = torch.zeros(ids.shape).bool()
    for b in range(len(ids)):
        where = [t for t, x in enumerate(ids[b].tolist()) if x not in special_ids]
        n = len(where)
        if n:
            k = max(1, int(rate * n + 1e-6))
            w = torch.multinomial(torch.ones(n), k, generator=generator)
            out[b, torch.tensor(where)[w]] = True
    return out

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate > 1 or rate <= 0: raise ValueError(f"rate {rate}")
    if len(random_pool) < 1: raise ValueError("random_pool?")
    s = select_targets(ids, special_ids, generator, rate)
    new = ids[s]
    n = len(new)
    new[torch.rand(n, generator=generator) < 0.8] = mask_id
    rnd = torch.rand(n, generator=generator) < 0.1
    new[rnd] = random_pool[torch.randint(len(random_pool), (n,), generator=generator)][rnd]
    out = ids.clone()
    out[s] = new
    return out, s
