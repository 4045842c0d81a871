import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    # 15% of the tokens
    ok = ~torch.isin(ids, torch.tensor(special_ids))
    return ok & (torch.rand(ids.shape, generator=generator) < rate)


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    sel = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    out[sel] = mask_id
    return out, sel
