"""The effort/gain plot in sixteen quadrants: its rows, columns and areas, and the points of one measure of gain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import UnknownNameError
from rankscale.measures.base.measure import Measure

EFFORTS = ("huge", "high", "medium", "low")  # columns, by rising Twist
EFFORT_CUTS = np.array([0.25, 0.5, 0.75])  # a value on a cut belongs to the column of less effort
GAINS = ("low", "medium", "high", "huge")  # rows, by rising gain; a value on a cut belongs to the row of less gain
SIDE = range(4)

AREAS: Mapping[str, tuple[str, tuple[tuple[int, int], ...]]] = {  # what each holds, and its quadrants (row, column)
    "diagonal": ("gain and effort agree", tuple((place, place) for place in SIDE)),
    "high-high": ("high or huge gain at high or huge effort", ((2, 0), (2, 1), (3, 0), (3, 1))),
    "gray": ("medium gain at huge effort, huge gain at medium effort", ((1, 0), (3, 2))),
    "below": ("less gain than others of such effort", ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))),
    "top": ("huge gain at medium or low effort", ((3, 2), (3, 3))),
}
PARTS = tuple(name for name in AREAS if name != "top")  # which share all quadrants among them
HUGE_GAIN = GAINS.index("huge")


def quadrant_name(row: int, column: int) -> str:
    """A quadrant in words.

    >>> quadrant_name(3, 0)
    'huge gain at huge effort'
    """
    return f"{GAINS[row]} gain at {EFFORTS[column]} effort"


QUADRANTS = {quadrant_name(row, column): (row, column) for row in reversed(SIDE) for column in SIDE}


@dataclass(frozen=True, eq=False)
class Plot:
    """The points of one measure of gain: one for each run and topic where gain and effort are defined."""

    measure: Measure
    run: Ints  # (point,), by row of the evaluation
    topic: Ints  # (point,)
    effort: Floats  # (point,), Twist: the lower, the more effort
    gain: Floats  # (point,)
    cuts: Floats  # (3,), quartiles of the gain
    left_out: int  # rankings where gain or effort is undefined

    @property
    def column(self) -> Ints:
        """(point,): 0 for huge effort, 3 for low."""
        return np.searchsorted(EFFORT_CUTS, self.effort, side="right")

    @property
    def row(self) -> Ints:
        """(point,): 0 for low gain, 3 for huge."""
        return np.searchsorted(self.cuts, self.gain, side="left")

    @property
    def counts(self) -> Ints:
        """(row, column): points in each quadrant."""
        places: Ints = self.row * len(SIDE) + self.column
        return np.bincount(places, minlength=16).reshape(4, 4)

    def within(self, quadrants: Sequence[tuple[int, int]]) -> Bools:
        """(point,): whether a point lies in one of these quadrants."""
        inside = np.zeros((4, 4), dtype=bool)
        inside[tuple(np.array(quadrants).T)] = True
        chosen: Bools = inside[self.row, self.column]
        return chosen


def checked_area(area: str) -> str:
    """The name of an area or quadrant; any other is refused."""
    if area not in {*AREAS, *QUADRANTS}:
        raise UnknownNameError(
            "area",
            area,
            [*AREAS, *QUADRANTS],
            f"areas are {', '.join(AREAS)}, quadrants 'huge gain at low effort' etc.",
        )
    return area


def area_of(row: int, column: int) -> str:
    """The area that a quadrant is a part of."""
    return next(name for name in PARTS if (row, column) in AREAS[name][1])


def quadrants_of(area: str) -> Sequence[tuple[int, int]]:
    """The quadrants of an area, or the one of this name."""
    return AREAS[area][1] if area in AREAS else (QUADRANTS[area],)
