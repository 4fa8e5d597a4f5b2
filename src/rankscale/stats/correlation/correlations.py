"""Correlations between many columns of numbers at once: measures over runs, runs over topics, interval versions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from rankscale.data.arrays import MEAN_DIGITS, Bools, Floats, Ints, NDArray, frozen, significant
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.resources import announce, need
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.stats.correlation import rank_correlations as ranks
from rankscale.stats.resampling.draws import counts_of, interval, places_of_draws
from rankscale.stats.tests.base.test import NeededScale

Number = TypeVar("Number", np.float64, np.int64)
PERSISTENCE = 0.9  # of readers, in rank-biased overlap
AT_ONCE = 1 << 20  # things drawn that are held at a time
CELL, WORK = 8, 24  # bytes of a number, and of one while it is compared with others
SECONDS = 4e-8  # of each thing drawn, about


@dataclass(frozen=True)
class CorrelationMethod:
    """A correlation coefficient, computed along the last axis of two arrays."""

    words: str
    asks: NeededScale  # the scale of values that it assumes
    coefficient: Callable[[Floats, Floats], Floats]
    with_p: Callable[[Floats, Floats], tuple[Floats, Floats]] | None = None  # None: no p-value is known
    symmetric: bool = True
    read: bool = False  # whether the thresholds .8 and .9 of Kendall's tau apply
    on_constant: bool = False  # whether it is defined for constant columns


def rbo_along(x: Floats, y: Floats) -> Floats:
    """Extrapolated RBO of two orders of the same items, along the last axis; greater values come first.

    The value for tied items is the mean over all their orders (ties 'a' of Corsi and Urbano, SIGIR 2024).
    Of these the overlaps are 1/1, 1/2 and 3/3:

    >>> print(rbo_along(np.array([0.3, 0.2, 0.1]), np.array([0.3, 0.1, 0.2])).round(4))
    0.955
    """
    x, y = np.broadcast_arrays(x, y)
    result = np.full(x.shape[:-1], np.nan)
    for place in np.ndindex(x.shape[:-1]):
        if x.shape[-1] and not np.isnan(x[place]).any() and not np.isnan(y[place]).any():
            result[place] = _rbo(x[place], y[place])
    return result


def _rbo(x: Floats, y: Floats) -> float:
    """Overlap by depth: items that are within both wholly, and those in a tie by how likely they are within."""
    items = len(x)
    (top_x, bottom_x, part_x), (top_y, bottom_y, part_y) = _tied_ranks(x), _tied_ranks(y)
    shared = (
        _spans_by_depth(np.maximum(bottom_x, bottom_y), np.full(items, items))
        + part_x * _spans_by_depth(np.maximum(top_x, bottom_y), bottom_x)
        + part_y * _spans_by_depth(np.maximum(bottom_x, top_y), bottom_y)
        + part_x * part_y * _spans_by_depth(np.maximum(top_x, top_y), np.minimum(bottom_x, bottom_y))
    )
    depth = np.arange(1, items + 1)
    weight = (1 - PERSISTENCE) * PERSISTENCE ** (depth - 1.0)
    return float((weight * shared / depth).sum() + shared[-1] / items * PERSISTENCE**items)


def _tied_ranks(values: Floats) -> tuple[Ints, Ints, Floats]:
    """(item,) twice: first and last rank of the tie of each, from 0; (depth,): how much of the tie there is within."""
    order = np.sort(-values)
    top, bottom = np.searchsorted(order, -values, "left"), np.searchsorted(order, -values, "right") - 1
    first, after = np.searchsorted(order, order, "left"), np.searchsorted(order, order, "right")
    return top, bottom, (np.arange(len(values)) - first + 1) / (after - first)


def _spans_by_depth(starts: Ints, ends: Ints) -> Ints:
    """(depth,): how many spans from a start up to, not with, an end hold each depth."""
    depths, real = len(starts), starts < ends
    opened, closed = (np.bincount(side[real], minlength=depths + 1) for side in (starts, ends))
    return np.cumsum(opened - closed)[:depths]


METHODS: Mapping[str, CorrelationMethod] = {
    "tau_b": CorrelationMethod("Kendall's tau-b", "ordinal", ranks.tau_b, ranks.tau_b_with_p, read=True),
    "tau_ap": CorrelationMethod("AP correlation, the row taken as the truth", "ordinal", ranks.tau_ap, symmetric=False),
    "tau_ap_mean": CorrelationMethod("AP correlation tau_AP,b, mean of both directions", "ordinal", ranks.tau_ap_mean),
    "spearman": CorrelationMethod(
        "Spearman's rho", "ordinal", lambda x, y: ranks.spearman_with_p(x, y)[0], ranks.spearman_with_p
    ),
    "pearson": CorrelationMethod(
        "Pearson's r", "interval", lambda x, y: ranks.pearson_with_p(x, y)[0], ranks.pearson_with_p
    ),
    "weighted_tau": CorrelationMethod("weighted tau", "ordinal", ranks.weighted_tau),
    "rbo": CorrelationMethod("rank-biased overlap", "ordinal", rbo_along, on_constant=True),
}


@dataclass(frozen=True)
class Correlations:
    """Each column with each: row i, column j is the coefficient of column i with column j."""

    method: str
    matrix: Floats  # NaN where it is undefined
    p: Floats  # two-sided, against no association; NaN where not known
    items: Ints  # how many items both columns have a value for
    lower: Floats  # percentiles over draws of topics; NaN where none was requested
    upper: Floats
    confidence: float = 0.95
    samples: int = 0
    seed: int = 0
    topics: int | None = None  # that means are over

    @property
    def words(self) -> str:
        """The coefficient as it is called in a sentence."""
        return METHODS[self.method].words

    @property
    def readings(self) -> NDArray[np.str_] | None:
        """The customary reading of each tau; None for coefficients without thresholds."""
        if not METHODS[self.method].read:
            return None
        words = [ranks.reading(value) for value in self.matrix.ravel()]
        return np.array(words, dtype=np.str_).reshape(self.matrix.shape)


def correlations(columns: Floats, method: str = "tau_b") -> Correlations:
    """Correlate each of the columns, (column, item), with each; items without a value are left out pair by pair.

    >>> result = correlations(np.array([[0.5, 0.4, 0.3, 0.2], [0.6, 0.4, 0.1, 0.3]]))
    >>> print(result.matrix.round(4)[0, 1], result.p.round(4)[0, 1], result.readings[0, 1])
    0.6667 0.3333 different
    """
    chosen = _checked(method, columns, 2)
    count = len(columns)
    matrix, p, nothing = (np.full((count, count), np.nan) for _ in range(3))
    items = np.zeros((count, count), dtype=np.int64)
    for i, j in _places(count, chosen):
        both = ~np.isnan(columns[i]) & ~np.isnan(columns[j])
        x, y = columns[i, both], columns[j, both]
        items[i, j] = len(x)
        matrix[i, j], p[i, j] = (float(result) for result in _value_and_p(chosen, x, y))
    matrix, p, items = _mirrored(matrix, chosen), _mirrored(p, chosen), _mirrored(items, chosen)
    return Correlations(method, matrix, p, items, frozen(nothing), nothing)


def correlations_of_means(
    values: Floats,
    method: str = "tau_b",
    *,
    confidence: float = 0.95,
    samples: int = 1000,
    seed: int = 0,
    digits: Sequence[int] = (),
) -> Correlations:
    """Correlate the means over topics of values (column, run, topic); the bootstrap draws topics.

    Topics count where every run has a value in every column. Before they are put in order, means are rounded to 8
    significant digits, or to those of each column in `digits`: sums in another order differ beyond. Coefficients of the
    values themselves, as Pearson's, take them as they are. What varies is the choice of topics; the runs stay what they
    are.
    """
    chosen = _checked(method, values, 3)
    if not 0 < confidence < 1:
        raise ParameterError(f"the confidence must lie strictly between 0 and 1, got {confidence}")
    if samples < 0:
        raise ParameterError(f"samples of the bootstrap must be 0, for no intervals, or more, got {samples}")
    kept = values[..., ~np.isnan(values).any(axis=(0, 1))]
    topics = kept.shape[-1]
    if not topics:
        raise ParameterError("correlations need a topic for which every run has a value in every column, got none")
    each = () if chosen.asks == "interval" else tuple(digits) or (MEAN_DIGITS,) * len(values)
    result = correlations(_rounded(kept.mean(axis=-1), each), method)
    lower, upper = (np.full(result.matrix.shape, np.nan) for _ in range(2))
    if samples:
        runs = values.shape[1]
        size = (len(values) if method == "tau_b" else 1) * runs**2 * WORK + min(AT_ONCE, runs * runs) * 4 * CELL
        need(size, f"the intervals of correlations over {runs:,} runs", "take samples=0, which gives no intervals")
        announce(topics * samples * SECONDS, f"correlations over {samples:,} draws")
        draws = places_of_draws(topics, samples, seed, AT_ONCE)
        sums = [np.einsum("st,crt->scr", counts_of(drawn), kept, optimize=True) for drawn in draws]
        means = _rounded(np.concatenate(sums) / topics, each)
        everything = ranks.tau_b_of_all(means) if method == "tau_b" else None
        for i, j in _places(len(values), chosen):
            over_draws = chosen.coefficient(means[:, i], means[:, j]) if everything is None else everything[:, i, j]
            lower[i, j], upper[i, j] = interval(over_draws, confidence)
    return replace(
        result,
        lower=_mirrored(lower, chosen),
        upper=_mirrored(upper, chosen),
        confidence=confidence,
        samples=samples,
        seed=seed,
        topics=topics,
    )


@dataclass(frozen=True)
class ByTopic:
    """Correlations over runs, one topic at a time."""

    by_topic: Floats  # (topic, column, column); NaN where it is undefined
    mean: Floats  # (column, column), over the topics where it is defined
    topics: Ints  # (column, column): how many those are


def correlations_by_topic(values: Floats, method: str = "tau_b") -> ByTopic:
    """Correlate columns over runs, topic by topic, from values (column, run, topic)."""
    chosen = _checked(method, values, 3)
    size = values.shape[-1] * (len(values) ** 2 * CELL + values.shape[1] * WORK)
    need(size, f"correlations of {len(values)} measures on each of {values.shape[-1]:,} topics", "leave by_topic out")
    result = np.full((values.shape[-1], len(values), len(values)), np.nan)
    for i, j in _places(len(values), chosen):
        result[:, i, j] = _over_topics(chosen, values[i].T, values[j].T)
        if chosen.symmetric:
            result[:, j, i] = result[:, i, j]
    topics = (~np.isnan(result)).sum(axis=0)
    return ByTopic(frozen(result), frozen(mean_of_defined(result)), frozen(topics))


def _checked(method: str, numbers: Floats, axes: int) -> CorrelationMethod:
    if method not in METHODS:
        raise UnknownNameError("correlation", method, METHODS, f"known: {', '.join(METHODS)}")
    if numbers.ndim != axes or not len(numbers):
        shape = "(column, item)" if axes == 2 else "(column, run, topic)"
        raise ParameterError(f"correlations are between the columns of an array {shape}, got shape {numbers.shape}")
    return METHODS[method]


def _places(count: int, method: CorrelationMethod) -> list[tuple[int, int]]:
    """The entries of the matrix that are computed; the others are their mirror."""
    return [(i, j) for i in range(count) for j in range(count) if i <= j or not method.symmetric]


def _value_and_p(method: CorrelationMethod, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    nothing = np.array(np.nan)
    if len(x) < 2 or (not method.on_constant and ((x == x[0]).all() or (y == y[0]).all())):
        return nothing, nothing
    return (method.coefficient(x, y), nothing) if method.with_p is None else method.with_p(x, y)


def _over_topics(method: CorrelationMethod, x: Floats, y: Floats) -> Floats:
    """(topic,): the coefficient over runs, from (topic, run); topics where some have no value one by one."""
    both = ~np.isnan(x) & ~np.isnan(y)
    whole = both.all(axis=-1)
    result = np.full(len(x), np.nan)
    result[whole] = method.coefficient(x[whole], y[whole])
    for topic in np.flatnonzero(~whole):
        result[topic] = _value_and_p(method, x[topic, both[topic]], y[topic, both[topic]])[0]
    return result


def _rounded(means: Floats, digits: Sequence[int]) -> Floats:
    """(..., column, run): means without the digits that may be rounding errors, column by column; all if none given."""
    if not digits:
        return means
    return np.stack([significant(means[..., place, :], of) for place, of in enumerate(digits)], axis=-2)


def _mirrored(half: NDArray[Number], method: CorrelationMethod) -> NDArray[Number]:
    """The whole matrix, where only one half has been computed."""
    below: Bools = np.tri(len(half), k=-1, dtype=bool)
    return frozen(np.where(below, half.T, half) if method.symmetric else half)
