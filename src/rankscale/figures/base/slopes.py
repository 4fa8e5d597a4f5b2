"""Slope graphs: the order of runs by one thing and by another, a line for each run, which crosses those it passes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import label_axis, short_labels, width_of, with_labels
from rankscale.figures.base.vega import by_kind, hover, layer, mark_spec, nominal, plot, quantitative

ROW = 1.2  # heights of their type from one name to the next
NAMES = 0.9  # size of names of runs, in heights of type
WIDEST = 0.32  # of the plot, for the names at one side
NARROWEST = 7.0  # heights of type between the two sides
POINTED = "run"  # the selection of the run pointed at


@dataclass(frozen=True)
class Slopes:
    """What a slope graph shows: rows (run, side, order, kind of move), as the drawing finds them in its data."""

    sides: Mapping[str, str]  # value of `side`, the left one first, and what is written above it
    places: Sequence[Mapping[str, float]]  # by side: where each run stands, the first place on top
    kinds: Sequence[str]  # of moves: up, down, neither
    kind: str  # the field with these
    tooltip: Sequence[object]

    @property
    def _last(self) -> float:
        return max(place for side in self.places for place in side.values())

    def plot(self, space: Space, transform: Sequence[Spec] = (), view: str = "", whole_width: float = 0) -> Spec:
        """The plot: both sides with the names that have room, and the lines between them.

        `view` names it for a selection and a legend that several plots of this whole width share; without a name it has
        its own.
        """
        look, size, width = space.look, space.look.font_size, space.width
        labels = short_labels(self.places[0], WIDEST * width / (NAMES * size))
        limit = NAMES * size * (max(map(width_of, labels.values())) + 0.6)
        domain = [0.5, self._last + 0.5]
        x = nominal(
            "side",
            title=None,
            scale={"domain": list(self.sides), "padding": 0, "type": "point"},
            axis={
                "labelAngle": 0,
                "domain": False,
                "ticks": False,
                "orient": "top",
                "grid": True,
                "labelOverlap": False,
                "labelPadding": 0.8 * size,
                **label_axis(self.sides),
            },
        )
        scale = {"domain": domain, "reverse": True, "nice": False, "zero": False}
        y = quantitative("order", title=None, scale=scale, axis=None)
        legend = {"orient": "bottom", "title": None, "direction": "horizontal", "labelLimit": 0, "symbolType": "stroke"}
        room = whole_width if view else width
        legend |= {"columns": 3 if room > 30 * size else 1, "symbolStrokeWidth": 2}
        colours = (*look.colours[:2], look.faint)
        styles = by_kind(self.kind, self.kinds, legend, color=colours, strokeDash=[[1, 0], [5, 1.5], [1, 0]])
        opacity = {"condition": {"param": POINTED, "value": 1.0}, "value": 0.15}
        line = layer(mark_spec("line", strokeWidth=1.1), x=x, y=y, detail="run", **styles, opacity=opacity)
        point = mark_spec("point", filled=True, size=1.6 * size)
        dots = layer(point, x=x, y=y, detail="run", color=styles["color"], opacity=opacity, tooltip=list(self.tooltip))
        named = {"name": view, **line} if view else {**line, "params": [hover(POINTED, "run")]}
        names = [self._names(place, labels, space, x, y) for place in range(2)]
        inner = max(width - 2 * limit, NARROWEST * size)
        return plot([named, dots, *names], round(inner), round(space.height), "runs", transform)

    def _names(self, place: int, labels: Mapping[str, str], space: Space, x: Spec, y: Spec) -> Spec:
        """The names on one side."""
        size, side = space.look.font_size, list(self.sides)[place]
        align, gap = (("right", -0.5 * size), ("left", 0.5 * size))[place]
        apart = ROW * NAMES * size * (self._last / space.height)  # places that a name takes
        chosen = self._chosen(place, apart)
        rows = [{"run": run, "side": side, "order": self.places[place][run]} for run in chosen]
        text = mark_spec("text", align=align, dx=gap, baseline="middle", fontSize=NAMES * size, color=space.look.ink)
        return layer(text, rows, with_labels("run", {run: labels[run] for run in chosen}), x=x, y=y, text="label")

    def _chosen(self, place: int, apart: float) -> list[str]:
        """The runs named on one side: all where they have room, else first those that move most."""
        here, there = self.places[place], self.places[1 - place]
        chosen: list[str] = []
        for run in sorted(here, key=lambda run: (-abs(here[run] - there[run]), here[run])):
            if all(abs(here[run] - here[other]) >= apart for other in chosen):
                chosen.append(run)
        return chosen
