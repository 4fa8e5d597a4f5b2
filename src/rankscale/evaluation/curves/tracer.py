"""Curves traced run by run, in blocks of bounded size."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankscale.data.arrays import UNJUDGED, Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run, concatenate
from rankscale.evaluation.batches import FEW_TOPICS
from rankscale.evaluation.notices import tie_notices, undefined_orders
from rankscale.evaluation.options import TIES_ERROR, EvaluationRequest, no_bounds
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.ties import stopped, tied_mean_curve, tied_range_curve

BLOCK_CELLS = 1 << 18  # ranks of rankings that a formula is carried out for at once
SHORTER = "use a smaller depth, some of the topics, or fewer runs"


@dataclass(frozen=True, eq=False)
class Traced:
    """The curves of one run, of a few or of all, on the topics that are chosen."""

    columns: dict[str, list[Floats]]  # by name, for each measure (run, topic, rank)
    retrieved: Bools  # (run, topic)
    length: Ints  # (run, topic): documents retrieved
    drawn: Bools  # (measure, run, topic): where orders of tied documents were drawn
    some: Bools  # (measure, run, topic): where some orders have no value at some rank, and others have

    def put(self, first: int, part: "Traced") -> None:
        """The curves of some runs, the first of which has this row."""
        rows = slice(first, first + len(part.retrieved))
        self.retrieved[rows], self.length[rows] = part.retrieved, part.length
        self.drawn[:, rows], self.some[:, rows] = part.drawn, part.some
        for name, arrays in part.columns.items():
            for whole, array in zip(self.columns[name], arrays, strict=True):
                whole[rows] = array


@dataclass(frozen=True, eq=False)
class Tracer:
    """Traces one run, or a few of few topics, wherever the executor does it."""

    qrels: Qrels
    wanted: Sequence[tuple[Measure, int]]  # measures, and where the curve of each ends
    chosen: Ints  # rows of the topics
    request: EvaluationRequest

    def together(self, runs: Sequence[Run]) -> list[Sequence[Run]]:
        """Runs that are traced at once: one by one, but for those of very few topics, of which a file may hold many."""
        cells = len(self.chosen) * sum(depth for _, depth in self.wanted)
        is_small = len(self.qrels.topics) <= FEW_TOPICS and self.request.ties == "trec"
        step = max(1, BLOCK_CELLS // max(1, cells)) if is_small else 1
        return [runs[start : start + step] for start in range(0, len(runs), step)]

    def untraced(self, runs: int) -> Traced:
        """The curves of so many runs before any is traced."""
        shape, names = (runs, len(self.chosen)), self.request.columns
        columns = {name: [np.full((*shape, depth), np.nan) for _, depth in self.wanted] for name in names}
        drawn, some = np.zeros((2, len(self.wanted), *shape), dtype=bool)
        return Traced(columns, np.zeros(shape, dtype=bool), np.zeros(shape, dtype=np.int32), drawn, some)

    def __call__(self, runs: Sequence[Run]) -> Traced:
        """The curves of some runs, in blocks of rankings of bounded size."""
        whole = [run.completed(len(self.qrels.topics)) if self.request.complete else run for run in runs]
        chosen = [run.select_topics(self.chosen) for run in whole]
        seen_of = concatenate(chosen)
        row = np.repeat(np.arange(len(runs)), [len(run.rows) for run in chosen])
        place = np.searchsorted(self.chosen, seen_of.rows)
        made = self.untraced(len(runs))
        made.retrieved[row, place], made.length[row, place] = True, seen_of.length
        ahead = self.request.ties == "expected" or any(measure.looks_ahead for measure, _ in self.wanted)
        longest = int(seen_of.length.max(initial=0)) if ahead else 0
        width = max(longest, *(depth for _, depth in self.wanted))
        all_levels = any(measure.needs_all_levels for measure, _ in self.wanted)
        for which, seen in seen_of.blocks_by_size(self.qrels, width, all_levels=all_levels):
            at = row[which], place[which]
            tables: dict[bool, tuple[Judged, Judged]] = {}
            for number, (measure, _) in enumerate(self.wanted):
                condensed = self.request.judged_only or measure.judged_only
                if condensed not in tables:
                    kept = seen.only_judged() if condensed else seen
                    tables[condensed] = kept, kept.every_rank(width)
                curves, made.drawn[number][at], made.some[number][at] = self._columns(measure, *tables[condensed])
                for name, curve in curves.items():
                    array = made.columns[name][number]
                    array[at] = curve[:, : array.shape[-1]]
        return made

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

    def add_ideal(self, made: Traced, row: int) -> None:
        """The curves of rankings that could not be better, in this row."""
        qrels = self.qrels
        made.retrieved[row] = True
        for number, (measure, depth) in enumerate(self.wanted):
            measured = measure.of_ideal
            step = max(1, BLOCK_CELLS // max(depth, len(qrels.levels)))
            for start in range(0, len(self.chosen), step):
                where = slice(start, start + step)
                best = ideal_rankings(measured, qrels.counts_of(self.chosen[where]), qrels.levels, qrels.highest)
                table = best.every_rank(depth)
                curve = stopped(measured, best, table, measured.curve(table), partial(measured.value, best))
                values = made.columns["values"][number]
                values[row, where] = curve[:, : values.shape[-1]]
                made.length[row, where] = np.maximum(made.length[row, where], best.length)
            for name, arrays in made.columns.items():
                if name == TIES_ERROR:
                    arrays[number][row] = 0.0
                elif name != "values":  # all is judged, and nothing tied
                    arrays[number][row] = made.columns["values"][number][row]

    def notices(self, made: Traced, retrieved: Bools) -> Iterator[Notice]:
        """Notices of curves over orders of tied documents, given which topics count for each run, (run, topic)."""
        measures, ties = [measure for measure, _ in self.wanted], self.request.ties
        some, drawn = (np.count_nonzero(of & retrieved, axis=(1, 2)) for of in (made.some, made.drawn))
        yield from undefined_orders(measures, some, retrieved.size, "range" if ties == "range" else "mean")
        if not made.drawn.any():
            return
        errors = None
        if ties == "expected":
            counted = [np.where(retrieved[..., None], array, np.nan) for array in made.columns[TIES_ERROR]]
            errors = np.stack(
                [
                    np.nanmax(measure.summarise_errors(np.moveaxis(array, 1, -1)), axis=-1)
                    for (measure, _), array in zip(self.wanted, counted, strict=True)
                ]
            )
        yield from tie_notices(measures, drawn, retrieved.size, self.request.orders, errors)


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
