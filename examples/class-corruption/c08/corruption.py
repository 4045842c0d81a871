import torch


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1: {rate}")
    eligible = ~torch.isin(ids, torch.tensor(special_ids))
    selected = eligible & (torch.rand(ids.shape, generator=generator) < rate)
    if eligible.any() and not selected.any():
        places = eligible.nonzero()
        k = torch.randint(len(places), (1,), generator=generator).item()
        selected[places[k][0], places[k][1]] = True
    return selected


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    # TODO: 80 / 10 / 10
    raise NotImplementedError("corrupt is not written yet")
