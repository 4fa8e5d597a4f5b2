"""Order and spacing of all rankings of a length by several measures: values next to equally spaced ranks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Space, Spec, grid, number
from rankscale.figures.base.labels import measure_labels
from rankscale.figures.base.vega import heading, layer, mark_spec, nominal, only, plot, quantitative
from rankscale.figures.scale_values import GAP, ScaleLike, over_all_rankings
from rankscale.scales.scale import Scale

MOST_RANKINGS = 256  # more cannot be shown one by one
MOST_MEASURES = 12
UNEVEN = 1 + 1e-9  # the largest gap over the smallest, from which they differ by more than rounding
LINE = 1.2  # heights of letters from a line of text to the next
AXIS, BETWEEN = 3.0, 2.4  # heights of letters: ticks of the values, and the room from values to ranks
NARROWEST = 13.0  # heights of letters that a panel must have across, for its heading
DIGIT, BLANK = 0.58, 0.3  # widths, in heights of letters


@dataclass(frozen=True, repr=False)
class SpacingFigure(Figure):
    """For each measure, its values on the left as they are spaced, and their ranks on the right, one step apart.

    Lines lead from each value to its rank, next to which the rankings with this value stand. On an interval
    scale all lines are level. A bar marks the largest gap: the part of the range that no value uses.
    """

    name: ClassVar[str] = "spacing"
    ratio: ClassVar[float] = 1.0

    length: int
    rankings: int  # how many there are
    values: Table  # measure, value, rank, rankings (between spaces): one row for each distinct value
    measures: Table  # measure, values, ratio of the largest gap to the smallest, gap_from, gap_to, unused, above

    @property
    def title(self) -> str:
        """How many rankings, of which length."""
        return f"Order and spacing of all {self.rankings} rankings of length {self.length}"

    @property
    def description(self) -> str:
        """How many values each measure has, and how evenly they are spaced."""
        measures = [
            f"{row['measure']} has {row['values']} values, "
            + (
                _spaced(ratio)
                if (ratio := float(row["ratio"] or 1)) < UNEVEN
                else f"the largest gap {ratio:.3g} times the smallest, from {number(row['gap_from']):.4g} to "
                f"{number(row['gap_to']):.4g}, {number(row['unused']):.0%} of the range"
            )
            for row in self.measures
        ]
        return f"For each measure, its values beside their ranks, which are one step apart. {'; '.join(measures)}."

    def draw(self, space: Space) -> Spec:
        """Panels in rows, as many as fit; labels that do not fit are shortened, or left out evenly."""
        size = space.look.font_size
        label = max(len(name) for row in self.values for name in str(row["rankings"]).split()) * DIGIT + 2.1
        panels = grid(len(self.measures), space, max(NARROWEST, AXIS + BETWEEN + label))
        most = max(int(row["values"] or 0) for row in self.measures)
        height = max(panels.height((most + 0.5) * LINE * size), 60)
        plots = [self._panel(row, panels.width, height, space) for row in self.measures]
        return panels.spec(plots, 1)

    def _panel(self, facts: Mapping[str, Cell], width: int, height: int, space: Space) -> Spec:
        look, size, measure = space.look, space.look.font_size, str(facts["measure"])
        uneven = float(facts["ratio"] or 1) >= UNEVEN
        values = [row for row in self.values if row["measure"] == measure]
        labels = _labels(values, width - (BETWEEN + 0.7) * size, height, size)
        below = 0.7 + (len(labels[0][1]) - 1) * LINE
        y = {
            "type": "quantitative",
            "title": None,
            "scale": {
                "domain": [values[0]["value"], values[-1]["value"]],
                "range": [round(height - below * size), round(0.7 * size)],  # so that labels stay within
                "nice": False,
                "zero": False,
            },
            "axis": {"grid": False, "tickCount": min(6, round(height / (3 * size)))},
        }
        unused = f", {number(facts['unused']):.0%} unused" if uneven else ""
        spaced = _spaced(float(facts["ratio"] or 1)) + unused
        limit = width + AXIS * size
        layers = [*([_gap(y, facts, space)] if uneven else []), *_layers(y, labels, space)]
        return {
            "title": heading(measure, look, limit, 0.6, anchor="start", below=spaced, colour=look.grey),
            **plot(layers, width, height, "values", [only("measure", measure)]),
        }


def _gap(y: Spec, facts: Mapping[str, Cell], space: Space) -> Spec:
    """A bar along the axis of values over the largest gap, which no ranking's value lies in."""
    look, size = space.look, space.look.font_size
    bar = mark_spec("bar", width=round(0.9 * size), color=look.colours[1], opacity=0.35)
    ends = {"lower": facts["gap_from"], "upper": facts["gap_to"]}
    return layer(bar, [ends], x=0.5 * size, y={**y, "field": "lower"}, y2="upper")


def _layers(y: Spec, labels: list[tuple[Cell, list[str]]], space: Space) -> list[Spec]:
    """Lines from values to ranks, ticks at both, and the rankings next to the ranks.

    Ticks at the values are thin, so that values close to each other are seen apart.
    """
    look, size = space.look, space.look.font_size
    left, right = 0.5 * size, BETWEEN * size
    value, even = {**y, "field": "value"}, {**y, "field": "even"}
    tooltip = [nominal("rankings"), quantitative("value"), quantitative("rank")]
    colour = look.colours[0]
    at_value = mark_spec("tick", thickness=0.13 * size, size=size, orient="horizontal", color=colour, opacity=1)
    tick = mark_spec("tick", thickness=1, size=0.6 * size, orient="horizontal", color=look.grey)
    text = mark_spec("text", align="left", baseline="middle", lineHeight=LINE * size, color=look.ink)
    names = [{"even": at, "lines": lines} for at, lines in labels]
    return [
        layer(mark_spec("rule", color=look.faint, strokeWidth=0.7), x=left, x2=right, y=value, y2="even"),
        layer(at_value, x=left, y=value, tooltip=tooltip),
        layer(tick, x=right, y=even, tooltip=tooltip),
        layer(text, names, x=(BETWEEN + 0.7) * size, y=even, text="lines"),
    ]


def _labels(values: list[dict[str, Cell]], width: float, height: float, size: float) -> list[tuple[Cell, list[str]]]:
    """Where labels stand, and the rankings of each value in lines that fit: of many tied ones the first ones.

    Where values are more than lines of text, every second, third ... is labelled, and the highest.
    """
    lowest = _wrapped(str(values[0]["rankings"]).split(), width, height / (len(values) + 1), size)
    above = height - (1.4 + (len(lowest) - 1) * LINE) * size
    room = above / max(1, len(values) - 1)  # for the label of one value
    step = max(1, math.ceil(LINE * size / room - 0.05))
    shown = sorted({*range(step, len(values), step), len(values) - 1} - {0})
    if len(shown) > 1 and shown[-1] - shown[-2] < step:
        del shown[-2]
    kept = [values[place] for place in shown]
    others = [(row["even"], _wrapped(str(row["rankings"]).split(), width, room, size)) for row in kept]
    return [(values[0]["even"], lowest), *others]


def _wrapped(names: list[str], width: float, room: float, size: float) -> list[str]:
    """Names in lines; if they are too many, the last one says how many more there are."""
    each = (max(map(len, names)) * DIGIT + BLANK) * size
    across, down = max(1, int((width + BLANK * size) / each)), max(1, int(room / (LINE * size)))
    if len(names) > across * down:
        kept = max(1, across * down - 1)
        more = f"+{len(names) - kept}"
        names = [*names[:kept], more] if across * down > 1 else [names[0] + more]
    return [" ".join(names[start : start + across]) for start in range(0, len(names), across)]


def _spaced(ratio: float) -> str:
    return "equally spaced" if ratio < UNEVEN else f"gaps 1 to {ratio:.3g}"


MEASURES = ("P", "AP", "RR", "RBP(p=0.3)", "RBP(p=0.5)", "RBP(p=0.8)", "DCG(base=2)")
LENGTH = 4
SCALES = tuple(f"{name}@{LENGTH}" for name in MEASURES)


def spacing_figure(scales: ScaleLike | Sequence[ScaleLike] = SCALES) -> SpacingFigure:
    """Draw how measures order and space all rankings of a length.

    Their equally spaced ranks are drawn next to them. A bar marks the largest gap between neighbouring values, with its
    share of the range from 0 to the highest value.

    Parameters
    ----------
    scales : Scale, str or several
        Scales of one length and levels, as `rs.scale("AP@4")` returns them.

    Returns
    -------
    SpacingFigure
        A line of rankings for each scale.

    Raises
    ------
    ParameterError
        If scales differ in length or grades, or there are more rankings than can be shown one by one.

    Command line
    ------------
        rankscale figure spacing -o spacing.pdf
        rankscale figure spacing -m P -m AP -o spacing.svg
        rankscale figure spacing -m nDCG -m ERR --length 3 --levels 0,1,2 -o graded.svg --width 84mm
    """
    shown = over_all_rankings(scales)
    shapes = {(scale.depth, scale.levels) for scale in shown}
    if len(shapes) != 1 or len(shown) > MOST_MEASURES:
        raise ParameterError(
            f"a figure shows the rankings of one length and of the same grades, by up to {MOST_MEASURES} measures"
        )
    ((length, levels),) = shapes
    if len(levels) ** length > MOST_RANKINGS:
        raise ParameterError(
            f"there are {len(levels) ** length} rankings of length {length}; up to {MOST_RANKINGS} are shown one by "
            "one, and the figure 'values' shows more"
        )
    rankings = list(product(levels, repeat=length))
    names = measure_labels([scale.measure for scale in shown])
    cells = [cell for scale in shown for cell in _placed(scale, rankings, names)]
    values = Table.of(("measure", "value", "rank", "even", "rankings"), cells)
    facts = Table.of(("measure", "values", "ratio", *GAP), [_facts(scale, names) for scale in shown])
    return SpacingFigure(length, len(rankings), values, facts)


def _facts(scale: Scale, names: Mapping[str, str]) -> tuple[Cell, ...]:
    """The measure, its number of values, the ratio of gaps, the largest gap with its share, what lies above."""
    name, spacing = names[str(scale.measure)], scale.spacing
    if spacing is None:
        return name, scale.size, 1.0, None, None, None, None
    gap = spacing.unused
    return name, scale.size, spacing.ratio, gap.lower, gap.upper, gap.share, gap.above


def _placed(
    scale: Scale, rankings: list[tuple[float, ...]], names: Mapping[str, str]
) -> Iterator[tuple[str, float, int, float, str]]:
    """For each distinct value, ascending: measure, value, rank, where that is if equally spaced, and rankings."""
    ranks, values = np.array(scale.ranks(rankings)), np.array(scale.values_of(rankings))
    if not np.isfinite(values).all():
        raise ParameterError(f"{scale.measure} is undefined or infinite for some rankings, which cannot be drawn")
    tied = [np.flatnonzero(ranks == rank) for rank in range(1, scale.size + 1)]
    even = np.linspace(values.min(), values.max(), len(tied))
    for rank, which in enumerate(tied, start=1):
        several = " ".join(ranking_name(rankings[place], scale.levels) for place in which)
        yield names[str(scale.measure)], float(values[which[0]]), rank, float(even[rank - 1]), several


def ranking_name(ranking: Sequence[float], levels: Sequence[float]) -> str:
    """A ranking as it is written in figures: its grades one after the other, with commas where some have two letters.

    >>> ranking_name([1, 0, 0, 1], [0, 1]), ranking_name([1, 0], [0, 1, 10])
    ('1001', '1,0')
    """
    return ("" if all(len(f"{level:g}") == 1 for level in levels) else ",").join(f"{grade:g}" for grade in ranking)


COMMAND = Declaration(spacing_figure, source="scales", measures=MEASURES, lengths=(LENGTH,))
