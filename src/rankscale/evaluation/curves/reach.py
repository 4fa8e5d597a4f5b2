"""Curves read against a reference: where a run has what the reference has at a rank, and how far below it is there.

How Järvelin and Kekäläinen read their figures (Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4), 2002):
horizontally, how many documents of a run give what the ideal ranking, or another run, gives at rank k; vertically, how
much is lost at rank k; as an area, how much is lost on the way there; and whether a difference matters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import place_of
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.curves.readings import first_ranks, over_ideal, relative_difference, weight_of
from rankscale.evaluation.curves.tables import ranks_shown, wanted_ranks
from rankscale.measures.base.measure import Measure
from rankscale.outputs.results import TabularResult

if TYPE_CHECKING:
    from rankscale.evaluation.curves.result import Curves

PLAIN = ("topic", "relative_difference")
COLUMNS = (
    *("run", "topic", "measure", "rank", "value", "reference", "reference_value", "reached_at"),
    *("distance", "relative_difference", "size", "area"),
)


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
