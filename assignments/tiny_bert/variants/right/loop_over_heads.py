# CANARY-PRIVATE-tiny_bert-right-loop_over_heads
"""Loops over heads, positions and losses; nothing has more than three axes."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        if heads < 1 or hidden % heads > 0:
            raise ValueError("%d does not divide by %d" % (hidden, heads))
        super().__init__()
        self.width = hidden // heads
        self.qkv = nn.Linear(hidden, hidden * 3, False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        big_q, big_k, big_v = torch.split(self.qkv(x), x.shape[2], dim=2)  # each (B, T, H)
        parts = []
        for q, k, v in zip(*(whole.split(self.width, dim=2) for whole in (big_q, big_k, big_v))):
            scores = torch.bmm(q, k.transpose(1, 2)) * self.width**-0.5  # (B, T, T)
            parts.append(torch.bmm(torch.softmax(scores, dim=2), v))  # (B, T, d)
        return self.out(torch.cat(parts, dim=2))  # (B, T, H)


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        after_attention = torch.add(x, self.attn(self.ln1(x)))
        return torch.add(after_attention, self.ff(self.ln2(after_attention)))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.max_len = max_len
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList([TinyLayer(hidden, heads) for _ in range(layers)])
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        if not ids.shape[1] <= self.max_len:
            raise ValueError(f"{ids.shape[1]} > {self.max_len}")
        columns = []
        for t in range(ids.shape[1]):
            columns.append(self.tok_emb(ids[:, t]) + self.pos_emb(torch.tensor(t)))  # (B, H)
        x = torch.stack(columns, dim=1)  # (B, T, H)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.unbind(1)[0])  # (B, K)


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    adam = torch.optim.Adam([{"params": [p]} for p in model.parameters()], lr=lr)  # a group for each
    losses = [0.0] * epochs
    for epoch in range(epochs):
        adam.zero_grad()
        logits = model(ids)
        terms = [-F.log_softmax(row, dim=0)[label] for row, label in zip(logits, labels)]
        loss = sum(terms) / len(terms)
        losses[epoch] = loss.item()
        loss.backward()
        adam.step()
    return losses
