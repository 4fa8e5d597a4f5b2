"""Small pictures beside tables in notebooks: data first, then SVG as text, which takes its colours from the page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rankscale.data.table import Cell, Table, is_empty, kind
from rankscale.outputs.names import in_html
from rankscale.outputs.screen import cut

MOST_ROWS, MOST_LINES, MOST_PANELS = 30, 8, 4
ROW, LETTER, LABEL, PANEL = 18, 6.7, 26, 150  # height of a row, width of a letter, letters of a label, width of a panel
HEAD, FOOT, GAP = 20, 18, 18
INK, WIN, LOSS = "currentColor", "#2b8a8a", "#c8553d"  # the last two differ from white and from black alike
VALUES = ("value", "pooled", "mean", "difference", "estimate", "median")  # columns that an interval can be of
DASHES = ("", "5 3", "1 3", "8 3 2 3")  # of lines, the first of which is solid


class Picture(Protocol):
    """Something to look at beside a table."""

    def svg(self) -> str:
        """The picture as SVG; empty where there is nothing to see."""


@dataclass(frozen=True)
class DotColumn:
    """One column of a picture of dots.

    Attributes
    ----------
    title : str
        What the dots are.
    values : sequence of float
        One for each row; NaN where there is none.
    lower, upper : sequence of float
        Ends of the interval of each value; empty where there are none.
    lines : sequence of float
        Values at which a line is drawn from top to bottom, such as 0 for differences.
    """

    title: str
    values: Sequence[float]
    lower: Sequence[float] = ()
    upper: Sequence[float] = ()
    lines: Sequence[float] = ()


@dataclass(frozen=True)
class Dots:
    """A dot for each row, with its interval if it has one; as many panels as there are things to compare."""

    labels: Sequence[str]
    panels: Sequence[DotColumn]

    def svg(self) -> str:
        """Rows as in the table, panels side by side, each with an axis of its own."""
        count, panels = min(len(self.labels), MOST_ROWS), self.panels[:MOST_PANELS]
        if count < 2 or not panels:
            return ""
        left = _label_width(self.labels[:count])
        height = HEAD + count * ROW + FOOT
        parts = [_text(0, HEAD + (row + 0.5) * ROW + 4, cut(self.labels[row], LABEL)) for row in range(count)]
        for place, panel in enumerate(panels):
            parts += _panel(panel, count, left + place * (PANEL + GAP))
        what = f"{', '.join(panel.title for panel in panels)} of {count} rows as dots"
        return _svg(left + len(panels) * (PANEL + GAP), height, what, parts)


def _panel(panel: DotColumn, count: int, left: float) -> Iterator[str]:
    values = list(panel.values[:count])
    lower, upper = (list(ends[:count]) or values for ends in (panel.lower, panel.upper))
    axis = _Axis.over([*values, *lower, *upper, *panel.lines], left + 6, left + PANEL - 6)
    bottom = HEAD + count * ROW
    yield _text(left + 6, 12, cut(panel.title, LABEL - 4), bold=True)
    yield from axis.drawn(bottom)
    for at in panel.lines:
        yield _line(axis.at(at), HEAD, axis.at(at), bottom, dash="3 3")
    for row, (value, low, high) in enumerate(zip(values, lower, upper, strict=True)):
        y = HEAD + (row + 0.5) * ROW
        if math.isfinite(low) and math.isfinite(high) and low < high:
            yield _line(axis.at(low), y, axis.at(high), y, width=2.5, opacity=0.45)
        if math.isfinite(value):
            yield f'<circle cx="{axis.at(value):.1f}" cy="{y:.1f}" r="3.6" fill="{INK}"/>'


@dataclass(frozen=True)
class Bars:
    """A bar for each value, sorted as they come: to the left where something is lost, to the right where it is won."""

    title: str
    values: Sequence[float]
    labels: Sequence[str]  # of the first and of the last bar at least: what is read out
    low_is_good: bool = False

    def svg(self) -> str:
        """Upright bars on both sides of a line at 0, the largest loss first."""
        known = [value for value in self.values if math.isfinite(value)]
        if not known:
            return ""
        largest = max(map(abs, known)) or 1.0
        width, height = max(220.0, min(14.0 * len(known), 560.0)), 120.0
        step, middle = width / len(known), HEAD + height / 2
        parts = [_text(0, 12, self.title, bold=True), _line(0, middle, width, middle, opacity=0.5)]
        for place, value in enumerate(known):
            long = abs(value) / largest * height / 2
            top = middle - long if value > 0 else middle
            colour = WIN if (value > 0) != self.low_is_good else LOSS
            parts.append(
                f'<rect x="{place * step + step * 0.1:.1f}" y="{top:.1f}" width="{max(step * 0.8, 0.5):.1f}" '
                f'height="{long:.1f}" fill="{colour}"/>'
            )
        parts.append(_text(width + 6, HEAD + 4, f"{largest:+.3g}"))
        parts.append(_text(width + 6, HEAD + height + 2, f"{-largest:+.3g}"))
        lost = sum((value < 0) != self.low_is_good for value in known if value)
        won = sum((value > 0) != self.low_is_good for value in known if value)
        what = f"{self.title}: {lost} lost, {won} won, of {len(known)}; the largest is {largest:.3g}"
        return _svg(width + LETTER * 0.9 * 8, HEAD + height + 8, what, parts)


@dataclass(frozen=True)
class Lines:
    """A line for each name over shared places, named at its end."""

    title: str
    names: Sequence[str]
    places: Sequence[float]  # of the points from left to right
    curves: Sequence[Sequence[float]]  # for each name as many values as there are places

    def svg(self) -> str:
        """The first few lines, dashes telling them apart; the others are counted."""
        names, curves = self.names[:MOST_LINES], [list(curve) for curve in self.curves[:MOST_LINES]]
        known = [value for curve in curves for value in curve if math.isfinite(value)]
        if not known or len(self.places) < 2:
            return ""
        width, height = 300.0, 130.0
        across = _Axis.over(self.places, 40, 40 + width)
        up = _Axis.over(known, HEAD + height, HEAD + 6)
        parts = [_text(0, 12, self.title, bold=True), *across.drawn(HEAD + height)]
        parts += [_text(36, up.at(tick) + 3, f"{tick:g}", anchor="end") for tick in up.ticks]
        ends = _apart([next((up.at(y) for y in reversed(c) if math.isfinite(y)), HEAD + height) for c in curves])
        for number, (name, curve, end) in enumerate(zip(names, curves, ends, strict=True)):
            points = zip(self.places, curve, strict=True)
            path = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in points if math.isfinite(y))
            dash = DASHES[number % len(DASHES)]
            style = f'opacity="{1.0 - 0.08 * number:.2f}"' + (f' stroke-dasharray="{dash}"' if dash else "")
            parts.append(f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.6" {style}/>')
            parts.append(_text(46 + width, end + 3, cut(name, LABEL)))
        others = len(self.names) - len(names)
        if others > 0:
            parts.append(_text(46 + width, max(ends) + ROW, f"and {others} others"))
        what = f"{self.title} of {len(self.names)} lines"
        return _svg(46 + width + _label_width(names) + 20, HEAD + height + FOOT + ROW * (others > 0), what, parts)


def _apart(ends: Sequence[float]) -> list[float]:
    """Where labels stand: beside the ends of lines, moved so far that none is above another."""
    order = sorted(range(len(ends)), key=lambda place: ends[place])
    placed, least = list(ends), -math.inf
    for place in order:
        placed[place] = max(ends[place], least)
        least = placed[place] + 12
    return placed


@dataclass(frozen=True)
class Ticks:
    """The places of values between the lowest and the highest, as a row of ticks: how evenly they are spaced."""

    title: str
    values: Sequence[float]

    def svg(self) -> str:
        """One tick for each value on an axis."""
        if len(self.values) < 2:
            return ""
        axis = _Axis.over(self.values, 6, 406)
        ticks = [_line(axis.at(value), HEAD, axis.at(value), HEAD + 22, opacity=0.8) for value in self.values]
        parts = [_text(6, 12, self.title, bold=True), *ticks, *axis.drawn(HEAD + 26)]
        return _svg(412, HEAD + 26 + FOOT, f"{self.title}: {len(self.values)} values", parts)


def dots_of(table: Table) -> Picture | None:
    """Dots for a table that has a value with columns `lower` and `upper`; None for others."""
    columns = {column.name: column.cells or () for column in table.shown()}
    name = next((one for one in VALUES if one in columns), None)
    if name is None or not {"lower", "upper"} <= columns.keys() or not 2 <= len(table) <= MOST_ROWS:
        return None
    wanted = (name, "lower", "upper")
    if any(kind(columns[one]) not in {int, float} for one in wanted):
        return None
    numbers = ([math.nan if is_empty(cell) else float(str(cell)) for cell in columns[one]] for one in wanted)
    before = dict(list(columns.items())[: list(columns).index(name)])  # names of rows come first
    return Dots(row_labels(before), [DotColumn(name, *numbers)])


def row_labels(columns: Mapping[str, Sequence[Cell]]) -> list[str]:
    """What tells rows apart: their texts, without columns in which all are the same."""
    texts = [cells for cells in columns.values() if kind(cells) is str and len(set(cells)) > 1]
    texts = texts or [cells for cells in columns.values() if kind(cells) is str][:1]
    rows = zip(*texts, strict=True) if texts else [("",)] * len(next(iter(columns.values()), ()))
    return [" ".join(str(cell) for cell in row if cell is not None) for row in rows]


@dataclass(frozen=True)
class _Axis:
    """Numbers as places on a page, from `start` to `end`."""

    lowest: float
    highest: float
    start: float
    end: float
    ticks: Sequence[float]

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float) -> "_Axis":
        """An axis that holds all values, with two or three round ticks."""
        known = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(known), max(known)
        if low == high:
            low, high = low - 0.5, high + 0.5
        step = _round_step((high - low) / 2.2)
        numbers = range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)
        ticks = [round(number * step, 12) for number in numbers]
        room = 0.03 * (high - low)  # so that dots at the ends are whole
        return cls(low - room, high + room, start, end, ticks)

    def at(self, value: float) -> float:
        """The place of a value."""
        return self.start + (value - self.lowest) / (self.highest - self.lowest) * (self.end - self.start)

    def drawn(self, y: float) -> Iterator[str]:
        """The axis below a plot."""
        yield _line(min(self.start, self.end), y, max(self.start, self.end), y, opacity=0.4)
        for tick in self.ticks:
            yield _line(self.at(tick), y, self.at(tick), y + 3, opacity=0.6)
            yield _text(self.at(tick), y + 14, f"{tick:g}", anchor="middle", opacity=0.85)


def _round_step(largest: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is no larger.

    >>> _round_step(0.3), _round_step(7)
    (0.2, 5.0)
    """
    power = 10.0 ** math.floor(math.log10(largest))
    return max(power * by for by in (1, 2, 5) if power * by <= largest)


def _svg(width: float, height: float, what: str, parts: Sequence[str]) -> str:
    return (
        f'<svg width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{in_html(what)}" font-size="11" font-family="inherit">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", bold: bool = False, opacity: float = 1) -> str:
    weight = ' font-weight="600"' if bold else ""
    faint = f' opacity="{opacity}"' if opacity < 1 else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}"{weight}{faint}>{in_html(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, *, width: float = 1, opacity: float = 1, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{INK}" stroke-width="{width}" '
        f'opacity="{opacity}"{dashed}/>'
    )


def _label_width(labels: Sequence[str]) -> float:
    return LETTER * min(LABEL, max(map(len, labels), default=0)) + 8
