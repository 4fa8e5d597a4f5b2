"""All values that measures take over the rankings of a length, in ascending order: how evenly they are spaced."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.declared import Declaration
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, ScaleError
from rankscale.figures.base.cells import number
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec
from rankscale.figures.base.lines import line_legend
from rankscale.figures.base.look import DASHES, NAMED
from rankscale.figures.base.panels import Grid, grid
from rankscale.figures.base.vega import by_kind, heading, layer, mark_spec, only, plot, quantitative
from rankscale.measures.base.measure import Measure
from rankscale.scales.counting.image import written_size
from rankscale.scales.scale import Scale, scale

By = Literal["rankings", "values"]

LISTED = 4096  # rankings up to which all are looked at
DRAWN = 300  # rankings drawn at random, evenly; half as many again with few or many relevant documents, for the ends
SAMPLED = 10_000  # rankings that stand for all where nobody can count those below another
APART = 1 / 400  # of a side of the plot: points closer than this to the last one drawn are not seen
MOST_MEASURES = 9  # panels that can still be read
NARROWEST = 14.0  # heights of letters that a panel must have across, with its axis
TITLES = {"rankings": "share of all rankings up to this value", "values": "share of all distinct values up to this one"}

ScaleLike = Scale | Measure | str


@dataclass(frozen=True, repr=False)
class ValuesFigure(Figure):
    """Values of measures in ascending order: one panel for each measure, one line for each length."""

    name: ClassVar[str] = "values"
    ratio: ClassVar[float] = 0.42

    by: By
    points: Table  # measure, length, share, value: the lines
    scales: Table  # measure, length, values, lowest, highest, gap_from, gap_to, unused, above, counted: a row per line

    @property
    def measures(self) -> tuple[str, ...]:
        """One for each panel, without its depth."""
        return tuple(dict.fromkeys(str(row["measure"]) for row in self.scales))

    @property
    def lengths(self) -> tuple[str, ...]:
        """Of rankings, ascending: one for each line."""
        return tuple(map(str, sorted({int(row["length"] or 0) for row in self.scales})))

    @property
    def title(self) -> str:
        """The measures, and the lengths of rankings."""
        return f"All values of {_and(self.measures)} for rankings of {_and(self.lengths)} documents"

    @property
    def description(self) -> str:
        """How many values there are, from where to where."""
        lines = [
            f"{row['measure']} at length {row['length']} takes {row['values']} distinct values, from "
            f"{float(row['lowest'] or 0):.4g} to {float(row['highest'] or 0):.4g}{_unused(row)}"
            for row in self.scales
        ]
        along = "all rankings" if self.by == "rankings" else "the distinct values"
        straight = "" if self.by == "rankings" else " A straight line is an interval scale."
        return (
            f"Lines of values in ascending order, along the share of {along} that do not exceed them. "
            f"{'; '.join(lines)}.{straight}"
        )

    def draw(self, space: Space) -> Spec:
        """Panels in rows; lines are distinguished by colour and dash."""
        panels = grid(len(self.measures), space, NARROWEST)
        return panels.spec([self._panel(place, panels, space) for place in range(len(self.measures))])

    def _panel(self, place: int, panels: Grid, space: Space) -> Spec:
        measure, look, width = self.measures[place], space.look, panels.width
        height = panels.height(max(round(0.8 * width), 100))
        legend = line_legend([f"length {length}" for length in self.lengths], space)
        legend |= {"title": "length of rankings", "titleOrient": "left"}
        styles = by_kind("length", [*map(int, self.lengths)], legend, color=look.colours, strokeDash=DASHES)
        few = [row["length"] for row in self.scales if row["measure"] == measure and number(row["drawn"]) <= 2 * NAMED]
        tooltip = [quantitative(name) for name in ("length", "share", "value")]
        dots = mark_spec("square", size=2 * look.font_size, opacity=1)
        ticks = max(2, round(height / (3 * look.font_size)))
        value = quantitative(
            "value",
            title="value" if panels.left(place) else None,
            scale={**self._reach(measure), "nice": ticks},
            axis={"tickCount": ticks},
        )
        gap = [row for row in self.scales if row["measure"] == measure and row["gap_from"] is not None]
        layers = [
            *([self._gap(gap[0], space)] if len(gap) == 1 and len(self.lengths) == 1 else []),
            layer(mark_spec("line", strokeWidth=1.1), strokeDash=styles["strokeDash"], tooltip=tooltip),
            *([layer(dots, None, [only("length", *few)], tooltip=tooltip)] if few and self.by == "values" else []),
        ]
        x = self._share(width, space, titled=panels.lowest(place))
        drawn = plot(layers, width, height, "points", [only("measure", measure)], x=x, y=value, color=styles["color"])
        return {"title": heading(measure, look, width, anchor="middle"), **drawn}

    def _gap(self, facts: Mapping[str, Cell], space: Space) -> Spec:
        """A band over the largest gap between neighbouring values, where there is one line."""
        band = mark_spec("rect", color=space.look.colours[1], opacity=0.2)
        ends = {"lower": facts["gap_from"], "upper": facts["gap_to"], "from": 0, "to": 1}
        tooltip = [quantitative("lower"), quantitative("upper")]
        across = {"x": quantitative("from"), "x2": "to"}
        return layer(band, [ends], y=quantitative("lower"), y2="upper", **across, color=None, tooltip=tooltip)

    def _share(self, width: int, space: Space, *, titled: bool) -> Spec:
        """The axis along; its title stands under the lowest panel of each column, in few words where room is scarce."""
        letters = len(TITLES[self.by]) * WIDTH_OF_LETTER * space.look.font_size
        words = TITLES[self.by] if letters < width else f"share of {self.by}"
        return quantitative(
            "share",
            title=words if titled else None,
            scale={"domain": [0, 1], "nice": False},
            axis={"tickCount": max(2, round(width / (5 * space.look.font_size))), "format": "~%"},
        )

    def _reach(self, measure: str) -> Spec:
        """From 0 to 1 if all values lie there, so that panels can be compared; else each panel has its own."""
        everything = [float(row["highest"] or 0) for row in self.scales]
        lowest = min(float(row["lowest"] or 0) for row in self.scales if row["measure"] == measure)
        if max(everything) <= 1 and lowest >= 0:
            return {"domain": [0, 1]}
        return {"zero": lowest >= 0}


def scale_values_figure(scales: ScaleLike | Sequence[ScaleLike], by: By = "rankings") -> ValuesFigure:
    """Draw all values of measures over the rankings of a length.

    Values stand along the share of all rankings up to them: tied rankings show as level stretches. By distinct values
    each value counts once, as on the interval scale: values that are equally spaced are a straight line. With one
    length, a band marks the largest gap between neighbouring values, the part of the range that is not used.

    Parameters
    ----------
    scales : Scale, str or several
        Scales, as `rs.scale("RBP(p=0.5)@10")` returns them.
    by : {'rankings', 'values'}
        What goes across: all rankings, or distinct values, where a straight line is an interval scale.

    Returns
    -------
    ValuesFigure
        A line for each scale.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Notes
    -----
    Where rankings are too many to list, lines run through rankings drawn at random, each with its exact place.

    Command line
    ------------
        rankscale figure values -o values.pdf
        rankscale figure values -m P -m RR --length 5 -o values.svg
        rankscale figure values -m 'DCG(base=2)' -m 'DCG(base=10)' --by values -o dcg.svg
    """
    if by not in TITLES:
        raise ParameterError(f"by must be 'rankings' or 'values', got {by!r}")
    shown = over_all_rankings(scales)
    lines = {(_named(scale), scale.depth): _line(scale, by) for scale in shown}
    if not lines or len({length for _, length in lines}) > NAMED or len({name for name, _ in lines}) > MOST_MEASURES:
        raise ParameterError(f"a figure shows up to {MOST_MEASURES} measures, of up to {NAMED} lengths each")
    cells = [
        (name, length, share, value)
        for (name, length), (shares, values) in lines.items()
        for share, value in zip(shares.tolist(), values.tolist(), strict=True)
    ]
    points = Table.of(("measure", "length", "share", "value"), cells)
    by_line = {(_named(scale), scale.depth): scale for scale in shown}
    return ValuesFigure(by, points, _facts(by_line, lines))


def over_all_rankings(scales: ScaleLike | Sequence[ScaleLike]) -> list[Scale]:
    """One scale or several, or the measures that they are of; one that is not over all rankings is refused."""
    several = [scales] if isinstance(scales, Scale | Measure | str) else scales
    shown = [one if isinstance(one, Scale) else scale(one) for one in several]
    for one in shown:
        if one.universe == "feasible":
            raise ParameterError(
                f"{one.measure} is over the rankings that a topic's documents allow; figures are over all rankings"
            )
    return shown


def _facts(scales: dict[tuple[str, int], Scale], lines: dict[tuple[str, int], tuple[Floats, Floats]]) -> Table:
    values = [line[1] for line in lines.values()]
    gap_from, gap_to, unused, above = zip(*(_gap_facts(scales[line]) for line in lines), strict=True)
    return Table(
        {
            "measure": [name for name, _ in lines],
            "length": [length for _, length in lines],
            "values": [_size(scales[line]) for line in lines],
            "lowest": [float(column[0]) for column in values],
            "highest": [float(column[-1]) for column in values],
            "gap_from": list(gap_from),
            "gap_to": list(gap_to),
            "unused": list(unused),
            "above": list(above),
            "drawn": [len(np.unique(column)) for column in values],
            "counted": [str(scales[line].provenance) for line in lines],
        }
    )


def _gap_facts(scale: Scale) -> tuple[float | None, float | None, float | None, float | None]:
    """The ends of the largest gap and its share of the range, and the share of the limits above the highest value.

    Empty where values are equally spaced, and where they are estimated or too many to know.
    """
    spacing = None if scale.provenance.kind == "estimated" else scale.spacing
    if spacing is None or not spacing.unused.certain:
        return None, None, None, None
    gap = spacing.unused
    return (None, None, None, gap.above) if spacing.equal else (gap.lower, gap.upper, gap.share, gap.above)


def _unused(facts: Mapping[str, Cell]) -> str:
    if facts["gap_from"] is None:
        return ""
    return f", none between {number(facts['gap_from']):.4g} and {number(facts['gap_to']):.4g}"


def _size(scale: Scale) -> str:
    return "an estimated number of" if scale.provenance.kind == "estimated" else written_size(scale.size)


def _line(scale: Scale, by: By) -> tuple[Floats, Floats]:
    """Shares and values, both ascending, as far as they can be distinguished in a plot."""
    rankings = _rankings(scale)
    values = np.array(scale.values_of(rankings))
    if not np.isfinite(values).all():
        raise ScaleError(f"{scale.measure}: it is undefined or infinite for some rankings, which cannot be drawn")
    shares, values = _by_values(scale, rankings, values) if by == "values" else _by_rankings(scale, rankings, values)
    return _thinned(shares, values)


def _by_values(scale: Scale, rankings: Floats, values: Floats) -> tuple[Floats, Floats]:
    shares, first = np.unique(scale.normalised(rankings), return_index=True)
    return shares, values[first]


def _by_rankings(scale: Scale, rankings: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Where all values are known, each has a point where it begins and one where it ends; else one in the middle."""
    places = scale.places_of(rankings)
    kinds = len(np.unique(scale.places(np.array([scale.levels]))))  # grades that the measure tells apart
    try:
        middles, first = np.unique(np.array(scale.tie_ranks_of_places(places), dtype=object), return_index=True)
    except ScaleError:
        return _sampled(scale)
    total = kinds**scale.depth
    if not scale.exact or len(middles) < scale.size:
        return np.array([float((middle - 1) / max(1, total - 1)) for middle in middles]), values[first]
    ends = [0]
    for middle in middles:
        ends.append(int(2 * middle) - 1 - ends[-1])  # the middle is ends[-1] + (tied + 1) / 2
    shares = np.array([end / total for end in ends])
    return np.repeat(shares, 2)[1:-1], np.repeat(values[first], 2)


def _sampled(scale: Scale) -> tuple[Floats, Floats]:
    """Of brackets nobody knows how many rankings lie below: quantiles of a random sample, always the same."""
    draw = np.random.default_rng(0)
    drawn = draw.choice(np.array(scale.levels), size=(max(DRAWN, min(SAMPLED, 2_000_000 // scale.depth)), scale.depth))
    values = np.sort(scale.values_of(drawn))
    ends = scale.values_of(np.array([[level] * scale.depth for level in (scale.levels[0], scale.levels[-1])]))
    return np.linspace(0, 1, len(values) + 2), np.array([ends[0], *values, ends[1]])


def _rankings(scale: Scale) -> Floats:
    """All rankings, or some that reach all parts of the scale: at random, and with few or many relevant documents."""
    levels, depth = np.array(scale.levels), scale.depth
    if len(levels) ** depth <= LISTED:
        return np.array(list(product(levels, repeat=depth)))
    draw = np.random.default_rng(0)
    evenly = draw.integers(len(levels), size=(DRAWN, depth))
    tilted = draw.binomial(len(levels) - 1, np.linspace(0.02, 0.98, DRAWN // 2)[:, None], size=(DRAWN // 2, depth))
    steps = np.unique(np.linspace(0, depth, min(depth, 60) + 1).round().astype(int))
    ranks, best = np.arange(depth), len(levels) - 1
    shapes = [shape * best for step in steps for shape in (ranks < step, ranks >= step, ranks == step)]
    rankings: Floats = levels[np.concatenate([evenly, tilted, np.array(shapes)])]
    return rankings


def _thinned(shares: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Without points that nobody would see: those next to the last one kept, in both directions."""
    reach = float(values[-1] - values[0]) or 1.0
    kept = [0]
    for place in range(1, len(shares)):
        last = kept[-1]
        across, up = shares[place] - shares[last], (values[place] - values[last]) / reach
        if max(across, up) >= APART or place == len(shares) - 1:
            if place - 1 > last and up >= 2 * APART:
                kept.append(place - 1)  # where a jump begins
            kept.append(place)
    return shares[kept], values[kept]


def _named(scale: Scale) -> str:
    """The measure without its depth."""
    name = str(scale.measure)
    with suppress(ValueError):
        return name[: name.rindex("@")]
    return name


def _and(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


COMMAND = Declaration(
    scale_values_figure,
    name="values",
    source="scales",
    measures=("P", "RBP(p=0.5)", "RR"),
    lengths=(5, 10, 20, 30),
)
