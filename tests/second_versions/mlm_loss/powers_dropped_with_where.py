import torch as th
import torch.nn.functional as f


def token_probabilities(logits):
    ok = logits.abs().amax(-1, keepdim=True) < 80
    raw = th.exp(logits)
    raw = th.where(logits < 80, raw, th.zeros_like(raw))
    p = raw / th.clamp(raw.sum(-1, keepdim=True), min=1e-30)
    return th.where(ok, p, f.softmax(logits, -1))


def mlm_loss(logits, targets, selected):
    b, t = selected.nonzero(as_tuple=True)
    z = logits[b, t]
    y = targets[b, t]
    if b.numel() == 0:
        return z.sum()
    nll = th.logsumexp(z, 1) - z.gather(1, y.view(-1, 1)).view(-1)
    return nll.sum() / nll.numel()


def nsp_loss(scores, is_next):
    y = is_next.to(scores)
    per = f.softplus(scores) - scores * y
    return per.mean()


def pretraining_loss(logits, targets, selected, scores, is_next):
    a = mlm_loss(logits, targets, selected)
    b = nsp_loss(scores, is_next)
    return a + b
