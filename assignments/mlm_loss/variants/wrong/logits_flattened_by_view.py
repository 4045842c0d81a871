# CANARY-PRIVATE-mlm_loss-wrong-logits_flattened_by_view
"""You flatten the logits with view(), which fails for tensors that were transposed or sliced before: their numbers do not
lie in a row in memory. reshape() takes any tensor.

Read on: What may go wrong, A view that fails."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    flat = selected.view(-1)  # (B * T,)
    chosen = logits.view(-1, logits.shape[-1])[flat]  # (M, V)
    truth = targets.view(-1)[flat]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
