"""Whether fewer judgments would have given the same order of runs."""

from rankscale.figures.robustness import robustness_figure
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Section, Words, figure_part


def robustness(found: Findings) -> Section | None:
    """Tau against the full judgments by how many are kept; None where it was not asked for."""
    if found.robustness is None:
        return None
    figure = figure_part("tau-by-size", robustness_figure(found.robustness), found.look)
    return Section("robustness", "Fewer judgments", [Words(found.robustness.sentence()), figure])
