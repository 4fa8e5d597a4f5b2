"""A scale in a notebook: its facts, and where its values lie."""

from typing import TYPE_CHECKING

from rankscale.outputs.pictures import Ticks
from rankscale.outputs.results import Page

if TYPE_CHECKING:
    from rankscale.scales.scale import Scale
    from rankscale.scales.set_scale import SetScale

QUICK = 2.0  # seconds that a notebook may take to show a scale
MOST_TICKS = 300


def page_of(scale: "Scale") -> Page:
    """The description that `rankscale scale` prints; of a scale that takes long to count, its name alone."""
    from rankscale.scales.describe import describe

    heading = f"Interval scale of {scale.measure}"
    if scale.cost.setup > QUICK:
        return Page(heading, [repr(scale)])
    few = scale.provenance.kind == "exact" and 2 <= scale.size <= MOST_TICKS
    drawn = [Ticks("values", scale.ends(scale.size)[0].tolist())] if few else []
    return Page(heading, describe(scale).blocks(), drawn)


def page_of_sets(scale: "SetScale") -> Page:
    """The same for sets of documents."""
    from rankscale.scales.describe import describe_sets

    values = [float(value) for value in scale.values[:MOST_TICKS]]
    return Page(f"Scale of {scale.measure} over sets", describe_sets(scale).blocks(), [Ticks("values", values)])
