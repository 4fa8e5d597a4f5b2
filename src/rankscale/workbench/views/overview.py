"""Overview: who leads, and how surely. Means come first; intervals, places and tests after."""

from collections.abc import Mapping

from rankscale.answers.cautions import judged_measure
from rankscale.answers.standing import Standing, headline, standing
from rankscale.data.table import Table
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.register import figure as figure_of
from rankscale.stats.compare import compare
from rankscale.stats.ranking_confidence import ranking_confidence
from rankscale.stats.resampling.confidence import defined_for_all
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """Rows of the leaderboard, the best run first; with `part=tests` how sure their order is."""
    measure = bench.measure(state)
    evaluation = bench.evaluation(state, [measure], None, progress).sorted_by(measure)
    if state.part == "tests":
        return _tests(state, evaluation, progress)
    share = judged_measure(measure)
    judged = bench.evaluation(state.changed(judged=False, depth=None), [share]).of_runs(evaluation.runs).means()
    means = evaluation.means()
    counted = means.counted[0].tolist()
    has = {run.name: len(run.rows) for run in bench.runs}  # topics
    return {
        "runs": list(evaluation.runs),
        "means": listed(means.values[0]),
        "topics": counted,
        "judged": listed(judged.values[0]),
        "judged_depth": share.depth,
        "low_is_good": measure.low_is_good,
        "missing": [len(bench.qrels.topics) - has[name] for name in evaluation.runs],
    }


def _tests(state: State, evaluation: Evaluation, progress: Progress | None) -> ViewData:
    """Intervals of means, places, and each run against the best one or the baseline."""
    if len(evaluation.runs) < 2:
        return {"why_not": "there is one run: nothing to compare it with"}
    if int(defined_for_all(evaluation, 0).sum()) < 2:
        return {"why_not": "fewer than two topics have a value of every run: nothing to test"}
    sure = ranking_confidence(evaluation)
    part = sure.parts[0]
    comparison = compare(evaluation, state.test, baseline=state.baseline or None, progress=progress)
    where = standing(comparison)
    place = {run: row for row, run in enumerate(comparison.runs)}
    return {
        "runs": list(evaluation.runs),
        "intervals": [[finite(end) for end in one.percentile] for one in part.intervals],
        "place": listed(sure.place[0]),
        "place_lower": listed(sure.place_lower[0]),
        "place_upper": listed(sure.place_upper[0]),
        "first": listed(sure.first[0]),
        "best": where.reference,
        "against_best": [None if run == where.reference else _against(where, place[run]) for run in evaluation.runs],
        "test": comparison.test.label,
        "family": comparison.family,
        "headline": headline(comparison, where),
        "ratio": comparison.is_ratio,
        "caution": comparison.verdict.text,
        "caution_in_full": comparison.verdict.why,
    }


def _against(where: Standing, row: int) -> ViewData:
    """A run against the best one, or the baseline."""
    return {"difference": finite(where.difference[row]), "p": finite(where.p[row]), "differs": bool(where.apart[row])}


def table(bench: Bench, state: State) -> Table:
    """Means of all runs, the best first, with intervals and places."""
    measure = bench.measure(state)
    return bench.evaluation(state, [measure]).sorted_by(measure).with_confidence(shown="both").means().table()


def figure(bench: Bench, state: State) -> Figure:
    """Means of all runs."""
    measure = bench.measure(state)
    return figure_of("means", bench.evaluation(state, [measure]).sorted_by(measure))


def command(bench: Bench, state: State) -> str:
    """`rankscale evaluate`, sorted, with intervals and places."""
    return bench.command("evaluate", state, "--confidence", "0.95", "--places")


def more_commands(bench: Bench, state: State) -> Mapping[str, str]:
    """`rankscale compare`, whose pairs have the differences and p-values, and the share of judged documents."""
    words = [*state.test_words, *(["--baseline", state.baseline] if state.baseline else [])]
    share = judged_measure(bench.measure(state))
    whole = state.changed(judged=False, depth=None)
    return {
        "Differences, p-values and groups": bench.command("compare", state, *words, "--pairs"),
        "Judged documents": bench.command("evaluate", whole, measures=[share]),
    }


VIEW = BenchView(
    "overview",
    "Overview",
    "Who leads, and how surely?",
    data,
    table,
    command,
    figure,
    more_commands=more_commands,
    about_command="Means, intervals and places",
)
