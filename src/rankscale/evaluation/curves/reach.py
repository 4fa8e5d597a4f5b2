"""Curves read against a reference: where a run has what the reference has at a rank, and how far below it is there.

How Järvelin and Kekäläinen read their figures (Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4), 2002):
horizontally, how many documents of a run give what the ideal ranking, or another run, gives at rank k; vertically, how
much is lost at rank k; as an area, how much is lost on the way there; and whether a difference matters.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import place_of
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, divide
from rankscale.outputs.results import TabularResult

if TYPE_CHECKING:
    from rankscale.evaluation.curves.result import Curves


MARGINAL, ESSENTIAL = 0.05, 0.10  # the limits of Spärck Jones, Journal of Documentation 30(4), 1974

ROUNDING = 1e-12  # relative to the value, or to 1

CurveLike = Floats | Sequence[float]
SHOWN_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)  # in tables, as far as curves go
PLAIN = ("topic", "relative_difference")
COLUMNS = (
    *("run", "topic", "measure", "rank", "value", "reference", "reference_value", "reached_at"),
    *("distance", "relative_difference", "size", "area"),
)


def first_rank_reaching(curve: CurveLike, value: float) -> int | None:
    """The first rank at which a curve is at least this high, None where it never is.

    The ideal of the paper's example has gained 11 by rank 4; the ranking itself takes until rank 7:

    >>> first_rank_reaching([3, 5, 8, 8, 8, 9, 11, 13, 16, 16], 11)
    7
    """
    reached = int(first_ranks(np.asarray(curve, dtype=np.float64), np.array(value))[()])
    return reached or None


def first_ranks(curves: Floats, values: Floats) -> Ints:
    """(any,): the first rank at which each curve, (any, rank), is as high as its value, (any,); 0 where it never is.

    A digit lost in sums does not count.
    """
    there = curves >= (values - ROUNDING * np.maximum(1.0, np.abs(values)))[..., None]
    return np.where(there.any(axis=-1), there.argmax(axis=-1) + 1, 0)


def over_ideal(curves: Floats, ideal: Floats) -> Floats:
    """Curves over that of the ideal, rank by rank; 0 where the ideal is 0.

    Where the ideal goes below 0, since documents cost something, a ratio is undefined from 0 on.

    >>> over_ideal(np.array([1.0, 2.0, 1.0]), np.array([2.0, 1.0, -0.5])).tolist()
    [0.5, 2.0, nan]
    """
    return np.where((ideal <= 0) & (ideal < 0).any(), np.nan, divide(curves, ideal))


def area_above(curve: CurveLike, depth: int | None = None) -> float:
    """The area between a normalised curve and the ideal, 1 at every rank: 1 less the mean of the curve (avg-pos).

    >>> area_above([1, 0.5, 0.75, 0.75])
    0.25
    """
    vector = np.asarray(curve, dtype=np.float64)
    if depth is not None and not 1 <= depth <= len(vector):
        raise ParameterError(f"the depth must lie between 1 and {len(vector)}, where the curve ends, got {depth}")
    return 1.0 - float(vector[:depth].mean()) if len(vector) else math.nan


def relative_difference(value: float, other: float) -> float:
    """How much higher a value is than another, as a share of the other.

    >>> relative_difference(0.33, 0.3)
    0.1
    """
    if other == 0:
        return 0.0 if value == 0 else math.copysign(math.inf, value)
    # Ten digits: what rounding leaves behind must not lift a difference of 10% over the limit.
    return round(float((value - other) / abs(other)), 10)


def weight_of(relative: float) -> Literal["marginal", "noticeable", "essential"]:
    """What a relative difference amounts to: under 5% marginal, over 10% essential.

    >>> [weight_of(relative) for relative in (0.049, -0.05, 0.1, 0.11)]
    ['marginal', 'noticeable', 'noticeable', 'essential']
    """
    if math.isnan(relative):
        raise ParameterError("an undefined difference is neither small nor large")
    size = abs(relative)
    return "marginal" if size < MARGINAL else "essential" if size > ESSENTIAL else "noticeable"


@dataclass(frozen=True, eq=False)
class Readings(TabularResult):
    """Curves read against those of a reference, the ideal or a run, at some ranks.

    Attributes
    ----------
    curves : Curves
        The curves that are read.
    reference : str
        Name of the run that the others are read against.
    ranks : tuple of tuple of int
        For each measure, the ranks at which they are read.

    Examples
    --------
    The example of Järvelin and Kekäläinen: the ideal has gained 11 at rank 4, and the ranking takes until rank 7.

    >>> import rankscale as rs
    >>> qrels = {"1": {f"d{place}": grade for place, grade in enumerate([3, 2, 3, 0, 0, 1, 2, 2, 3, 0, 1, 1, 1])}}
    >>> run = {"mine": {"1": {f"d{place}": 20 - place for place in range(10)}}}
    >>> readings = rs.curves(qrels, run, "CG", ideal=True).readings(ranks=[4])
    >>> [row] = readings.table()
    >>> row["value"], row["reference_value"], row["reached_at"], row["distance"], row["size"]
    (8.0, 11.0, 7, 3.0, 'essential')
    """

    curves: "Curves"
    reference: str
    ranks: tuple[tuple[int, ...], ...]

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """A row for each run but the reference, topic, measure and rank.

        `reached_at` is the first rank at which the run has what the reference has at `rank`, empty where it has so
        much at none; `distance` is how far it is below the reference; `relative_difference` is that of the run's value
        from the reference's, and `size` what it amounts to: marginal under 5%, essential over 10%; `area` is that
        between the run's normalised curve and 1 down to the rank: 1 less the mean of the curve (avg-pos). Of means,
        `topics` is the number of their topics.
        """
        rows = Table.of(self._columns, (row for m in range(len(self.ranks)) for row in self._rows(m)))
        return Table(rows.columns, self.curves.provenance)

    @property
    def _columns(self) -> tuple[str, ...]:
        """Names of the columns; those of means say over how many topics they are."""
        return COLUMNS if self.curves.counted is None else (*COLUMNS, "topics")

    def views(self, name: str | None = None) -> list[Table]:  # noqa: ARG002
        """For each measure a table."""
        return [self._view(m) for m in range(len(self.ranks))]

    def _view(self, m: int) -> Table:
        every, measure = Table.of(self._columns, self._rows(m)), self.curves.measures[m]
        order = ("run", "topic" if self.curves.counted is None else "topics", *COLUMNS[3:])
        hidden = {"reference", *["area"] * all(cell is None for cell in every.columns["area"])}
        never = [f"reached_at: - where not down to rank {self.curves.depths[m]}"] * (
            None in every.columns["reached_at"]
        )
        view = [
            Column(name, align="right" if name == "topic" else None, plain=name in PLAIN)
            for name in order
            if name not in hidden
        ]
        return replace(
            every,
            provenance=self.curves.provenance,
            title=f"{measure} against {self.reference}",
            notes=tuple(never),
            view=view,
        )

    def _rows(self, m: int) -> Iterator[tuple[Cell, ...]]:
        curves, measure, ranks = self.curves, self.curves.measures[m], self.ranks[m]
        reference = curves.runs.index(self.reference)
        values, places = curves.values[m], np.array(ranks, dtype=np.int64) - 1
        at_reference = values[reference][:, places]
        reached, areas = _reached(measure, values, at_reference), self._areas(m)
        both, counted = curves.retrieved & curves.retrieved[reference], curves.counted
        for r, t in np.argwhere(both).tolist():
            for k, rank in enumerate(ranks) if r != reference else ():
                value, other = float(values[r, t, rank - 1]), float(at_reference[t, k])
                relative = relative_difference(value, other)
                yield (
                    *(curves.runs[r], curves.topics[t], str(measure), rank, value, self.reference, other),
                    *(int(reached[r, t, k]) or None, value - other if measure.low_is_good else other - value),
                    *(relative, None if np.isnan(relative) else weight_of(relative)),
                    None if areas is None else float(areas[r, t, rank - 1]),
                    *([] if counted is None else [int(counted[m][r, t, rank - 1])]),
                )

    def _areas(self, m: int) -> Floats | None:
        """(run, topic, rank): 1 less the mean of the normalised curves down to each rank; None without an ideal."""
        curves, measure, values = self.curves, self.curves.measures[m], self.curves.values[m]
        if measure.low_is_good or not (measure.over_ideal or curves.ideal):
            return None
        normalised = values if measure.over_ideal else over_ideal(values, values[curves.runs.index(curves.ideal)])
        area: Floats = 1.0 - np.cumsum(normalised, axis=-1) / np.arange(1, values.shape[-1] + 1)
        return area


def _reached(measure: Measure, values: Floats, targets: Floats) -> Ints:
    """(run, topic, rank): the first ranks at which curves are as good as the targets, (topic, rank); 0 for none."""
    sign = -1.0 if measure.low_is_good else 1.0
    columns = [first_ranks(sign * values, np.broadcast_to(sign * target, values.shape[:-1])) for target in targets.T]
    return np.stack(columns, axis=-1)


def wanted_ranks(curves: "Curves", ranks: Sequence[int] | None) -> list[Ints]:
    """For each measure (rank,): where these ranks stand in its curve, all of them for None."""
    if ranks is None:
        return [np.arange(depth) for depth in curves.depths]
    wanted = np.unique(np.array(ranks, dtype=np.int64))
    for measure, depth in zip(curves.measures, curves.depths, strict=True):
        beyond = wanted[wanted > depth]
        if len(beyond):
            raise ParameterError(
                f"the curve of {measure} ends at rank {depth}, and rank {beyond[0]} is beyond it; "
                "use a greater depth, or fewer ranks"
            )
    return [wanted - 1 for _ in curves.depths]


def ranks_shown(depth: int) -> list[int]:
    """The ranks that a table has columns for unless others are requested; the last is always among them.

    >>> ranks_shown(30)
    [1, 2, 3, 5, 10, 20, 30]
    """
    return [*(rank for rank in SHOWN_RANKS if rank < depth), depth]


def read_against(curves: "Curves", to: str | None, ranks: Sequence[int] | None) -> Readings:
    """The readings of curves; raise ParameterError where there is nothing to read them against."""
    if to is None and not curves.ideal:
        raise ParameterError("there is no ideal to read curves against: curves(..., ideal=True), or name a run")
    reference = curves.ideal if to is None else curves.runs[place_of(curves.runs, to, "run", "these curves have")]
    for measure in curves.measures:
        if measure.direction_note:
            raise ParameterError(f"{measure} has no value to reach: {measure.direction_note}")
    if len(curves.runs) < 2:
        raise ParameterError(f"there is no curve to read but that of {reference}, the reference itself")
    if ranks is None:
        return Readings(curves, reference, tuple(tuple(ranks_shown(depth)) for depth in curves.depths))
    wanted = tuple(rank + 1 for rank in wanted_ranks(curves, ranks)[0].tolist())
    return Readings(curves, reference, (wanted,) * len(curves.depths))
