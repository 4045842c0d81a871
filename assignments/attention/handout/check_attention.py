"""The public checks of `attention`. Run them with `grader check`; reading them is welcome, changing them has no effect.

They run in a process of their own and talk to your code through `student`: every call below goes to your module in
another process and comes back as a plain tensor.
"""

import torch
from torch import nn

from grader.judge.marks import group, hint, needs, points


def toy_query_and_key():
    """Query and key of the worked example in README.md, each (1, 4, 4)."""
    torch.manual_seed(0)
    x = torch.randn(1, 4, 8)  # (1, 4, 8)
    to_query, to_key = nn.Linear(8, 4, bias=False), nn.Linear(8, 4, bias=False)
    torch.manual_seed(1)
    nn.init.normal_(to_query.weight, std=0.1)
    nn.init.normal_(to_key.weight, std=0.1)
    with torch.no_grad():
        return to_query(x), to_key(x)  # (1, 4, 4), (1, 4, 4)


FULL_TABLE = [
    [0.2442, 0.2573, 0.2261, 0.2724],
    [0.2360, 0.2580, 0.2568, 0.2492],
    [0.2167, 0.2684, 0.2686, 0.2463],
    [0.2472, 0.2479, 0.2559, 0.2489],
]
CAUSAL_TABLE = [
    [1.0, 0.0, 0.0, 0.0],
    [0.4777, 0.5223, 0.0, 0.0],
    [0.2875, 0.3561, 0.3564, 0.0],
    [0.2472, 0.2479, 0.2559, 0.2489],
]
HALF_A_DIGIT = 6e-5  # the tables are rounded to four decimals


@points(4)
@group("Visibility")
@hint("Padding hides the columns of padding keys, in every row; the rows of padding queries stay.")
def test_full_visibility_example(student, expect):
    """full_visibility hides the padding column of `[CLS] the bank rose [SEP] [PAD]`."""
    nonpadding = torch.tensor([[True, True, True, True, True, False]])  # (1, 6)
    expected = nonpadding[:, None, :].expand(1, 6, 6)  # (1, 6, 6)
    expect.equal(student.full_visibility(nonpadding), expected, "full_visibility")


@points(4)
@group("Visibility")
@hint("A causal query sees the real tokens at its own position and before it: k <= q.")
def test_causal_visibility_example(student, expect):
    """causal_visibility lets each token see itself and what stands to its left."""
    nonpadding = torch.tensor([[True, True, True, True, True, False]])  # (1, 6)
    expected = torch.ones(6, 6).tril().bool()[None] & nonpadding[:, None, :]  # (1, 6, 6)
    expect.equal(student.causal_visibility(nonpadding), expected, "causal_visibility")


@points(5)
@group("Weights")
@hint("Divide the dot products by the square root of the width of one query, then take the softmax over the keys.")
def test_toy_table_full(student, expect):
    """attention_weights gives the full table of the worked example."""
    query, key = toy_query_and_key()
    weights = student.attention_weights(query, key)
    expect.close(weights, torch.tensor([FULL_TABLE]), "full attention weights", rtol=0.0, atol=HALF_A_DIGIT)


@points(4)
@group("Weights")
@needs("toy_table_full")
@hint("Hide a key before the softmax, so that the visible ones still sum to 1.")
def test_toy_table_causal(student, expect):
    """attention_weights gives the causal table of the worked example."""
    query, key = toy_query_and_key()
    visible = torch.ones(1, 4, 4).tril().bool()  # (1, 4, 4)
    weights = student.attention_weights(query, key, visible)
    expect.close(weights, torch.tensor([CAUSAL_TABLE]), "causal attention weights", rtol=0.0, atol=HALF_A_DIGIT)


@points(3)
@group("Weights")
@hint("The softmax runs over the last axis, the keys.")
def test_rows_sum_to_one(student, expect):
    """Each query's weights sum to 1 over the keys."""
    generator = torch.Generator().manual_seed(3)
    query = torch.randn(2, 5, 7, generator=generator)  # (2, 5, 7)
    key = torch.randn(2, 6, 7, generator=generator)  # (2, 6, 7)
    weights = expect.tensor(student.attention_weights(query, key), "attention weights", shape=(2, 5, 6))
    expect.rows_sum_to_one(weights, "attention weights")


@points(4)
@group("Module")
@hint("Two layers and no more: `qkv` without a bias, three times as wide as it is deep, and `out` with a bias.")
def test_module_parameters(student, expect):
    """TinySelfAttn(32, 4) has the parameters qkv.weight, out.weight and out.bias."""
    found = student.TinySelfAttn(32, 4).parameters()
    shapes = {name: list(tensor.shape) for name, tensor in sorted(found.items()) if isinstance(tensor, torch.Tensor)}
    expect.same(
        [f"{name} {shape}" for name, shape in shapes.items()],
        ["out.bias [32]", "out.weight [32, 32]", "qkv.weight [96, 32]"],
        "parameters",
    )


@points(3)
@group("Module")
@hint("Follow the shapes through the table in README.md; the last layer returns what came in.")
def test_module_shape(student, expect):
    """TinySelfAttn(32, 4) turns an input of shape (2, 6, 32) into an output of that shape."""
    attn = student.TinySelfAttn(32, 4)
    output = attn(torch.randn(2, 6, 32, generator=torch.Generator().manual_seed(4)))
    expect.shape(output, (2, 6, 32), "output")


@points(3)
@group("Module")
@hint("Check the two numbers first thing in __init__, and put them into the message of the ValueError.")
def test_module_indivisible(student, expect):
    """TinySelfAttn refuses a hidden width that its heads do not divide."""
    for hidden, heads in ((10, 3), (9, 2), (14, 4), (7, 8)):
        call, words = f"TinySelfAttn({hidden}, {heads})", (str(hidden), str(heads))
        expect.raises("ValueError", lambda h=hidden, n=heads: student.TinySelfAttn(h, n), call, mentions=words)
    for hidden, heads in ((12, 3), (5, 1), (6, 6), (40, 2)):
        student.TinySelfAttn(hidden, heads)
