"""Every test under the null, where no run is better than another, and with effects that grow.

How often p is at most alpha is held against the binomial interval that holds it but for one time in a thousand if the
rate is alpha: for 4,000 independent pairs from 0.039 to 0.062 at alpha 0.05, and from 0.085 to 0.116 at 0.1; for 2,000
families of five runs from 0.034 to 0.067, and from 0.078 to 0.123. Where all pairs are tested together, what counts is
that any of a family is found to differ.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy import stats

from rankscale.data.arrays import Floats
from rankscale.stats.tests.base.test import Pairs, Test, all_pairs
from rankscale.stats.tests.register import known_tests, make_test

TOPICS = 50
PAIRS, BATCHES = 2000, 50  # each batch of pairs has draws of its own, which its pairs share
FAMILIES, FAMILY = 1000, 5  # runs
TRIED = 400  # pairs or families, for each effect
ALPHAS = (0.05, 0.1)
INTERVAL = 0.999
SAMPLES = {"bootstrap": 999, "randomisation": 999, "randomised tukey": 99}  # alpha is a share of one more of them
UNPAIRED = ("rank sum", "one-way", "kruskal-wallis")  # which take topics for chance

HARD, ALIKE = 1.0, 0.0  # how much topics differ, as a standard deviation

Draw = Callable[[np.random.Generator, tuple[int, ...], float, float], Floats]


def normal(draws: np.random.Generator, shape: tuple[int, ...], spread: float, effect: float) -> Floats:
    """Topics that are hard are so by as much for all runs."""
    return draws.normal(size=shape) + draws.normal(0, spread, (*shape[:-1], 1)) + lift(shape, effect)


def skewed(draws: np.random.Generator, shape: tuple[int, ...], spread: float, effect: float) -> Floats:
    """As AP is: between 0 and 1, mostly small, and small for all runs where topics are hard."""
    mean = chance(draws, shape, spread, effect)
    return draws.beta(5 * mean, 5 * (1 - mean), shape)


def discrete(draws: np.random.Generator, shape: tuple[int, ...], spread: float, effect: float) -> Floats:
    """As P@10 is: ten ranks, relevant or not, so that many values are tied and many are 0."""
    return draws.binomial(10, chance(draws, shape, spread, effect), shape) / 10


def chance(draws: np.random.Generator, shape: tuple[int, ...], spread: float, effect: float) -> Floats:
    """That a document is relevant; topics that are hard are so for all runs."""
    ease = draws.normal(-1, spread, (*shape[:-1], 1))
    chances: Floats = 1 / (1 + np.exp(-ease - lift(shape, effect)))
    return chances


def lift(shape: tuple[int, ...], effect: float) -> Floats:
    """(run,): the first is better."""
    better = np.zeros(shape[-1])
    better[0] = effect
    return better


KINDS: dict[str, Draw] = {"normal": normal, "skewed": skewed, "discrete": discrete}
every_test = pytest.mark.parametrize("name", [name for name, kind in known_tests().items() if not kind.needs_baseline])
every_kind = pytest.mark.parametrize("kind", KINDS)


def seeded(name: str, seed: int) -> Test:
    return make_test(name, samples=SAMPLES[name], seed=seed) if name in SAMPLES else make_test(name)


@cache
def pairs_of(kind: str, spread: float, effect: float) -> Floats:
    """(batch, topic, run), each pair of two runs and topics of its own."""
    drawn = KINDS[kind](np.random.default_rng(1), (PAIRS, TOPICS, 2), spread, effect)
    return drawn.reshape(BATCHES, -1, TOPICS, 2).transpose(0, 2, 1, 3).reshape(BATCHES, TOPICS, -1)


@cache
def families_of(kind: str, spread: float, effect: float) -> Floats:
    """(family, topic, run)."""
    return KINDS[kind](np.random.default_rng(2), (FAMILIES, TOPICS, FAMILY), spread, effect)


def smallest_p(name: str, kind: str, *, spread: float) -> Floats:
    """(trial,): p of a pair, or the smallest of a family, where no run is better."""
    if make_test(name).together:
        return p_of_families(name, families_of(kind, spread, 0.0), all_pairs(FAMILY))
    return p_of_pairs(name, pairs_of(kind, spread, 0.0))


def p_of_families(name: str, families: Floats, pairs: Pairs) -> Floats:
    return np.array([seeded(name, seed).compare(one, pairs).p.min() for seed, one in enumerate(families)])


def p_of_pairs(name: str, batches: Floats) -> Floats:
    first = np.arange(0, batches.shape[2], 2)
    pairs = Pairs(first, first + 1)
    return np.concatenate([seeded(name, seed).compare(one, pairs).p for seed, one in enumerate(batches)])


def power(name: str, kind: str, effect: float) -> float:
    """How often the better run is found to differ from another."""
    if make_test(name).together:
        p = p_of_families(name, families_of(kind, HARD, effect)[:TRIED], Pairs(np.array([0]), np.array([1])))
    else:
        p = p_of_pairs(name, pairs_of(kind, HARD, effect)[: TRIED * BATCHES // PAIRS])
    return float(np.mean(p <= 0.05))


def conservative(name: str, kind: str, *, spread: float) -> str:
    """Why fewer pairs than alpha are found, if so."""
    if name == "sign":
        return "wins are few whole numbers, and p jumps from one to the next"
    if name in UNPAIRED and spread == HARD:
        return "it takes for chance what topics do to both runs alike"
    if name in {"randomisation", "randomised tukey"} and kind == "discrete":
        return "draws that tie with what was observed count as far out"
    return ""


@every_kind
@every_test
def test_false_differences_are_as_rare_as_alpha_says(name: str, kind: str) -> None:
    for spread in (HARD, ALIKE) if name in UNPAIRED else (HARD,):
        p = smallest_p(name, kind, spread=spread)
        for alpha in ALPHAS:
            low, high = stats.binom.interval(INTERVAL, len(p), alpha)
            found = int(np.count_nonzero(p <= alpha))
            assert found <= high, (name, kind, spread, alpha, found / len(p))
            assert found >= low or conservative(name, kind, spread=spread), (name, kind, spread, alpha, found / len(p))


@every_kind
def test_the_sign_test_is_as_conservative_as_its_ties_make_it(kind: str) -> None:
    batches = pairs_of(kind, HARD, 0.0)
    differing = np.count_nonzero(batches[..., ::2] != batches[..., 1::2], axis=1).ravel()
    p = smallest_p("sign", kind, spread=HARD)
    for alpha in ALPHAS:
        level = {topics: sign_level(topics, alpha) for topics in np.unique(differing).tolist()}
        rate = float(np.mean([level[topics] for topics in differing.tolist()]))
        low, high = stats.binom.interval(INTERVAL, PAIRS, rate)
        assert rate < alpha
        assert low <= np.count_nonzero(p <= alpha) <= high


def sign_level(topics: int, alpha: float) -> float:
    """How often the sign test errs on so many topics that differ, by adding up the outcomes that it finds."""
    wins = range(topics + 1)
    return float(sum(stats.binom.pmf(won, topics, 0.5) for won in wins if stats.binomtest(won, topics).pvalue <= alpha))


@every_kind
@every_test
def test_larger_effects_are_found_more_often(name: str, kind: str) -> None:
    found = [power(name, kind, effect) for effect in (0.0, 0.3, 0.6, 1.2)]
    assert found == sorted(found)
    assert found[0] + 0.1 < found[2] < found[3]
    assert found[3] > 0.9
