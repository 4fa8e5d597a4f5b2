"""Judgments: what more judging would change.

Bounds are what unjudged documents and ranks without a document leave open in means, by depth and by persistence; pools
of a lesser depth would have brought other orders of runs; the documents to judge next are those that settle most.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.run import Run
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import no_bounds
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.register import figure as figure_of
from rankscale.figures.bounds import DEPTHS_DRAWN, GRID_DRAWN
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.rbp import RBP
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.bounds import bounds
from rankscale.studies.next_judgments import NextJudgments, deepest_of, next_judgments
from rankscale.studies.pooling import NOWHERE
from rankscale.studies.support.selection import RejudgedValues, compared
from rankscale.workbench.bench import Bench, Bounded, Progress, can_bound
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed

DEFAULT = "RBP"  # the measure of bounds where the state's has none
STEPS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)  # of the slider
NAMED = 3  # runs that are named besides A and B: the best
BEST_RANKS = 12  # runs of a document that are named: those that rank it best
QUICK = 1500  # rankings whose bounds by depth and by p come with the first answer; of more they come after


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """Bounds of A, B and the best runs, and the order of runs with a shallower pool.

    With `part=tests` bounds of all runs by depth, tau by depth of the pool, and the documents to judge next.
    """
    measure = bench.measure(state)
    weighed, why = weighing(bench, state)
    best = bench.evaluation(state, [measure], None, progress).sorted_by(measure).runs
    named = list(dict.fromkeys([state.a, state.b, *best[:NAMED]]))
    is_quick = len(named) * len(bench.qrels.topics) <= QUICK
    if state.part == "tests":
        return {
            "next": _documents(bench, state, weighed, progress),
            "taus": taus_by_depth(bench, state, progress),
            "by_depth": by_depth(bench, state, weighed, None, progress),
            "by_p": None if is_quick else by_p(bench, state, weighed, named, progress),
        }
    rbp = with_one_p(weighed)
    return {
        "bounds": {
            "measure": str(weighed),
            "why": why,
            "p": None if rbp is None else float(rbp.p),
            "depth": weighed.depth,
            "low_is_good": weighed.low_is_good,
        },
        "runs": of_all_runs(bench, state, weighed, progress),
        "named": named,
        "by_depth": by_depth(bench, state, weighed, named, progress) if is_quick else None,
        "by_p": by_p(bench, state, weighed, named, progress) if is_quick else None,
        "pool": of_pool(bench, state, progress),
        "commands": {"bounds": _bounds_command(bench, state, weighed), "pool": _pool_command(bench, state)},
    }


def _bounds_command(bench: Bench, state: State, measure: Measure) -> str:
    """The command that prints the bounds: those of RBP by depth, of other measures as they stand."""
    rbp = with_one_p(measure)
    if rbp is None:
        return bench.line("evaluate", "-m", str(measure), "--bounds", *state.missing_words)
    relevant = ["--rel", canonical_text(rbp.rel)] if rbp.rel != 1 else []
    gains = [] if rbp.gains is None else ["--gains", canonical_text(rbp.gains).strip("[]")]
    words = ["-p", f"{float(rbp.p)!r}", "--pool-depths", "", "--accuracy", "", "--table", "depths"]
    return bench.line("bounds", *words, *relevant, *gains, *state.missing_words)


def _pool_command(bench: Bench, state: State) -> str:
    """The command that prints tau with the pool of the state, or with pools of several depths."""
    depths = str(state.pool) if state.pool else "10,20,50,100"
    return bench.command("pool-orders", state, "--pool-depths", depths, measures=[bench.measure(state)])


def _depth(bench: Bench, measure: Measure) -> int | None:
    """Down to which rank names are read, where ranks below it have weight; None where that leaves nothing out."""
    weighed = measure.as_additive
    return None if weighed is None or deepest_of(weighed) <= bench.ranks_read else bench.ranks_read


def _study(bench: Bench, state: State, measure: Measure, progress: Progress | None = None) -> NextJudgments:
    """The documents to judge next, as `next_judgments` lists them."""
    return next_judgments(
        bench.qrels,
        list(bench.documented(progress)),
        state.cost,
        weight=measure,
        depth=_depth(bench, measure),
        missing=state.missing,  # type: ignore[arg-type]  # the state has checked it
    )


def _documents(bench: Bench, state: State, measure: Measure, progress: Progress | None) -> ViewData:
    """The documents, which runs retrieve each at which rank, and what is left open once they are judged."""
    try:
        study = _study(bench, state, measure, progress)
    except ParameterError as error:  # the measure is no sum over ranks, or runs were read without their documents
        return {"why_not": str(error)}
    before = study.before.mean(axis=1)
    runs, weighed = bench.documented(), measure.as_additive
    deepest = bench.ranks_read if weighed is None else min(deepest_of(weighed), bench.ranks_read)
    rows = {topic: row for row, topic in enumerate(bench.qrels.topics)}
    return {
        "sentence": study.sentence(),
        "measure": str(measure),
        "depth": study.depth,
        "runs": len(study.runs),
        "residual": finite(before.mean()),
        "highest_residual": finite(before.max()),
        "rows": [
            {**row, **_ranks(runs, rows[str(row["topic"])], str(row["document"]), deepest, state)}
            for row in study.table("next")
        ],
    }


def _ranks(runs: Sequence[Run], row: int, document: str, deepest: int, state: State) -> ViewData:
    """The rank of a document in A and B, and in the runs that rank it best, down to where ranks have weight."""
    ranks: dict[str, int] = {}
    for run in runs:
        place = int(run.rows.searchsorted(row))
        names = (run.documents or ())[place] if place < len(run.rows) and run.rows[place] == row else ()
        if document in names:
            ranks[run.name] = names.index(document) + 1
    best = sorted((rank, place, name) for place, (name, rank) in enumerate(ranks.items()) if rank <= deepest)
    return {
        "a": ranks.get(state.a),
        "b": ranks.get(state.b),
        "best": [[name, rank] for rank, _, name in best[:BEST_RANKS]],
    }


def table(bench: Bench, state: State) -> Table:
    """The documents to judge next."""
    return _study(bench, state, weighing(bench, state)[0]).table("next")


def text(bench: Bench, state: State) -> str:
    """A line `topic document` for each document to judge next, to hand to assessors."""
    listed = table(bench, state)
    pairs = zip(listed.columns["topic"], listed.columns["document"], strict=True)
    return "".join(f"{topic} {document}\n" for topic, document in pairs)


def figure(bench: Bench, state: State) -> Figure:
    """Bounds of A and B by depth: those of RBP, with the persistence of the state's measure if that is RBP."""
    drawn = with_one_p(weighing(bench, state)[0]) or RBP()
    # Which topics all runs have shows in all of them.
    both = [run for run in bench.runs if run.name in {state.a, state.b} or state.missing == "common"]
    study = bounds(  # type: ignore[call-overload]  # the state has checked `missing`
        bench.qrels,
        both,
        float(drawn.p),
        depths=DEPTHS_DRAWN,
        grid=(),
        pool_depths=(),
        accuracy=(),
        rel=drawn.rel,
        gains=drawn.gains,
        missing=state.missing,
    )
    return figure_of("bounds", study, by="depth", runs=list(dict.fromkeys([state.a, state.b])))


def command(bench: Bench, state: State) -> str:
    """`rankscale pool --next` with the same weights."""
    measure = weighing(bench, state)[0]
    depth = _depth(bench, measure)
    words = ["--next", str(state.cost), "--weight", str(measure)]
    return bench.line("pool", *words, *([] if depth is None else ["--pool-depth", str(depth)]), *state.missing_words)


def weighing(bench: Bench, state: State) -> tuple[Measure, str]:
    """The measure of bounds that the state names, else its measure, else RBP: the first that has bounds.

    And why another one that was named has none.
    """
    why = ""
    for text in filter(None, (state.weigh, state.m or bench.measures[0])):
        measure = bench.measure(state.changed(m=text))
        error = no_bounds(measure)
        if error is None:
            return measure, why
        why = why or str(error)
    return bench.measure(state.changed(m=DEFAULT)), why


def bounded(
    bench: Bench, state: State, measures: Sequence[Measure], runs: Sequence[str] | None, progress: Progress | None
) -> Bounded:
    """Values and bounds of some runs, or of all, over whole rankings, as `evaluate` gives them.

    Of sums over ranks only weights are added up anew: the ranks of judged documents stay.
    """
    whole = state.changed(judged=False, depth=None)  # bounds are of all that a run retrieved, judged or not
    if not all(can_bound(measure, bench.qrels) for measure in measures):
        return Bounded(bench.evaluation(whole, measures, runs, progress, bounds=True), None)
    return bench.bounded(whole, measures, runs, progress)


def of_all_runs(bench: Bench, state: State, measure: Measure, progress: Progress | None) -> ViewData:
    """Mean, lower and upper bound of each run, the best first, and what of that judging could settle."""
    made = bounded(bench, state, [measure], None, progress)
    (lower,), (upper,) = made.ends()
    documents = made.of_documents()
    order = [made.evaluation.runs.index(name) for name in made.evaluation.sorted_by(measure).runs]
    return {
        "names": [made.evaluation.runs[place] for place in order],
        "means": listed(made.evaluation.means().values[0, order]),
        "lower": listed(lower[order]),
        "upper": listed(upper[order]),
        "of_documents": None if documents is None else listed(documents[0, order]),
    }


def by_depth(
    bench: Bench, state: State, measure: Measure, runs: Sequence[str] | None, progress: Progress | None
) -> ViewData | None:
    """Bounds of some runs, or of all, with the measure at each depth; None where it takes no depth."""
    longest = max((int(run.length.max(initial=1)) for run in bench.runs), default=1)
    depths = [depth for depth in DEPTHS_DRAWN if depth <= longest] or [1]
    if not measure.takes_depth:
        return None
    try:
        measures = [replace(measure, depth=depth) for depth in depths]
    except ParameterError:  # its other parameters ask for a greater one
        return None
    return {"across": depths, **_bands(bench, state, measures, runs, progress)}


def with_one_p(measure: Measure) -> RBP | None:
    """The measure where it is RBP, whose users read on with the same probability after every document."""
    return measure if isinstance(measure, RBP) and not measure.conditional else None


def by_p(bench: Bench, state: State, measure: Measure, runs: Sequence[str], progress: Progress | None) -> ViewData:
    """Bounds of some runs by RBP over whole rankings, with each persistence; rel and gains are those of the measure."""
    base = with_one_p(measure) or bench.measure(state.changed(m=DEFAULT))
    measures = [replace(base, p=p, depth=None) for p in GRID_DRAWN]  # type: ignore[call-arg]  # it is RBP
    return {"across": list(GRID_DRAWN), **_bands(bench, state, measures, runs, progress)}


def _bands(
    bench: Bench, state: State, measures: Sequence[Measure], runs: Sequence[str] | None, progress: Progress | None
) -> ViewData:
    """Bounds by run, for each measure."""
    made = bounded(bench, state, measures, runs, progress)
    lower, upper = made.ends()
    return {
        "runs": list(made.evaluation.runs),
        "lower": [listed(column) for column in lower.T],
        "upper": [listed(column) for column in upper.T],
    }


def of_pool(bench: Bench, state: State, progress: Progress | None) -> ViewData:
    """Means and places of runs with all judgments and with those of the pool, and tau between the two orders."""
    measure = bench.measure(state)
    full, pool = _means(bench, state, 0, progress), _means(bench, state, state.pool, progress)
    kept = bench.reach <= state.pool if state.pool else np.ones(len(bench.reach), dtype=bool)
    judged, relevant = bench.qrels.is_judged, bench.qrels.is_relevant(state.lowest_relevant)
    return {
        "depth": state.pool,
        "steps": _steps(bench),
        "measure": str(measure),
        "low_is_good": measure.low_is_good,
        "judged": int(np.count_nonzero(kept & judged)),
        "of_judged": int(np.count_nonzero(judged)),
        "relevant": int(np.count_nonzero(kept & relevant)),
        "of_relevant": int(np.count_nonzero(relevant)),
        "tau": finite(_tau(measure, full, pool)),
        "runs": list(bench.names),
        "full": listed(full),
        "pool": listed(pool),
        "full_places": _places(measure, full),
        "pool_places": _places(measure, pool),
    }


def taus_by_depth(bench: Bench, state: State, progress: Progress | None) -> list[ViewData]:
    """Tau between the orders of runs with a pool of each depth and with all judgments."""
    measure, steps = bench.measure(state), _steps(bench)
    full, judged = _means(bench, state, 0, None), bench.qrels.is_judged
    made: list[ViewData] = []
    for number, depth in enumerate(steps):
        if progress:
            progress(number, len(steps))
        tau = _tau(measure, full, _means(bench, state, depth, None))
        kept = int(np.count_nonzero(judged & (bench.reach <= depth)))
        made.append({"depth": depth, "tau": finite(tau), "judged": kept})
    return made


def _steps(bench: Bench) -> list[int]:
    """Depths of the slider, as far down as judged documents stand."""
    there = bench.reach[bench.qrels.is_judged & (bench.reach < NOWHERE)]
    deepest = int(there.max(initial=1))
    return [*(step for step in STEPS if step < deepest), deepest]


def _means(bench: Bench, state: State, depth: int, progress: Progress | None) -> Floats:
    """(run,): means over the topics where the measure is defined for all runs, as studies of judgments take them."""
    measures = [bench.measure(state)]
    retrieved = bench.evaluation(state, measures, None, progress).retrieved
    counted: Bools = np.count_nonzero(~retrieved, axis=0) == 0
    means: Floats = RejudgedValues.of(bench.evaluation(state, measures, None, progress, pool=depth), counted).means()[0]
    return means


def _tau(measure: Measure, full: Floats, pool: Floats) -> float:
    one, other = (compared(means[None], [measure]) for means in (full, pool))
    return float(tau_b(one, other)[0])


def _places(measure: Measure, means: Floats) -> list[int]:
    """(run,): the place of each run, the best first; equal ones in the order of the runs."""
    order = np.argsort(means if measure.low_is_good else -means, kind="stable")
    places: list[int] = (np.argsort(order) + 1).tolist()
    return places


VIEW = BenchView("judgments", "Judgments", "What would more judging change?", data, table, command, figure, text=text)
