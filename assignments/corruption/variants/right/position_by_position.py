# CANARY-PRIVATE-corruption-right-position_by_position
"""Plain loops over rows and positions, a draw for each decision."""

import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"bad rate: {rate}")
    B, T = ids.shape
    selected = torch.zeros(B, T, dtype=torch.bool)
    candidates = []
    any_selected = False
    for b in range(B):
        for t in range(T):
            if ids[b, t].item() in special_ids:
                continue
            candidates.append((b, t))
            if torch.rand(1, generator=generator).item() < rate:
                selected[b, t] = True
                any_selected = True
    if candidates and not any_selected:
        b, t = candidates[torch.randint(0, len(candidates), (1,), generator=generator).item()]
        selected[b, t] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"bad rate: {rate}")
    if len(random_pool) == 0:
        raise ValueError("random_pool must not be empty")
    selected = select_targets(ids, special_ids, generator, rate)
    corrupted = ids.clone()
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            if not selected[b, t]:
                continue
            u = torch.rand(1, generator=generator).item()
            if u < 0.8:
                corrupted[b, t] = mask_id
            elif u < 0.9:
                k = torch.randint(0, len(random_pool), (1,), generator=generator).item()
                corrupted[b, t] = random_pool[k]
    return corrupted, selected
