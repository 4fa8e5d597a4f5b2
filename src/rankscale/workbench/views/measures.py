"""Measures: whether conclusions depend on the measure. Tau of every two, two orders of runs, verdicts that flip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.notices import render
from rankscale.data.table import Table
from rankscale.errors import ParameterError, RankscaleError
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.register import figure as figure_of
from rankscale.figures.correlate import by_similarity
from rankscale.measures.base.measure import Measure
from rankscale.scales.interval import NotKnown
from rankscale.stats.compare import compare
from rankscale.stats.comparison import Comparison
from rankscale.studies.correlate import Correlation, correlate
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed

MOST_FLIPS = 2000  # pairs of runs that are listed
SAMPLES = 1000  # draws of topics for intervals of tau
OF_FILES = {"missing topics", "unknown topics"}  # notices that are the same for every measure


class Comparisons:
    """Comparisons of all pairs of runs by one test, made once for each measure; the visitor may leave at any time."""

    def __init__(self, test: str, progress: Progress | None, most: int) -> None:
        self.test, self.progress, self.most = test, progress, most
        self._made: dict[Measure, Comparison] = {}

    def _within(self, done: int, of: int) -> None:
        """Say how far all comparisons are, in thousandths of one."""
        if self.progress:
            before = min(len(self._made), self.most - 1)
            self.progress(1000 * before + 1000 * done // max(1, of), 1000 * self.most)

    def by(self, evaluation: Evaluation) -> Comparison:
        """The comparison by the measure of an evaluation."""
        measure = evaluation.measures[0]
        if measure not in self._made:
            self._within(0, 1)
            self._made[measure] = compare(evaluation, self.test, progress=self._within)
        return self._made[measure]


@dataclass(frozen=True, eq=False)
class ChosenMeasures:
    """Measures that are correlated, each evaluated for all runs; in interval mode their interval versions."""

    named: tuple[Measure, ...]  # as the visitor named them
    evaluations: Mapping[Measure, Evaluation]  # of those shown
    left_out: Mapping[str, str]  # measures that are not shown, and why
    of_named: Mapping[Measure, Evaluation]  # the same by the measures that were named


def together(each: Sequence[Evaluation]) -> Evaluation:
    """All values in one evaluation."""
    measures = tuple(measure for one in each for measure in one.measures)
    values = frozen(np.concatenate([one.values for one in each]))
    notices = tuple(dict.fromkeys(notice for one in each for notice in one.notices))
    return replace(each[0], measures=measures, values=values, notices=notices)


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """Tau of every two measures, and means and places of runs; with `part=tests` intervals and pairs that flip."""
    chosen = _chosen(bench, state, progress)
    about: dict[str, object] = {
        "named": [str(measure) for measure in chosen.named],
        "current": str(bench.measure(state)),
        "left_out": [{"measure": name, "why": why} for name, why in chosen.left_out.items()],
        "runs": list(bench.names),
    }
    try:
        study = _arranged(_study(chosen, SAMPLES if state.part == "tests" else 0))
    except ParameterError as error:  # there are too few measures, runs or topics
        if state.part == "tests":
            return {"why_not": str(error)}
        return {**about, "why_not": str(error), "measures": [str(measure) for measure in chosen.evaluations]}
    if state.part == "tests":
        return _tests(bench, state, chosen, study, progress)
    first, second = _pair(bench, state, chosen, study)
    places = range(len(study.names))
    return {
        **about,
        "measures": list(study.names),
        "low_is_good": [measure.low_is_good for measure in study.evaluation.measures],
        "tau": [listed(row) for row in study.overall.matrix],
        "readings": [[study.reading(row, column) for column in places] for row in places],
        "topics": len(study.topics),
        "notices": [render(notice) for notice in study.notices if notice.kind not in OF_FILES],
        "pair": [_order(first), _order(second)],
        "pair_tau": finite(_tau(first, second)),
    }


def _chosen(bench: Bench, state: State, progress: Progress | None) -> ChosenMeasures:
    """The measures of the state, or those offered, and the state's own; those that cannot be measured are left out."""
    texts = (*(state.measures or bench.measures), state.m or bench.measures[0])
    named = tuple(dict.fromkeys(bench.measure(state.changed(m=text)) for text in texts))
    made = {measure: _evaluated(bench, state, measure, progress) for measure in named}
    known = {measure: one for measure, one in made.items() if isinstance(one, Evaluation)}
    left_out = {str(measure): one.reason for measure, one in made.items() if isinstance(one, NotKnown)}
    return ChosenMeasures(named, {one.measures[0]: one for one in known.values()}, left_out, known)


def _evaluated(bench: Bench, state: State, measure: Measure, progress: Progress | None) -> Evaluation | NotKnown:
    """Values of a measure, or of its interval version where the state asks for it; or why there are none."""
    try:
        if state.value == "interval" and measure.interval_of is None:
            return bench.interval(state, measure, None, progress)
        return bench.evaluation(state, [measure], None, progress)
    except RankscaleError as error:  # it looks at what these runs or qrels do not have
        return NotKnown(str(error))


def _study(chosen: ChosenMeasures, samples: int = 0) -> Correlation:
    """Correlations; raise ParameterError where there are too few measures or runs, or no topic has all values."""
    if len(chosen.evaluations) < 2 or len(next(iter(chosen.evaluations.values())).runs) < 2:
        raise ParameterError("measures are compared over runs: it takes two measures and two runs or more")
    return correlate(together([*chosen.evaluations.values()]), samples=samples, by_topic=False)


def _arranged(study: Correlation) -> Correlation:
    """The same correlations, measures that agree next to each other."""
    order = by_similarity(_agreement(study))
    matrices = {
        name: getattr(study.overall, name)[np.ix_(order, order)] for name in ("matrix", "p", "items", "lower", "upper")
    }
    evaluation = study.evaluation[[study.names[place] for place in order]]
    return replace(study, evaluation=evaluation, overall=replace(study.overall, **matrices))


def _agreement(study: Correlation) -> Floats:
    """(measure, measure): tau, turned where low is good for one of the two only."""
    low = np.array([measure.low_is_good for measure in study.evaluation.measures])
    turned: Floats = np.where(low[:, None] != low, -study.overall.matrix, study.overall.matrix)
    return turned


def _pair(bench: Bench, state: State, chosen: ChosenMeasures, study: Correlation) -> tuple[Evaluation, Evaluation]:
    """The two measures of the state, or those that agree least."""
    current = _member(bench, state, chosen, bench.measure(state))
    named = [bench.measure(state.changed(m=text)) for text in state.pair]
    members = [_member(bench, state, chosen, measure) or current for measure in named]
    if len(members) == 2:
        first, second = members
        if first is not None and second is not None and first.measures != second.measures:
            return first, second
    agreement = _agreement(study)
    known_pairs = [pair for pair in combinations(range(len(agreement)), 2) if agreement[pair] == agreement[pair]]
    least = min(known_pairs, key=lambda pair: agreement[pair], default=(0, 1))
    one, other = (study.evaluation.measures[place] for place in least)
    return chosen.evaluations[one], chosen.evaluations[other]


def _member(bench: Bench, state: State, chosen: ChosenMeasures, measure: Measure) -> Evaluation | None:
    """Values of a measure of a pair: one that is shown, or the interval version of one; None for any other."""
    made: Evaluation | NotKnown | None = chosen.of_named.get(measure) or chosen.evaluations.get(measure)
    if made is None and measure.interval_of is not None and measure.interval_of in chosen.named:
        made = bench.interval(state, measure.interval_of)
    return made if isinstance(made, Evaluation) else None


def _order(evaluation: Evaluation) -> ViewData:
    """A measure, and the mean and place of each run by it."""
    measure = evaluation.measures[0]
    places = {run: place for place, run in enumerate(evaluation.sorted_by(measure).runs, 1)}
    return {
        "measure": str(measure),
        "low_is_good": measure.low_is_good,
        "means": listed(evaluation.means().values[0]),
        "places": [places[run] for run in evaluation.runs],
    }


def _tau(first: Evaluation, second: Evaluation) -> float:
    """Tau of two measures, over the topics on which both are defined for all runs."""
    try:
        return float(correlate(together([first, second]), samples=0, by_topic=False).overall.matrix[0, 1])
    except ParameterError:
        return float("nan")


def _tests(
    bench: Bench, state: State, chosen: ChosenMeasures, study: Correlation, progress: Progress | None
) -> ViewData:
    """Intervals of tau, pairs of runs whose verdict flips between the two measures, and on interval versions."""
    first, second = _pair(bench, state, chosen, study)
    answer: dict[str, object] = {
        "lower": [listed(row) for row in study.overall.lower],
        "upper": [listed(row) for row in study.overall.upper],
    }
    tested = Comparisons(state.test, progress, 2 * len(chosen.named))
    try:
        answer["flips"] = flips(tested.by(first), tested.by(second), bench.names)
        answer["versions"] = [_version(bench, state, measure, tested) for measure in chosen.named]
    except ParameterError as error:  # too few topics, or a test that needs a baseline
        answer["why_not"] = str(error)
    return answer


def _version(bench: Bench, state: State, measure: Measure, tested: Comparisons) -> ViewData:
    """How many verdicts of a measure change on its interval version; in words where there is none."""
    plain = measure.interval_of or measure
    own = _evaluated(bench, state.changed(value="plain"), plain, tested.progress)
    if isinstance(own, NotKnown):
        return {"measure": str(plain), "why_not": own.reason}
    made = bench.interval(state, plain, None, tested.progress)
    if isinstance(made, NotKnown):
        return {"measure": str(plain), "why_not": made.reason}
    changed = flips(tested.by(own), tested.by(made), bench.names)
    about = {"measure": str(plain), "interval": str(made.measures[0]), "tau": finite(_tau(own, made))}
    return {**about, **{name: changed[name] for name in ("significant", "reversed", "only")}}


def table(bench: Bench, state: State) -> Table:
    """Every two measures: tau, its interval and p-value."""
    return _study(_chosen(bench, state, None), SAMPLES).table("pairs")


def figure(bench: Bench, state: State) -> Figure:
    """The matrix."""
    return figure_of("correlate", _arranged(_study(_chosen(bench, state, None))))


def command(bench: Bench, state: State) -> str:
    """`rankscale correlate` with the same measures."""
    shown = _chosen(bench, state, None).evaluations
    return bench.command("correlate", state, "--no-by-topic", measures=shown)


def more_commands(bench: Bench, state: State) -> Mapping[str, str]:
    """`rankscale compare` by the two measures whose verdicts are compared."""
    chosen = _chosen(bench, state, None)
    try:
        study = _arranged(_study(chosen))
    except ParameterError:
        return {}
    pair = [one.measures[0] for one in _pair(bench, state, chosen, study)]
    return {
        "Verdicts by the two measures": bench.command("compare", state, *state.test_words, "--pairs", measures=pair)
    }


def _verdicts(comparison: Comparison, names: Sequence[str]) -> tuple[Floats, Floats]:
    """(run, run) twice: 1 where the run of the row is significantly better, -1 where worse, 0 else; and p."""
    places = [comparison.runs.index(name) for name in names]
    signs = np.zeros((len(names),) * 2)
    kept: Bools = comparison.significant
    first, second = comparison.pairs.first[kept], comparison.pairs.second[kept]
    better = np.where((comparison.results.difference[kept] > 0) != comparison.measure.low_is_good, 1.0, -1.0)
    signs[first, second], signs[second, first] = better, -better
    return signs[np.ix_(places, places)], comparison.matrix[np.ix_(places, places)]


def flips(one: Comparison, other: Comparison, names: Sequence[str]) -> ViewData:
    """Pairs of runs with another verdict by one measure than by the other; reversed ones first.

    Of each the two runs, as places among all, the verdicts (1: the first is better, -1: the second, 0: not told apart)
    and the p-values. The first run is the better one by the first measure that tells them apart.
    """
    (signs, p), (other_signs, other_p) = _verdicts(one, names), _verdicts(other, names)
    flipped = list(zip(*np.nonzero(np.triu(signs != other_signs)), strict=True))
    rows = [pair if (signs[pair] or other_signs[pair]) > 0 else pair[::-1] for pair in flipped]
    rows.sort(key=lambda pair: (signs[pair] * other_signs[pair], -abs(p[pair] - other_p[pair])))
    upper = np.triu(np.ones_like(signs, dtype=bool), k=1)
    return {
        "pairs": int(upper.sum()),
        "significant": [int((upper & (of != 0)).sum()) for of in (signs, other_signs)],
        "reversed": int((upper & (signs * other_signs < 0)).sum()),
        "only": [int((upper & (of != 0) & (by == 0)).sum()) for of, by in ((signs, other_signs), (other_signs, signs))],
        "test": one.test.label,
        "families": [one.family, other.family],
        "listed": [
            [*map(int, pair), int(signs[pair]), int(other_signs[pair]), finite(p[pair]), finite(other_p[pair])]
            for pair in rows[:MOST_FLIPS]
        ],
    }


VIEW = BenchView(
    "measures",
    "Measures",
    "Does the conclusion depend on the measure?",
    data,
    table,
    command,
    figure,
    more_commands=more_commands,
    about_command="Tau of every two measures",
)
