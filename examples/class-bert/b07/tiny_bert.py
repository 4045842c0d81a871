import copy

import torch
from torch import nn
from torch.nn import functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden: int, heads: int):
        if hidden % heads:
            raise ValueError("%d heads do not fit into %d" % (heads, hidden))
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        b, t, h = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, h // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # three times (b, heads, t, d)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.permute(0, 2, 1, 3).reshape(b, t, h))


class TinyLayer(nn.Module):
    def __init__(self, hidden: int, heads: int):
        super().__init__()
        self.ln1 = nn.LayerNorm(hidden)
        self.attn = TinySelfAttn(hidden, heads)
        self.ln2 = nn.LayerNorm(hidden)
        self.ff = nn.Sequential(
            nn.Linear(hidden, 4 * hidden),
            nn.GELU("tanh"),
            nn.Linear(4 * hidden, hidden),
        )

    def forward(self, x):
        h = x + self.attn(self.ln1(x))
        return h + self.ff(self.ln2(h))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.Sequential(*[TinyLayer(hidden, heads) for _ in range(layers)])
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        t = ids.size(1)
        if t > self.pos_emb.num_embeddings:
            raise ValueError(f"{t} tokens, but only {self.pos_emb.num_embeddings} positions")
        x = self.tok_emb(ids) + self.pos_emb.weight[:t]
        return self.head(self.layers(x)[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr)
    losses, best, best_state = [], None, copy.deepcopy(model.state_dict())
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(ids), labels)
        loss.backward()
        value = loss.item()
        if best is None or value < best:
            best, best_state = value, copy.deepcopy(model.state_dict())
        optimizer.step()
        losses.append(value)
    model.load_state_dict(best_state)   # keep the best model
    return losses
