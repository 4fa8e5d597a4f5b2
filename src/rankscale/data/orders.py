"""Orders of documents with equal scores: all of them where they are few, else some drawn at random with a seed."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError

ORDERS = 200  # drawn of each ranking unless another number is given
CELLS = 1 << 21  # entries of reordered rankings that are made at once


@dataclass(frozen=True)
class TieOrders:
    """How many orders of tied documents are drawn where no formula gives the mean over all of them, and the seed.

    Parameters
    ----------
    number
        Orders of each ranking; a ranking that has no more of them is measured in all.
    seed
        Seed of the random numbers; each ranking has random numbers of its own.

    Examples
    --------
    >>> str(TieOrders(500, seed=1))
    '500 seeded orders (seed 1)'
    """

    number: int = ORDERS
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, least in (("tie_orders", self.number, 2), ("seed", self.seed, 0)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ParameterError(f"{name} must be a whole number from {least}, got {value!r}")

    def __str__(self) -> str:
        return f"{self.number} seeded orders (seed {self.seed})"


SOME_ORDERS = TieOrders()


@dataclass(frozen=True, eq=False)
class Reordered:
    """Rankings in several orders each."""

    rankings: Judged  # one row for each order, ranking by ranking
    topics: Ints  # (topic,): places of the rankings among those given
    starts: Ints  # (topic,): the row of the first order of each
    complete: Bools  # (topic,): whether these are all its orders

    def mean(self, values: Floats) -> tuple[Floats, Floats, Bools]:
        """(topic, ...) each: means of a column of rows over the orders of each ranking, their errors, what is left out.

        Orders without a value (NaN) are left out, which the last array says where others have one; where none has a
        value there is no mean. Of all orders there is no error.
        """
        is_defined = ~np.isnan(values)
        number = np.add.reduceat(is_defined, self.starts, axis=0, dtype=np.float64)
        every = np.diff(np.append(self.starts, len(values)))
        known = np.where(is_defined, values, 0.0)
        with np.errstate(invalid="ignore"):  # infinite values have no spread, and 0/0 is no mean
            mean: Floats = np.add.reduceat(known, self.starts, axis=0) / number
            far = np.where(is_defined, known - np.repeat(mean, every, axis=0), 0.0)
            spread = np.add.reduceat(far * far, self.starts, axis=0) / np.maximum(number - 1, 1)
            error = np.where(np.isnan(mean), np.nan, np.sqrt(spread / number))
        complete = self.complete.reshape(-1, *[1] * (values.ndim - 1))
        some = (number > 0) & (number < every.reshape(complete.shape))
        return mean, np.where(complete, np.where(np.isnan(mean), np.nan, 0.0), error), some

    def extremes(self, values: Floats) -> tuple[Floats, Floats]:
        """(topic, ...) twice: the lowest and the highest of a column of rows over the orders that have a value."""
        return np.fmin.reduceat(values, self.starts, axis=0), np.fmax.reduceat(values, self.starts, axis=0)


def reordered(
    judged: Judged, orders: TieOrders, ignored: Bools, width: int = 0, *, apart: bool = False
) -> Iterator[Reordered]:
    """The rankings in several orders of their tied documents, some rankings at a time.

    Parameters
    ----------
    judged
        Rankings.
    orders
        How many orders.
    ignored
        (level,): grades whose documents are all alike; orders that differ in nothing else are one.
    width
        How many numbers will be made of each ranking, if more than it has entries.
    apart
        Whether documents of one grade differ, as they do where sub-topics are judged.

    Returns
    -------
    Iterator[Reordered]
        All rankings, in their order.
    """
    step = max(1, CELLS // (orders.number * max(1, width, judged.rank.shape[-1])))
    for start in range(0, judged.topics, step):
        topics = np.arange(start, min(start + step, judged.topics))
        differ = apart and judged.aspects is not None
        made = [_ranks(judged, topic, orders, ignored, apart=differ) for topic in topics.tolist()]
        numbers = np.array([len(ranks) for ranks, _ in made])
        owner = np.repeat(topics, numbers)
        starts = np.cumsum(numbers) - numbers
        complete = np.array([every for _, every in made], dtype=bool)
        rank = np.concatenate([ranks for ranks, _ in made])
        yield Reordered(with_ranks(judged, owner, rank), topics, starts, complete)


def with_ranks(judged: Judged, owner: Ints, rank: Ints) -> Judged:
    """Rows of `judged`, several times, each time with other ranks."""
    order = np.argsort(rank, axis=-1, kind="stable")
    moved: dict[str, Any] = {
        name: np.take_along_axis(getattr(judged, name)[owner], order, axis=-1)
        for name in ("code", "document", *([] if judged.score is None else ["score"]))
    }
    rank = np.take_along_axis(rank, order, axis=-1)
    moved |= {"length": judged.length[owner], "counts": judged.counts[owner]}
    row = None if judged.row is None else judged.row[owner]
    return replace(judged, rank=rank, first=rank, last=rank, row=row, **moved)


def _ranks(judged: Judged, topic: int, orders: TieOrders, ignored: Bools, *, apart: bool) -> tuple[Ints, bool]:
    """(order, entry): the ranks of a ranking's entries, and whether these are all orders.

    An entry may have lost its judgment since the run was read; it then only fills its row.
    """
    known = np.flatnonzero((judged.rank[topic] < BEYOND) & (judged.code[topic] >= 0))
    rank, first, last, code = (column[topic, known] for column in (judged.rank, judged.first, judged.last, judged.code))
    one_of = judged.document[topic, known] if apart else code
    kind = np.where(np.append(ignored, True)[code], -1, one_of)  # unjudged documents are alike
    starts, place = np.unique(first[first < last], return_index=True)
    sizes = (last[first < last][place] - starts + 1).tolist()
    tied = [(np.flatnonzero(first == start), start, size) for start, size in zip(starts.tolist(), sizes, strict=True)]
    if _number(kind, tied, orders.number) <= orders.number:
        ranks, complete = _every_order(rank, kind, tied), True
    else:
        ranks, complete = _drawn_orders(rank, tied, orders.number, _random(orders, rank, first, code)), False
    every = np.full((len(ranks), judged.rank.shape[-1]), BEYOND, dtype=np.int32)
    every[:, known] = ranks
    return every, complete


def _random(orders: TieOrders, *columns: Ints) -> "np.random.Generator":
    """Random numbers of a ranking's own: they depend on what it holds, not on where it stands among others."""
    content = b"".join(np.ascontiguousarray(column, dtype=np.int64).tobytes() for column in columns)
    from zlib import crc32

    return np.random.default_rng([orders.seed, crc32(content)])


GroupOrder = tuple[Ints, int, int]  # places of its entries, its first rank, its size


def _number(kind: Ints, tied: Sequence[GroupOrder], most: int) -> int:
    """How many orders differ; one above `most` may be an underestimate."""
    number = 1
    for members, _, size in tied:
        left, kinds = size, kind[members]
        for count in np.unique(kinds[kinds >= 0], return_counts=True)[1].tolist():  # documents of each that counts
            number *= math.comb(left, count)
            left -= count
            if number > most:
                return number
    return number


def _every_order(rank: Ints, kind: Ints, tied: Sequence[GroupOrder]) -> Ints:
    """(order, entry): the ranks in each order that differs from the others."""
    mixed = [(members, start, size) for members, start, size in tied if (kind[members] >= 0).any()]
    ways = [_arrangements(kind[members], size) for members, _, size in mixed]
    ranks = [rank.copy() for _ in range(math.prod(map(len, ways)))]
    for row, chosen in zip(ranks, product(*ways), strict=True):
        for (members, start, _), places in zip(mixed, chosen, strict=True):
            row[members] = start + places
    return np.stack(ranks)


def _arrangements(kind: Ints, size: int) -> list[Ints]:
    """Each way to place entries of these kinds among so many places: (entry,) places from 0.

    >>> [places.tolist() for places in _arrangements(np.array([1, -1]), 3)]
    [[0, 1], [1, 0], [2, 0]]
    """
    kinds = [np.flatnonzero(kind == one) for one in np.unique(kind[kind >= 0])]
    alike = np.flatnonzero(kind < 0)
    ways = []

    def place(number: int, left: Ints, places: Ints) -> None:
        if number == len(kinds):
            filled = places.copy()
            filled[alike] = left[: len(alike)]
            ways.append(filled)
            return
        for chosen in combinations(range(len(left)), len(kinds[number])):
            now = places.copy()
            now[kinds[number]] = left[list(chosen)]
            place(number + 1, np.delete(left, chosen), now)

    place(0, np.arange(size), np.zeros(len(kind), dtype=np.int64))
    return ways


def _drawn_orders(rank: Ints, tied: Sequence[GroupOrder], number: int, drawn: "np.random.Generator") -> Ints:
    """(order, entry): the ranks in orders drawn at random, each as likely as any other."""
    places = np.concatenate([np.arange(start, start + size) for _, start, size in tied])
    group = np.repeat(np.arange(len(tied)), [size for _, _, size in tied])
    # Sorted by random numbers within each group: the document that stood at one place moves to another.
    order = np.argsort(group + drawn.random((number, len(places))), axis=-1)
    moved = np.empty_like(order)
    np.put_along_axis(moved, order, np.arange(len(places))[None], axis=-1)
    ranks = np.repeat(rank[None], number, axis=0)
    members = np.concatenate([members for members, _, _ in tied])
    ranks[:, members] = places[moved[:, np.searchsorted(places, rank[members])]]
    return ranks
