# CANARY-PRIVATE-mlm_loss-hidden-mlm_loss
"""Hidden checks of `mlm_loss`. Sizes are pairwise different, and sequences have unequal numbers of selected positions.

Each check isolates one thing: target 0 occurs only where it is the point, and where unselected targets are not the
point they are real ids, or every position is selected.
"""

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.student import StudentRaised

B, T, V = 3, 6, 8
LARGE_ATOL = 1e-3  # float32 keeps three decimals of numbers near 10 000


def draw(rng, *shape):
    """Normal numbers with standard deviation 3."""
    return 3 * torch.randn(*shape, generator=rng)


def ids(rng, *shape, vocabulary=V):
    """Random token ids, none of them 0."""
    return torch.randint(1, vocabulary, shape, generator=rng)


def unequal_rows():
    """Four selected positions in the first sequence, none in the second, one in the third: (3, 6) bool."""
    return torch.tensor([[1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]).bool()


def in_turn(function, argument_lists):
    """What a function of the student's gives for each of these, one after the other.

    All are asked at once. If one of them raises, they are asked again one by one, so that what comes before it counts.
    """
    try:
        found = function.each(argument_lists)
    except StudentRaised:
        found = (function(*arguments) for arguments in argument_lists)
    yield from found


def compare(student, expect, reference, cases, **tolerance):
    """`mlm_loss` against the reference's, for each (name, (logits, targets, selected))."""
    found = in_turn(student.mlm_loss, [arguments for _, arguments in cases])
    for mine, (name, arguments) in zip(found, cases, strict=True):
        expect.close(mine, reference.mlm_loss(*arguments), name, **tolerance)


def gradient_of_logits(expect, found, shape):
    """The gradient that came back, which must be there and of the right shape."""
    expect.that(found.inputs[0] is not None, "gradient of the logits", "no gradient arrives there.")
    return expect.tensor(found.inputs[0], "gradient of the logits", shape=shape)


def expected_gradient(reference, logits, targets, selected):
    """The reference's gradient of the loss by the logits."""
    leaf = logits.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(reference.mlm_loss(leaf, targets, selected), leaf)
    return gradient


@points(3)
@group("MLM loss")
@hint(
    "Minus the natural logarithm of the softmax over the vocabulary, at the target of the same position; then a mean."
)
def test_mlm_loss_values(student, expect, reference, rng):
    """mlm_loss is right when every position is selected."""
    cases = []
    for batch, length, vocabulary in ((2, 4, 7), (1, 5, 7), (3, 1, 300), (9, 66, 7)):
        logits, targets = draw(rng, batch, length, vocabulary), ids(rng, batch, length, vocabulary=vocabulary)
        cases.append(("loss with every position selected", (logits, targets, torch.ones(batch, length).bool())))
    compare(student, expect, reference, cases)


@points(4)
@group("MLM loss")
@needs("mlm_loss_values")
@hint("One mean over all selected positions of the batch: not per sequence, and divided by nothing else.")
def test_mlm_loss_one_mean(student, expect, reference, rng):
    """Every selected position weighs the same, however many its sequence has."""
    logits, targets, selected = draw(rng, B, T, V), ids(rng, B, T), unequal_rows()
    found = student.mlm_loss(logits, targets, selected)
    expect.close(found, reference.mlm_loss(logits, targets, selected), "loss of sequences with unequal numbers")


@points(3)
@group("MLM loss")
@needs("mlm_loss_values")
@hint("Select first and look up afterwards; what a target holds at any other position must not matter.")
def test_mlm_loss_unselected_minus_100(student, expect, reference, rng):
    """Unselected targets may be -100, or real ids, without any difference."""
    logits, targets = draw(rng, 2, 6, 7), ids(rng, 2, 6, vocabulary=7)
    selected = torch.tensor([[0, 0, 1, 0, 0, 1], [1, 0, 0, 1, 0, 0]]).bool()  # (2, 6)
    # The reference looks at no target that is not selected.
    cases = [
        ("loss when unselected targets are real ids", (logits, targets, selected)),
        ("loss when unselected targets are -100", (logits, torch.where(selected, targets, -100), selected)),
    ]
    compare(student, expect, reference, cases)


@points(3)
@group("MLM loss")
@needs("mlm_loss_values")
@hint("An unselected target may be any number, negative or far too large: never use it as an index.")
def test_mlm_loss_unselected_out_of_range(student, expect, reference, rng):
    """Unselected targets may be numbers that are no token at all."""
    logits, targets = draw(rng, 2, 6, 7), ids(rng, 2, 6, vocabulary=7)
    selected = torch.tensor([[0, 1, 0, 0, 1, 0], [1, 0, 1, 0, 0, 0]]).bool()  # (2, 6)
    found = student.mlm_loss(logits, torch.where(selected, targets, 10**6), selected)
    expect.close(found, reference.mlm_loss(logits, targets, selected), "loss when unselected targets are no tokens")


@points(2)
@group("MLM loss")
@needs("mlm_loss_values")
@hint("Token 0 is a token like any other; only `selected` says what counts.")
def test_mlm_loss_target_0(student, expect, reference, rng):
    """A selected position counts when its target is token 0."""
    targets = torch.tensor([[0, 3, 2, 0], [5, 1, 0, 4]])  # (2, 4)
    logits, selected = draw(rng, 2, 4, 7), torch.ones(2, 4).bool()
    found = student.mlm_loss(logits, targets, selected)
    expect.close(found, reference.mlm_loss(logits, targets, selected), "loss with targets that are 0")


@points(3)
@group("Nothing selected")
@hint("A mean over no positions is 0 / 0, which is NaN: treat that case by itself, or never divide by 0.")
def test_mlm_loss_nothing_selected(student, expect, rng):
    """With nothing selected the loss is zero."""
    logits, nothing = draw(rng, B, T, V), torch.zeros(B, T).bool()
    cases = [(logits, ids(rng, B, T), nothing), (logits, torch.full((B, T), -100), nothing)]
    cases.append((1000 * logits.clamp(-9, 9), torch.full((B, T), 10**6), nothing))
    for found in in_turn(student.mlm_loss, cases):
        expect.close(found, 0.0, "loss with nothing selected")


@points(3)
@group("Nothing selected")
@hint("The training loop calls backward() on this zero too, so it has to require a gradient, which is then zero.")
def test_mlm_loss_nothing_selected_backward(student, expect, rng):
    """With nothing selected the loss can be backpropagated, and moves nothing."""
    found = student.mlm_loss.vjp(draw(rng, B, T, V), ids(rng, B, T), torch.zeros(B, T).bool())
    expect.close(found.output, 0.0, "loss with nothing selected")
    expect.that(found.requires_grad, "loss with nothing selected", "backward() does not work on it.")
    if found.inputs[0] is not None:
        expect.close(found.inputs[0], torch.zeros(B, T, V), "gradient of the logits", rtol=0.0, atol=0.0)


@points(4)
@group("Large numbers")
@needs("mlm_loss_values")
@hint("Take softmax and logarithm together, as log_softmax does: no bare exp, nothing clamped, no small number added.")
def test_mlm_loss_large(student, expect, reference, rng):
    """Logits of ten thousand give the right loss, not merely a finite one."""
    near = torch.tensor(
        [[1e4, 9999.0, 9998.0, -1e4], [-1e4, -9999.0, -9997.0, -1e4], [0.0, 1e4, 9999.0, 0.0]]
    )  # (3, 4)
    far = torch.tensor([[1e4, -1e4, 0.0, 5.0], [9000.0, -500.0, 0.0, 0.0], [-1e4, 0.0, -8000.0, -3000.0]])  # (3, 4)
    cases = [
        ("close to each other", torch.stack([near, near.flip(0)]), torch.tensor([[1, 2, 1], [2, 2, 1]])),
        ("far apart", torch.stack([far, far.flip(0)]), torch.tensor([[1, 1, 2], [3, 2, 2]])),
        ("all alike but for a little", 9990 + draw(rng, 2, 3, 4).clamp(-9, 9), ids(rng, 2, 3, vocabulary=4)),
    ]
    selected = torch.ones(2, 3).bool()  # (2, 3)
    named = [(f"loss of large logits {name}", (logits, targets, selected)) for name, logits, targets in cases]
    compare(student, expect, reference, named, atol=LARGE_ATOL)


@points(4)
@group("Gradients")
@needs("mlm_loss_one_mean")
@hint(
    "At a selected row the gradient is (softmax - one-hot) / |M|: return the loss itself, not a number taken from it."
)
def test_mlm_loss_gradients(student, expect, reference, rng):
    """The gradient at the selected positions is right."""
    logits, targets, selected = draw(rng, B, T, V), ids(rng, B, T), unequal_rows()
    expected = expected_gradient(reference, logits, targets, selected)
    for name, scale in (("gradient at selected positions", 1.0), ("gradient of three times the loss", 3.0)):
        found = student.mlm_loss.vjp(logits, targets, selected, cotangent=torch.tensor(scale))
        gradient = gradient_of_logits(expect, found, (B, T, V))
        expect.close(gradient[selected], scale * expected[selected], name)


@points(2)
@group("Gradients")
@hint("The loss must not depend on the logits of a position that is not selected, not even a little.")
def test_mlm_loss_gradients_unselected(student, expect, rng):
    """The gradient at positions that are not selected is exactly zero, and elsewhere it is not."""
    logits, targets, selected = draw(rng, B, T, V), ids(rng, B, T), unequal_rows()
    gradient = gradient_of_logits(expect, student.mlm_loss.vjp(logits, targets, selected), (B, T, V))
    wanted = torch.zeros(int((~selected).sum()), V)  # (unselected, V)
    expect.close(gradient[~selected], wanted, "gradient at unselected positions", rtol=0.0, atol=0.0)
    expect.above(gradient[selected].double().abs().amax(dim=-1), 0.0, "size of the gradient at selected positions")


@points(2)
@group("Large numbers")
@needs("mlm_loss_gradients")
@hint("A confident wrong answer needs the strongest pull; a clamp or an added small number takes it away.")
def test_mlm_loss_large_gradients(student, expect, reference):
    """A confident wrong answer still gets its gradient."""
    logits = torch.tensor([[[1e4, -1e4, 0.0, 0.0], [0.0, 400.0, 0.0, -30.0], [-1e4, -9999.0, -9998.0, -1e4]]] * 2)
    targets, selected = torch.tensor([[1, 2, 1], [3, 1, 3]]), torch.ones(2, 3).bool()  # (2, 3) twice
    gradient = gradient_of_logits(expect, student.mlm_loss.vjp(logits, targets, selected), (2, 3, 4))
    expected = expected_gradient(reference, logits, targets, selected)
    expect.close(gradient, expected, "gradient at large logits", atol=LARGE_ATOL)
