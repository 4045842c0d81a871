# CANARY-PRIVATE-attention-hidden-module
"""Hidden checks of `TinySelfAttn`, against the reference's module with the same parameters."""

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.probes import attention_weights_probe
from grader.judge.student import AsView

B, T, HEADS, HEAD_DIM = 2, 5, 3, 7
HIDDEN = HEADS * HEAD_DIM
LARGE_INPUT_ATOL = 0.1  # of outputs of about 100; at such scores float32 is off by some thousandths


def draw(rng, *shape):
    """Standard normal numbers of a shape."""
    return torch.randn(*shape, generator=rng)


def twins(student, reference, rng, hidden=HIDDEN, heads=HEADS):
    """The student's module and the reference's, with the same parameters, every one drawn anew."""
    ours = reference.TinySelfAttn(hidden, heads)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.copy_(draw(rng, *parameter.shape) / hidden**0.5 * 2)
    theirs = student.TinySelfAttn(hidden, heads)
    theirs.load_state_dict(ours.state_dict())
    return theirs, ours


@points(3)
@group("Module")
@needs("module_parameters")
@hint("Q, K and V are three blocks of the hidden width, in this order; heads are cut from each, and joined in order.")
def test_module_values(student, expect, reference, rng):
    """TinySelfAttn computes what ours does from the same parameters."""
    for heads, batch, length in ((HEADS, B, T), (7, B, 1), (1, B, T), (HIDDEN, B, T), (HEADS, 1, 66)):
        theirs, ours = twins(student, reference, rng, heads=heads)
        x = draw(rng, batch, length, HIDDEN)
        with torch.no_grad():
            expect.close(theirs(x), ours(x), f"output with {heads} heads and a batch of {batch}")


@points(1)
@group("Module")
@needs("module_values")
@hint("view() wants its numbers in a row in memory, which a transposed or sliced tensor has not: reshape() takes any.")
def test_module_strided(student, expect, reference, rng):
    """TinySelfAttn takes an input that was transposed or sliced before."""
    theirs, ours = twins(student, reference, rng)
    x = draw(rng, T, B, HIDDEN).transpose(0, 1)  # (B, T, H), not contiguous
    nonpadding = (torch.arange(T)[:, None] < torch.tensor([T, T - 2])).t()  # (B, T), not contiguous
    with torch.no_grad():
        expect.close(theirs(AsView(x), AsView(nonpadding)), ours(x, nonpadding), "output of a transposed input")


@points(4)
@group("Module")
@needs("module_parameters")
@hint("Each head attends on its own, and divides by the square root of the width of one head.")
def test_module_weights(student, expect, reference, rng):
    """The attention weights inside TinySelfAttn are right in every head."""
    content, projection = draw(rng, B, T, HIDDEN - T), draw(rng, 2 * HIDDEN, HIDDEN - T) / 4
    attn = student.TinySelfAttn(HIDDEN, HEADS)
    found = attention_weights_probe(attn, HEADS, content, projection)
    query, key = (content @ projection.T).chunk(2, dim=-1)  # (B, T, H) twice
    query, key = (part.view(B, T, HEADS, HEAD_DIM).transpose(1, 2) for part in (query, key))  # (B, heads, T, d)
    expect.close(found, reference.attention_weights(query, key), "weights inside the module")


@points(2)
@group("Module")
@needs("module_parameters")
@hint("An encoder has no causal mask: the first token sees the last.")
def test_module_not_causal(student, expect, rng):
    """Inside TinySelfAttn every token sees those on its right."""
    content, projection = draw(rng, B, T, HIDDEN - T), draw(rng, 2 * HIDDEN, HIDDEN - T) / 4
    found = attention_weights_probe(student.TinySelfAttn(HIDDEN, HEADS), HEADS, content, projection)
    weights = expect.tensor(found, "weights inside the module", shape=(B, HEADS, T, T))
    right = torch.ones(T, T).triu(diagonal=1).bool()  # (T, T)
    # Weights inside the module are sums of products with exact zeros: what is hidden is 0, not merely small.
    expect.above(weights[:, :, right], 0.0, "weights right of the diagonal")


@points(4)
@group("Module")
@needs("module_values")
@hint("With nonpadding given, padding keys are hidden from every query of their own sequence, in every head.")
def test_module_padding(student, expect, reference, rng):
    """With nonpadding, real tokens do not see padding, and each call goes by its own mask."""
    theirs, ours = twins(student, reference, rng)
    nonpadding = torch.tensor([[1, 1, 1, 0, 0], [0, 1, 0, 1, 1]]).bool()  # (B, T), at the end, in front, between
    x, other = draw(rng, B, T, HIDDEN), nonpadding.flip(0, 1)
    changed = torch.where(nonpadding[..., None], x, 5 * draw(rng, B, T, HIDDEN))
    cases = (
        ("output of real tokens", x, nonpadding),
        ("output of real tokens after other padding", changed, nonpadding),
        ("output of real tokens with another mask", x, other),
    )
    *masked, unmasked = theirs.each([*((states, mask) for _, states, mask in cases), (x,)])
    with torch.no_grad():
        for mine, (name, states, mask) in zip(masked, cases, strict=True):
            found = expect.tensor(mine, "output", shape=(B, T, HIDDEN))
            expect.close(found[mask], ours(states, mask)[mask], name)
        expect.close(unmasked, ours(x), "output without a mask, after calls with one")


@points(2)
@group("Module")
@needs("module_values")
@hint("A sequence of nothing but padding must not give NaN, nor disturb its neighbours in the batch.")
def test_module_all_padding(student, expect, reference, rng):
    """A sequence that is nothing but padding gives finite numbers."""
    theirs, ours = twins(student, reference, rng)
    nonpadding = torch.tensor([[False] * T, [True] * (T - 2) + [False] * 2])  # (B, T)
    x = draw(rng, B, T, HIDDEN)
    found = expect.tensor(theirs(x, nonpadding), "output", shape=(B, T, HIDDEN))
    expect.finite(found, "output")
    with torch.no_grad():
        expect.close(found[nonpadding], ours(x, nonpadding)[nonpadding], "output of the other sequence")


@points(2)
@group("Module")
@needs("module_values")
@hint("Large scores overflow a bare exp inside the module too; use attention_weights, or a softmax that is as careful.")
def test_module_large(student, expect, reference, rng):
    """A large input gives the right output, with and without padding."""
    theirs, ours = twins(student, reference, rng)
    x = 10 * draw(rng, B, T, HIDDEN)  # scores of some hundreds
    nonpadding = torch.tensor([[1, 1, 0, 1, 0], [0, 0, 1, 1, 1]]).bool()  # (B, T)
    plain, padded = theirs.each([(x,), (x, nonpadding)])
    padded = expect.tensor(padded, "output with padding", shape=(B, T, HIDDEN))
    with torch.no_grad():
        expect.close(plain, ours(x), "output without padding", atol=LARGE_INPUT_ATOL)
        wanted = ours(x, nonpadding)[nonpadding]
        expect.close(padded[nonpadding], wanted, "output of real tokens with padding", atol=LARGE_INPUT_ATOL)


@points(4)
@group("Gradients")
@needs("module_values")
@hint("Gradients must reach the input and every parameter, with and without padding: nothing detached, nothing NaN.")
def test_module_gradients(student, expect, reference, rng):
    """Gradients reach the input and every parameter, with the right values."""
    theirs, ours = twins(student, reference, rng)
    x, cotangent = draw(rng, B, T, HIDDEN), draw(rng, B, T, HIDDEN)
    nonpadding = torch.tensor([[1, 1, 0, 1, 0], [0, 0, 1, 1, 1]]).bool()  # (B, T)
    # What padding queries put out is free, and so is its gradient.
    cases = (("", (), cotangent), (" with padding", (nonpadding,), cotangent * nonpadding[..., None]))
    for name, mask, along in cases:
        found = theirs.vjp(x, *mask, cotangent=along)
        leaf = x.clone().requires_grad_()
        wanted = torch.autograd.grad((ours(leaf, *mask) * along).sum(), (leaf, *ours.parameters()))
        mine = {"x": found.inputs[0]} | {key: found.parameters.get(key) for key, _ in ours.named_parameters()}
        for (key, gradient), expected in zip(mine.items(), wanted, strict=True):
            expect.that(gradient is not None, f"gradient of {key}{name}", "no gradient arrives there.")
            expect.close(gradient, expected, f"gradient of {key}{name}", atol=1e-4)


@points(2)
@group("Module")
@needs("module_parameters", "module_shape")
@hint("There is no dropout in this module, in no mode: what comes out depends on the input and the parameters alone.")
def test_module_repeats(student, expect, reference, rng):
    """The same input gives the same output, in training mode and in evaluation mode."""
    theirs, ours = twins(student, reference, rng)
    x = draw(rng, B, T, HIDDEN)
    theirs.train()
    first, again = theirs.each([(x,), (x,)])
    first = expect.tensor(first, "output", shape=(B, T, HIDDEN))
    expect.close(again, first, "output of a second call")
    theirs.eval()
    expect.close(theirs(x), first, "output in evaluation mode")
    theirs.load_state_dict({name: draw(rng, *value.shape) for name, value in ours.state_dict().items()})
    second = expect.tensor(theirs(x), "output of other parameters", shape=(B, T, HIDDEN))
    expect.that(not torch.allclose(first, second), "output", "other parameters make no difference to it.")


@points(2)
@group("Module")
@needs("module_values")
@hint("Work on new tensors; the caller still needs the input.")
def test_module_leaves_input(student, expect, rng):
    """TinySelfAttn changes neither its input nor the mask."""
    theirs = student.TinySelfAttn(HIDDEN, HEADS)
    x, nonpadding = draw(rng, B, T, HIDDEN), torch.tensor([[True] * T, [True] * (T - 2) + [False] * 2])
    for arguments in ((x,), (x, nonpadding), (x, torch.stack([nonpadding[1], nonpadding[1] & False]))):
        _, after = theirs.inspect(*arguments)
        for name, before, now in zip(("x", "nonpadding"), arguments, after, strict=False):
            expect.unchanged(now, before, name)
