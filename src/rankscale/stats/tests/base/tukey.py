"""Tukey's honestly significant differences: all pairs of runs tested together, by means with one standard error."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import RunSums, nearest
from rankscale.errors import ParameterError
from rankscale.stats.effect_sizes import eta_squared, omega_squared, partial_eta_squared
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.studentised_range import StudentisedRange
from rankscale.stats.tests.base.test import Omnibus, PairResults, Pairs

DegreesOfFreedom = Literal["error", "infinite"]
ROUNDING = 32 * np.finfo(np.float64).eps  # of the largest value: what means and errors owe to rounding alone


@dataclass(frozen=True)
class Means:
    """Means of runs, and their standard error."""

    means: Floats  # (run,)
    variance: float  # the squared standard error of one mean
    df: float  # with which it was estimated
    topics: int
    rounding: float = 0.0  # by how much equal means may differ


def tukey(means: Means, pairs: Pairs, confidence: float, omnibus: Omnibus) -> PairResults:
    """A pair differs where its means are further apart than all of them would be by chance.

    Without any error, runs differ where their means do.
    """
    check_confidence(confidence)
    difference = means.means[pairs.first] - means.means[pairs.second]
    difference = np.where(np.abs(difference) <= means.rounding, 0.0, difference)
    distribution = StudentisedRange(len(means.means), means.df)
    q = quotient(np.abs(difference), math.sqrt(means.variance))
    reach = distribution.critical(1 - confidence) * math.sqrt(means.variance)
    return PairResults(
        difference=difference,
        p=distribution.p(q),
        topics=np.full(len(pairs), means.topics),
        statistic=q,
        lower=difference - reach,
        upper=difference + reach,
        omnibus=omnibus,
        corrected=True,
    )


def quotient(numerator: Floats, denominator: float) -> Floats:
    """A statistic: 0 where there is nothing to divide, infinite where only the denominator is 0."""
    if denominator > 0:
        return numerator / denominator
    return np.where(numerator == 0, 0.0, np.copysign(np.inf, numerator))


def check_df(words: str, df: str) -> None:
    """Raise ParameterError unless df is 'error' or 'infinite'."""
    if df not in {"error", "infinite"}:
        raise ParameterError(f"{words}: df must be 'error' or 'infinite', got {df!r}")


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
        effects = {
            "eta squared": eta_squared(self.runs, self.total),
            "partial eta squared": partial_eta_squared(self.runs, self.error),
            "omega squared": omega_squared(self.runs, self.df_runs, self.mean_error, self.total),
        }
        return Omnibus("F", f, p, effects, (self.df_runs, self.df_error))


def analysed(sums: RunSums, df: DegreesOfFreedom, *, topics: bool) -> tuple[Means, SumsOfSquares]:
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
    return Means(means, analysis.mean_error / number, used, number, rounding), analysis


def compare_means(sums: RunSums, pairs: Pairs, confidence: float, df: DegreesOfFreedom, *, topics: bool) -> PairResults:
    """Analysis of variance, then Tukey's test of the runs; effects are in standard deviations of the error."""
    means, analysis = analysed(sums, df, topics=topics)
    result = tukey(means, pairs, confidence, analysis.omnibus())
    return replace(result, effects={"d": quotient(result.difference, math.sqrt(analysis.mean_error))})


def check_finite(words: str, infinite: int) -> None:
    """Raise ParameterError if some values are infinite and so have no mean."""
    if infinite:
        raise ParameterError(
            f"{words} compares means, and {infinite} of the values are infinite; "
            "tests on ranks take them: 'friedman', 'kruskal-wallis', 'sign'"
        )
