# CANARY-PRIVATE-attention-hidden-visibility
"""Hidden checks of the two visibility functions."""

import torch

from grader.judge.marks import group, hint, points


def scattered_padding():
    """Padding at the end, in front and in the middle: (3, 5) bool."""
    return torch.tensor([[1, 1, 1, 0, 0], [0, 1, 1, 1, 1], [1, 0, 1, 0, 1]]).bool()  # (3, 5)


@points(3)
@group("Visibility")
@hint("Only the column of a padding key is hidden, wherever the padding stands; padding queries keep their rows.")
def test_full_visibility_scattered(student, expect, reference):
    """full_visibility hides padding wherever it stands in the row."""
    nonpadding = scattered_padding()
    found, (after,) = student.full_visibility.inspect(nonpadding)
    expect.equal(found, reference.full_visibility(nonpadding), "full_visibility")
    expect.unchanged(after, nonpadding, "nonpadding")


@points(4)
@group("Visibility")
@hint("Both rules hold at once: the key is real, and it does not stand to the right of the query.")
def test_causal_visibility_scattered(student, expect, reference):
    """causal_visibility applies the causal rule and the padding together."""
    nonpadding = scattered_padding()
    found, (after,) = student.causal_visibility.inspect(nonpadding)
    expect.equal(found, reference.causal_visibility(nonpadding), "causal_visibility")
    expect.unchanged(after, nonpadding, "nonpadding")


@points(2)
@group("Visibility")
@hint("A sequence of one token and a sequence without any are sequences too, and each call looks at its own mask.")
def test_visibility_extremes(student, expect, reference):
    """Both functions work for one token, for a row of nothing but padding, and anew for each mask."""
    one = torch.tensor([[True], [False], [True]])  # (3, 1)
    empty = torch.zeros(2, 3, dtype=torch.bool)  # (2, 3)
    other = torch.tensor([[True, False, True], [False, True, True]])  # (2, 3), the shape of the one before
    masks = (one, empty, other)
    for name in ("full_visibility", "causal_visibility"):
        found = getattr(student, name).each([(nonpadding,) for nonpadding in masks])
        for mine, nonpadding in zip(found, masks, strict=True):
            expect.equal(mine, getattr(reference, name)(nonpadding), name)
