"""Judgments: what more judging would change. Bounds, shallower pools, and the documents to judge next."""

from collections.abc import Sequence

from rankscale.data.run import Run
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.register import figure as figure_of
from rankscale.figures.bounds import DEPTHS_DRAWN
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.rbp import RBP
from rankscale.studies.bounds import bounds
from rankscale.studies.next_judgments import NextJudgments, deepest_of, next_judgments
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.numbers import finite
from rankscale.workbench.residuals import Weighing, by_depth, by_p, of_all_runs, weighing, with_one_p
from rankscale.workbench.shallow_pools import of_pool, taus_by_depth
from rankscale.workbench.state import State
from rankscale.workbench.view import Data, View

NAMED = 3  # runs that are named besides A and B: the best
BEST_RANKS = 12  # runs of a document that are named: those that rank it best
QUICK = 1500  # rankings whose bounds by depth and by p come with the first answer; of more they come after


def data(bench: Bench, state: State, progress: Progress | None = None) -> Data:
    """Bounds of A, B and the best runs, and the order of runs with a shallower pool.

    With `part=tests` bounds of all runs by depth, tau by depth of the pool, and the documents to judge next.
    """
    measure = bench.measure(state)
    weighed = weighing(bench, state)
    best = bench.evaluation(state, [measure], None, progress).sorted_by(measure).runs
    named = list(dict.fromkeys([state.a, state.b, *best[:NAMED]]))
    is_quick = len(named) * len(bench.qrels.topics) <= QUICK
    if state.part == "tests":
        return {
            "next": _documents(bench, state, weighed.measure, progress),
            "taus": taus_by_depth(bench, state, progress),
            "by_depth": by_depth(bench, state, weighed.measure, None, progress),
            "by_p": None if is_quick else by_p(bench, state, weighed.measure, named, progress),
        }
    return {
        "bounds": _about(weighed),
        "runs": of_all_runs(bench, state, weighed.measure, progress),
        "named": named,
        "by_depth": by_depth(bench, state, weighed.measure, named, progress) if is_quick else None,
        "by_p": by_p(bench, state, weighed.measure, named, progress) if is_quick else None,
        "pool": of_pool(bench, state, progress),
        "commands": {"bounds": _bounds_command(bench, state, weighed.measure), "pool": _pool_command(bench, state)},
    }


def _about(weighed: Weighing) -> Data:
    measure, rbp = weighed.measure, with_one_p(weighed.measure)
    return {
        "measure": str(measure),
        "why": weighed.why,
        "p": None if rbp is None else float(rbp.p),
        "depth": measure.depth,
        "low_is_good": measure.low_is_good,
    }


def _missing(state: State) -> list[str]:
    return [] if state.missing == "zero" else ["--missing", state.missing]


def _bounds_command(bench: Bench, state: State, measure: Measure) -> str:
    """The command that prints the bounds: those of RBP by depth, of other measures as they stand."""
    rbp = with_one_p(measure)
    if rbp is None:
        return bench.line("evaluate", "-m", str(measure), "--bounds", *_missing(state))
    relevant = ["--rel", canonical_text(rbp.rel)] if rbp.rel != 1 else []
    gains = [] if rbp.gains is None else ["--gains", canonical_text(rbp.gains).strip("[]")]
    words = ["-p", f"{float(rbp.p)!r}", "--pool-depths", "", "--accuracy", "", "--table", "depths"]
    return bench.line("bounds", *words, *relevant, *gains, *_missing(state))


def _pool_command(bench: Bench, state: State) -> str:
    """The command that prints tau with the pool of the state, or with pools of several depths."""
    depths = str(state.pool) if state.pool else "10,20,50,100"
    return bench.command("pool-orders", state, "--pool-depths", depths, measures=[bench.measure(state)])


def _deepest(bench: Bench, measure: Measure) -> int:
    """Down to which rank documents are looked at: where ranks have any weight, and names are read."""
    weighed = measure.as_additive
    return bench.ranks_read if weighed is None else min(deepest_of(weighed), bench.ranks_read)


def _depth(bench: Bench, measure: Measure) -> int | None:
    """The same rank, where ranks below it have weight; None where it leaves nothing out."""
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


def _documents(bench: Bench, state: State, measure: Measure, progress: Progress | None) -> Data:
    """The documents, which runs retrieve each at which rank, and what is left open once they are judged."""
    try:
        study = _study(bench, state, measure, progress)
    except ParameterError as error:  # the measure is no sum over ranks, or runs were read without their documents
        return {"why_not": str(error)}
    before = study.before.mean(axis=1)
    runs, deepest = bench.documented(), _deepest(bench, measure)
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


def _ranks(runs: Sequence[Run], row: int, document: str, deepest: int, state: State) -> Data:
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
    return _study(bench, state, weighing(bench, state).measure).table("next")


def text(bench: Bench, state: State) -> str:
    """A line `topic document` for each document to judge next, to hand to assessors."""
    listed = table(bench, state)
    pairs = zip(listed.columns["topic"], listed.columns["document"], strict=True)
    return "".join(f"{topic} {document}\n" for topic, document in pairs)


def figure(bench: Bench, state: State) -> Figure:
    """Bounds of A and B by depth: those of RBP, with the persistence of the state's measure if that is RBP."""
    drawn = with_one_p(weighing(bench, state).measure) or RBP()
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
    measure = weighing(bench, state).measure
    depth = _depth(bench, measure)
    words = ["--next", str(state.cost), "--weight", str(measure)]
    return bench.line("pool", *words, *([] if depth is None else ["--pool-depth", str(depth)]), *_missing(state))


VIEW = View("judgments", "Judgments", "What would more judging change?", data, table, command, figure, text=text)
