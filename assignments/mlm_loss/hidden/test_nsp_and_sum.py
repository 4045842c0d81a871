# CANARY-PRIVATE-mlm_loss-hidden-nsp_and_sum
"""Hidden checks of `nsp_loss` and `pretraining_loss`, and of what all losses do with their arguments.

No score is exactly 0, where some right formulas have two slopes to choose from.
"""

import torch

from grader.judge.compare import within
from grader.judge.expect import ATOL, RTOL
from grader.judge.marks import group, hint, needs, points
from grader.judge.student import MissingName, StudentRaised

B, T, V = 4, 5, 7
LARGE_ATOL = 1e-3  # float32 keeps three decimals of numbers near 10 000


def draw(rng, *shape):
    """Normal numbers with standard deviation 3."""
    return 3 * torch.randn(*shape, generator=rng)


def batch(rng, nothing=False):
    """Arguments of `pretraining_loss`: five positions selected in unequal rows, or none, and four pairs."""
    selected = torch.tensor([[0, 1, 1, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]]).bool()  # (B, T)
    if nothing:
        selected = torch.zeros(B, T).bool()
    targets = torch.randint(1, V, (B, T), generator=rng)
    return draw(rng, B, T, V), targets, selected, draw(rng, B), torch.tensor([1, 0, 0, 1])


def near(actual, expected):
    """Whether a value that came back is a tensor of the right shape and values."""
    found = isinstance(actual, torch.Tensor) and actual.shape == expected.shape
    return found and bool(within(actual, expected, RTOL, ATOL).all())


def parts(arguments, call):
    """`call(name, arguments)` for each of the two losses, None where there is no answer.

    To be asked before the sum, so that no part can be fitted to it.
    """
    found = []
    for name, own in (("mlm_loss", arguments[:3]), ("nsp_loss", arguments[3:])):
        try:
            found.append(call(name, own))
        except (MissingName, StudentRaised):
            found.append(None)
    return found


def losses(student, arguments):
    """The student's own two losses."""
    return parts(arguments, lambda name, own: getattr(student, name)(*own))


def close_to_sum(expect, reference, found, own, arguments):
    """`found` is right, or the sum of the student's `own` losses of which one is right: a mistake counts once."""
    wanted = reference.mlm_loss(*arguments[:3]), reference.nsp_loss(*arguments[3:])
    expected = wanted[0] + wanted[1]
    one_is_right = any(near(mine, true) and bool(true != 0) for mine, true in zip(own, wanted, strict=True))
    if one_is_right and not near(found, expected):
        mlm, nsp = (expect.tensor(loss, "one of the two losses", shape=()).double() for loss in own)
        expect.finite(mlm + nsp, "MLM loss plus NSP loss")
        expected = mlm + nsp
    expect.close(found, expected, "pretraining loss")


@points(3)
@group("NSP loss")
@hint("A pair that follows costs -log p, any other -log(1 - p); take the mean over the pairs.")
def test_nsp_loss_values(student, expect, reference, rng):
    """nsp_loss is right for a truth of 0 and 1, as whole numbers and as floats."""
    scores, is_next = draw(rng, 5), torch.tensor([1, 0, 0, 1, 0])  # (5,) twice
    for name, truth in (("whole numbers", is_next), ("floats", is_next.float())):
        found = student.nsp_loss(scores, truth)
        expect.close(found, reference.nsp_loss(scores, is_next), f"loss with {name} as truth")


@points(2)
@group("NSP loss")
@hint("True and False are an answer too: convert them to the dtype of the scores before you calculate with them.")
def test_nsp_loss_booleans(student, expect, reference, rng):
    """nsp_loss takes booleans, in batches of any size."""
    for truth in ([True, False, False, True, False, False], [False, False, False], [True, True]):
        scores, is_next = draw(rng, len(truth)), torch.tensor(truth)
        found = student.nsp_loss(scores, is_next)
        expect.close(found, reference.nsp_loss(scores, is_next), "loss with booleans as truth")


@points(3)
@group("Large numbers")
@needs("nsp_loss_values")
@hint("The sigmoid of a large score is rounded to 0 or 1; take sigmoid and logarithm together.")
def test_nsp_loss_large(student, expect):
    """Scores of ten thousand give the right loss, not merely a finite one."""
    for size in (30.0, 300.0, 1e4):
        for name, truth, expected in (("right", [1.0, 0.0, 0.0], 0.0), ("wrong", [0.0, 1.0, 1.0], size)):
            found = student.nsp_loss(torch.tensor([size, -size, -size]), torch.tensor(truth))
            expect.close(found, expected, f"loss of large scores, all of them {name}", atol=LARGE_ATOL)


@points(3)
@group("Gradients")
@needs("nsp_loss_values")
@hint("Return the loss itself, still attached to the scores: no detach, no item.")
def test_nsp_loss_gradients(student, expect, reference, rng):
    """The gradient of the NSP loss reaches the scores, with the right values."""
    scores, is_next = draw(rng, 5), torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0])  # (5,) twice
    found = student.nsp_loss.vjp(scores, is_next).inputs[0]
    expect.that(found is not None, "gradient of the scores", "no gradient arrives there.")
    expect.close(found, (scores.sigmoid() - is_next) / 5, "gradient of the scores")


@points(2)
@group("Large numbers")
@needs("nsp_loss_gradients")
@hint("A score that is far off needs the strongest pull, and none may give NaN.")
def test_nsp_loss_large_gradients(student, expect):
    """Scores of ten thousand get the right gradient."""
    scores = torch.tensor([1e4, -1e4, 1e4, -1e4, 300.0, -30.0])  # (6,)
    is_next = torch.tensor([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])  # (6,)
    found = student.nsp_loss.vjp(scores, is_next).inputs[0]
    expect.that(found is not None, "gradient of the scores", "no gradient arrives there.")
    expect.close(found, (scores.sigmoid() - is_next) / 6, "gradient of large scores", atol=LARGE_ATOL)


@points(4)
@group("Pretraining loss")
@hint("Take the mean of each loss by itself, then add the two; neither is weighted.")
def test_pretraining_loss_values(student, expect, reference, rng):
    """pretraining_loss is the sum of the two losses when there are more tokens than pairs."""
    arguments = batch(rng)
    own = losses(student, arguments)
    close_to_sum(expect, reference, student.pretraining_loss(*arguments), own, arguments)


@points(3)
@group("Nothing selected")
@hint("Without a selected token the MLM loss is zero, and the NSP loss counts as always.")
def test_pretraining_loss_nothing_selected(student, expect, reference, rng):
    """With nothing selected the pretraining loss is the NSP loss, and trains it."""
    arguments = batch(rng, nothing=True)
    own = losses(student, arguments)
    found = student.pretraining_loss.vjp(*arguments, wrt=(0, 3))
    close_to_sum(expect, reference, found.output, own, arguments)
    of_logits, of_scores = found.inputs
    if of_logits is not None:
        expect.close(of_logits, torch.zeros(B, T, V), "gradient of the logits", rtol=0.0, atol=0.0)
    expect.that(of_scores is not None, "gradient of the scores", "no gradient arrives there.")
    of_scores = expect.tensor(of_scores, "gradient of the scores", shape=(B,))
    expect.above(of_scores.double().abs().amax(), 0.0, "largest gradient of a score")


@points(3)
@group("Gradients")
@hint("Add the losses as tensors: training the sum trains the model on both questions at once.")
def test_pretraining_loss_gradients(student, expect, reference, rng):
    """Gradients of the pretraining loss reach the logits and the scores."""
    arguments = batch(rng)
    own = parts(arguments, lambda name, given: getattr(student, name).vjp(*given).inputs[0])
    found = student.pretraining_loss.vjp(*arguments, wrt=(0, 3)).inputs
    leaves = [arguments[0].clone().requires_grad_(), arguments[3].clone().requires_grad_()]
    loss = reference.pretraining_loss(leaves[0], *arguments[1:3], leaves[1], arguments[4])
    right = torch.autograd.grad(loss, leaves)
    one_is_right = any(map(near, found, right))
    for mine, true, part, name in zip(found, right, own, ("logits", "scores"), strict=True):
        expect.that(mine is not None, f"gradient of the {name}", "no gradient arrives there.")
        # If the other is right, this may be that of the student's own loss, whose mistakes are counted elsewhere.
        forgiven = one_is_right and not near(mine, true) and isinstance(part, torch.Tensor)
        usable = forgiven and bool(part.isfinite().all()) and bool((part != 0).any())
        expect.close(mine, part if usable else true, f"gradient of the {name}")


@points(2)
@group("Arguments")
@needs("mlm_loss_values", "nsp_loss_values")
@hint("Make a new tensor instead of writing into one that you were given; the caller still needs it.")
def test_losses_leave_arguments(student, expect, rng):
    """The losses change none of their arguments."""
    arguments = batch(rng)
    names = ("logits", "targets", "selected", "scores", "is_next")
    for loss, part in (
        (student.mlm_loss, slice(0, 3)),
        (student.nsp_loss, slice(3, 5)),
        (student.pretraining_loss, slice(0, 5)),
    ):
        found, after = loss.inspect(*arguments[part])
        expect.shape(found, (), "loss")
        expect.finite(found, "loss")
        for name, before, now in zip(names[part], arguments[part], after, strict=True):
            expect.unchanged(now, before, name)
