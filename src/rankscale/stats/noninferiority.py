"""Non-inferiority: whether a candidate is worse than its baseline by more than a margin.

Differences are those of a candidate and its baseline, topic by topic, positive where the candidate is better. A test
gives the probabilities of a mean difference as high, and as low, as the one observed if the true one lay at a limit;
with the margin below 0 as limit these are the p-values of "not worse by more than the margin" and "worse by more".
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.records import dataclass
from rankscale.stats.tests.base.draws import Draws
from rankscale.stats.tests.randomisation import Randomisation

Decision = Literal["pass", "fail", "inconclusive"]
EQUAL = 1e-12  # numbers that differ by no more are equal
EPSILON = float(np.finfo(np.float64).eps)
ALL_SIGNS = 16  # topics up to which all vectors of signs are tried
POWER = 0.8
Tails = tuple[float, float]  # probability of a mean as high as the one observed, and of one as low
TestOf = Callable[["Differences", float], Tails]  # given the limit that the true mean is at


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of a candidate and its baseline on some topics."""

    values: Floats  # (topic,), positive where the candidate is better
    mean: float  # NaN without topics, and where a difference is infinite
    deviation: float  # with n - 1; 0 where all are equal within rounding; NaN for fewer than two
    rounding: float  # numbers that differ by no more are equal

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


def differences(candidate: Floats, baseline: Floats, *, low_is_good: bool = False) -> Differences:
    """Differences of values (topic,) that are all defined; `low_is_good`: baseline less candidate."""
    with np.errstate(invalid="ignore"):  # of two infinite values
        values = baseline - candidate if low_is_good else candidate - baseline
    if not len(values) or not np.isfinite(values).all():
        return Differences(values, math.nan, math.nan, EQUAL)
    largest = float(max(np.abs(candidate).max(), np.abs(baseline).max()))
    rounding = max(EQUAL, 8 * EPSILON * largest)
    mean = math.fsum(values.tolist()) / len(values)
    if float(values.max() - values.min()) <= rounding:
        return Differences(values, mean, 0.0 if len(values) > 1 else math.nan, rounding)
    squares = math.fsum(np.square(values - mean).tolist())
    return Differences(values, mean, math.sqrt(squares / (len(values) - 1)), rounding)


def student(of: Differences, limit: float) -> Tails:
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


def randomised(of: Differences, limit: float, *, samples: int, seed: int) -> Tails:
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


def one_sided_bounds(of: Differences, alpha: float) -> tuple[float, float]:
    """Lower and upper bound of the mean, each with confidence 1 - alpha, by Student's t."""
    from scipy.special import stdtrit

    if not of.testable:
        return math.nan, math.nan
    reach = float(stdtrit(of.topics - 1, 1 - alpha)) * of.error
    return of.mean - reach, of.mean + reach


def equivalence(of: Differences, test: TestOf, lower: float, upper: float) -> float:
    """The p-value of two one-sided tests (TOST): that the mean lies above -lower, and below upper."""
    above, below = test(of, -lower)[0], test(of, upper)[1]
    return math.nan if math.isnan(above) or math.isnan(below) else max(above, below)


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


def share_worse(of: Differences, share: float = 0.5) -> ShareWorse:
    """How many topics get worse, of those that differ, and the binomial p-value.

    >>> share_worse(differences(np.array([1.0, 2, 3, 4, 0]), np.zeros(5)))
    ShareWorse(worse=0, differ=4, share=0.5, p=0.0625)
    """
    from scipy.special import bdtr

    worse = int(np.count_nonzero(of.values < -of.rounding))
    differ = worse + int(np.count_nonzero(of.values > of.rounding))
    return ShareWorse(worse, differ, share, float(bdtr(worse, differ, share)))


@dataclass(frozen=True)
class Power:
    """What these topics could have shown, for the standard deviation of their differences."""

    at_zero: float  # chance to pass if there is no difference
    topics_needed: int | None  # topics that then pass with probability 0.8; None for more than can be counted
    detectable: float  # drop that these topics see with probability 0.8


def power_of(of: Differences, margin: float, alpha: float) -> Power | None:
    """Power by the noncentral t distribution; None where differences do not vary, or cannot be tested."""
    from rankscale.errors import ParameterError
    from rankscale.stats.power import OneSidedT

    if not of.testable or of.deviation == 0:
        return None
    design = OneSidedT(of.deviation**2, alpha)
    try:
        needed: int | None = design.topics(margin, POWER)
    except ParameterError:  # more than the most that are looked for
        needed = None
    return Power(design.power(margin, of.topics), needed, design.detectable(of.topics, POWER))
