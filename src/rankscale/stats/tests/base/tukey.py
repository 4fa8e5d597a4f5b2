"""Tukey's honestly significant differences: all pairs of runs tested together, by means with one standard error."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.evaluation.order_statistics import check_confidence
from rankscale.stats.effect_sizes import eta_squared, omega_squared, partial_eta_squared
from rankscale.stats.tests.base.studentised_range import StudentisedRange
from rankscale.stats.tests.base.test import Omnibus, PairResults, Pairs, complete

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


def analysed(values: Floats, df: DegreesOfFreedom, *, topics: bool) -> tuple[Means, SumsOfSquares]:
    """The variance of complete values (topic, run) taken apart: into runs, topics (if `topics`) and error."""
    number, runs = values.shape
    means = np.ascontiguousarray(values.T).mean(axis=1)  # along rows numpy sums in pairs, which loses least
    grand = values.mean()
    residuals = values - means
    df_error = runs * (number - 1)
    if topics:  # how hard each is for all runs
        residuals -= values.mean(axis=1, keepdims=True) - grand
        df_error -= number - 1
    rounding = float(ROUNDING * np.abs(values).max())
    error, total = float(np.square(residuals).sum()), float(np.square(values - grand).sum())
    if np.abs(residuals).max() <= rounding:  # which an error of exactly 0 leaves behind
        error = 0.0
    apart = np.where(np.abs(means - grand) <= rounding, 0.0, means - grand)
    sums = SumsOfSquares(
        runs=number * float(np.square(apart).sum()),
        error=error,
        total=total,
        df_runs=runs - 1,
        df_error=df_error,
    )
    used = math.inf if df == "infinite" else float(df_error)
    return Means(means, sums.mean_error / number, used, number, rounding), sums


def compare_means(
    values: Floats, pairs: Pairs, confidence: float, df: DegreesOfFreedom, *, topics: bool
) -> PairResults:
    """Analysis of variance, then Tukey's test of the runs; effects are in standard deviations of the error."""
    means, sums = analysed(complete(values), df, topics=topics)
    result = tukey(means, pairs, confidence, sums.omnibus())
    return replace(result, effects={"d": quotient(result.difference, math.sqrt(sums.mean_error))})


def check_finite(words: str, values: Floats) -> None:
    """Raise ParameterError if a value is infinite and so has no mean."""
    if np.isinf(values).any():
        raise ParameterError(
            f"{words} compares means, and {np.count_nonzero(np.isinf(values))} of the values are infinite; "
            "tests on ranks take them: 'friedman', 'kruskal-wallis', 'sign'"
        )
