"""Ranks and shares of rankings, estimated from random rankings where all of them cannot be counted.

**Ranks** among distinct values are estimated from a sample only if each sampled ranking is weighed by the number of
rankings that share its value, which is counted exactly (Horvitz and Thompson 1952): the distinct values up to m are
T E[1{X <= m} / same(X)] for a random one X of T rankings. Intervals take means for normally distributed, but hold
for any distribution where few of the sample lie on one side. **Shares** of rankings below another need no such count,
and are not ranks on the scale: values that many rankings share weigh more.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.scales.counting.halves import Halves, fillings, number_of_rankings
from rankscale.scales.counting.image import Cost, Image, Universe
from rankscale.scales.counting.windows import WindowImage, window_bytes

HALVINGS = 60  # of an interval; more than a double can resolve
DRAWN = 1 << 22  # documents drawn at once
SAMPLES = 1000  # rankings whose ties are counted
WALKED_PER_SECOND = 6e8  # prefixes and suffixes
LEAST_PLAIN = 1e-3  # the least share that is written to four places
ENOUGH = 30  # of a sample on either side, for their mean to be near a normal distribution
ValuesOf = Callable[[Ints], Floats | Ints]  # of rankings, given as places of gains


def clopper_pearson(hits: int, samples: int, confidence: float) -> tuple[float, float]:
    """The exact confidence interval of a binomial proportion, from `hits` successes in `samples` trials.

    >>> low, high = clopper_pearson(0, 10, 0.95)
    >>> low, round(high, 6)  # 1 - .025^(1/10)
    (0.0, 0.308497)
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, samples - hits + 1, tail)) if hits else 0.0
    high = 1 - float(betaincinv(samples - hits, hits + 1, tail)) if hits < samples else 1.0
    return low, high


def chernoff(within: Callable[[float], float], share: float, samples: int, confidence: float) -> tuple[float, float]:
    """The confidence interval of the mean of numbers from 0 to 1, whatever their distribution, from Chernoff's bound.

    `within(true)` is the mean of the sample as it would be if `true` were the true share. A sample mean is that far
    from the truth with probability exp(-n KL(mean, share)) at most, on either side (Hoeffding 1963, theorem 1). So the
    interval is wider than necessary, and never too narrow.
    """
    from scipy.special import rel_entr

    most = math.log(2 / (1 - confidence)) / samples

    def possible(other: float) -> bool:
        mean = within(other)
        divergence = rel_entr(mean, other) + rel_entr(max(1 - mean, 0.0), 1 - other)  # Kullback and Leibler's
        return bool(divergence <= most)

    return _farthest(possible, share, 0.0), _farthest(possible, share, 1.0)


def _farthest(possible: Callable[[float], bool], inside: float, end: float) -> float:
    """The number farthest from `inside` towards `end` that is possible, by bisection; rounded towards `end`."""
    if possible(end):
        return end
    for _ in range(HALVINGS):
        middle = (inside + end) / 2
        inside, end = (middle, end) if possible(middle) else (inside, middle)
    return end


def random_rankings(universe: Universe, samples: int, seed: int) -> Iterator[Ints]:
    """Rankings drawn evenly from a universe, some at a time."""
    draw = np.random.default_rng(seed)
    at_once = max(1, DRAWN // universe.depth)
    for first in range(0, samples, at_once):
        number = min(at_once, samples - first)
        if universe.limits is None:
            yield draw.integers(len(universe.gains), size=(number, universe.depth))
        else:
            yield draw.permuted(_filled(universe, number, draw), axis=1)


def _filled(universe: Universe, number: int, draw: np.random.Generator) -> Ints:
    """Rankings in which every number of documents of each kind is as likely as there are rankings with it."""
    most, depth, kinds = universe.most, universe.depth, np.array(universe.kinds)
    numbers = fillings(universe.kinds, most, depth)
    rankings, left = np.zeros((number, depth), dtype=np.int64), np.full(number, depth)
    for kind in range(len(most)):
        taken = np.zeros_like(left)
        for ranks in np.unique(left):
            rows = left == ranks
            taken[rows] = draw.choice(
                min(int(ranks), most[kind]) + 1, p=_likely(universe, kind, int(ranks), numbers), size=rows.sum()
            )
        _put(rankings, left - taken, left, np.flatnonzero(kinds == kind), draw)
        left -= taken
    _put(rankings, np.zeros_like(left), left, np.flatnonzero(kinds == -1), draw)
    return rankings


def _likely(universe: Universe, kind: int, ranks: int, fillings_of: list[list[int]]) -> Floats:
    """How likely each number of documents of a kind is, where so many ranks are left for it and the kinds after it."""
    gains, after = universe.kinds.count(kind), fillings_of[kind + 1]
    numbers = range(min(ranks, universe.most[kind]) + 1)
    shares = [
        math.comb(ranks, taken) * gains**taken * after[ranks - taken] / fillings_of[kind][ranks] for taken in numbers
    ]
    likely: Floats = np.array(shares) / sum(shares)
    return likely


def _put(rankings: Ints, first: Ints, last: Ints, places: Ints, draw: np.random.Generator) -> None:
    """Gains of one kind, at random, from rank `first` to before rank `last` of each ranking."""
    ranks = np.arange(rankings.shape[1])
    here = (ranks >= first[:, None]) & (ranks < last[:, None])
    rankings[here] = draw.choice(places, size=int(here.sum())) if len(places) else 0


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
class PercentileEstimate:
    """The share of all rankings whose value does not exceed a given one, with bounds; not a rank among values."""

    share: float
    low: float
    high: float
    samples: int = 0  # 0 where all rankings were counted
    confidence: float = 1.0

    def __str__(self) -> str:
        if not self.samples:
            return f"{_written(self.share)} (all rankings counted)"
        interval = f"{_written(self.share)} [{_written(self.low)}, {_written(self.high)}]"
        return f"{interval} (from {self.samples:,} random rankings, {self.confidence:.0%} confidence)"


def _written(share: float) -> str:
    """A share to four places, or to two digits where these would be zeros."""
    return f"{share:.4f}" if share >= LEAST_PLAIN or share == 0 else f"{share:.2g}"


@dataclass(frozen=True)
class TieSample:
    """Values of random rankings, and for each one over the number of rankings that share its value."""

    halves: Halves
    values: Ints
    weights: Floats
    confidence: float = 0.95

    @property
    def size(self) -> Estimate:
        """How many distinct values there are."""
        return _mean(self.weights, self.confidence).times(self.halves.rankings, self.halves.rankings)

    def shares(self, rankings: Ints) -> tuple[Floats, Floats, Floats]:
        """(ranking,) each: the share of all distinct values up to each ranking's, and its confidence interval."""
        own, rows = np.unique(self.halves.of(rankings), return_inverse=True)
        shares = [_ratio(self.reached(value), self.weights, self.confidence) for value in own]
        columns = np.array([(share.value, share.low, share.high) for share in shares]).reshape(-1, 3)[rows.ravel()]
        return columns[:, 0], columns[:, 1], columns[:, 2]

    def reached(self, value: int) -> Floats:
        """(sample,): the weights of the rankings whose value does not exceed this one; 0 for the others."""
        return np.where(self.values <= value, self.weights, 0.0)


def tie_sample(image: Image, *, samples: int = SAMPLES, seed: int = 0, confidence: float = 0.95) -> TieSample:
    """A sample of rankings with their ties counted, which takes nearly all the time of an estimate."""
    check_sample(samples, confidence)
    if not isinstance(image, WindowImage):
        raise ScaleError(f"ranks are estimated only where rankings that tie can be counted ({image.provenance})")
    halves = image.halves
    values = _sampled(halves, samples, seed)
    return TieSample(halves, values, np.array([1 / same for _, same in halves.counted(values)]), confidence)


def predicted(halves: Halves) -> Cost:
    """The predicted cost of a sample with its ties counted: each walks along all prefixes and suffixes."""
    working = halves.working_bytes + window_bytes(halves, 1)  # the lowest and highest values are shown
    return Cost(SAMPLES * halves.list_bytes / 8 / WALKED_PER_SECOND, 1e-4, halves.list_bytes, working)


def counted_percentiles(image: Image, rankings: Ints) -> list[PercentileEstimate]:
    """For each ranking the share of rankings whose value does not exceed its own, all of them counted."""
    total = number_of_rankings(image.universe, image.universe.depth)
    shares = [(below + same) / total for below, same in image.among_rankings(rankings)]
    return [PercentileEstimate(share, share, share) for share in shares]


def sampled_values(universe: Universe, values_of: ValuesOf, samples: int, seed: int) -> Floats | Ints:
    """(sample,): values of random rankings, ascending."""
    return np.sort(np.concatenate([values_of(drawn) for drawn in random_rankings(universe, samples, seed)]))


def percentiles_in(sample: Floats | Ints, values: Floats | Ints, confidence: float = 0.95) -> list[PercentileEstimate]:
    """For each value the share of an ascending sample that does not exceed it, with its exact interval."""
    hits = np.searchsorted(sample, values, side="right").tolist()
    size = len(sample)
    return [PercentileEstimate(hit / size, *clopper_pearson(hit, size, confidence), size, confidence) for hit in hits]


def check_sample(samples: int, confidence: float) -> None:
    """Raise ParameterError for a number of rankings or a confidence that cannot be."""
    if samples < 1:
        raise ParameterError(f"samples must be 1 or more, got {samples}")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie strictly between 0 and 1, got {confidence}")


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
