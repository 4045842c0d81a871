

import copy
import math

import torch
from torch import nn


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"the width {hidden} must be divisible by the {heads} heads")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)
        self.register_buffer("scale", torch.tensor(1 / math.sqrt(hidden // heads)))
        nn.init.xavier_uniform_(self.qkv.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x):
        batch, length, hidden = x.size()
        qkv = self.qkv(x).view(batch, length, 3 * self.heads, hidden // self.heads).permute(0, 2, 1, 3)
        q, k, v = qkv[:, : self.heads], qkv[:, self.heads : 2 * self.heads], qkv[:, 2 * self.heads :]
        weights = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) * self.scale, dim=-1)
        return self.out(torch.matmul(weights, v).permute(0, 2, 1, 3).reshape(batch, length, hidden))


class FeedForward(nn.Module):
    """Linear, GELU, linear, under the names 0 and 2."""

    def __init__(self, hidden):
        super().__init__()
        self.add_module("0", nn.Linear(hidden, 4 * hidden))
        self.add_module("2", nn.Linear(4 * hidden, hidden))

    def forward(self, x):
        inner = getattr(self, "0")(x)
        return getattr(self, "2")(inner * torch.special.ndtr(inner))  # x times the normal distribution function


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = FeedForward(hidden)
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = copy.deepcopy(self.ln1)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ff(self.ln2(x))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2, std=0.02):
        super().__init__()
        first = TinyLayer(hidden, heads)
        self.layers = nn.ModuleList(copy.deepcopy(first) for _ in range(layers))  # alike to begin with, not shared
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.head = nn.Linear(hidden, classes)
        self.register_buffer("positions", torch.arange(max_len).unsqueeze(0), persistent=False)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.apply(lambda module: self.initialise(module, std))

    @staticmethod
    def initialise(module, std):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.trunc_normal_(module.weight, std=std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, ids):
        length = ids.size(1)
        if length > self.positions.size(1):
            raise ValueError(f"{length} tokens do not fit")
        self.calls += 1
        x = self.tok_emb(ids) + self.pos_emb(self.positions[:, :length])
        for layer in self.layers:
            x = layer(x)
        return self.head(torch.layer_norm(x, [x.size(-1)])[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3, verbose=False):
    was_training = model.training
    losses = []
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        model.eval()
        with torch.no_grad():
            losses.append(nn.functional.cross_entropy(model(ids), labels).item())
        model.train()
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(model(ids), labels).backward()
        optimizer.step()
        if verbose:
            print(epoch, losses[-1])
    model.train(was_training)
    return losses
