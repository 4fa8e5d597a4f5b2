"""How far the measures agree about the runs."""

import math

import numpy as np

from rankscale.data.notices import render
from rankscale.errors import ParameterError
from rankscale.figures.correlate import correlate_figure
from rankscale.figures.means import means_figure
from rankscale.reporting.parts import Bullets, Paragraph, Section, drawing
from rankscale.reporting.results import Results
from rankscale.studies.correlate import Correlation, correlate
from rankscale.studies.partial_order import partial_order

DEPTH = 10  # down to which rankings are compared without a measure
TITLE = "Agreement of measures"
LEAST_RUNS = 3  # for tau and box plots over runs


def agreement(results: Results) -> Section | None:
    """Kendall's tau between each two measures, and the means of runs; None if there is one measure only.

    Two runs have one order or the other: neither tau nor a distribution of means says anything about them.
    """
    if len(results.measures) < 2:
        return None
    if len(results.evaluation.runs) < LEAST_RUNS:
        return Section("agreement", TITLE, [Paragraph(_without_a_measure(results))]) if results.has_rankings else None
    chosen = results.evaluation[list(results.measures)]
    means = drawing("means", means_figure(chosen), results.look)
    try:
        study = correlate(chosen, samples=0)
    except ParameterError as error:  # they are defined together on too few topics
        return Section("agreement", TITLE, [Paragraph(f"Tau is not known: {error}."), means])
    others = [render(notice) for notice in study.notices if notice not in results.evaluation.notices]
    care = [Bullets(others, "warnings")] if others else []
    taus = drawing("taus", correlate_figure(study), results.look)
    texts = [Paragraph(_sentence(results, study))]
    texts += [Paragraph(_without_a_measure(results))] if results.has_rankings else []
    return Section("agreement", TITLE, [*texts, *care, taus, means])


def _without_a_measure(results: Results) -> str:
    """How many pairs of rankings are in order whatever the measure, and how many pairs of runs on every topic."""
    depth = min([DEPTH, *(run.depth for run in results.runs if run.depth is not None)])
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
