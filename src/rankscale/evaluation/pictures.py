"""Pictures of an evaluation in a notebook: means as dots, with their intervals where these are known."""

from typing import TYPE_CHECKING

from rankscale.evaluation.confidence import MEANS
from rankscale.outputs.pictures import Dots, Panel

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation
    from rankscale.evaluation.summaries import Medians


def dots_of_means(evaluation: "Evaluation") -> Dots:
    """A panel for each of the first measures, a row for each run; intervals are those of `with_confidence`."""
    means, sure = evaluation.means(), evaluation.sureness
    has_ends = MEANS[0] in sure
    panels = [
        Panel(name, means.values[m].tolist(), *((sure[end][m].tolist() for end in MEANS) if has_ends else ()))
        for m, name in enumerate(means.measures)
    ]
    return Dots(evaluation.runs, panels)


def dots_of_medians(medians: "Medians") -> Dots:
    """The same for lower medians and their sign-test intervals."""
    numbers = (medians.lower, medians.interval_lower, medians.interval_upper)
    panels = [Panel(name, *(of[m].tolist() for of in numbers)) for m, name in enumerate(medians.measures)]
    return Dots(medians.runs, panels)
