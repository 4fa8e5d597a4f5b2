"""What gains cost in effort: every ranking a point, which can be chosen, listed and opened.

Below, the kinds of rankings that the runs give, by the course of their CRP, and the indicators of CRP over the topics
of one run.
"""

from typing import Any

import numpy as np

from rankscale.data.names import counted
from rankscale.data.table import readable
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.figures.archetype_ratios import ORDER, RATIOS, archetype_ratios_figure
from rankscale.figures.base.look import Appearance
from rankscale.figures.base.parallel_coordinates import AXES, LISTED, coordinates_spec, measures_drawn
from rankscale.figures.effort_gain import effort_gain_figure
from rankscale.measures.families.relative_position import DEPTH
from rankscale.reporting import parts
from rankscale.reporting.page_data import opened_runs, packed, values_data
from rankscale.reporting.results import Results
from rankscale.stats.tests.base.test import Resampling
from rankscale.studies.archetypes import Archetypes
from rankscale.studies.archetypes import archetypes as archetypes_of
from rankscale.studies.effort_gain import SCOPE_SENTENCE, EffortGain, effort_gain
from rankscale.studies.effort_gain.quadrants import EFFORTS, GAINS, QUADRANTS, area_of, quadrant_name

HEIGHT = 460  # pixels of the plot
NO_QUADRANT = 255  # where effort or gain is undefined
PAIR_COLUMNS = (
    parts.text_column("topics", "overall: all; within: those on which the two rankings stand in one quadrant"),
    parts.PageColumn("pairs", "of runs"),
    parts.PageColumn("differ in gain", "significantly"),
    parts.PageColumn("same direction", "differ significantly in gain and in effort: more gain at less effort"),
    parts.PageColumn("opposite", "differ significantly in gain and in effort: more gain at more effort"),
    parts.PageColumn("gain only", "differ significantly in gain, not in effort"),
    parts.PageColumn("effort only", "differ significantly in effort, not in gain"),
    parts.PageColumn("neither", "differ significantly in neither"),
    parts.PageColumn("not tested", "too few topics"),
    parts.PageColumn("effort too", "share of the pairs that differ in gain and in effort too"),
)
PAIRS = "Pairs of runs by their differences in gain and in effort"
ALL_RUNS, ALL_QUADRANTS = "all runs", "all quadrants"  # as the page's script spells them
ARCHETYPES_ARE = {
    "ideal": "all relevant documents first, in the order of grades",
    "excellent A": "back at 0 by rank RB, to stay; all relevant documents in the first RB ranks",
    "excellent B": "back at 0 by rank RB, to stay; some relevant documents missed or later",
    "ups and downs": "back at 0 by rank RB, and below it again",
    "typical A": "back at 0 after rank RB",
    "typical B": "never back at 0",
    "full scale": "the ideal reversed",
    "worst": "nothing relevant retrieved",
}
ARCHETYPE_COLUMNS = (
    parts.text_column("archetype"),
    parts.text_column("CRP", "the course of CRP, which falls where documents stand too early; RB: relevant documents"),
    parts.PageColumn("rankings"),
    parts.PageColumn("share", "of all rankings"),
    *(parts.PageColumn(f"median {ratio}", "over the rankings of the archetype") for ratio in RATIOS),
)
MOST_LINES = 1500  # of all runs whose indicators are in the page
MOST_TOPICS = 300  # lines of one run
WITHOUT = "Without a relevant document there is no ideal ranking to compare with."


def effort(results: Results) -> parts.ReportSection | None:
    """The effort/gain plot; None where there is no measure of gain, or no ranking for which both are defined."""
    gain = results.gain
    if gain is None or not np.isfinite(results.values(gain) + results.values(results.effort)).any():
        return None
    study = effort_gain(results.evaluation, gain, results.effort, pairs=True, **_testing(results))
    figure = effort_gain_figure(study, bind_runs=False)
    canvas = parts.Canvas("effort-gain", readable(figure.title), readable(figure.description), HEIGHT)
    runs = [ALL_RUNS, *map(readable, results.comparison.runs)]
    lists = [("effort-run", "Run", runs), ("effort-quadrant", "Quadrant", [ALL_QUADRANTS, *QUADRANTS])]
    columns = [
        parts.text_column("run"),
        parts.text_column("topic"),
        parts.PageColumn(str(results.effort), "1 where no effort is wasted, 0 where all of it is"),
        parts.PageColumn(str(gain), "gain"),
        parts.PageColumn("from median", f"{gain} less the median of all runs on the topic", sorted="descending"),
    ]
    caption = "Rankings chosen, those farthest from the median of their topic first"
    how = (
        f"{results.effort} is 1 where no effort is wasted, 0 where all of it is. "
        "Drag over the plot, or choose a quadrant, to list rankings beside it, those farthest from what other runs "
        "have on the topic first; the name of a run opens its ranking."
    )
    pairs: list[list[parts.PageCell]] = []  # counts of outcomes: overall, within and across quadrants
    for row in study.table("agreement"):
        _, scope, *counts, too = row.values()
        share = float("nan") if too is None else float(too)
        pairs.append([parts.name(str(scope)), *(parts.count(int(one or 0)) for one in counts), parts.number(share, 2)])
    content = [
        parts.Paragraph(f"{_sentence(study)} {how}"),
        parts.EffortPlotPart(canvas, lists, parts.PagedTable("points", caption, columns)),
        parts.Paragraph(
            f"Do differences in {gain} come with differences in {results.effort}? Pairs of runs are tested by both "
            f"({study.testing}). {SCOPE_SENTENCE}"
        ),
        parts.PageTable("effort-pairs", PAIRS, PAIR_COLUMNS, pairs),
    ]
    data = {**values_data(results), "effort": _points(results, study)}
    return parts.ReportSection("effort", "Effort and gain", content, data=data)


def _sentence(study: EffortGain) -> str:
    """Shares of rankings by area of the plot."""
    shares = {str(row["area"]): f"{100 * float(row['share'] or 0):.0f} %" for row in study.table("areas")}
    return (
        f"For {shares['diagonal']} of the rankings gain and effort agree; {shares['high-high']} have a high or huge "
        f"gain that costs high or huge effort; {shares['top']} have a huge gain at medium or low effort."
    )


def _testing(results: Results) -> dict[str, Any]:
    """How pairs are tested: as the runs of the report, or by Student's test where that takes all at once or draws."""
    comparison = results.comparison
    if comparison.test.together or isinstance(comparison.test, Resampling):
        return {"alpha": comparison.alpha}
    return {"test": comparison.test, "correction": comparison.correction, "alpha": comparison.alpha}


def _points(results: Results, study: EffortGain) -> dict[str, object]:
    """Effort, gain and quadrant of each ranking (run, topic), as the page's list and plot take them."""
    (plot,) = study.plots
    shape = len(results.order), len(results.evaluation.topics)
    effort_values, gains = np.full(shape, np.nan), np.full(shape, np.nan)
    quadrants = np.full(shape, NO_QUADRANT)
    at = np.argsort(results.order)[plot.run], plot.topic
    effort_values[at], gains[at], quadrants[at] = plot.effort, plot.gain, 4 * plot.row + plot.column
    return {
        "effort": packed(effort_values, "f4"),
        "gain": packed(gains, "f4"),
        "quadrants": packed(quadrants, "u1"),
        "names": [str(study.effort), str(plot.measure)],
        "cuts": plot.cuts.tolist(),
        "columns": [f"{name} effort" for name in EFFORTS],
        "rows": [f"{name} gain" for name in GAINS],
        "areas": [[area_of(place, column) for column in range(4)] for place in range(4)],
        "quadrant_names": [quadrant_name(place, column) for place in range(4) for column in range(4)],
    }


def archetypes(results: Results) -> parts.ReportSection | None:
    """Shares of archetypes with medians of their ratios; None where no topic has a relevant document."""
    if not any(results.relevant(results.effort_rel)):
        return None
    depth = results.effort.depth or DEPTH
    study = archetypes_of(
        results.qrels, list(results.runs), depth=depth, rel=results.effort_rel, judged_only=results.judged_only
    )
    figure = parts.drawing("archetype-ratios", archetype_ratios_figure(study), results.look)
    caption = f"Archetypes of {int(study.counts.sum()):,} rankings, cut at rank {depth:,}"
    table = parts.PageTable("archetypes-table", caption, ARCHETYPE_COLUMNS, _rows(study))
    content = [parts.Paragraph(_shares_sentence(study)), table, figure]
    return parts.ReportSection("archetypes", "Archetypes of rankings", content)


def _rows(study: Archetypes) -> list[list[parts.PageCell]]:
    """The archetypes that occur, from the least effort to the most."""
    counts = {row["archetype"]: int(row["rankings"] or 0) for row in study.table()}
    medians = {(row["archetype"], row["ratio"]): row["median"] for row in study.table("ratios")}
    return [
        [
            parts.name(kind),
            parts.PageCell(ARCHETYPES_ARE[kind], style="words"),
            parts.count(counts[kind]),
            parts.number(study.share(kind), 3),
            *(parts.number(float(medians[kind, ratio] or 0)) for ratio in RATIOS),
        ]
        for kind in ORDER
        if counts[kind]
    ]


def _shares_sentence(study: Archetypes) -> str:
    typical, lost = study.share("typical A"), study.share("typical B") + study.share("worst")
    return (
        f"Of the rankings {100 * typical:.0f} % come back from documents that stand too early only after rank RB, the "
        f"number of relevant documents (typical A), and {100 * lost:.0f} % never do (typical B and worst); "
        f"{100 * study.share('excellent'):.0f} % are excellent or have ups and downs. rho says how soon they recover, "
        "sigma how little documents are out of place, and Twist is the mean of both."
    )


def rankings(results: Results) -> parts.ReportSection:
    """Lists to choose a ranking from, and the indicators of runs."""
    unknown = [run for run in results.inspected if run not in results.evaluation.runs]
    if unknown:
        known = ", ".join(results.evaluation.runs[:5])
        raise ParameterError(f"there is no run {unknown[0]!r} to inspect; runs are {known} ...")
    bases = zip(results.qrels.topics, results.relevant(results.effort_rel), strict=True)
    topics = [readable(topic) for topic, relevant in bases if relevant]
    if not topics:
        return parts.ReportSection("rankings", "Rankings", [parts.Paragraph(WITHOUT)])
    opened = opened_runs(results)
    some = "" if len(opened) == len(results.runs) else f" of {len(results.runs):,}: `--inspect` chooses others"
    how = (
        f"The rankings of {counted(len(opened), 'run')}{some} can be opened: CRP with its bar of relative positions, "
        "DCG(base=2) and the documents. Below, each line is a topic of the run chosen, coloured by its recall base; "
        "axes go from 0 to 1, and what is beyond has an arrow and its value. A click on a line opens the ranking."
    )
    lists = [("ranking-run", "Run", [readable(name) for name in opened]), ("ranking-topic", "Topic", topics)]
    values = _indicator_values(results)
    content = [parts.Paragraph(how), parts.Choices(lists, ("ranking-open", "Open")), _indicators(results, values)]
    return parts.ReportSection("rankings", "Rankings", content, data={**values_data(results), "indicators": values})


def _indicators(results: Results, values: dict[str, object]) -> parts.Drawing:
    """The aggregate view: parallel coordinates of the run that is chosen from the list."""
    bases = sorted(float(base) for base in results.relevant(results.effort_rel) if base)
    shown, of = len(values["topics"]), len(bases)  # type: ignore[arg-type]
    some = f" of {shown:,} of {of:,} topics, evenly spaced by R" if shown < of else " by topic"
    about = (
        f"Indicators of CRP{some}: the recall base R, from {bases[0]:g} to {bases[-1]:g}; rho_w, the recovery of "
        "the full scale; the recovery rho; b_ratio, how much sooner than the full scale CRP balances; CRP_min, how "
        "much less it falls; CRP_N, how much lower it ends, above 1 where it ends below 0."
    )

    def spec(theme: str, width: str) -> dict[str, object]:
        look = Appearance(theme=theme, palette=results.look.palette)
        return {**coordinates_spec(look, parts.WIDTHS[width], bases), "datasets": {"lines": [], "beyond": []}}

    return parts.drawing_of("indicators", (f"Indicators of CRP{some}", about), spec)


def _indicator_values(results: Results) -> dict[str, object]:
    """Values of all axes by run and topic, null where undefined; for as many runs as the page has room for."""
    by_name = dict(zip(results.evaluation.runs, results.runs, strict=True))
    most = MOST_LINES // min(MOST_TOPICS, max(1, len(results.qrels.topics)))
    chosen = [by_name[name] for name in results.inspected_first(most)]
    # Ranks beyond the depth of the measure of effort count for neither.
    measures = measures_drawn(results.effort.depth, results.effort_rel)
    drawn = evaluate(results.qrels, chosen, measures, judged_only=results.judged_only)
    kept = np.flatnonzero(drawn.values[0, 0] > 0)
    kept = kept[np.argsort(drawn.values[0, 0, kept], kind="stable")]
    most = drawn.values[0, 0, kept].max()
    kept = kept[np.linspace(0, len(kept) - 1, min(len(kept), MOST_TOPICS)).round().astype(np.int64)]
    bases = drawn.values[0, 0, kept]
    shown = np.concatenate([np.broadcast_to(bases / most, drawn.values[:1, :, kept].shape), drawn.values[1:, :, kept]])
    return {
        "axes": list(AXES.values()),
        "topics": [readable(drawn.topics[place]) for place in kept.tolist()],
        "R": bases.astype(int).tolist(),
        "listed": LISTED,
        "runs": {
            readable(run.name): [
                [None if value != value else round(value, 6) for value in of_topic]  # noqa: PLR0124  # NaN
                for of_topic in shown[:, place].T.tolist()
            ]
            for place, run in enumerate(chosen)
        },
    }
