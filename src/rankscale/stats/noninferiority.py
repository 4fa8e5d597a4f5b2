"""Non-inferiority and equivalence: whether a candidate is worse, or differs at all, by more than a margin.

Differences are those of a candidate and its baseline, topic by topic, positive where the candidate is better. A test
gives the probabilities of a mean difference as high, and as low, as the one observed if the true one lay at a limit;
with the margin below 0 as limit these are the p-values of "not worse by more than the margin" and "worse by more".

A relative margin m is a share of the baseline's mean, which is itself an estimate from the same topics. So it is not
taken as known: what is tested against 0 is the difference plus m times the baseline, topic by topic; where high is
good that is candidate - (1 - m) baseline.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.exact_sums import mean_difference
from rankscale.errors import Setting
from rankscale.measures.base.measure import Measure
from rankscale.stats.corrections import WHOSE, correct
from rankscale.stats.margin import Margin, MarginLike, limits, shown_margin
from rankscale.stats.tests.base.resampling import Draws
from rankscale.stats.tests.base.test import Pairs
from rankscale.stats.tests.random_draws import Randomisation

Decision = Literal["pass", "fail", "inconclusive"]
EQUAL = 1e-12  # numbers that differ by no more are equal
EPSILON = float(np.finfo(np.float64).eps)
ROOT = 1e-9  # imaginary part, relative to its size, of a root that is real but for rounding
ALL_SIGNS = 16  # topics up to which all vectors of signs are tried
POWER = 0.8
Tails = tuple[float, float]  # probability of a mean as high as the one observed, and of one as low
TestOf = Callable[["CandidateDifferences", float], Tails]  # given the limit that the true mean is at


@dataclass(frozen=True, eq=False)
class CandidateDifferences:
    """Differences of a candidate and its baseline on some topics."""

    values: Floats  # (topic,), positive where the candidate is better
    mean: float  # NaN without topics, and where a difference is infinite
    deviation: float  # with n - 1; 0 where all are equal within rounding; NaN for fewer than two
    rounding: float  # numbers that differ by no more are equal

    @classmethod
    def of(cls, values: Floats, largest: float) -> Self:
        """Values (topic,) that were computed from numbers of this size."""
        if not len(values) or not np.isfinite(values).all():
            return cls(values, math.nan, math.nan, EQUAL)
        rounding = max(EQUAL, 8 * EPSILON * largest)
        mean = math.fsum(values.tolist()) / len(values)
        if float(values.max() - values.min()) <= rounding:
            return cls(values, mean, 0.0 if len(values) > 1 else math.nan, rounding)
        squares = math.fsum(np.square(values - mean).tolist())
        return cls(values, mean, math.sqrt(squares / (len(values) - 1)), rounding)

    @property
    def topics(self) -> int:
        """Number of topics."""
        return len(self.values)

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.deviation / math.sqrt(self.topics) if self.topics else math.nan

    @property
    def testable(self) -> bool:
        """Whether there are two topics or more, with finite values."""
        return self.topics > 1 and math.isfinite(self.mean)


def differences(candidate: Floats, baseline: Floats, *, low_is_good: bool = False) -> CandidateDifferences:
    """Differences of values (topic,) that are all defined; `low_is_good`: baseline less candidate."""
    better, worse = (baseline, candidate) if low_is_good else (candidate, baseline)
    with np.errstate(invalid="ignore"):  # of two infinite values
        made = CandidateDifferences.of(better - worse, _largest(candidate, baseline))
    return replace(made, mean=mean_difference(better, worse)) if math.isfinite(made.mean) else made


def with_share(of: CandidateDifferences, baseline: Floats, share: float) -> CandidateDifferences:
    """The differences plus a share of the baseline, topic by topic: at 0 where the candidate is worse by that share."""
    with np.errstate(invalid="ignore"):
        values = of.values + share * baseline
    return CandidateDifferences.of(values, 2 * _largest(baseline, of.values))


def _largest(*values: Floats) -> float:
    return max((float(np.abs(one).max(initial=0.0)) for one in values), default=0.0)


def student(of: CandidateDifferences, limit: float) -> Tails:
    """By Student's t; where all differences are equal, by the side of the limit that they are on.

    >>> cand, base = np.array([0.40, 0.33, 0.54, 0.19]), np.array([0.42, 0.31, 0.55, 0.20])
    >>> print("{:.4f} {:.4f}".format(*student(differences(cand, base), -0.02)))
    0.0908 0.9092
    """
    from scipy.special import stdtr

    gap = of.mean - limit
    if not of.testable:
        return math.nan, math.nan
    if of.error == 0:
        return (math.nan, math.nan) if abs(gap) <= of.rounding else (0.0, 1.0) if gap > 0 else (1.0, 0.0)
    t = gap / of.error
    return float(stdtr(of.topics - 1, -t)), float(stdtr(of.topics - 1, t))


def randomised(of: CandidateDifferences, limit: float, *, samples: int, seed: int) -> Tails:
    """By the signs that differences from the limit could as well have: all of them for up to 16 topics."""
    if not of.testable:
        return math.nan, math.nan
    signs, every = _signs(of.topics, samples, seed)
    shifted = of.values - limit
    (sums,), total = signs.sums(shifted[None]), float(shifted.sum())
    rounding = max(EQUAL, 2 * of.topics * EPSILON * float(np.abs(shifted).sum()))
    hits = np.count_nonzero(sums >= total - rounding), np.count_nonzero(sums <= total + rounding)
    observed = 0 if every else 1  # among all vectors it is one already
    high, low = ((observed + int(number)) / (observed + signs.number) for number in hits)
    return high, low


@lru_cache(maxsize=4)
def _signs(topics: int, samples: int, seed: int) -> tuple[Draws, bool]:
    """All vectors of signs, or random ones; and whether they are all."""
    test = Randomisation(samples=max(samples, 2**topics) if topics <= ALL_SIGNS else samples, seed=seed)
    return test.draws_over(topics), test.exact(topics)


def tails_by(name: str, samples: int, seed: int) -> TestOf:
    """The test of this name."""
    return student if name == "student" else partial(randomised, samples=samples, seed=seed)


def one_sided_bounds(of: CandidateDifferences, alpha: float) -> tuple[float, float]:
    """Lower and upper bound of the mean, each with confidence 1 - alpha, by Student's t."""
    from scipy.special import stdtrit

    if not of.testable:
        return math.nan, math.nan
    reach = float(stdtrit(of.topics - 1, 1 - alpha)) * of.error
    return of.mean - reach, of.mean + reach


def margin_tails(of: CandidateDifferences, baseline: Floats, margin: Margin, test: TestOf) -> Tails:
    """The p-values of "not worse by more than the margin" and of "worse by more".

    With an absolute and a relative margin, of which the larger counts, either may show the first, each at half the
    level, and both must show the second.
    """
    each = []
    if margin.absolute is not None:
        each.append(test(of, -margin.absolute))
    if margin.relative is not None:
        each.append(test(with_share(of, baseline, margin.relative), 0.0))
    if len(each) == 1:
        return each[0]
    known = [tails for tails in each if not math.isnan(tails[0])]
    if not known:
        return math.nan, math.nan
    # A test at its limit, of differences that do not vary, shows nothing.
    worse = max(tails[1] for tails in known) if len(known) == len(each) else 1.0
    return min(1.0, len(each) * min(tails[0] for tails in known)), worse


def equivalence(of: CandidateDifferences, baseline: Floats, test: TestOf, lower: Margin, upper: Margin) -> float:
    """The p-value of two one-sided tests (TOST): that the mean lies above the lower margin and below the upper one."""
    above = margin_tails(of, baseline, lower, test)[0]
    turned = CandidateDifferences(-of.values, -of.mean, of.deviation, of.rounding)
    below = margin_tails(turned, baseline, upper, test)[0]
    return math.nan if math.isnan(above) or math.isnan(below) else max(above, below)


def relative_tolerance(of: CandidateDifferences, baseline: Floats, alpha: float) -> float:
    """The smallest relative margin that passes by Student's t; NaN where none below 1 does.

    With d the differences and b the baseline, t of d + m b is the critical value c where
    (mean d + m mean b)^2 = c^2 / n var(d + m b): the least m above 0 that solves this.

    >>> cand, base = np.array([0.40, 0.33, 0.54, 0.19]), np.array([0.42, 0.31, 0.55, 0.20])
    >>> print(round(relative_tolerance(differences(cand, base), base, 0.05), 6))
    0.068654
    """
    from scipy.special import stdtrit

    if not of.testable or not np.isfinite(baseline).all():
        return math.nan
    n, mean = of.topics, math.fsum(baseline.tolist()) / len(baseline)
    reach = float(stdtrit(n - 1, 1 - alpha))
    if of.mean > reach * of.error:
        return 0.0
    shared = np.cov(of.values, baseline)
    per_topic = reach**2 / n
    square, linear = mean**2 - per_topic * shared[1, 1], 2 * (of.mean * mean - per_topic * shared[0, 1])
    constant = of.mean**2 - per_topic * of.deviation**2
    roots = np.roots([square, linear, constant]) if square else np.array([-constant / linear] if linear else [])
    real = sorted(float(root.real) for root in roots if abs(root.imag) <= ROOT * abs(root))
    passing = [root for root in real if 0 <= root < 1 and of.mean + root * mean >= -of.rounding]
    return passing[0] if passing else math.nan


def decide(p_noninferior: float, p_worse: float, alpha: float) -> Decision:
    """The decision by two p-values; where these are undefined there is none.

    >>> decide(0.036, 0.964, 0.05), decide(0.999, 0.001, 0.05), decide(0.3, 0.7, 0.05)
    ('pass', 'fail', 'inconclusive')
    """
    if p_noninferior < alpha:
        return "pass"
    return "fail" if p_worse < alpha else "inconclusive"


def combined(decisions: "list[Decision]") -> Decision:
    """Fail if any fails, pass if all pass, else inconclusive.

    >>> combined(["pass", "inconclusive"]), combined(["fail", "inconclusive"]), combined(["pass"])
    ('inconclusive', 'fail', 'pass')
    """
    if "fail" in decisions:
        return "fail"
    return "pass" if decisions and all(one == "pass" for one in decisions) else "inconclusive"


def remark(decision: Decision, lower: float, upper: float) -> str:
    """What a decision says about the difference; never that there is none."""
    if decision == "fail":
        return "worse by more than the margin"
    if decision == "inconclusive":
        return "not shown either way"
    if lower > 0:
        return "better"
    return "worse than the baseline, by less than the margin" if upper < 0 else "not worse by more than the margin"


@dataclass(frozen=True)
class ShareWorse:
    """On how many topics the candidate is worse, which holds on any scale."""

    worse: int
    differ: int  # topics on which the two differ
    share: float  # that of topics that get worse is to lie below this
    p: float  # that so few are worse, if the share were this

    def below(self, alpha: float) -> bool:
        """Whether the share of topics that get worse is below the one to stay under."""
        return self.p < alpha


def share_worse(of: CandidateDifferences, share: float = 0.5) -> ShareWorse:
    """How many topics get worse, of those that differ, and the binomial p-value.

    >>> share_worse(differences(np.array([1.0, 2, 3, 4, 0]), np.zeros(5)))
    ShareWorse(worse=0, differ=4, share=0.5, p=0.0625)
    """
    from scipy.special import bdtr

    worse = int(np.count_nonzero(of.values < -of.rounding))
    differ = worse + int(np.count_nonzero(of.values > of.rounding))
    return ShareWorse(worse, differ, share, float(bdtr(worse, differ, share)))


@dataclass(frozen=True)
class TopicsPower:
    """What these topics could have shown, for the standard deviation of their differences."""

    at_zero: float  # chance to pass if there is no difference
    topics_needed: int | None  # topics that then pass with probability 0.8; None for more than can be counted
    detectable: float  # drop that these topics see with probability 0.8


def margin_power(of: CandidateDifferences, baseline: Floats, margin: Margin, alpha: float) -> TopicsPower | None:
    """What topics could have shown of a margin, by the noncentral t distribution; None where nothing can be tested.

    With an absolute and a relative margin it is that of the better of the two, each at half the level.
    """
    each = []
    if margin.absolute is not None:
        each.append((of, margin.absolute))
    if margin.relative is not None:
        mean = math.fsum(baseline.tolist()) / len(baseline) if len(baseline) else math.nan
        each.append((with_share(of, baseline, margin.relative), margin.relative * mean))
    made = [power_of(tested, limit, alpha / len(each)) for tested, limit in each]
    known = [one for one in made if one is not None]
    if not known:
        return None
    needed = min((one.topics_needed for one in known if one.topics_needed is not None), default=None)
    return TopicsPower(max(one.at_zero for one in known), needed, min(one.detectable for one in known))


def power_of(of: CandidateDifferences, limit: float, alpha: float) -> TopicsPower | None:
    """Power of a one-sided t test against this limit; None where differences do not vary, or cannot be tested."""
    from rankscale.stats.power import OneSidedT, least_topics

    if not of.testable or of.deviation == 0 or not limit > 0:
        return None
    design = OneSidedT(of.deviation**2, alpha)
    needed = least_topics(lambda topics: design.power(limit, topics) >= POWER)
    return TopicsPower(design.power(limit, of.topics), needed, design.detectable(of.topics, POWER))


@dataclass(frozen=True, eq=False)
class Equivalence:
    """Two one-sided tests (TOST) of each pair, by Student's t.

    Attributes
    ----------
    margin : Margin
        As it was given.
    margins : array (pair,)
        In values of the measure; a relative one is a share of the mean of the second run, or of geometric means the
        share itself.
    p_uncorrected, p : array (pair,)
        p-values, and those corrected for the number of pairs; NaN where a pair cannot be tested.
    """

    margin: Margin
    margins: Floats
    p_uncorrected: Floats
    p: Floats
    correction: str
    alpha: float

    @property
    def equivalent(self) -> Bools:
        """(pair,): whether the difference is shown to be smaller than the margin."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

    def sentence(self) -> str:
        """How many pairs are equivalent; the others are not shown to differ."""
        how = "" if self.correction == "none" else f", {WHOSE[self.correction]} correction"
        shown, of = int(self.equivalent.sum()), len(self.p)
        others = "; the others are not shown to be equivalent" if 0 < shown < of else ""
        pairs = "1 pair is" if of == 1 else f"{of:,} pairs are"
        return (
            f"{shown:,} of {pairs} shown to be equivalent within {self.margin} (two one-sided t tests{how}, alpha "
            f"{self.alpha:g}){others}"
        )


def equivalences(
    measure: Measure, values: Floats, pairs: Pairs, margin: MarginLike, correction: str, alpha: float
) -> Equivalence:
    """Test pairs of runs, given values (topic, run), on the topics on which both have one.

    >>> from rankscale.measures.precision import P
    >>> values, pair = np.array([[0.40, 0.42], [0.33, 0.31], [0.54, 0.55], [0.19, 0.20]]), Pairs(*np.array([[0], [1]]))
    >>> equivalences(P(depth=100), values, pair, 0.05, "holm", 0.05).p.round(4)
    array([0.0069])
    """
    read = Margin.of(margin, Setting("equivalence"))
    tested, (lower, upper) = measure.averaged(values), limits(measure, read)
    margins, p = np.empty(len(pairs)), np.empty(len(pairs))
    for place, runs in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        both = tested[:, runs]
        first, second = both[~np.isnan(both).any(axis=1)].T
        with np.errstate(invalid="ignore"):  # of infinite values
            mean = float(second.mean()) if len(second) else np.nan
        margins[place] = shown_margin(measure, read, mean)
        p[place] = equivalence(differences(first, second), second, student, lower, upper)
    return Equivalence(read, margins, p, correct(p, correction), correction, alpha)
