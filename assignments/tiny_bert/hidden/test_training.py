# CANARY-PRIVATE-tiny_bert-hidden-training
"""Hidden checks of `fine_tune`, and of the model as something that can be trained.

What `fine_tune` must do to a model is worked out here, by an Adam of our own, from the gradients that the student's own
model gives at each step: a mistake in the model is counted by the checks of the model and not again here. Losses and
weights are never taken on trust: losses are computed here from the model's logits, weights are read back.

Adam divides a gradient by its own size, so where a gradient is nearly nothing, rounding decides about the step. Such
numbers are left out of the comparison. Steps are compared in units of the learning rate. Whatever several checks look
at is made once; the functions that make it compare nothing, so that the order of the checks changes nothing either.
"""

import contextlib
import math
import zlib
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

from grader.judge.expect import Expect
from grader.judge.marks import group, hint, needs, points
from grader.judge.probes import GENERATORS, global_generators
from grader.judge.student import StudentRaised

SIZES = {"vocab": 11, "hidden": 8, "heads": 4, "layers": 1, "max_len": 7, "classes": 5}
B, T = 66, 3  # more than the usual mini-batches of 32 and 64
LARGE_B = 270  # more than one of 256
TOKENS = [0, 1, 2, 3, 5, 6, 7, 8, 10]  # 4 and 9 never occur
EPOCHS, LR = 6, 0.06
STEP_ATOL = 3e-3  # of a step: the nearest mistake, a beta of 0.99, changes some by 1.2e-2; rounding by 5e-5
NEARLY = 0.1  # of a step: eps before the root changes steps by up to 3e-3, seldom more
STILL = 1e-5  # less is no movement: Adam moves by about the rate, and a decay of 0.01 by 6e-4
CLEAR = 1e-2  # a gradient is clear of rounding if it is at least so large a part of the largest
TINY = 1e-5  # smaller parts of the largest gradient are rounding, and make a first step of pure chance
LOSS_RTOL = 1e-3  # of the losses of later epochs, which follow steps that may differ a little
LEARNS_EPOCHS = 4  # of our own training, as many are compared with the reference's
LEARNS_RTOL = 5e-2  # of losses: the tanh formula of GELU and another eps, which have checks of their own, change less
FAR_LR = 0.5  # so large that the loss rises from the first step on


def start(rng, parameters, head=6.0):
    """Values for these parameters; with a large head they make large gradients, which any clipping would change."""
    base = int(torch.randint(1 << 40, (), generator=rng))
    state = {}
    for name, parameter in sorted(parameters.items()):
        generator = torch.Generator().manual_seed(base + zlib.crc32(name.encode()))
        normal = torch.randn(tuple(parameter.shape), generator=generator)
        if ".ln" in name and name.endswith("weight"):
            state[name] = 1 + 0.5 * normal
        elif "emb" in name or name == "head.weight":
            state[name] = (1.5 if "emb" in name else head) * normal
        else:
            state[name] = normal / normal.shape[-1] ** 0.5 if normal.dim() == 2 else 0.5 * normal
    return state


def data(rng, batch=B):
    """ids (B, T) in which each of TOKENS occurs, and labels (B,)."""
    tokens = torch.tensor(TOKENS)
    ids = tokens[torch.randint(0, len(TOKENS), (batch, T), generator=rng)]  # (B, T)
    ids[: len(TOKENS), 1] = tokens
    return ids, torch.randint(0, SIZES["classes"], (batch,), generator=rng)


def new_model(student, rng):
    """A model and the values that it starts from."""
    model = student.TinyBertForClassification(**SIZES)
    state = start(rng, model.parameters())
    model.load_state_dict(state)
    return model, state


def another_model(student, state):
    """A model that no call has trained yet, with these values."""
    model = student.TinyBertForClassification(**SIZES)
    model.load_state_dict(state)
    return model


def logits_of(model, ids):
    """The model's logits, (B, K), in float64; a comparison that fails here has no observation."""
    return Expect().tensor(model(ids), "logits", shape=(len(ids), SIZES["classes"])).double()


def gradients(model, state, ids, labels):
    """Loss and gradients, by name, of a model with these values."""
    model.load_state_dict(state)
    logits = logits_of(model, ids)
    wrong_by = logits.softmax(dim=-1) - F.one_hot(labels, logits.shape[-1])  # (B, K), B times the loss's gradient
    found = model.vjp(ids, cotangent=(wrong_by / len(labels)).float(), wrt=()).parameters
    for name, value in state.items():
        if found.get(name) is None:  # counted by a check of the model
            found[name] = torch.zeros_like(value)
        Expect().tensor(found[name], f"gradient of {name}", shape=value.shape)
    return F.cross_entropy(logits, labels).item(), {name: found[name] for name in state}


def parameter_of(model, name):
    """The parameter itself, where it lives: calling its `backward` leaves a gradient with it."""
    for part in name.split("."):
        model = getattr(model, part)
    return model


def flat(state, like):
    """All numbers of a state in a row, in the order of `like`; float64."""
    return torch.cat([state[name].reshape(-1) for name in like]).double()  # (N,)


class Adam:
    """Adam by its formula, in float64. `eps_first` adds eps before the bias is corrected, as some libraries do."""

    def __init__(self, state, lr, eps_first=False):
        self._began = state
        self.values = flat(state, state)  # (N,)
        self._mean, self._square = torch.zeros_like(self.values), torch.zeros_like(self.values)
        self._lr, self._eps_first, self._steps = lr, eps_first, 0

    def step(self, gradient):
        """One step; returns the values after it by name, in float32."""
        self._steps += 1
        found = flat(gradient, self._began)
        self._mean = 0.9 * self._mean + 0.1 * found
        self._square = 0.999 * self._square + 0.001 * found**2
        mean = self._mean / (1 - 0.9**self._steps)
        correction = (1 - 0.999**self._steps) ** 0.5
        eps = 1e-8 / correction if self._eps_first else 1e-8
        self.values = self.values - self._lr * mean / (self._square.sqrt() / correction + eps)
        parts = self.values.float().split([value.numel() for value in self._began.values()])
        return {name: part.view_as(value) for (name, value), part in zip(self._began.items(), parts, strict=True)}


@dataclass
class Trained:
    """What our Adam makes of the student's model in EPOCHS steps, and the losses before them.

    `clear` says which numbers had a gradient that is clear of rounding at each step.
    """

    began: dict[str, torch.Tensor]
    ids: torch.Tensor
    labels: torch.Tensor
    losses: list[float]
    ended: dict[str, torch.Tensor]
    clear: torch.Tensor

    def steps(self, ended):
        """By name what was moved in all, in units of the learning rate, and what should have been."""
        began, expected = flat(self.began, self.began), flat(self.ended, self.began)
        wanted = (expected - began) / LR
        found = torch.where(self.clear, (flat(ended, self.began) - began) / LR, wanted)
        sizes = [value.numel() for value in self.began.values()]
        pairs = zip(self.began.items(), found.split(sizes), wanted.split(sizes), strict=True)
        return {name: (mine.view_as(value), ours.view_as(value)) for (name, value), mine, ours in pairs}


def train_here(student, rng):
    """Train a model of the student's by our Adam.

    Where the first gradient has numbers that are nothing but rounding, other values are drawn: such a number makes a
    whole step in a direction of chance, and may lead elsewhere.
    """
    model = student.TinyBertForClassification(**SIZES)
    parameters = model.parameters()
    for _ in range(6):
        began, (ids, labels) = start(rng, parameters), data(rng)
        first = gradients(model, began, ids, labels)
        sizes = flat(first[1], began).abs()  # (N,)
        if not bool(((sizes > 0) & (sizes < TINY * sizes.max())).any()):
            break
    return follow(model, first, began, ids, labels)


def follow(model, first, began, ids, labels, eps_first=False):
    """Train a model by our Adam; `first` has its loss and gradients before the first step."""
    adam, values, losses = Adam(began, LR, eps_first), began, []
    clear = torch.ones_like(adam.values, dtype=torch.bool)  # (N,)
    for epoch in range(EPOCHS):
        loss, found = first if epoch == 0 else gradients(model, values, ids, labels)
        losses.append(loss)
        sizes = flat(found, began).abs()  # (N,)
        clear &= (sizes > CLEAR * sizes.max()) | (sizes == 0)
        values = adam.step(found)
    return Trained(began, ids, labels, losses, values, clear)


@dataclass
class Run:
    """One call of fine_tune, from where our own training began: what came back and what it left behind."""

    losses: Any
    ids: Any
    labels: Any
    modes: dict[str, Any]
    ended: dict[str, Any]

    def off_by(self, trained):
        """By how much of a step the weights are not where they should be, at most; infinite if they are of no use."""
        if not all(_is_like(self.ended.get(name), value) for name, value in trained.began.items()):
            return float("inf")
        largest = max(float((mine - ours).abs().amax()) for mine, ours in trained.steps(self.ended).values())
        return largest if math.isfinite(largest) else float("inf")


def _is_like(found, value):
    return isinstance(found, torch.Tensor) and found.shape == value.shape


def modes_of(model):
    """The training flags of a model and of its parts."""
    found = {}
    for name, part in {"the model": model, "its layers": model.layers, "its head": model.head}.items():
        with contextlib.suppress(StudentRaised):  # it is no module, which a check of the parameters counts
            found[name] = part.training.fetch()
    return found


def run_fine_tune(student, trained):
    """fine_tune on a new model with the values, ids and labels of our own training."""
    model = another_model(student, trained.began)
    losses, after = student.fine_tune.inspect(model, trained.ids, trained.labels, epochs=EPOCHS, lr=LR)
    return Run(losses, after[1], after[2], modes_of(model), model.parameters())


def trained_and_run(student, once):
    """Our own training, and a call of fine_tune on the same.

    A call that comes near may have added eps before it corrected the bias. Then it is our Adam of that form that it is
    compared with, provided that it fits.
    """
    trained = once("train_here", lambda rng: train_here(student, rng))
    run = once("fine_tune", lambda rng: run_fine_tune(student, trained))
    if STEP_ATOL < run.off_by(trained) < NEARLY:
        other = once("train_here_eps_first", lambda rng: train_eps_first(student, trained))
        if run.off_by(other) <= STEP_ATOL:
            return other, run
    return trained, run


def train_eps_first(student, trained):
    """The same training by the other form of our Adam."""
    model, began, ids, labels = another_model(student, trained.began), trained.began, trained.ids, trained.labels
    return follow(model, gradients(model, began, ids, labels), began, ids, labels, eps_first=True)


@dataclass
class TwoCalls:
    """Two calls of fine_tune, of one epoch each, on a model of two layers in evaluation mode.

    `problem` is what the second raised, if it did.
    """

    began: dict[str, torch.Tensor]
    gradient: dict[str, Any]
    modes: dict[str, Any]
    between: dict[str, Any]
    ended: dict[str, Any]
    problem: StudentRaised | None


def call_twice(student, rng):
    """See `TwoCalls`; the gradient is one of the model before both calls, and shows what can move."""
    model = student.TinyBertForClassification(**(SIZES | {"layers": 2}))
    began = start(rng, model.parameters(), head=1.0)  # so that no softmax saturates, were there one too many
    model.load_state_dict(began)
    ids, labels = data(rng)
    cotangent = torch.randn(B, SIZES["classes"], generator=rng)
    gradient = model.vjp(ids, cotangent=cotangent, wrt=()).parameters
    model.eval()
    student.fine_tune(model, ids, labels, epochs=1, lr=LR)
    modes, between, problem = modes_of(model), model.parameters(), None
    try:
        student.fine_tune(model, ids, labels, epochs=1, lr=LR)
    except StudentRaised as raised:  # for the check of the second call alone
        problem = raised
    return TwoCalls(began, gradient, modes, between, model.parameters(), problem)


@dataclass
class OneEpochRuns:
    """Two calls of one epoch, from the same values and other states of the global generators.

    In the second, some parameters have gradients on entry. `states` are those of the global generators afterwards.
    """

    logits: list[Any]
    states: list[dict[str, str]]


def run_one_epoch(student, rng):
    """See `OneEpochRuns`."""
    model, began = new_model(student, rng)
    models = (model, another_model(student, began))  # both before any call: whether making one seeds anything is free
    ids, labels = data(rng)
    for name in sorted(began)[1::3]:
        parameter_of(models[1], name).backward(100 * torch.randn(began[name].shape, generator=rng))
    runs = OneEpochRuns([], [])
    for seed, model in enumerate(models, start=7):
        global_generators(student, seed)
        student.fine_tune(model, ids, labels, epochs=1, lr=LR)
        runs.states.append(global_generators(student))
        runs.logits.append(model(ids))
    return runs


def moved(expect, before, after, name):
    """Which numbers of a parameter are not what they were; bool."""
    was, now = (expect.tensor(state.get(name), name).double() for state in (before, after))
    return (expect.tensor(now, name, shape=was.shape) - was).abs() > STILL


def whole_steps(before, after):
    """The share of the numbers which moved that moved by the learning rate, up or down."""
    steps = (flat(after, before) - flat(before, before)).abs() / LR
    steps = steps[steps > STILL / LR]
    return float(((steps - 1).abs() < 0.01).double().mean()) if len(steps) else 0.0


def rows_in(table):
    """The rows of a table of booleans in which anything is true."""
    return table.any(dim=1).nonzero().flatten().tolist()


@points(2)
@group("Training")
@needs("model_attached", "model_parameters")
@hint("Our optimiser trains your model here: if it does not learn as it should, the model is to blame, not fine_tune.")
def test_model_learns(student, expect, reference, once):
    """Trained by our own Adam, the model learns as ours does from the same weights."""
    trained = once("train_here", lambda rng: train_here(student, rng))
    ours, adam = reference.TinyBertForClassification(**SIZES), Adam(trained.began, LR)
    named, values, expected = dict(ours.named_parameters()), trained.began, []
    for _ in range(LEARNS_EPOCHS):
        ours.load_state_dict(values)
        loss = F.cross_entropy(ours(trained.ids).double(), trained.labels)
        expected.append(loss.item())
        values = adam.step(dict(zip(named, torch.autograd.grad(loss, list(named.values())), strict=True)))
    found = torch.tensor(trained.losses[:LEARNS_EPOCHS])
    expect.close(found, torch.tensor(expected), "losses", rtol=LEARNS_RTOL)


@points(3)
@group("Fine-tuning")
@needs("model_attached")
@hint("A loss belongs to the weights before its step: for n epochs n losses, the last of them before the last step.")
def test_fine_tune_true_losses(student, expect, once):
    """The losses that fine_tune returns are those of the model as it was before each step."""
    trained, run = trained_and_run(student, once)
    expect.same(type(run.losses).__name__, "list", "type of what fine_tune returns")
    expect.same(len(run.losses), EPOCHS, f"number of losses after {EPOCHS} epochs")
    expect.that(all(type(loss) is float for loss in run.losses), "losses", "each must be a float.")
    expect.close(run.losses[0], trained.losses[0], "first loss")
    if run.off_by(trained) <= STEP_ATOL:
        found, true = torch.tensor(run.losses), torch.tensor(trained.losses)
        expect.close(found, true, "losses", rtol=LOSS_RTOL, atol=LOSS_RTOL)
    else:  # where other steps lead is known for one epoch, without trust in what is returned
        model = another_model(student, trained.began)
        student.fine_tune(model, trained.ids, trained.labels, epochs=1, lr=LR)
        true = F.cross_entropy(logits_of(model, trained.ids), trained.labels).item()
        expect.close(run.losses[1], true, "second loss", rtol=LOSS_RTOL, atol=LOSS_RTOL)


@points(5)
@group("Fine-tuning")
@needs("model_attached")
@hint("Plain Adam on the mean loss of all sequences, gradients of this epoch alone, every step kept, the last one too.")
def test_fine_tune_steps(student, expect, once):
    """After six epochs the weights are where six steps of Adam lead."""
    trained, run = trained_and_run(student, once)
    for name, value in trained.began.items():
        expect.tensor(run.ended.get(name), name, shape=value.shape)
    for name, (found, wanted) in sorted(trained.steps(run.ended).items(), key=lambda item: -item[1][0].numel()):
        expect.close(found, wanted, f"steps of {name}", rtol=0.0, atol=STEP_ATOL)


@points(2)
@group("Fine-tuning")
@needs("model_attached")
@hint("model.parameters() is everything: both embeddings, all layers, the norms and the head.")
def test_fine_tune_moves_everything(student, expect, once):
    """fine_tune moves every parameter, and of the embeddings the rows that occur, row 0 included, and no others."""
    calls = once("two_calls", lambda rng: call_twice(student, rng))
    for name, value in calls.began.items():
        found = moved(expect, calls.began, calls.between, name)
        gradient = calls.gradient.get(name)
        should = gradient != 0 if _is_like(gradient, value) else torch.zeros_like(found)
        if name in ("tok_emb.weight", "pos_emb.weight"):
            expect.same(rows_in(found), rows_in(should), f"rows of {name} that moved")
        elif bool(should.any()):
            expect.that(bool(found.any()), name, "fine_tune does not move it.")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Take every step that was asked for, and leave the model with what the last one made, better or not.")
def test_fine_tune_to_the_end(student, expect, rng):
    """Every epoch counts and the last step is kept, whether the loss rises or is already zero."""
    model, began = new_model(student, rng)
    ids, labels = data(rng)
    if "head.bias" in began:  # nothing is left to learn: the right class has a logit far above the others
        certain = began | {"head.bias": 1e4 * F.one_hot(labels[0], SIZES["classes"]).to(began["head.bias"].dtype)}
        losses = student.fine_tune(another_model(student, certain), ids, labels[:1].expand(B), epochs=3, lr=LR)
        expect.same(type(losses).__name__, "list", "type of what fine_tune returns")
        expect.same(len(losses), 3, "number of losses after 3 epochs where nothing is left to learn")
    losses = student.fine_tune(model, ids, labels, epochs=3, lr=FAR_LR)
    expect.same(type(losses).__name__, "list", "type of what fine_tune returns")
    expect.same(len(losses), 3, "number of losses after 3 epochs")
    after = F.cross_entropy(logits_of(model, ids), labels).item()
    for epoch, loss in enumerate(losses):
        if type(loss) is float:
            put_back = abs(loss - after) <= 1e-5 * abs(after)
            expect.that(
                not put_back, f"loss of epoch {epoch}", "afterwards the model is where it was before this step."
            )


@points(2)
@group("Fine-tuning")
@needs("model_attached", "model_parameters")
@hint("eps is 1e-8, outside the root, and the loss is the mean: very small gradients show both.")
def test_fine_tune_small_gradients(student, expect, rng):
    """Adam's step is right where gradients are as small as its eps, and the batch is large."""
    model, began = new_model(student, rng)
    ids, labels = data(rng, LARGE_B)
    # Gradients of what stands before the head are in proportion to its weights: some 1e-8 here, and still exact.
    began["head.weight"] = began["head.weight"] * 5e-9
    _, found = gradients(model, began, ids, labels)
    student.fine_tune(model, ids, labels, epochs=1, lr=LR)
    ended = model.parameters()
    expected, also_right = (Adam(began, LR, eps_first).step(found) for eps_first in (False, True))
    for name, value in began.items():
        if name == "head.weight":
            continue
        step = (expect.tensor(ended.get(name), name, shape=value.shape).double() - value) / LR
        wanted, other = ((values[name].double() - value) / LR for values in (expected, also_right))
        if bool(((step - other).abs() <= STEP_ATOL).all()):
            wanted = other
        expect.close(step, wanted, f"step of {name}", rtol=0.0, atol=STEP_ATOL)


@points(2)
@group("Fine-tuning")
@needs("model_attached")
@hint("Set the gradients to zero before backward, in the first epoch too: some may be there already.")
def test_fine_tune_gradients_on_entry(student, expect, once):
    """Gradients that are there on entry do not count."""
    runs = once("one_epoch_runs", lambda rng: run_one_epoch(student, rng))
    without, entered = (expect.tensor(logits, "logits", shape=(B, SIZES["classes"])) for logits in runs.logits)
    # They would turn half of the first step around, and change logits by 10 and more.
    expect.close(entered, without, "logits after training with gradients on entry", rtol=1e-2, atol=0.1)


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Read model.training before you change the mode, and put that back, whatever it was.")
def test_fine_tune_mode(student, expect, once):
    """fine_tune leaves the model in the mode in which it found it."""
    _, run = trained_and_run(student, once)
    calls = once("two_calls", lambda rng: call_twice(student, rng))
    for mode, found in ((True, run.modes), (False, calls.modes)):
        for part, flag in found.items():
            expect.same(flag, mode, f"training flag of {part} after training={mode}")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Each call is a training of its own, with a new optimiser: freeze nothing on the way out, keep nothing either.")
def test_fine_tune_again(student, expect, once):
    """A second call trains the model again, as the first did."""
    calls = once("two_calls", lambda rng: call_twice(student, rng))
    if calls.problem is not None:
        raise calls.problem
    for name in calls.began:
        if bool(moved(expect, calls.began, calls.between, name).any()):
            again = bool(moved(expect, calls.between, calls.ended, name).any())
            expect.that(again, name, "the second call does not move it.")
    # Adam's first step is the learning rate itself, up or down; later ones are not.
    first, second = whole_steps(calls.began, calls.between), whole_steps(calls.between, calls.ended)
    expect.that(first < 0.9 or second > 0.7, "steps", "those of the second call go on where the first call ended.")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Without an epoch there is no loss and no step.")
def test_fine_tune_no_epochs(student, expect, rng):
    """With epochs=0 the losses are an empty list and nothing moves."""
    model, began = new_model(student, rng)
    ids, labels = data(rng)
    expect.same(student.fine_tune(model, ids, labels, epochs=0), [], "losses of no epochs")
    ended = model.parameters()
    for name in began:
        expect.that(not bool(moved(expect, began, ended, name).any()), name, "it moves.")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Training draws no random numbers. Whoever calls fine_tune may have seeded a generator for other things.")
def test_fine_tune_reseeds_nothing(student, expect, once):
    """fine_tune does not set the seed of any global generator."""
    runs = once("one_epoch_runs", lambda rng: run_one_epoch(student, rng))
    for name in GENERATORS:
        differ = runs.states[0][name] != runs.states[1][name]
        expect.that(differ, f"{name}'s global generator", "it is in the same state after each call.")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("The ids and the labels are the caller's: make a new tensor instead of writing into one that you were given.")
def test_fine_tune_leaves_arguments(student, expect, once):
    """fine_tune changes neither ids nor labels."""
    trained, run = trained_and_run(student, once)
    expect.unchanged(run.ids, trained.ids, "ids")
    expect.unchanged(run.labels, trained.labels, "labels")
