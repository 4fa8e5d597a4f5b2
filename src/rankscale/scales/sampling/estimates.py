"""Ranks and shares of rankings, estimated from random rankings where all of them cannot be counted.

**Ranks** among distinct values are estimated from a sample only if each sampled ranking is weighed by the number of
rankings that share its value, which is counted exactly (Horvitz and Thompson 1952): the distinct values up to m are
T E[1{X <= m} / same(X)] for a random one X of T rankings. Intervals take means for normally distributed, but hold
for any distribution where few of the sample lie on one side. **Shares** of rankings below another need no such count,
and are not ranks on the scale: values that many rankings share weigh more.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.scales.counting.halves import Halves, number_of_rankings
from rankscale.scales.counting.image import Image, Universe
from rankscale.scales.counting.windows import WindowImage
from rankscale.scales.sampling.confidence import chernoff, clopper_pearson
from rankscale.scales.sampling.random_rankings import random_rankings

ENOUGH = 30  # of a sample on either side, for their mean to be near a normal distribution

Values = Callable[[Ints], Floats | Ints]  # of rankings, given as places of gains


@dataclass(frozen=True)
class Estimate:
    """An estimate with its confidence interval."""

    value: float
    low: float
    high: float

    def times(self, factor: int, most: int) -> "Estimate":
        """A share turned into a number: times a factor, and within 1 and `most`."""
        value, low, high = (min(max(share * factor, 1.0), float(most)) for share in (self.value, self.low, self.high))
        return Estimate(value, low, high)

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class EstimatedRank:
    """A rank among distinct values, how many of these there are, and the one over the other."""

    rank: Estimate
    size: Estimate
    share: Estimate


@dataclass(frozen=True)
class Percentile:
    """The share of all rankings whose value does not exceed a given one, with bounds; not a rank among values."""

    share: float
    low: float
    high: float
    samples: int = 0  # 0 where all rankings were counted
    confidence: float = 1.0

    def __str__(self) -> str:
        if not self.samples:
            return f"{self.share:.4f} (all rankings counted)"
        interval = f"{self.share:.4f} [{self.low:.4f}, {self.high:.4f}]"
        return f"{interval} (from {self.samples:,} random rankings, {self.confidence:.0%} confidence)"


def estimated_ranks(
    image: Image,
    rankings: Ints,
    *,
    samples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[EstimatedRank]:
    """The rank of each ranking, estimated from one sample for all, so that none overtakes a better one.

    A rank is at least 1, and at most 1 more than the number of rankings below, which is counted exactly.
    """
    _check(samples, confidence)
    halves = _halves(image)
    sample, (own, rows) = _sampled(halves, samples, seed), np.unique(halves.of(rankings), return_inverse=True)
    counted = halves.counted(np.concatenate([sample, own]))
    weights = np.array([1 / same for _, same in counted[:samples]])
    size = _mean(weights, confidence).times(halves.rankings, halves.rankings)
    result = []
    for value, (below, _) in zip(own, counted[samples:], strict=True):
        reached = np.where(sample <= value, weights, 0.0)
        rank = _mean(reached, confidence).times(halves.rankings, below + 1)
        result.append(EstimatedRank(rank, size, _ratio(reached, weights, confidence)))
    return [result[row] for row in rows]


def estimated_share(image: Image, rankings: Ints) -> tuple[Floats, Floats]:
    """(ranking,) twice: between which shares of all distinct values each rank lies, with 95% confidence."""
    shares = [estimated.share for estimated in estimated_ranks(image, rankings)]
    return np.array([share.low for share in shares]), np.array([share.high for share in shares])


def counted_percentile(image: Image, ranking: Ints) -> Percentile:
    """The share of rankings whose value does not exceed that of a ranking (1, rank), all of them counted."""
    below, same = image.among_rankings(ranking)[0]
    share = (below + same) / number_of_rankings(image.universe, image.universe.depth)
    return Percentile(share, share, share)


def sampled_percentile(
    universe: Universe,
    values_of: Values,
    ranking: Ints,
    *,
    samples: int = 100_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Percentile:
    """The share of random rankings whose value does not exceed that of a ranking (1, rank), with its exact interval.

    Values are compared as they are: give whole numbers where ties matter, as floating-point sums can miss them.
    """
    _check(samples, confidence)
    own = values_of(ranking)[0]
    hits = sum(int((values_of(drawn) <= own).sum()) for drawn in random_rankings(universe, samples, seed))
    return Percentile(hits / samples, *clopper_pearson(hits, samples, confidence), samples, confidence)


def _check(samples: int, confidence: float) -> None:
    if samples < 1:
        raise ParameterError(f"samples must be 1 or more, got {samples}")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie strictly between 0 and 1, got {confidence}")


def _halves(image: Image) -> Halves:
    if not isinstance(image, WindowImage):
        raise ScaleError(f"ranks are estimated only where rankings that tie can be counted ({image.provenance})")
    return image.halves


def _sampled(halves: Halves, samples: int, seed: int) -> Ints:
    """Values of rankings drawn evenly from all of the universe."""
    draw = np.random.default_rng(seed)
    shares = np.array([part.total / halves.rankings for part in halves.parts()])
    sampled = []
    for part, number in zip(halves.parts(), draw.multinomial(samples, shares / shares.sum()), strict=True):
        drawn = [half.keys[_drawn(half.cumulated, number, draw)] for half in (part.prefixes, part.suffixes)]
        sampled.append(drawn[0] + drawn[1])
    return np.concatenate(sampled)


def _drawn(cumulated: Ints, number: int, draw: np.random.Generator) -> Ints:
    """Places of keys, each drawn as often as it stands for something."""
    turns = draw.integers(cumulated[-1], size=number)
    return np.searchsorted(cumulated, turns, side="right") - 1


def _mean(numbers: Floats, confidence: float) -> Estimate:
    mean = float(numbers.mean())
    if min(np.count_nonzero(numbers > 0), np.count_nonzero(numbers < 1)) < ENOUGH:
        return Estimate(mean, *chernoff(lambda _: mean, mean, len(numbers), confidence))
    return _within_error(mean, numbers, confidence)


def _ratio(reached: Floats, weights: Floats, confidence: float) -> Estimate:
    """One mean over another; if s is the true ratio, numbers reached + s (1 - weight) have the mean s."""
    some, all_ = float(reached.mean()), float(weights.mean())
    ratio = some / all_
    if min(np.count_nonzero(reached), np.count_nonzero(reached == 0)) < ENOUGH:
        return Estimate(ratio, *chernoff(lambda share: some + share * (1 - all_), ratio, len(weights), confidence))
    return _within_error(ratio, (reached - ratio * weights) / all_, confidence)


def _within_error(value: float, numbers: Floats, confidence: float) -> Estimate:
    """An interval that takes the mean of many numbers for normally distributed."""
    deviations = NormalDist().inv_cdf((1 + confidence) / 2)
    error = deviations * float(numbers.std(ddof=1)) / math.sqrt(len(numbers))
    return Estimate(value, max(value - error, 0.0), min(value + error, 1.0))
