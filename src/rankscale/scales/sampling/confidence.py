"""Confidence intervals that hold for every sample size, of shares and of means of numbers from 0 to 1."""

import math
from collections.abc import Callable

HALVINGS = 60  # of an interval; more than a double can tell
TERMS = 100_000  # of the continued fraction at most; it takes about the square root of the sample size


def clopper_pearson(hits: int, samples: int, confidence: float) -> tuple[float, float]:
    """The exact interval of a share of which so many in a sample were seen.

    >>> low, high = clopper_pearson(0, 10, 0.95)
    >>> low, round(high, 6)  # 1 - .025^(1/10)
    (0.0, 0.308497)
    """
    tail = (1 - confidence) / 2
    seen = hits / samples
    low = farthest(lambda share: at_least(hits, samples, share) > tail, seen, 0.0)
    high = farthest(lambda share: at_least(samples - hits, samples, 1 - share) > tail, seen, 1.0)
    return low, high


def chernoff(within: Callable[[float], float], share: float, samples: int, confidence: float) -> tuple[float, float]:
    """The interval of a share: those that would be the mean of a sample, of numbers from 0 to 1, not too improbably.

    `within` says what the mean of the sample is if the share is the true one. It is as far from the truth with
    probability exp(-n KL(mean, share)) at most, on either side, however the numbers are spread (Hoeffding 1963,
    theorem 1). So the interval is wider than need be, and never too narrow.
    """
    most = math.log(2 / (1 - confidence)) / samples

    def possible(other: float) -> bool:
        return divergence(within(other), other) <= most

    return farthest(possible, share, 0.0), farthest(possible, share, 1.0)


def at_least(hits: int, samples: int, share: float) -> float:
    """How likely so many hits or more are where each has this probability.

    >>> at_least(1, 2, 0.5)
    0.75
    """
    if hits == 0 or share >= 1:
        return 1.0
    if share <= 0:
        return 0.0
    a, b = float(hits), samples - hits + 1.0
    if share > (a + 1) / (a + b + 2):  # the continued fraction converges fast on the other side only
        return 1 - _incomplete_beta(b, a, 1 - share)
    return _incomplete_beta(a, b, share)


def divergence(seen: float, share: float) -> float:
    """Kullback and Leibler's, between two coins."""
    pairs = ((seen, share), (1 - seen, 1 - share))
    return sum(a * (math.log(a / b) if b > 0 else math.inf) for a, b in pairs if a > 0)


def farthest(possible: Callable[[float], bool], inside: float, end: float) -> float:
    """How far one can go from a number that is possible towards an end; the last step is on the far side."""
    if possible(end):
        return end
    for _ in range(HALVINGS):
        middle = (inside + end) / 2
        inside, end = (middle, end) if possible(middle) else (inside, middle)
    return end


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), regularised."""
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / a * _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The one of the incomplete beta function, by Lentz's method: terms are added until they change nothing."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, TERMS):
        before = found
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            d, c = 1 / (1 + numerator * d), 1 + numerator / c
            found *= d * c
        if abs(found - before) <= 1e-15 * found:
            break
    return found
