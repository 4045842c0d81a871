import torch as th
import torch.nn.functional as f


def token_probabilities(logits):
    z = logits - logits.max(-1, keepdim=True)[0]
    e = th.exp(z)
    return e / th.sum(e, -1, keepdim=True)


class CE(th.autograd.Function):
    @staticmethod
    def forward(ctx, z, y):
        ctx.save_for_backward(z, y)
        return f.cross_entropy(z, y)

    @staticmethod
    def backward(ctx, g):
        z, y = ctx.saved_tensors
        p = f.softmax(z, 1)
        p[th.arange(len(y)), y] -= 1
        return p / len(y), None


def mlm_loss(logits, targets, selected):
    b, t = selected.nonzero(as_tuple=True)
    z = logits[b, t]
    y = targets[b, t]
    if b.numel() == 0:
        return z.sum()
    return CE.apply(z, y)


def nsp_loss(scores, is_next):
    y = is_next.to(scores)
    per = f.softplus(scores) - scores * y
    return per.mean()


def pretraining_loss(logits, targets, selected, scores, is_next):
    a = mlm_loss(logits, targets, selected)
    b = nsp_loss(scores, is_next)
    return a + b
