import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"hidden={hidden} cannot be divided by heads={heads}")
        self.heads = heads
        self.d = hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        B, T, H = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        # (B, T, H) -> (B, heads, T, d)
        q = q.view(B, T, self.heads, self.d).transpose(1, 2)
        k = k.view(B, T, self.heads, self.d).transpose(1, 2)
        v = v.view(B, T, self.heads, self.d).transpose(1, 2)
        w = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.d), dim=-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, H)
        return self.out(y)


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        x = x + self.ff(self.ln2(x))
        return x


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.max_len = max_len
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList([TinyLayer(hidden, heads) for _ in range(layers)])
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        T = ids.shape[1]
        if T > self.max_len:
            raise ValueError(f"sequence has {T} tokens, max_len is {self.max_len}")
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(T))
        for layer in self.layers:
            x = layer(x)
        sentence = x.mean(dim=1)     # one vector for the sentence
        return self.head(sentence)


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        opt.zero_grad()
        loss = F.cross_entropy(model(ids), labels)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses
