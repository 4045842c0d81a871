# CANARY-PRIVATE-attention-hidden-weights
"""Hidden checks of `attention_weights`. Sizes are pairwise different, so that swapped axes cannot pass."""

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.student import AsView, StudentRaised

B, HEADS, T, S, D = 2, 3, 5, 6, 7
LARGE_SCORE_ATOL = 1e-3  # at scores of 1e4 a right implementation in float32 is off by up to 5e-4


def draw(rng, *shape):
    """Standard normal numbers of a shape."""
    return torch.randn(*shape, generator=rng)


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
    """`attention_weights` against the reference's, for each (name, arguments)."""
    found = []
    answers = in_turn(student.attention_weights, [arguments for _, arguments in cases])
    for mine, (name, arguments) in zip(answers, cases, strict=True):
        expect.close(mine, reference.attention_weights(*arguments), name, **tolerance)
        found.append(mine)
    return found


def some_visible(rng, *shape):
    """A random mask in which every row sees at least its first key."""
    visible = torch.rand(*shape, generator=rng) < 0.6
    visible[..., 0] = True
    return visible


def large_scores():
    """Query, key and masks whose scores are up to 10 000 in size; hidden keys have the largest of them."""
    d = 4
    query = torch.tensor([100.0, 1.0, -0.01])[None, :, None].expand(1, 3, d).contiguous()  # (1, 3, d), rows far apart
    key = torch.stack([torch.full((d,), size) for size in (50.0, -50.0, 20.0, -20.0, 49.99)])[None]  # (1, 5, d)
    masks = (
        torch.ones(1, 3, 5).bool(),
        torch.tensor([False, True, True, True, False])[None, None],
        torch.tensor([False, True, False, True, False])[None, None],
        torch.tensor([False, True, False, False, False])[None, None],
    )
    return query, key, masks


@points(2)
@group("Weights")
@hint("In an encoder nothing is hidden unless you are told so: every weight above the diagonal is positive.")
def test_upper_right_positive(student, expect, rng):
    """Without a mask every query gives weight to the keys on its right."""
    weights = student.attention_weights(draw(rng, B, T, D), draw(rng, B, T, D))
    weights = expect.tensor(weights, "attention weights", shape=(B, T, T))
    right = torch.ones(T, T).triu(diagonal=1).bool()  # (T, T)
    expect.above(weights[:, right], 0.0, "weights right of the diagonal")


@points(3)
@group("Weights")
@hint("The scale is the square root of the last axis of the query, whatever the numbers of queries and keys.")
def test_values_other_sizes(student, expect, reference, rng):
    """The weights are right when queries, keys and width differ in number."""
    query, key = draw(rng, B, T, D), draw(rng, B, S, D)
    found = student.attention_weights(query, key)
    expect.close(found, reference.attention_weights(query, key), "attention weights")


@points(3)
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
    masks = [some_visible(rng, *shape) for shape in ((S,), (T, S), (B, 1, 1, S), (HEADS, 1, S))]
    names = [f"weights with a mask of {mask.dim()} axes" for mask in masks]
    expanded = masks[2].expand(B, HEADS, T, S)
    sent = [(query, key, mask) for mask in (*masks, AsView(expanded))]
    found = in_turn(student.attention_weights, sent)
    for mine, mask, name in zip(found, (*masks, expanded), (*names, "weights with an expanded mask"), strict=True):
        expect.close(mine, reference.attention_weights(query, key, mask), name)


@points(3)
@group("Weights")
@needs("values_other_sizes")
@hint("Count axes from the back, -1 and -2: there may be any number of them in front.")
def test_any_leading_axes(student, expect, reference, rng):
    """A single sequence and five axes work as well as three."""
    cases = []
    for leading, queries, keys in (((), T, S), ((B, 4, HEADS), S, T)):  # fewer queries than keys, and more
        query, key = draw(rng, *leading, queries, D), draw(rng, *leading, keys, D)
        visible = some_visible(rng, queries, keys)
        cases.append((f"weights with {len(leading)} leading axes", (query, key)))
        cases.append((f"masked weights with {len(leading)} leading axes", (query, key, visible)))
    compare(student, expect, reference, cases)


@points(1)
@group("Weights")
@needs("values_other_sizes")
@hint("An axis of length 1 is an axis too: nothing is squeezed.")
def test_one_query_or_key(student, expect, reference, rng):
    """A single query, and a single key, keep their axis."""
    cases = [
        (f"weights of {queries} queries and {keys} keys", (draw(rng, B, queries, D), draw(rng, B, keys, D)))
        for queries, keys in ((1, 70), (T, 1), (1, 1))
    ]
    compare(student, expect, reference, cases)


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
    rows = torch.tensor([True, False, True, True, False])[:, None]  # (T, 1): all keys of a row, or none
    cases = [
        ("attention weights", (query, key, visible)),
        ("weights with a mask that says all or nothing", (query, key, rows)),
        ("weights of a single sequence", (query[0], key[0], visible[0])),
        ("weights with no visible key anywhere", (query, key, visible & False)),
    ]
    compare(student, expect, reference, cases)


@points(4)
@group("Weights")
@needs("values_other_sizes")
@hint("Scores of 10 000 overflow a bare exp, and no finite penalty that is added to them hides a key for sure.")
def test_large_scores(student, expect, reference, rng):
    """Scores of ten thousand give finite weights, and hidden keys stay hidden."""
    query, key, masks = large_scores()
    cases = [("weights at large scores", (query, key, visible)) for visible in masks]
    cases.append(("weights at large scores without a mask", (query, key)))
    *masked, _ = compare(student, expect, reference, cases, atol=LARGE_SCORE_ATOL)
    for found, visible in zip(masked, masks, strict=True):
        hidden = ~visible.expand(1, 3, 5)
        expect.equal(found[hidden], torch.zeros(int(hidden.sum())), "weights of hidden keys at large scores")


@points(2)
@group("Gradients")
@needs("large_scores")
@hint("torch.where hides an infinity from the result but not from its gradient: hide the score before the exp.")
def test_large_gradients(student, expect):
    """At scores of ten thousand the gradients are finite too."""
    query, key, masks = large_scores()
    cotangent = torch.linspace(-1.0, 1.0, 15).reshape(1, 3, 5)
    for arguments in ((query, key), (query, key, masks[1])):
        found = student.attention_weights.vjp(*arguments, cotangent=cotangent, wrt=(0, 1))
        for name, gradient in zip(("query", "key"), found.inputs, strict=True):
            if gradient is not None:  # whether one arrives is another check's question
                expect.finite(gradient, f"gradient of the {name} at large scores")


@points(4)
@group("Gradients")
@needs("values_other_sizes")
@hint("Keep the weights attached to the graph: no detach, no .data, no item.")
def test_weights_gradients(student, expect, reference, rng):
    """Gradients of the weights reach query and key, with the right values."""
    query, key = draw(rng, B, T, D), draw(rng, B, S, D)
    visible, cotangent = some_visible(rng, B, T, S), draw(rng, B, T, S)
    leaves = [query.clone().requires_grad_(), key.clone().requires_grad_()]
    for case, mask in (("", (visible,)), (" without a mask", ())):
        found = student.attention_weights.vjp(query, key, *mask, cotangent=cotangent, wrt=(0, 1))
        expected = torch.autograd.grad((reference.attention_weights(*leaves, *mask) * cotangent).sum(), leaves)
        for name, mine, theirs in zip(("query", "key"), found.inputs, expected, strict=True):
            expect.that(mine is not None, f"gradient of the {name}{case}", "no gradient arrives there.")
            expect.close(mine, theirs, f"gradient of the {name}{case}")


@points(2)
@group("Weights")
@needs("values_other_sizes")
@hint("The result has the dtype of the query, with a mask and without: convert back whatever you convert.")
def test_double_precision(student, expect, reference, rng):
    """float64 in, float64 out, and float32 in, float32 out."""
    query, key, visible = draw(rng, B, T, D), draw(rng, B, S, D), some_visible(rng, B, T, S)
    cases = [
        ("attention weights in float64", (query.double(), key.double())),
        ("masked attention weights in float64", (query.double(), key.double(), visible)),
        ("attention weights in float32", (query, key)),
        ("masked attention weights in float32", (query, key, visible)),
    ]
    found = compare(student, expect, reference, cases)
    for weights, (name, arguments) in zip(found, cases, strict=True):
        expect.dtype(weights, arguments[0].dtype, name)


@points(2)
@group("Weights")
@needs("values_other_sizes", "hidden_keys_weigh_nothing")
@hint("Operations whose names end in an underscore change their tensor; the caller still needs it.")
def test_weights_leave_arguments(student, expect, reference, rng):
    """attention_weights changes none of its arguments."""
    query, key, visible = draw(rng, B, T, D), draw(rng, B, S, D), some_visible(rng, B, T, S)
    found, after = student.attention_weights.inspect(query, key, visible)
    expect.close(found, reference.attention_weights(query, key, visible), "attention weights")
    arguments = (query, key, visible)
    for name, before, now in zip(("query", "key", "visible"), arguments, after, strict=True):
        expect.unchanged(now, before, name)
    nothing = visible[0].clone()  # (T, S)
    nothing[2] = False
    for arguments in ((query, key), (query, key, nothing)):
        try:
            _, after = student.attention_weights.inspect(*arguments)
        except StudentRaised:
            continue  # another check's question
        for name, before, now in zip(("query", "key", "visible"), arguments, after, strict=False):
            expect.unchanged(now, before, name)


@points(2)
@group("Side effects")
@needs("module_values", "values_other_sizes")
@hint("What you switch in torch, such as the default dtype, stays switched for whoever comes next: leave it alone.")
def test_nothing_switched(student, expect, rng):
    """After weights in float64 a new module takes float32 as before."""
    query, key, visible = draw(rng, B, T, D).double(), draw(rng, B, S, D).double(), some_visible(rng, B, T, S)
    student.attention_weights.each([(query, key), (query, key, visible)])
    output = student.TinySelfAttn(12, 4)(draw(rng, B, T, 12))
    expect.shape(output, (B, T, 12), "output of a module made later")
