

from functools import partial, reduce

import torch
from torch import nn

Projection = partial(nn.Linear, bias=False)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"{heads} heads cannot share {hidden} units")
        self.qkv = Projection(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.cut = lambda y: y.view(*y.shape[:-1], heads, hidden // heads).transpose(-3, -2)

    def forward(self, x):
        q, k, v = map(self.cut, self.qkv(x).chunk(3, dim=-1))
        weights = (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(dim=-1)
        return self.out((weights @ v).transpose(-3, -2).flatten(-2))


class Residual(nn.Module):
    """x + half(norm(x)), for parts that belong to someone else."""

    def __init__(self, owner, norm, half):
        super().__init__()
        self.parts = (lambda: getattr(owner, norm), lambda: getattr(owner, half))

    def __call__(self, x):
        norm, half = (part() for part in self.parts)
        return x + half(norm(x))


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads, widen=4):
        super().__init__()
        self.ln1 = nn.LayerNorm(hidden)
        self.attn = TinySelfAttn(hidden, heads)
        self.ln2 = nn.LayerNorm(hidden)
        self.ff = nn.Sequential(nn.Linear(hidden, widen * hidden), nn.GELU(), nn.Linear(widen * hidden, hidden))
        self.steps = (Residual(self, "ln1", "attn"), Residual(self, "ln2", "ff"))

    def forward(self, x):
        return reduce(lambda state, step: step(state), self.steps, x)


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.tok_emb, self.pos_emb = nn.Embedding(vocab, hidden), nn.Embedding(max_len, hidden)
        self.layers = nn.Sequential(*(TinyLayer(hidden, heads) for _ in range(layers)))
        self.head = nn.Linear(hidden, classes)

    def check(self, ids):
        longest, found = self.pos_emb.num_embeddings, ids.shape[1]
        if found > longest:
            raise ValueError("sequence length {} is above the maximum {}".format(found, longest))

    def forward(self, ids):
        self.check(ids)
        states = self.layers(self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1])))
        cls, *_ = states.unbind(dim=1)
        return self.head(cls)


class Trainer:
    def __init__(self, make_optimizer):
        self.make_optimizer = make_optimizer

    def __call__(self, model, ids, labels, epochs=30, lr=1e-3):
        optimizer = self.make_optimizer(model.parameters(), lr=lr)
        return [self.epoch(model, ids, labels, optimizer) for _ in range(epochs)]

    @staticmethod
    def epoch(model, ids, labels, optimizer):
        with torch.enable_grad():
            loss = nn.functional.nll_loss(model(ids).log_softmax(dim=1), labels)
        optimizer.zero_grad()
        loss.backward()
        norm = sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt()
        for p in model.parameters():
            p.grad.mul_(min(1.0, 1.0 / float(norm)))
        optimizer.step()
        return loss.item()


fine_tune = Trainer(torch.optim.Adam)
