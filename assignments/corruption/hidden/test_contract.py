# CANARY-PRIVATE-corruption-hidden-contract
"""Hidden checks of what holds without exception: whom selection spares, extremes, generators, arguments, errors."""

from functools import partial

import torch

from grader.judge.marks import group, hint, needs, points
from grader.judge.probes import global_generators

SELECTS_NOTHING = 0.0005
"""A rate at which the draw leaves a few hundred positions out five times in six, so that one must be forced."""


def forms(expect, found, ids):
    """The two tensors that `corrupt` returned."""
    two = isinstance(found, (tuple, list)) and len(found) == 2
    expect.that(two, "result of corrupt", "expected two tensors.")
    corrupted = expect.tensor(found[0], "corrupted ids", shape=ids.shape, dtype=torch.int64)
    return corrupted, expect.tensor(found[1], "selected positions", shape=ids.shape, dtype=torch.bool)


class Setting:
    """A vocabulary with its special tokens, and the student's functions called with it."""

    def __init__(self, student, expect, special, mask_id, pool):
        self.student, self.expect = student, expect
        self.special, self.mask_id, self.pool = special, mask_id, pool

    def select(self, ids, generator, **rate):
        """What `select_targets` returns, (B, T) bool."""
        found = self.student.select_targets(ids, self.special, generator, **rate)
        return self.expect.tensor(found, "selected positions", shape=ids.shape, dtype=torch.bool)

    def corrupt(self, ids, generator, **rate):
        """What `corrupt` returns, (B, T) int64 and (B, T) bool."""
        pool = torch.tensor(self.pool)
        return forms(self.expect, self.student.corrupt(ids, self.special, self.mask_id, pool, generator, **rate), ids)

    def eligible(self, ids):
        """Where a token stands that may be selected, (B, T) bool."""
        return ~torch.isin(ids, torch.tensor(self.special))


def bert(student, expect):
    """The ids of BERT's English vocabulary, with one special token more."""
    return Setting(student, expect, [101, 29999, 0, 103, 102], 103, [2023, 7592, 1037, 999])


def other(student, expect):
    """Another vocabulary: large ids, and special ones in the midst of them."""
    return Setting(student, expect, [500_000, 7, 70_001], 70_001, [4, 999_999, 70_002])


def words(setting, generator, *shape):
    """Ordinary tokens next to the special ones, (B, T): none of the pool."""
    near = [token + step for token in setting.special for step in (1, 3, 5)]
    tokens = torch.tensor(sorted(set(near) - set(setting.special) - set(setting.pool)))
    return tokens[torch.randint(len(tokens), shape, generator=generator)]  # (B, T)


def with_special(setting, generator, *shape):
    """Ordinary tokens, with every special one at many places, at the ends and in between: (B, T)."""
    ids = words(setting, generator, *shape)
    special = torch.tensor(setting.special)
    there = torch.rand(shape, generator=generator) < 0.4
    there[0, 0], there[0, 1] = False, True  # at least one of each kind
    return torch.where(there, special[torch.randint(len(special), shape, generator=generator)], ids)


@points(3)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("Special is what special_ids lists, all of it and nothing else: no id is special by its number or by its place.")
def test_any_special_ids(student, expect, rng):
    """Special tokens are spared in any vocabulary and at any place, and nothing else is."""
    for setting in (bert(student, expect), other(student, expect)):
        ids = with_special(setting, rng, 200, 31)
        eligible = setting.eligible(ids)
        for name, selected in (
            ("select_targets", setting.select(ids, rng, rate=0.5)),
            ("corrupt", setting.corrupt(ids, rng, rate=0.5)[1]),
        ):
            expect.that(not bool((selected & ~eligible).any()), f"{name}, special tokens", "some are selected.")
            for token in ids[eligible].unique():
                expect.that(
                    bool(selected[ids == token].any()), f"{name}, ordinary tokens", f"{token} is never selected."
                )
            text = "at one place in the row nothing is ever selected."
            expect.that(bool(selected.any(dim=0).all()), f"{name}, places in the row", text)


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("A rate of 1 is allowed, and selects every eligible position.")
def test_rate_one(student, expect, rng):
    """At rate 1 everything eligible is selected, in rows of any length."""
    setting = bert(student, expect)
    for shape in ((3, 70), (1, 2), (2, 1)):
        ids = words(setting, rng, *shape)
        selected = {"select_targets": setting.select(ids, rng, rate=1.0)}
        selected["corrupt"] = setting.corrupt(ids, rng, rate=1.0)[1]
        for name, found in selected.items():
            expect.that(bool(found.all()), f"{name} at rate 1", "some eligible positions are not selected.")


@points(3)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("After the draw, look whether anything is selected; if not, and something is eligible, select one position.")
def test_always_one(student, expect, rng):
    """However low the rate, a batch with an eligible position gets a selection, by both functions."""
    setting, batches = bert(student, expect), []
    for shape in [(2, 3), (1, 1), (3, 1), (1, 6)] * 20:
        batches.append(words(setting, rng, *shape))
        batches[-1][:-1] = 101  # only the last row has eligible positions
    pool = torch.tensor(setting.pool)
    selections = student.select_targets.each([(ids, setting.special, rng) for ids in batches], rate=0.01)
    several = [(ids, setting.special, setting.mask_id, pool, rng) for ids in batches]
    results = student.corrupt.each(several, rate=0.01)
    for ids, selected, result in zip(batches, selections, results, strict=True):
        expect.tensor(selected, "selected positions", shape=ids.shape, dtype=torch.bool)
        for name, found in (("select_targets", selected), ("corrupt", forms(expect, result, ids)[1])):
            expect.that(bool((found & setting.eligible(ids)).any()), f"{name} at a low rate", "nothing is selected.")


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("With nothing to choose from, select nothing; do not draw from an empty list.")
def test_nothing_eligible(student, expect, rng):
    """A batch without eligible positions comes back as it is, and is no error."""
    setting = bert(student, expect)
    for ids in (
        torch.tensor([[101, 102, 0, 0], [103, 103, 29999, 0]]),
        torch.tensor([[0]]),
        torch.tensor([[101, 102]]),
    ):
        for rate in (0.15, 0.9):
            selected = setting.select(ids, rng, rate=rate)
            expect.that(not bool(selected.any()), "select_targets with nothing eligible", "something is selected.")
            corrupted, selected = setting.corrupt(ids, rng, rate=rate)
            expect.that(not bool(selected.any()), "corrupt with nothing eligible", "something is selected.")
            expect.that(torch.equal(corrupted, ids), "ids with nothing eligible", "some were replaced.")


@points(2)
@group("Corruption")
@needs("corrupt_form")
@hint("Apply every replacement to selected positions only.")
def test_unselected_stay(student, expect, rng):
    """Every token that is not selected stays, in batches of any shape."""
    for setting in (bert(student, expect), other(student, expect)):
        for shape, rate in (((13, 47), 0.15), ((13, 47), 0.5), ((60, 1), 0.3), ((1, 60), 0.3)):
            ids = words(setting, rng, *shape)
            ids[0, 0] = setting.special[0]
            corrupted, selected = setting.corrupt(ids, rng, rate=rate)
            same = torch.equal(corrupted[~selected], ids[~selected])
            expect.that(same, "tokens that are not selected", "some were replaced.")


@points(1)
@group("Replacements")
@needs("corrupt_form")
@hint("A pool of one token is a pool too, even if that token stands in the text already.")
def test_pool_of_one(student, expect, rng):
    """A pool of a single token works, and may be the very token that stands there."""
    for token in (7592, 2023):
        setting = Setting(student, expect, [103, 101, 102, 0], 103, [7592])
        corrupted, _ = setting.corrupt(torch.full((6, 23), token), rng, rate=0.9)
        allowed = torch.isin(corrupted, torch.tensor([103, token, 7592]))
        expect.that(bool(allowed.all()), "tokens with a pool of one", "there are others than it, [MASK] and the text.")


@points(3)
@group("Generator")
@needs("same_state_same_answer")
@hint("The generator is the only source of chance: nothing may depend on torch's, numpy's or Python's own generators.")
def test_globals_not_read(student, expect, rng):
    """The same state gives the same answer, whatever the global generators hold."""
    setting = bert(student, expect)
    ids, state, found = words(setting, rng, 9, 40), rng.get_state(), []
    for number in (5, 77):
        global_generators(student, seed=number)
        rng.set_state(state)
        found.append(
            (
                *(setting.select(ids, rng), *setting.corrupt(ids, rng), *setting.corrupt(ids, rng, rate=0.9)),
                torch.stack([setting.select(ids, rng, rate=SELECTS_NOTHING) for _ in range(3)]),
            )
        )
    names = [
        "select_targets",
        "corrupted ids",
        "selection of corrupt",
        "corrupted ids at rate 1",
        "selection at rate 1",
        "selection where one had to be forced",
    ]
    for name, first, second in zip(names, *found, strict=True):
        expect.that(torch.equal(first, second), name, "two calls from one state gave different answers.")


@points(2)
@group("Generator")
@needs("select_form", "corrupt_form")
@hint("Do not seed, set or draw from a global generator, not even with a number from `generator`.")
def test_globals_not_moved(student, expect, rng):
    """The global generators of torch, numpy and Python are left as they are."""
    setting = bert(student, expect)
    ids = words(setting, rng, 5, 40)
    before = global_generators(student, seed=11)
    setting.select(ids, rng)
    setting.corrupt(ids, rng)
    for _ in range(3):
        setting.select(ids, rng, rate=SELECTS_NOTHING)
    for name, state in global_generators(student).items():
        expect.that(state == before[name], f"{name}'s global generator", "your code moved it.")


@points(2)
@group("Generator")
@needs("select_form", "corrupt_form")
@hint("Draw from the generator itself, not from a copy and not from one seeded with initial_seed().")
def test_state_moves_on(student, expect, rng):
    """Every call leaves the generator in a new state."""
    setting = bert(student, expect)
    ids = words(setting, rng, 3, 40)
    calls = {
        "select_targets": lambda: setting.select(ids, rng),
        "corrupt": lambda: setting.corrupt(ids, rng),
        "corrupt at rate 0.9": lambda: setting.corrupt(ids, rng, rate=0.9),
        "corrupt of a single token": lambda: setting.corrupt(ids[:1, :1], rng),
    }
    for name, call in calls.items():
        before = rng.get_state()
        call()
        expect.that(not torch.equal(rng.get_state(), before), f"state after {name}", "it is the one before the call.")


@points(2)
@group("Generator")
@needs("select_form", "corrupt_form")
@hint("Draw anew in every call: keep no mask from an earlier one, and never set the generator's seed.")
def test_fresh_draws(student, expect, rng):
    """The next call draws anew, and another state gives another answer."""
    setting = bert(student, expect)
    ids = words(setting, rng, 9, 40)
    selected = [setting.select(ids, rng) for _ in range(2)]
    corrupted = [setting.corrupt(ids, rng, rate=0.9) for _ in range(2)]
    elsewhere = [setting.corrupt(ids, torch.Generator().manual_seed(seed), rate=0.9)[0] for seed in (1, 2)]
    for name, (first, second) in (
        ("select_targets", selected),
        ("selection of corrupt", (corrupted[0][1], corrupted[1][1])),
        ("corrupted ids from two seeds", elsewhere),
    ):
        expect.that(not torch.equal(first, second), f"two calls, {name}", "they gave the same answer.")
    both = corrupted[0][1] & corrupted[1][1]  # (9, 40)
    first, second = (found[both] == setting.mask_id for found, _ in corrupted)  # (M,) each
    varied = bool(first.any()) and not bool(first.all())
    text = "what was selected in both calls met with the same fate everywhere."
    expect.that(not (varied and torch.equal(first, second)), "two calls, fates", text)


@points(2)
@group("Arguments")
@needs("select_form", "corrupt_form")
@hint("Neither function changes ids, random_pool or the list of special ids: work on copies.")
def test_arguments_stay(student, expect, rng):
    """Both functions leave their arguments as they were."""
    setting = bert(student, expect)
    ids, pool = with_special(setting, rng, 7, 40), torch.tensor(setting.pool)
    results = {
        "select_targets": student.select_targets.inspect(ids, list(setting.special), rng),
        "corrupt": student.corrupt.inspect(ids, list(setting.special), setting.mask_id, pool, rng),
    }
    for name, (_, after) in results.items():
        same = isinstance(after[0], torch.Tensor) and torch.equal(after[0], ids)
        expect.that(same, f"{name}, ids", "your code changed them.")
        same = type(after[1]) is list and after[1] == setting.special
        expect.that(same, f"{name}, special_ids", "your code changed the list.")
    left = results["corrupt"][1][3]
    same = isinstance(left, torch.Tensor) and torch.equal(left, pool)
    expect.that(same, "corrupt, random_pool", "your code changed it.")


def bad_rates(setting, ids, generator):
    """Calls with impossible rates: what they are, the call, and what its text must contain, if anything."""
    student, pool = setting.student, torch.tensor(setting.pool)
    for rate, mentions in ((1.25, ["1.25"]), (-0.35, ["-0.35"]), (17.0, ["17"]), (0.0, [])):
        call = partial(student.select_targets, ids, setting.special, generator, rate=rate)
        yield f"select_targets, rate {rate}", call, mentions
        call = partial(student.corrupt, ids, setting.special, setting.mask_id, pool, generator, rate=rate)
        yield f"corrupt, rate {rate}", call, mentions


@points(1)
@group("Errors")
@hint("A rate is possible if 0 < rate <= 1. Raise a ValueError that contains the rate that was given.")
def test_impossible_rates(student, expect, rng):
    """A rate outside (0, 1] raises ValueError, and the text contains it."""
    setting = bert(student, expect)
    for name, call, mentions in bad_rates(setting, words(setting, rng, 3, 20), rng):
        expect.raises("ValueError", call, name, mentions=mentions)


@points(1)
@group("Errors")
@hint("Look at random_pool before you draw: an empty one is an error even where no replacement is needed.")
def test_empty_pool(student, expect, rng):
    """An empty pool raises ValueError, always, and the text contains its name."""
    setting = bert(student, expect)
    empty = torch.tensor([], dtype=torch.int64)
    for shape in ((3, 20), (1, 1), (1, 2)):
        ids = words(setting, rng, *shape)
        call = (ids, setting.special, setting.mask_id, empty, rng)
        expect.raises("ValueError", lambda a=call: student.corrupt(*a), "empty pool", ["random_pool", "random pool"])


@points(1)
@group("Errors")
@hint("Errors come before any other work: before the look whether anything is eligible, too.")
def test_errors_come_first(student, expect, rng):
    """An impossible rate or an empty pool is an error even where nothing is eligible."""
    setting = bert(student, expect)
    ids = torch.tensor([[101, 0, 102], [101, 102, 0]])
    for name, call, mentions in bad_rates(setting, ids, rng):
        expect.raises("ValueError", call, name, mentions=mentions)
    call = (ids, setting.special, setting.mask_id, torch.tensor([], dtype=torch.int64), rng)
    expect.raises("ValueError", lambda: student.corrupt(*call), "empty pool", ["random_pool", "random pool"])
