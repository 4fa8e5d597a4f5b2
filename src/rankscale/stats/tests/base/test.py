"""Test: what every significance test declares, takes and returns."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.exact_sums import PairSums
from rankscale.errors import ParameterError
from rankscale.stats.p_text import p_text

Progress = Callable[[int, int], None]  # how much is done, and of how much
ScaleType = Literal["nominal", "ordinal", "interval", "ratio"]
SCALE_TYPES: tuple[ScaleType, ...] = ("nominal", "ordinal", "interval", "ratio")  # each allows what those before allow


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
    asks: ClassVar[ScaleType]  # the scale that values must be on for its outcome to mean anything
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

    def draws(self) -> np.random.Generator:
        """Random numbers of this test."""
        return np.random.default_rng(self.seed)

    @abstractmethod
    def compare(
        self, values: Floats, pairs: Pairs, confidence: float = 0.95, progress: Progress | None = None
    ) -> PairResults:
        """As that of any test. `progress` is called several times a second with how much is done, and of how much.

        What it raises ends the test, so that one that takes long can be left.
        """


def share_at_least(hits: Ints, samples: int) -> Floats:
    """p-values of resampling, (1 + hits) / (1 + samples): what was observed counts as one of the draws."""
    p: Floats = (1.0 + hits.astype(np.float64)) / (1.0 + samples)
    return p


def complete(values: Floats) -> Floats:
    """The topics on which all runs have a value."""
    return values[~np.isnan(values).any(axis=1)]


def check_alpha(alpha: float) -> None:
    """Raise ParameterError unless 0 < alpha < 1."""
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1, got {alpha}")
