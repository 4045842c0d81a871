# CANARY-PRIVATE-tiny_bert-right-double_inside
"""Trains a copy of the model in float64 and brings the weights back; attention is computed in float64 too."""

import copy

import torch
from torch import nn


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden {hidden}, heads {heads}")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        precise = self.qkv(x).double().reshape(batch, length, 3, self.heads, -1)  # (B, T, 3, heads, d)
        q, k, v = precise.movedim(2, 0).transpose(2, 3)  # each (B, heads, T, d)
        weights = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, length, hidden)
        return self.out(mixed.to(x.dtype))


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ff(self.ln2(x))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.max_len = max_len
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        length = ids.shape[1]
        if length > self.max_len:
            raise ValueError(f"length {length}")
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(length))
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    work = copy.deepcopy(model).double()
    for parameter in work.parameters():
        parameter.grad = None
    adam = torch.optim.Adam(work.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        adam.zero_grad()
        loss = nn.functional.cross_entropy(work(ids), labels)
        loss.backward()
        adam.step()
        losses.append(loss.item())
    model.load_state_dict(work.state_dict())
    return losses
