"""All values that measures take over the rankings of a length, as rugs: how evenly they are spaced.

A rug has a tick for each value, as far as a plot tells them apart.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, product
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, ScaleError
from rankscale.figures.base.figure import Figure, Grid, Space, Spec, grid, number, numbers
from rankscale.figures.base.labels import measure_labels
from rankscale.figures.base.look import NAMED
from rankscale.figures.base.vega import calculated, defined, heading, layer, mark_spec, only, plot, quantitative
from rankscale.measures.base.measure import Measure
from rankscale.scales.counting.image import written_size
from rankscale.scales.scale import Scale, scale

By = Literal["rankings", "values"]

LISTED = 4096  # rankings up to which all are looked at
DRAWN = 300  # rankings drawn at random, evenly; half as many again with few or many relevant documents, for the ends
SAMPLED = 10_000  # rankings that stand for all where nobody can count those below another
APART = 1 / 400  # of the range of values: ticks closer than this are drawn as one
MOST_MEASURES = 9  # panels that can still be read
NARROWEST = 14.0  # heights of letters that a panel must have across, with its axis
BYS = ("rankings", "values")
ROW = {"rankings": 2.4, "values": 1.5}  # heights of letters that a length takes
GAP = ("gap_from", "gap_to", "unused", "above")  # columns on the largest gap between values
LOWEST_TICK = 0.16  # of the room of a row, for a value that hardly any ranking has
ROOM = 0.84  # of a row that its ticks take

ScaleLike = Scale | Measure | str


class Tick(NamedTuple):
    """A value of a rug."""

    value: float
    up_to: float  # share of all rankings, or of all distinct values, that do not exceed it
    share: float | None  # of all rankings that have it; None where each value counts once


@dataclass(frozen=True, repr=False)
class ValuesFigure(Figure):
    """Rugs of values: one panel for each measure, in it one row for each length, and a tick for each value.

    By rankings a tick is as high as the share of the rankings that have its value; by values all are alike. The largest
    gap between neighbouring values of a row is shaded: a part of the range that no ranking reaches.
    """

    name: ClassVar[str] = "values"
    ratio: ClassVar[float] = 0.42

    by: By
    ticks: Table  # measure, length, value, share (of the rankings), up_to (share of rankings or values up to this one)
    scales: Table  # measure, length, values, lowest, highest, gap_from, gap_to, unused, above, counted: a row per rug

    @property
    def measures(self) -> tuple[str, ...]:
        """One for each panel, without its depth."""
        return tuple(dict.fromkeys(map(str, self.scales.columns["measure"])))

    @property
    def lengths(self) -> tuple[str, ...]:
        """Of rankings, ascending: one for each row."""
        return tuple(map(str, sorted({int(row["length"] or 0) for row in self.scales})))

    @property
    def title(self) -> str:
        """The measures, and the lengths of rankings."""
        return f"All values of {_and(self.measures)} for rankings of {_and(self.lengths)} documents"

    @property
    def description(self) -> str:
        """How many values there are, from where to where, and where none are."""
        lines = [
            f"{row['measure']} at length {row['length']} takes {row['values']} distinct values, from "
            f"{float(row['lowest'] or 0):.4g} to {float(row['highest'] or 0):.4g}{_unused(row)}"
            for row in self.scales
        ]
        height = ", as high as the share of the rankings that have it" if self.by == "rankings" else ""
        return (
            f"A tick for each value{height}. {'; '.join(lines)}. Ticks that are equally spaced are an interval scale."
        )

    @property
    def subtitle(self) -> str:
        """What rows, ticks and shades are."""
        high = ", as high as its share of the rankings" if self.by == "rankings" else ""
        gaps = any(row["gap_from"] is not None for row in self.scales)
        return f"A row for each length, a tick for each value{high}{'; shaded: the largest gap' if gaps else ''}"

    def draw(self, space: Space) -> Spec:
        """Panels side by side, rows down each."""
        panels = grid(len(self.measures), space, NARROWEST)
        plots = [self._panel(place, panels, space) for place in range(len(self.measures))]
        return panels.spec(plots, resolve={"scale": {"x": "independent"}})

    def _panel(self, place: int, panels: Grid, space: Space) -> Spec:
        measure, look, size = self.measures[place], space.look, space.look.font_size
        height = panels.height(round(ROW[self.by] * size * len(self.lengths)))
        own = [only("measure", measure), *calculated(row=f"indexof({[*map(int, self.lengths)]}, datum.length)")]
        value = quantitative(
            "value",
            title="value" if panels.lowest(place) else None,
            scale={**self._reach(measure), "nice": False},
            axis={"tickCount": max(2, round(panels.width / (4 * size))), "grid": False},
        )
        tick = mark_spec("rule", color=look.colours[0], strokeWidth=max(0.5, 0.7 * APART * panels.width), aria=False)
        ends = calculated(bottom="datum.row + 1", top=f"datum.row + 1 - {ROOM} * {self._height(measure)}")
        tooltip = [quantitative(name) for name in ("length", "value", "share", "up_to")]
        layers = [
            *self._gaps(own, space),
            layer(
                tick,
                None,
                [*own, *ends],
                x=value,
                y=self._rows(titled=panels.left(place)),
                y2="bottom",
                tooltip=tooltip,
            ),
        ]
        title = heading(measure, look, panels.width, anchor="middle")
        return {"title": title, **plot(layers, panels.width, height, "ticks")}

    def _height(self, measure: str) -> str:
        """An expression of how much of its row a tick takes: of the highest of the row by rankings, else all."""
        if self.by == "values":
            return "1"
        rows = [row for row in self.ticks if row["measure"] == measure]
        most = {
            length: max((number(row["share"]) for row in rows if str(row["length"]) == length), default=1.0)
            for length in self.lengths
        }
        highest = f"({json.dumps(most)})[datum.length]"
        return f"({LOWEST_TICK} + {1 - LOWEST_TICK} * datum.share / {highest})"

    def _rows(self, *, titled: bool) -> Spec:
        """The axis of lengths, of which each has a row."""
        labels = json.dumps(list(self.lengths))
        axis = {
            "values": [place + 0.5 for place in range(len(self.lengths))],
            "labelExpr": f"{labels}[floor(datum.value)]",
            "labels": titled,
            "labelOverlap": False,
            "tickCount": len(self.lengths),
            "ticks": False,
            "grid": False,
            "domain": False,
        }
        scale = {"domain": [0, len(self.lengths)], "reverse": True, "nice": False}
        return quantitative("top", title="length" if titled else None, scale=scale, axis=axis)

    def _gaps(self, own: Sequence[Spec], space: Space) -> list[Spec]:
        """A band over the largest gap between neighbouring values of each row that has one."""
        if all(row["gap_from"] is None for row in self.scales):
            return []
        band = mark_spec("rect", color=space.look.colours[1], opacity=0.2, aria=False)
        ends = calculated(bottom="datum.row + 1", top=f"datum.row + {1 - ROOM}")
        tooltip = [quantitative(name) for name in ("length", "gap_from", "gap_to")]
        across = {"x": quantitative("gap_from"), "x2": "gap_to", "y": quantitative("top"), "y2": "bottom"}
        return [layer(band, "scales", [*own, *ends, defined("gap_from")], **across, tooltip=tooltip)]

    def _reach(self, measure: str) -> Spec:
        """From 0 to 1 if all values lie there, so that panels can be compared; else each panel has its own."""
        own = [row for row in self.scales if row["measure"] == measure]
        lowest = min(number(row["lowest"]) for row in own)
        if max(numbers(self.scales, "highest")) <= 1 and lowest >= 0:
            return {"domain": [0, 1]}
        return {"domain": [min(0.0, lowest), max(number(row["highest"]) for row in own)]}


def scale_values_figure(scales: ScaleLike | Sequence[ScaleLike], by: By = "rankings") -> ValuesFigure:
    """Draw all values of measures over the rankings of a length.

    A panel for each measure has a row for each length, with a tick for each value. A tick is as high as the share of
    all rankings that have the value, or all are alike, since on the interval scale each value counts once. Shaded is
    the largest gap between neighbouring values, the part of the range that is not used.

    Parameters
    ----------
    scales : Scale, str or several
        Scales, as `rs.scale("RBP(p=0.5)@10")` returns them.
    by : {'rankings', 'values'}
        How high ticks are: as the share of the rankings with that value, or all alike.

    Returns
    -------
    ValuesFigure
        A row of ticks for each scale.

    Raises
    ------
    ParameterError
        If there are more measures or lengths than a figure has room for, or a scale is that of one topic.

    Notes
    -----
    Where rankings are too many to list, ticks are those of rankings drawn at random, each with its exact place. Ticks
    that nobody could tell apart are one.

    Command line
    ------------
        rankscale figure values -o values.pdf
        rankscale figure values -m P -m RR --length 5 -o values.svg
        rankscale figure values -m 'DCG(base=2)' -m 'DCG(base=10)' --by values -o dcg.svg
    """
    if by not in BYS:
        raise ParameterError(f"by must be 'rankings' or 'values', got {by!r}")
    shown = over_all_rankings(scales)
    names = measure_labels([replace(scale.measure, depth=None) for scale in shown])
    by_row = {(names[str(replace(scale.measure, depth=None))], scale.depth): scale for scale in shown}
    if not by_row or len({length for _, length in by_row}) > NAMED or len({name for name, _ in by_row}) > MOST_MEASURES:
        raise ParameterError(f"a figure shows up to {MOST_MEASURES} measures, of up to {NAMED} lengths each")
    rugs = {row: rug(scale, by) for row, scale in by_row.items()}
    cells = [(*row, tick.value, tick.share, tick.up_to) for row, rug in rugs.items() for tick in rug]
    ticks = Table.of(("measure", "length", "value", "share", "up_to"), cells)
    return ValuesFigure(by, ticks, _facts(by_row, rugs))


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


def _facts(scales: dict[tuple[str, int], Scale], rugs: dict[tuple[str, int], list[Tick]]) -> Table:
    columns = ("measure", "length", "values", "lowest", "highest", *GAP, "drawn", "counted")
    rows: list[tuple[Cell, ...]] = []
    for (row, rug), of in zip(rugs.items(), scales.values(), strict=True):
        size = "an estimated number of" if of.provenance.kind == "estimated" else written_size(of.size)
        rows.append((*row, size, rug[0].value, rug[-1].value, *_gap_facts(of), len(rug), str(of.provenance)))
    return Table.of(columns, rows)


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


def _and(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def rug(scale: Scale, by: By) -> list[Tick]:
    """The ticks of a row, ascending, as far as they can be distinguished in a plot."""
    rankings = _rankings(scale)
    values = np.array(scale.values_of(rankings))
    if not np.isfinite(values).all():
        raise ScaleError(f"{scale.measure}: it is undefined or infinite for some rankings, which cannot be drawn")
    return _joined(_by_values(scale, rankings, values) if by == "values" else _by_rankings(scale, rankings, values))


def _by_values(scale: Scale, rankings: Floats, values: Floats) -> list[Tick]:
    shares, first = np.unique(scale.normalised(rankings), return_index=True)
    if not scale.exact or len(shares) < scale.size:
        return [tick._replace(share=None) for tick in _between(scale, shares, values[first])]
    return [Tick(*both, None) for both in zip(values[first].tolist(), shares.tolist(), strict=True)]


def _by_rankings(scale: Scale, rankings: Floats, values: Floats) -> list[Tick]:
    """Where all values are known, each with its share; else those of the neighbourhood of each ranking looked at."""
    places = scale.places_of(rankings)
    kinds = len(np.unique(scale.places(np.array([scale.levels]))))  # grades that the measure tells apart
    try:
        middles, first = np.unique(np.array(scale.tie_ranks_of_places(places), dtype=object), return_index=True)
    except ScaleError:
        return _between(scale, *_sampled(scale))
    total = kinds**scale.depth
    if not scale.exact or len(middles) < scale.size:
        shares = np.array([float((middle - 1) / max(1, total - 1)) for middle in middles])
        return _between(scale, shares, values[first])
    ends = [0]
    for middle in middles:
        ends.append(int(2 * middle) - 1 - ends[-1])  # the middle is ends[-1] + (tied + 1) / 2
    steps = zip(values[first].tolist(), pairwise(ends), strict=True)
    return [Tick(value, end / total, (end - start) / total) for value, (start, end) in steps]


def _between(scale: Scale, shares: Floats, values: Floats) -> list[Tick]:
    """Ticks of many values, of some of which the share up to them is known, both ascending.

    Where values are is seen from many random rankings, so that gaps stay empty; shares in between are interpolated.
    """
    there = np.unique(np.concatenate([values, scale.values_of(_random(scale))]))
    up_to = np.interp(there, values, shares)
    edges = np.concatenate([[0.0], (up_to[1:] + up_to[:-1]) / 2, [1.0]])
    return [Tick(*one) for one in zip(there.tolist(), up_to.tolist(), np.diff(edges).tolist(), strict=True)]


def _joined(ticks: list[Tick]) -> list[Tick]:
    """Ticks too close to each other to be told apart as one: at the value that most rankings have, with all shares."""
    reach = (ticks[-1].value - ticks[0].value) or 1.0
    bins = groupby(ticks, key=lambda tick: int((tick.value - ticks[0].value) / reach / APART))
    joined = []
    for _, group in bins:
        several = list(group)
        most = max(several, key=lambda tick: tick.share or 0)
        share = None if most.share is None else sum(tick.share or 0 for tick in several)
        joined.append(Tick(several[0].value if several[0] is ticks[0] else most.value, several[-1].up_to, share))
    return [*joined[:-1], joined[-1]._replace(value=ticks[-1].value)]


def _random(scale: Scale) -> Floats:
    """(ranking, rank): grades of many random rankings, always the same."""
    count = max(DRAWN, min(SAMPLED, 2_000_000 // scale.depth))
    return np.random.default_rng(0).choice(np.array(scale.levels), size=(count, scale.depth))


def _sampled(scale: Scale) -> tuple[Floats, Floats]:
    """Of brackets nobody knows how many rankings lie below: quantiles of a random sample."""
    values = np.sort(scale.values_of(_random(scale)))
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


COMMAND = Declaration(
    scale_values_figure,
    name="values",
    source="scales",
    measures=("P", "RBP(p=0.5)", "RR"),
    lengths=(5, 10, 20, 30),
)
