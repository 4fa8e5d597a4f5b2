"""How many topics an experiment needs, and what a number of topics can show (Sakai, Information Retrieval 19(3), 2016).

Each design says the power it has for a difference of means over a number of topics; the topics that a wanted power
needs, and the least difference that is detected with it, follow from that.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, fields
from math import ceil, exp, expm1, inf, isfinite, lgamma, log, log1p, sqrt
from numbers import Real

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Floats
from rankscale.data.names import place_of
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.outputs.results import TabularResult
from rankscale.stats.margin import Margin, shown_margin
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
        needed = least_topics(lambda topics: self.power(difference, topics) >= power)
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
class PairedTDesign(Design):
    """Student's paired t test, two-sided, of differences between two runs that vary as `variance` says.

    With differences of standard deviation 1, a mean difference of 0.3 takes 89.15 topics, that is 90:

    >>> design = PairedTDesign(variance=1.0)
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
        needed = least_topics(lambda topics: self.width(topics) <= width)
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


def least_topics(enough: Callable[[int], bool]) -> int | None:
    """The least number of topics, from 2 on, that is enough, as more then are, too; None if it is too large."""
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


@dataclass(frozen=True)
class Needed(TabularResult):
    """Result of `topics_needed`: numbers of topics by three criteria, and the variances behind them.

    Attributes
    ----------
    measure, difference, power, alpha
        What was planned for; alpha is that of one comparison, without a correction.
    paired_t : int
        Topics with which Student's paired t test, two-sided, detects the difference between two runs.
    one_way : int
        Topics with which one-way ANOVA detects it between the best and the worst of all runs.
    width : int
        Topics with which the two-sided interval of a difference, at confidence 1 - alpha, is no wider than the
        difference.
    detectable : float
        The difference that the topics of the evaluation suffice for, by a paired t test.
    estimated : Variances
        The variances, pooled over all pairs, and the numbers of runs and topics they are estimated from.
    share_of : str
        What the difference is a share of, such as '2% of the mean of bm25'; empty where it was given as a number.
    """

    measure: str
    difference: float
    power: float
    alpha: float
    paired_t: int
    one_way: int
    width: int
    detectable: float
    estimated: Variances
    share_of: str = ""

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row: what was planned for, the topics needed by each criterion, and the runs and topics at hand."""
        names = [field.name for field in fields(self) if field.name not in {"estimated", "share_of"}]
        planned = {name: [getattr(self, name)] for name in names}
        return Table({**planned, "runs": [self.estimated.runs], "topics": [self.estimated.topics]})

    def __str__(self) -> str:
        seen, share = self.estimated, f" ({self.share_of})" if self.share_of else ""
        return (
            f"{self.measure}: to find a difference of {self.difference:.6g}{share} with power {self.power:g} (alpha "
            f"{self.alpha:g}, one comparison without correction, variances pooled over all pairs of {seen.runs} runs): "
            f"{self.paired_t:,} topics for Student's paired t test of two runs, two-sided, {self.one_way:,} for "
            f"one-way ANOVA of the best and the worst of {seen.runs} runs, {self.width:,} for a "
            f"{100 * (1 - self.alpha):g}% interval of a difference that is no wider than that. The {seen.topics:,} "
            f"topics at hand are enough for a difference of {self.detectable:.4f} by the paired t test. (That a "
            "candidate is not worse by a margin is another question, one-sided: `gate` says how many topics it needs.)"
        )


def topics_needed(
    evaluation: Evaluation,
    difference: float | str,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: str | None = None,
) -> Needed:
    """How many topics an experiment needs to detect a difference of means, given the variances of an evaluation.

    Tests are two-sided, of one comparison, without a correction. That a candidate is not worse by a margin is tested on
    one side, by `gate`, which says how many topics that takes.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure, of two runs or more; variances are estimated from them.
    difference : float or str
        The difference of means to detect: a number, or a share of a mean such as '2%'; geometric means take a
        share alone.
    power : float
        Probability of detecting it.
    alpha : float
        Significance level of one comparison.
    baseline : str, optional
        Run whose mean a difference such as '2%' is a share of; by default the best.

    Returns
    -------
    Needed
        Numbers of topics for a paired t test, one-way ANOVA and the width of an interval.

    Raises
    ------
    ParameterError
        The evaluation has several measures or too few runs or topics, or a number is out of range.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1} for topic in range(8)}
    >>> first, second = ({topic: {"b": int(topic) % part, "a": 1} for topic in qrels} for part in (3, 4))
    >>> rs.topics_needed(rs.evaluate(qrels, {"first": first, "second": second}, "RR"), 0.1).paired_t
    83
    """
    check_arguments(topics_needed, locals())
    expected(evaluation, "topics_needed")
    if len(evaluation.measures) != 1:
        raise ParameterError(f"topics are planned for one measure, and the evaluation has {len(evaluation.measures)}")
    measure = evaluation.measures[0]
    shown, share_of = _difference(evaluation, difference, baseline)
    seen = variances(measure.averaged(np.where(evaluation.retrieved, evaluation.values, np.nan)[0].T))
    test = PairedTDesign(seen.differences, alpha)
    detectable = test.detectable(seen.topics, power)
    wanted = shown
    if measure.compared_by_ratio:  # variances are those of logarithms
        wanted, detectable = -log1p(-shown), -expm1(-detectable)
    return Needed(
        measure=str(measure),
        difference=shown,
        power=power,
        alpha=alpha,
        paired_t=test.topics(wanted, power),
        one_way=OneWay(seen.within, alpha, seen.runs).topics(wanted, power),
        width=Width(seen.differences, 1 - alpha).topics(wanted),
        detectable=detectable,
        estimated=seen,
        share_of=share_of,
    )


def _difference(evaluation: Evaluation, given: float | str, baseline: str | None) -> tuple[float, str]:
    """The difference in values of the measure and, for a percentage, what it is a share of."""
    measure = evaluation.measures[0]
    if isinstance(given, Real) and given > 0 and not measure.compared_by_ratio:
        return float(given), ""
    if not isinstance(given, str) or not given.strip().endswith("%"):
        raise ParameterError(
            f"the difference must be a number above 0, or a percentage of a mean such as '2%', got {given!r}"
            + (f"; {measure} has geometric means, and takes a percentage alone" * measure.compared_by_ratio)
        )
    means = evaluation.means().values[0]
    goodness = np.nan_to_num(-means if measure.low_is_good else means, nan=-np.inf)
    place = int(np.argmax(goodness)) if baseline is None else place_of(evaluation.runs, baseline, "run", "there are")
    margin = Margin.of(given, "difference")
    words = f"{margin} of the {measure.summed_up} of {evaluation.runs[place]}"
    return shown_margin(measure, margin, float(means[place])), words
