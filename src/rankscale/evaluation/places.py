"""Places of runs in draws of topics: how the order of runs varies with the topics."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.rounding import significant
from rankscale.evaluation.mean_intervals import tails
from rankscale.evaluation.order_statistics import place


@dataclass(frozen=True, eq=False)
class Places:
    """Places of runs, 1 for the best; runs with equal means share the mean of their places.

    Attributes
    ----------
    observed : array (run,)
        Places by the means over all topics.
    drawn : array (draw, run)
        Places by the means over draws of topics.
    better : array (run, run)
        Share of draws in which the run of the row is better than that of the column, with half of those in which they
        are equal; 0.5 on the diagonal. Neither a p-value nor the probability that it is better.
    """

    observed: Floats
    drawn: Floats
    _means: Floats  # (draw, run), rounded, high is good

    @cached_property
    def expected(self) -> Floats:
        """(run,): mean place over draws."""
        mean: Floats = self.drawn.mean(axis=0)
        return mean

    @cached_property
    def first(self) -> Floats:
        """(run,): share of draws in which the run is first; runs that are first together share it out."""
        top = self._means == self._means.max(axis=1, keepdims=True)
        share: Floats = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
        return share

    @cached_property
    def better(self) -> Floats:
        """(run, run): share of draws in which one run is better than the other."""
        means = self._means
        rows = [((one > means) + 0.5 * (one == means)).mean(axis=0) for one in means.T[:, :, None]]
        return np.array(rows).reshape(means.shape[1], -1)

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """(run,) each: ends of the interval of places, which are places that were observed (quantiles of type 1)."""
        ordered = np.sort(self.drawn, axis=0)
        low, high = (ordered[place(len(ordered), share) - 1] for share in tails(confidence))
        return low, high


def places_of(
    means: Floats, drawn: Floats, *, low_is_good: bool = False, rounded: Callable[[Floats], Floats] = significant
) -> Places:
    """Places by means (run,) and by those over draws (draw, run), as `rounded` makes them comparable.

    >>> made = places_of(np.array([0.4, 0.5]), np.array([[0.4, 0.4], [0.3, 0.5]]))
    >>> made.observed, made.expected, made.first
    (array([2., 1.]), array([1.75, 1.25]), array([0.25, 0.75]))
    """
    sign = -1.0 if low_is_good else 1.0
    comparable = sign * rounded(drawn)
    return Places(_ranks(sign * rounded(means)[None])[0], _ranks(comparable), comparable)


def _ranks(means: Floats) -> Floats:
    """(row, run): 1 for the highest of a row; equal ones share the mean of their ranks."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(-means, axis=1).reshape(means.shape)
    return ranks
