# CANARY-PRIVATE-tiny_bert-hidden-model
"""Hidden checks of `TinyBertForClassification`, against the reference's model with the same parameters.

As in the checks of the layer every parameter is drawn anew, and what is not the point of a check is silenced.
"""

import zlib
from dataclasses import dataclass
from typing import Any

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.student import AsView

SIZES = {"vocab": 11, "hidden": 12, "heads": 3, "layers": 2, "max_len": 9, "classes": 4}
OTHERS = {"vocab": 17, "hidden": 10, "heads": 5, "layers": 3, "max_len": 21, "classes": 6}
ONE_LAYER = SIZES | {"layers": 1}
B, T = 7, 5
TOKENS = [0, 1, 3, 5, 6, 7, 9, 10]  # 2, 4 and 8 never occur
LOOSE_ATOL = 2e-2  # the tanh formula of GELU, which has a check of its own, changes logits by up to 2e-3


def shapes(vocab, hidden, heads, layers, max_len, classes):
    """The shape of each parameter by name."""
    named = {"tok_emb.weight": (vocab, hidden), "pos_emb.weight": (max_len, hidden)}
    for n in range(layers):
        named |= {
            f"layers.{n}.attn.qkv.weight": (3 * hidden, hidden),
            f"layers.{n}.attn.out.weight": (hidden, hidden),
            f"layers.{n}.attn.out.bias": (hidden,),
            f"layers.{n}.ff.0.weight": (4 * hidden, hidden),
            f"layers.{n}.ff.0.bias": (4 * hidden,),
            f"layers.{n}.ff.2.weight": (hidden, 4 * hidden),
            f"layers.{n}.ff.2.bias": (hidden,),
        }
        named |= {f"layers.{n}.{norm}.{part}": (hidden,) for norm in ("ln1", "ln2") for part in ("weight", "bias")}
    return named | {"head.weight": (classes, hidden), "head.bias": (classes,)}


def weights(rng, named):
    """Values of these shapes, every one drawn anew; what a name gets depends on the name and the shape alone."""
    base = int(torch.randint(1 << 40, (), generator=rng))
    state = {}
    for name, shape in named.items():
        generator = torch.Generator().manual_seed(base + zlib.crc32(name.encode()))
        normal = torch.randn(shape, generator=generator)
        if ".ln" in name and name.endswith("weight"):
            state[name] = 0.3 + 2.2 * torch.rand(shape, generator=generator)
        elif "emb" in name:
            state[name] = 2 * normal
        else:
            state[name] = normal * (1.5 / shape[-1] ** 0.5 if len(shape) == 2 else 0.7)
    return state


def theirs_alone(student, rng, change=None, **sizes):
    """The student's model with values for all parameters, after `change(name, tensor)` of each; and those values."""
    model, state = student.TinyBertForClassification(**sizes), weights(rng, shapes(**sizes))
    if change is not None:
        state = {name: change(name, tensor) for name, tensor in state.items()}
    model.load_state_dict(state)
    return model, state


def ours_with(reference, state, **sizes):
    """Our model with these values."""
    model = reference.TinyBertForClassification(**sizes)
    model.load_state_dict(state)
    return model


def quiet(name, tensor):
    """Layers that add only the mean of their normalised input, through V and out: Q, K and ff.2 are zero."""
    if name.endswith("qkv.weight"):
        return torch.cat([torch.zeros_like(tensor[: 2 * tensor.shape[1]]), tensor[2 * tensor.shape[1] :]])
    return torch.zeros_like(tensor) if ".ff.2." in name else tensor


def some_ids(rng, vocab, *shape):
    """Random token ids."""
    return torch.randint(0, vocab, shape, generator=rng)


@dataclass
class Differentiated:
    """A model whose parameters, whatever their names, were drawn anew, and one gradient of it."""

    state: dict[str, torch.Tensor]
    ids: torch.Tensor
    cotangent: torch.Tensor
    attached: bool
    gradient: dict[str, Any]


def differentiate(student, rng):
    """See `Differentiated`: no starting value may hide a gradient."""
    model = student.TinyBertForClassification(**SIZES)
    state = weights(rng, {name: tuple(value.shape) for name, value in model.parameters().items()})
    model.load_state_dict(state)
    ids = torch.tensor(TOKENS)[torch.randint(0, len(TOKENS), (B, T), generator=rng)]  # (B, T)
    ids[:, 1] = torch.tensor(TOKENS[:B])
    ids[0, 2:4] = torch.tensor(TOKENS[B - 1 :])  # so that each of TOKENS occurs
    cotangent = torch.randn(B, SIZES["classes"], generator=rng)
    found = model.vjp(ids, cotangent=cotangent, wrt=())
    return Differentiated(state, ids, cotangent, found.requires_grad, found.parameters)


@points(5)
@group("Model")
@needs("model_parameters")
@hint("Token t enters as tok_emb of its id plus pos_emb of t, t from 0; the head gets the state at [CLS] as it is.")
def test_model_embeddings(student, expect, reference, rng):
    """The model adds token and position embeddings, and its head reads the state at position 0."""
    hidden = SIZES["hidden"]

    def quiet_with_identity_head(name, tensor):
        if name.startswith("head."):
            return torch.eye(hidden) if name.endswith("weight") else torch.zeros(hidden)
        return quiet(name, tensor)

    sizes = ONE_LAYER | {"classes": hidden}
    theirs, state = theirs_alone(student, rng, quiet_with_identity_head, **sizes)
    ours = ours_with(reference, state, **sizes)
    several = [some_ids(rng, SIZES["vocab"], B, length) for length in (T, 1, SIZES["max_len"])]
    for ids, found in zip(several, theirs.each([[ids] for ids in several]), strict=True):
        with torch.no_grad():
            expect.close(found, ours(ids), f"state at [CLS] of {ids.shape[1]} tokens, read through an identity")


@points(3)
@group("Model")
@needs("model_embeddings", "layer_values")
@hint(
    "The layers follow one another, each with parameters of its own, and nothing stands behind the last but the head."
)
def test_model_values(student, expect, reference, rng):
    """The model computes what ours does from the same parameters, for several sizes and lengths."""
    for sizes, inputs in ((SIZES, ((B, T), (2, 1))), (OTHERS, ((1, 21), (3, 12)))):
        theirs, state = theirs_alone(student, rng, **sizes)
        ours = ours_with(reference, state, **sizes)
        several = [some_ids(rng, sizes["vocab"], *shape) for shape in inputs]
        for ids, found in zip(several, theirs.each([[ids] for ids in several]), strict=True):
            name = f"logits for {ids.shape[1]} of {sizes['max_len']} tokens"
            with torch.no_grad():
                expect.close(found, ours(ids), name, atol=LOOSE_ATOL)


@points(1)
@group("Model")
@needs("model_values")
@hint("view() wants its numbers in a row in memory, which a transposed or sliced tensor has not: reshape() takes any.")
def test_model_strided(student, expect, reference, rng):
    """The model takes ids that were cut from longer rows."""
    theirs, state = theirs_alone(student, rng, **ONE_LAYER)
    ids = some_ids(rng, SIZES["vocab"], B, 2 * T)[:, :T]  # (B, T), not contiguous
    with torch.no_grad():
        expected = ours_with(reference, state, **ONE_LAYER)(ids)
    expect.close(theirs(AsView(ids)), expected, "logits of ids cut from longer rows", atol=LOOSE_ATOL)


@points(1)
@group("Gradients")
@needs("model_shape")
@hint("Return what the head returns, still attached to its weights: no detach, no no_grad, nothing in place.")
def test_model_attached(student, expect, once):
    """The logits can be backpropagated, to the head at least."""
    model = once("differentiate", lambda rng: differentiate(student, rng))
    expect.that(model.attached, "logits", "they are attached to no parameter.")
    reached = [name for name in model.state if isinstance(model.gradient.get(name), torch.Tensor)]
    expect.that(bool(reached), "logits", "no parameter gets a gradient.")


@points(2)
@group("Gradients")
@needs("model_attached")
@hint("Keep everything attached, from the head down to both embeddings: no detach, no no_grad, nothing frozen.")
def test_model_gradients_reach(student, expect, once):
    """A gradient reaches every parameter of the model."""
    model = once("differentiate", lambda rng: differentiate(student, rng))
    for name in sorted(model.state):
        gradient = model.gradient.get(name)
        expect.that(gradient is not None, f"gradient of {name}", "no gradient arrives there.")
        gradient = expect.tensor(gradient, f"gradient of {name}", shape=model.state[name].shape)
        expect.above(gradient.double().abs().amax(), 0.0, f"largest gradient of {name}")


@points(2)
@group("Gradients")
@needs("model_parameters", "model_gradients_reach")
@hint("Token 0 is a token like any other: a row of the table learns if its token occurs, and only then.")
def test_model_embedding_rows(student, expect, once):
    """Of both embedding tables exactly the rows in use get a gradient, row 0 included."""
    model = once("differentiate", lambda rng: differentiate(student, rng))
    for name, rows in {"tok_emb.weight": TOKENS, "pos_emb.weight": list(range(T))}.items():
        gradient = expect.tensor(model.gradient.get(name), f"gradient of {name}", shape=model.state[name].shape)
        moved = gradient.double().abs().amax(dim=1) > 0  # (rows,)
        expect.same(moved.nonzero().flatten().tolist(), rows, f"rows of {name} with a gradient")


@points(2)
@group("Gradients")
@needs("model_values", "model_gradients_reach")
@hint("If the logits are right and the gradients are not, something is cut, scaled or rounded on the way.")
def test_model_gradients(student, expect, reference, once):
    """The gradient of every parameter has the right value."""
    model = once("differentiate", lambda rng: differentiate(student, rng))
    ours = ours_with(reference, model.state, **SIZES)
    (ours(model.ids) * model.cotangent).sum().backward()
    for name, parameter in sorted(ours.named_parameters()):
        largest = float(parameter.grad.abs().amax())
        expect.close(
            model.gradient.get(name), parameter.grad, f"gradient of {name}", atol=LOOSE_ATOL * max(1.0, largest)
        )


@points(2)
@group("Model")
@needs("model_values")
@hint("After model.double() every number is a float64: create new tensors with the dtype of those they meet.")
def test_model_double(student, expect, reference, rng):
    """After double() the model computes in float64."""
    theirs, state = theirs_alone(student, rng, **ONE_LAYER)
    theirs.double()
    ids = some_ids(rng, SIZES["vocab"], B, T)
    logits = expect.tensor(theirs(ids), "logits", shape=(B, SIZES["classes"]), dtype=torch.float64)
    with torch.no_grad():
        expected = ours_with(reference, state, **ONE_LAYER).double()(ids)
    expect.close(logits, expected, "logits in float64", atol=LOOSE_ATOL)


@points(2)
@group("Model")
@needs("model_embeddings")
@hint("Make every sub-module in __init__ and keep it in self: nothing at class or module level.")
def test_model_instances(student, expect, rng):
    """Two models share nothing: other weights in the second leave the first as it was."""
    first, _ = theirs_alone(student, rng, quiet, **ONE_LAYER)
    ids = some_ids(rng, SIZES["vocab"], B, T)
    before = expect.tensor(first(ids), "logits", shape=(B, SIZES["classes"]))
    second, _ = theirs_alone(student, rng, quiet, **ONE_LAYER)
    other = expect.tensor(second(ids), "logits of the second model", shape=(B, SIZES["classes"]))
    expect.close(first(ids), before, "logits of the first model")
    expect.that(not torch.allclose(before, other), "logits", "other parameters make no difference to them.")


@points(1)
@group("Model")
@needs("model_parameters")
@hint("There is no dropout in this model: training mode changes nothing.")
def test_model_modes(student, expect, rng):
    """train() and eval() give the same logits, call after call."""
    theirs, _ = theirs_alone(student, rng, **SIZES)
    ids = some_ids(rng, SIZES["vocab"], B, T)
    theirs.eval()
    first = expect.tensor(theirs(ids), "logits", shape=(B, SIZES["classes"]))
    theirs.train()
    for call, logits in zip(("first", "second"), theirs.each([[ids], [ids]]), strict=True):
        expect.close(logits, first, f"logits of the {call} call in training mode")


@points(1)
@group("Model")
@needs("model_parameters")
@hint("Operations whose names end in an underscore change their tensor; the caller still needs the ids.")
def test_model_leaves_ids(student, expect, rng):
    """The model does not change its ids."""
    theirs, _ = theirs_alone(student, rng, **ONE_LAYER)
    ids = torch.cat([torch.zeros(B, 1, dtype=torch.int64), some_ids(rng, SIZES["vocab"], B, T - 1)], dim=1)
    _, (after,) = theirs.inspect(ids)
    expect.unchanged(after, ids, "ids")
