"""Names in drawings: labels that always differ, however little room there is, where they stand, and legends of them.

Long names of runs are shown without what they share, or cut in the middle. Data keep the whole names; what is shown of
them is looked up when a figure is drawn, since it depends on the room. Labels that would overlap are moved apart along
an axis; beside the marks of a scatter plot they stand where they cover no other name, and few marks.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product, takewhile

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.look import DASHES, NAMED, SHAPES, Appearance
from rankscale.figures.base.vega import by_kind, layer, mark_spec, nominal, plot
from rankscale.measures.base.measure import OF, Measure

CUT = "…"
PARTS = re.compile(r"[^-_./: ]*[-_./: ]*")  # parts of a name, each with the separators after it
SEPARATORS = "-_./: "
LEAST = 4.0  # heights of type: labels get this much, since less would tell nothing
NARROW, WIDE = set("fijlrtI.,:;|!'()[]- "), set("mwMW@%…")
Name = dict[str, str | float]  # a row of what is drawn: the name, its place, and the ends of the line to its mark

SMALLER = 0.9  # type of names, against that of axes
LONGEST = 9.0  # of a name, in heights of its type
DISTANCES = (0.5, 1.2, 2.2, 3.5)  # heights of a name from its mark
DIRECTIONS = ((1, 0), (-1, 0), (-1, 1), (1, -1), (0, 1), (0, -1), (1, 1), (-1, -1))
ALONG = np.linspace(0, 1, 9)[:, None]  # points of a line that are looked at
COVERED = 2  # marks, from which a name is better left out
MARK = 3.0  # points: half the size of a mark

LABEL = 2.6  # heights of type that the label of a number takes along an axis
LONGEST_NAME = 14.0  # heights of type that a name in a legend may be wide
SIGN = 4.5  # the same of the sign beside it, with the room around
LONGEST_TEXT = 30  # letters of what a sign stands for; longer names are cut where they do not fit


def short_labels(names: Iterable[str], room: float) -> dict[str, str]:
    """What is shown of names, by name; no two labels are alike.

    Where all names fit, they are shown as they are. Else what all of them begin and end with is left out, by whole
    parts between - _ . / : and blanks, and what is still too long is cut in the middle, or where names differ.

    Parameters
    ----------
    names : iterable of str
        Names, of runs or topics.
    room : float
        Room for a label, in heights of type.

    Examples
    --------
    >>> list(short_labels(["msmarco-distilbert-base-dot", "msmarco-distilbert-large-dot"], 12).values())
    ['…base', '…large']
    >>> list(short_labels(["bm25", "the-run-of-a-long-name-1", "the-run-of-a-long-name-2"], 7).values())
    ['bm25', 'the-r…name-1', 'the-r…name-2']
    """
    unique = list(dict.fromkeys(names))
    if all(width_of(name) <= room for name in unique):
        return {name: name for name in unique}
    fitted = _fitted(_without_shared(unique), max(room, LEAST))
    labels: dict[str, str] = {}
    for name, label in zip(unique, fitted, strict=True):
        # Numbers are the last resort: names that are alike but for what no label has room for.
        tries = (label, *(f"{label}{CUT}{number}" for number in range(2, len(unique) + 2)))
        labels[name] = next(one for one in tries if one not in labels.values())
    return labels


def _without_shared(names: Sequence[str]) -> list[str]:
    """Names without the parts that all of them begin and end with; of each name one part is left at least."""
    split = [[part for part in PARTS.findall(name) if part] or [name] for name in names]
    most = min(map(len, split)) - 1
    head = min(most, _alike(split))
    tail = min(most - head, _alike([parts[::-1] for parts in split]))
    if not head and not tail:
        return list(names)
    kept = ["".join(parts[head : len(parts) - tail]) for parts in split]
    if head:
        return [f"{CUT}{rest.rstrip(SEPARATORS) if tail else rest}" for rest in kept]
    return [f"{rest.rstrip(SEPARATORS)}{CUT}" for rest in kept]


def _alike(split: Sequence[Sequence[str]]) -> int:
    """How many parts are the same in all lists, from the first on; none where there is one list only."""
    same = takewhile(lambda parts: len(set(parts)) == 1, zip(*split, strict=False))
    return len(list(same)) if len(split) > 1 else 0


def _fitted(names: Sequence[str], room: float) -> list[str]:
    """Names that fit: whole, or cut in the middle; those that would look the same are cut elsewhere."""
    labels = [_cut(name, room) for name in names]
    alike: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        alike.setdefault(label, []).append(place)
    for places in alike.values():
        if len(places) > 1:
            for place, label in zip(places, _told_apart([names[place] for place in places], room), strict=True):
                labels[place] = label
    return labels


def _told_apart(names: Sequence[str], room: float) -> list[str]:
    """Labels of names whose beginnings and ends are alike: cut nearer to one end, or from where they differ on."""
    for share in (0.7, 0.3, 0.85, 0.15):
        labels = [_cut(name, room, share) for name in names]
        if len(set(labels)) == len(names):
            return labels
    same = len(list(takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))))
    return [_cut(CUT + name[max(0, same - 1) :].lstrip(CUT), room, 0.8) for name in names]


def _cut(name: str, room: float, share: float = 0.5) -> str:
    """A name that fits: whole, or its beginning and its end; the beginning gets a share of the letters.

    >>> _cut("a-system", 9), _cut("a-system-with-a-long-name", 8)
    ('a-system', 'a-syst…g-name')
    """
    if width_of(name) <= room:
        return name
    for letters in range(len(name) - 1, 1, -1):
        tail = max(1, round((1 - share) * letters))
        label = f"{name[: letters - tail]}{CUT}{name[len(name) - tail :]}"
        if width_of(label) <= room:
            return label
    return f"{name[:1]}{CUT}{name[-1:]}"


def width_of(name: str) -> float:
    """About how wide a name is, in heights of letters; rather too wide than too narrow."""
    return sum(_width(letter) for letter in name)


def _width(letter: str) -> float:
    if letter in NARROW:
        return 0.36
    if letter in WIDE or ord(letter) > 0x2FF:
        return 1.0
    return 0.75 if letter.isupper() else 0.57


def label_axis(labels: Mapping[str, str]) -> Spec:
    """Options of an axis or a legend of names that show labels; no limit, which would cut them at the end.

    >>> label_axis({"a": "a"})
    {'labelLimit': 0}
    >>> label_axis({"a": "a", "bcd": "b…"})["labelExpr"]
    '({"bcd": "b…"})[datum.value] || datum.label'
    """
    changed = {name: label for name, label in labels.items() if name != label}
    texts = json.dumps(changed, ensure_ascii=False)
    return {"labelLimit": 0, **({"labelExpr": f"({texts})[datum.value] || datum.label"} if changed else {})}


def with_labels(field: str, labels: Mapping[str, str], name: str = "label") -> list[Spec]:
    """Transforms that add the label of the name in a field to each row."""
    rows = [{field: one, name: label} for one, label in labels.items()]
    return [{"lookup": field, "from": {"data": {"values": rows}, "key": field, "fields": [name]}}]


def measure_labels(measures: Sequence[Measure]) -> dict[str, str]:
    """Names of measures that stand side by side, by canonical name: with all parameters in which some differ.

    >>> from rankscale.measures.base.parser import parse
    >>> list(measure_labels([parse("AP"), parse("RBP"), parse("RBP(p=0.5)")]).values())
    ['AP', 'RBP(p=0.8)', 'RBP(p=0.5)']
    """
    varied: dict[type[Measure], set[str]] = {}
    values: dict[tuple[type[Measure], str], object] = {}
    for measure in _with_inner(measures):
        for parameter in fields(measure):
            value = getattr(measure, parameter.name)
            if values.setdefault((type(measure), parameter.name), value) != value:
                varied.setdefault(type(measure), set()).add(parameter.name)
    return {str(measure): _written(measure, varied) for measure in measures}


def _with_inner(measures: Iterable[Measure]) -> Iterable[Measure]:
    """Measures, and those that they are made of."""
    for measure in measures:
        yield measure
        if isinstance(inner := getattr(measure, OF, None), Measure):
            yield from _with_inner([inner])


def _written(measure: Measure, varied: Mapping[type[Measure], set[str]]) -> str:
    inner = getattr(measure, OF, None)
    of = _written(inner, varied) if isinstance(inner, Measure) else ""
    return measure.written(varied.get(type(measure), ()), of)


@dataclass(frozen=True)
class PlotArea:
    """What is known of the plot: the ends of both axes, its sides in points, and the size of type."""

    reach: Floats  # (axis, end), from left to right and from below
    sides: Floats  # (axis,)
    size: float

    def pixels(self, values: Floats) -> Floats:
        """Points from the lower left corner."""
        return (values - self.reach[:, 0]) / (self.reach[:, 1] - self.reach[:, 0]) * self.sides

    def along(self, line: Floats, count: int) -> Floats:
        """(point, axis): so many points along a line (corner, axis), equally far from each other as it is seen."""
        pixels = self.pixels(line)
        far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(pixels, axis=0).T))])
        at = np.linspace(0, far[-1], count)
        return np.column_stack([np.interp(at, far, line[:, axis]) for axis in range(2)])

    def units(self, pixels: Floats) -> list[float]:
        """The same in units of the axes."""
        units = self.reach[:, 0] + pixels / self.sides * (self.reach[:, 1] - self.reach[:, 0])
        return [float(unit) for unit in units]


@dataclass(frozen=True)
class Box:
    """Room for a name, and the line from it to its mark."""

    lower: Floats  # left and lower side
    upper: Floats  # right and upper side
    line: Floats  # (point, axis)
    align: str

    def holds(self, points: Floats, edge: float = 0.0) -> Bools:
        """(point,): whether points lie within."""
        inside: Bools = np.all((points > self.lower - edge) & (points < self.upper + edge), axis=1)
        return inside

    def meets(self, other: "Box") -> bool:
        """Whether one covers the other, or its line."""
        apart = np.any((self.lower >= other.upper) | (other.lower >= self.upper))
        return bool(not apart or self.holds(other.line).any() or other.holds(self.line).any())


def place_names(
    names: Sequence[str], at: Floats, order: Sequence[int], most: int, panel: PlotArea, longest: float = LONGEST
) -> list[Name]:
    """Names of the marks in this order, `most` at most; those that find no room are left out.

    Labels are at most `longest` heights of type wide. Marks without a name are there to be kept clear of.
    """
    marks = panel.pixels(at)
    labels = short_labels(names, longest)
    taken: dict[int, Box] = {}
    for place in order:
        if len(taken) < most:
            box = _free(labels[names[place]], marks[place], marks, list(taken.values()), panel)
            taken |= {} if box is None else {place: box}
    return [_name(labels[names[place]], box, panel) for place, box in taken.items()]


def _free(name: str, mark: Floats, marks: Floats, taken: list[Box], panel: PlotArea) -> Box | None:
    size = np.array([width_of(name), 1.2]) * SMALLER * panel.size
    best, fewest = None, float(COVERED)
    for far, direction in product(DISTANCES, DIRECTIONS):
        box = _box(mark, size, far, direction)
        if (box.lower < 0).any() or (box.upper > panel.sides).any() or any(box.meets(other) for other in taken):
            continue
        covered = int(box.holds(marks, MARK).sum()) + far / 10
        if covered < fewest:
            best, fewest = box, covered
        if covered < 1:
            break  # nothing is nearer and covers less
    return best


def _box(mark: Floats, size: Floats, far: float, direction: tuple[int, int]) -> Box:
    middle = mark + np.array(direction) * (size / 2 + far * size[1])
    lower, upper = middle - size / 2, middle + size / 2
    near = np.clip(mark, lower, upper)
    end = mark if np.hypot(*(mark - near)) > size[1] else near  # what is close needs no line
    return Box(lower, upper, near + ALONG * (end - near), {-1: "right", 0: "center", 1: "left"}[direction[0]])


def _name(name: str, box: Box, panel: PlotArea) -> Name:
    """A name, with where it stands and where the line to its mark goes, in units of the axes."""
    middle = (box.lower + box.upper) / 2
    x = {"left": box.lower[0], "center": middle[0], "right": box.upper[0]}[box.align]
    corners = {"": np.array([x, middle[1]]), "from_": box.line[0], "to_": box.line[-1]}
    values: Name = {"name": name, "align": box.align}
    for word, pixels in corners.items():
        values |= zip((f"{word}x", f"{word}y"), panel.units(pixels), strict=True)
    return values


def named_marks(names: Sequence[Name], x: Spec, y: Spec, space: Space) -> list[Spec]:
    """Names, and thin lines from them to their marks."""
    rule = mark_spec("rule", color=space.look.grey, strokeWidth=0.4)
    text = mark_spec("text", baseline="middle", color=space.look.ink, fontSize=SMALLER * space.look.font_size)
    near = {"x": {**x, "field": "from_x"}, "y": {**y, "field": "from_y"}}
    at = {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": nominal("name")}
    return [
        layer(rule, names, **near, x2="to_x", y2="to_y"),
        layer({**text, "align": {"expr": "datum.align"}}, names, **at),
    ]


def apart(places: Sequence[float], step: float, lowest: float, highest: float) -> list[float]:
    """Rising places moved as little as makes each stand a step above the one before, within limits where they can.

    >>> apart([0.0, 0.5, 4.0], 1, -0.5, 5)
    [-0.25, 0.75, 4.0]
    """
    moved: list[float] = spread(np.array(places), np.full(len(places), step)).tolist()
    floor = lowest
    for place, at in enumerate(moved):
        moved[place] = max(at, floor)
        floor = moved[place] + step
    ceiling = highest
    for place in range(len(moved) - 1, -1, -1):
        moved[place] = min(moved[place], ceiling)
        ceiling = moved[place] - step
    return moved


def spread(wanted: Floats, rooms: Floats) -> Floats:
    """The nearest places to those wanted, in their order, that leave room for each: squared distances are least."""
    offsets = np.concatenate([[0], np.cumsum((rooms[1:] + rooms[:-1]) / 2)])
    pools: list[tuple[float, int]] = []  # neighbours that move together: their mean, and how many they are
    for target in (wanted - offsets).tolist():
        mean, count = target, 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, count = (mean * count + before * number) / (count + number), count + number
        pools.append((mean, count))
    apart: Floats = np.repeat([mean for mean, _ in pools], [count for _, count in pools]) + offsets
    return apart


def line_legend(names: Sequence[str], space: Space) -> dict[str, object]:
    """A legend under the plot, in as many columns as fit; long names are cut so that they still differ."""
    size = space.look.font_size
    labels = short_labels(names, min(LONGEST_NAME, space.width / size - SIGN))
    column = (max(map(width_of, labels.values()), default=1) + SIGN) * size
    return {
        "orient": "bottom",
        "columns": max(1, min(len(names), int(space.width / column))),
        "title": None,
        "symbolSize": 20 * size,
        **label_axis(labels),
    }


def run_styles(names: Sequence[str], space: Space, legend: Spec | None = None, ideal: str = "") -> dict[str, Spec]:
    """Channels color and strokeDash of runs, with one legend if any."""
    look = space.look
    colours = [look.ink if name == ideal else look.colours[place % NAMED] for place, name in enumerate(names)]
    # Where colours come again, dashes are other ones.
    turns = [place + place // NAMED for place in range(len(names))]
    dashes = [[1, 2] if name == ideal else DASHES[turn % NAMED] for turn, name in zip(turns, names, strict=True)]
    return by_kind("run", names, legend, color=colours, strokeDash=dashes)


def line_styles(field: str, names: Sequence[str], space: Space) -> dict[str, Spec]:
    """Channels color, strokeDash and shape, with one legend: up to 49 names, no two of them alike in all."""
    turns = [place + place // NAMED for place in range(len(names))]
    colours = [space.look.colours[place % NAMED] for place in range(len(names))]
    legend = {**line_legend(names, space), "symbolSize": 8 * space.look.font_size, "symbolOpacity": 1}
    shapes, dashes = [SHAPES[turn % NAMED] for turn in turns], [list(DASHES[turn % NAMED]) for turn in turns]
    return {
        **by_kind(field, names, legend, color=colours, shape=shapes),
        **by_kind(field, names, strokeDash=dashes),  # not in the legend: dashed points would be hard to make out
    }


def far_apart(values: Sequence[float], ends: Sequence[float], width: float, *, logarithmic: bool) -> list[float]:
    """Those whose labels have room along an axis so many heights of type wide, the first one always."""
    place = math.log if logarithmic else float
    across = abs(place(ends[1]) - place(ends[0]))
    kept: list[float] = []
    for value in values:
        if all(abs(place(value) - place(other)) * width >= LABEL * across for other in kept):
            kept.append(value)
    return kept


def hollow(look: Appearance) -> Spec:
    """How a point looks through which the ground is seen."""
    return {"size": 6 * look.font_size, "fill": look.ground, "stroke": look.ink, "strokeWidth": 1.2}


@dataclass(frozen=True)
class KeySign:
    """What a line (given a dash), or a point (given a shape), stands for."""

    text: str
    colour: str
    dash: tuple[int, ...] = ()
    shape: str = "circle"
    size: float = 0.0  # of a filled point; others are hollow


def key(signs: Sequence[KeySign], space: Space) -> Spec:
    """What lines and points are, in as many columns as fit over the plots.

    A legend of Vega would stand next to the plot that it belongs to, and make all plots narrower.
    """
    size = space.look.font_size
    longest = min(LONGEST_TEXT, max(len(sign.text) for sign in signs))
    columns = max(1, min(len(signs), int(space.width / ((longest * 0.47 + 3.6) * size))))
    row, column = 1.5 * size, space.width / columns
    layers = [
        one
        for place, sign in enumerate(signs)
        for one in _entry(sign, space, place % columns * column, (place // columns + 0.5) * row, column)
    ]
    return plot(layers, space.width, round(-(-len(signs) // columns) * row), [{}])


def _entry(sign: KeySign, space: Space, x: float, y: float, width: float) -> list[Spec]:
    """One sign of a key, and what it stands for."""
    look = space.look
    line = 2.2 * look.font_size
    if sign.dash:
        rule = mark_spec("rule", strokeDash=list(sign.dash), color=sign.colour, strokeWidth=1.6)
        drawn = layer(rule, x=x, x2=x + line, y=y)
    else:
        filled = {"size": sign.size, "color": sign.colour} if sign.size else hollow(look)
        drawn = layer(mark_spec("point", filled=True, opacity=1, shape=sign.shape, **filled), x=x + line / 2, y=y)
    text = mark_spec("text", align="left", baseline="middle", limit=width - line - look.font_size)
    return [drawn, layer(text, [{"text": sign.text}], x=x + line + 0.6 * look.font_size, text="text", y=y)]
