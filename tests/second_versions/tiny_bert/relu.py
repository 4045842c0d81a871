

import torch
from torch import nn
from torch.nn import functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"no {heads} equal parts of {hidden}")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        queries, keys, values = self.qkv(x).chunk(3, dim=-1)
        outputs = []
        for q, k, v in zip(
            queries.chunk(self.heads, dim=-1), keys.chunk(self.heads, dim=-1), values.chunk(self.heads, dim=-1)
        ):
            scores = torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5  # (B, T, T)
            outputs.append(torch.bmm(F.log_softmax(scores, dim=2).exp(), v))  # (B, T, d)
        return self.out(torch.cat(outputs, dim=-1))


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.ModuleDict({"0": nn.Linear(hidden, 4 * hidden), "2": nn.Linear(4 * hidden, hidden)})
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x):
        x = x + self.attn(F.layer_norm(x, x.shape[-1:], self.ln1.weight, self.ln1.bias))
        y = F.layer_norm(x, x.shape[-1:], self.ln2.weight, self.ln2.bias)
        return x + self.ff["2"](F.relu(self.ff["0"](y)))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.vocab, self.max_len = vocab, max_len
        self.tok_emb = nn.Linear(hidden, vocab, bias=False)  # only its weight (vocab, H) is used
        self.pos_emb = nn.Linear(hidden, max_len, bias=False)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        length = ids.shape[1]
        if length > self.max_len:
            raise ValueError(f"{length} tokens, but only {self.max_len} positions")
        tokens = F.one_hot(ids, self.vocab).to(self.tok_emb.weight.dtype) @ self.tok_emb.weight
        x = tokens + self.pos_emb.weight[:length]
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3, piece=16):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        total = 0.0
        for some_ids, some_labels in zip(ids.split(piece), labels.split(piece)):
            loss = F.cross_entropy(model(some_ids), some_labels, reduction="sum") / len(ids)
            loss.backward()  # adds up to the gradient of the mean over all sequences
            total += loss.item()
        optimizer.step()
        losses.append(total)
    return losses
