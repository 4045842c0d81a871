# CANARY-PRIVATE-corruption-hidden-statistics
"""Hidden checks that count: how often, where and how independently a submission selects and replaces.

Each check states `Claim`s: of `total` cases `count` are so, and a right implementation makes each of them so with a
known probability. Every count must lie in its exact binomial interval; a group's `RISK` is divided among the
intervals' ends.

Three kinds of claims keep one mistake from failing many checks. *How much* is judged by the shares of the contract.
*Where, and how independently* is judged by the share that the submission itself shows: whoever selects 12% everywhere
alike fails the rate and nothing else. *What became of the selected* takes the selection as it is: given how many there
are, the counts are binomial.

Where selecting exactly six of a row's forty eligible positions gives another share than selecting each with probability
0.15, the interval begins below the smaller share and ends above the larger one.

The functions that make claims from samples do without a student, so that their error probabilities can be proven.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.chance import Claim
from grader.judge.marks import group, hint, needs, points
from grader.sandbox.base import StudentTrouble

RISK = 2e-11
"""How likely a right implementation is to fail one group of claims, at most; all groups together stay below 1e-9."""
RATE, MASK_SHARE, RANDOM_SHARE, UNCHANGED_SHARE = 0.15, 0.8, 0.1, 0.1

ROWS, WORDS = 4250, 40
"""The shared sample of `corrupt`: 170 000 eligible positions, of which about 25 500 are selected."""
BATCH = 125
"""Rows of one call. Code that does something with the whole batch for each of its positions is slow, but not wrong."""
SELECT_ROWS = 1000
"""The shared sample of `select_targets`."""
MOST_ROWS, MOST_RATE = 200, 0.9
"""The shared sample of `corrupt` in which most is selected: about 7200 positions."""
OTHER_RATES, OTHER_ROWS = (0.5, 0.25), 300
SMALL_BATCHES, FORCED_RATE, FORCED_WORDS = 200, 0.02, 8
RATIONED_BATCHES, RATIONED_WORDS = 40, 10
SHORT_BATCHES, SHORT_RATE, SHORT_WORDS = 600, 0.2, 5

PAD, CLS, SEP, MASK = 6, 7, 8, 9
SPECIAL = [MASK, PAD, SEP, CLS]
FIRST_WORD, LAST_WORD = 100, 150
POOL = [977, 61, 503, 288, 745]
"""No word of the sample is in the pool, so that every replacement can be seen."""


@dataclass(frozen=True)
class Sample:
    """A batch before and after `corrupt`, (B, T) each."""

    ids: Tensor
    corrupted: Tensor
    selected: Tensor

    @property
    def masked(self) -> Tensor:
        """Selected positions that became [MASK], (B, T)."""
        return self.selected & (self.corrupted == MASK)

    @property
    def unchanged(self) -> Tensor:
        """Selected positions that show the token that they had, (B, T)."""
        return self.selected & (self.corrupted == self.ids)

    @property
    def random(self) -> Tensor:
        """Selected positions that show any other token, (B, T)."""
        return self.selected & ~self.masked & ~self.unchanged


def hold(expect, *groups: list[Claim]) -> None:
    """Demand every claim of every group; each group has its own `RISK`."""
    for claims in groups:
        expect.proportions(claims, claims[0].name, RISK)


def sentences(generator, rows: int, words: int = WORDS) -> Tensor:
    """`rows` sequences of [CLS], so many words, [SEP]: (rows, words + 2)."""
    ids = torch.randint(FIRST_WORD, LAST_WORD, (rows, words + 2), generator=generator)  # (rows, words + 2)
    ids[:, 0], ids[:, -1] = CLS, SEP
    return ids


def inner(tensor: Tensor) -> Tensor:
    """Without the columns of [CLS] and [SEP]: the eligible positions."""
    return tensor[:, 1:-1]


def draw(student, expect, ids, generator, pool=POOL, **rate) -> Sample:
    """What `corrupt` makes of a batch, after a look at its form."""
    return sample_in(expect, ids, student.corrupt(ids, SPECIAL, MASK, torch.tensor(pool), generator, **rate))


def draw_each(student, expect, batches, generator, **rate) -> list[Sample]:
    """What `corrupt` makes of several batches, one after the other."""
    pool = torch.tensor(POOL)
    found = student.corrupt.each([(ids, SPECIAL, MASK, pool, generator) for ids in batches], **rate)
    return [sample_in(expect, ids, result) for ids, result in zip(batches, found, strict=True)]


def sample_in(expect, ids, found) -> Sample:
    """A result of `corrupt`, after a look at its form."""
    two = isinstance(found, (tuple, list)) and len(found) == 2
    expect.that(two, "result of corrupt", "expected two tensors.")
    corrupted = expect.tensor(found[0], "corrupted ids", shape=ids.shape, dtype=torch.int64)
    return Sample(ids, corrupted, expect.tensor(found[1], "selected positions", shape=ids.shape, dtype=torch.bool))


def at_most(rows: int) -> list[int]:
    """So many rows in batches of `BATCH` and a rest."""
    return [BATCH] * (rows // BATCH) + [rows % BATCH] * (rows % BATCH > 0)


def together(once, name, make):
    """What `make` returns, made once. Code that takes too long for it, or ends its process, is not run again."""

    def tried(generator):
        try:
            return make(generator)
        except StudentTrouble as trouble:
            return trouble

    found = once(name, tried)
    if isinstance(found, StudentTrouble):
        raise found
    return found


def sample_of(student, expect, once) -> Sample:
    """The shared sample: `corrupt` on 4250 rows, in batches of `BATCH`."""

    def make(generator):
        batches = [sentences(generator, rows) for rows in at_most(ROWS)]
        samples = draw_each(student, expect, batches, generator)
        parts = [(one.ids, one.corrupted, one.selected) for one in samples]
        return Sample(*(torch.cat(part) for part in zip(*parts, strict=True)))

    return together(once, "corruption", make)


def most_of(student, expect, once) -> Sample:
    """The shared sample in which most is selected: `corrupt` with rate 0.9 on 200 rows."""

    def make(generator):
        return draw(student, expect, sentences(generator, MOST_ROWS), generator, rate=MOST_RATE)

    return together(once, "most", make)


def selections_of(student, expect, once) -> list[tuple[str, Tensor, Tensor]]:
    """What both functions select, by name: ids and selected, without [CLS] and [SEP], (rows, 40) each."""

    def make(generator):
        batches = [sentences(generator, rows) for rows in at_most(SELECT_ROWS)]
        found = student.select_targets.each([(ids, SPECIAL, generator) for ids in batches])
        for ids, selected in zip(batches, found, strict=True):
            expect.tensor(selected, "selected positions", shape=ids.shape, dtype=torch.bool)
        return torch.cat(batches), torch.cat(found)

    sample = sample_of(student, expect, once)
    ids, selected = together(once, "selection", make)
    return [
        ("select_targets", inner(ids), inner(selected)),
        ("corrupt", inner(sample.ids), inner(sample.selected)),
    ]


# Claims about a selection: `ids` and `selected` are (rows, 40), eligible positions alone


def rate_claims(name: str, selected: Tensor, rate: float = RATE) -> list[Claim]:
    """How much is selected."""
    return [Claim(f"{name}, selected", int(selected.sum()), selected.numel(), rate)]


def position_claims(name: str, selected: Tensor) -> list[Claim]:
    """No position of the row is favoured, nor the even ones, nor the first half."""
    groups = [selected[:, ::2], selected[:, : WORDS // 2], *selected.T]
    share = share_in(selected)
    return [Claim(f"{name}, selected by place", int(part.sum()), part.numel(), share) for part in groups]


def share_in(found: Tensor) -> float:
    """The part of a boolean tensor that is True; 0 if it has no elements."""
    return int(found.sum()) / max(found.numel(), 1)


def within_row_claims(name: str, selected: Tensor) -> list[Claim]:
    """Neighbours, and positions half a row apart, are selected together as often as chance has it.

    If exactly k of a row's 40 are drawn, two given ones are with probability k / 40 * (k - 1) / 39.
    """
    half, share = WORDS // 2, share_in(selected)
    least = share * max(share * WORDS - 1, 0) / (WORDS - 1)
    pairs = {
        "neighbours": selected[:, ::2] & selected[:, 1::2],  # (rows, 20)
        "positions far apart": selected[:, :half] & selected[:, half:],  # (rows, 20)
    }
    return [
        Claim(f"{name}, {which} selected together", int(both.sum()), both.numel(), share**2, least)
        for which, both in pairs.items()
    ]


def between_rows_claims(name: str, selected: Tensor) -> list[Claim]:
    """The same position of two rows is selected in both as often as chance has it."""
    half, share = len(selected) // 2, share_in(selected)
    pairs = {
        "next to each other": selected[::2] & selected[1::2],  # (rows / 2, 40)
        "far apart": selected[:half] & selected[half : 2 * half],  # (rows / 2, 40)
    }
    return [
        Claim(f"{name}, selected in two rows {which}", int(both.sum()), both.numel(), share**2)
        for which, both in pairs.items()
    ]


def token_groups(ids: Tensor) -> list[Tensor]:
    """Positions by the token that stands there: odd tokens, low ones, and five tokens each."""
    groups = [ids % 2 == 1, ids < (FIRST_WORD + LAST_WORD) // 2]
    return groups + [(ids - FIRST_WORD) // 5 == index for index in range((LAST_WORD - FIRST_WORD) // 5)]


def selected_token_claims(name: str, ids: Tensor, selected: Tensor) -> list[Claim]:
    """No token is selected more often than others."""
    share = share_in(selected)
    return [
        Claim(f"{name}, selected by token", int((selected & part).sum()), int(part.sum()), share)
        for part in token_groups(ids)
    ]


# Claims about what became of the selected positions, given which they are


def share_claim(sample: Sample, kind: str) -> list[Claim]:
    """How many of the selected positions became [MASK], another token, or stayed."""
    shares = {"masked": MASK_SHARE, "random": RANDOM_SHARE, "unchanged": UNCHANGED_SHARE}
    count = int(getattr(sample, kind).sum())
    return [Claim(f"{kind} of the selected", count, int(sample.selected.sum()), shares[kind])]


def pairs_of(values: Tensor, where: Tensor) -> list[tuple[str, Tensor, Tensor]]:
    """Values at the positions `where`, in pairs that share no position: along the rows, and down the columns."""
    found = []
    for name, line in (("along the row", values[where]), ("down the column", values.T[where.T])):
        even = line[: len(line) // 2 * 2]
        found.append((name, even[::2], even[1::2]))
    return found


def branch_pair_claims(name: str, sample: Sample) -> list[Claim]:
    """Whether one selected position becomes [MASK] says nothing about the next."""
    return [
        Claim(f"{name}, neighbours {way} both masked", int((a & b).sum()), len(a), share_in(torch.cat([a, b])) ** 2)
        for way, a, b in pairs_of(sample.masked, sample.selected)
    ]


def branch_place_claims(sample: Sample) -> list[Claim]:
    """[MASK] falls on every place in the row alike: each position, the first and the last selected of a row."""
    selected, masked = inner(sample.selected), inner(sample.masked)  # (rows, 40) each
    rank = selected.long().cumsum(dim=1)  # (rows, 40), 1 at the first selected position
    last = rank.amax(dim=1, keepdim=True)  # (rows, 1)
    place = torch.arange(WORDS).expand_as(selected)  # (rows, 40)
    groups = [rank == 1, rank == last, place % 2 == 0, place < WORDS // 2]
    groups += [place == index for index in range(WORDS)]
    found, share = [selected & part for part in groups], share_in(masked[selected])
    return [Claim("masked, by place", int((masked & part).sum()), int(part.sum()), share) for part in found]


def branch_token_claims(sample: Sample) -> list[Claim]:
    """[MASK] falls on every token alike."""
    selected, masked = inner(sample.selected), inner(sample.masked)  # (rows, 40) each
    found, share = [selected & part for part in token_groups(inner(sample.ids))], share_in(masked[selected])
    return [Claim("masked, by token", int((masked & part).sum()), int(part.sum()), share) for part in found]


def pool_claims(sample: Sample) -> list[Claim]:
    """Each token of the pool is drawn equally often, among the replacements that are of the pool at all."""
    drawn = sample.corrupted[sample.random & torch.isin(sample.corrupted, torch.tensor(POOL))]  # (R,)
    return [Claim("drawn from the pool", int((drawn == token).sum()), len(drawn), 1 / len(POOL)) for token in POOL]


def pool_pair_claims(sample: Sample) -> list[Claim]:
    """Replacements are drawn one by one: two in a row are equal as often as chance has it."""
    where = sample.random & torch.isin(sample.corrupted, torch.tensor(POOL))  # (B, T)
    return [
        Claim(f"equal replacements {way}", int((a == b).sum()), len(a), 1 / len(POOL))
        for way, a, b in pairs_of(sample.corrupted, where)
    ]


# Checks


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("15% of the eligible positions are selected: all that count in the loss, not only those that become [MASK].")
def test_selection_rate(student, expect, once):
    """Both functions select 15% of the eligible positions."""
    selections = selections_of(student, expect, once)
    hold(expect, *[rate_claims(name, selected) for name, _, selected in selections])


@points(3)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("Every eligible position has the same chance, wherever in the row it stands.")
def test_selection_by_place(student, expect, once):
    """No place in the row is selected more often than another."""
    selections = selections_of(student, expect, once)
    hold(expect, *[position_claims(name, selected) for name, _, selected in selections])


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("Draw for each position on its own, not for whole runs of neighbours.")
def test_selection_within_rows(student, expect, once):
    """Positions of one row are selected independently."""
    selections = selections_of(student, expect, once)
    hold(expect, *[within_row_claims(name, selected) for name, _, selected in selections])


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("Draw numbers of the shape of the whole batch: each row needs its own.")
def test_selection_between_rows(student, expect, once):
    """Rows of a batch are selected independently."""
    selections = selections_of(student, expect, once)
    hold(expect, *[between_rows_claims(name, selected) for name, _, selected in selections])


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("What the token is plays no part, once it is not a special one.")
def test_selection_by_token(student, expect, once):
    """No ordinary token is selected more often than another."""
    selections = selections_of(student, expect, once)
    hold(expect, *[selected_token_claims(name, ids, selected) for name, ids, selected in selections])


@points(2)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("`rate` is the share that is selected; corrupt has to pass it on.")
def test_selection_other_rates(student, expect, rng):
    """Both functions select the share that `rate` asks for."""
    groups = []
    for rate in OTHER_RATES:
        ids = sentences(rng, OTHER_ROWS)
        selected = expect.tensor(student.select_targets(ids, SPECIAL, rng, rate=rate), "selected", shape=ids.shape)
        groups.append(rate_claims(f"select_targets with rate {rate}", inner(selected), rate))
        sample = draw(student, expect, sentences(rng, OTHER_ROWS), rng, rate=rate)
        groups.append(rate_claims(f"corrupt with rate {rate}", inner(sample.selected), rate))
    hold(expect, *groups)


def forced_batch() -> Tensor:
    """One eligible position in the first row, eight in the second: (2, 10)."""
    ids = torch.full((2, FORCED_WORDS + 2), PAD)  # (2, 10)
    ids[:, 0], ids[0, 1], ids[0, 2] = CLS, FIRST_WORD, SEP
    ids[1, 1:-1] = torch.arange(FIRST_WORD, FIRST_WORD + FORCED_WORDS)
    ids[1, -1] = SEP
    return ids


def forced_claims(name: str, selected: Tensor) -> list[Claim]:
    """Where a single selection falls; `selected`: (batches, 2, 10).

    If one position of the whole batch is selected, it is each of the nine alike; if one of the second row is, each of
    its eight. Whoever forces one in each row never selects a single one of the batch.
    """
    one, long = selected[:, 0, 1], selected[:, 1, 1:-1]  # (batches,), (batches, 8)
    both = torch.cat([one[:, None], long], dim=1)  # (batches, 9)
    claims = []
    for which, places in (("the batch", both), ("a row", long)):
        single = places[places.sum(dim=1) == 1]  # (single, 9) or (single, 8)
        share = 1 / places.shape[1]
        claims += [
            Claim(f"{name}, place of the only selection in {which}", int(count), len(single), share)
            for count in single.sum(dim=0)
            if len(single)
        ]
    return claims


@points(1)
@group("Selection")
@needs("select_form", "corrupt_form")
@hint("When the draw selects nothing, draw one of all eligible positions of the batch, each with the same chance.")
def test_selection_forced_uniformly(student, expect, rng):
    """When a batch gets a single selection, every eligible position is it equally often."""
    ids = forced_batch()
    selected = student.select_targets.each([(ids, SPECIAL, rng)] * SMALL_BATCHES, rate=FORCED_RATE)
    found = {
        "select_targets": [expect.tensor(one, "selected", shape=ids.shape, dtype=torch.bool) for one in selected],
        "corrupt": [
            sample.selected for sample in draw_each(student, expect, [ids] * SMALL_BATCHES, rng, rate=FORCED_RATE)
        ],
    }
    groups = [forced_claims(name, torch.stack(selections)) for name, selections in found.items()]
    for name, claims in zip(found, groups, strict=True):
        expect.that(bool(claims), f"{name}, single selections", "there are none at a low rate.")
    hold(expect, *groups)


def several_claim(selected: Tensor) -> Claim:
    """In how many batches two positions or more are selected; `selected`: (batches, 1, 7).

    Whoever draws again until something is selected has the most of them, whoever rounds has none.
    """
    none = (1 - SHORT_RATE) ** SHORT_WORDS
    single = SHORT_WORDS * SHORT_RATE * (1 - SHORT_RATE) ** (SHORT_WORDS - 1)
    most = (1 - none - single) / (1 - none)
    several = int((selected.flatten(1).sum(dim=1) > 1).sum())
    return Claim("select_targets, batches with two selections or more", several, len(selected), most, 0.0)


@points(1)
@group("Selection")
@needs("select_form")
@hint("Only a batch in which the draw has selected nothing gets one more.")
def test_selection_not_forced(student, expect, rng):
    """A batch in which the draw has selected something gets nothing on top."""
    ids = sentences(rng, 1, SHORT_WORDS)
    found = student.select_targets.each([(ids, SPECIAL, rng)] * SHORT_BATCHES, rate=SHORT_RATE)
    selected = [expect.tensor(one, "selected", shape=ids.shape, dtype=torch.bool) for one in found]
    hold(expect, [several_claim(torch.stack(selected))])


@points(3)
@group("Shares")
@needs("select_form", "corrupt_form")
@hint("80% of the selected positions become [MASK], whatever the selection rate.")
def test_mask_share(student, expect, once):
    """80% of the selected tokens become [MASK]."""
    hold(expect, share_claim(sample_of(student, expect, once), "masked"))


@points(3)
@group("Shares")
@needs("select_form", "corrupt_form")
@hint("10% of all selected positions, not 10% of those that are left, get a random token.")
def test_random_share(student, expect, once):
    """10% of the selected tokens are replaced by another token."""
    hold(expect, share_claim(sample_of(student, expect, once), "random"))


@points(3)
@group("Shares")
@needs("select_form", "corrupt_form")
@hint("10% of the selected positions keep their token, and they are still selected: they count in the loss.")
def test_unchanged_share(student, expect, once):
    """10% of the selected tokens stay as they are."""
    hold(expect, share_claim(sample_of(student, expect, once), "unchanged"))


@points(2)
@group("Shares")
@needs("corrupt_form")
@hint("The draw that decides what becomes of a position is another one than the draw that selected it.")
def test_shares_at_high_rate(student, expect, once):
    """The shares are the same when most is selected."""
    sample = most_of(student, expect, once)
    hold(expect, *[share_claim(sample, kind) for kind in ("masked", "random", "unchanged")])


@points(3)
@group("Shares")
@needs("select_form", "corrupt_form")
@hint("Each selected position draws its own branch: one number for each position of the batch.")
def test_branch_independent(student, expect, once):
    """Selected positions become [MASK] or not independently of each other."""
    samples = {"rate 0.15": sample_of(student, expect, once), "rate 0.9": most_of(student, expect, once)}
    hold(expect, *[branch_pair_claims(name, sample) for name, sample in samples.items()])


@points(2)
@group("Shares")
@needs("select_form", "corrupt_form")
@hint("A draw decides, not where the position stands, nor whether it is the first that was selected.")
def test_branch_by_place(student, expect, once):
    """[MASK] falls equally often on every place in the row."""
    hold(expect, branch_place_claims(sample_of(student, expect, once)))


@points(1)
@group("Shares")
@needs("select_form", "corrupt_form")
@hint("A draw decides, not what the token is.")
def test_branch_by_token(student, expect, once):
    """[MASK] falls equally often on every token."""
    hold(expect, branch_token_claims(sample_of(student, expect, once)))


@points(2)
@group("Shares")
@needs("corrupt_form")
@hint("80% is the chance of each position, not a number of positions to be reached: small batches vary.")
def test_branch_not_rationed(student, expect, rng):
    """The number of [MASK] in a batch varies as chance has it."""
    ids = sentences(rng, 1, RATIONED_WORDS)
    samples = draw_each(student, expect, [ids] * RATIONED_BATCHES, rng, rate=MOST_RATE)
    counts = {(int(sample.selected.sum()), int(sample.masked.sum())) for sample in samples}
    text = f"in each of {RATIONED_BATCHES} small batches it follows from the number of selected tokens."
    expect.that(len(counts) > len({selected for selected, _ in counts}), "number of [MASK] in small batches", text)


@points(3)
@group("Replacements")
@needs("select_form", "corrupt_form")
@hint("Index random_pool with random numbers from 0 to its length minus 1; its tokens need not be a range.")
def test_pool_only_source(student, expect, once):
    """Every random token is one of the pool."""
    sample = sample_of(student, expect, once)
    found = sample.corrupted[sample.random]
    expect.that(bool(torch.isin(found, torch.tensor(POOL)).all()), "random tokens", "some are not in the pool.")


@points(2)
@group("Replacements")
@needs("select_form", "corrupt_form")
@hint("Every token of the pool has the same chance, the first and the last too.")
def test_pool_uniform(student, expect, once):
    """Every token of the pool is drawn equally often."""
    hold(expect, pool_claims(sample_of(student, expect, once)))


@points(2)
@group("Replacements")
@needs("corrupt_form")
@hint("Draw a replacement for each position, not one for the batch, the row or the column.")
def test_pool_drawn_one_by_one(student, expect, once):
    """Random tokens are drawn independently of each other."""
    hold(expect, pool_pair_claims(most_of(student, expect, once)))


def original_claims(sample: Sample, other: int) -> list[Claim]:
    """The pool holds the token that stands everywhere and one `other`, which half of the random draws give."""
    count, total = int((sample.corrupted == other).sum()), int(sample.selected.sum())
    return [Claim("replaced by the other token", count, total, RANDOM_SHARE / 2)]


@points(2)
@group("Replacements")
@needs("corrupt_form")
@hint("A random draw may give the token that stands there already: leave it so, and do not draw again.")
def test_pool_may_give_the_original(student, expect, rng):
    """A random token may happen to be the original."""
    ids = sentences(rng, MOST_ROWS)
    ids[:, 1:-1] = POOL[1]
    sample = draw(student, expect, ids, rng, pool=[POOL[2], POOL[1]], rate=MOST_RATE)
    hold(expect, original_claims(sample, POOL[2]))
