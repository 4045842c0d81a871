# CANARY-PRIVATE-tiny_bert-hidden-layer
"""Hidden checks of `TinyLayer`, against the reference's layer with the same parameters.

Every parameter is drawn anew, with the scales of the LayerNorms far from 1 and their shifts far from 0: as they are
created, both norms do the same. Checks of one half silence the other by zeros in its last matrix, and attention that
is not the point has Q and K of zero, so that it takes plain means: a mistake in one half is not counted in the other.
"""

import torch

from grader.judge.marks import group, hint, needs, points

B, T, HEADS, HEAD_DIM = 2, 5, 3, 4
HIDDEN = HEADS * HEAD_DIM
LOOSE_ATOL = 5e-3  # well above what the tanh formula of GELU and another eps change at ordinary inputs
TAIL_ATOL = 1e-3  # ten times 4e-4, the error of the tanh formula, comes from several units; float32 leaves 3e-5


def draw(rng, *shape):
    """Standard normal numbers of a shape."""
    return torch.randn(*shape, generator=rng)


def weights(reference, rng, hidden=HIDDEN, heads=HEADS):
    """Parameters of a layer by name, every one drawn anew."""
    state = {}
    for name, parameter in reference.TinyLayer(hidden, heads).named_parameters():
        shape = tuple(parameter.shape)
        if name.startswith("ln"):
            state[name] = 0.3 + 2.2 * torch.rand(shape, generator=rng) if name.endswith("weight") else draw(rng, *shape)
        else:
            state[name] = draw(rng, *shape) * (1.5 / shape[-1] ** 0.5 if len(shape) == 2 else 0.7)
    return state


def attention_silent(state):
    """The same without a contribution of attention."""
    return state | {name: torch.zeros_like(state[name]) for name in ("attn.out.weight", "attn.out.bias")}


def feed_forward_silent(state):
    """The same without a contribution of the feed-forward network."""
    return state | {name: torch.zeros_like(state[name]) for name in ("ff.2.weight", "ff.2.bias")}


def attention_takes_means(state):
    """The same with queries and keys of zero."""
    qkv = state["attn.qkv.weight"].clone()
    qkv[: 2 * qkv.shape[1]] = 0.0
    return state | {"attn.qkv.weight": qkv}


def outputs(student, reference, state, x, hidden=HIDDEN, heads=HEADS):
    """What the student's layer and ours make of x with these parameters."""
    ours, theirs = reference.TinyLayer(hidden, heads), student.TinyLayer(hidden, heads)
    ours.load_state_dict(state)
    theirs.load_state_dict(state)
    with torch.no_grad():
        return theirs(x), ours(x)


@points(3)
@group("Layer")
@needs("model_parameters")
@hint("The first half is x + attn(ln1(x)): the norm is inside, and what is added to is the stream as it came.")
def test_layer_attention_half(student, expect, reference, rng):
    """The attention half of the layer is right when the feed-forward half adds nothing."""
    state = attention_takes_means(feed_forward_silent(weights(reference, rng)))
    found, expected = outputs(student, reference, state, 3 * draw(rng, B, T, HIDDEN))
    expect.close(found, expected, "output of a layer whose feed-forward network is silent")


@points(3)
@group("Layer")
@needs("model_parameters")
@hint("The second half is x + ff(ln2(x)), with GELU between two linear layers.")
def test_layer_feed_forward_half(student, expect, reference, rng):
    """The feed-forward half of the layer is right when attention adds nothing."""
    found, expected = outputs(
        student, reference, attention_silent(weights(reference, rng)), 3 * draw(rng, B, T, HIDDEN)
    )
    expect.close(found, expected, "output of a layer whose attention is silent", atol=LOOSE_ATOL)


@points(3)
@group("Layer")
@needs("layer_feed_forward_half")
@hint("GELU is x times the normal distribution function of x, by erf; the formula with tanh only comes near it.")
def test_layer_gelu(student, expect, reference, rng):
    """GELU is exact where the usual approximation is not."""
    state = attention_silent(weights(reference, rng))
    state["ln2.weight"], state["ln2.bias"] = torch.ones(HIDDEN), torch.zeros(HIDDEN)
    state["ff.0.weight"] = draw(rng, 4 * HIDDEN, HIDDEN) * 0.5 / HIDDEN**0.5
    state["ff.0.bias"] = -2.6 + 0.3 * draw(rng, 4 * HIDDEN)  # far out on the left, where GELU is nearly 0
    state["ff.2.weight"], state["ff.2.bias"] = 10 * draw(rng, HIDDEN, 4 * HIDDEN), torch.zeros(HIDDEN)
    found, expected = outputs(student, reference, state, draw(rng, B, T, HIDDEN))
    expect.close(found, expected, "output of units on the left of GELU", atol=TAIL_ATOL)


@points(3)
@group("Layer")
@needs("model_parameters")
@hint("Both LayerNorms use 1e-5, torch's default, inside the root; what is nearly constant shows it.")
def test_layer_norm_eps(student, expect, reference, rng):
    """Both LayerNorms have an eps of 1e-5: inputs of very small spread come out right."""
    state = weights(reference, rng)
    x = 3e-3 * draw(rng, B, T, HIDDEN)  # of a variance about as large as eps
    for name, silenced in (("first", feed_forward_silent), ("second", attention_silent)):
        found, expected = outputs(student, reference, attention_takes_means(silenced(state)), x)
        expect.close(found, expected, f"output of the {name} half for inputs of small spread", atol=LOOSE_ATOL)


@points(3)
@group("Layer")
@needs("layer_attention_half", "layer_feed_forward_half")
@hint("Attention first, then the feed-forward network on what attention has made of the stream.")
def test_layer_values(student, expect, reference, rng):
    """TinyLayer computes what ours does from the same parameters, for several sizes and lengths."""
    for hidden, heads, batch, length in ((10, 5, 3, 7), (6, 1, 4, 1), (14, 2, 1, 33)):
        state = weights(reference, rng, hidden, heads)
        x = 3 * draw(rng, batch, length, hidden)
        found, expected = outputs(student, reference, state, x, hidden, heads)
        expect.close(found, expected, f"output for a length of {length} and {heads} heads", atol=LOOSE_ATOL)


@points(2)
@group("Gradients")
@needs("layer_values")
@hint("Nothing may be detached on the way: neither a half nor the stream that it is added to.")
def test_layer_gradients(student, expect, reference, rng):
    """Gradients of TinyLayer reach the input and every parameter, with the right values."""
    state = weights(reference, rng)
    ours, theirs = reference.TinyLayer(HIDDEN, HEADS), student.TinyLayer(HIDDEN, HEADS)
    ours.load_state_dict(state)
    theirs.load_state_dict(state)
    x, cotangent = 3 * draw(rng, B, T, HIDDEN), draw(rng, B, T, HIDDEN)
    found = theirs.vjp(x, cotangent=cotangent)
    x.requires_grad_()
    (ours(x) * cotangent).sum().backward()
    expected = {"x": x.grad} | {name: parameter.grad for name, parameter in ours.named_parameters()}
    for name, wanted in expected.items():
        mine = found.inputs[0] if name == "x" else found.parameters.get(name)
        expect.that(mine is not None, f"gradient of {name}", "no gradient arrives there.")
        expect.close(mine, wanted, f"gradient of {name}", atol=LOOSE_ATOL * max(1.0, float(wanted.abs().amax())))
