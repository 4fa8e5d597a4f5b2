"""Lines that are told apart by colour and dash, and their legend."""

from collections.abc import Sequence
from typing import Any

from rankscale.figures.figure import WIDTH_OF_LETTER, Space, Spec
from rankscale.figures.look import DASHES, NAMED, Look

LONGEST_NAME = 24  # letters of a name in a legend


def line_legend(names: Sequence[str], space: Space) -> dict[str, Any]:
    """A legend under the plot, in as many columns as fit."""
    longest = min(LONGEST_NAME, max(map(len, names), default=1))
    size = space.look.font_size
    column = (longest * WIDTH_OF_LETTER + 5) * size
    return {
        "orient": "bottom",
        "columns": max(1, min(len(names), int(space.width / column))),
        "title": None,
        "labelLimit": LONGEST_NAME * size * 0.6,
        "symbolSize": 20 * size,
    }


def run_lines(names: Sequence[str], look: Look, legend: dict[str, Any], field: str = "run", *, ideal: str = "") -> Spec:
    """A layer with a line for each name; the ideal is drawn in ink, dotted."""
    colours = [look.ink if name == ideal else look.colours[place % NAMED] for place, name in enumerate(names)]
    dashes = [[1, 2] if name == ideal else DASHES[place % NAMED] for place, name in enumerate(names)]
    scale = {"domain": list(names)}
    return {
        "transform": [{"filter": {"field": field, "oneOf": list(names)}}],
        "mark": {"type": "line", "strokeWidth": 1.4},
        "encoding": {
            "color": {"field": field, "type": "nominal", "scale": {**scale, "range": colours}, "legend": legend},
            "strokeDash": {"field": field, "type": "nominal", "scale": {**scale, "range": dashes}, "legend": legend},
        },
    }
