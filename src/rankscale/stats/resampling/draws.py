"""Draws of topics with replacement: means over them that are correctly rounded, and percentiles of any statistic.

Sums are exact and rounded once, so that equal things stay equal in any order of topics; the products that they are made
of are exact, so that a thousand draws of a hundred runs take a moment.
"""

from collections.abc import Iterator

import numpy as np

from rankscale.data.arguments import DRAWS, DrawCount
from rankscale.data.arrays import Floats, Ints
from rankscale.data.exact_sums import pieces, rounded_sums
from rankscale.errors import ParameterError, Setting

MOST_TOPICS = 6  # of which all draws are taken: 6**6 are 46,656
PIECE = 26  # bits of a piece of a value: sums of fewer than 2**27 pieces are exact
AT_ONCE = 1 << 22  # topics of draws that are held at once
FEWEST_TOPICS = 2  # from which on draws vary


def check_draws(draws: DrawCount) -> None:
    """Raise ParameterError unless this is a number from 1, or 'all'."""
    if draws != "all" and (isinstance(draws, str) or draws < 1):
        raise ParameterError(Setting("draws"), f" is a number from 1, or 'all'; got {draws!r}")


def places_of_draws(
    topics: int, draws: DrawCount, seed: int | tuple[int, int] = 0, at_once: int | None = None
) -> Iterator[Ints]:
    """(draw, place): the topics drawn, as many draws at a time as have so many topics.

    >>> (drawn,) = places_of_draws(2, "all")
    >>> drawn.tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if draws == "all":
        if topics > MOST_TOPICS:
            raise ParameterError(
                f"all draws of {topics:,} topics are too many: they are taken of up to {MOST_TOPICS} topics; give a "
                "number, such as ",
                Setting("draws", str(DRAWS)),
            )
        yield np.indices((topics,) * topics).reshape(topics, topics**topics).T
        return
    generator, size = np.random.default_rng(seed), max(1, (at_once or AT_ONCE) // max(topics, 1))
    for start in range(0, draws, size):
        yield generator.integers(0, topics, (min(size, draws - start), topics))


def means_of_draws(values: Floats, draws: DrawCount = DRAWS, seed: int = 0, groups: tuple[Ints, ...] = ()) -> Floats:
    """(draw, run): means over draws of topics, given values (topic, run) that are all defined.

    `groups` are places of topics; each draw then takes as many topics of each group as it has, the group g with the
    seed (seed, g).

    >>> means_of_draws(np.array([[0.25], [0.75]]), "all").ravel()
    array([0.25, 0.5 , 0.5 , 0.75])
    """
    if groups and draws == "all":
        raise ParameterError("all draws are taken of ungrouped topics: give a number of draws, or leave out the groups")
    if groups:
        parts = [part for g, places in enumerate(groups) for part in _sums(values[places], draws, (seed, g))]
    else:
        parts = _sums(values, draws, seed)
    topics = sum(map(len, groups)) if groups else len(values)
    return rounded_sums(np.stack(parts, axis=-1)) / topics


def _sums(values: Floats, draws: DrawCount, seed: int | tuple[int, int]) -> list[Floats]:
    """(draw, run) each: numbers whose sum is that of a draw."""
    finite = np.where(np.isfinite(values), values, 0.0)
    parts = list(pieces(finite, PIECE)) or [(finite, 0)]
    infinite = np.where(np.isinf(values), np.sign(values), 0.0)
    by_chunk = []
    for drawn in places_of_draws(len(values), draws, seed):
        counts = counts_of(drawn)
        made = [np.ldexp(counts @ whole, unit) for whole, unit in parts]
        if infinite.any():
            with np.errstate(invalid="ignore"):
                made.append(np.nan_to_num(counts @ infinite * np.inf, nan=0.0, posinf=np.inf, neginf=-np.inf))
        by_chunk.append(made)
    return [np.concatenate(chunks) for chunks in zip(*by_chunk, strict=True)]


def draws_from(requested: int | str) -> DrawCount:
    """A number of draws from 1, or 'all'; ParameterError for anything else.

    >>> draws_from("200"), draws_from("all")
    (200, 'all')
    """
    if requested == "all":
        return "all"
    try:
        number = int(requested)
    except ValueError:
        number = 0
    if number < 1:
        raise ParameterError(Setting("draws"), f" must be a whole number from 1, or 'all', got {requested!r}")
    return number


def drawn_topics(topics: int, draws: DrawCount, seed: int = 0) -> Ints:
    """(draw, topic): the topics of each draw, by place; with 'all' each draw that there is.

    >>> drawn_topics(2, "all").tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    check_draws(draws)
    return np.concatenate(list(places_of_draws(topics, draws, seed)))


def counts_of(drawn: Ints) -> Floats:
    """(draw, topic): how often each topic is in each draw.

    >>> counts_of(np.array([[0, 0], [0, 1]])).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    draws, topics = drawn.shape
    places = drawn + topics * np.arange(draws)[:, None]
    return np.bincount(places.ravel(), minlength=draws * topics).reshape(draws, topics).astype(np.float64)


def interval(over_draws: Floats, confidence: float, *, observed: bool = False) -> tuple[float, float]:
    """Percentiles of the draws that have a value: interpolated (type 7) or, where `observed`, values drawn (type 1).

    >>> interval(np.array([1.0, 2.0, np.nan, 4.0]), 0.5)
    (1.5, 3.0)
    >>> interval(np.array([1.0, 2.0, np.nan, 4.0]), 0.5, observed=True)
    (1.0, 4.0)
    """
    defined = over_draws[~np.isnan(over_draws)]
    if not len(defined):
        return np.nan, np.nan
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(defined, ends, method="inverted_cdf" if observed else "linear")
    return float(low), float(high)


def mean(values: Floats) -> Floats:
    """Mean over the last axis without undefined (NaN) values; NaN where there is no other."""
    there = ~np.isnan(values)
    number = np.count_nonzero(there, axis=-1)
    total = np.where(there, values, 0.0).sum(axis=-1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def mean_interval(values: Floats, drawn: Ints, confidence: float = 0.95) -> tuple[float, float]:
    """Percentiles of the mean over draws of topics; NaN where fewer than two topics have a value.

    >>> x = np.array([0.12, 0.25, 0.31, 0.48, 0.90])
    >>> lower, upper = mean_interval(x, drawn_topics(5, "all"))
    >>> print(round(lower, 6), round(upper, 6))
    0.21 0.664
    """
    if np.count_nonzero(~np.isnan(values)) < FEWEST_TOPICS:
        return np.nan, np.nan
    return interval(mean(values[drawn]), confidence)
