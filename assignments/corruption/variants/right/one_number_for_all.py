# CANARY-PRIVATE-corruption-right-one_number_for_all
"""One random number for each position decides everything: the lowest 12% of the range mean [MASK], the next 1.5% a
random token, the next 1.5% selected and unchanged. Given that a position is selected, the number says nothing else."""

import torch


def validated(rate):
    if rate <= 0 or rate > 1:
        raise ValueError(f"the rate has to lie in (0, 1], but is {rate!r}")
    return rate


def draw(ids, special_ids, generator, rate):
    special = torch.zeros_like(ids, dtype=torch.bool)  # (B, T)
    for token in special_ids:
        special |= ids == token
    number = torch.rand(ids.shape, generator=generator, dtype=torch.float64)  # (B, T)
    number = number.masked_fill(special, 2.0)  # (B, T), beyond every rate
    if not special.all() and not (number < rate).any():
        flat = number.view(-1)  # (B * T,)
        candidates = (~special).view(-1).nonzero().squeeze(1)  # (N,)
        lucky = candidates[torch.randint(candidates.numel(), (), generator=generator)]  # ()
        flat[lucky] = rate * torch.rand((), generator=generator, dtype=torch.float64)
    return number


def select_targets(ids, special_ids, generator, rate=0.15):
    return draw(ids, special_ids, generator, validated(rate)) < rate  # (B, T)


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    validated(rate)
    if len(random_pool) == 0:
        raise ValueError("random_pool holds no token")
    number = draw(ids, special_ids, generator, rate)  # (B, T)
    corrupted = ids.clone()  # (B, T)
    corrupted[number < 0.8 * rate] = mask_id
    randomly = (number >= 0.8 * rate) & (number < 0.9 * rate)  # (B, T)
    count = int(randomly.sum())
    corrupted[randomly] = random_pool[torch.randint(len(random_pool), (count,), generator=generator)]  # (count,)
    return corrupted, number < rate
