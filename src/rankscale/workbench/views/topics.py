"""Topics: which topics decide. Values by run and topic, groups of topics, and what all runs together say of each topic.

That is how hard it is, and how far it tells runs apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.exact_sums import mean_of_defined
from rankscale.data.names import place_of
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.figure import Figure
from rankscale.figures.topics import natural_order, topics_figure
from rankscale.measures.base.measure import Measure
from rankscale.stats.resampling.groups import NONE
from rankscale.workbench.bench import HOLDER, Bench, Progress
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed

FEWEST_RUNS = 3  # for a correlation over runs
ROUNDING = 1e-12  # of values that are all the same: their deviations are no more than this share of them
MOST_TOPICS = 10_000  # in one answer; more are shown window by window
MOST_COLUMNS, MOST_CELLS = 400, 60_000  # of the heat map; where there are more, neighbouring topics share a column
FEWEST_COLUMNS = 40


@dataclass(frozen=True, eq=False)
class TopicStatistics:
    """Statistics of each topic over runs, (topic,) each; NaN where undefined.

    Attributes
    ----------
    difficulty
        How far the mean is from the best value: see `difficulty`.
    mean, median, spread
        Mean, median and standard deviation (with n - 1) over the runs that have a value.
    correlation
        Pearson's correlation, over runs, of the topic's values with the means of the runs over all other topics: high
        where the topic orders runs as the others do, below 0 where it reverses them. In the theory of tests it is
        called the corrected item-total correlation, or discrimination.
    """

    difficulty: Floats
    mean: Floats
    median: Floats
    spread: Floats
    correlation: Floats

    @classmethod
    def of(cls, values: Floats, measure: Measure) -> "TopicStatistics":
        """Statistics of values (run, topic); what is NaN or infinite is left out."""
        kept = np.where(np.isfinite(values), values, np.nan)
        mean = mean_of_defined(kept)
        return cls(difficulty(mean, measure), mean, _median(kept), _spread(kept, mean), rest_correlation(kept))


@dataclass(frozen=True, eq=False)
class Arranged:
    """Runs and topics in the order of the page, of which the topics may be some.

    Attributes
    ----------
    evaluation : Evaluation
        Values of all runs, runs in order.
    values : array of float
        (run, topic): the values that count, NaN elsewhere; topics as the evaluation has them.
    places : array of int
        Topics of the evaluation that match group and search, in order.
    statistics : TopicStatistics
        Of all topics of the evaluation.
    difference : array of float
        (topic,): A less B.
    """

    evaluation: Evaluation
    values: Floats
    places: Ints
    statistics: TopicStatistics
    difference: Floats

    def names(self, places: Ints) -> list[str]:
        """Names of some topics."""
        return [self.evaluation.topics[place] for place in places.tolist()]

    def run(self, name: str) -> Floats:
        """(topic,): values of one run."""
        row: Floats = self.values[self.evaluation.runs.index(name)]
        return row


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """The heat map, the statistics of each topic, and means by group of topics."""
    made = _arranged(bench, state, progress)
    start = min(state.start, max(0, len(made.places) - 1)) if state.window else 0
    shown = made.places[start : start + min(state.window or MOST_TOPICS, MOST_TOPICS)]
    statistics, names, measure = made.statistics, made.names(shown), made.evaluation.measures[0]
    return {
        "runs": list(made.evaluation.runs),
        "means": listed(made.evaluation.means().values[0]),
        "topics": names,
        "matching": len(made.places),
        "start": start,
        **bench.words_of(names),
        "difficulty": listed(statistics.difficulty[shown].tolist()),
        "difficulty_words": difficulty_in_words(measure),
        "mean": listed(statistics.mean[shown].tolist()),
        "median": listed(statistics.median[shown].tolist()),
        "spread": listed(statistics.spread[shown].tolist()),
        "correlation": listed(statistics.correlation[shown].tolist()),
        "a": listed(made.run(state.a)[shown].tolist()),
        "b": listed(made.run(state.b)[shown].tolist()),
        "low_is_good": measure.low_is_good,
        "group_names": _group_names(bench),
        "by_group": _by_group(bench, state, made.evaluation),
        **_cells(made, shown, state),
    }


def _arranged(bench: Bench, state: State, progress: Progress | None = None) -> Arranged:
    """Runs and topics as the state orders and filters them."""
    measure = bench.measure(state)
    evaluation = bench.evaluation(state, [measure], None, progress).sorted_by(measure)
    if state.rows == "name":
        by_name: list[str] = sorted(evaluation.runs, key=natural_order)
        evaluation = evaluation.of_runs(by_name)
    values = np.where(evaluation.retrieved, evaluation.values[0], np.nan)
    statistics = TopicStatistics.of(values, measure)
    a, b = (values[evaluation.runs.index(name)] for name in (state.a, state.b))
    difference: Floats = a - b
    keys = {"difficulty": statistics.difficulty, "spread": -statistics.spread, "difference": difference}
    matching = _matching(bench, state, evaluation)
    if state.order == "name":
        matching.sort(key=lambda place: natural_order(evaluation.topics[place]))
    places = np.array(matching, dtype=np.int64)
    if state.order in keys:
        places = places[np.argsort(keys[state.order][places], kind="stable")]  # undefined ones last
    return Arranged(evaluation, values, places, statistics, difference)


def _matching(bench: Bench, state: State, evaluation: Evaluation) -> list[int]:
    """Places of topics that count for some run, are in the group, and have the letters searched for.

    With `only`, of brushed topics alone.
    """
    if state.group:
        names = _group_names(bench)
        if not names:
            raise ParameterError(f"group {state.group}: there are no groups of topics; give a file of them, --groups")
        place_of(names, state.group, "group", HOLDER)
    letters, brushed = state.search.lower(), frozenset(state.topics)
    queries = bench.texts.queries
    counting = np.count_nonzero(evaluation.retrieved, axis=0).tolist()
    return [
        place
        for place, topic in enumerate(evaluation.topics)
        if counting[place]
        and (not (state.only and brushed) or topic in brushed)
        and (not state.group or bench.groups.get(topic, NONE) == state.group)
        and (not letters or letters in topic.lower() or letters in queries.get(topic, "").lower())
    ]


def _group_names(bench: Bench) -> list[str]:
    """Groups that have topics, in their order of appearance; last '(none)', if some topics have no group."""
    topics = frozenset(bench.qrels.topics)
    names = list(dict.fromkeys(group for topic, group in bench.groups.items() if topic in topics))
    return [*names, NONE] if names and any(topic not in bench.groups for topic in topics) else names


def _cells(made: Arranged, shown: Ints, state: State) -> ViewData:
    """The heat map: (run, column) values, or these less the topic's median; a column is a topic or some neighbours.

    `columns` says where each column starts among the topics shown, and the last one ends. A cell of several topics is
    the mean of those that have a value.
    """
    values = made.values[:, shown]
    if state.by == "median":
        values = values - made.statistics.median[shown]
    most = int(np.clip(MOST_CELLS // max(1, len(values)), FEWEST_COLUMNS, MOST_COLUMNS))
    edges = np.linspace(0, len(shown), min(most, len(shown)) + 1).round().astype(np.int64)
    if len(edges) <= len(shown):
        values = binned(values, edges)
    return {"columns": edges.tolist(), "cells": [listed(row) for row in values.tolist()]}


def binned(values: Floats, edges: Ints) -> Floats:
    """(run, column): means of the defined values of neighbouring topics; column i is of topics edges[i]:edges[i + 1].

    >>> binned(np.array([[1.0, 0.0, np.nan, 0.5]]), np.array([0, 2, 4]))
    array([[0.5, 0.5]])
    """
    there = np.isfinite(values)
    sums = np.add.reduceat(np.where(there, values, 0.0), edges[:-1], axis=1)
    counts = np.add.reduceat(there.astype(np.int64), edges[:-1], axis=1)
    means: Floats = np.where(counts > 0, sums / np.maximum(1, counts), np.nan)
    return means


def _by_group(bench: Bench, state: State, evaluation: Evaluation) -> ViewData | None:
    """Means of A and B by group, as `evaluate --groups` gives them; None without groups."""
    if not _group_names(bench):
        return None
    made = evaluation.of_runs([state.a, state.b]).by_group(dict(bench.groups))
    return {
        "rows": list(made.rows),
        "topics": made.counted[0, :, 0].tolist(),
        "a": listed(made.values[0, :, 0].tolist()),
        "b": listed(made.values[0, :, 1].tolist()),
    }


def table(bench: Bench, state: State) -> Table:
    """A row for each topic in the order of the page: its statistics, A less B, and the value of each run.

    Where topics are brushed, these alone.
    """
    made = _arranged(bench, state)
    brushed = frozenset(state.topics)
    topics = made.evaluation.topics
    places = [place for place in made.places.tolist() if not brushed or topics[place] in brushed]
    statistics, queries = made.statistics, bench.texts.queries
    columns: dict[str, Sequence[str | float | None]] = {
        "topic": [topics[place] for place in places],
        **({"query": [queries.get(topics[place], "") for place in places]} if queries else {}),
        **({"group": [bench.groups.get(topics[place], NONE) for place in places]} if bench.groups else {}),
    }
    numbers = {
        **vars(statistics),
        "difference": made.difference,
        **{f"value:{run}": made.values[row] for row, run in enumerate(made.evaluation.runs)},
    }
    return Table({**columns, **{name: [finite(of[place]) for place in places] for name, of in numbers.items()}})


def figure(bench: Bench, state: State) -> Figure:
    """The heat map of the topics that match, or of those that are brushed."""
    made = _arranged(bench, state)
    brushed = frozenset(state.topics)
    kept = [name for name in made.names(made.places) if not brushed or name in brushed]
    if not kept:
        raise ParameterError("no topic matches: choose another group, other letters or other topics")
    evaluation = made.evaluation
    some = evaluation if len(kept) == len(evaluation.topics) else evaluation.of_topics(kept)
    return topics_figure(some, order="name" if state.order == "name" else "mean")


def command(bench: Bench, state: State) -> str:
    """`rankscale evaluate` with the values of each topic."""
    return bench.command("evaluate", state, "--per-topic")


def difficulty(mean: Floats, measure: Measure) -> Floats:
    """(topic,): how far a topic's mean over runs is from the best value: 1 - mean for measures from 0 to 1.

    Where low values are good it is the mean less the lowest value; where the best value is infinite, as for DCG, it is
    minus the mean, so that harder topics still have more.
    """
    low, high = measure.limits
    if measure.low_is_good:
        return mean - (low if np.isfinite(low) else 0.0)
    return (high if np.isfinite(high) else 0.0) - mean


def difficulty_in_words(measure: Measure) -> str:
    """The formula of `difficulty` for a measure: '1 - mean'."""
    low, high = measure.limits
    if measure.low_is_good:
        return "mean" if low == 0 or not np.isfinite(low) else f"mean - {low:g}"
    return f"{high:g} - mean" if np.isfinite(high) else "minus mean"


def _median(values: Floats) -> Floats:
    """(topic,): medians of the values that are defined; the mean of both in the middle where there are two."""
    ordered = np.sort(values, axis=0)  # NaN last
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    lower, upper = (
        np.take_along_axis(ordered, place[None], axis=0)[0]
        for place in (np.maximum(counts - 1, 0) // 2, np.minimum(counts // 2, len(values) - 1))
    )
    made: Floats = np.where(counts > 0, (lower + upper) / 2, np.nan)
    return made


def _spread(values: Floats, mean: Floats) -> Floats:
    """(topic,): standard deviations of the values that are defined; NaN for fewer than two."""
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    squares = np.nansum((values - mean) ** 2, axis=0)
    made: Floats = np.where(counts > 1, np.sqrt(squares / np.maximum(1, counts - 1)), np.nan)
    return made


def rest_correlation(values: Floats) -> Floats:
    """(topic,): correlation of each topic's values with the runs' means over all other topics.

    Parameters
    ----------
    values : array of float
        (run, topic); NaN where undefined.

    Returns
    -------
    array of float
        NaN where fewer than three runs have a value, or where all have the same.

    >>> rest_correlation(np.array([[0.1, 0.2, 0.2, 0.3], [0.2, 0.3, 0.3, 0.2], [0.3, 0.4, 0.4, 0.1]])).round(3)
    array([ 1.,  1.,  1., -1.])
    """
    there = ~np.isnan(values)
    others = np.count_nonzero(there, axis=1, keepdims=True) - 1
    rest = (np.nansum(values, axis=1, keepdims=True) - values) / np.maximum(1, others)
    usable = there & (others > 0)
    counts = np.count_nonzero(usable, axis=0)
    own, theirs = (_deviations(one, usable, counts) for one in (values, rest))
    both = np.sqrt((own**2).sum(axis=0) * (theirs**2).sum(axis=0))
    defined = (counts >= FEWEST_RUNS) & (both > 0)
    return np.where(defined, np.clip((own * theirs).sum(axis=0) / np.where(defined, both, 1.0), -1, 1), np.nan)


def _deviations(values: Floats, usable: Bools, counts: Ints) -> Floats:
    """(run, topic): values less their mean over usable runs; 0 for others, and for those that differ by rounding."""
    kept = np.where(usable, values, 0.0)
    less = np.where(usable, kept - kept.sum(axis=0) / np.maximum(1, counts), 0.0)
    made: Floats = np.where(abs(less) > ROUNDING * abs(kept).max(axis=0, initial=0.0), less, 0.0)
    return made


VIEW = BenchView("topics", "Topics", "Which topics decide?", data, table, command, figure)
