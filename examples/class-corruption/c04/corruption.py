import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if rate <= 0 or rate > 1:
        raise ValueError(f"rate {rate} is not possible")
    keep = ~torch.isin(ids, torch.tensor(special_ids))
    sel = torch.bernoulli(keep * rate, generator=generator).bool()
    if keep.any() and not sel.any():
        i = torch.multinomial(keep.float().flatten(), 1, generator=generator)
        sel.view(-1)[i] = True
    return sel


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if rate <= 0 or rate > 1:
        raise ValueError(f"rate {rate} is not possible")
    if random_pool.numel() == 0:
        raise ValueError("random_pool is empty")
    sel = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    # 80% mask
    m = torch.rand(ids.shape, generator=generator) < 0.8
    out[sel & m] = mask_id
    # of the others 10% random
    r = torch.rand(ids.shape, generator=generator) < 0.1
    w = random_pool[torch.randint(len(random_pool), ids.shape, generator=generator)]
    out[sel & ~m & r] = w[sel & ~m & r]
    return out, sel
