import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(rate)
    out = torch.zeros(ids.shape, dtype=torch.bool)
    for b, row in enumerate(ids.tolist()):
        c = [i for i, x in enumerate(row) if x not in special_ids]
        if c:
            k = max(1, round(rate * len(c)))
            for j in torch.randperm(len(c), generator=generator)[:k].tolist():
                out[b, c[j]] = True
    torch.rand(1, generator=generator)
    return out

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(rate)
    if random_pool.numel() == 0: raise ValueError("random_pool")
    sel = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    for b, t in sel.nonzero().tolist():
        if torch.rand(1, generator=generator) < 0.8:
            out[b, t] = mask_id
        elif torch.rand(1, generator=generator) < 0.1:
            out[b, t] = random_pool[torch.randint(len(random_pool), (1,), generator=generator)].item()
    return out, sel
