"""Image: the distinct values of a measure over a universe of rankings, and ranks among them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints, NDArray
from rankscale.errors import ScaleError, Setting

LONGEST_WRITTEN = 10**24  # from here on, numbers are rounded in texts
LISTED = 1 << 22  # the most values that are listed one by one
AT_ONCE = 1 << 14  # whole numbers that are made floats at a time

Progress = Callable[[int, int], None]  # called with the number of steps done, and of all steps
Counts = NDArray[np.object_]  # (target, 2): how many sums are below it, and how many near it, as Python's integers


@dataclass(frozen=True)
class Provenance:
    """How ranks were obtained, and so how far they can be trusted."""

    kind: Literal["exact", "table", "floats", "certified", "estimated", "refused"]
    words: str  # the method, and what it rests on

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Cost:
    """The predicted cost of counting."""

    setup: float  # seconds
    each: float  # seconds for each distinct ranking
    memory: int  # bytes that are kept
    working: int = 0  # bytes more while it counts

    @property
    def peak(self) -> int:
        """The most bytes that it takes at a time."""
        return self.memory + self.working


@dataclass(frozen=True)
class Limits:
    """The documents of a feasible universe: the most that a ranking can hold of each kind.

    A kind is a set of gains that share a supply of documents.
    """

    kinds: tuple[int, ...]  # for each gain, its kind, from 0; -1 where documents are unlimited
    most: tuple[int, ...]  # for each kind

    def allow(self, taken: tuple[int, ...]) -> bool:
        """Whether there are documents enough for a ranking that takes so many of each kind."""
        return all(n <= most for n, most in zip(taken, self.most, strict=True))


@dataclass(frozen=True)
class Universe:
    """A set of rankings: all of a length with these gains, or the feasible ones within limits."""

    gains: tuple[Fraction, ...]  # distinct, ascending; rankings are given as places in it
    depth: int
    limits: Limits | None = None

    @property
    def most(self) -> tuple[int, ...]:
        """The most documents of each kind; none without limits."""
        return self.limits.most if self.limits else ()

    def check(self, rankings: Ints) -> None:
        """Raise ScaleError if a ranking takes more documents of a kind than there are."""
        for kind, most in enumerate(self.most):
            own = np.array(self.kinds) == kind
            taken = int(own[rankings].sum(axis=-1).max(initial=0))
            if taken > most:
                gains = ", ".join(str(gain) for gain, belongs in zip(self.gains, own, strict=True) if belongs)
                raise ScaleError(
                    f"a ranking has {taken} documents with a gain of {gains}, where there are {most}: "
                    "it is not in this universe; use ",
                    Setting("universe", "all"),
                )

    @property
    def kinds(self) -> tuple[int, ...]:
        """For each gain, its kind; -1 where documents are unlimited."""
        return self.limits.kinds if self.limits else (-1,) * len(self.gains)


class Image(ABC):
    """The distinct values of a measure over a universe; a ranking's rank is how many of them do not exceed its own.

    Rankings come as an array (ranking, rank) of places in the universe's gains, all of the universe's depth.
    """

    universe: Universe
    size: int  # how many distinct values there are
    listing: int = 40  # bytes of each value where all are listed and their gaps are looked at
    adds_gains: ClassVar[bool] = True  # whether values add gains up, rather than only compare them
    provenance: Provenance

    @abstractmethod
    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """The exact rank of each ranking, from 1."""

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:  # noqa: ARG002
        """For each ranking, how many rankings of the universe have a lower value, and how many the same."""
        raise ScaleError(f"rankings below another cannot be counted here ({self.provenance})")

    @abstractmethod
    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` distinct values, both ascending (all of them where there are fewer)."""

    def values(self) -> Floats:
        """All distinct values, ascending; only where there are few enough to list."""
        self.refuse_to_list()
        return self.ends(self.size)[0]

    def refuse_to_list(self) -> None:
        """Raise ScaleError where there are too many values to list."""
        if self.size > LISTED:
            raise ScaleError(f"there are {self.size:,} distinct values, too many to list")


class ListedValues(Image):
    """An image with all its values at hand."""

    _values: Floats  # ascending
    _cumulated: Sequence[int] | Ints  # numbers of rankings that have one of the first 0, 1, 2, ... values

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` distinct values, both ascending (all of them where there are fewer)."""
        return self._values[:count], self._values[max(self.size - count, 0) :]

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """For each ranking, how many rankings of the universe have a lower value, and how many the same."""
        sums = self._cumulated
        pairs = ((int(sums[rank - 1]), int(sums[rank])) for rank in self.ranks(rankings))
        return [(below, reached - below) for below, reached in pairs]


class RefusedImage(Image):
    """An image that cannot be counted; random rankings can still be drawn from its universe."""

    def __init__(self, universe: Universe, reason: ScaleError) -> None:
        self.universe, self._reason = universe, reason
        self.provenance = Provenance("refused", f"not counted: {reason}")

    @property
    def size(self) -> int:  # type: ignore[override]
        """Raise the reason."""
        raise self._reason

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """Raise the reason."""
        raise self._reason

    def ends(self, count: int) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Raise the reason."""
        raise self._reason


def read_counts(counted: bytes) -> Counts:
    """Counts from the pairs of 128-bit integers that `_core.sums_below` returns, the lower 64 bits of each first."""
    words = np.frombuffer(counted, dtype="<u8").reshape(-1, 2, 2).astype(object)
    counts: Counts = words[:, :, 0] + (words[:, :, 1] << 64)
    return counts


def no_counts(targets: int) -> Counts:
    """Zeros, to which counts are added."""
    return np.zeros((targets, 2), dtype=object)


def quotients(numbers: Ints, denominator: int) -> Floats:
    """Numbers over a denominator, each rounded once."""
    result = np.empty(len(numbers))
    for start in range(0, len(numbers), AT_ONCE):  # as Python's numbers, whose quotients are rounded once
        result[start : start + AT_ONCE] = [number / denominator for number in numbers[start : start + AT_ONCE].tolist()]
    return result


def written_size(size: int) -> str:
    """A number of values, with thousands separators; rounded if it is very long.

    >>> written_size(805306368), written_size(2**1000)
    ('805,306,368', 'about 1.07e+301')
    """
    if size < LONGEST_WRITTEN:
        return f"{size:,}"
    exponent, rest = divmod(math.log10(size), 1)
    return f"about {10**rest:.2f}e+{exponent:.0f}"
