"""What all runs together say of each topic: how hard it is, and how far it tells runs apart."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.exact_sums import mean_of_defined
from rankscale.measures.base.measure import Measure

FEWEST_RUNS = 3  # for a correlation over runs
ROUNDING = 1e-12  # of values that are all the same: their deviations are no more than this share of them


@dataclass(frozen=True, eq=False)
class TopicStatistics:
    """Statistics of each topic over runs, (topic,) each; NaN where undefined.

    Attributes
    ----------
    mean, median, spread
        Mean, median and standard deviation (with n - 1) over the runs that have a value.
    difficulty
        How far the mean is from the best value: see `difficulty`.
    correlation
        Pearson's correlation, over runs, of the topic's values with the means of the runs over all other topics: high
        where the topic orders runs as the others do, below 0 where it reverses them. In the theory of tests it is
        called the corrected item-total correlation, or discrimination.
    """

    mean: Floats
    median: Floats
    spread: Floats
    difficulty: Floats
    correlation: Floats

    @classmethod
    def of(cls, values: Floats, measure: Measure) -> "TopicStatistics":
        """Statistics of values (run, topic); what is NaN or infinite is left out."""
        kept = np.where(np.isfinite(values), values, np.nan)
        mean = mean_of_defined(kept)
        return cls(mean, _median(kept), _spread(kept, mean), difficulty(mean, measure), rest_correlation(kept))


def difficulty(mean: Floats, measure: Measure) -> Floats:
    """(topic,): how far a topic's mean over runs is from the best value: 1 - mean for measures from 0 to 1.

    Where low values are good it is the mean less the lowest value; where the best value is infinite, as for DCG, it is
    minus the mean, so that harder topics still have more.
    """
    low, high = measure.limits
    if measure.low_is_good:
        return mean - (low if np.isfinite(low) else 0.0)
    return (high if np.isfinite(high) else 0.0) - mean


def difficulty_in_words(measure: Measure) -> str:
    """The formula of `difficulty` for a measure: '1 - mean'."""
    low, high = measure.limits
    if measure.low_is_good:
        return "mean" if low == 0 or not np.isfinite(low) else f"mean - {low:g}"
    return f"{high:g} - mean" if np.isfinite(high) else "minus mean"


def _median(values: Floats) -> Floats:
    """(topic,): medians of the values that are defined; the mean of both in the middle where there are two."""
    ordered = np.sort(values, axis=0)  # NaN last
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    lower, upper = (
        np.take_along_axis(ordered, place[None], axis=0)[0]
        for place in (np.maximum(counts - 1, 0) // 2, np.minimum(counts // 2, len(values) - 1))
    )
    made: Floats = np.where(counts > 0, (lower + upper) / 2, np.nan)
    return made


def _spread(values: Floats, mean: Floats) -> Floats:
    """(topic,): standard deviations of the values that are defined; NaN for fewer than two."""
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    squares = np.nansum((values - mean) ** 2, axis=0)
    made: Floats = np.where(counts > 1, np.sqrt(squares / np.maximum(1, counts - 1)), np.nan)
    return made


def rest_correlation(values: Floats) -> Floats:
    """(topic,): correlation of each topic's values with the runs' means over all other topics.

    Parameters
    ----------
    values : array of float
        (run, topic); NaN where undefined.

    Returns
    -------
    array of float
        NaN where fewer than three runs have a value, or where all have the same.

    >>> rest_correlation(np.array([[0.1, 0.2, 0.2, 0.3], [0.2, 0.3, 0.3, 0.2], [0.3, 0.4, 0.4, 0.1]])).round(3)
    array([ 1.,  1.,  1., -1.])
    """
    there = ~np.isnan(values)
    others = np.count_nonzero(there, axis=1, keepdims=True) - 1
    rest = (np.nansum(values, axis=1, keepdims=True) - values) / np.maximum(1, others)
    usable = there & (others > 0)
    counts = np.count_nonzero(usable, axis=0)
    own, theirs = (_deviations(one, usable, counts) for one in (values, rest))
    both = np.sqrt((own**2).sum(axis=0) * (theirs**2).sum(axis=0))
    defined = (counts >= FEWEST_RUNS) & (both > 0)
    return np.where(defined, np.clip((own * theirs).sum(axis=0) / np.where(defined, both, 1.0), -1, 1), np.nan)


def _deviations(values: Floats, usable: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]", counts: Floats) -> Floats:
    """(run, topic): values less their mean over usable runs; 0 for others, and for those that differ by rounding."""
    kept = np.where(usable, values, 0.0)
    less = np.where(usable, kept - kept.sum(axis=0) / np.maximum(1, counts), 0.0)
    made: Floats = np.where(abs(less) > ROUNDING * abs(kept).max(axis=0, initial=0.0), less, 0.0)
    return made
