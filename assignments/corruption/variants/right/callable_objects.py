# CANARY-PRIVATE-corruption-right-callable_objects
"""Objects that are called like functions, with further parameters that have defaults."""

import torch


class Selector:
    def __init__(self):
        self.minimum = 1

    def __call__(self, ids, special_ids, generator, rate=0.15, *, lookup=None):
        if not 0 < rate <= 1:
            raise ValueError(f"{type(self).__name__}: rate {rate} outside (0, 1]")
        allowed = torch.tensor([[token not in special_ids for token in row] for row in ids.tolist()])  # (B, T)
        flat = allowed.flatten()  # (B * T,)
        places = flat.nonzero()[:, 0]  # (N,)
        hits = torch.rand(len(places), generator=generator) < rate  # (N,)
        if len(places) >= self.minimum and not hits.any():
            hits[torch.randint(len(places), (1,), generator=generator)] = True
        out = torch.zeros_like(flat)  # (B * T,)
        out[places[hits]] = True
        return out.view(ids.shape)


class Corruptor:
    shares = (0.8, 0.1, 0.1)

    def __init__(self, selector):
        self.selector = selector

    def __call__(self, ids, special_ids, mask_id, random_pool, generator, rate=0.15, shares=None):
        mask, random, _ = shares or self.shares
        if random_pool.numel() == 0:
            raise ValueError("Corruptor: random_pool may not be empty")
        selected = self.selector(ids, special_ids, generator, rate)  # (B, T)
        count = int(selected.sum())
        fate = torch.rand(count, generator=generator)  # (M,)
        tokens = ids[selected]  # (M,)
        tokens[fate < mask] = mask_id
        second = (fate >= mask) & (fate < mask + random)  # (M,)
        choice = torch.randint(len(random_pool), (int(second.sum()),), generator=generator)
        tokens[second] = random_pool[choice]
        return ids.masked_scatter(selected, tokens), selected


select_targets = Selector()
corrupt = Corruptor(select_targets)
