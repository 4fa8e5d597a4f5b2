"""The partial order of all rankings of a length, on which all measures agree, as a Hasse diagram."""

from dataclasses import dataclass
from itertools import pairwise, product
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration, Grades, Positive
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.labels import spread
from rankscale.figures.base.look import NAMED, TEXT_WIDTH, colour_at, hexadecimal, ink_on
from rankscale.figures.base.vega import by_kind, layer, mark_spec, nominal, plot, quantitative
from rankscale.figures.spacing import DIGIT, ranking_name

MOST_RANKINGS = 64  # more cannot be read
SWEEPS = 24  # up and down through the levels, until crossings are few
STRAIGHTENED = 80  # times that rankings move to the middle of their neighbours
LEVEL = 2.6  # heights of letters from one level to the next
WIDEST = 1.8  # boxes, from the middle of one to that of the next
CORNER = 0.6  # of the room of a ranking, for a corner of an edge
ARROW = 1.0  # boxes that the arrow at the left has room for


@dataclass(frozen=True, repr=False)
class HasseFigure(Figure):
    """Rankings, joined where one is directly below another; what is not joined by a way up cannot be compared."""

    name: ClassVar[str] = "hasse"
    ratio: ClassVar[float] = 0.8

    length: int
    levels: tuple[float, ...]
    rankings: Table  # ranking, relevant, level, x
    edges: Table  # edge, lower, upper, corner, level, x: edges that pass a level have a corner there
    comparable: int  # pairs of rankings of which one is above the other

    @property
    def title(self) -> str:
        """How many rankings, of which length."""
        grades = "" if len(self.levels) == 2 else f" with {len(self.levels)} grades"
        return f"Partial order of the {len(self.rankings)} rankings of length {self.length}{grades}"

    @property
    def description(self) -> str:
        """How many edges and levels there are, and how many pairs can be compared."""
        pairs = len(self.rankings) * (len(self.rankings) - 1) // 2
        edges = len(set(self.edges.columns["edge"]))
        height = max(int(level or 0) for level in self.rankings.columns["level"]) + 1
        return (
            f"Hasse diagram of all {len(self.rankings)} rankings of length {self.length}, on {height} levels, with "
            f"{edges} edges from a ranking to those directly above it. {self.comparable} of {pairs} pairs of rankings "
            f"can be compared, and measures agree on them; on the other {pairs - self.comparable} they need not."
        )

    def draw(self, space: Space) -> Spec:
        """Boxes on levels, the best on top; the shade of a box shows how many relevant documents it has."""
        look, size = space.look, self._type_size(space)
        box = (self._letters * DIGIT + 1.1) * size
        height = max(int(level or 0) for level in self.rankings.columns["level"]) + 1
        half = max(self._reach + ARROW, space.width / (WIDEST * box)) / 2
        x = quantitative("x", axis=None, scale={"domain": [-half, half], "nice": False})
        y = quantitative("level", axis=None, scale={"domain": [-0.4, height - 0.6], "nice": False, "zero": False})
        edges = layer(mark_spec("line", color=look.grey, strokeWidth=0.7), "edges", detail="edge", order="corner")
        layers = [edges, *self._boxes(box, size, space), *self._arrow(-half, height, space)]
        natural = round(LEVEL * look.font_size * height)
        return plot(layers, space.width, space.height if look.height else natural, x=x, y=y)

    @property
    def _letters(self) -> int:
        return max(len(str(name)) for name in self.rankings.columns["ranking"])

    @property
    def _reach(self) -> float:
        """How many boxes have room side by side."""
        return 2 * max(abs(float(x or 0)) for x in (*self.rankings.columns["x"], *self.edges.columns["x"])) + 1

    def _type_size(self, space: Space) -> float:
        """That of the look, or what lets the widest level fit."""
        room = max(space.width, space.look.width or TEXT_WIDTH) / (self._reach + ARROW)
        return min(space.look.font_size, room / (self._letters * DIGIT + 1.5))

    def _boxes(self, width: float, size: float, space: Space) -> list[Spec]:
        look, counts = space.look, sorted({int(count or 0) for count in self.rankings.columns["relevant"]})
        box = mark_spec("rect", width=width, height=1.6 * size, cornerRadius=0.3 * size, stroke=look.grey)
        in_a_row = space.width > (10 + 4 * len(counts)) * look.font_size
        legend: dict[str, object] = {"orient": "bottom", "title": "relevant documents"}
        legend |= {"titleOrient": "left" if in_a_row else "top"}
        legend |= {"direction": "horizontal", "symbolType": "square", "symbolSize": 12 * look.font_size}
        legend |= {"symbolStrokeColor": look.grey, "symbolStrokeWidth": 0.7, "symbolOpacity": 1}
        # One hue, the deeper the more relevant documents; none has the colour of the ground.
        colours = [look.ground, *look.sequence[1:4]]
        shades = [hexadecimal(colour_at(colours, count / max(1, counts[-1]))) for count in counts]
        fills = by_kind("relevant", counts, legend, fill=shades)
        deep = [count for count, shade in zip(counts, shades, strict=True) if ink_on(shade) == "#ffffff"]
        ink = {"condition": {"test": {"field": "relevant", "oneOf": deep}, "value": "#ffffff"}, "value": "#000000"}
        tooltip = [nominal(name) for name in ("ranking", "relevant")]
        text = mark_spec("text", fontSize=size, baseline="middle")
        return [
            layer({**box, "strokeWidth": 0.7}, "rankings", **fills, tooltip=tooltip),
            layer(text, "rankings", text=nominal("ranking"), color=ink, tooltip=tooltip),
        ]

    def _arrow(self, left: float, levels: int, space: Space) -> list[Spec]:
        """An arrow up the left edge, since rankings are better the higher they stand."""
        size, grey = space.look.font_size, space.look.grey
        top = [{"x": left, "level": levels - 1}]
        line = mark_spec("rule", color=grey, strokeWidth=1, aria=False, xOffset=0.5 * size, x2Offset=0.5 * size)
        head = mark_spec("point", shape="triangle-up", filled=True, opacity=1, color=grey, size=5 * size, aria=False)
        text = mark_spec("text", align="left", baseline="middle", dx=1.2 * size, aria=False, color=space.look.ink)
        return [
            layer(line, [{"x": left, "level": 0, "top": levels - 1}], y2="top"),
            layer({**head, "xOffset": 0.5 * size}, top),
            layer({**text, "text": "better"}, top),
        ]


def hasse_figure(length: Positive = 4, levels: Grades = (0, 1)) -> HasseFigure:
    """Draw the partial order of all rankings of a length.

    It says which are better than others, whatever the measure. In this Hasse diagram a ranking is below another if at
    every rank, and for every grade, it has retrieved at most as many documents of that grade or better.

    Parameters
    ----------
    length : int
        Length of rankings.
    levels : sequence of float
        Grades that documents can have.

    Returns
    -------
    HasseFigure
        The diagram.

    Raises
    ------
    ParameterError
        If there are fewer than two grades, or more rankings than a diagram shows.

    Command line
    ------------
        rankscale figure hasse -o hasse.svg
        rankscale figure hasse -o hasse.pdf --width 84mm
        rankscale figure hasse --length 3 --levels 0,1,2 -o graded.svg
    """
    grades = tuple(sorted(set(levels)))
    if length < 1 or len(grades) < 2 or not np.isfinite(grades).all():
        raise ParameterError(f"rankings have one document or more, of two grades or more; got {length}, {list(levels)}")
    if length >= NAMED or len(grades) ** length > MOST_RANKINGS:
        raise ParameterError(
            f"there are {len(grades)}^{length} rankings of length {length}; a diagram shows up to {MOST_RANKINGS}"
        )
    rankings = np.array(list(product(range(len(grades)), repeat=length)))
    below = strictly_below(rankings)
    lower, upper = covering(below).nonzero()
    level = _heights(below)
    x, paths = _laid_out(level, list(zip(lower.tolist(), upper.tolist(), strict=True)))
    names = [ranking_name([grades[place] for place in ranking], grades) for ranking in rankings]
    relevant = (np.array(grades)[rankings] > 0).sum(axis=1)
    nodes = {"ranking": names, "relevant": relevant.tolist(), "level": level.tolist(), "x": x[: len(names)].tolist()}
    corners = [
        (edge, names[path[0]], names[path[-1]], corner, int(level[path[0]]) + corner, float(x[place]))
        for edge, path in enumerate(paths)
        for corner, place in enumerate(path)
    ]
    edges = Table.of(("edge", "lower", "upper", "corner", "level", "x"), corners)
    return HasseFigure(length, grades, Table(nodes), edges, int(below.sum()))


def strictly_below(rankings: Ints) -> Bools:
    """(ranking, ranking): whether the first is below the second; rankings are given by places in the grades.

    >>> strictly_below(np.array([[0, 1], [1, 0]])).tolist()
    [[False, True], [False, False]]
    """
    reached = rankings[:, :, None] >= np.arange(1, max(2, rankings.max() + 1))  # (ranking, rank, grade)
    counts = reached.cumsum(axis=1).reshape(len(rankings), -1)
    below = np.all(counts[:, None] <= counts[None], axis=2)
    strictly: Bools = below & ~below.T
    return strictly


def covering(below: Bools) -> Bools:
    """(ranking, ranking): whether the first is below the second with nothing between them."""
    ways = below.astype(np.int64)
    directly: Bools = below & (ways @ ways == 0)
    return directly


def _heights(below: Bools) -> Ints:
    """(ranking,): how many steps the longest way down has; rankings of one height cannot be compared."""
    heights = np.zeros(len(below), dtype=np.int64)
    for _ in range(len(below)):
        raised = np.where(below, heights[:, None] + 1, 0).max(axis=0)
        if (raised == heights).all():
            break
        heights = raised
    return heights


def _laid_out(level: Ints, edges: list[tuple[int, int]]) -> tuple[Floats, list[tuple[int, ...]]]:
    """Where each ranking stands across, and places of the corners of each edge, from below, so that edges cross little.

    Edges that pass levels get a corner on each, so that they keep clear of the boxes there.
    """
    levels, paths = level.tolist(), []
    for lower, upper in edges:
        corners = range(levels[lower] + 1, levels[upper])
        paths.append((lower, *range(len(levels), len(levels) + len(corners)), upper))
        levels += corners
    steps = [step for path in paths for step in pairwise(path)]
    order = [[place for place, at in enumerate(levels) if at == height] for height in range(max(levels) + 1)]
    best, fewest = order, _crossings(order, steps, levels)
    for sweep in range(SWEEPS):
        order = _swept(order, steps, upwards=sweep % 2 == 0)
        crossings = _crossings(order, steps, levels)
        if crossings < fewest:
            best, fewest = order, crossings
    rooms = np.where(np.arange(len(levels)) < len(level), 1.0, CORNER)
    return _straightened(best, steps, rooms), paths


def _across(order: list[list[int]], count: int) -> Floats:
    """Side by side, around the middle."""
    x = np.zeros(count)
    for places in order:
        x[places] = np.arange(len(places)) - (len(places) - 1) / 2
    return x


def _straightened(order: list[list[int]], steps: list[tuple[int, int]], rooms: Floats) -> Floats:
    """Where things stand across: each near the middle of its neighbours, in the order given, with room for itself."""
    x = _across(order, len(rooms))
    ends = np.array(steps)
    neighbours = np.bincount(ends.ravel(), minlength=len(x))
    for _ in range(STRAIGHTENED):
        sums = np.bincount(ends[:, 0], x[ends[:, 1]], len(x)) + np.bincount(ends[:, 1], x[ends[:, 0]], len(x))
        wanted = (x + sums / neighbours) / 2
        for places in order:
            x[places] = spread(wanted[places], rooms[places])
    x -= (x.min() + x.max()) / 2
    return x


def _swept(order: list[list[int]], steps: list[tuple[int, int]], *, upwards: bool) -> list[list[int]]:
    """Each level ordered by the mean place of its neighbours on the level that came before it."""
    swept = [list(places) for places in order]
    x = _across(swept, sum(map(len, swept)))
    neighbours: dict[int, list[int]] = {}
    for lower, upper in steps:
        neighbours.setdefault(upper if upwards else lower, []).append(lower if upwards else upper)
    for height in range(len(swept)) if upwards else reversed(range(len(swept))):
        places = swept[height]
        means = {place: float(np.mean(x[neighbours[place]])) if place in neighbours else x[place] for place in places}
        places.sort(key=lambda place: (means[place], -x[place]))  # ties change places
        x[places] = np.arange(len(places)) - (len(places) - 1) / 2
    return swept


def _crossings(order: list[list[int]], steps: list[tuple[int, int]], levels: list[int]) -> int:
    """How often edges cross."""
    x = _across(order, len(levels))
    crossed = 0
    for height in range(len(order) - 1):
        ends = np.array([(x[lower], x[upper]) for lower, upper in steps if levels[lower] == height])
        if len(ends):
            apart = ends[:, None] - ends[None]
            crossed += int((apart[..., 0] * apart[..., 1] < 0).sum()) // 2
    return crossed


COMMAND = Declaration(hasse_figure, source="nothing", flags={"length": "-n --length"})
