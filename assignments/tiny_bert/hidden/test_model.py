# CANARY-PRIVATE-tiny_bert-hidden-model
"""Hidden checks of `TinyBertForClassification`, against the reference's model with the same parameters.

As in the checks of the layer every parameter is drawn anew, and what is not the point of a check is silenced.
"""

import zlib

import torch

from grader.judge.marks import group, hint, needs, points

SIZES = {"vocab": 11, "hidden": 12, "heads": 3, "layers": 2, "max_len": 9, "classes": 4}
OTHERS = {"vocab": 17, "hidden": 10, "heads": 5, "layers": 3, "max_len": 21, "classes": 6}
B, T = 7, 5
LOOSE_ATOL = 2e-2  # the tanh formula of GELU, which has a check of its own, changes logits by up to 2e-3


def weights(rng, parameters):
    """Values for these parameters, every one drawn anew; what a name gets depends on the name and the shape alone."""
    base = int(torch.randint(1 << 40, (), generator=rng))
    state = {}
    for name, parameter in parameters.items():
        generator = torch.Generator().manual_seed(base + zlib.crc32(name.encode()))
        shape = tuple(parameter.shape)
        normal = torch.randn(shape, generator=generator)
        if ".ln" in name and name.endswith("weight"):
            state[name] = 0.3 + 2.2 * torch.rand(shape, generator=generator)
        elif "emb" in name:
            state[name] = 2 * normal
        else:
            state[name] = normal * (1.5 / shape[-1] ** 0.5 if len(shape) == 2 else 0.7)
    return state


def twins(student, reference, rng, change=None, **sizes):
    """The student's model and ours with the same parameters, after `change(name, tensor)` of each."""
    sizes = sizes or SIZES
    ours, theirs = reference.TinyBertForClassification(**sizes), student.TinyBertForClassification(**sizes)
    state = weights(rng, dict(ours.named_parameters()))
    if change is not None:
        state = {name: change(name, tensor) for name, tensor in state.items()}
    ours.load_state_dict(state)
    theirs.load_state_dict(state)
    return theirs, ours


def spread_out(student, rng):
    """A model and its parameters, whatever their names, drawn anew: no starting value may hide a gradient."""
    model = student.TinyBertForClassification(**SIZES)
    state = weights(rng, model.parameters())
    model.load_state_dict(state)
    return model, state


def quiet(name, tensor):
    """Layers that add only the mean of their normalised input, through V and out: Q, K and ff.2 are zero."""
    if name.endswith("qkv.weight"):
        return torch.cat([torch.zeros_like(tensor[: 2 * tensor.shape[1]]), tensor[2 * tensor.shape[1] :]])
    return torch.zeros_like(tensor) if ".ff.2." in name else tensor


def table_shape(name):
    """The shape of an embedding table of the usual size."""
    return (SIZES["vocab"] if name.startswith("tok") else SIZES["max_len"], SIZES["hidden"])


def some_ids(rng, vocab, *shape):
    """Random token ids."""
    return torch.randint(0, vocab, shape, generator=rng)


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

    theirs, ours = twins(student, reference, rng, change=quiet_with_identity_head, **(SIZES | {"classes": hidden}))
    for length in (T, 1, SIZES["max_len"]):
        ids = some_ids(rng, SIZES["vocab"], B, length)
        with torch.no_grad():
            expect.close(theirs(ids), ours(ids), f"state at [CLS] of {length} tokens, read through an identity")


@points(4)
@group("Model")
@needs("model_embeddings", "layer_values")
@hint(
    "The layers follow one another, each with parameters of its own, and nothing stands behind the last but the head."
)
def test_model_values(student, expect, reference, rng):
    """The model computes what ours does from the same parameters, for several sizes and lengths."""
    for sizes, batch, length in ((SIZES, B, T), (SIZES, 2, 1), (SIZES, 1, 9), (OTHERS, 3, 21), (OTHERS, 2, 12)):
        theirs, ours = twins(student, reference, rng, **sizes)
        ids = some_ids(rng, sizes["vocab"], batch, length)
        with torch.no_grad():
            expect.close(theirs(ids), ours(ids), f"logits for {length} of {sizes['max_len']} tokens", atol=LOOSE_ATOL)


@points(1)
@group("Gradients")
@needs("model_shape")
@hint("Return what the head returns, still attached to its weights: no detach, no no_grad, nothing in place.")
def test_model_attached(student, expect, rng):
    """The logits can be backpropagated, to the head at least."""
    model, state = spread_out(student, rng)
    found = model.vjp(some_ids(rng, SIZES["vocab"], B, T), cotangent=torch.ones(B, SIZES["classes"]), wrt=())
    expect.that(found.requires_grad, "logits", "they are attached to no parameter.")
    reached = [name for name in state if isinstance(found.parameters.get(name), torch.Tensor)]
    expect.that(bool(reached), "logits", "no parameter gets a gradient.")


@points(2)
@group("Gradients")
@needs("model_attached")
@hint("Keep everything attached, from the head down to both embeddings: no detach, no no_grad, nothing frozen.")
def test_model_gradients_reach(student, expect, rng):
    """A gradient reaches every parameter of the model."""
    model, state = spread_out(student, rng)
    ids, cotangent = some_ids(rng, SIZES["vocab"], B, T), torch.randn(B, SIZES["classes"], generator=rng)
    found = model.vjp(ids, cotangent=cotangent, wrt=())
    for name in sorted(state):
        gradient = found.parameters.get(name)
        expect.that(gradient is not None, f"gradient of {name}", "no gradient arrives there.")
        gradient = expect.tensor(gradient, f"gradient of {name}", shape=state[name].shape)
        expect.above(gradient.double().abs().amax(), 0.0, f"largest gradient of {name}")


@points(2)
@group("Gradients")
@needs("model_parameters", "model_gradients_reach")
@hint("Token 0 is a token like any other: a row of the table learns if its token occurs, and only then.")
def test_model_embedding_rows(student, expect, reference, rng):
    """Of both embedding tables exactly the rows in use get a gradient, row 0 included."""
    theirs, _ = twins(student, reference, rng, change=quiet)
    ids = torch.tensor([[0, 3, 0, 9, 5], [1, 10, 0, 3, 7], [6, 1, 5, 5, 7]])  # (3, T), without 2, 4 and 8
    cotangent = torch.randn(3, SIZES["classes"], generator=rng)
    found = theirs.vjp(ids, cotangent=cotangent, wrt=()).parameters
    tables = {"tok_emb.weight": [0, 1, 3, 5, 6, 7, 9, 10], "pos_emb.weight": list(range(T))}
    for name, rows in tables.items():
        gradient = expect.tensor(found.get(name), f"gradient of {name}", shape=table_shape(name))
        moved = gradient.double().abs().amax(dim=1) > 0  # (rows,)
        expect.same(moved.nonzero().flatten().tolist(), rows, f"rows of {name} with a gradient")


@points(2)
@group("Gradients")
@needs("model_values", "model_gradients_reach")
@hint("If the logits are right and the gradients are not, something is cut, scaled or rounded on the way.")
def test_model_gradients(student, expect, reference, rng):
    """The gradient of every parameter has the right value."""
    theirs, ours = twins(student, reference, rng)
    ids = some_ids(rng, SIZES["vocab"], B, T)
    cotangent = torch.randn(B, SIZES["classes"], generator=rng)
    found = theirs.vjp(ids, cotangent=cotangent, wrt=()).parameters
    ours(ids).backward(cotangent)
    for name, parameter in sorted(ours.named_parameters()):
        largest = float(parameter.grad.abs().amax())
        expect.close(found.get(name), parameter.grad, f"gradient of {name}", atol=LOOSE_ATOL * max(1.0, largest))


@points(2)
@group("Model")
@needs("model_values")
@hint("After model.double() every number is a float64: create new tensors with the dtype of those they meet.")
def test_model_double(student, expect, reference, rng):
    """After double() the model computes in float64."""
    theirs, ours = twins(student, reference, rng)
    theirs.double()
    ids = some_ids(rng, SIZES["vocab"], B, T)
    logits = expect.tensor(theirs(ids), "logits", shape=(B, SIZES["classes"]), dtype=torch.float64)
    with torch.no_grad():
        expect.close(logits, ours.double()(ids), "logits in float64", atol=LOOSE_ATOL)


@points(2)
@group("Model")
@needs("model_embeddings")
@hint("Make every sub-module in __init__ and keep it in self: nothing at class or module level.")
def test_model_instances(student, expect, reference, rng):
    """Two models share nothing: other weights in the second leave the first as it was."""
    first, _ = twins(student, reference, rng, change=quiet)
    ids = some_ids(rng, SIZES["vocab"], B, T)
    before = expect.tensor(first(ids), "logits", shape=(B, SIZES["classes"]))
    second, _ = twins(student, reference, rng, change=quiet)
    other = expect.tensor(second(ids), "logits of the second model", shape=(B, SIZES["classes"]))
    expect.close(first(ids), before, "logits of the first model")
    expect.that(not torch.allclose(before, other), "logits", "other parameters make no difference to them.")


@points(1)
@group("Model")
@needs("model_parameters")
@hint("There is no dropout in this model: training mode changes nothing.")
def test_model_modes(student, expect, reference, rng):
    """train() and eval() give the same logits, call after call."""
    theirs, _ = twins(student, reference, rng)
    ids = some_ids(rng, SIZES["vocab"], B, T)
    theirs.eval()
    first = expect.tensor(theirs(ids), "logits", shape=(B, SIZES["classes"]))
    theirs.train()
    for call in ("first", "second"):
        expect.close(theirs(ids), first, f"logits of the {call} call in training mode")


@points(1)
@group("Model")
@needs("model_parameters")
@hint("Operations whose names end in an underscore change their tensor; the caller still needs the ids.")
def test_model_leaves_ids(student, expect, reference, rng):
    """The model does not change its ids."""
    theirs, _ = twins(student, reference, rng)
    ids = torch.cat([torch.zeros(B, 1, dtype=torch.int64), some_ids(rng, SIZES["vocab"], B, T - 1)], dim=1)
    _, (after,) = theirs.inspect(ids)
    expect.unchanged(after, ids, "ids")
