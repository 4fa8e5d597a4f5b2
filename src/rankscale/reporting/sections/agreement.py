"""How far the measures agree about the runs."""

import math

from rankscale.data.notices import render
from rankscale.errors import ParameterError
from rankscale.figures.correlate import correlate_figure
from rankscale.figures.means import means_figure
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Listed, Section, Words, figure_part
from rankscale.studies.correlate import Correlation, correlate

TITLE = "Agreement of measures"


def agreement(findings: Findings) -> Section | None:
    """Tau between each two measures, and where their means lie; None where there is one measure only."""
    if len(findings.measures) < 2:
        return None
    chosen = findings.evaluation[list(findings.measures)]
    means = figure_part("means", means_figure(chosen), findings.look)
    try:
        study = correlate(chosen, samples=0)
    except ParameterError as error:  # they are defined together on too few topics
        return Section("agreement", TITLE, [Words(f"Tau is not known: {error}."), means])
    others = [render(notice) for notice in study.notices if notice not in findings.evaluation.notices]
    care = [Listed(others, "warnings")] if others else []
    taus = figure_part("taus", correlate_figure(study), findings.look)
    return Section("agreement", TITLE, [Words(_told(findings, study)), *care, taus, means])


def _told(findings: Findings, study: Correlation) -> str:
    """The pair that agrees least; where low is good for one of two, they agree if tau is negative."""
    low = {str(measure): measure.low_is_good for measure in findings.measures}
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
