"""The public checks of `corruption`. Run them with `grader check`; reading them is welcome, changing them is in vain.

They run in a process of their own and talk to your code through `student`: every call below goes to your module in
another process and comes back as plain tensors, and the generator comes back in the state that you left it in.

Where chance decides, a check counts over many sequences and allows the range in which a right implementation lies but
for one time in more than a thousand million. The range is computed, not chosen: see `hold`.
"""

import torch

from grader.judge.chance import Claim
from grader.judge.marks import group, hint, needs, points

PAD, CLS, SEP, MASK = 0, 2, 3, 4
SPECIAL = [MASK, PAD, CLS, SEP]
POOL = [31, 14, 27, 22]
"""Tokens for replacements. No sentence below holds one of them, so that each replacement can be seen."""
RISK = 2e-11
"""How likely a right implementation is to fail one of the checks that count, at most."""
ROWS, SELECT_ROWS, WORDS = 1200, 600, 40
"""Sentences for counting, of so many words: for corrupt, and for select_targets."""
BATCH = 120
"""Sentences of one call, where many are needed."""


def sentences(generator, rows, words=WORDS):
    """`rows` sequences of [CLS], so many words with ids from 40 to 99, [SEP]: (rows, words + 2)."""
    ids = torch.randint(40, 100, (rows, words + 2), generator=generator)  # (rows, words + 2)
    ids[:, 0], ids[:, -1] = CLS, SEP
    return ids


def padded(generator):
    """Sequences of unequal lengths, with padding, one with [SEP] in the middle, one of padding alone: (4, 9)."""
    ids = sentences(generator, 4, 7)  # (4, 9)
    ids[1, 4], ids[1, 5:] = SEP, PAD
    ids[2, 3] = SEP
    ids[3] = PAD
    return ids


def two_tensors(expect, found, ids):
    """A result of `corrupt` after a look at its form: corrupted (B, T), selected (B, T)."""
    two = isinstance(found, (tuple, list)) and len(found) == 2
    expect.that(two, "result of corrupt", "expected two tensors, corrupted ids and selected positions.")
    corrupted = expect.tensor(found[0], "corrupted ids", shape=ids.shape, dtype=torch.int64)
    selected = expect.tensor(found[1], "selected positions", shape=ids.shape, dtype=torch.bool)
    return corrupted, selected


def corrupt(student, expect, ids, generator):
    """What the student's `corrupt` returns: corrupted (B, T), selected (B, T)."""
    return two_tensors(expect, student.corrupt(ids, SPECIAL, MASK, torch.tensor(POOL), generator), ids)


def many(student, expect, once):
    """1200 sentences of 40 words, corrupted in batches: ids, corrupted, selected, each (1200, 42)."""

    def make(generator):
        batches, pool = (
            [sentences(generator, BATCH) for _ in range(ROWS // BATCH)],
            torch.tensor(POOL),
        )  # (120, 42) each
        found = student.corrupt.each([(ids, SPECIAL, MASK, pool, generator) for ids in batches])
        parts = [(ids, *two_tensors(expect, one, ids)) for ids, one in zip(batches, found, strict=True)]
        return tuple(torch.cat(part) for part in zip(*parts, strict=True))

    return once("public sample", make)


def eligible_in(ids):
    """Where a token stands that may be selected, (B, T)."""
    return ~torch.isin(ids, torch.tensor(SPECIAL))


@points(2)
@group("Selection")
@hint("Return one boolean for each position: torch.bool, in the shape of ids.")
def test_select_form(student, expect, rng):
    """select_targets returns a boolean for each position."""
    for ids in (sentences(rng, 3, 8), padded(rng), sentences(rng, 1, 5)):
        found = student.select_targets(ids, SPECIAL, rng)
        expect.tensor(found, "selected positions", shape=ids.shape, dtype=torch.bool)


@points(4)
@group("Selection")
@needs("select_form")
@hint("A token is eligible if its id is not in special_ids, wherever in the row it stands.")
def test_select_no_specials(student, expect, rng):
    """Special tokens are never selected, and ordinary ones are."""
    ids = padded(rng)  # (4, 9)
    often = ids.repeat(60, 1)  # (240, 9)
    found = expect.tensor(student.select_targets(often, SPECIAL, rng, rate=0.5), "selected positions", often.shape)
    ever = found.reshape(60, *ids.shape).any(dim=0)  # (4, 9)
    for name, token in (("[PAD]", PAD), ("[CLS]", CLS), ("[SEP]", SEP)):
        held = not bool(ever[ids == token].any())
        expect.that(held, f"selection of {name}", f"a {name} was selected; only ordinary tokens may be.")
    missing = int((eligible_in(ids) & ~ever).sum())
    expect.that(missing == 0, "selection of ordinary tokens", f"{missing} are never selected in 60 copies at rate 0.5.")


@points(4)
@group("Selection")
@needs("select_form")
@hint("15% of the eligible positions are selected: all that count in the loss, whatever becomes of their tokens.")
def test_select_rate(student, expect, once):
    """select_targets selects 15% of the eligible positions."""

    def make(generator):
        batches = [sentences(generator, BATCH) for _ in range(SELECT_ROWS // BATCH)]  # (120, 42) each
        found = student.select_targets.each([(ids, SPECIAL, generator) for ids in batches])
        pairs = zip(batches, found, strict=True)
        return sum(
            int((expect.tensor(one, "selected positions", ids.shape) & eligible_in(ids)).sum()) for ids, one in pairs
        )

    expect.proportion(once("public selection", make), SELECT_ROWS * WORDS, 0.15, "rate of selection", RISK)


@points(3)
@group("Selection")
@needs("select_form")
@hint("When the draw selects nothing, select one of the eligible positions; when none is eligible, there is none.")
def test_select_at_least_one(student, expect, rng):
    """Something is selected whenever a position is eligible, and nothing otherwise."""
    batches = [sentences(rng, 1, words) for words in (1, 2, 3) * 10]  # (1, words + 2) each
    results = student.select_targets.each([(ids, SPECIAL, rng) for ids in batches])
    for ids, result in zip(batches, results, strict=True):
        found, words = expect.tensor(result, "selected positions", shape=ids.shape), ids.shape[1] - 2
        some = bool((found & eligible_in(ids)).any())
        expect.that(some, "batch with an eligible position", f"nothing is selected from {words} words.")
    ids = torch.tensor([[CLS, SEP, PAD, PAD], [CLS, MASK, SEP, PAD]])  # (2, 4)
    found = expect.tensor(student.select_targets(ids, SPECIAL, rng), "selected positions", shape=ids.shape)
    expect.that(not bool(found.any()), "batch without eligible positions", "something is selected.")


@points(3)
@group("Corruption")
@hint("Return two tensors in this order: the corrupted ids, int64, and the selected positions, bool.")
def test_corrupt_form(student, expect, rng):
    """corrupt returns the corrupted ids and the selected positions."""
    for ids in (sentences(rng, 3, 8), padded(rng), sentences(rng, 1, 5)):
        corrupt(student, expect, ids, rng)


@points(3)
@group("Corruption")
@needs("corrupt_form")
@hint("Replace only where `selected` is True, and only by mask_id or by a token of random_pool.")
def test_corrupt_tokens(student, expect, once):
    """What is not selected stays; what is becomes [MASK], a token of the pool, or stays."""
    ids, corrupted, selected = many(student, expect, once)
    changed = corrupted != ids  # (1200, 42)
    same = not bool((changed & ~selected).any())
    expect.that(same, "tokens that are not selected", "some of them were replaced.")
    allowed = torch.isin(corrupted, torch.tensor([MASK, *POOL]))  # (1200, 42)
    expect.that(bool((allowed | ~changed).all()), "replacements", "some are neither [MASK] nor in random_pool.")


@points(5)
@group("Corruption")
@needs("corrupt_form")
@hint("For each selected position draw one number: below 0.8 [MASK], from there to 0.9 a random token, else no change.")
def test_corrupt_shares(student, expect, once):
    """Of the selected tokens 80% become [MASK], 10% another token, and 10% stay."""
    ids, corrupted, selected = many(student, expect, once)
    total = int(selected.sum())
    expect.that(total > 0, "selected positions", "corrupt selected nothing in 1200 sentences.")
    masked = int((selected & (corrupted == MASK)).sum())
    unchanged = int((selected & (corrupted == ids)).sum())
    claims = [
        Claim("[MASK]", masked, total, 0.8),
        Claim("random tokens", total - masked - unchanged, total, 0.1),
        Claim("unchanged tokens", unchanged, total, 0.1),
    ]
    expect.proportions(claims, "shares of the selected tokens", RISK)


@points(2)
@group("Generator")
@needs("select_form", "corrupt_form")
@hint("Pass `generator=generator` to every torch function that draws.")
def test_same_state_same_answer(student, expect, rng):
    """The same generator state gives the same answer."""
    ids, state = sentences(rng, 5), rng.get_state()
    found = []
    for _ in range(2):
        rng.set_state(state)
        selection = expect.tensor(student.select_targets(ids, SPECIAL, rng), "selected positions", shape=ids.shape)
        found.append((selection, *corrupt(student, expect, ids, rng)))
    for name, first, second in zip(("select_targets", "corrupted ids", "selection of corrupt"), *found, strict=True):
        expect.that(torch.equal(first, second), f"{name} from one state", "two calls gave different answers.")


@points(2)
@group("Arguments")
@needs("corrupt_form")
@hint("Write into a copy: `ids.clone()`, or torch.where, which makes a new tensor.")
def test_ids_unchanged(student, expect, rng):
    """corrupt leaves ids as they were."""
    ids = sentences(rng, 5)
    _, after = student.corrupt.inspect(ids, SPECIAL, MASK, torch.tensor(POOL), rng)
    same = isinstance(after[0], torch.Tensor) and torch.equal(after[0], ids)
    expect.that(same, "ids after the call", "your code changed them; work on a copy.")


@points(2)
@group("Errors")
@hint("Look at the rate first, and raise a ValueError whose text contains it.")
def test_rate_error(student, expect, rng):
    """A rate of more than 1 raises ValueError and is named in the text."""
    ids, pool = sentences(rng, 2, 6), torch.tensor(POOL)
    calls = {
        "select_targets": lambda: student.select_targets(ids, SPECIAL, rng, rate=1.5),
        "corrupt": lambda: student.corrupt(ids, SPECIAL, MASK, pool, rng, rate=1.5),
    }
    for name, call in calls.items():
        expect.raises("ValueError", call, f"{name} with rate 1.5", mentions=["1.5"])
