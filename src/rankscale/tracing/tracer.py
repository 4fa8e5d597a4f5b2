"""Curves traced run by run, in blocks of bounded size."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import BEYOND, UNJUDGED, Judged
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.evaluation.options import no_bounds
from rankscale.measures.base.measure import Measure

BLOCK_CELLS = 1 << 18  # ranks of rankings that a formula is carried out for at once
MOST_VALUES = 1 << 31  # 16 gigabytes of them


class Traced:
    """The columns of all curves, filled run by run."""

    def __init__(
        self,
        wanted: Sequence[tuple[Measure, int]],
        runs: int,
        chosen: Ints,
        *,
        bounds: bool,
        ties: str,
        judged_only: bool,
    ) -> None:
        self.wanted, self.chosen, self.ties, self.judged_only = wanted, chosen, ties, judged_only
        names = ["values", *["lower", "upper"] * bounds, *["ties_lower", "ties_upper"] * (ties == "range")]
        size = len(names) * runs * len(chosen) * sum(depth for _, depth in wanted)
        if size > MOST_VALUES:
            raise ParameterError(
                f"these curves have {size} values, more than fit in memory; use a smaller depth, some of the topics, "
                "or fewer runs at once"
            )
        self.columns = {name: [np.full((runs, len(chosen), depth), np.nan) for _, depth in wanted] for name in names}
        self.retrieved = np.zeros((runs, len(chosen)), dtype=bool)
        self.length = np.zeros((runs, len(chosen)), dtype=np.int32)

    def add(self, row: int, run: Run, qrels: Qrels) -> None:
        """The curves of one run, in blocks of topics of bounded size."""
        columns = np.searchsorted(self.chosen, run.rows)
        self.retrieved[row, columns], self.length[row, columns] = True, run.length
        ahead = self.ties == "expected" or any(measure.looks_ahead for measure, _ in self.wanted)
        longest = int(run.length.max(initial=0)) if ahead else 0
        width = max(longest, *(depth for _, depth in self.wanted))
        step = max(1, BLOCK_CELLS // width)
        for start in range(0, len(run.rows), step):
            seen = run.judged(qrels, start, start + step)
            where = columns[start : start + step]
            tables: dict[bool, tuple[Judged, Judged]] = {}
            for number, (measure, _) in enumerate(self.wanted):
                condensed = self.judged_only or measure.judged_only
                if condensed not in tables:
                    kept = seen.only_judged() if condensed else seen
                    tables[condensed] = kept, kept.every_rank(width)
                self._put(number, row, where, self._columns(measure, *tables[condensed]))

    def add_ideal(self, row: int, qrels: Qrels) -> None:
        """The curves of rankings that could not be better."""
        self.retrieved[row] = True
        for number, (measure, depth) in enumerate(self.wanted):
            measured = measure.of_ideal
            step = max(1, BLOCK_CELLS // depth)
            for start in range(0, len(self.chosen), step):
                where = slice(start, start + step)
                best = ideal_rankings(measured, qrels.counts[self.chosen[where]], qrels.levels, qrels.highest)
                table = best.every_rank(depth)
                curve = _stopped(measured, best, table, measured.curve(table), measured.value)
                self._put(number, row, where, {"values": curve})
                self.length[row, where] = np.maximum(self.length[row, where], best.length)
            for name, arrays in self.columns.items():
                if name != "values":  # all is judged, and nothing tied
                    arrays[number][row] = self.columns["values"][number][row]

    def _columns(self, measure: Measure, seen: Judged, table: Judged) -> dict[str, Floats]:
        """The curves of one measure, (topic, rank) each."""
        if self.ties == "expected":
            return {"values": _expected(measure, seen, table)}
        columns = {"values": _stopped(measure, seen, table, measure.curve(table), measure.value)}
        if "lower" in self.columns and no_bounds(measure, curve=True) is None:
            columns["lower"], columns["upper"] = (
                _stopped(measure, seen, table, curve, partial(_bound, measure, number))
                for number, curve in enumerate(measure.bounds_curve(table))
            )
        if self.ties == "range":
            columns["ties_lower"], columns["ties_upper"] = _ties_range(measure, seen, table)
        return columns

    def _put(self, number: int, row: int, where: "Ints | slice", columns: dict[str, Floats]) -> None:
        for name, curve in columns.items():
            array = self.columns[name][number]
            array[row, where] = curve[:, : array.shape[-1]]


def _stopped(measure: Measure, seen: Judged, table: Judged, curve: Floats, whole: Callable[[Judged], Floats]) -> Floats:
    """A curve that stays where it is when the ranking ends, for measures that take no depth: their sets do not grow."""
    if measure.takes_depth:
        return curve
    return np.where(table.rank < seen.length[:, None], curve, whole(seen)[:, None])


def _bound(measure: Measure, which: int, seen: Judged) -> Floats:
    return measure.bounds(seen)[which]


def _expected(measure: Measure, seen: Judged, table: Judged) -> Floats:
    if type(measure).expected is not Measure.expected:
        return np.stack([measure.expected(seen, rank) for rank in table.rank[0].tolist()], axis=-1)
    return _stopped(measure, seen, table, measure.finish(measure.over_ties(table), table, table.rank), measure.expected)


def _ties_range(measure: Measure, seen: Judged, table: Judged) -> tuple[Floats, Floats]:
    if type(measure).ties_range is not Measure.ties_range:  # in its own way: rank by rank
        ends = [measure.ties_range(seen, rank) for rank in table.rank[0].tolist()]
        return np.stack([lowest for lowest, _ in ends], axis=-1), np.stack([highest for _, highest in ends], axis=-1)
    lowest, highest = (
        _stopped(measure, order, table, measure.curve(order.every_rank(table.rank.shape[-1])), measure.value)
        for order in measure.extreme_orders(seen)
    )
    return lowest, highest


def ideal_rankings(measure: Measure, counts: Ints, levels: Floats, highest: float) -> Judged:
    """For each topic all documents that are worth more than an unjudged one, best first.

    Rankings that could not be better, where an unjudged document is worth what a measure `of_ideal` says.
    """
    gains = measure.gain(levels, highest)
    order = np.lexsort((-levels, -gains))  # of grades that are worth the same, the higher first
    order = order[gains[order] > measure.unjudged_gain]
    length = counts[:, order].sum(axis=-1)
    places = np.arange(int(length.max(initial=0)))
    there = places < length[:, None]
    code = np.full(there.shape, UNJUDGED, dtype=np.int16)
    code[there] = np.repeat(np.tile(order, len(counts)), counts[:, order].ravel())
    rank = np.where(there, places + 1, BEYOND).astype(np.int32)
    return Judged(
        rank=rank,
        code=code,
        document=np.full(rank.shape, UNJUDGED, dtype=np.int32),
        first=rank,
        last=rank,
        length=length,
        counts=counts,
        levels=levels,
        highest=highest,
    )
