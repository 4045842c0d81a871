

from math import sqrt

import torch
from torch import einsum, nn


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        if hidden != heads * (hidden // heads):
            raise ValueError(f"hidden size {hidden} does not split into {heads} heads")
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        b, t, h = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, h // self.heads).unbind(2)  # each (B, T, heads, d)
        weights = einsum("bqhd,bkhd->bhqk", q, k).div(sqrt(h // self.heads)).softmax(-1)  # (B, heads, T, T)
        return self.out(einsum("bhqk,bkhd->bqhd", weights, v).reshape(b, t, h))  # (B, T, H)


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))

    def forward(self, x):
        stream = self.attn(self.ln2(x)) + x  # (B, T, H)
        return self.ff(self.ln1(stream)) + stream  # (B, T, H)


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList([TinyLayer(hidden, heads) for _ in range(layers)])
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        table = self.pos_emb.weight  # (max_len, H)
        if ids.size(1) > len(table):
            raise ValueError(f"got {ids.size(1)} tokens, at most {len(table)} fit")
        x = self.tok_emb(ids) + table[: ids.size(1)]  # (B, T, H)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.select(1, 0))  # (B, K)


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    optimiser = torch.optim.Adam(model.parameters(), lr)
    history = []
    for _ in range(epochs):
        loss = nn.functional.cross_entropy(model(ids), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        history.append(float(loss))
    return history
