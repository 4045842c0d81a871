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


def in_turn(function, argument_lists):
    """What a function of the student's gives for each of these, one after the other.

    All are asked at once. If one of them raises, they are asked again one by one, so that what comes before it counts.
    """
    try:
        found = function.each(argument_lists)
    except StudentRaised:
        found = (function(*arguments) for arguments in argument_lists)
    yield from found


def answers(student, name, argument_lists):
    """What one of the losses gives for each of these arguments, None where it gives nothing."""
    try:
        return getattr(student, name).each(argument_lists)
    except MissingName:
        return [None] * len(argument_lists)
    except StudentRaised:  # one of them; which?
        return [own_answer(student, name, arguments) for arguments in argument_lists]


def own_answer(student, name, arguments):
    """The same for one call."""
    try:
        return getattr(student, name)(*arguments)
    except StudentRaised:
        return None


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


@points(2)
@group("NSP loss")
@hint("A pair that follows costs -log p, any other -log(1 - p); take the mean over the pairs.")
def test_nsp_loss_values(student, expect, reference, rng):
    """nsp_loss is right for a truth of 0 and 1, as whole numbers and as floats."""
    scores, is_next = draw(rng, 5), torch.tensor([1, 0, 0, 1, 0])  # (5,) twice
    found = in_turn(student.nsp_loss, [(scores, is_next), (scores, is_next.float())])
    for mine, name in zip(found, ("whole numbers", "floats"), strict=True):
        expect.close(mine, reference.nsp_loss(scores, is_next), f"loss with {name} as truth")


@points(2)
@group("NSP loss")
@hint("True and False are an answer too: convert them to the dtype of the scores before you calculate with them.")
def test_nsp_loss_booleans(student, expect, reference, rng):
    """nsp_loss takes booleans, in batches of any size."""
    truths = ([True, False, False, True, False, False], [False, False, False], [True, True])
    cases = [(draw(rng, len(truth)), torch.tensor(truth)) for truth in truths]
    for found, (scores, is_next) in zip(in_turn(student.nsp_loss, cases), cases, strict=True):
        expect.close(found, reference.nsp_loss(scores, is_next), "loss with booleans as truth")


@points(3)
@group("Large numbers")
@needs("nsp_loss_values")
@hint("The sigmoid of a large score is rounded to 0 or 1; take sigmoid and logarithm together.")
def test_nsp_loss_large(student, expect):
    """Scores of ten thousand give the right loss, not merely a finite one."""
    right, wrong = torch.tensor([1, 0, 0]), torch.tensor([0, 1, 1])
    cases = []
    for size in (30.0, 300.0, 1e4):
        scores = torch.tensor([size, -size, -size])
        cases += [("right", (scores, right), 0.0), ("wrong", (scores, wrong), size)]
    found = student.nsp_loss.each([arguments for _, arguments, _ in cases])
    for mine, (name, _, expected) in zip(found, cases, strict=True):
        expect.close(mine, expected, f"loss of large scores, all of them {name}", atol=LARGE_ATOL)


@points(3)
@group("Gradients")
@needs("nsp_loss_values")
@hint("Return the loss itself, still attached to the scores: no detach, no item.")
def test_nsp_loss_gradients(student, expect, reference, rng):
    """The gradient of the NSP loss reaches the scores, with the right values."""
    scores, is_next = draw(rng, 5), torch.tensor([0, 1, 1, 0, 1])  # (5,) twice
    for name, scale in (("gradient of the scores", 1.0), ("gradient of three times the loss", 3.0)):
        found = student.nsp_loss.vjp(scores, is_next, cotangent=torch.tensor(scale)).inputs[0]
        expect.that(found is not None, name, "no gradient arrives there.")
        expect.close(found, scale * (scores.sigmoid() - is_next) / 5, name)


@points(2)
@group("Large numbers")
@needs("nsp_loss_gradients")
@hint("A score that is far off needs the strongest pull, and none may give NaN.")
def test_nsp_loss_large_gradients(student, expect):
    """Scores of ten thousand get the right gradient."""
    scores = torch.tensor([1e4, -1e4, 1e4, -1e4, 300.0, -30.0])  # (6,)
    is_next = torch.tensor([1, 0, 0, 1, 0, 1])  # (6,)
    found = student.nsp_loss.vjp(scores, is_next).inputs[0]
    expect.that(found is not None, "gradient of the scores", "no gradient arrives there.")
    expect.close(found, (scores.sigmoid() - is_next) / 6, "gradient of large scores", atol=LARGE_ATOL)


@points(4)
@group("Pretraining loss")
@hint("Take the mean of each loss by itself, then add the two; whatever they take, the sum takes as well.")
def test_pretraining_loss_values(student, expect, reference, rng):
    """pretraining_loss is the sum of the two losses when there are more tokens than pairs."""
    arguments = batch(rng)
    own = losses(student, arguments)
    close_to_sum(expect, reference, student.pretraining_loss(*arguments), own, arguments)
    logits, targets, selected, scores, is_next = arguments
    elsewhere = torch.where(torch.rand(B, T, generator=rng) < 0.5, -100, 10**6)  # (B, T)
    cases = (
        ("other targets where nothing counts", (logits, targets.where(selected, elsewhere), selected, scores, is_next)),
        ("booleans as truth", (logits, targets, selected, scores, is_next.bool())),
        ("large logits", (1000 * logits.clamp(-9, 9), targets, selected, scores, is_next)),
        ("large scores", (logits, targets, selected, torch.tensor([9000.0, -9000.0, 400.0, -400.0]), is_next)),
        ("float64", (logits.double(), targets, selected, scores.double(), is_next)),
    )
    mlm = answers(student, "mlm_loss", [others[:3] for _, others in cases])
    nsp = answers(student, "nsp_loss", [others[3:] for _, others in cases])
    wanted = [(reference.mlm_loss(*others[:3]), reference.nsp_loss(*others[3:])) for _, others in cases]
    # A part that fails is another check's question; where both are right, their sum has to be.
    asked = [near(a, true[0]) and near(b, true[1]) for a, b, true in zip(mlm, nsp, wanted, strict=True)]
    asked_cases = [others for ask, (_, others) in zip(asked, cases, strict=True) if ask]
    found = in_turn(student.pretraining_loss, asked_cases)
    for ask, (name, _), true in zip(asked, cases, wanted, strict=True):
        if ask:
            expect.close(next(found), true[0] + true[1], f"pretraining loss with {name}", atol=LARGE_ATOL)


@points(2)
@group("Double precision")
@needs("mlm_loss_values", "nsp_loss_values")
@hint("The model may work in float64: give what you make yourself the dtype of the logits or scores.")
def test_losses_double_precision(student, expect, reference, rng):
    """Logits and scores of float64 are taken as well."""
    logits, targets, _, scores, is_next = batch(rng)
    logits, scores, every = logits.double(), scores.double(), torch.ones(B, T).bool()
    found = student.token_probabilities(logits)
    expect.close(found, reference.token_probabilities(logits), "probabilities in float64")
    found = student.mlm_loss(logits, targets, every)
    expect.close(found, reference.mlm_loss(logits, targets, every), "MLM loss in float64")
    for found in student.nsp_loss.each([(scores, is_next), (scores, is_next.bool())]):
        expect.close(found, reference.nsp_loss(scores, is_next), "NSP loss in float64")


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
    losses_and_parts = (
        (student.mlm_loss, slice(0, 3)),
        (student.nsp_loss, slice(3, 5)),
        (student.pretraining_loss, slice(0, 5)),
    )
    for loss, part in losses_and_parts:
        found, after = loss.inspect(*arguments[part])
        expect.shape(found, (), "loss")
        expect.finite(found, "loss")
        for name, before, now in zip(names[part], arguments[part], after, strict=True):
            expect.unchanged(now, before, name)
    logits, targets, selected, scores, is_next = arguments
    elsewhere = torch.where(torch.rand(B, T, generator=rng) < 0.5, -100, 10**6)  # (B, T)
    arguments = (logits, targets.where(selected, elsewhere), selected, scores, is_next.bool())
    for loss, part in losses_and_parts:
        try:
            _, after = loss.inspect(*arguments[part])
        except StudentRaised:
            continue  # another check's question
        for name, before, now in zip(names[part], arguments[part], after, strict=True):
            expect.unchanged(now, before, name)
