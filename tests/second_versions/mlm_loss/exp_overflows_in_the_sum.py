import torch as th
import torch.nn.functional as f


def token_probabilities(logits):
    z = logits - logits.max(-1, keepdim=True)[0]
    e = th.exp(z)
    return e / th.sum(e, -1, keepdim=True)


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
    z, y = logits[selected], targets[selected]
    a = (th.log(th.exp(z).sum(-1)) - z[th.arange(len(y)), y]).sum() / max(1, len(y))
    b = nsp_loss(scores, is_next)
    return a + b
