"""Markers for annotations, which say what a type cannot: `Annotated[int, AtLeast(1)]`, `Share`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal


@dataclass(frozen=True)
class AtLeast:
    """The smallest value of a number, and if `most` is given the largest."""

    least: int
    most: int | None = None


@dataclass(frozen=True, eq=False, repr=False)  # hashable whatever the values are kept in
class OneOf:
    """The values that a text can have, where these are listed elsewhere at run time."""

    values: Collection[str]

    def __repr__(self) -> str:
        return f"OneOf({', '.join(self.values)})"


@dataclass(frozen=True)
class Kind:
    """A kind of option value that is not clear from its type: a key of `rankscale.cli.sources.TYPES`."""

    name: str


Positive = Annotated[int, AtLeast(1)]
Seed = Annotated[int, AtLeast(0)]
Draws = int | Literal["all"]  # of topics, with replacement; all that there are
DRAWS = 1000  # unless another number is given
Share = Annotated[float, Kind("share")]  # between 0 and 1, exclusive
Grades = Annotated[Sequence[float], Kind("grades")]
