"""Analysis of variance, of values and of ranks: all runs together, by Tukey's test of pairs or Dunnett's of one."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import PairSums, RunSums, nearest
from rankscale.errors import ParameterError, Setting
from rankscale.stats.tests.base.simultaneous import RunMeans, quotient, tukey, with_baseline
from rankscale.stats.tests.base.test import (
    NeededScale,
    Omnibus,
    PairResults,
    Pairs,
    SumsTest,
    Test,
    check_finite,
    cliffs_delta,
    common_language,
    complete,
)

DegreesOfFreedom = Literal["error", "infinite"]
ROUNDING = 32 * np.finfo(np.float64).eps  # of the largest value: what means and errors owe to rounding alone


@dataclass(frozen=True)
class SumsOfSquares:
    """An analysis of variance: squared deviations that runs account for, and those that nothing does."""

    runs: float
    error: float
    total: float
    df_runs: int
    df_error: int

    @property
    def mean_error(self) -> float:
        """The variance that is left."""
        return self.error / self.df_error

    def omnibus(self) -> Omnibus:
        """The F test, and how much of the variance runs account for."""
        from scipy.special import fdtrc

        f = float(quotient(np.array(self.runs / self.df_runs), self.mean_error))
        p = float(fdtrc(self.df_runs, self.df_error, f)) if math.isfinite(f) else 0.0
        return Omnibus("F", f, p, self.effects(), (self.df_runs, self.df_error))

    def effects(self) -> dict[str, float]:
        """Shares of the sum of squares that lie between the runs; NaN where all values are the same.

        Partial eta squared leaves out what lies between topics; omega squared is without the bias of eta squared, as it
        would be among all runs of this kind, and may be a little below 0.

        >>> SumsOfSquares(runs=2.0, error=2.0, total=8.0, df_runs=2, df_error=4).effects()
        {'eta squared': 0.25, 'partial eta squared': 0.5, 'omega squared': 0.11764705882352941}
        """
        chance = self.df_runs * self.mean_error
        shares = {
            "eta squared": (self.runs, self.total),
            "partial eta squared": (self.runs, self.runs + self.error),
            "omega squared": (self.runs - chance, self.total + self.mean_error),
        }
        return {name: part / whole if whole > 0 else math.nan for name, (part, whole) in shares.items()}


def analysed(sums: RunSums, df: DegreesOfFreedom, *, topics: bool) -> tuple[RunMeans, SumsOfSquares]:
    """The variance on the topics of all runs taken apart: into runs, topics (if `topics`) and error.

    Sums of squares are differences of exact sums, each rounded once.
    """
    number, runs = sums.topics, len(sums.largest)
    unit = min(sums.total.unit, sums.squares.unit // 2, sums.topic_squares.unit // 2)
    of_runs: list[int] = sums.total.in_unit(unit).tolist()
    grand, squares = sum(of_runs), int(sums.squares.in_unit(2 * unit).sum())
    of_topics = int(sums.topic_squares.in_unit(2 * unit).item())
    # Sums of squares, times the number of values, so that all are whole numbers of the squared unit.
    between = runs * sum(one * one for one in of_runs) - grand * grand
    by_topic = number * of_topics - grand * grand if topics else 0
    total = number * runs * squares - grand * grand
    ss_runs, ss_error, ss_total = (
        nearest(one, number * runs, 2 * unit) for one in (between, total - between - by_topic, total)
    )
    means = np.array([nearest(one, number, unit) for one in of_runs], dtype=np.float64)
    rounding = float(ROUNDING * sums.largest.max())
    if ss_error <= number * runs * rounding**2:  # which an error of exactly 0 leaves behind
        ss_error = 0.0
    if np.abs(means - nearest(grand, number * runs, unit)).max() <= rounding:
        ss_runs = 0.0
    df_error = (runs - 1 if topics else runs) * (number - 1)
    analysis = SumsOfSquares(ss_runs, ss_error, ss_total, runs - 1, df_error)
    used = math.inf if df == "infinite" else float(df_error)
    return RunMeans(means, analysis.mean_error / number, used, number, rounding), analysis


@dataclass(frozen=True)
class Anova(SumsTest):
    """Whether mean values differ; `df` is that of the error, or 'infinite', as in published tables."""

    asks: ClassVar[NeededScale] = "interval"
    together: ClassVar[bool] = True
    topics: ClassVar[bool]  # whether what topics add to all runs alike is taken out of the error

    df: DegreesOfFreedom = "error"

    def __post_init__(self) -> None:
        if self.df not in {"error", "infinite"}:
            raise ParameterError(f"{self.label}: df must be 'error' or 'infinite', got {self.df!r}")

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Differences of means; statistics are in standard errors of a mean."""
        self.check(values)
        return self.compare_together(RunSums.of(values), pairs, confidence)

    def compare_sums(self, sums: PairSums, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """The same from exact sums that were made block by block."""
        self.check_sums(sums)
        return self.compare_together(sums.together, pairs, confidence)

    def compare_together(self, sums: RunSums, pairs: Pairs, confidence: float) -> PairResults:
        """Analysis of variance of the topics of all runs; effects are in standard deviations of the error."""
        check_finite(self.label, sums.infinite)
        means, analysis = analysed(sums, self.df, topics=self.topics)
        result = self.compare_means(means, pairs, confidence, analysis.omnibus())
        return replace(result, effects={"d": quotient(result.difference, math.sqrt(analysis.mean_error))})

    compare_means = staticmethod(tukey)


@dataclass(frozen=True)
class OneWayAnova(Anova):
    """Whether mean values differ, taking the values of each run as a sample of their own.

    The variance within these runs is 1, the standard error of a mean over three topics 0.577:

    >>> import numpy as np
    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [3.0, 4.0, 6.0]])
    >>> result = OneWayAnova().compare(values, all_pairs(3))
    >>> result.difference, result.statistic.round(3), round(result.omnibus.statistic, 3)
    (array([-1., -3., -2.]), array([1.732, 5.196, 3.464]), 7.0)
    >>> result.p.round(3)
    array([0.483, 0.024, 0.109])

    `df` is that of the error, or 'infinite', as in the tables of Ferrante, Ferro and Fuhr 2021.
    """

    name: ClassVar[str] = "one-way"
    label: ClassVar[str] = "one-way ANOVA with Tukey's HSD"
    help: ClassVar[str] = "means, topics as repetitions"
    paper: ClassVar[str] = "Tukey, Biometrics 5(2), 1949"
    topics: ClassVar[bool] = False


@dataclass(frozen=True)
class TwoWayAnova(Anova):
    """Whether mean values differ, once topics may be hard or easy for all runs alike.

    The second topic is 3 easier than the first for all runs but the last, where it is 5 easier; the error left has a
    variance of 2/3, and a mean over two topics a standard error of 0.577:

    >>> import numpy as np
    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[1.0, 2.0, 4.0], [4.0, 5.0, 9.0]])
    >>> result = TwoWayAnova().compare(values, all_pairs(3))
    >>> result.difference, result.statistic.round(3), round(result.omnibus.statistic, 3)
    (array([-1., -4., -3.]), array([1.732, 6.928, 5.196]), 13.0)

    `df` is that of the error, or 'infinite', as in the tables of Ferrante, Ferro and Fuhr 2021.
    """

    name: ClassVar[str] = "two-way"
    aliases: ClassVar[tuple[str, ...]] = ("anova", "tukey")
    label: ClassVar[str] = "two-way ANOVA with Tukey's HSD"
    help: ClassVar[str] = "means, topics as a factor"
    paper: ClassVar[str] = "Tague-Sutcliffe and Blustein, TREC-3, 1994"
    topics: ClassVar[bool] = True


@dataclass(frozen=True)
class Dunnett(Anova):
    """Whether mean values differ from that of a baseline, once topics may be hard or easy for all runs alike.

    The error is that of the two-way analysis of variance, and each difference is compared with the largest that chance
    gives:

    >>> from rankscale.stats.tests.base.test import pairs_with
    >>> values = np.array([[1.0, 2.0, 4.0], [4.0, 5.0, 9.0]])
    >>> result = Dunnett().compare(values, pairs_with(3, 0))
    >>> result.difference, result.statistic.round(3), result.p.round(3)
    (array([1., 4.]), array([1.225, 4.899]), array([0.496, 0.06 ]))

    `df` is that of the error, or 'infinite'.
    """

    name: ClassVar[str] = "dunnett"
    aliases: ClassVar[tuple[str, ...]] = ("many-to-one",)
    label: ClassVar[str] = "Dunnett's test"
    help: ClassVar[str] = "means, each with that of the one `--baseline`, topics as a factor"
    topics: ClassVar[bool] = True
    needs_baseline: ClassVar[bool] = True
    paper: ClassVar[str] = "Dunnett, Journal of the American Statistical Association 50(272), 1955"

    compare_means = staticmethod(with_baseline)

    def compare_together(self, sums: RunSums, pairs: Pairs, confidence: float) -> PairResults:
        """Differences of means; statistics are in standard errors of a difference."""
        check_finite(self.label, sums.infinite)
        if len(np.unique(pairs.second)) != 1 or len(np.unique(pairs.first)) != len(pairs):
            raise ParameterError(
                f"{self.label} compares each run with one baseline: give one, ",
                Setting("baseline", "RUN", python="baseline="),
                ", or take 'two-way', which compares all pairs",
            )
        return super().compare_together(sums, pairs, confidence)


@dataclass(frozen=True)
class RankAnova(Test):
    """Whether mean ranks differ; the variance of ranks is known, so that the error has infinite degrees of freedom."""

    asks: ClassVar[NeededScale] = "ordinal"
    compares: ClassVar[str] = "mean rank"
    in_values: ClassVar[bool] = False
    together: ClassVar[bool] = True
    statistic: ClassVar[str]  # name of the omnibus statistic, which is distributed as chi-squared
    association: ClassVar[str]  # name of the omnibus effect size: chi-squared over its maximum

    @abstractmethod
    def ranked(self, values: Floats) -> tuple[Floats, int]:
        """Ranks (topic, run) of complete values, and n - 1 summed over the samples that were ranked."""

    @abstractmethod
    def effects(self, values: Floats, pairs: Pairs) -> Mapping[str, Floats]:
        """Effect sizes by name, (pair,) each."""

    def compare(self, values: Floats, pairs: Pairs, confidence: float = 0.95) -> PairResults:
        """Differences of mean ranks; statistics in standard errors of a mean rank."""
        from scipy.special import chdtrc

        self.check(values)
        kept = complete(values)
        topics, runs = kept.shape
        ranks, freedom = self.ranked(kept)
        # The sample variance of ranks allows for ties, without counting them.
        variance = float(np.square(ranks - ranks.mean()).sum()) / freedom
        means = ranks.mean(axis=0)
        statistic = float(quotient(topics * np.square(means - ranks.mean()).sum(), variance))
        p, association = float(chdtrc(runs - 1, statistic)), {self.association: statistic / freedom}
        omnibus = Omnibus(self.statistic, statistic, p, association, (runs - 1,))
        result = tukey(RunMeans(means, variance / topics, math.inf, topics), pairs, confidence, omnibus)
        return replace(result, effects=self.effects(kept, pairs))


@dataclass(frozen=True)
class Friedman(RankAnova):
    """Whether runs stand at different places among the runs, topic by topic.

    The third run is always the best; the others tie once and beat each other once each:

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> values = np.array([[0.1, 0.2, 0.3], [0.5, 0.4, 0.6], [0.2, 0.2, 0.7]])
    >>> result = Friedman().compare(values, all_pairs(3))
    >>> result.difference, round(result.omnibus.statistic, 4)
    (array([ 0. , -1.5, -1.5]), 4.9091)
    """

    name: ClassVar[str] = "friedman"
    label: ClassVar[str] = "Friedman's test with Tukey's HSD"
    help: ClassVar[str] = "mean ranks within topics"
    across_topics: ClassVar[bool] = False
    paper: ClassVar[str] = "Friedman, JASA 32(200), 1937"

    statistic: ClassVar[str] = "chi-squared"
    association: ClassVar[str] = "Kendall's W"

    def ranked(self, values: Floats) -> tuple[Floats, int]:
        """Ranks within each topic."""
        from scipy.stats import rankdata

        topics, runs = values.shape
        return rankdata(values, axis=1), topics * (runs - 1)

    def effects(self, values: Floats, pairs: Pairs) -> Mapping[str, Floats]:
        """The chance of a win, ties counted half."""
        wins = np.array([(run > values.T).sum(axis=1) for run in values.T], dtype=np.float64)
        won, lost = wins[pairs.first, pairs.second], wins[pairs.second, pairs.first]
        return {"chance_of_a_win": common_language(won, lost, len(values))}


@dataclass(frozen=True)
class KruskalWallis(RankAnova):
    """Whether the values of runs stand at different places among all values, of all runs and topics.

    Ranks 1, 2, 3.5 and 3.5, 5, 6: the mean ranks differ by 2.667.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> result = KruskalWallis().compare(np.array([[0.1, 0.3], [0.2, 0.4], [0.3, 0.9]]), all_pairs(2))
    >>> result.difference.round(3), round(result.omnibus.statistic, 3)
    (array([-2.667]), 3.137)
    """

    name: ClassVar[str] = "kruskal-wallis"
    label: ClassVar[str] = "the Kruskal-Wallis test with Tukey's HSD"
    help: ClassVar[str] = "mean ranks among all values"
    paper: ClassVar[str] = "Kruskal and Wallis, JASA 47(260), 1952"

    statistic: ClassVar[str] = "H"
    association: ClassVar[str] = "epsilon squared"

    def ranked(self, values: Floats) -> tuple[Floats, int]:
        """Ranks among the values of all topics and runs."""
        from scipy.stats import rankdata

        return rankdata(values).reshape(values.shape), values.size - 1

    def effects(self, values: Floats, pairs: Pairs) -> Mapping[str, Floats]:
        """Cliff's delta, from how often a value of one run is above a value of the other, (run, run)."""
        by_run = np.sort(values.T, axis=1)
        above = np.stack([np.searchsorted(other, by_run, side="left").sum(axis=1) for other in by_run], axis=1)
        won, lost = above[pairs.first, pairs.second], above[pairs.second, pairs.first]
        return {"cliffs_delta": cliffs_delta(won, lost, len(values) ** 2)}
