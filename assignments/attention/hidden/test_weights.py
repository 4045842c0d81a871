# CANARY-PRIVATE-attention-hidden-weights
"""Hidden checks of `attention_weights`. Sizes are pairwise different, so that swapped axes cannot pass."""

import torch

from grader.judge.marks import group, hint, needs, points

B, HEADS, T, S, D = 2, 3, 5, 6, 7
LARGE_SCORE_ATOL = 1e-3  # at scores of 1e4 a right implementation in float32 is off by up to 5e-4


def draw(rng, *shape):
    """Standard normal numbers of a shape."""
    return torch.randn(*shape, generator=rng)


def some_visible(rng, *shape):
    """A random mask in which every row sees at least its first key."""
    visible = torch.rand(*shape, generator=rng) < 0.6
    visible[..., 0] = True
    return visible


@points(3)
@group("Weights")
@hint("In an encoder nothing is hidden unless you are told so: every weight above the diagonal is positive.")
def test_upper_right_positive(student, expect, rng):
    """Without a mask every query gives weight to the keys on its right."""
    weights = student.attention_weights(draw(rng, B, T, D), draw(rng, B, T, D))
    weights = expect.tensor(weights, "attention weights", shape=(B, T, T))
    right = torch.ones(T, T).triu(diagonal=1).bool()  # (T, T)
    expect.above(weights[:, right], 0.0, "weights right of the diagonal")


@points(4)
@group("Weights")
@hint("The scale is the square root of the last axis of the query, whatever the numbers of queries and keys.")
def test_values_other_sizes(student, expect, reference, rng):
    """The weights are right when queries, keys and width differ in number."""
    query, key = draw(rng, B, T, D), draw(rng, B, S, D)
    found = student.attention_weights(query, key)
    expect.close(found, reference.attention_weights(query, key), "attention weights")


@points(4)
@group("Weights")
@needs("values_other_sizes")
@hint("A hidden key weighs exactly 0 and the visible ones sum to 1: hide it before the softmax.")
def test_hidden_keys_weigh_nothing(student, expect, reference, rng):
    """Hidden keys weigh exactly nothing, and the visible ones share the whole."""
    query, key = draw(rng, B, HEADS, T, D), draw(rng, B, HEADS, S, D)
    visible = some_visible(rng, B, HEADS, T, S)
    weights = student.attention_weights(query, key, visible)
    expect.close(weights, reference.attention_weights(query, key, visible), "attention weights")
    expect.equal(weights[~visible], torch.zeros(int((~visible).sum())), "weights of hidden keys")


@points(3)
@group("Weights")
@needs("values_other_sizes")
@hint("A mask with fewer axes or axes of size 1 is broadcast like any tensor.")
def test_mask_is_broadcast(student, expect, reference, rng):
    """Masks of fewer axes, or with axes of size 1, are broadcast."""
    query, key = draw(rng, B, HEADS, T, D), draw(rng, B, HEADS, S, D)
    for shape in ((S,), (T, S), (B, 1, 1, S), (HEADS, 1, S)):
        visible = some_visible(rng, *shape)
        found, expected = (module.attention_weights(query, key, visible) for module in (student, reference))
        expect.close(found, expected, f"weights with a mask of {len(shape)} axes")


@points(3)
@group("Weights")
@needs("values_other_sizes")
@hint("Count axes from the back, -1 and -2: there may be any number of them in front.")
def test_any_leading_axes(student, expect, reference, rng):
    """A single sequence and five axes work as well as three."""
    for leading in ((), (B, 4, HEADS)):
        query, key = draw(rng, *leading, T, D), draw(rng, *leading, S, D)
        found = student.attention_weights(query, key)
        expect.close(found, reference.attention_weights(query, key), f"weights with {len(leading)} leading axes")
        visible = some_visible(rng, T, S)
        found = student.attention_weights(query, key, visible)
        expect.close(
            found, reference.attention_weights(query, key, visible), f"masked weights with {len(leading)} leading axes"
        )


@points(4)
@group("Weights")
@needs("values_other_sizes")
@hint("Softmax of minus infinities is NaN, and of equal large negative numbers it is uniform; neither is zero.")
def test_no_visible_key(student, expect, reference, rng):
    """A query with no visible key gets zeros, and the other rows are not disturbed."""
    query, key = draw(rng, B, T, D), draw(rng, B, S, D)
    visible = some_visible(rng, B, T, S)
    visible[0, 1] = False
    visible[1, 3] = False
    found = student.attention_weights(query, key, visible)
    expect.close(found, reference.attention_weights(query, key, visible), "attention weights")


@points(4)
@group("Weights")
@needs("values_other_sizes")
@hint("Scores of 10 000 overflow a bare exp, and no finite penalty that is added to them hides a key for sure.")
def test_large_scores(student, expect, reference, rng):
    """Scores of ten thousand give finite weights, and hidden keys stay hidden."""
    d = 4
    query = torch.tensor([100.0, 1.0, -0.01])[None, :, None].expand(1, 3, d).contiguous()  # (1, 3, d), rows far apart
    key = torch.stack([torch.full((d,), size) for size in (50.0, -50.0, 20.0, -20.0, 49.99)])[None]  # (1, 5, d)
    for visible in (
        torch.ones(1, 3, 5).bool(),
        torch.tensor([False, True, True, True, False])[None, None],
        torch.tensor([False, True, False, True, False])[None, None],
        torch.tensor([False, True, False, False, False])[None, None],
    ):
        found = student.attention_weights(query, key, visible)
        expected = reference.attention_weights(query, key, visible)
        expect.close(found, expected, "weights at large scores", atol=LARGE_SCORE_ATOL)
        hidden = ~visible.expand(1, 3, 5)
        expect.equal(found[hidden], torch.zeros(int(hidden.sum())), "weights of hidden keys at large scores")


@points(4)
@group("Gradients")
@needs("values_other_sizes")
@hint("Keep the weights attached to the graph: no detach, no .data, no item.")
def test_weights_gradients(student, expect, reference, rng):
    """Gradients of the weights reach query and key, with the right values."""
    query, key = draw(rng, B, T, D), draw(rng, B, S, D)
    visible, cotangent = some_visible(rng, B, T, S), draw(rng, B, T, S)
    found = student.attention_weights.vjp(query, key, visible, cotangent=cotangent, wrt=(0, 1))
    query.requires_grad_()
    key.requires_grad_()
    expected = torch.autograd.grad(reference.attention_weights(query, key, visible), (query, key), cotangent)
    for name, mine, theirs in zip(("query", "key"), found.inputs, expected, strict=True):
        expect.that(mine is not None, f"gradient of the {name}", "no gradient arrives there.")
        expect.close(mine, theirs, f"gradient of the {name}")


@points(2)
@group("Weights")
@needs("values_other_sizes")
@hint("The result has the dtype of the query: convert back whatever you convert.")
def test_double_precision(student, expect, reference, rng):
    """float64 in, float64 out, with the digits of float64."""
    query, key = draw(rng, B, T, D).double(), draw(rng, B, S, D).double()
    weights = expect.tensor(student.attention_weights(query, key), "attention weights", dtype=torch.float64)
    expect.close(weights, reference.attention_weights(query, key), "attention weights in float64", atol=1e-5)


@points(2)
@group("Weights")
@hint("Operations whose names end in an underscore change their tensor; the caller still needs it.")
def test_weights_leave_arguments(student, expect, reference, rng):
    """attention_weights changes none of its arguments."""
    query, key, visible = draw(rng, B, T, D), draw(rng, B, S, D), some_visible(rng, B, T, S)
    found, after = student.attention_weights.inspect(query, key, visible)
    expect.close(found, reference.attention_weights(query, key, visible), "attention weights")
    for name, before, now in zip(("query", "key", "visible"), (query, key, visible), after, strict=True):
        expect.unchanged(now, before, name)
