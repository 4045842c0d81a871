import torch
import torch.nn.functional as F
from torch import nn

print("torch version:", torch.__version__)
torch.manual_seed(0)


def full_visibility(nonpadding):
    T = nonpadding.shape[1]
    return torch.stack([nonpadding for _ in range(T)], dim=1)


def causal_visibility(nonpadding):
    return torch.tril(full_visibility(nonpadding))


def attention_weights(query, key, visible=None):
    # trick from the forum: with the identity as values, attention returns its own weights
    S = key.shape[-2]
    eye = torch.eye(S, dtype=query.dtype).expand(*query.shape[:-2], S, S)
    if visible is None:
        return F.scaled_dot_product_attention(query, key, eye)
    visible = visible.expand(*query.shape[:-1], S)
    w = F.scaled_dot_product_attention(query, key, eye, attn_mask=visible)
    return w.masked_fill(~visible, 0.0)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"bad sizes: hidden={hidden}, heads={heads}")
        self.num_heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def split_heads(self, t):
        B, T, H = t.shape
        return t.view(B, T, self.num_heads, H // self.num_heads).transpose(1, 2)

    def forward(self, x, nonpadding=None):
        q, k, v = [self.split_heads(t) for t in self.qkv(x).chunk(3, dim=-1)]
        mask = None
        if nonpadding is not None:
            mask = full_visibility(nonpadding).unsqueeze(1)
        weights = attention_weights(q, k, mask)
        y = weights @ v
        return self.out(y.transpose(1, 2).flatten(2))


# quick test
m = TinySelfAttn(32, 4)
out = m(torch.randn(2, 6, 32))
print("output shape", out.shape)
print("params", sum(p.numel() for p in m.parameters()))
w = attention_weights(torch.randn(1, 3, 4), torch.randn(1, 5, 4))
print("row sums", w.sum(-1))
