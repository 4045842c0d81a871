

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"{hidden=} is not divisible by {heads=}")
        self.heads = heads
        self.scale = (hidden // heads) ** -0.5
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        q, k, v = torch.tensor_split(self.qkv(x), 3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(-3, -2) for t in (q, k, v))  # each (B, heads, T, d)
        weights = torch.baddbmm(
            torch.zeros((), dtype=x.dtype), q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), beta=0, alpha=self.scale
        ).softmax(-1)  # (B * heads, T, T)
        mixed = torch.bmm(weights, v.flatten(0, 1)).unflatten(0, (-1, self.heads))  # (B, heads, T, d)
        return self.out(mixed.transpose(1, 2).flatten(2))


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
        self.tok_emb = nn.Embedding(vocab, hidden, 0)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        limit = self.pos_emb.weight.size(0)
        if ids.size(1) > limit:
            raise ValueError(f"at most {limit} positions, not {ids.size(1)}")
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(ids.size(1)))
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    loader = DataLoader(TensorDataset(ids, labels), batch_size=len(ids), shuffle=True)
    optimizer = torch.optim.Adam(params=model.parameters(), lr=lr)
    criterion = nn.CrossEntropyLoss()
    losses = []
    for _ in range(epochs):
        for batch, truth in loader:

            def closure(batch=batch, truth=truth):
                optimizer.zero_grad()
                loss = criterion(model(batch), truth)
                loss.backward()
                return loss

            losses.append(optimizer.step(closure).item())
    return losses
