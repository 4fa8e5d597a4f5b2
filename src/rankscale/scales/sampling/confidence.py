"""Confidence intervals that hold for every sample size, of shares and of means of numbers from 0 to 1."""

import math
from collections.abc import Callable

HALVINGS = 60  # of an interval; more than a double can resolve


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
    most = math.log(2 / (1 - confidence)) / samples

    def possible(other: float) -> bool:
        return divergence(within(other), other) <= most

    return _farthest(possible, share, 0.0), _farthest(possible, share, 1.0)


def divergence(mean: float, share: float) -> float:
    """The Kullback-Leibler divergence between two Bernoulli distributions."""
    from scipy.special import rel_entr

    return float(rel_entr(mean, share) + rel_entr(max(1 - mean, 0.0), 1 - share))


def _farthest(possible: Callable[[float], bool], inside: float, end: float) -> float:
    """The number farthest from `inside` towards `end` that is possible, by bisection; rounded towards `end`."""
    if possible(end):
        return end
    for _ in range(HALVINGS):
        middle = (inside + end) / 2
        inside, end = (middle, end) if possible(middle) else (inside, middle)
    return end
