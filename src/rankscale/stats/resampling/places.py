"""Places of runs in draws of topics: how the order of runs varies with the topics."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, significant
from rankscale.data.table import Cell, Column, Table, is_empty
from rankscale.stats.resampling.order_statistics import place, tails


@dataclass(frozen=True, eq=False)
class RunPlaces:
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
) -> RunPlaces:
    """Places by means (run,) and by those over draws (draw, run), as `rounded` makes them comparable.

    >>> made = places_of(np.array([0.4, 0.5]), np.array([[0.4, 0.4], [0.3, 0.5]]))
    >>> made.observed, made.expected, made.first
    (array([2., 1.]), array([1.75, 1.25]), array([0.25, 0.75]))
    """
    sign = -1.0 if low_is_good else 1.0
    comparable = sign * rounded(drawn)
    return RunPlaces(_ranks(sign * rounded(means)[None])[0], _ranks(comparable), comparable)


def _ranks(means: Floats) -> Floats:
    """(row, run): 1 for the highest of a row; equal ones share the mean of their ranks."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(-means, axis=1).reshape(means.shape)
    return ranks


LABELS = {"place": "place_interval", "tested": "place_by_tests"}  # of places from a lower to an upper one
BY_TESTS = "place_by_tests has the places that the tests leave open; these intervals hold for all runs at once."


def places_shown(table: Table) -> Table:
    """A table of places, for people with intervals in one column each, without those that are empty.

    Parameters
    ----------
    table : Table
        Columns `place`, `place_lower`, `place_upper`, `place_expected` and others; `mean_lower`, `mean_upper`,
        `tested_lower` and `tested_upper` may be missing.
    """
    columns = table.columns
    declared = [Column("place", digits=_digits(columns["place"])), Column("place_expected", digits=2)]
    if "mean_lower" in columns:
        declared.append(Column("mean", interval=("mean_lower", "mean_upper")))
    empty = [which for which in LABELS if all(map(is_empty, columns.get(f"{which}_lower", ())))]
    declared += [_from_to(table, which) for which in LABELS if which not in empty]
    made = table.with_columns(*declared).without(*(f"{which}_{end}" for which in empty for end in ("lower", "upper")))
    return made if "tested" in empty else replace(made, notes=(*table.notes, BY_TESTS))


def _from_to(table: Table, which: str) -> Column:
    """The column of an interval of places: `4 to 7`."""
    lower, upper = f"{which}_lower", f"{which}_upper"
    digits = _digits([*table.columns[lower], *table.columns[upper]])
    return Column(lower, LABELS[which], align="right", digits=digits, until=upper)


def _digits(places: Sequence[Cell]) -> int:
    """Decimals: none where all places are whole."""
    numbers = [float(str(place)) for place in places if not is_empty(place)]
    return 0 if all(number % 1 == 0 or math.isnan(number) for number in numbers) else 1
