"""Draws of topics with replacement, and percentile intervals of what is computed from them."""

import numpy as np

from rankscale.data.arguments import Draws
from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError
from rankscale.stats.resampling.draws import check_draws, places_of_draws

FEWEST_TOPICS = 2  # from which on draws vary


def draws_from(requested: int | str) -> Draws:
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
        raise ParameterError(f"--draws (draws= in Python) must be a whole number from 1, or 'all', got {requested!r}")
    return number


def drawn_topics(topics: int, draws: Draws, seed: int = 0) -> Ints:
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
    means: Floats = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    return means


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
