# CANARY-PRIVATE-corruption-right-exact_count_randperm
"""As original BERT: exactly max(1, round(rate * n)) of the n eligible positions of each row, by a random permutation."""

import torch
from torch import Tensor


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise ValueError(text)


def select_targets(ids: Tensor, special_ids: list, generator: torch.Generator, rate: float = 0.15) -> Tensor:
    _require(0 < rate <= 1, f"rate {rate} is not in (0, 1]")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))  # (B, T)
    selected = torch.zeros_like(eligible)  # (B, T)
    for row, places in enumerate(eligible):
        where = places.nonzero().flatten()  # (n,)
        if len(where) == 0:
            continue
        count = max(1, round(rate * len(where)))
        order = torch.randperm(len(where), generator=generator)  # (n,)
        selected[row, where[order[:count]]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    _require(0 < rate <= 1, f"rate {rate} is not in (0, 1]")
    _require(random_pool.numel() > 0, "random_pool is empty")
    selected = select_targets(ids, special_ids, generator, rate)  # (B, T)
    corrupted = ids.clone()  # (B, T)
    chosen = corrupted[selected]  # (M,)
    dice = torch.randint(10, chosen.shape, generator=generator)  # (M,)
    pick = torch.randint(random_pool.numel(), chosen.shape, generator=generator)  # (M,)
    chosen = torch.where(dice < 8, mask_id, torch.where(dice == 8, random_pool[pick], chosen))  # (M,)
    corrupted[selected] = chosen
    return corrupted, selected
