# CANARY-PRIVATE-corruption-right-numpy_inside
"""Works in numpy, with a numpy generator of its own for each call, seeded by a draw from the generator."""

import numpy as np
import torch


def numpy_generator(generator):
    seed = torch.randint(2**62, (), generator=generator).item()
    return np.random.default_rng(seed)


def choose(tokens, special_ids, rng, rate):
    eligible = ~np.isin(tokens, special_ids)  # (B, T)
    selected = eligible & (rng.random(tokens.shape) < rate)  # (B, T)
    if eligible.any() and not selected.any():
        selected.flat[rng.choice(np.flatnonzero(eligible))] = True
    return selected


def select_targets(ids, special_ids, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate={rate} is outside (0, 1]")
    return torch.from_numpy(choose(ids.numpy(), special_ids, numpy_generator(generator), rate))


def corrupt(ids, special_ids, mask_id, random_pool, generator, rate=0.15):
    if not 0 < rate <= 1:
        raise ValueError(f"rate={rate} is outside (0, 1]")
    if random_pool.numel() == 0:
        raise ValueError("random_pool: at least one token is needed")
    rng = numpy_generator(generator)
    tokens = ids.numpy()  # (B, T)
    selected = choose(tokens, special_ids, rng, rate)  # (B, T)
    branch = rng.choice(3, size=tokens.shape, p=[0.8, 0.1, 0.1])  # (B, T)
    replacement = rng.choice(random_pool.numpy(), size=tokens.shape)  # (B, T)
    corrupted = np.where(branch == 0, mask_id, np.where(branch == 1, replacement, tokens))  # (B, T)
    return torch.from_numpy(np.where(selected, corrupted, tokens)), torch.from_numpy(selected)
