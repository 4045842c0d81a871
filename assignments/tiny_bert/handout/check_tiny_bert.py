"""The public checks of `tiny_bert`. Run them with `grader check`; reading them is welcome, changing them has no effect.

They run in a process of their own and talk to your code through `student`: every call below goes to your module in
another process and comes back as a plain tensor, and models stay where they are.
"""

import torch
from torch import nn
from torch.nn import functional as F

from grader.judge.marks import group, hint, needs, points

WORKED_BY_HAND = 0.002  # how far a number worked out by hand may be off
ROUNDED = 1e-3  # how far a loss may be off from a figure of README.md
TRACE = [  # the loss of each epoch; README.md gives the 1st, 10th, 20th and 30th
    *[0.7904, 0.7574, 0.7318, 0.7066, 0.6816, 0.6580, 0.6364, 0.6162, 0.5966, 0.5772],
    *[0.5584, 0.5405, 0.5234, 0.5065, 0.4895, 0.4723, 0.4552, 0.4379, 0.4201, 0.4014],
    *[0.3819, 0.3617, 0.3405, 0.3179, 0.2943, 0.2700, 0.2452, 0.2199, 0.1948, 0.1703],
]
AFTERWARDS = 0.1468
BAR = 0.3


AS_LISTED = "as listed"


def compared(found, expected):
    """How parameters differ from lines like `head.bias [2]`, in words; AS_LISTED if they do not."""
    lines = {f"{name} {list(tensor.shape)}" for name, tensor in found.items() if isinstance(tensor, torch.Tensor)}
    differences = [f"no {line}" for line in expected if line not in lines]
    differences += [f"an unlisted {line}" for line in sorted(lines - set(expected))]
    return ", ".join(differences) or AS_LISTED


def expected_shapes(vocab, hidden, layers, max_len, classes):
    """The parameters of TinyBertForClassification, one line each."""
    named = {"tok_emb.weight": [vocab, hidden], "pos_emb.weight": [max_len, hidden]}
    for n in range(layers):
        named |= {
            f"layers.{n}.attn.qkv.weight": [3 * hidden, hidden],
            f"layers.{n}.attn.out.weight": [hidden, hidden],
            f"layers.{n}.attn.out.bias": [hidden],
            f"layers.{n}.ff.0.weight": [4 * hidden, hidden],
            f"layers.{n}.ff.0.bias": [4 * hidden],
            f"layers.{n}.ff.2.weight": [hidden, 4 * hidden],
            f"layers.{n}.ff.2.bias": [hidden],
            f"layers.{n}.ln1.weight": [hidden],
            f"layers.{n}.ln1.bias": [hidden],
            f"layers.{n}.ln2.weight": [hidden],
            f"layers.{n}.ln2.bias": [hidden],
        }
    named |= {"head.weight": [classes, hidden], "head.bias": [classes]}
    return [f"{name} {named[name]}" for name in sorted(named)]


def first_weights():
    """The weights from which the trace in README.md starts, by parameter name.

    After seed 42 torch's own layers draw them, in this order; how your model makes its layers does not matter here.
    """
    torch.manual_seed(42)
    made = {"tok_emb": nn.Embedding(100, 32), "pos_emb": nn.Embedding(16, 32)}
    for n in range(2):
        made[f"layers.{n}.attn.qkv"] = nn.Linear(32, 96, bias=False)
        made[f"layers.{n}.attn.out"] = nn.Linear(32, 32)
        made[f"layers.{n}.ff.0"] = nn.Linear(32, 128)
        made[f"layers.{n}.ff.2"] = nn.Linear(128, 32)
        made[f"layers.{n}.ln1"], made[f"layers.{n}.ln2"] = nn.LayerNorm(32), nn.LayerNorm(32)
    made["head"] = nn.Linear(32, 2)
    return {f"{name}.{key}": value for name, layer in made.items() for key, value in layer.state_dict().items()}


def course_data():
    """The fifty sequences of the trace, (50, 10), and their labels, (50,)."""
    torch.manual_seed(99)
    return torch.randint(0, 100, (50, 10)), torch.randint(0, 2, (50,))


@points(3)
@group("Attention")
@hint("Two layers and no more: `qkv` without a bias, three times as wide as it is deep, and `out` with a bias.")
def test_attention_parameters(student, expect):
    """TinySelfAttn(32, 4) has the parameters qkv.weight, out.weight and out.bias, and keeps the shape (2, 6, 32)."""
    attn = student.TinySelfAttn(32, 4)
    expected = ["out.bias [32]", "out.weight [32, 32]", "qkv.weight [96, 32]"]
    expect.same(compared(attn.parameters(), expected), AS_LISTED, "parameters")
    output = attn(torch.randn(2, 6, 32, generator=torch.Generator().manual_seed(4)))
    expect.shape(output, (2, 6, 32), "output")
    expect.finite(output, "output")


@points(3)
@group("Attention")
@hint("Check the two numbers first thing in __init__, and put them into the message of the ValueError.")
def test_attention_indivisible(student, expect):
    """TinySelfAttn refuses a hidden width that its heads do not divide."""
    for hidden, heads in ((10, 3), (9, 2), (14, 4), (7, 8)):
        call, words = f"TinySelfAttn({hidden}, {heads})", (str(hidden), str(heads))
        expect.raises("ValueError", lambda h=hidden, n=heads: student.TinySelfAttn(h, n), call, mentions=words)
    for hidden, heads in ((12, 3), (5, 1), (6, 6)):
        student.TinySelfAttn(hidden, heads)


@points(4)
@group("Layer")
@hint("Normalise a copy for each half, and add what the half returns to the stream itself: twice x + half(norm(x)).")
def test_layer_example(student, expect):
    """TinyLayer gives the numbers that README.md works out by hand."""
    eye = torch.eye(2)
    state = {
        "attn.qkv.weight": torch.cat([torch.zeros(4, 2), eye]),  # (6, 2): Q and K are zero, V copies
        "attn.out.weight": eye,
        "attn.out.bias": torch.zeros(2),
        "ff.0.weight": torch.cat([eye, torch.zeros(6, 2)]),  # (8, 2): two units copy, six are silent
        "ff.0.bias": torch.zeros(8),
        "ff.2.weight": torch.cat([eye, torch.zeros(2, 6)], dim=1),  # (2, 8)
        "ff.2.bias": torch.zeros(2),
    }
    state |= {f"{norm}.weight": torch.ones(2) for norm in ("ln1", "ln2")}
    state |= {f"{norm}.bias": torch.zeros(2) for norm in ("ln1", "ln2")}
    layer = student.TinyLayer(2, 1)
    layer.load_state_dict(state)
    output = layer(torch.tensor([[[1.0, 3.0]]]))  # (1, 1, 2)
    expect.close(output, torch.tensor([[[-0.1587, 4.8413]]]), "output", rtol=0.0, atol=WORKED_BY_HAND)


@points(4)
@group("Model")
@hint("The table in README.md lists every parameter; names and shapes must be exactly those.")
def test_model_parameters(student, expect):
    """TinyBertForClassification has the parameters of the table, 28 994 numbers by default."""
    model = student.TinyBertForClassification()
    found = model.parameters()
    expect.same(compared(found, expected_shapes(100, 32, 2, 16, 2)), AS_LISTED, "parameters")
    count = sum(tensor.numel() for tensor in found.values() if isinstance(tensor, torch.Tensor))
    expect.same(count, 28994, "number of parameters")
    other = student.TinyBertForClassification(7, 6, 2, 3, 5, 4)  # in the order of README.md
    expect.same(compared(other.parameters(), expected_shapes(7, 6, 3, 5, 4)), AS_LISTED, "parameters of another size")


@points(3)
@group("Model")
@hint("One row of logits for each sequence: the head reads one position, not all of them.")
def test_model_shape(student, expect):
    """ids of shape (3, 10) give logits of shape (3, 2), and other numbers of classes work too."""
    generator = torch.Generator().manual_seed(5)
    output = student.TinyBertForClassification()(torch.randint(0, 100, (3, 10), generator=generator))
    expect.shape(output, (3, 2), "logits")
    expect.finite(output, "logits")
    other = student.TinyBertForClassification(vocab=7, hidden=6, heads=2, layers=3, max_len=5, classes=4)
    expect.shape(other(torch.randint(0, 7, (2, 3), generator=generator)), (2, 4), "logits of another size")


@points(4)
@group("Model")
@hint("Compare the length of the sequence with max_len before anything else, and put it into the message.")
def test_model_too_long(student, expect):
    """A sequence of max_len tokens is taken, a longer one refused with a ValueError that names its length."""
    model = student.TinyBertForClassification(vocab=7, hidden=6, heads=2, layers=1, max_len=5)
    for length in (5, 1):
        expect.shape(model(torch.ones(2, length, dtype=torch.int64)), (2, 2), f"logits of {length} tokens")
    for length in (6, 13):
        ids = torch.ones(2, length, dtype=torch.int64)  # (2, T)
        expect.raises("ValueError", lambda ids=ids: model(ids), f"{length} tokens", mentions=(str(length),))


@points(4)
@group("Fine-tuning")
@hint("Collect loss.item() once for each epoch, before the optimiser steps.")
def test_fine_tune_losses(student, expect):
    """fine_tune returns a list with one float for each epoch, and the first is the loss before any step."""
    model = student.TinyBertForClassification(vocab=20, hidden=8, heads=2, layers=1, max_len=6, classes=3)
    generator = torch.Generator().manual_seed(6)
    named = sorted(model.parameters().items())  # other weights than those of a new model, so that its logits differ
    model.load_state_dict({name: torch.randn(value.shape, generator=generator) / 2 for name, value in named})
    ids = torch.randint(0, 20, (9, 6), generator=generator)  # (9, 6)
    labels = torch.randint(0, 3, (9,), generator=generator)  # (9,)
    logits = expect.tensor(model(ids), "logits", shape=(9, 3))
    losses = student.fine_tune(model, ids, labels, 3, 1e-3)
    expect.same(type(losses).__name__, "list", "type of what fine_tune returns")
    expect.same(len(losses), 3, "number of losses after 3 epochs")
    expect.that(all(type(loss) is float for loss in losses), "losses", "each must be a float: loss.item() is one.")
    expect.close(losses[0], F.cross_entropy(logits.double(), labels).item(), "first loss")


@points(5)
@group("Fine-tuning")
@needs("layer_example", "model_parameters", "model_shape", "fine_tune_losses")
@hint("Adam with lr, no weight decay; every epoch all sequences at once: zero_grad, loss, backward, step.")
def test_fine_tune_trace(student, expect):
    """From the weights of the course, 30 epochs give the trace in README.md and end below 0.3."""
    model = student.TinyBertForClassification()
    model.load_state_dict(first_weights())
    ids, labels = course_data()
    losses = student.fine_tune(model, ids, labels)
    expect.same(type(losses).__name__, "list", "type of what fine_tune returns")
    expect.same(len(losses), 30, "number of losses after 30 epochs")
    expect.curve(losses, TRACE, "loss of each epoch", BAR, rtol=0.0, atol=ROUNDED)
    logits = expect.tensor(model(ids), "logits", shape=(50, 2))
    after = F.cross_entropy(logits.double(), labels).item()
    expect.close(after, AFTERWARDS, "loss of the model after the last step", rtol=0.0, atol=ROUNDED)
