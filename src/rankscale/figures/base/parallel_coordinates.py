"""Parallel coordinates of the indicators of CRP: a line for each topic over axes from 0 to 1.

The plot is drawn over two datasets, `lines` (topic, R, axis, value, drawn) and `beyond` (axis, drawn, place, text,
short), which a figure has and a report makes for the run that is chosen.
"""

import math
from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import Space, Spec, number
from rankscale.figures.base.look import DASHES, NAMED, SHAPES, TEXT_WIDTH, Appearance
from rankscale.figures.base.rendering import on_page
from rankscale.figures.base.vega import gradient_legend, hover, layer, mark_spec, only, ordinal, plot, quantitative
from rankscale.measures.base.measure import Measure
from rankscale.measures.counts import NumRel
from rankscale.measures.crp import CRPN, CRPMin
from rankscale.measures.twist import BRatio, Rho, RhoW

OF_THE_RUN = ("rho", "b_ratio", "CRP_min", "CRP_N")  # axes on which topics can be outliers
AXES = {"R": "R / max R", "rho_w": "rho_w"} | {name: name for name in OF_THE_RUN}  # as data call them, as written
LISTED = 6  # values beyond an axis that are written beside it
WIDE = 40  # heights of type that a figure is wide, for topics beside the values
BESIDE = 9  # heights of type that such a value may be wide
STEP = 1.15  # heights of type from one of them to the next
RATIO = 0.45  # of height to width, on a page that brings the data
OUTLIER = 1.5  # distances of the quartiles, from which on a topic is one
LEAST_DISTANCE = 0.02  # of the quartiles, so that where all are alike rounding makes no outliers
HAZE = 0.25  # opacity of lines that are too many to be followed
CLICKED = 9  # how wide a line is for those who click on it, in pixels
POINTED = hover("met", "topic")  # the line pointed at, which is drawn thicker


def measures_drawn(depth: int | None, rel: float) -> list[Measure]:
    """The measures of the axes: R and those in `AXES`, in this order."""
    return [NumRel(rel=rel), *(kind(rel=rel, depth=depth) for kind in (RhoW, Rho, BRatio, CRPMin, CRPN))]


def line_table(topics: Sequence[str], values: Floats) -> Table:
    """One row for each topic and axis, from values (axis, topic); what is undefined is left out."""
    shown = np.concatenate([values[:1] / values[0].max(), values[1:]])
    place, axis = np.nonzero(~np.isnan(shown.T))
    labels = list(AXES.values())
    return Table(
        {
            "topic": [topics[one] for one in place.tolist()],
            "R": values[0].astype(int)[place].tolist(),
            "axis": [labels[one] for one in axis.tolist()],
            "value": shown[axis, place].tolist(),
            "drawn": np.clip(shown[axis, place], 0, 1).tolist(),
        }
    )


def beyond_table(lines: Table) -> Table:
    """What is written beside the ends of axes: values beyond them, the farthest first, as many as are listed.

    >>> lines = line_table(["7", "103"], np.array([[2, 1], [0, 0], [0, 0], [0, 0], [0, 0], [1.1, 1.51237]]))
    >>> beyond_table(lines).columns["text"]
    ['1.5124 (103)', '1.1000 (7)']
    """
    beyond: dict[tuple[Cell, Cell], list[tuple[Cell, float]]] = {}
    for row in lines:
        if row["value"] != row["drawn"]:
            beyond.setdefault((row["axis"], row["drawn"]), []).append((row["topic"], number(row["value"])))
    rows: list[tuple[Cell, ...]] = []
    for (axis, end), several in beyond.items():
        several.sort(key=lambda one: -abs(one[1]))
        texts = [(f"{value:.4f} ({topic})", f"{value:.3f}") for topic, value in several]
        more = f"and {len(texts) - LISTED + 1} more"
        shown = texts if len(texts) <= LISTED else [*texts[: LISTED - 1], (more, more)]
        rows += [(axis, end, place, *both) for place, both in enumerate(shown)]
    return Table.of(("axis", "drawn", "place", "text", "short"), rows)


def band_table(lines: Table) -> Table:
    """axis, q1, median, q3: quartiles over topics of what is drawn on each axis.

    >>> lines = line_table(["1", "2", "3"], np.array([[2, 1, 1], [0, 0, 0.4], *[[0.0] * 3] * 4]))
    >>> [row["median"] for row in band_table(lines)][:2]
    [0.5, 0.0]
    """
    by_axis: dict[str, list[float]] = {}
    for row in lines:
        by_axis.setdefault(str(row["axis"]), []).append(number(row["drawn"]))
    quartiles = [(axis, *np.quantile(values, [0.25, 0.5, 0.75]).tolist()) for axis, values in by_axis.items()]
    return Table.of(("axis", "q1", "median", "q3"), quartiles)


def outliers_of(lines: Table, band: Table, most: int) -> dict[str, str]:
    """Topics further from the quartiles than 1.5 times their distance, with the axis on which they are it most.

    At most so many, the furthest first; the recall base and rho_w, which say nothing of the run, do not count.
    """
    quartiles = {str(row["axis"]): (number(row["q1"]), number(row["q3"])) for row in band}
    far: dict[str, tuple[float, str]] = {}
    for row in lines:
        axis, topic = str(row["axis"]), str(row["topic"])
        if axis in OF_THE_RUN:
            low, high = quartiles[axis]
            value = number(row["drawn"])
            off = max(low - value, value - high) / max(high - low, LEAST_DISTANCE)
            far[topic] = max(far.get(topic, (0.0, "")), (off, axis))
    order = sorted(far, key=lambda topic: -far[topic][0])
    return {topic: far[topic][1] for topic in order[:most] if far[topic][0] > OUTLIER}


def coordinates_plot(
    space: Space,
    recall_bases: Sequence[float],
    named: Sequence[str] = (),
    clicks: Sequence[Spec] | None = None,
    outliers: Sequence[str] | None = None,
) -> Spec:
    """The plot: lines coloured by the recall base, those of named topics over the others.

    `recall_bases` are those of the topics, the smallest first. On a page, `clicks` are the selections of lines by a
    click, besides that of the line pointed at. With `outliers` lines are a haze, over which stand the quartiles, from a
    dataset `band` (axis, q1, median, q3), and the lines of these topics. Names beside axes are in a dataset `labels`
    (topic, label, axis, at).
    """
    look = space.look
    across = ordinal(
        "axis",
        scale={"domain": list(AXES.values()), "padding": 0.3},
        title=None,
        axis={"labelAngle": 0, "grid": True, "gridOpacity": 1, "labelPadding": 0.8 * look.font_size, "ticks": False},
    )
    axis = {"grid": False, "tickCount": 5}
    down = quantitative("drawn", title="value", scale={"domain": [0, 1], "nice": False}, axis=axis)
    tooltip = ["topic", "R", "axis", quantitative("value", format=".4f")]
    # Lines that nobody sees, wide enough to point at and to click on.
    wide = mark_spec("line", strokeWidth=CLICKED, strokeOpacity=0, cursor="pointer", aria=False)
    layers = [
        {**({"params": [POINTED]} if clicks is None else {}), **_all(space, recall_bases, haze=outliers is not None)},
        *([] if outliers is None else _band(outliers, space, recall_bases)),
        *(one for place, topic in enumerate(named) for one in _named(topic, place, look)),
        *_beyond(space),
        *(_labels(space) if named else []),
        *([] if clicks is None else [{"params": [POINTED, *clicks], **layer(wide)}]),
    ]
    return plot(layers, space.width, space.height, "lines", x=across, y=down, detail="topic", tooltip=tooltip)


def coordinates_spec(look: Appearance, width: float, recall_bases: Sequence[float]) -> Spec:
    """The plot for a page that brings the datasets `lines` and `beyond` and answers clicks on lines."""
    shown = on_page(look)
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "Parallel coordinates of the indicators of CRP: a line for each topic.",
        **coordinates_plot(Space(shown, width, round(RATIO * width)), recall_bases, clicks=()),
        "config": shown.config(),
    }


def _band(outliers: Sequence[str], space: Space, recall_bases: Sequence[float]) -> list[Spec]:
    """The middle half of the topics, the median, and the lines of outliers."""
    look = space.look
    none: Spec = {"detail": None, "tooltip": None}
    area = mark_spec("area", color=look.grey, opacity=0.3, aria=False)
    line = mark_spec("line", color=look.ink, strokeWidth=2, aria=False)
    own = mark_spec("line", strokeWidth=1.1, aria=False)
    return [
        layer(area, "band", y=quantitative("q1"), y2="q3", **none),
        layer(own, None, [only("topic", *outliers)], color=_colour(space, recall_bases)),
        layer(line, "band", y=quantitative("median"), **none),
    ]


def _labels(space: Space) -> list[Spec]:
    """Names of topics beside the axis on which they stand out."""
    size = space.look.font_size
    text = mark_spec("text", align="left", baseline="middle", dx=0.6 * size, fontSize=0.9 * size, aria=False)
    label = {"detail": None, "tooltip": None, "text": "label"}
    return [layer({**text, "color": space.look.ink}, "labels", y=quantitative("at"), **label)]


def _colour(space: Space, recall_bases: Sequence[float]) -> Spec:
    """Colours by the recall base, and their legend."""
    look, least, most = space.look, recall_bases[0], recall_bases[-1]
    ticks = {"values": sorted({least, float(round(math.sqrt(least * most))), most}), "format": "d"}
    return quantitative(
        "R",
        scale={"type": "log", "domain": [least, max(most, least + 1)], "range": look.sequence[1:]},
        legend=gradient_legend("recall base R", min(160.0, space.width / 2), 0.8 * look.font_size, **ticks),
    )


def _all(space: Space, recall_bases: Sequence[float], *, haze: bool) -> Spec:
    """The lines of all topics; the one pointed at is thick. As a haze they are pale."""
    pointed = {"param": "met", "empty": False}
    thick = {"condition": {**pointed, "value": 3}, "value": 0.7 if haze else 1}
    pale = {"strokeOpacity": {"condition": {**pointed, "value": 1}, "value": HAZE}} if haze else {}
    line = mark_spec("line", strokeWidth=1, aria=False)
    return layer(line, color=_colour(space, recall_bases), strokeWidth=thick, **pale)


def _named(topic: str, place: int, look: Appearance) -> list[Spec]:
    """The line of a topic that is distinguished, with a mark on each axis."""
    own = [{"filter": {"field": "topic", "equal": topic}}]
    colour = look.colours[(place + 1) % NAMED]  # blue comes last, since the lines of all topics are blue
    line = mark_spec("line", strokeWidth=2, color=colour, strokeDash=DASHES[place], aria=False)
    dots = mark_spec("point", filled=True, opacity=1, size=3 * look.font_size, color=colour, shape=SHAPES[place])
    return [layer(line, None, own), layer(dots, None, own)]


def _beyond(space: Space) -> list[Spec]:
    """An arrow at the end of an axis that values are beyond, and these values beside it.

    In a narrow figure the values have no topics.
    """
    look, size = space.look, space.look.font_size
    text = "text" if (look.width or max(space.width, TEXT_WIDTH)) >= WIDE * size else "short"
    beside = mark_spec("text", align="left", baseline="middle", dx=0.8 * size, limit=BESIDE * size, aria=False)
    arrow = mark_spec("point", filled=True, opacity=1, color=look.ink, size=3 * size, aria=False)
    plain: Spec = {"tooltip": None, "detail": None}
    layers: list[Spec] = []
    for end, shape, outward in ((1, "triangle-up", 1), (0, "triangle-down", -1)):
        # Texts go from the end of the axis inwards: a height of type is so much of the axis.
        places = {"calculate": f"{end} + {outward * size / space.height} * (0.5 - {STEP} * datum.place)", "as": "at"}
        own = only("drawn", end)
        marked = {**arrow, "shape": shape, "yOffset": -outward * 0.5 * size}
        layers.append(layer(marked, "beyond", [own, only("place", 0)], **plain))
        layers.append(layer(beside, "beyond", [own, places], y=quantitative("at"), text=text, **plain))
    return layers
