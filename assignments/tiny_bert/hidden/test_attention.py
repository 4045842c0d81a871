# CANARY-PRIVATE-tiny_bert-hidden-attention
"""Hidden checks of `TinySelfAttn`, against the reference's module with the same parameters."""

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.probes import attention_weights_probe

B, T, HEADS, HEAD_DIM = 2, 5, 3, 7
HIDDEN = HEADS * HEAD_DIM
ATOL = 5e-5  # outputs are sums of numbers up to 10: what is left of them near 0 is rounded accordingly


def draw(rng, *shape):
    """Standard normal numbers of a shape."""
    return torch.randn(*shape, generator=rng)


def twins(student, reference, rng, heads=HEADS, spread=2.0):
    """The student's module and the reference's, with the same parameters, every one drawn anew."""
    ours = reference.TinySelfAttn(HIDDEN, heads)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.copy_(draw(rng, *parameter.shape) / HIDDEN**0.5 * spread)
    theirs = student.TinySelfAttn(HIDDEN, heads)
    theirs.load_state_dict(ours.state_dict())
    return theirs, ours


@points(4)
@group("Attention")
@needs("attention_parameters")
@hint("Q, K and V are three blocks of the hidden width, in this order; heads are cut from each, and joined in order.")
def test_attention_values(student, expect, reference, rng):
    """TinySelfAttn computes what ours does from the same parameters."""
    for heads, batch, length in ((HEADS, B, T), (7, 4, 1), (1, 1, 66), (HIDDEN, 1, 6)):
        theirs, ours = twins(student, reference, rng, heads=heads)
        x = draw(rng, batch, length, HIDDEN)
        with torch.no_grad():
            expect.close(theirs(x), ours(x), f"output for {heads} heads and {length} tokens", atol=ATOL)


@points(2)
@group("Attention")
@needs("attention_parameters")
@hint("Each head divides by the square root of its own width, and every token sees those on its right.")
def test_attention_weights(student, expect, rng):
    """Inside TinySelfAttn the weights of every head are right, and none is hidden."""
    content, projection = draw(rng, B, T, HIDDEN - T), draw(rng, 2 * HIDDEN, HIDDEN - T) / 4
    found = attention_weights_probe(student.TinySelfAttn(HIDDEN, HEADS), HEADS, content, projection)
    query, key = (content @ projection.T).chunk(2, dim=-1)  # (B, T, H) twice
    query, key = (part.view(B, T, HEADS, HEAD_DIM).transpose(1, 2) for part in (query, key))  # (B, heads, T, d)
    expected = (query @ key.transpose(-2, -1) / HEAD_DIM**0.5).softmax(dim=-1)  # (B, heads, T, T)
    expect.close(found, expected, "weights inside the module")


@points(1)
@group("Attention")
@needs("attention_values")
@hint("A bare exp overflows at a score of 89; torch's softmax subtracts the largest score of the row first.")
def test_attention_large_scores(student, expect, rng):
    """Scores of ten thousand give finite and right weights."""
    content, projection = draw(rng, B, T, HIDDEN - T), torch.zeros(2 * HIDDEN, HIDDEN - T)
    content[:, :, 0] = torch.tensor([[100.0, -100.0, 1.0, 99.0, 0.0], [-3.0, 2.0, 90.0, 0.5, -100.0]])  # (B, T)
    projection[:, 0] = 1.0
    found = attention_weights_probe(student.TinySelfAttn(HIDDEN, HEADS), HEADS, content, projection)
    scores = HEAD_DIM**0.5 * content[:, :, None, 0] * content[:, None, :, 0]  # (B, T, T)
    expected = scores.softmax(dim=-1)[:, None].expand(B, HEADS, T, T)
    expect.close(found, expected, "weights at large scores", atol=2e-3)  # float32 keeps three decimals of the scores


@points(2)
@group("Gradients")
@needs("attention_values")
@hint("Gradients must reach the input and every parameter: nothing detached, nothing computed without a graph.")
def test_attention_gradients(student, expect, reference, rng):
    """Gradients of TinySelfAttn reach the input and every parameter, with the right values."""
    theirs, ours = twins(student, reference, rng)
    x, cotangent = draw(rng, B, T, HIDDEN), draw(rng, B, T, HIDDEN)
    found = theirs.vjp(x, cotangent=cotangent)
    x.requires_grad_()
    (ours(x) * cotangent).sum().backward()
    expected = {"x": x.grad} | {name: parameter.grad for name, parameter in ours.named_parameters()}
    for name, wanted in expected.items():
        mine = found.inputs[0] if name == "x" else found.parameters.get(name)
        expect.that(mine is not None, f"gradient of {name}", "no gradient arrives there.")
        expect.close(mine, wanted, f"gradient of {name}", atol=1e-4)
