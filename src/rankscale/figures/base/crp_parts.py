"""Parts of drawings of CRP that figures share: its points, the lines it is read by, and how high a plot is."""

from collections.abc import Mapping, Sequence

from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import Spec
from rankscale.figures.base.look import Look
from rankscale.figures.base.relative_positions import Course
from rankscale.figures.base.vega import by_kind, layer, mark_spec

FULL_SCALE_DASH = (5, 3)
CURVES = {"full_scale": FULL_SCALE_DASH, "CRP": (1, 0)}
POINTS = {  # what each point is, and its shape
    "recall base": "square",
    "turn-around point": "triangle-down",
    "balance point": "diamond",
    "full scale's balance point": "cross",
}


def key_points(course: Course, last: int) -> Table:
    """The points that CRP is read by, on the curves, as far as they are drawn."""
    at = {
        "recall base": (course.recall_base, course.crp),
        "turn-around point": (course.turn_around, course.crp),
        "balance point": (course.balance, course.crp),
        "full scale's balance point": (course.full_scale_balance, course.full_scale),
    }
    drawn: list[tuple[Cell, Cell, Cell]] = [
        (what, int(rank), int(curve[int(rank) - 1])) for what, (rank, curve) in at.items() if rank <= last
    ]
    return Table.of(("what", "rank", "CRP"), drawn)


def zero_rule(colour: str, **options: object) -> Spec:
    """A line at 0."""
    return layer(mark_spec("rule", color=colour, **options), [{}], y={"datum": 0}, x=None)


def recall_base_rule(recall_base: Cell, colour: str, **options: object) -> Spec:
    """A dotted line at the recall base."""
    return layer(mark_spec("rule", color=colour, strokeDash=[1, 2], **options), [{"rank": recall_base}])


def curves_layer(curves: Mapping[str, Sequence[int]], look: Look, y: Spec) -> Spec:
    """Two lines: what a curve is compared with, dashed and grey, and the curve; `curves` are columns with dashes."""
    names, dashes = list(curves), list(map(list, curves.values()))
    return layer(
        mark_spec("line", strokeWidth=1.4, clip=True, aria=False),
        None,
        [{"fold": names, "as": ["curve", "value"]}],
        y=y,
        **by_kind("curve", names, color=[look.grey, look.ink], strokeDash=dashes),
    )


def crp_domain(course: Course, last: int) -> list[float]:
    """From the lowest CRP of the full scale to the highest that is drawn, with a little room."""
    bottom = int(course.full_scale.min())
    top = max(0, int(course.crp[:last].max()))
    reached = int(course.full_scale[:last].max())
    if reached <= 2 * top - bottom:  # it takes less than half of the plot
        top = max(top, reached)
    room = 0.04 * max(1, top - bottom)
    return [bottom - room, top + room]
