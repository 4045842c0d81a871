"""What chance can do to the checks of `corruption`: right work passes, wrong shares and rates are caught.

Right work is of two kinds, independent choice and an exact count in each row. The probability that it fails is
*calculated*, for every count that the checks look at, from the exact distribution of that count: binomial where the
contract's own share is the measure; where the submission's share is (where, and how independently), the distribution
given that share, which is hypergeometric, or that of pairs. Numbers that depend on the draw, such as how many were
selected, run over a grid that leaves out less than 1e-12.

Wrong work is *simulated*: the numbers that the checks see are drawn many thousand times. Sizes, shares, intervals and
risks are those of the checks' own modules.
"""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import torch

from grader.judge.chance import Claim, broken
from grader.judge.plugin import load_module

FOLDER = Path(__file__).resolve().parents[1] / "assignments" / "corruption"
with warnings.catch_warnings():
    warnings.simplefilter("ignore", pytest.PytestUnknownMarkWarning)  # they are declared where checks run
    hidden = load_module(FOLDER / "hidden" / "test_statistics.py", "corruption_statistics")
    public = load_module(FOLDER / "handout" / "check_corruption.py", "corruption_public")

ALL_CHECKS_TOGETHER = 1e-9
CAUGHT = 0.999
ROW, PICKED = hidden.WORDS, round(hidden.RATE * hidden.WORDS)
SHARES = (hidden.MASK_SHARE, hidden.RANDOM_SHARE, hidden.UNCHANGED_SHARE)
WRONG = {
    "78/12/10": (0.15, (0.78, 0.12, 0.10)),
    "85/7.5/7.5": (0.15, (0.85, 0.075, 0.075)),
    "80/2/18": (0.15, (0.80, 0.02, 0.18)),
    "72/10/18": (0.15, (0.72, 0.10, 0.18)),
    "rate 0.12": (0.12, SHARES),
    "rate 0.18": (0.18, SHARES),
}


# Distributions: arrays of probabilities of the counts 0, 1, 2, ...


@lru_cache
def log_factorials(largest: int) -> np.ndarray:
    return np.array([math.lgamma(k + 1) for k in range(largest + 1)])


def log_choose(n, k):
    """log of n over k, -inf where k is out of range; arrays allowed."""
    n, k = np.broadcast_arrays(n, k)
    inside = (k >= 0) & (k <= n)
    table = log_factorials(int(n.max()))
    kept = np.where(inside, k, 0)
    return np.where(inside, table[n] - table[kept] - table[n - kept], -np.inf)


def binomial(n: int, share: float) -> np.ndarray:
    k = np.arange(n + 1)
    return np.exp(log_choose(n, k) + k * math.log(share) + (n - k) * math.log1p(-share))


def hypergeometric(total: int, marked: int, drawn: int) -> np.ndarray:
    """Marked ones among `drawn` of `total`, of which `marked` are."""
    k = np.arange(drawn + 1)
    return np.exp(log_choose(marked, k) + log_choose(total - marked, drawn - k) - log_choose(total, drawn))


def full_pairs(pairs: int, chosen: int) -> np.ndarray:
    """Pairs of which both are chosen, when `chosen` of `2 * pairs` are drawn without replacement."""
    k = np.arange(min(pairs, chosen // 2) + 1)
    ways = log_choose(pairs, k) + log_choose(pairs - k, chosen - 2 * k) + (chosen - 2 * k) * math.log(2)
    return np.exp(ways - log_choose(2 * pairs, chosen))


def repeated(distribution: np.ndarray, times: int) -> np.ndarray:
    """The sum of so many independent counts. Products of positive numbers only: small tails stay exact."""
    result = np.ones(1)
    power = distribution
    while times:
        if times & 1:
            result = np.convolve(result, power)
        times >>= 1
        power = np.convolve(power, power) if times else power
    return result


def outside(distribution: np.ndarray, bounds: tuple[int, int]) -> float:
    low, high = bounds
    return float(distribution[:low].sum() + distribution[high + 1 :].sum())


def bounds(total: int, share: float, claims: int, least: float | None = None) -> tuple[int, int]:
    """What is allowed for a claim, among so many of one group."""
    return Claim("", 0, total, share, least).bounds(hidden.RISK / (2 * claims))


def grid(total: int, share: float, points: int = 9) -> list[int]:
    """Counts of a binomial, from 7.5 standard deviations below its mean to as many above: 1e-13 are left out."""
    mean, reach = total * share, 7.5 * math.sqrt(total * share * (1 - share))
    return sorted({round(mean + reach * step) for step in np.linspace(-1, 1, points)})


def plain_risk(total: int, share: float, claims: int = 1) -> float:
    """Failure of one claim whose count is binomial with the share that the check has in mind."""
    return outside(binomial(total, share), bounds(total, share, claims))


def group_risk(total: int, marked: int, group: int, claims: int) -> float:
    """Failure of a claim about a group, judged by the share in all, when nobody is favoured."""
    return outside(hypergeometric(total, marked, group), bounds(group, marked / total, claims))


def pair_risk(pairs: int, chosen: int, claims: int, exact_rows: bool = False) -> float:
    """Failure of a claim about pairs of a matching, judged by the share in all, when nobody is favoured."""
    share = chosen / (2 * pairs)
    least = share * (share * ROW - 1) / (ROW - 1) if exact_rows else None
    return outside(full_pairs(pairs, chosen), bounds(pairs, share**2, claims, least))


def words_of_a_sample(rows: int) -> torch.Tensor:
    ids = hidden.sentences(torch.Generator().manual_seed(rows), rows)
    return hidden.inner(ids)  # (rows, 40)


# The risk of each group of claims, for right work


def selection_risks_independent(rows: int) -> dict[str, float]:
    """Each position on its own; also with one forced in each row that got none."""
    total, half = rows * ROW, rows * ROW // 2
    chosen = grid(total, hidden.RATE)
    forced = hidden.RATE + (1 - hidden.RATE) ** ROW / ROW
    sizes = [int(part.sum()) for part in hidden.token_groups(words_of_a_sample(rows))]
    places = [half, half] + [rows] * ROW
    rate_bounds = bounds(total, hidden.RATE, 1)
    return {
        "rate": max(outside(binomial(total, share), rate_bounds) for share in (hidden.RATE, forced)),
        "by place": max(sum(group_risk(total, s, g, len(places)) for g in places) for s in chosen),
        "within rows": max(2 * pair_risk(half, s, 2, exact_rows=True) for s in chosen),
        "between rows": max(2 * pair_risk(half, s, 2) for s in chosen),
        "by token": max(sum(group_risk(total, s, g, len(sizes)) for g in sizes) for s in chosen),
    }


def selection_risks_exact(rows: int) -> dict[str, float]:
    """Six of each row's forty: the share is 0.15 in every draw."""
    total, half = rows * ROW, rows * ROW // 2
    share, pair_least = PICKED / ROW, PICKED / ROW * (PICKED - 1) / (ROW - 1)
    low, high = bounds(total, hidden.RATE, 1)
    half_row = repeated(hypergeometric(ROW, ROW // 2, PICKED), rows)
    in_row = repeated(full_pairs(ROW // 2, PICKED), rows)
    two_rows = repeated(hypergeometric(ROW, PICKED, PICKED), rows // 2)
    groups = hidden.token_groups(words_of_a_sample(rows))
    return {
        "rate": 0.0 if low <= PICKED * rows <= high else 1.0,
        "by place": 2 * outside(half_row, bounds(half, share, ROW + 2))
        + ROW * outside(binomial(rows, share), bounds(rows, share, ROW + 2)),
        "within rows": 2 * outside(in_row, bounds(half, share**2, 2, pair_least)),
        "between rows": 2 * outside(two_rows, bounds(half, share**2, 2)),
        "by token": sum(outside(selected_in(group), bounds(int(group.sum()), share, len(groups))) for group in groups),
    }


def selected_in(group: torch.Tensor) -> np.ndarray:
    """How many of a group's positions are selected, when each row selects six of its forty."""
    result = np.ones(1)
    for members, rows in zip(*np.unique(group.sum(dim=1).numpy(), return_counts=True), strict=True):
        result = np.convolve(result, repeated(hypergeometric(ROW, int(members), PICKED), int(rows)))
    return result


def selected_counts() -> list[int]:
    """How many of the large sample are selected: of independent choice, and the exact number."""
    return [*grid(hidden.ROWS * ROW, hidden.RATE), PICKED * hidden.ROWS]


def branch_risks() -> dict[str, float]:
    """What becomes of the selected, given how many they are; the same for both kinds of right work."""
    most = [*grid(hidden.MOST_ROWS * ROW, hidden.MOST_RATE), 36 * hidden.MOST_ROWS]
    sizes = [int(part.sum()) for part in hidden.token_groups(words_of_a_sample(hidden.ROWS))]
    risks = {f"share {share}": max(plain_risk(s, share) for s in selected_counts()) for share in (0.8, 0.1)}
    risks["share 0.1, unchanged"] = risks["share 0.1"]
    risks |= {f"share {share} at rate 0.9": max(plain_risk(s, share) for s in most) for share in (0.8, 0.1)}
    risks["share 0.1 at rate 0.9, unchanged"] = risks["share 0.1 at rate 0.9"]
    for name, counts in (("pairs of fates", selected_counts()), ("pairs of fates at rate 0.9", most)):
        risks[name] = max(
            2 * pair_risk(s // 2, masks, 2) for s in counts for masks in grid(s // 2 * 2, hidden.MASK_SHARE, 5)
        )
    place, token = [], []
    for s in selected_counts():
        single = [hidden.ROWS - round(hidden.ROWS * 0.85**ROW), s // 2, s // 2] + [s // ROW] * ROW
        claims = len(single) + 1  # the first and the last of a row are two claims of one size
        for masks in grid(s, hidden.MASK_SHARE, 5):
            place.append(sum(group_risk(s, masks, g, claims) for g in [single[0], *single]))
            parts = [round(g * s / (hidden.ROWS * ROW)) for g in sizes]
            token.append(sum(group_risk(s, masks, g, len(parts)) for g in parts))
    risks |= {"fates by place": max(place), "fates by token": max(token)}
    drawn = grid(PICKED * hidden.ROWS, hidden.RANDOM_SHARE)
    risks["pool"] = max(len(hidden.POOL) * plain_risk(r, 1 / len(hidden.POOL), len(hidden.POOL)) for r in drawn)
    pairs = [r // 2 for r in grid(most[len(most) // 2], hidden.RANDOM_SHARE)]
    risks["pairs of replacements"] = max(2 * plain_risk(r, 1 / len(hidden.POOL), 2) for r in pairs)
    risks["original"] = max(plain_risk(s, hidden.RANDOM_SHARE / 2) for s in most)
    return risks


def other_risks() -> dict[str, float]:
    """Single selections, other rates, public checks, and what is not counted but compared."""
    places = hidden.FORCED_WORDS + 1
    singles = range(1, hidden.SMALL_BATCHES + 1)
    forced = max(
        sum(n * plain_risk(count, 1 / n, places + places - 1) for n in (places, places - 1)) for count in singles
    )
    risks = {"single selection": forced, "single selection of corrupt": forced}
    several = no_short_batch_selected()
    # Who draws again until something is selected has this share; every other way of being right has a smaller one.
    risks["several at once"] = outside(binomial(several.total, several.share), several.bounds(hidden.RISK / 2))
    for rate in hidden.OTHER_RATES:
        risks[f"rate {rate}"] = risks[f"rate {rate} of corrupt"] = plain_risk(hidden.OTHER_ROWS * ROW, rate)
    risks["public rate"] = plain_risk(public.SELECT_ROWS * ROW, hidden.RATE)
    shown = [*grid(public.ROWS * ROW, hidden.RATE), PICKED * public.ROWS]
    risks["public shares"] = max(sum(plain_risk(s, share, 3) for share in SHARES) for s in shown)
    # The number of [MASK] follows from the number selected in all of the batches: each that is not the first with its
    # number of selected tokens would have to repeat that one's number of [MASK].
    likeliest = max(binomial(m, hidden.MASK_SHARE).max() for m in range(5, 11))
    risks["small batches alike"] = likeliest ** (hidden.RATIONED_BATCHES - 6) + float(binomial(10, 0.9)[:5].sum()) ** 3
    # Every ordinary token and every place is selected at rate 0.5: at least 60 chances each, some 130 of them.
    risks["never selected"] = 130 * 2 * 0.5**60 + 18 * 0.5**60
    # Two draws of 9 rows of 40 at rate 0.15 agree by chance with at most (0.15² + 0.85²)^360 or 1 / (40 over 6)^9.
    risks["draws alike"] = 4 * max(0.745**360, math.exp(-9 * float(log_choose(40, 6))))
    return risks


def no_short_batch_selected() -> Claim:
    """The claim of the check of short batches, for a submission that selects nothing in any of them."""
    shape = (hidden.SHORT_BATCHES, 1, hidden.SHORT_WORDS + 2)
    return hidden.several_claim(torch.zeros(shape, dtype=torch.bool))


@pytest.fixture(scope="module")
def risks() -> dict[str, float]:
    """The larger of the two kinds' risks, for each group of claims and each other check that draws."""
    found = branch_risks() | other_risks()
    for function, rows in (("corrupt", hidden.ROWS), ("select_targets", hidden.SELECT_ROWS)):
        independent, exact = selection_risks_independent(rows), selection_risks_exact(rows)
        found |= {f"{function}, {name}": max(independent[name], exact[name]) for name in independent}
    return found


def test_distributions_are_right():
    for distribution in (binomial(25_000, 0.8), hypergeometric(170_000, 25_500, 4250), full_pairs(85_000, 25_500)):
        assert distribution.sum() == pytest.approx(1, abs=1e-7)
    exact_pairs = full_pairs(ROW // 2, PICKED)
    assert exact_pairs @ np.arange(4) == pytest.approx(20 * PICKED / ROW * (PICKED - 1) / (ROW - 1))
    assert repeated(exact_pairs, 5) @ np.arange(16) == pytest.approx(5 * exact_pairs @ np.arange(4))
    assert repeated(binomial(3, 0.2), 4) == pytest.approx(binomial(12, 0.2))


def test_right_work_fails_no_check(risks):
    worst = max(risks, key=risks.get)
    together = sum(risks.values())
    print(f"largest risk of one group: {risks[worst]:.2g} ({worst}); of all {len(risks)} together: {together:.2g}")
    assert all(0 <= risk < ALL_CHECKS_TOGETHER for risk in risks.values())
    assert together < ALL_CHECKS_TOGETHER


def test_other_ways_of_counting_are_inside():
    """Exact counts taken from the row's 42 tokens, rounded up or down, give rates that the checks allow."""
    for rate in hidden.OTHER_RATES:
        low, high = bounds(hidden.OTHER_ROWS * ROW, rate, 1)
        for count in (math.floor(42 * rate), math.ceil(42 * rate), round(40 * rate)):
            assert low <= hidden.OTHER_ROWS * count <= high


def caught(rate: float, shares: tuple[float, float, float], times: int = 20_000) -> float:
    """How often the checks of rate and shares on the large sample catch independent choice with these numbers."""
    rng = np.random.default_rng(20260)
    selected = rng.binomial(hidden.ROWS * ROW, rate, times)
    low, high = bounds(hidden.ROWS * ROW, hidden.RATE, 1)
    missed = (selected >= low) & (selected <= high)
    counts = rng.multinomial(selected, shares)  # (times, 3)
    for kind, share in enumerate(SHARES):
        for total in np.unique(selected[missed]):
            low, high = bounds(int(total), share, 1)
            inside = (counts[:, kind] >= low) & (counts[:, kind] <= high)
            missed &= inside | (selected != total)
    return 1 - missed.mean()


@pytest.mark.parametrize("name", WRONG)
def test_wrong_numbers_are_caught(name):
    found = caught(*WRONG[name])
    print(f"{name}: caught with probability {found:.5f}")
    assert found > CAUGHT


def test_one_more_in_every_batch_is_caught():
    """Whoever forces a position though the draw selected some has two or more where that is another position."""
    claim, words = no_short_batch_selected(), hidden.SHORT_WORDS
    drawn = binomial(words, hidden.SHORT_RATE)
    several = drawn[2:].sum() + drawn[1] * (words - 1) / words
    found = 1 - float(binomial(claim.total, several)[: claim.bounds(hidden.RISK / 2)[1] + 1].sum())
    print(f"one more in every batch: caught with probability {found:.5f}")
    assert found > CAUGHT


def test_a_point_off_is_mostly_not_seen():
    """81/10/9 is nearer to 80/10/10 than 25 000 draws can tell at this risk; right numbers are never caught."""
    found = caught(0.15, (0.81, 0.10, 0.09))
    print(f"81/10/9: caught with probability {found:.3f}")
    assert 0.02 < found < 0.5
    assert caught(0.15, SHARES) == 0


# The same through the checks' own functions, on whole samples


def whole_sample(generator: torch.Generator, rate: float, shares: tuple[float, float, float], exact: bool):
    ids = hidden.sentences(generator, hidden.ROWS)
    keys = torch.rand(hidden.ROWS, ROW, generator=generator)
    chosen = keys.argsort(dim=1).argsort(dim=1) < PICKED if exact else keys < rate
    selected = torch.zeros_like(ids, dtype=torch.bool)
    selected[:, 1:-1] = chosen
    branch = torch.rand(ids.shape, generator=generator)
    tokens = torch.tensor(hidden.POOL)[torch.randint(len(hidden.POOL), ids.shape, generator=generator)]
    corrupted = torch.where(branch < shares[0], hidden.MASK, torch.where(branch < shares[0] + shares[1], tokens, ids))
    return hidden.Sample(ids, torch.where(selected, corrupted, ids), selected)


def groups_of(sample) -> dict[str, list]:
    ids, selected = hidden.inner(sample.ids), hidden.inner(sample.selected)
    return {
        "rate": hidden.rate_claims("corrupt", selected),
        **{kind: hidden.share_claim(sample, kind) for kind in ("masked", "random", "unchanged")},
        "by place": hidden.position_claims("corrupt", selected),
        "within rows": hidden.within_row_claims("corrupt", selected),
        "between rows": hidden.between_rows_claims("corrupt", selected),
        "by token": hidden.selected_token_claims("corrupt", ids, selected),
        "pairs of fates": hidden.branch_pair_claims("corrupt", sample),
        "fates by place": hidden.branch_place_claims(sample),
        "fates by token": hidden.branch_token_claims(sample),
        "pool": hidden.pool_claims(sample),
        "pairs of replacements": hidden.pool_pair_claims(sample),
    }


def failing(sample) -> set[str]:
    return {name for name, claims in groups_of(sample).items() if broken(claims, hidden.RISK) is not None}


@pytest.mark.parametrize("exact", [False, True])
def test_right_samples_pass(exact):
    generator = torch.Generator().manual_seed(1)
    for _ in range(3):
        assert failing(whole_sample(generator, hidden.RATE, SHARES, exact)) == set()


@pytest.mark.parametrize("name", WRONG)
def test_wrong_samples_fail_what_they_should(name):
    """Wrong numbers fail the checks of rate and shares, and no other."""
    generator = torch.Generator().manual_seed(2)
    rate, shares = WRONG[name]
    for _ in range(3):
        found = failing(whole_sample(generator, rate, shares, exact=False))
        assert found
        assert found <= ({"rate"} if rate != hidden.RATE else {"masked", "random", "unchanged"})


def test_public_checks_take_the_same_risk():
    assert public.RISK == hidden.RISK
