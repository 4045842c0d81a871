

import math

import torch
from torch import nn


class MyAdam:
    def __init__(self, model, lr, beta1=0.9, beta2=0.999, eps=1e-8):
        self.named = dict(model.named_parameters())
        self.lr, self.beta1, self.beta2, self.eps = lr, beta1, beta2, eps
        self.state = {}
        self.t = 0

    def clear(self):
        for p in self.named.values():
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.t += 1
        rate = self.lr * math.sqrt(1 - self.beta2**self.t) / (1 - self.beta1**self.t)
        for name, p in self.named.items():
            if p.grad is None:
                continue
            m, v = self.state.get(name, (0.0, 0.0))
            m = self.beta1 * m + (1 - self.beta1) * p.grad
            v = self.beta2 * v + (1 - self.beta2) * p.grad**2
            self.state[name] = (m, v)
            p.sub_(rate * m / (v.sqrt() + self.eps))


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden ({hidden}) must be a multiple of heads ({heads})")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        B, T, H = x.shape
        q, k, v = (part.view(B, T, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(H, dim=2))
        att = torch.matmul(q, k.mT) / math.sqrt(k.size(-1))
        return self.out(torch.matmul(att.softmax(dim=-1), v).transpose(1, 2).contiguous().view(B, T, H))


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        for norm, half in ((self.ln1, self.attn), (self.ln2, self.ff)):
            x = x + half(norm(x))
        return x


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.max_len = max_len
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        T = ids.shape[1]
        if T > self.max_len:
            raise ValueError(f"T={T} is more than max_len={self.max_len}")
        x = self.tok_emb(ids) + self.pos_emb.weight[None, :T]
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0, :])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    adam, losses, best = MyAdam(model, lr), [], None
    while len(losses) < epochs:
        adam.clear()
        loss = nn.functional.cross_entropy(model(ids), labels)
        loss.backward()
        losses.append(loss.detach().numpy().item())
        if losses[-1] == min(losses):
            best = {n: p.detach().clone() for n, p in model.named_parameters()}
        adam.step()
    if best:
        with torch.no_grad():
            for n, p in model.named_parameters():
                p.copy_(best[n])
    return losses
