# CANARY-PRIVATE-corruption-right-decorated_and_recursive
"""The checks of arguments live in a decorator; each row of the batch is handled by itself, in turn."""

import functools
import inspect

import torch


def checked(function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if not 0 < given["rate"] <= 1:
            raise ValueError(f"{function.__name__}: rate={given['rate']} is not allowed")
        if "random_pool" in given and given["random_pool"].numel() == 0:
            raise ValueError(f"{function.__name__}: random_pool is empty")
        return function(*args, **kwargs)

    return wrapper


@checked
def select_targets(ids, special_ids, generator, rate=0.15):
    rows = []
    for row in ids:
        keep = ~torch.isin(row, torch.tensor(special_ids))
        rows.append(keep & (torch.rand(len(row), generator=generator) < rate))
    selected = torch.stack(rows)
    if selected.any():
        return selected
    eligible = (~torch.isin(ids, torch.tensor(special_ids))).nonzero().tolist()
    if eligible:
        b, t = eligible[int(torch.rand(1, generator=generator, dtype=torch.float64) * len(eligible))]
        selected[b, t] = True
    return selected


@checked
def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    selected = select_targets(ids, special_ids, generator, rate)
    out = []
    for row, chosen in zip(ids.unbind(), selected.unbind()):
        row = row.clone()
        for t in chosen.nonzero().flatten().tolist():
            x = torch.randint(100, (1,), generator=generator).item()
            if x < 80:
                row[t] = mask_id
            elif x < 90:
                row[t] = random_pool[torch.randperm(len(random_pool), generator=generator)[0]]
        out.append(row)
    return torch.stack(out), selected
