"""Curves traced run by run, in blocks of bounded size."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankscale.data.arrays import UNJUDGED, Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.resources import need
from rankscale.data.run import Run, concatenate
from rankscale.evaluation.batches import FEW_TOPICS
from rankscale.evaluation.notices import tie_notices, undefined_orders
from rankscale.evaluation.options import TIES_ERROR, EvaluationRequest, no_bounds
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.ties import stopped, tied_mean_curve, tied_range_curve

BLOCK_CELLS = 1 << 18  # ranks of rankings that a formula is carried out for at once
CELL = 24  # bytes for each value of a curve, of which tables are made
SHORTER = "use a smaller depth, some of the topics, or fewer runs"


@dataclass(frozen=True, eq=False)
class Trace:
    """The curves of one run or a few, on the topics that they have among those chosen."""

    columns: dict[str, list[Floats]]  # by name, for each measure (ranking, rank)
    run: Ints  # (ranking,): which of the runs it is of
    where: Ints  # (ranking,): places of their topics among the chosen ones
    length: Ints  # (ranking,): documents retrieved
    drawn: Bools  # (measure, ranking): where orders of tied documents were drawn
    some: Bools  # (measure, ranking): where the measure is undefined for some orders at some rank, and for others not


@dataclass(frozen=True, eq=False)
class Tracer:
    """Traces one run, or a few of few topics, wherever the executor does it."""

    qrels: Qrels
    wanted: Sequence[tuple[Measure, int]]  # measures, and where the curve of each ends
    chosen: Ints  # rows of the topics
    request: EvaluationRequest

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return ["values", *self.request.extra_columns]

    def together(self, runs: Sequence[Run]) -> list[Sequence[Run]]:
        """Runs that are traced at once: one by one, but for those of very few topics, of which a file may hold many."""
        cells = len(self.chosen) * sum(depth for _, depth in self.wanted)
        is_small = len(self.qrels.topics) <= FEW_TOPICS and self.request.ties == "trec"
        step = max(1, BLOCK_CELLS // max(1, cells)) if is_small else 1
        return [runs[start : start + step] for start in range(0, len(runs), step)]

    def __call__(self, runs: Sequence[Run]) -> Trace:
        """The curves of some runs, in blocks of rankings of bounded size."""
        whole = [run.completed(len(self.qrels.topics)) if self.request.complete else run for run in runs]
        chosen = [run.select_topics(self.chosen) for run in whole]
        owner = np.repeat(np.arange(len(runs)), [len(run.rows) for run in chosen])
        seen_of = concatenate(chosen)
        topics = len(seen_of.rows)
        columns = {name: [np.full((topics, depth), np.nan) for _, depth in self.wanted] for name in self.names}
        drawn, some = np.zeros((2, len(self.wanted), topics), dtype=bool)
        ahead = self.request.ties == "expected" or any(measure.looks_ahead for measure, _ in self.wanted)
        longest = int(seen_of.length.max(initial=0)) if ahead else 0
        width = max(longest, *(depth for _, depth in self.wanted))
        all_levels = any(measure.needs_all_levels for measure, _ in self.wanted)
        for where, seen in seen_of.blocks_by_size(self.qrels, width, all_levels=all_levels):
            tables: dict[bool, tuple[Judged, Judged]] = {}
            for number, (measure, _) in enumerate(self.wanted):
                condensed = self.request.judged_only or measure.judged_only
                if condensed not in tables:
                    kept = seen.only_judged() if condensed else seen
                    tables[condensed] = kept, kept.every_rank(width)
                curves, drawn[number, where], some[number, where] = self._columns(measure, *tables[condensed])
                for name, curve in curves.items():
                    array = columns[name][number]
                    array[where] = curve[:, : array.shape[-1]]
        return Trace(columns, owner, np.searchsorted(self.chosen, seen_of.rows), seen_of.length, drawn, some)

    def _columns(self, measure: Measure, seen: Judged, table: Judged) -> tuple[dict[str, Floats], Bools, Bools]:
        """The curves of one measure, (topic, rank) each, and, (topic,) twice, `drawn` and `some` of a trace."""
        request = self.request
        if request.ties == "expected":
            mean, error, complete, some = tied_mean_curve(measure, seen, table, request.orders)
            columns = {"values": mean, TIES_ERROR: error}
        else:
            complete, some = np.ones(seen.topics, dtype=bool), np.zeros(seen.topics, dtype=bool)
            columns = {"values": stopped(measure, seen, table, measure.curve(table), partial(measure.value, seen))}
        if request.bounds and no_bounds(measure, request.ties, curve=True) is None:
            sums = measure.as_additive if request.ties == "expected" else None
            ends = measure.bounds_curve(table) if sums is None else sums.tied_bounds_curve(table)
            whole = partial(measure.bounds, seen) if sums is None else partial(sums.tied_bounds, table)
            columns["lower"], columns["upper"] = (
                stopped(measure, seen, table, curve, partial(_bound, whole, number))
                for number, curve in enumerate(ends)
            )
        if request.ties == "range":
            columns["ties_lower"], columns["ties_upper"], complete, some = tied_range_curve(
                measure, seen, table, request.orders
            )
        return columns, ~complete, some


class Traced:
    """The columns of all curves, filled run by run."""

    def __init__(self, tracer: Tracer, runs: int) -> None:
        self.tracer = tracer
        self.wanted, self.chosen = tracer.wanted, tracer.chosen
        topics = len(self.chosen)
        size = len(tracer.names) * runs * topics * sum(depth for _, depth in self.wanted)
        need(size * CELL, f"a table of {size} values of curves", SHORTER)
        self.columns = {
            name: [np.full((runs, topics, depth), np.nan) for _, depth in self.wanted] for name in tracer.names
        }
        self.retrieved = np.zeros((runs, topics), dtype=bool)
        self.length = np.zeros((runs, topics), dtype=np.int32)
        self.drawn, self.some = np.zeros((2, len(self.wanted), runs, topics), dtype=bool)

    def add(self, first: int, trace: Trace) -> None:
        """The curves of some runs, the first of which has this row."""
        row, where = first + trace.run, trace.where
        self.retrieved[row, where], self.length[row, where] = True, trace.length
        self.drawn[:, row, where], self.some[:, row, where] = trace.drawn, trace.some
        for name, arrays in trace.columns.items():
            for number, array in enumerate(arrays):
                self.columns[name][number][row, where] = array

    def add_ideal(self, row: int, qrels: Qrels) -> None:
        """The curves of rankings that could not be better."""
        self.retrieved[row] = True
        for number, (measure, depth) in enumerate(self.wanted):
            measured = measure.of_ideal
            step = max(1, BLOCK_CELLS // max(depth, len(qrels.levels)))
            for start in range(0, len(self.chosen), step):
                where = slice(start, start + step)
                best = ideal_rankings(measured, qrels.counts_of(self.chosen[where]), qrels.levels, qrels.highest)
                table = best.every_rank(depth)
                curve = stopped(measured, best, table, measured.curve(table), partial(measured.value, best))
                values = self.columns["values"][number]
                values[row, where] = curve[:, : values.shape[-1]]
                self.length[row, where] = np.maximum(self.length[row, where], best.length)
            for name, arrays in self.columns.items():
                if name == TIES_ERROR:
                    arrays[number][row] = 0.0
                elif name != "values":  # all is judged, and nothing tied
                    arrays[number][row] = self.columns["values"][number][row]

    def notices(self, retrieved: Bools) -> Iterator[Notice]:
        """Notices of curves over orders of tied documents, given which topics count for each run, (run, topic)."""
        measures, ties = [measure for measure, _ in self.wanted], self.tracer.request.ties
        some, drawn = (np.count_nonzero(of & retrieved, axis=(1, 2)) for of in (self.some, self.drawn))
        yield from undefined_orders(measures, some, retrieved.size, "range" if ties == "range" else "mean")
        if not self.drawn.any():
            return
        errors = None
        if ties == "expected":
            counted = [np.where(retrieved[..., None], array, np.nan) for array in self.columns[TIES_ERROR]]
            errors = np.stack(
                [
                    np.nanmax(measure.summarise_errors(np.moveaxis(array, 1, -1)), axis=-1)
                    for (measure, _), array in zip(self.wanted, counted, strict=True)
                ]
            )
        yield from tie_notices(measures, drawn, retrieved.size, self.tracer.request.orders, errors)


def _bound(bounds: Callable[[], tuple[Floats, Floats]], which: int) -> Floats:
    return bounds()[which]


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
