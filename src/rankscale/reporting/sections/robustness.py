"""Whether fewer judgments would have given the same order of runs."""

from rankscale.figures.robustness import robustness_figure
from rankscale.reporting.parts import Paragraph, Section, drawing
from rankscale.reporting.results import Results


def robustness(results: Results) -> Section | None:
    """Tau against the full judgments by how many are kept; None unless requested."""
    if results.robustness is None:
        return None
    figure = drawing("tau-by-size", robustness_figure(results.robustness), results.look)
    return Section("robustness", "Fewer judgments", [Paragraph(results.robustness.sentence()), figure])
