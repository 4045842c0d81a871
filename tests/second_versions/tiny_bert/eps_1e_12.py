

import math

import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, inputs, outputs, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / math.sqrt(inputs))
        if bias:
            self.bias = nn.Parameter(torch.zeros(outputs))
        else:
            self.register_parameter("bias", None)

    def forward(self, x):
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


class Norm(nn.Module):
    def __init__(self, width, eps=1e-12):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(variance + self.eps) * self.weight + self.bias


class Table(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, width))

    def forward(self, index):
        return self.weight[index]


class Gelu(nn.Module):
    def forward(self, x):
        return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"hidden={hidden} is no multiple of heads={heads}")
        self.heads, self.head_dim = heads, hidden // heads
        self.qkv = Affine(hidden, 3 * hidden, bias=False)
        self.out = Affine(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape

        def split(y):
            return y.reshape(batch, length, self.heads, self.head_dim).permute(0, 2, 1, 3)  # (B, heads, T, d)

        everything = self.qkv(x)  # (B, T, 3H)
        q = split(everything[..., :hidden])
        k = split(everything[..., hidden : 2 * hidden])
        v = split(everything[..., 2 * hidden :])
        scores = (q / self.head_dim**0.5) @ k.transpose(2, 3)  # (B, heads, T, T)
        powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        weights = powers / powers.sum(dim=-1, keepdim=True)
        return self.out((weights @ v).permute(0, 2, 1, 3).reshape(batch, length, hidden))


class TinyLayer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(Affine(hidden, 4 * hidden), Gelu(), Affine(4 * hidden, hidden))
        self.ln1 = Norm(hidden)
        self.ln2 = Norm(hidden)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ff(self.ln2(x))


class TinyBertForClassification(nn.Module):
    def __init__(self, vocab=100, hidden=32, heads=4, layers=2, max_len=16, classes=2):
        super().__init__()
        self.tok_emb = Table(vocab, hidden)
        self.pos_emb = Table(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = Affine(hidden, classes)
        self.longest = max_len

    def forward(self, ids):
        length = ids.shape[-1]
        if length > self.longest:
            raise ValueError(f"length {length} exceeds {self.longest}")
        x = self.tok_emb(ids) + self.pos_emb(slice(length))
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def fine_tune(model, ids, labels, epochs=30, lr=1e-3):
    parameters = list(model.parameters())
    first = [torch.zeros_like(p) for p in parameters]
    second = [torch.zeros_like(p) for p in parameters]
    losses = []
    for step in range(1, epochs + 1):
        logits = model(ids)
        logarithms = logits - torch.logsumexp(logits, dim=1, keepdim=True)
        loss = -logarithms[torch.arange(len(labels)), labels].mean()
        found = torch.autograd.grad(loss, parameters)  # leaves .grad alone
        losses.append(loss.item())
        with torch.no_grad():
            for p, m, v, g in zip(parameters, first, second, found):
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                p -= lr * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)
    return losses
