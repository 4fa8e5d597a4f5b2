"""Shallower pools: the order of runs with the judgments that a pool of a lesser depth would have brought."""

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.measures.base.measure import Measure
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.pooling import NOWHERE
from rankscale.studies.support.rejudging import Values, compared
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.numbers import finite, listed
from rankscale.workbench.state import State
from rankscale.workbench.view import Data

STEPS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)  # of the slider


def of_pool(bench: Bench, state: State, progress: Progress | None) -> Data:
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


def taus_by_depth(bench: Bench, state: State, progress: Progress | None) -> list[Data]:
    """Tau between the orders of runs with a pool of each depth and with all judgments."""
    measure, steps = bench.measure(state), _steps(bench)
    full, judged = _means(bench, state, 0, None), bench.qrels.is_judged
    made: list[Data] = []
    for number, depth in enumerate(steps):
        if progress:
            progress(number, len(steps))
        tau = _tau(measure, full, _means(bench, state, depth, None))
        made.append(
            {
                "depth": depth,
                "tau": finite(tau),
                "judged": int(np.count_nonzero(judged & (bench.reach <= depth))),
            }
        )
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
    means: Floats = Values.of(bench.evaluation(state, measures, None, progress, pool=depth), counted).means()[0]
    return means


def _tau(measure: Measure, full: Floats, pool: Floats) -> float:
    one, other = (compared(means[None], [measure]) for means in (full, pool))
    return float(tau_b(one, other)[0])


def _places(measure: Measure, means: Floats) -> list[int]:
    """(run,): the place of each run, the best first; equal ones in the order of the runs."""
    order = np.argsort(means if measure.low_is_good else -means, kind="stable")
    places = np.empty(len(means), dtype=np.int64)
    places[order] = np.arange(1, len(means) + 1)
    return [int(place) for place in places]
