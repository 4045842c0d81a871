

import torch
from torch import nn
from torch.nn import functional as F


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"cannot cut {hidden} hidden units into {heads} equal heads")
        self.heads = heads
        self.out = nn.Linear(hidden, hidden)
        self.qkv = nn.Linear(hidden, hidden * 3, bias=False)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)  # each (B, heads, T, d)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # (B, heads, T, d)
        return self.out(mixed.transpose(1, 2).flatten(2))  # (B, T, H)


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        exact = nn.GELU(approximate="none")
        self.ff = nn.Sequential(nn.Linear(hidden, hidden * 4), exact, nn.Linear(hidden * 4, hidden))
        self.attn = TinySelfAttn(hidden, heads)
        self.ln2 = nn.LayerNorm(hidden, eps=1e-5)
        self.ln1 = nn.LayerNorm(hidden, eps=1e-5)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        x = x + self.ff(self.ln2(x))
        return x


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2, *, device=None):
        super().__init__()
        self.head = nn.Linear(hidden, classes, device=device)
        self.layers = nn.ModuleList()
        for _ in range(layers):
            self.layers.append(TinyLayer(hidden, heads))
        self.pos_emb = nn.Embedding(max_len, hidden, device=device)
        self.tok_emb = nn.Embedding(vocab, hidden, device=device)

    def forward(self, ids):
        _, length = ids.shape
        if length > self.pos_emb.num_embeddings:
            raise ValueError(f"sequence of {length} tokens; the model was built for {self.pos_emb.num_embeddings}")
        where = torch.arange(length, device=ids.device).expand_as(ids)  # (B, T)
        x = self.tok_emb(ids) + self.pos_emb(where)  # (B, T, H)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)[:, 0]  # (B, K): the head at every position, of which one is kept


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    mode = model.training
    model.train()
    try:
        adam = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.999), eps=1e-8, foreach=True)
        losses = []
        for _ in range(epochs):
            model.zero_grad(set_to_none=False)
            loss = nn.CrossEntropyLoss()(model(ids), labels)
            losses.append(loss.item())
            loss.backward()
            adam.step()
        return losses
    finally:
        model.train(mode)
