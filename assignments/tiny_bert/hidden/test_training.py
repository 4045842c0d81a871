# CANARY-PRIVATE-tiny_bert-hidden-training
"""Hidden checks of `fine_tune`, and of the model as something that can be trained.

What `fine_tune` must do to a model is worked out here, by an Adam of our own, from the gradients that the student's own
model gives at each step: a mistake in the model is counted by the checks of the model and not again here. Losses and
weights are never taken on trust: losses are computed here from the model's logits, weights are read back.

Adam divides a gradient by its own size, so where a gradient is nearly nothing, rounding decides about the step. Such
numbers are left out of the comparison. Steps are compared in units of the learning rate.
"""

import zlib
from dataclasses import dataclass

import torch
from torch.nn import functional as F

from grader.judge.marks import group, hint, needs, points
from grader.judge.student import MissingName, StudentRaised

SIZES = {"vocab": 11, "hidden": 12, "heads": 3, "layers": 2, "max_len": 8, "classes": 5}
B, T = 70, 6
TOKENS = [0, 1, 2, 3, 5, 6, 7, 8, 10]  # 4 and 9 never occur
LR = 0.06  # so large that the loss rises at first: whoever keeps the best weights, or stops early, is found out
EPOCHS, STEP_LR = 8, 0.02  # where steps are compared one by one: smaller, so that rounding stays rounding
STEP_ATOL = 2e-3  # of a step: the nearest mistake, a beta of 0.99, changes some by 3e-2; 0.001 in float32 by 2e-4
STILL = 1e-5  # less is no movement: Adam moves by about the rate, and a decay of 0.01 by 2e-4
LEARNS_ATOL = 2e-3  # of a loss, after steps that are large
CLEAR = 1e-2  # a gradient is clear of rounding if it is at least so large a part of the largest


def start(rng, parameters):
    """Values for these parameters; they make large gradients, which any clipping would change."""
    base = int(torch.randint(1 << 40, (), generator=rng))
    state = {}
    for name, parameter in sorted(parameters.items()):
        generator = torch.Generator().manual_seed(base + zlib.crc32(name.encode()))
        normal = torch.randn(tuple(parameter.shape), generator=generator)
        if ".ln" in name and name.endswith("weight"):
            state[name] = 1 + 0.5 * normal
        elif "emb" in name or name == "head.weight":
            state[name] = (1.5 if "emb" in name else 6.0) * normal
        else:
            state[name] = normal / normal.shape[-1] ** 0.5 if normal.dim() == 2 else 0.5 * normal
    return state


def data(rng):
    """ids (B, T) in which each of TOKENS occurs, and labels (B,)."""
    tokens = torch.tensor(TOKENS)
    ids = tokens[torch.randint(0, len(TOKENS), (B, T), generator=rng)]  # (B, T)
    ids[: len(TOKENS), 1] = tokens
    return ids, torch.randint(0, SIZES["classes"], (B,), generator=rng)


def new_model(student, rng):
    """A model of the usual sizes and the values that it starts from."""
    model = student.TinyBertForClassification(**SIZES)
    state = start(rng, model.parameters())
    model.load_state_dict(state)
    return model, state


def another_model(student, state):
    """A model that no call has trained yet, with these values."""
    model = student.TinyBertForClassification(**SIZES)
    model.load_state_dict(state)
    return model


def loss_of(expect, model, ids, labels):
    """The loss of a model as it is, worked out here from its logits."""
    logits = expect.tensor(model(ids), "logits", shape=(len(ids), SIZES["classes"]))
    return F.cross_entropy(logits.double(), labels).item()


def gradients(expect, model, state, ids, labels):
    """Loss and gradients of a model with these values."""
    model.load_state_dict(state)
    logits = expect.tensor(model(ids), "logits").double()  # (B, K)
    wrong_by = logits.softmax(dim=-1) - F.one_hot(labels, logits.shape[-1])  # (B, K), B times the loss's gradient
    found = model.vjp(ids, cotangent=(wrong_by / len(labels)).float(), wrt=()).parameters
    for name, value in state.items():
        if found.get(name) is None:  # counted by a check of the model
            found[name] = torch.zeros_like(value)
        expect.tensor(found[name], f"gradient of {name}", shape=value.shape)
    return F.cross_entropy(logits, labels).item(), {name: found[name] for name in state}


def parameter_of(model, name):
    """The parameter itself, where it lives: calling its `backward` leaves a gradient with it."""
    for part in name.split("."):
        model = getattr(model, part)
    return model


def global_draws(student, model):
    """Numbers from the global generators of the student's process, by the generator's owner.

    torch's fills a tensor of the model. Python's and numpy's are reached through the submission's `torch`; where it
    has no such name, they are not looked at.
    """
    draws = {"torch's global generator": model.head.weight.data.normal_().tolist()}
    try:
        modules = student.torch.sys.modules
        draws["Python's global generator"] = modules.get("random").random()
        draws["numpy's global generator"] = modules.get("numpy").random.random_sample()
    except (AttributeError, MissingName, StudentRaised, TypeError):
        pass
    return draws


class Adam:
    """Adam by its formula, in float64. `eps_first` adds eps before the bias is corrected, as some libraries do."""

    def __init__(self, state, lr, eps_first=False):
        self._shapes = {name: value.shape for name, value in state.items()}
        self._values = self._flat(state)  # (N,), all parameters in a row
        self._mean, self._square = torch.zeros_like(self._values), torch.zeros_like(self._values)
        self._lr, self._eps_first, self._steps = lr, eps_first, 0

    def _flat(self, named):
        return torch.cat([named[name].double().reshape(-1) for name in self._shapes])

    def step(self, gradient):
        """One step; returns the values after it by name, in float32."""
        self._steps += 1
        flat = self._flat(gradient)
        self._mean = 0.9 * self._mean + 0.1 * flat
        self._square = 0.999 * self._square + 0.001 * flat**2
        mean = self._mean / (1 - 0.9**self._steps)
        correction = (1 - 0.999**self._steps) ** 0.5
        eps = 1e-8 / correction if self._eps_first else 1e-8
        self._values = self._values - self._lr * mean / (self._square.sqrt() / correction + eps)
        parts = self._values.float().split([shape.numel() for shape in self._shapes.values()])
        return {name: part.view(shape) for (name, shape), part in zip(self._shapes.items(), parts, strict=True)}


def near(step, expected):
    """Whether steps are as they should be."""
    return bool(((step - expected).abs() <= STEP_ATOL).all())


@dataclass
class Run:
    """One call of fine_tune: where it began, ended and should have ended; which numbers are clear of rounding."""

    began: dict
    ended: dict
    expected: dict
    clear: dict

    def steps(self, name):
        """What was moved in all, in units of the learning rate, and what should have been; of the same shape."""
        found = (self.ended[name].double() - self.began[name].double()) / STEP_LR
        expected = (self.expected[name].double() - self.began[name].double()) / STEP_LR
        return torch.where(self.clear[name], found, expected), expected

    def holds(self):
        """Whether all steps are as they should be."""
        return all(near(*self.steps(name)) for name in self.began)

    def moved(self, values, name):
        """Which numbers are not what they were at the beginning; bool."""
        return (values[name].double() - self.began[name].double()).abs() > STILL


def rows_in(moved):
    """The rows in which anything moved."""
    return moved.any(dim=1).nonzero().flatten().tolist()


def adam_steps(expect, model, began, ids, labels, eps_first):
    """Where EPOCHS steps of our Adam lead from the model's gradients, and which numbers are clear of rounding."""
    ours, values = Adam(began, STEP_LR, eps_first), began
    clear = {name: torch.ones_like(value, dtype=torch.bool) for name, value in began.items()}
    for _ in range(EPOCHS):
        _, found = gradients(expect, model, values, ids, labels)
        largest = max(float(gradient.abs().amax()) for gradient in found.values())
        for name, gradient in found.items():
            clear[name] &= (gradient.abs() > CLEAR * largest) | (gradient == 0)
        values = ours.step(found)
    return values, clear


def runs_of(student, expect, rng):
    """fine_tune with EPOCHS epochs, and the same by our Adam, in each of its two forms."""
    model, began = new_model(student, rng)
    ids, labels = data(rng)
    student.fine_tune(model, ids, labels, epochs=EPOCHS, lr=STEP_LR)
    ended = model.parameters()
    for name, value in began.items():
        expect.tensor(ended.get(name), name, shape=value.shape)
    for eps_first in (False, True):
        other = another_model(student, began)
        yield Run(began, ended, *adam_steps(expect, other, began, ids, labels, eps_first))


def fine_tune_once(student, expect, rng):
    """The first run that is as it should be, of two draws and both forms of Adam; else the very first.

    A second draw, because a gradient that happens to pass through nothing makes a step of rounding alone, which can
    lead all that follows elsewhere. That is rare, and does not happen twice.
    """
    runs = []
    for _ in range(2):
        for run in runs_of(student, expect, rng):
            runs.append(run)
            if run.holds():
                return run
    return runs[0]


@points(2)
@group("Training")
@needs("model_attached", "model_parameters")
@hint("Our optimiser trains your model here: if it does not learn as it should, the model is to blame, not fine_tune.")
def test_model_learns(student, expect, reference):
    """Trained by our own Adam from the weights of the course, the model learns as ours does, and ends below 0.3."""
    torch.manual_seed(42)
    state = {name: value.detach() for name, value in reference.TinyBertForClassification().named_parameters()}
    torch.manual_seed(99)
    ids, labels = torch.randint(0, 100, (50, 10)), torch.randint(0, 2, (50,))  # (50, 10), (50,)
    model, ours = student.TinyBertForClassification(), Adam(state, 5e-3)  # five times the usual rate: fewer steps do
    losses = []
    for _ in range(12):
        loss, found = gradients(expect, model, state, ids, labels)
        state = ours.step(found)
        losses.append(loss)
    for epoch, expected in {0: 0.7904, 4: 0.5471, 8: 0.3391, 11: 0.1700}.items():
        expect.close(losses[epoch], expected, f"loss of epoch {epoch}", rtol=0.0, atol=LEARNS_ATOL)
    expect.below(losses[-1], 0.3, "last loss")


@points(3)
@group("Fine-tuning")
@needs("model_attached")
@hint("A loss belongs to the weights before its step: for n epochs n losses, the last of them before the last step.")
def test_fine_tune_true_losses(student, expect, rng):
    """The losses that fine_tune returns are those of the model as it was before each step."""
    model, began = new_model(student, rng)
    ids, labels = data(rng)
    returned, true = [], [loss_of(expect, model, ids, labels)]
    for epochs in range(1, 4):
        model = another_model(student, began)
        losses = student.fine_tune(model, ids, labels, epochs=epochs, lr=LR)
        expect.that(isinstance(losses, list), "losses", "fine_tune must return a list.")
        expect.same(len(losses), epochs, f"number of losses after {epochs} epochs")
        expect.that(all(type(loss) is float for loss in losses), "losses", "each must be a float.")
        returned.append(losses)
        true.append(loss_of(expect, model, ids, labels))
    expect.finite(torch.tensor(true), "losses of the model after 0 to 3 epochs")
    for losses in returned:
        for epoch, loss in enumerate(losses):
            expect.close(loss, true[epoch], f"loss {epoch} of {len(losses)} epochs")


@points(5)
@group("Fine-tuning")
@needs("model_attached")
@hint("Plain Adam on the mean loss of all sequences, gradients of this epoch alone, every step kept, the last one too.")
def test_fine_tune_steps(student, expect, once):
    """After eight epochs the weights are where eight steps of Adam lead."""
    run = once("fine_tune_once", lambda generator: fine_tune_once(student, expect, generator))
    for name in run.began:
        expect.close(*run.steps(name), f"steps of {name}", rtol=0.0, atol=STEP_ATOL)


@points(3)
@group("Fine-tuning")
@needs("model_attached")
@hint("model.parameters() is everything: both embeddings, all layers, the norms and the head.")
def test_fine_tune_moves_everything(student, expect, once):
    """fine_tune moves every parameter, and of the embeddings the rows that occur, row 0 included, and no others."""
    run = once("fine_tune_once", lambda generator: fine_tune_once(student, expect, generator))
    for name in run.began:
        moved, should = run.moved(run.ended, name), run.moved(run.expected, name)
        if name in ("tok_emb.weight", "pos_emb.weight"):
            expect.same(rows_in(moved), rows_in(should), f"rows of {name} that moved")
        elif bool(should.any()):
            expect.that(bool(moved.any()), name, "fine_tune does not move it.")


@points(2)
@group("Fine-tuning")
@needs("model_attached", "model_parameters")
@hint("eps is 1e-8, outside the root, and the loss is the mean: very small gradients show both.")
def test_fine_tune_small_gradients(student, expect, rng):
    """Adam's step is right where gradients are as small as its eps."""
    model, began = new_model(student, rng)
    ids, labels = data(rng)
    # Gradients of what stands before the head are in proportion to its weights: some 1e-8 here, and still exact.
    began["head.weight"] = began["head.weight"] * 5e-9
    _, found = gradients(expect, model, began, ids, labels)
    model.load_state_dict(began)
    student.fine_tune(model, ids, labels, epochs=1, lr=LR)
    ended = model.parameters()
    expected, also_right = (Adam(began, LR, eps_first).step(found) for eps_first in (False, True))
    for name, value in began.items():
        if name == "head.weight":
            continue
        step = (expect.tensor(ended.get(name), name, shape=value.shape).double() - value) / LR
        wanted, other = ((values[name].double() - value) / LR for values in (expected, also_right))
        if not near(step, wanted) and near(step, other):
            wanted = other
        expect.close(step, wanted, f"step of {name}", rtol=0.0, atol=STEP_ATOL)


@points(2)
@group("Fine-tuning")
@needs("model_attached")
@hint("Set the gradients to zero before backward, in the first epoch too: some may be there already.")
def test_fine_tune_gradients_on_entry(student, expect, rng):
    """Gradients that are there on entry do not count."""
    _, began = new_model(student, rng)
    ids, labels = data(rng)
    logits = []
    for entry in (False, True):
        model = another_model(student, began)
        for name in sorted(began) if entry else ():
            parameter_of(model, name).backward(100 * torch.randn(began[name].shape, generator=rng))
        student.fine_tune(model, ids, labels, epochs=1, lr=LR)
        logits.append(expect.tensor(model(ids), "logits", shape=(B, SIZES["classes"])))
    # They would turn half of the first step around, and change logits by 10 and more.
    expect.close(logits[1], logits[0], "logits after training with gradients on entry", rtol=1e-2, atol=0.1)


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Read model.training before you change the mode, and put that back, whatever it was.")
def test_fine_tune_mode(student, expect, rng):
    """fine_tune leaves the model in the mode in which it found it."""
    _, began = new_model(student, rng)
    ids, labels = data(rng)
    for mode in (True, False):
        model = another_model(student, began)
        model.train(mode)
        student.fine_tune(model, ids, labels, epochs=1)
        for part, flag in (("the model", model.training), ("its head", model.head.training)):
            expect.same(flag.fetch(), mode, f"training flag of {part} after training={mode}")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("A model that was trained once must be as trainable as before: freeze nothing on the way out.")
def test_fine_tune_again(student, expect, rng):
    """A second call trains the model again: it moves what the first has moved."""
    model, began = new_model(student, rng)
    ids, labels = data(rng)
    student.fine_tune(model, ids, labels, epochs=2, lr=LR)
    between = model.parameters()
    student.fine_tune(model, ids, labels, epochs=2, lr=LR)
    ended = model.parameters()
    for name, value in began.items():
        before = expect.tensor(between.get(name), name, shape=value.shape).double()
        if bool(((before - value).abs() > STILL).any()):
            after = expect.tensor(ended.get(name), name, shape=value.shape).double()
            expect.that(bool(((after - before).abs() > STILL).any()), name, "the second call does not move it.")


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
    for name, value in began.items():
        expect.close(ended.get(name), value, name, rtol=0.0, atol=1e-6)


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("Training draws no random numbers. Whoever calls fine_tune may have seeded a generator for other things.")
def test_fine_tune_reseeds_nothing(student, expect, rng):
    """fine_tune does not set the seed of any global generator."""
    models = [new_model(student, rng)[0] for _ in range(2)]  # made first: whether that seeds anything is free
    ids, labels = data(rng)
    draws = []
    for model in models:
        student.fine_tune(model, ids, labels, epochs=1)
        draws.append(global_draws(student, model))
    for name, first in draws[0].items():
        expect.that(bool(first != draws[1].get(name)), name, "it gives the same numbers after each call.")


@points(1)
@group("Fine-tuning")
@needs("model_attached")
@hint("The ids and the labels are the caller's: make a new tensor instead of writing into one that you were given.")
def test_fine_tune_leaves_arguments(student, expect, rng):
    """fine_tune changes neither ids nor labels."""
    model, _ = new_model(student, rng)
    ids, labels = data(rng)
    _, after = student.fine_tune.inspect(model, ids, labels, epochs=2)
    for name, before, now in zip(("ids", "labels"), (ids, labels), after[1:], strict=True):
        expect.unchanged(now, before, name)
