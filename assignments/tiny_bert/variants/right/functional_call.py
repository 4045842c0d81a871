# CANARY-PRIVATE-tiny_bert-right-functional_call
"""Treats the model as a function of its parameters (torch.func), and copies the result back at the end."""

import torch
from torch import nn
from torch.func import functional_call, grad_and_value
from torch.nn import functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        head_dim, rest = divmod(hidden, heads)
        if rest:
            raise ValueError(f"{hidden} / {heads} leaves a rest of {rest}")
        super().__init__()
        self.heads, self.head_dim = heads, head_dim
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        shape = (*x.shape[:2], self.heads, self.head_dim)
        q, k, v = (part.reshape(shape).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        weights = F.softmax(q @ k.transpose(-1, -2) / self.head_dim**0.5, -1)
        return self.out((weights @ v).transpose(1, 2).reshape(x.shape))


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        y = x + self.attn(self.ln1(x))
        return y + self.ff(self.ln2(y))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.max_len = max_len
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"too long: {ids.shape[1]} tokens")
        x = F.embedding(ids, self.tok_emb.weight) + self.pos_emb.weight.narrow(0, 0, ids.shape[1])
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    def loss_of(values):
        return F.cross_entropy(functional_call(model, values, (ids,)), labels)

    values = {name: p.detach().clone() for name, p in model.named_parameters()}
    m = {name: torch.zeros_like(p) for name, p in values.items()}
    v = {name: torch.zeros_like(p) for name, p in values.items()}
    losses = []
    for t in range(1, epochs + 1):
        gradient, loss = grad_and_value(loss_of)(values)
        losses.append(loss.item())
        m = {n: 0.9 * m[n] + 0.1 * g for n, g in gradient.items()}
        v = {n: 0.999 * v[n] + 0.001 * g * g for n, g in gradient.items()}
        for n in values:
            m_hat, v_hat = m[n] / (1 - 0.9**t), v[n] / (1 - 0.999**t)
            values[n] = values[n] - lr * m_hat / (torch.sqrt(v_hat) + 1e-8)
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(values[name])
    return losses
