

import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class Part(nn.Module):
    """A module that keeps the arguments that it was made with."""

    def __init__(self, **made_with):
        super().__init__()
        self.made_with = made_with


class TinySelfAttn(Part):
    def __init__(self, hidden, heads):
        if hidden % heads != 0:
            raise ValueError(f"hidden={hidden} heads={heads}")
        super().__init__(hidden=hidden, heads=heads)
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        heads, d = self.made_with["heads"], self.made_with["hidden"] // self.made_with["heads"]
        wq, wk, wv = self.qkv.weight.view(3, heads, d, -1)  # each (heads, d, H)
        q, k, v = (torch.einsum("bti,hdi->bhtd", x, w) for w in (wq, wk, wv))
        distances = torch.einsum("bhqd,bhkd->bhqk", q, k) / d**0.5
        mixed = torch.softmax(distances, dim=3) @ v
        return self.out(mixed.permute(0, 2, 1, 3).flatten(2))


class TinyLayer(Part):
    def __init__(self, hidden, heads):
        super().__init__(hidden=hidden, heads=heads)
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        first = self.attn(self.ln1(x))
        second = self.ff(self.ln2(x + first))
        return x + first + second


class TinyBertForClassification(Part):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__(max_len=max_len)
        self.tok_emb = nn.Embedding(vocab, hidden, _weight=torch.empty(vocab, hidden).uniform_(-1, 1))
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)
        self.register_forward_pre_hook(self.check_length)

    @staticmethod
    def check_length(module, inputs):
        length = inputs[0].shape[1]
        if length > module.made_with["max_len"]:
            raise ValueError(f"cannot place {length} tokens")

    def forward(self, ids):
        x = self.tok_emb(ids).add(self.pos_emb(torch.arange(ids.shape[1])))
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    values = parameters_to_vector(model.parameters()).detach().clone()
    mean, square = torch.zeros_like(values), torch.zeros_like(values)
    losses = []
    for epoch in range(epochs):
        loss = nn.functional.cross_entropy(model(ids), labels)
        losses.append(loss.item())
        gradient = parameters_to_vector(torch.autograd.grad(loss, list(model.parameters())))
        mean = torch.lerp(gradient, mean, 0.9)
        square = torch.lerp(gradient * gradient, square, 0.999)
        corrected = mean / (1 - 0.9 ** (epoch + 1)), square / (1 - 0.999 ** (epoch + 1))
        values = values - lr * corrected[0] / (corrected[1].sqrt() + 1e-6)
        vector_to_parameters(values, model.parameters())
    return losses
