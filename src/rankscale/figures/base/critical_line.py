"""Which runs differ, drawn in two ways: on one line, or in rows where they are too many to be named around one.

On the line, bars join runs that do not differ, and names stand to both sides: a critical-difference diagram.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rankscale.data.table import Table
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import label_axis, short_labels, with_labels
from rankscale.figures.base.vega import by_kind, calculated, digits, layer, mark_spec, nominal, plot

BAR, NAME = 0.6, 1.3  # from one bar to the next, and from one name to the next, in heights of type
GAP = 0.9  # between the line and the bars, and between these and the names
ROW = 1.15  # heights of type from one run to the next
NAMES = 0.36  # of the width, for names


@dataclass(frozen=True)
class CriticalLine:
    """What is drawn, over datasets `runs` and `groups` with these tables."""

    runs: Table  # run, position, side, line (of its name, from 0)
    groups: Table  # first, last (runs), left, right (positions), line
    difference: float | None  # that is significant, where it is one for all pairs
    falling: bool  # whether low is good
    title: str  # of the axis

    def plot(self, space: Space) -> Spec:
        """The line above, bars under it, names below to both sides."""
        down = _Lines(self, space)
        size = space.look.font_size
        low, high = self._ends
        x = {
            "type": "quantitative",
            "scale": {"domain": [low, high], "nice": False, "reverse": self.falling},
            "axis": {
                "orient": "top",
                "grid": False,
                "tickCount": max(3, int(space.width / (9 * size))),
                "title": self.title,
            },
        }
        y = {"type": "quantitative", "scale": {"domain": [down.height, 0], "nice": False, "zero": False}, "axis": None}
        layers = [
            *self._leaders(x, y, down, space),
            self._bars(x, y, down, space),
            *self._critical(x, y, down, space),
        ]
        return plot(layers, space.width, space.height if space.look.height else down.height, "runs")

    @property
    def _ends(self) -> tuple[float, float]:
        """Of the line: a little beyond the outermost runs, and wide enough for the critical difference."""
        places = [float(cell or 0) for cell in self.runs.columns["position"]]
        low, high = min(places), max(places)
        beyond = 0.04 * (high - low) or 0.05 * abs(high) or 0.5
        missing = max(0.0, (self.difference or 0) * 1.2 - (high - low + 2 * beyond)) / 2
        return low - beyond - missing, high + beyond + missing

    def _leaders(self, x: Spec, y: Spec, down: "_Lines", space: Space) -> list[Spec]:
        """From each run straight down, then aside to its name."""
        size = space.look.font_size
        position, top, at = {**x, "field": "position"}, {**y, "field": "top"}, {**y, "field": "y"}
        low, high = self._ends
        line = calculated(y=f"{down.names} + {down.name} * datum.line", top="0")
        rule = mark_spec("rule", color=space.look.grey, strokeWidth=0.7, aria=False)
        dot = mark_spec("point", filled=True, size=2.5 * size, opacity=1, color=space.look.ink, aria=False)
        layers = [layer(rule, None, line, x=position, y=top, y2="y")]
        tooltip = ["run", *digits("position")]
        # Names have so much of the width on each side; what is longer is cut so that it still differs from others.
        room = min(22 * size, 0.27 * space.width) / down.type_size
        labels = with_labels("run", short_labels([str(name) for name in self.runs.columns["run"]], room))
        for side, edge, sign in (
            ("left", high if self.falling else low, -1),
            ("right", low if self.falling else high, 1),
        ):
            on_side = [{"filter": {"field": "side", "equal": side}}, *line, *calculated(edge=f"{edge!r}"), *labels]
            text = mark_spec(
                "text",
                align="left" if side == "right" else "right",
                baseline="middle",
                dx=sign * 0.4 * size,
                fontSize=down.type_size,
                color=space.look.ink,
                aria=False,
            )
            layers += [
                layer(rule, None, on_side, y=at, x=position, x2="edge"),
                layer(text, None, on_side, y=at, x={**x, "field": "edge"}, text="label", tooltip=tooltip),
            ]
        return [*layers, layer(dot, None, line, x=position, y=top, tooltip=tooltip)]

    def _bars(self, x: Spec, y: Spec, down: "_Lines", space: Space) -> Spec:
        line = calculated(y=f"{down.bars} + {down.bar} * datum.line")
        size, ink = space.look.font_size, space.look.ink
        thick = mark_spec("rule", strokeWidth=0.36 * size, color=ink, strokeCap="round", aria=False)
        left, at = {**x, "field": "left"}, {**y, "field": "y"}
        return layer(thick, "groups", line, x=left, x2="right", y=at, tooltip=["first", "last"])

    def _critical(self, x: Spec, y: Spec, down: "_Lines", space: Space) -> list[Spec]:
        """How far apart two runs must stand to differ, as a length under the names."""
        if self.difference is None:
            return []
        (low, high), size, colour = self._ends, space.look.font_size, space.look.early
        start = (low + high - self.difference) / 2
        values = [{"from": start, "to": start + self.difference, "is": f"critical difference {self.difference:.3g}"}]
        rule = mark_spec("rule", color=colour, strokeWidth=1.4, aria=False)
        tick = mark_spec("tick", orient="vertical", color=colour, size=0.7 * size, aria=False)
        text = mark_spec("text", baseline="top", dy=0.5 * size, color=space.look.ink, aria=False)
        layers = [
            layer(rule, x={**x, "field": "from"}, x2="to"),
            *(layer(tick, x={**x, "field": end}) for end in ("from", "to")),
            layer(text, x={**x, "datum": (low + high) / 2}, text="is"),
        ]
        return [{"data": {"values": values}, "encoding": {"y": {**y, "datum": down.critical}}, "layer": layers}]


class _Lines:
    """Where bars and names stand, in points under the line; closer together where less height is requested."""

    def __init__(self, line: CriticalLine, space: Space) -> None:
        size = space.look.font_size
        bars = 1 + max((int(line or 0) for line in line.groups.columns["line"]), default=-1)
        names = 1 + max(int(line or 0) for line in line.runs.columns["line"])
        under = 0 if line.difference is None else 2.8 * size
        wanted = size * (GAP + BAR * bars + GAP + NAME * (names - 1) + 0.7) + under
        taken = (11 if space.look.title else 6) * size  # by title and axis, of a height that is requested
        available = space.height - taken if space.look.height else wanted
        shrink = min(1.0, available / wanted)
        self.height = round(wanted * shrink, 1)
        self.type_size = round(size * min(1.0, shrink * NAME / 1.2), 2)
        self.bars, self.bar = round(GAP * size * shrink, 2), round(BAR * size * shrink, 2)
        self.names = round(self.bars + self.bar * bars + GAP * size * shrink - 0.4 * self.bar, 2)
        self.name = round(NAME * size * shrink, 2)
        self.critical = round(self.height - 2 * size * shrink, 2)


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
