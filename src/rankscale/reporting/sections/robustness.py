"""Whether fewer judgments would have given the same order of runs."""

from rankscale.figures.robustness import robustness_figure
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Section, Words, figure_part


def robustness(findings: Findings) -> Section | None:
    """Tau against the full judgments by how many are kept; None where it was not asked for."""
    if findings.robustness is None:
        return None
    figure = figure_part("tau-by-size", robustness_figure(findings.robustness), findings.look)
    return Section("robustness", "Fewer judgments", [Words(findings.robustness.sentence()), figure])
