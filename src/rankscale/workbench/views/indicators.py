"""Indicators of CRP, topic by topic of one run, as a part of the view Effort draws them: parallel coordinates."""

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.names import place_of
from rankscale.figures.base.parallel_coordinates import AXES, measures_drawn
from rankscale.figures.base.relative_positions import checked_depth
from rankscale.workbench.bench import Bench
from rankscale.workbench.numbers import listed
from rankscale.workbench.state import State
from rankscale.workbench.view import Data

MOST_LINES = 1500  # topics that are drawn; of more, some evenly spaced by rho, and those within the brushed ranges


def indicators(bench: Bench, state: State, rel: float) -> Data:
    """Lines of run A's topics over the axes of the figure `indicators`, and which lie within the brushed ranges.

    Axes go from 0 to 1, the recall base as a share of the largest one; a range that reaches an end of its axis takes in
    what is beyond. Topics without a recall base have no line.
    """
    names = list(AXES)
    for axis, *_ in state.axes:
        place_of(names, axis, "axis", "axes are")
    evaluation = bench.evaluation(state, measures_drawn(checked_depth(state.depth), rel), [state.a])
    values = evaluation.values[:, 0]
    kept = np.flatnonzero(evaluation.retrieved[0] & (values[0] > 0))
    kept = kept[np.argsort(values[0, kept], kind="stable")]
    values = values[:, kept]
    within = _within(values, state)
    lines = _lines(values[names.index("rho")], within)
    return {
        "run": state.a,
        "axes": names,
        "labels": list(AXES.values()),
        "of_topics": len(kept),
        "within": int(np.count_nonzero(within)),
        "topics": [evaluation.topics[place] for place in kept[lines].tolist()],
        "values": [listed(row[lines].tolist()) for row in values],
        "largest": float(values[0].max(initial=1.0)),
        "passing": np.flatnonzero(within[lines]).tolist() if state.axes else [],
    }


def _within(values: Floats, state: State) -> Bools:
    """(topic,): whether the line of a topic goes through all brushed ranges; values are (axis, topic)."""
    names, inside = list(AXES), np.ones(values.shape[1], dtype=bool)
    for axis, low, high in state.axes:
        place = names.index(axis)
        shown = values[place] / values[0].max(initial=1.0) if place == 0 else values[place]
        with np.errstate(invalid="ignore"):
            inside &= (np.clip(shown, 0, 1) >= low) & (np.clip(shown, 0, 1) <= high)
    return inside


def _lines(rho: Floats, within: Bools) -> Ints:
    """Places of the topics that are drawn, in their order: some of all, and some of those within the ranges."""
    parts = [_spaced(np.argsort(rho, kind="stable"))]
    if not within.all():
        places = np.flatnonzero(within)
        parts.append(_spaced(places[np.argsort(rho[places], kind="stable")]))
    return np.unique(np.concatenate(parts))


def _spaced(places: Ints) -> Ints:
    """All of some places, or `MOST_LINES` of them, evenly spaced."""
    if len(places) <= MOST_LINES:
        return places
    chosen: Ints = places[np.linspace(0, len(places) - 1, MOST_LINES).round().astype(np.int64)]
    return chosen
