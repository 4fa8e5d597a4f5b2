"""Agreement: of the measures about the runs, of the rankings of runs, of two judges, and with fewer judgments."""

import math
from dataclasses import replace

import numpy as np

from rankscale.data.names import counted
from rankscale.data.notices import render
from rankscale.data.table import Column, readable
from rankscale.data.table import Table as StudyTable
from rankscale.errors import ParameterError
from rankscale.figures.agree import agree_figure
from rankscale.figures.correlate import correlate_figure
from rankscale.figures.means import means_figure
from rankscale.figures.overlap import overlap_figure
from rankscale.figures.robustness import robustness_figure
from rankscale.reporting import parts
from rankscale.reporting.results import Results
from rankscale.studies.agree.two_sets import Agree
from rankscale.studies.correlate import Correlation, correlate
from rankscale.studies.overlap import Overlap
from rankscale.studies.partial_order import partial_order

COMPARED_DEPTH = 10  # down to which rankings are compared without a measure
MEASURES_TITLE = "Agreement of measures"
LEAST_RUNS = 3  # for tau and box plots over runs
OVERLAP_BY = "RBO"  # what is drawn, and pairs are ordered by
MOST_RUNS = 40  # that are drawn: cells of more would be too small for their numbers
DIGITS = 4  # of what is drawn
OVERLAP_ENDS = 10  # pairs at either end
OVERLAP_IS = (
    "RBO (rank-biased overlap) weighs the first ranks most and is 1 for equal rankings, 0 for those without a common "
    "document; overlap and jaccard count common documents. No judgments go in."
)
CHANGED = ("flipped", "lost", "gained")
MOST_PAIRS = 20  # of those that change, which are listed
OUTCOMES = {
    "kept": "significant under both",
    "flipped": "significant under both, with opposite signs",
    "lost": "significant under A only",
    "gained": "significant under B only",
}


def agreement(results: Results) -> parts.ReportSection | None:
    """Kendall's tau between each two measures, and the means of runs; None if there is one measure only.

    Two runs have one order or the other: neither tau nor a distribution of means says anything about them.
    """
    if len(results.measures) < 2:
        return None
    any_measure = [parts.Paragraph(_without_a_measure(results))] if results.has_rankings else []
    if len(results.evaluation.runs) < LEAST_RUNS:
        return parts.ReportSection("agreement", MEASURES_TITLE, any_measure) if any_measure else None
    chosen = results.evaluation[list(results.measures)]
    means = parts.drawing("means", means_figure(chosen), results.look)
    try:
        study = correlate(chosen, samples=0)
    except ParameterError as error:  # they are defined together on too few topics
        return parts.ReportSection("agreement", MEASURES_TITLE, [parts.Paragraph(f"Tau is not known: {error}."), means])
    care = parts.warnings([render(one) for one in study.notices if one not in results.evaluation.notices])
    taus = parts.drawing("taus", correlate_figure(study), results.look)
    content = [parts.Paragraph(_sentence(results, study)), *any_measure, *care, taus, means]
    return parts.ReportSection("agreement", MEASURES_TITLE, content)


def _without_a_measure(results: Results) -> str:
    """How many pairs of rankings are in order whatever the measure, and how many pairs of runs on every topic."""
    depth = min([COMPARED_DEPTH, *(run.depth for run in results.runs if run.depth is not None)])
    study = partial_order(results.qrels, results.runs, depths=[depth], judged_only=results.judged_only)
    every = int(np.count_nonzero(study.on_every_topic(depth)))
    pairs = f"{every:,} of {study.pairs:,} pairs of runs" if every else f"none of the {study.pairs:,} pairs of runs"
    topics = f"This holds on every topic for {pairs}."
    if study.pairs == 1:
        topics = f"This {'holds' if every else 'does not hold'} on every topic."
    return (
        f"{study.comparable(depth).mean():.0%} of the pairs of rankings need no measure to be compared down to rank "
        f"{depth}: one has, down to every rank, at least as many documents of each grade or better. "
        f"{topics}"
    )


def _sentence(results: Results, study: Correlation) -> str:
    """The pair of measures that agrees least; where low is good for one of the two, agreement is a negative tau."""
    low = {str(measure): measure.low_is_good for measure in results.measures}
    taus = [(str(row["measure"]), str(row["other"]), row["value"]) for row in study.table("pairs")]
    known = [(one, other, float(tau)) for one, other, tau in taus if tau is not None and not math.isnan(float(tau))]
    if not known:
        return "Tau is undefined for all pairs of measures."
    agreed = {pair: pair[2] if low[pair[0]] == low[pair[1]] else -pair[2] for pair in known}
    one, other, tau = min(known, key=lambda pair: agreed[pair])
    if len(known) > 1 and len(set(agreed.values())) == 1:
        if tau == 1:
            return "All measures rank the runs identically (tau 1)."
        return f"All pairs of measures agree to the same degree (tau {tau:.3f})."
    if len(known) == 1:
        opposed = "; low is good for one of the two, so that they agree where it is negative"
        return f"Tau between {one} and {other} is {tau:.3f}{opposed if low[one] != low[other] else ''}."
    return f"The two that agree least are {one} and {other} (tau {tau:.3f})."


def overlap(results: Results) -> parts.ReportSection | None:
    """The heat map of RBO over the runs, the best first, and the pairs at both ends; None unless requested."""
    study = results.studies.overlap
    if study is None:
        return None
    drawn, runs = overlap_figure(study, show=OVERLAP_BY), results.comparison.runs
    kept = runs[:MOST_RUNS]
    cells = [row for row in drawn.cells if row["first"] in kept and row["second"] in kept]
    rows = [[round(cell, DIGITS) if isinstance(cell, float) else cell for cell in row.values()] for row in cells]
    in_order = replace(drawn, runs=kept, cells=StudyTable.of(tuple(drawn.cells.columns), rows))
    figure = parts.drawing("overlap-map", in_order, results.look)
    text = f"{study.sentence()} {OVERLAP_IS}"
    if len(runs) > MOST_RUNS:
        text += f" The best {MOST_RUNS} of {len(runs)} runs are drawn; the tables are of all."
    content = [parts.Paragraph(text), *parts.own_warnings(results, study.notices), figure]
    return parts.ReportSection("overlap", "Overlap of runs", [*content, *_tables(study)])


def _tables(study: Overlap) -> list[parts.PageTable]:
    """All pairs where they are few, else those most and least alike."""
    rule = study.rule
    assert rule is not None  # noqa: S101  # runs are of one collection
    place, coefficients = rule.columns.index(OVERLAP_BY), [one for one in rule.columns if one in rule.coefficients]
    columns = [rule.columns.index(one) for one in coefficients]
    known = [pair for pair in study.pairs if not math.isnan(pair.means[place])]
    ordered = sorted(known, key=lambda pair: -pair.means[place])
    rows = [(pair.first, pair.second, len(pair.topics), *pair.means[columns].tolist()) for pair in ordered]
    lower, upper = ([pair.intervals[place][side] for pair in ordered] for side in (0, 1))
    with_interval = Column(OVERLAP_BY, interval=(lower, upper))
    table = StudyTable.of(("run", "other run", "topics", *coefficients), rows).with_columns(with_interval)
    about = {
        "topics": "that both have",
        OVERLAP_BY: f"mean, with its {study.confidence:.0%} interval over draws of topics",
    }
    pairs = counted(len(rows), "pair")
    if len(rows) <= 2 * OVERLAP_ENDS:
        return [parts.page_table("overlap-pairs", table, f"{pairs} of runs, most alike first", about)]
    ends = {"most": range(OVERLAP_ENDS), "least": range(len(rows) - 1, len(rows) - 1 - OVERLAP_ENDS, -1)}
    caption = f"Runs that are {{}} alike, {OVERLAP_ENDS} of {pairs}"
    return [
        parts.page_table(f"overlap-{end}", replace(table, rows=those), caption.format(end), about)
        for end, those in ends.items()
    ]


def judges(results: Results) -> parts.ReportSection | None:
    """Coefficients, the figure of grades and runs, and what becomes of significant differences; None unless requested.

    A are the judgments of the report, B the others.
    """
    study = results.studies.agree
    if study is None:
        return None
    first, *sentences = map(readable, study.sentence().split("\n"))
    tables, main = [], results.main
    for number, table in enumerate(study.views(), start=1):
        shown, caption = table, table.title
        if "run" in table.columns:  # those of the main measure alone
            rows = [place for place, measure in enumerate(table.columns["measure"]) if measure == str(main)]
            shown, caption = replace(table.without("measure"), rows=rows), f"{caption}, {main.summed_up} {main}"
        tables.append(parts.page_table(f"judges-{number}", shown, caption, OUTCOMES))
    content: list[parts.SectionPart] = [
        parts.Paragraph(first),
        parts.Bullets(sentences),
        *parts.own_warnings(results, study.notices),
        parts.drawing("judges-figure", agree_figure(study), results.look),
        *tables,
        *_changed(results, study),
    ]
    return parts.ReportSection("judges", "Agreement of judges", content)


def _changed(results: Results, study: Agree) -> list[parts.SectionPart]:
    """Pairs of runs whose difference is lost, gained or reversed by the main measure, the surest first."""
    rows = [row for row in study.table("outcomes") if row["measure"] == str(results.main) and row["outcome"] in CHANGED]
    if not rows:
        none = f"By {results.main}, no significant difference between runs is lost, gained or reversed."
        return [parts.Paragraph(none)]
    rows.sort(key=lambda row: (CHANGED.index(str(row["outcome"])), min(float(row["p_A"] or 0), float(row["p_B"] or 0))))
    kept = rows[:MOST_PAIRS]
    table = StudyTable.from_rows(kept).without("measure")
    of = f", {len(kept)} of {len(rows):,}" if len(kept) < len(rows) else ""
    caption = f"Pairs of runs whose difference in {results.main} is reversed, lost or gained{of}"
    return [parts.page_table("judges-changed", table, caption)]


def robustness(results: Results) -> parts.ReportSection | None:
    """Tau against the full judgments by how many are kept; None unless requested."""
    if results.robustness is None:
        return None
    figure = parts.drawing("tau-by-size", robustness_figure(results.robustness), results.look)
    content = [parts.Paragraph(results.robustness.sentence()), figure]
    return parts.ReportSection("robustness", "Fewer judgments", content)
