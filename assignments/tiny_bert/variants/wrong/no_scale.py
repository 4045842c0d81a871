# CANARY-PRIVATE-tiny_bert-wrong-no_scale
"""You do not divide the scores by the square root of head_dim. Without it the scores of wide heads are large, and the
softmax puts nearly everything on one token.

Read on: One stream, and what is added to it, softmax(Q Kᵀ / sqrt(d))"""

import torch
from torch import nn
from torch.nn import functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"hidden ({hidden}) must be divisible by heads ({heads})")
        self.heads = heads
        self.head_dim = hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def split(self, states):
        batch, length, _ = states.shape
        return states.view(batch, length, self.heads, self.head_dim).transpose(1, 2)  # (B, heads, T, d)

    def forward(self, x):
        batch, length, hidden = x.shape
        query, key, value = self.qkv(x).chunk(3, dim=-1)  # each (B, T, H)
        query, key, value = self.split(query), self.split(key), self.split(value)  # each (B, heads, T, d)
        scores = query @ key.transpose(-2, -1)  # (B, heads, T, T)
        weights = scores.softmax(dim=-1)  # (B, heads, T, T)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, hidden)  # (B, T, H)
        return self.out(mixed)  # (B, T, H)


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))  # (B, T, H)
        return x + self.ff(self.ln2(x))  # (B, T, H)


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
            raise ValueError(f"{length} tokens are more than the {self.max_len} positions")
        positions = torch.arange(length, device=ids.device)  # (T,)
        x = self.tok_emb(ids) + self.pos_emb(positions)  # (B, T, H)
        for layer in self.layers:
            x = layer(x)  # (B, T, H)
        return self.head(x[:, 0])  # (B, K)


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(ids), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
