"""Residuals: what unjudged documents and ranks without a document leave open in means, by depth and by persistence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankscale.errors import ParameterError
from rankscale.evaluation.options import no_bounds
from rankscale.figures.bounds import DEPTHS_DRAWN, GRID_DRAWN
from rankscale.measures.base.measure import Measure
from rankscale.measures.rbp import RBP
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.judged_ranks import Bounded, can_bound
from rankscale.workbench.numbers import listed
from rankscale.workbench.state import State
from rankscale.workbench.view import Data

DEFAULT = "RBP"  # the measure of bounds where the state's has none


@dataclass(frozen=True)
class Weighing:
    """The measure whose bounds are shown, and why another one that was named is not."""

    measure: Measure
    why: str = ""


def weighing(bench: Bench, state: State) -> Weighing:
    """The measure of bounds that the state names, else its measure, else RBP: the first that has bounds."""
    why = ""
    for text in (state.weigh, state.m or bench.measures[0]):
        if text:
            measure = bench.measure(state.changed(m=text))
            error = no_bounds(measure)
            if error is None:
                return Weighing(measure, why)
            why = why or str(error)
    return Weighing(bench.measure(state.changed(m=DEFAULT)), why)


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


def of_all_runs(bench: Bench, state: State, measure: Measure, progress: Progress | None) -> Data:
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
) -> Data | None:
    """Bounds of some runs, or of all, with the measure at each depth; None where it takes no depth."""
    longest = max((int(run.length.max(initial=1)) for run in bench.runs), default=1)
    depths = [depth for depth in DEPTHS_DRAWN if depth <= longest] or [1]
    try:
        measures = [replace(measure, depth=depth) for depth in depths] if measure.takes_depth else []
    except ParameterError:  # its other parameters ask for a greater one
        measures = []
    if not measures:
        return None
    return {"across": depths, **_bands(bench, state, measures, runs, progress)}


def with_one_p(measure: Measure) -> RBP | None:
    """The measure where it is RBP, whose users read on with the same probability after every document."""
    return measure if isinstance(measure, RBP) and not measure.conditional else None


def by_p(bench: Bench, state: State, measure: Measure, runs: Sequence[str], progress: Progress | None) -> Data:
    """Bounds of some runs by RBP over whole rankings, with each persistence; rel and gains are those of the measure."""
    base = with_one_p(measure) or bench.measure(state.changed(m=DEFAULT))
    measures = [replace(base, p=p, depth=None) for p in GRID_DRAWN]  # type: ignore[call-arg]  # it is RBP
    return {"across": list(GRID_DRAWN), **_bands(bench, state, measures, runs, progress)}


def _bands(
    bench: Bench, state: State, measures: Sequence[Measure], runs: Sequence[str] | None, progress: Progress | None
) -> Data:
    """Bounds by run, for each measure."""
    made = bounded(bench, state, measures, runs, progress)
    lower, upper = made.ends()
    return {
        "runs": list(made.evaluation.runs),
        "lower": [listed(column) for column in lower.T],
        "upper": [listed(column) for column in upper.T],
    }
