"""Test: what every significance test declares, takes and returns; effect sizes; what tests of single pairs share."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.exact_sums import PairSums
from rankscale.errors import ParameterError
from rankscale.stats.resampling.order_statistics import check_confidence

MOST_DIGITS = 17
Progress = Callable[[int, int], None]  # how much is done, and of how much
NeededScale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALE_TYPES: tuple[NeededScale, ...] = get_args(NeededScale)  # each allows what those before allow
AT_ONCE = 1 << 20  # values of each run that are compared at once: memory stays small, whatever the number of pairs
GIVEN, OUTCOME = ("difference", "topics"), ("p", "statistic", "lower", "upper")  # what a pair has in any case, or not


def p_text(p: float, alpha: float = 0.05, family: str = "") -> str:
    """A p-value, with as many digits as it takes to see whether it is below alpha, and what it is corrected for.

    >>> p_text(0.02613, 0.05), p_text(0.04999, 0.05), p_text(1e-9, 0.05), p_text(float("nan"), 0.05)
    ('p = 0.026', 'p = 0.04999', 'p < 0.0001', 'not tested')
    >>> p_text(0.02613, 0.05, "276 pairs, Holm")
    'p = 0.026, 276 pairs, Holm'
    """
    if math.isnan(p):
        return "not tested"
    of = f", {family}" if family else ""
    if p < 0.0001 <= alpha:
        return f"p < 0.0001{of}"
    texts = (f"{p:.{digits}g}" for digits in range(2, MOST_DIGITS + 1))
    return f"p = {next(text for text in texts if (float(text) < alpha) == (p < alpha))}{of}"


@dataclass(frozen=True)
class Pairs:
    """Pairs of runs that are compared: rows of one and of the other."""

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)


def all_pairs(runs: int) -> Pairs:
    """Each run with each that follows it.

    >>> all_pairs(3)
    Pairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """
    first, second = np.triu_indices(runs, k=1)
    return Pairs(first, second)


def pairs_with(runs: int, baseline: int, *more: int) -> Pairs:
    """Each run, as first, with one of them, or with each of several; these are not compared with each other.

    >>> pairs_with(4, 2, 0)
    Pairs(first=array([1, 3, 1, 3]), second=array([2, 2, 0, 0]))
    """
    baselines = [baseline, *more]
    others = np.delete(np.arange(runs), baselines)
    return Pairs(np.tile(others, len(baselines)), np.repeat(np.array(baselines, dtype=np.int64), len(others)))


@dataclass(frozen=True)
class Omnibus:
    """Whether any runs differ at all: the statistic of all of them together."""

    name: str  # of the statistic: F, H, chi-squared
    statistic: float
    p: float
    effects: Mapping[str, float] = field(default_factory=dict)  # eta squared, omega squared, Kendall's W ...
    df: tuple[int, ...] = ()  # degrees of freedom: those of runs and of the error for F; none where p is resampled

    @property
    def text(self) -> str:
        """As papers print it.

        >>> Omnibus("F", 22.1234, 0.0004, df=(3, 147)).text
        'F(3, 147) = 22.12, p = 0.0004'
        """
        freedom = f"({', '.join(map(str, self.df))})" if self.df else ""
        return f"{self.name}{freedom} = {self.statistic:.4g}, {p_text(self.p)}"

    def to_dict(self) -> dict[str, object]:
        """For JSON; None for numbers that are infinite or undefined."""
        numbers = {"statistic": self.statistic, **self.effects}
        finite = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
        statistic = finite.pop("statistic")
        return {"name": self.name, "statistic": statistic, "df": list(self.df), "p": self.p, "effects": finite}


@dataclass(frozen=True)
class PairResults:
    """Results of a test for each pair; differences are first less second, in what the test compares."""

    difference: Floats  # (pair,): of means, medians, mean ranks or wins: what `Test.compares` says
    p: Floats  # (pair,), before any correction; NaN where a pair cannot be tested
    topics: Ints  # (pair,): over how many topics
    statistic: Floats  # (pair,)
    lower: Floats | None = None  # (pair,): the interval of the difference, at the confidence requested
    upper: Floats | None = None
    effects: Mapping[str, Floats] = field(default_factory=dict)  # (pair,) each, by the name of the effect size
    omnibus: Omnibus | None = None
    corrected: bool = False  # whether p is already that of all pairs together, as those of Tukey are

    @property
    def ends(self) -> tuple[Floats, Floats] | None:
        """(pair,) each: lower and upper ends of the intervals; None for tests without."""
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)


@dataclass(frozen=True)
class Test(ABC):
    """A significance test over a matrix (topic, run) of values, for many pairs of runs at once.

    Undefined values (NaN) are left out: topic by topic for both runs of a pair where pairs are tested by themselves,
    for all runs where they are tested together (`together`).
    """

    __test__: ClassVar[bool] = False  # pytest takes no notice

    name: ClassVar[str]  # as users write it: 'student'
    aliases: ClassVar[tuple[str, ...]] = ()  # other names that users may write
    label: ClassVar[str]  # as it is called in a sentence: "Student's paired t test"
    help: ClassVar[str]  # what it compares, in a table of all tests
    asks: ClassVar[NeededScale]  # the scale that values must be on for its outcome to mean anything
    across_topics: ClassVar[bool] = True  # whether values of different topics are compared or added
    compares: ClassVar[str] = "mean"  # of what the difference is
    in_values: ClassVar[bool] = True  # whether the difference is in the values given, not in ranks or shares
    together: ClassVar[bool] = False  # whether all runs are tested at once, with a correction of its own
    needs_baseline: ClassVar[bool] = False  # whether it takes no other pairs than those of all runs with one
    least_topics: ClassVar[int] = 2
    paper: ClassVar[str] = ""

    @abstractmethod
    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The outcome for each pair; `values` is (topic, run), checked by `check`."""

    def check(self, values: Floats) -> None:
        """Raise ParameterError if there are too few topics or runs."""
        topics, runs = values.shape
        self._check(runs, int(np.count_nonzero(~np.isnan(values).any(axis=1))) if self.together else topics)

    def _check(self, runs: int, usable: int) -> None:
        if runs < 2:
            raise ParameterError(f"{self.label} compares runs: two or more are needed, got {runs}")
        if usable < self.least_topics:
            raise ParameterError(
                f"{self.label} needs {self.least_topics} topics or more on which all runs have a value, got {usable}"
            )


@dataclass(frozen=True)
class SumsTest(Test):
    """A test that rests on exact sums over topics, so that it needs no values of single topics."""

    @abstractmethod
    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The outcome for each pair, given the sums of the values that `compare` takes: the same to the last bit."""

    def check_sums(self, sums: PairSums) -> None:
        """Raise ParameterError if there are too few topics or runs."""
        about = sums.together
        self._check(sums.runs, about.topics + (0 if self.together else about.dropped))


@dataclass(frozen=True)
class Resampling(Test):
    """A test by random draws: the same seed gives the same outcome, and no p-value is 0."""

    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ParameterError(f"{self.label}: samples must be 1 or more, got {self.samples}")

    @abstractmethod
    def compare(
        self, values: Floats, pairs: Pairs, confidence: float = 0.95, progress: Progress | None = None
    ) -> PairResults:
        """As that of any test. `progress` is called several times a second with how much is done, and of how much.

        What it raises ends the test, so that one that takes long can be left.
        """


def share_at_least(hits: Ints, samples: int) -> Floats:
    """p-values of resampling, (1 + hits) / (1 + samples): what was observed counts as one of the draws."""
    return (1.0 + hits.astype(np.float64)) / (1.0 + samples)


def complete(values: Floats) -> Floats:
    """The topics on which all runs have a value."""
    return values[~np.isnan(values).any(axis=1)]


def check_alpha(alpha: float) -> None:
    """Raise ParameterError unless 0 < alpha < 1."""
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1, got {alpha}")


@dataclass(frozen=True)
class PairTest(Test):
    """A test that takes each pair by itself, over the topics on which both runs have a value; it gives intervals."""

    @abstractmethod
    def compare_rows(self, first: Floats, second: Floats, topics: Ints, confidence: float) -> PairResults:
        """The outcome for each row of (pair, topic); `topics` says where NaN leaves some out, which it does in both."""

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The outcome for each pair; p and all that goes with it are NaN where a pair has too few topics."""
        check_confidence(confidence)
        self.check(values)
        by_run = np.ascontiguousarray(values.T, dtype=np.float64)
        size = max(1, AT_ONCE // max(len(values), 1))
        parts = []
        for start in range(0, max(len(pairs), 1), size):  # as many as fit; one part, of none, where there are no pairs
            first, second = (by_run[side[start : start + size]] for side in (pairs.first, pairs.second))
            missing = np.isnan(first) | np.isnan(second)
            first[missing] = second[missing] = np.nan
            topics = first.shape[1] - np.count_nonzero(missing, axis=1)
            parts.append(untested(self.compare_rows(first, second, topics, confidence), topics < self.least_topics))
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in (*GIVEN, *OUTCOME)
        }
        effects = {name: np.concatenate([part.effects[name] for part in parts]) for name in parts[0].effects}
        return PairResults(effects=effects, **columns)


def untested(result: PairResults, few: Bools) -> PairResults:
    """With NaN for the pairs that have too few topics; their difference stays, and how many topics it is over."""
    outcome: dict[str, Any] = {name: np.where(few, np.nan, getattr(result, name)) for name in OUTCOME}
    effects = {name: np.where(few, np.nan, effect) for name, effect in result.effects.items()}
    return PairResults(result.difference, topics=result.topics, effects=effects, **outcome)


def check_finite(words: str, infinite: int) -> None:
    """Raise ParameterError if some values are infinite and so have no mean."""
    if infinite:
        raise ParameterError(
            f"{words} compares means, and {infinite} of the values are infinite; "
            "tests on ranks take them: 'friedman', 'kruskal-wallis', 'sign'"
        )


def paired_d(mean: Floats, deviation: Floats) -> Floats:
    """The mean difference over the standard deviation of the differences: Cohen's d of paired values, d_z.

    Where all differences are the same it is 0 if they are 0, and infinite if not.

    >>> paired_d(np.array([0.15, 0.0, 0.1]), np.array([0.1, 0.0, 0.0]))
    array([1.5, 0. , inf])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        d: Floats = np.where((mean == 0) & (deviation == 0), 0.0, mean / deviation)
    return d


def hedges_g(d: Floats, topics: Ints) -> Floats:
    """Paired d without its bias in small samples; NaN below three topics, where d has no expectation.

    Of the variants for paired values this is that of d_z with n - 1 degrees of freedom (Gibbons, Hedeker and Davis
    1993), with the factor of Hedges 1981 in full rather than 1 - 3/(4 df - 1). The other one, d_av over the mean of
    both runs' deviations, compares with studies that are not paired (Lakens 2013); its factor is approximate. Topics
    are always paired here, and for d_z the factor is exact.

    >>> print(hedges_g(np.array([1.5]), np.array([4])).round(4))
    [1.0854]
    """
    from scipy.special import gammaln

    freedom = np.maximum(topics - 1.0, 2.0)
    factor = np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / np.sqrt(freedom / 2)
    return np.where(topics < 3, np.nan, d * factor)


def paired_effects(mean: Floats, deviation: Floats, topics: Ints) -> dict[str, Floats]:
    """Effect sizes of tests of mean differences, by name."""
    d = paired_d(mean, deviation)
    return {"paired_d": d, "hedges_g": hedges_g(d, topics)}


def cliffs_delta(above: Floats, below: Floats, comparisons: Floats | float) -> Floats:
    """Share of pairs of values where the first run is above the second, less the share where it is below.

    Over all pairs of values: which topics they belong to does not matter.

    >>> cliffs_delta(np.array([6.0]), np.array([2.0]), np.array([9.0])).round(4)
    array([0.4444])
    """
    with np.errstate(invalid="ignore"):
        delta: Floats = (above - below) / comparisons
    return delta


def common_language(above: Floats, below: Floats, comparisons: Floats | float) -> Floats:
    """The chance that a value of the first run is above one of the second, ties counted half (Vargha and Delaney's A).

    >>> common_language(np.array([6.0]), np.array([2.0]), np.array([9.0])).round(4)
    array([0.7222])
    """
    return 0.5 + cliffs_delta(above, below, comparisons) / 2


def rank_biserial(positive: Floats, topics: Ints) -> Floats:
    """Share of the sum of signed ranks that is positive, less the share that is negative.

    Kerby 2014, matched pairs; 0 where no topic is left.

    >>> rank_biserial(np.array([9.0]), np.array([4]))
    array([0.8])
    """
    total = topics * (topics + 1.0) / 2
    return np.where(total > 0, 2 * positive / np.maximum(total, 1.0) - 1, 0.0)
