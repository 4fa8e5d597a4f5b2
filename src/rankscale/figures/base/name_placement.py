"""Names next to the marks of a scatter plot: where they cover no other name, and few marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.labels import short_labels, width_of
from rankscale.figures.base.vega import layer, mark_spec, nominal

Name = dict[str, str | float]  # a row of what is drawn: the name, its place, and the ends of the line to its mark

SMALLER = 0.9  # type of names, against that of axes
LONGEST = 9.0  # of a name, in heights of its type
DISTANCES = (0.5, 1.2, 2.2, 3.5)  # heights of a name from its mark
DIRECTIONS = ((1, 0), (-1, 0), (-1, 1), (1, -1), (0, 1), (0, -1), (1, 1), (-1, -1))
ALONG = np.linspace(0, 1, 9)[:, None]  # points of a line that are looked at
COVERED = 2  # marks, from which a name is better left out
MARK = 3.0  # points: half the size of a mark


@dataclass(frozen=True)
class Panel:
    """What is known of the plot: the ends of both axes, its sides in points, and the size of type."""

    reach: Floats  # (axis, end), from left to right and from below
    sides: Floats  # (axis,)
    size: float

    def pixels(self, values: Floats) -> Floats:
        """Points from the lower left corner."""
        pixels: Floats = (values - self.reach[:, 0]) / (self.reach[:, 1] - self.reach[:, 0]) * self.sides
        return pixels

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
    names: Sequence[str], at: Floats, order: Sequence[int], most: int, panel: Panel, longest: float = LONGEST
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


def _free(name: str, mark: Floats, marks: Floats, taken: list[Box], panel: Panel) -> Box | None:
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


def _name(name: str, box: Box, panel: Panel) -> Name:
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
