# CANARY-PRIVATE-mlm_loss-hidden-probabilities
"""Hidden checks of `token_probabilities`. Sizes are pairwise different, so that swapped axes cannot pass."""

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.student import StudentRaised

LARGE_ATOL = 1e-3  # float32 keeps three decimals of numbers near 10 000


def draw(rng, *shape):
    """Normal numbers with standard deviation 3."""
    return 3 * torch.randn(*shape, generator=rng)


def in_turn(function, argument_lists):
    """What a function of the student's gives for each of these, one after the other.

    All are asked at once. If one of them raises, they are asked again one by one, so that what comes before it counts.
    """
    try:
        found = function.each(argument_lists)
    except StudentRaised:
        found = (function(*arguments) for arguments in argument_lists)
    yield from found


@points(4)
@group("Probabilities")
@hint("Count the vocabulary's axis from the back: there may be any number of axes in front, or none.")
def test_probabilities_any_axes(student, expect, reference, rng):
    """token_probabilities works for one axis and for many."""
    cases = [draw(rng, *shape) for shape in ((300,), (5, 7), (2, 5, 7), (2, 3, 5, 7))]
    found = in_turn(student.token_probabilities, [(logits,) for logits in cases])
    for mine, logits in zip(found, cases, strict=True):
        expect.close(mine, reference.token_probabilities(logits), f"probabilities of {logits.dim()} axes")


@points(3)
@group("Probabilities")
@needs("probabilities_example")
@hint("Subtract the largest logit before you exponentiate: the result is the same, and nothing overflows.")
def test_probabilities_large(student, expect, reference, rng):
    """Logits of ten thousand give the right probabilities."""
    rows = [
        torch.tensor([1e4, 9999.0, 9998.0, -1e4, 0.0]),
        torch.tensor([-1e4, -9999.0, -9997.0]),
        torch.tensor([0.0, 1e4, 0.0, -1e4]),
        9990 + draw(rng, 6).clamp(-9, 9),
        torch.tensor([[[1e4, 9999.0, 9998.0], [0.0, 1.0, 2.0]], [[-500.0, -499.0, -498.5], [9.0, 8.0, 7.0]]]),
    ]
    found = student.token_probabilities.each([(logits,) for logits in rows])
    for mine, logits in zip(found, rows, strict=True):
        expect.close(mine, reference.token_probabilities(logits), "probabilities of large logits", atol=LARGE_ATOL)
    for logits in (rows[0], rows[-1]):
        along = torch.linspace(-1.0, 1.0, logits.numel()).reshape(logits.shape)
        gradient = student.token_probabilities.vjp(logits, cotangent=along).inputs[0]
        if gradient is not None:  # whether one arrives is another check's question
            expect.finite(gradient, "gradient of large logits")


@points(2)
@group("Gradients")
@needs("probabilities_any_axes")
@hint("Keep the probabilities attached to the logits: no detach, no .data, and nothing done in place.")
def test_probabilities_gradients(student, expect, reference, rng):
    """Gradients of the probabilities reach the logits, with the right values."""
    logits, cotangent = draw(rng, 2, 5, 7), draw(rng, 2, 5, 7)
    found = student.token_probabilities.vjp(logits, cotangent=cotangent).inputs[0]
    logits.requires_grad_()
    (expected,) = torch.autograd.grad((reference.token_probabilities(logits) * cotangent).sum(), logits)
    expect.that(found is not None, "gradient of the logits", "no gradient arrives there.")
    expect.close(found, expected, "gradient of the logits")


@points(2)
@group("Arguments")
@needs("probabilities_any_axes")
@hint("`logits -= maximum` changes the caller's tensor; `logits - maximum` makes a new one.")
def test_probabilities_leave_logits(student, expect, rng):
    """token_probabilities does not change its argument."""
    for shape in ((2, 5, 7), (7,)):
        logits = draw(rng, *shape)
        found, after = student.token_probabilities.inspect(logits)
        expect.tensor(found, "probabilities", shape=shape)
        expect.unchanged(after[0], logits, "logits")
