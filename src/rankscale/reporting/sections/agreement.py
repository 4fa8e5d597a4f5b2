"""How far the measures agree about the runs."""

from rankscale.figures.correlate import correlate_figure
from rankscale.figures.means import means_figure
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Section, Words, figure_part
from rankscale.studies.correlate import correlate


def agreement(found: Findings) -> Section | None:
    """Tau between each two measures, and where their means lie; None where there is one measure only."""
    if len(found.measures) < 2:
        return None
    chosen = found.evaluation[list(found.measures)]
    study = correlate(chosen, samples=0)
    lowest = min(study.table("pairs"), key=lambda row: float(row["value"] or 0))
    tau = float(lowest["value"] or 0)
    told = f"The two that agree least are {lowest['measure']} and {lowest['other']} (tau {tau:.3f})."
    return Section(
        "agreement",
        "Agreement of measures",
        [
            Words(told),
            figure_part("taus", correlate_figure(study), found.look),
            figure_part("means", means_figure(chosen), found.look),
        ],
    )
