import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(f"{rate}")
    rows = ids.tolist()
    sel = torch.zeros(ids.shape, dtype=torch.bool)
    hit = False
    for b, row in enumerate(rows):
        for t, x in enumerate(row):
            if x not in special_ids and torch.rand(1, generator=generator).item() < rate:
                sel[b, t] = True; hit = True
    if not hit:
        cand = [b for b, row in enumerate(rows) if any(x not in special_ids for x in row)]
        if cand:
            b = cand[torch.randint(len(cand), (1,), generator=generator).item()]
            c = [t for t, x in enumerate(rows[b]) if x not in special_ids]
            sel[b, c[torch.randint(len(c), (1,), generator=generator).item()]] = True
    return sel

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(f"{rate}")
    if len(random_pool) == 0: raise ValueError("random_pool empty")
    sel = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    d = torch.randint(10, ids.shape, generator=generator)
    out[sel & (d < 8)] = mask_id
    q = sel & (d == 8)
    out[q] = random_pool[torch.randint(len(random_pool), (int(q.sum()),), generator=generator)]
    return out, sel
