"""Like the original BERT code: a fixed number of predictions in each sentence."""
import torch


def check(rate, pool=None):
    if rate <= 0 or rate > 1:
        raise ValueError("wrong rate: " + str(rate))
    if pool is not None and pool.numel() == 0:
        raise ValueError("random_pool is empty!")


def select_targets(ids, special_ids, generator, rate=0.15):
    check(rate)
    selected = torch.zeros(ids.shape, dtype=torch.bool)
    specials = set(special_ids)
    for b, sentence in enumerate(ids.tolist()):
        cand = [t for t, tok in enumerate(sentence) if tok not in specials]
        if not cand:
            continue
        n = max(1, round(rate * len(cand)))
        perm = torch.randperm(len(cand), generator=generator).tolist()
        for k in perm[:n]:
            selected[b, cand[k]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    check(rate, random_pool)
    selected = select_targets(ids, special_ids, generator, rate)
    out = ids.clone()
    for b, t in selected.nonzero().tolist():
        x = torch.rand(1, generator=generator).item()
        if x < 0.8:
            out[b, t] = mask_id
        elif x < 0.9:
            j = torch.randint(len(random_pool), (1,), generator=generator).item()
            out[b, t] = random_pool[j]
    return out, selected
