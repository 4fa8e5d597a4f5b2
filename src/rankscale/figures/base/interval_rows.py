"""Dots with intervals, a row for each run: what is drawn where runs are too many to be named around one line."""

from collections.abc import Sequence

from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import label_axis, short_labels
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, nominal, plot

ROW = 1.15  # heights of type from one run to the next
NAMES = 0.36  # of the width, for names


def interval_rows(names: Sequence[str], kinds: Sequence[str], x: Spec, tail: str, space: Space) -> Spec:
    """The plot over a dataset `runs` with the columns run, position, low, high and kind.

    Parameters
    ----------
    names : sequence of str
        Runs, from above.
    kinds : sequence of str
        The values of `kind`, at most two, that the key names: the first in colour, the second in grey.
    x : dict
        The axis across, without a field.
    tail : str
        Name of the run whose interval is shaded down the plot, for the others to be compared with.
    space : Space
        What the drawing has to fit.
    """
    look, size = space.look, space.look.font_size
    height = space.height if space.look.height else round(ROW * size * len(names))
    taken = (14 if look.title else 8) * size if look.height else 0  # of a height requested, by title, axis and key
    letters = max(1.0, min(size, 0.85 * (height - taken) / len(names)))
    labels = short_labels(names, NAMES * space.width / letters)
    axis = {"domain": False, "ticks": False, "labelOverlap": False, "labelFontSize": letters, **label_axis(labels)}
    legend: dict[str, object] = {"orient": "bottom", "title": None, "direction": "horizontal", "labelLimit": 0}
    legend |= {"symbolOpacity": 1, "columns": 2 if space.width > 45 * size else 1, "symbolSize": 4 * size}
    styles = by_kind("kind", kinds, legend, color=[look.colours[0], look.grey], shape=["circle", "diamond"])
    tooltip = ["run", *digits("position", "low", "high"), "kind"]
    band = mark_spec("rect", color=look.colours[0], opacity=0.12, aria=False)
    line = mark_spec("rule", strokeWidth=0.12 * size, aria=False)
    dot = mark_spec("point", filled=True, size=3 * size, opacity=1)
    first = [{"filter": {"field": "run", "equal": tail}}]
    low = {**x, "field": "low"}
    layers = [
        layer(band, None, first, x=low, x2="high", y=None),
        layer(line, x=low, x2="high", color=styles["color"], tooltip=tooltip),
        layer(dot, x={**x, "field": "position"}, **styles, tooltip=tooltip),
    ]
    y = nominal("run", title=None, scale={"domain": list(names), "padding": 0.2}, axis=axis)
    return plot(layers, space.width, height, "runs", y=y)
