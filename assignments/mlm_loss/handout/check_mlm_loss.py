"""The public checks of `mlm_loss`. Run them with `grader check`; reading them is welcome, changing them has no effect.

They run in a process of their own and talk to your code through `student`: every call below goes to your module in
another process and comes back as a plain tensor.
"""

import math

import torch

from grader.judge.marks import group, hint, points
from grader.judge.student import MissingName, StudentRaised

WORKED_BY_HAND = 0.002  # how far a figure worked out by hand may be off
DOG_CAT_LOG = [3.0, 1.0, 0.0]
MAT_CAR_SKY = [2.0, 1.0, 0.0]


def two_positions():
    """The logits of the worked example in README.md, (1, 2, 3)."""
    return torch.tensor([[DOG_CAT_LOG, MAT_CAR_SKY]])


@points(4)
@group("Probabilities")
@hint("Exponentiate every logit and divide by the sum of all of them: the softmax.")
def test_probabilities_example(student, expect):
    """token_probabilities gives the probabilities of the worked examples."""
    examples = {
        "dog, cat, log": (DOG_CAT_LOG, [0.843795, 0.114195, 0.042010]),
        "mat, car, sky": (MAT_CAR_SKY, [0.665241, 0.244728, 0.090031]),
        "neg, pos": ([0.5, 2.0], [0.182426, 0.817574]),
        "not next, next": ([0.0, 1.2], [0.231475, 0.768525]),
    }
    for name, (logits, expected) in examples.items():
        found = student.token_probabilities(torch.tensor(logits))
        expect.close(found, torch.tensor(expected), f"probabilities of {name}", rtol=0.0, atol=WORKED_BY_HAND)


@points(3)
@group("Probabilities")
@hint("The vocabulary is the last axis, whatever stands in front of it: dim=-1.")
def test_probabilities_sum_to_one(student, expect):
    """At each position the probabilities of the vocabulary sum to 1."""
    logits = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(2))  # (2, 5, 7)
    found = expect.tensor(student.token_probabilities(logits), "probabilities", shape=(2, 5, 7))
    expect.rows_sum_to_one(found, "probabilities")
    expect.above(found, 0.0, "probabilities")


@points(4)
@group("MLM loss")
@hint("The loss of a position is minus the natural logarithm of the probability of its target.")
def test_mlm_loss_example(student, expect):
    """mlm_loss gives the losses of the worked example, one position at a time."""
    examples = [
        ("dog", DOG_CAT_LOG, 0, 0.169846),
        ("cat", DOG_CAT_LOG, 1, 2.169846),
        ("log", DOG_CAT_LOG, 2, 3.169846),
        ("mat", MAT_CAR_SKY, 0, 0.407606),
    ]
    for truth, logits, target, expected in examples:
        found = student.mlm_loss(torch.tensor([[logits]]), torch.tensor([[target]]), torch.tensor([[True]]))
        expect.close(found, expected, f"loss when the truth is {truth}", rtol=0.0, atol=WORKED_BY_HAND)


@points(4)
@group("MLM loss")
@hint("Add the losses of the selected positions and divide by how many there are.")
def test_mlm_loss_average(student, expect):
    """mlm_loss is the mean over two selected positions."""
    found = student.mlm_loss(two_positions(), torch.tensor([[2, 0]]), torch.tensor([[True, True]]))
    expect.close(found, 1.788726, "mean loss of log and mat", rtol=0.0, atol=WORKED_BY_HAND)


@points(4)
@group("MLM loss")
@hint("Let `selected` decide what counts, and look a target up only where it is True.")
def test_mlm_loss_only_selected(student, expect):
    """A position that is not selected does not count, and its target may be -100."""
    found = student.mlm_loss(two_positions(), torch.tensor([[-100, 0]]), torch.tensor([[False, True]]))
    expect.close(found, 0.407606, "loss of the second position alone", rtol=0.0, atol=WORKED_BY_HAND)


@points(3)
@group("MLM loss")
@hint("A probability is never quite 0, so its logarithm is finite: take it together with the softmax.")
def test_mlm_loss_confident(student, expect):
    """Being sure and right costs nothing; being sure and wrong costs much, but never infinitely much."""
    sure = torch.tensor([[[0.0, 60.0, 0.0]]])  # (1, 1, 3)
    for name, target, expected in (("right", 1, 0.0), ("wrong", 2, 60.0)):
        found = student.mlm_loss(sure, torch.tensor([[target]]), torch.tensor([[True]]))
        expect.close(found, expected, f"loss of a confident {name} answer")


@points(4)
@group("NSP loss")
@hint("With p = sigmoid(score), a pair that follows costs -log p, any other pair -log(1 - p).")
def test_nsp_loss_example(student, expect):
    """nsp_loss gives the losses of a pair with the score 1.2."""
    for name, truth, expected in (("follows", True, 0.263282), ("does not follow", False, 1.463282)):
        found = student.nsp_loss(torch.tensor([1.2]), torch.tensor([truth]))
        expect.close(found, expected, f"loss of a pair that {name}", rtol=0.0, atol=WORKED_BY_HAND)


def own_loss(student, name, arguments):
    """What the student's own loss gives, NaN if it gives no number."""
    try:
        found = getattr(student, name)(*arguments)
    except (MissingName, StudentRaised):
        return math.nan
    return found.double().item() if isinstance(found, torch.Tensor) and found.shape == () else math.nan


@points(4)
@group("Pretraining loss")
@hint("Add the two losses; each counts in full.")
def test_pretraining_loss_example(student, expect):
    """pretraining_loss is the MLM loss plus the NSP loss."""
    masked = (two_positions(), torch.tensor([[2, 0]]), torch.tensor([[True, True]]))
    pairs = (torch.tensor([1.2]), torch.tensor([1]))
    right_mlm, right_nsp = 1.788726, 0.263282
    expected = right_mlm + right_nsp
    # Asked before the sum, so that no part can be fitted to it.
    mlm, nsp = own_loss(student, "mlm_loss", masked), own_loss(student, "nsp_loss", pairs)
    found = expect.tensor(student.pretraining_loss(*masked, *pairs), "pretraining loss", shape=())
    if not abs(found.double().item() - expected) <= WORKED_BY_HAND:
        # A mistake in one of the two losses is not counted again: here their sum is what matters.
        one_is_right = abs(mlm - right_mlm) <= WORKED_BY_HAND or abs(nsp - right_nsp) <= WORKED_BY_HAND
        if one_is_right and math.isfinite(mlm + nsp):
            expected = mlm + nsp
    expect.close(found, expected, "MLM loss plus NSP loss", rtol=0.0, atol=WORKED_BY_HAND)
