import torch

def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(f"{rate}")
    p = torch.full(ids.shape, rate * 0.8)
    special = torch.isin(ids, torch.tensor(special_ids))
    p.masked_fill_(special, 0.0)
    m = torch.bernoulli(p, generator=generator).bool()
    if m.sum() == 0 and not special.all():
        pick = torch.multinomial((~special).float().view(-1), 1, generator=generator)
        m.view(-1)[pick] = True
    return m

def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1: raise ValueError(f"{rate}")
    if len(random_pool) == 0: raise ValueError("random_pool empty")
    m = select_targets(ids, special_ids, generator, rate)
    kind = torch.multinomial(torch.tensor([.8, .1, .1]), ids.numel(), True, generator=generator).view(ids.shape)
    r = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]
    return torch.where(m & (kind == 0), mask_id, torch.where(m & (kind == 1), r, ids)), m
