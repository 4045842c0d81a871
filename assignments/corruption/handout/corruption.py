"""Choose the tokens that BERT must recover, and corrupt them: fill in the two bodies below.

README.md beside this file explains the ideas.

Shape letters: B batch, T length, P tokens in the pool of replacements.
"""

from __future__ import annotations

import torch


def select_targets(
    ids: torch.Tensor, special_ids: list[int], generator: torch.Generator, rate: float = 0.15
) -> torch.Tensor:
    """Select the positions whose tokens the model must recover.

    Arguments:
        ids: (B, T) int64, token ids.
        special_ids: the ids that are never selected, such as those of [PAD], [CLS], [SEP] and [MASK], in any order.
            A position is *eligible* if its token is none of them.
        generator: the only source of randomness. Pass it to every function that draws.
        rate: which part of the eligible positions to select, above 0 and at most 1.

    Returns:
        (B, T) bool, True where the position is selected.

    Raises:
        ValueError: `rate` is outside (0, 1]. The text contains the rate that was given.

    - Each eligible position is selected on its own with probability `rate`. Or: of the n eligible positions of each
      row exactly max(1, round(rate * n)) are selected, drawn uniformly without replacement.
    - If any position of the batch is eligible, at least one is selected: when the draw selects none, one of the
      eligible positions of the batch, drawn uniformly.
    - If no position is eligible, none is selected, and that is no error.
    - The same generator state gives the same answer. Every call leaves the generator in a new state, so the next call
      draws anew. torch's global generator is neither read nor moved, nor are those of numpy and Python.
    - The arguments are not changed, apart from the state of the generator.
    """
    raise NotImplementedError("select_targets is not written yet")


def corrupt(
    ids: torch.Tensor,
    special_ids: list[int],
    mask_id: int,
    random_pool: torch.Tensor,
    generator: torch.Generator,
    rate: float = 0.15,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Select positions, and replace most of their tokens.

    Arguments:
        ids, special_ids, generator, rate: as in `select_targets`.
        mask_id: the id of [MASK].
        random_pool: (P,) int64, the tokens that may replace others; P is at least 1.

    Returns:
        corrupted: (B, T) int64, a new tensor.
        selected: (B, T) bool, the selected positions, chosen by the rules of `select_targets`.

    Raises:
        ValueError: `rate` is outside (0, 1], and the text contains it; or `random_pool` is empty, and the text
            contains the name `random_pool`. Both are found out before anything else is done.

    - For each selected position on its own one of three things is drawn: with probability 0.8 its token becomes
      `mask_id`; with 0.1 a token drawn uniformly from `random_pool`, which may happen to be the token that was there;
      with 0.1 it stays as it is.
    - Tokens that are not selected stay as they are.
    - All rules about the generator and the arguments are those of `select_targets`.
    """
    raise NotImplementedError("corrupt is not written yet")
