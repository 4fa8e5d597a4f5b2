"""How many topics an experiment needs, and what a number of topics can show (Sakai, Information Retrieval 19(3), 2016).

Each design says the power it has for a difference of means over a number of topics; the topics that a wanted power
needs, and the least difference that is detected with it, follow from that.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp, inf, isfinite, lgamma, log, sqrt

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.tests.base.test import complete

MOST_TOPICS = 10_000_000
MOST_SHIFT = 1e6


@dataclass(frozen=True)
class Design(ABC):
    """A test that is yet to be made, on values of this variance."""

    variance: float
    alpha: float = 0.05

    def __post_init__(self) -> None:
        _positive("variance", self.variance)
        _share("alpha", self.alpha)

    @abstractmethod
    def power(self, difference: float, topics: int) -> float:
        """Probability that the test detects a true difference of means."""

    def topics(self, difference: float, power: float = 0.8) -> int:
        """The least number of topics that gives this power."""
        _share("power", power)
        _positive("difference", abs(difference))
        needed = _least(lambda topics: self.power(difference, topics) >= power)
        if needed is None:
            raise ParameterError(
                f"a difference of {difference:g} needs more than {MOST_TOPICS:,} topics for a power of {power:g}: "
                "ask for a greater difference"
            )
        return needed

    def detectable(self, topics: int, power: float = 0.8) -> float:
        """The least difference that so many topics find with this power."""
        from scipy.optimize import brentq

        _share("power", power)
        _enough(topics)
        if power <= self.alpha:
            raise ParameterError(
                f"a power of {power:g} is had without any difference: it must lie above {self.alpha:g}"
            )
        most = sqrt(self.variance)
        while self.power(most, topics) < power:
            most *= 2
        return float(brentq(lambda difference: self.power(difference, topics) - power, 0.0, most, xtol=1e-12 * most))


@dataclass(frozen=True)
class PairedT(Design):
    """Student's paired t test, two-sided, of differences between two runs that vary as `variance` says.

    With differences of standard deviation 1, a mean difference of 0.3 takes 89.15 topics, that is 90:

    >>> design = PairedT(variance=1.0)
    >>> print(design.topics(0.3, power=0.8), round(design.power(0.3, 90), 2))
    90 0.8
    """

    def power(self, difference: float, topics: int) -> float:
        """By the noncentral t distribution."""
        from scipy.stats import nct, t

        _enough(topics)
        limit = t.isf(self.alpha / 2, topics - 1)
        shift = abs(difference) * sqrt(topics / self.variance)
        # The far tail is alpha / 2 at most, and falls: where the shift is large its sum is nothing but rounding.
        return float(nct.sf(limit, topics - 1, shift) + nct.sf(limit, topics - 1, -shift))


@dataclass(frozen=True)
class OneSidedT(Design):
    """Student's paired t test, one-sided: that a candidate is not worse by more than a margin, if it is no worse.

    The difference is the distance of the true mean difference from the limit that is tested, such as the margin.

    >>> print(OneSidedT(variance=1.0).topics(0.3, power=0.8))
    71
    """

    def power(self, difference: float, topics: int) -> float:
        """By the noncentral t distribution."""
        from scipy.stats import nct, t

        _enough(topics)
        shift = difference * sqrt(topics / self.variance)
        if shift > MOST_SHIFT:  # where the distribution is not computed, and the power is 1
            return 1.0
        return float(nct.sf(t.isf(self.alpha, topics - 1), topics - 1, shift))


@dataclass(frozen=True)
class OneWay(Design):
    """One-way ANOVA of so many systems; the difference is that of the best and the worst of them.

    The others are taken to lie in the middle, where they help the test least: the power is at least this. With two
    systems it is Student's t test of values that are not paired. Five systems whose best and worst differ by 0.7
    standard deviations:

    >>> OneWay(variance=1.0, systems=5).topics(0.7, power=0.8)
    50
    """

    systems: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.systems < 2:
            raise ParameterError(f"ANOVA compares two systems or more, got {self.systems}")

    def power(self, difference: float, topics: int) -> float:
        """By the noncentral F distribution; the noncentrality is topics * difference^2 / (2 variance)."""
        from scipy.stats import f, ncf

        _enough(topics)
        between, within = self.systems - 1, self.systems * (topics - 1)
        limit = f.isf(self.alpha, between, within)
        noncentrality = topics * difference**2 / (2 * self.variance)
        if noncentrality == 0:
            return self.alpha
        return float(ncf.sf(limit, between, within, noncentrality))


@dataclass(frozen=True)
class Width:
    """The width of the confidence interval of a difference of means, paired, that is to be expected.

    >>> design = Width(variance=1.0)
    >>> print(design.topics(0.5), round(design.width(64), 4))
    64 0.4976
    """

    variance: float  # of differences
    confidence: float = 0.95

    def __post_init__(self) -> None:
        _positive("variance", self.variance)
        _share("confidence", self.confidence)

    def width(self, topics: int) -> float:
        """From end to end; the mean of the standard deviation of n values is below that of all there are."""
        from scipy.stats import t

        _enough(topics)
        free = topics - 1
        shrunk = exp(lgamma(topics / 2) - lgamma(free / 2) + (log(2) - log(free)) / 2)
        return float(2 * t.isf((1 - self.confidence) / 2, free) * shrunk * sqrt(self.variance / topics))

    def topics(self, width: float) -> int:
        """The least number of topics with which an interval is expected to be no wider."""
        _positive("width", width)
        needed = _least(lambda topics: self.width(topics) <= width)
        if needed is None:
            raise ParameterError(
                f"an interval of {width:g} needs more than {MOST_TOPICS:,} topics: ask for a wider one"
            )
        return needed


@dataclass(frozen=True)
class Variances:
    """Variances of values, for the design of experiments."""

    differences: float  # between two runs over topics, pooled over all pairs: for PairedT and Width
    residual: float  # what topics and systems leave, by two-way ANOVA: half of `differences`
    within: float  # over topics for one run, pooled over runs, by one-way ANOVA: for OneWay
    topics: int
    runs: int


def variances(values: Floats) -> Variances:
    """Estimates from values (topic, run), over the topics for which all runs have one.

    >>> import numpy as np
    >>> result = variances(np.array([[0.1, 0.3], [0.2, 0.6], [0.6, 0.5]]))
    >>> print(round(result.differences, 4), round(result.residual, 4), round(result.within, 4))
    0.0633 0.0317 0.0467
    """
    known = complete(values)
    topics, runs = known.shape
    if topics < 2 or runs < 2:
        raise ParameterError(
            "variances are estimated from two runs or more on two topics or more for which all have a value, "
            f"got {runs} runs on {topics} topics"
        )
    off_run = known - known.mean(axis=0)
    off_both = off_run - off_run.mean(axis=1, keepdims=True)
    residual = float((off_both**2).sum()) / ((topics - 1) * (runs - 1))
    # The mean over all pairs of the variance of their difference is twice the residual variance.
    return Variances(2 * residual, residual, float((off_run**2).sum()) / (runs * (topics - 1)), topics, runs)


def _least(enough: Callable[[int], bool]) -> int | None:
    """The least number of topics, from 2 on, that is enough; more are then too."""
    high = 2
    while not enough(high):
        if high >= MOST_TOPICS:
            return None
        high = min(2 * high, MOST_TOPICS)
    return bisect_left(range(high), 1, lo=max(2, ceil(high / 2)), key=enough)


def _positive(name: str, number: float) -> None:
    if not (isfinite(number) and 0 < number < inf):
        raise ParameterError(f"the {name} must be a number above 0, got {number}")


def _share(name: str, number: float) -> None:
    if not 0 < number < 1:
        raise ParameterError(f"{name} must lie strictly between 0 and 1, got {number}")


def _enough(topics: int) -> None:
    if topics < 2:
        raise ParameterError(f"a test needs two topics or more, got {topics}")
