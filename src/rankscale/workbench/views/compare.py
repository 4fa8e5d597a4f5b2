"""Compare: where two runs differ, topic by topic, and what holds on some of the topics."""

import numpy as np

from rankscale.answers.why import TopicDifferences
from rankscale.data.table import Table
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.register import figure as figure_of
from rankscale.stats.comparison import Comparison
from rankscale.studies.diff import Diff, diff
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """Values of A and B by topic, the largest loss of A first, and the test; of brushed topics by themselves, too.

    With `part=tests` the interval version of the measure is tested as well, which can take long.
    """
    with_interval = state.part == "tests"
    whole = _diff(bench, state, with_interval=with_interval, progress=progress)
    about = whole.by_measure[0]
    answer: dict[str, object] = {"all": _summary(about, with_interval=with_interval)}
    if state.topics:
        some = _diff(bench, state, state.topics, with_interval=with_interval, progress=progress)
        answer["brushed"] = _summary(some.by_measure[0], with_interval=with_interval)
    if with_interval:
        return answer
    topics = whole.evaluation.topics
    places, outcomes = about.order.tolist(), about.outcomes()
    return {
        **answer,
        "topics": [topics[place] for place in places],
        "a_values": listed(about.values[1, places]),
        "b_values": listed(about.values[0, places]),
        "differences": listed(about.difference[places]),
        "outcomes": [outcomes[place] for place in places],
        **bench.words_of([topics[place] for place in places]),
        "low_is_good": about.measure.low_is_good,
    }


def _diff(
    bench: Bench,
    state: State,
    topics: tuple[str, ...] = (),
    *,
    with_interval: bool = False,
    progress: Progress | None = None,
) -> Diff:
    """B as the baseline, A as the candidate: a difference above 0 is one in favour of A, unless low is good."""
    runs, measures = [state.b, state.a], [bench.measure(state)]
    if with_interval and measures[0].scale_known:
        interval = bench.interval(state, measures[0], runs, progress)
        measures += interval.measures if isinstance(interval, Evaluation) else ()
    evaluation = bench.evaluation(state, measures, runs)
    return diff(evaluation.of_topics(topics) if topics else evaluation, state.b, state.a, test=state.test)


def _summary(about: TopicDifferences, *, with_interval: bool) -> ViewData:
    """Means, counts, the test and, if requested, what the interval version says, or that it takes a depth."""
    losses, ties, wins = about.counts()
    b, a = about.means()
    comparison = about.comparison
    made: dict[str, object] = {
        "topics": int(np.count_nonzero(about.defined)),
        "a": finite(a),
        "b": finite(b),
        "difference": finite(about.mean_gap()),
        "ratio": about.measure.compared_by_ratio,
        "losses": losses,
        "ties": ties,
        "wins": wins,
        "test": None if comparison is None else _tested(comparison),
        "untested": about.untested,
        "caution": "" if about.verdict.meaningful else about.verdict.text,
    }
    if with_interval:
        there, measure = about.interval.comparison, about.measure
        could = about.interval.holds is None and type(measure).takes_depth and measure.depth is None
        made["interval_version"] = {
            "holds": about.interval.holds,
            "words": about.interval.words + (f"; give the measure a depth, such as {measure}@10" if could else ""),
            "p": None if there is None else finite(there.p[0]),
        }
    return made


def _tested(comparison: Comparison) -> ViewData:
    """The test of A against B, its baseline; the difference and its interval are those of A less B."""
    results = comparison.results
    ends = None if results.lower is None or results.upper is None else (results.lower, results.upper)
    return {
        "name": comparison.test.label,
        "compares": comparison.test.compares,
        "p": finite(comparison.p[0]),
        "family": comparison.family,
        "differs": bool(comparison.significant[0]),
        "difference": finite(comparison.shown(results.difference)[0]),
        "interval": None if ends is None else listed(sorted(float(comparison.shown(end)[0]) for end in ends)),
        "effects": {name: finite(values[0]) for name, values in results.effects.items()},
    }


def table(bench: Bench, state: State) -> Table:
    """Topic by topic."""
    return _diff(bench, state, state.topics).table("topics")


def figure(bench: Bench, state: State) -> Figure:
    """A bar for each topic."""
    return figure_of("diff", _diff(bench, state, state.topics))


def command(bench: Bench, state: State) -> str:
    """`rankscale diff` of the same two runs."""
    words = ["--baseline", state.b, "--candidate", state.a]
    return bench.command("diff", state, *words, *state.test_words)


VIEW = BenchView("compare", "Compare", "Where do A and B differ?", data, table, command, figure)
