"""Rank-biased overlap in full, which what is computed of many rankings is checked against.

It says how far two rankings, of unequal length or not, hold the same documents down to each depth.

With ties in either of them, by one of three rules (Corsi and Urbano, SIGIR 2024):

- `w`: tied documents share the first of their ranks, as in sports (Webber, Moffat and Zobel, TOIS 28(4), 2010);
- `a`: their order is unknown: the mean over all orders;
- `b`: as `a`, corrected for ties: the overlap of a ranking with itself is 1.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError

RboTies = Literal["w", "a", "b"]
RankedSets = Sequence[str | Collection[str]]


@dataclass(frozen=True)
class RBO:
    """Rank-biased overlap of two rankings, with bounds over all continuations below their ends."""

    extrapolated: float  # supposing that they go on to agree as they do so far
    lower: float  # nothing below is shared
    upper: float  # all that may be shared is

    @property
    def residual(self) -> float:
        """The width of the bounds."""
        return self.upper - self.lower


def rbo(first: RankedSets, second: RankedSets, p: float = 0.9, ties: RboTies = "a") -> RBO:
    """Overlap of two rankings, best first; tied documents stand in a set, list or tuple.

    `p` is how likely a reader is to go on from each rank. The overlaps of these are 1/1, 1/2 and 3/3:

    >>> result = rbo(["a", "b", "c"], ["a", "c", "b"], p=0.5)
    >>> result.extrapolated  # 1/2 * 1 + 1/4 * 1/2 + 1/8 * 1 + 1/8 * 1, as all that follow are taken to be
    0.875
    >>> print(f"{result.lower:.4f} to {result.upper:.4f}")
    0.8294 to 0.8750
    """
    codes: dict[str, int] = {}
    return _overlap(_placed(_coded(first, codes), p), _placed(_coded(second, codes), p), p, ties)


def rbo_of_values(x: Floats, y: Floats, p: float = 0.9, ties: RboTies = "a") -> RBO:
    """Overlap of two orders of the same items by their values, greatest first; equal values are ties, NaN is left out.

    >>> rbo_of_values(np.array([0.3, 0.2, 0.1]), np.array([0.3, 0.1, 0.2]), p=0.5).extrapolated
    0.875
    """
    return _overlap(_placed(_grouped(x), p), _placed(_grouped(y), p), p, ties)


@dataclass(frozen=True)
class _Placed:
    """A ranking: its documents in order, with the first and last rank of the tie that each stands in, from 0."""

    documents: Ints
    top: Ints
    bottom: Ints

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True)
class _Counted:
    """The documents of a ranking at each depth: those wholly within it, and those whose tie reaches beyond."""

    whole_from: Ints  # (document,): the depth, from 0, at which it is within
    part_from: Ints  # (document,): and from where on a part of its tie is
    part: Floats  # (depth,): how much of the tie at that depth is within


def _coded(ranking: RankedSets, codes: dict[str, int]) -> list[list[int]]:
    if isinstance(ranking, str):
        raise ParameterError("RBO: a ranking is a list of documents, or of groups of tied ones, got a single text")
    groups = ([group] if isinstance(group, str) else list(group) for group in ranking)
    return [[codes.setdefault(document, len(codes)) for document in group] for group in groups if group]


def _grouped(values: Floats) -> list[Ints]:
    """Places of the values, greatest first, those that are equal together."""
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(-values[defined], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1) if len(order) else []


def _placed(groups: Sequence[Iterable[int]], p: float) -> _Placed:
    if not 0 < p < 1:
        raise ParameterError(f"RBO: p must lie strictly between 0 and 1, got {p}")
    listed = [np.asarray(group, dtype=np.int64) for group in groups]
    if not listed:
        raise ParameterError("RBO: both rankings need a document or more, got an empty one")
    documents, sizes = np.concatenate(listed), np.array([len(group) for group in listed])
    if len(np.unique(documents)) < len(documents):
        raise ParameterError(f"RBO: a document stands once in a ranking, got {len(documents)} entries with repeats")
    bottoms = np.cumsum(sizes) - 1
    return _Placed(documents, np.repeat(bottoms - sizes + 1, sizes), np.repeat(bottoms, sizes))


def _overlap(first: _Placed, second: _Placed, p: float, ties: RboTies) -> RBO:
    """Agreement by depth in three parts: both rankings seen, the longer alone, none."""
    if ties not in ("w", "a", "b"):
        raise ParameterError(
            f"RBO: ties must be 'w' (equal ranks), 'a' (mean over orders) or 'b' (corrected): {ties!r}"
        )
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    shorter, depths = len(short), len(long)
    depth = np.arange(1, depths + 1)
    of_short, of_long = (_counted(ranking, depths, ties) for ranking in (short, long))
    _, in_short, in_long = np.intersect1d(short.documents, long.documents, assume_unique=True, return_indices=True)
    shared = _shared(of_short, of_long, in_short, in_long)
    size = _size(of_short, of_long, shorter, ties)

    alone = np.setdiff1d(np.arange(depths), in_long)  # documents of the longer alone, in its order
    beyond = np.maximum(depth - shorter, 0)  # unseen ranks of the shorter
    most = _within(of_long, alone, np.maximum(shorter + np.arange(len(alone)), 0))
    agreed = float((shared / size)[shorter - 1])
    likely = beyond * agreed * _mean_within(of_long, alone)
    seen = float(shared[-1])

    weight = (1 - p) * p ** (depth - 1.0)
    lower, upper, extrapolated = (
        float((weight * (shared + more) / size).sum()) for more in (0.0, np.where(beyond > 0, most, 0.0), likely)
    )
    return RBO(
        extrapolated=extrapolated + (seen + (depths - shorter) * agreed) / depths * p**depths,
        lower=lower + _no_more_shared(seen, depths, p),
        upper=upper + _all_shared(seen, shorter, depths, p),
    )


def _counted(ranking: _Placed, depths: int, ties: RboTies) -> _Counted:
    part = np.zeros(depths)
    if ties == "w":
        return _Counted(ranking.top, ranking.top, part)
    ranks = np.arange(len(ranking))
    part[: len(ranking)] = (ranks - ranking.top + 1) / (ranking.bottom - ranking.top + 1)
    return _Counted(ranking.bottom, ranking.top, part)


def _at(starts: Ints, ends: Ints, depths: int) -> Ints:
    """(depth,): how many spans from a start up to, not with, an end hold each depth."""
    real = starts < ends
    opened, closed = (np.bincount(np.minimum(side[real], depths), minlength=depths + 1) for side in (starts, ends))
    return np.cumsum(opened - closed)[:depths]


def _shared(short: _Counted, long: _Counted, in_short: Ints, in_long: Ints) -> Floats:
    """(depth,): documents that both hold, those in a tie that reaches beyond by how likely they are within."""
    depths = len(long.part)
    whole_s, part_s = short.whole_from[in_short], short.part_from[in_short]
    whole_l, part_l = long.whole_from[in_long], long.part_from[in_long]
    end = np.full(len(in_short), depths)
    return (
        _at(np.maximum(whole_s, whole_l), end, depths)
        + short.part * _at(np.maximum(part_s, whole_l), whole_s, depths)
        + long.part * _at(np.maximum(whole_s, part_l), whole_l, depths)
        + short.part * long.part * _at(np.maximum(part_s, part_l), np.minimum(whole_s, whole_l), depths)
    )


def _within(counted: _Counted, chosen: Ints, since: Ints) -> Floats:
    """(depth,): how much of some documents is within, each of them counted from a depth on."""
    depths = len(counted.part)
    whole, part = (np.maximum(side[chosen], since) for side in (counted.whole_from, counted.part_from))
    return _at(whole, np.full(len(chosen), depths), depths) + counted.part * _at(
        part, counted.whole_from[chosen], depths
    )


def _mean_within(counted: _Counted, chosen: Ints) -> Floats:
    """(depth,): the mean, over those documents that are within at all, of how much they are."""
    depths, nowhere = len(counted.part), np.zeros(len(chosen), dtype=np.int64)
    any_part = _at(counted.part_from[chosen], np.full(len(chosen), depths), depths)
    return _within(counted, chosen, nowhere) / np.maximum(any_part, 1)


def _size(short: _Counted, long: _Counted, shorter: int, ties: RboTies) -> Floats:
    """(depth,): what the overlap would be if the rankings agreed; below its end the shorter has no ties."""
    depths = len(long.part)
    depth = np.arange(1.0, depths + 1)
    if ties == "a":
        return depth
    size_s, size_l = (_squares(counted, depths) for counted in (short, long))
    size_s[shorter:] = depth[shorter:]
    return (size_s + size_l) / 2 if ties == "w" else np.sqrt(size_s * size_l)


def _squares(counted: _Counted, depths: int) -> Floats:
    """(depth,): the sum of squares of how much each document is within; with equal ranks, their number."""
    end = np.full(len(counted.whole_from), depths)
    whole, part = _at(counted.whole_from, end, depths), _at(counted.part_from, counted.whole_from, depths)
    return whole + counted.part**2 * part


def _no_more_shared(seen: float, depths: int, p: float) -> float:
    """The sum below both ends when the overlap stays what it is: seen * sum of p^d/d, the tail of a logarithm."""
    depth = np.arange(1, depths + 1)
    return (1 - p) / p * seen * float(-np.log1p(-p) - (p**depth / depth).sum())


def _all_shared(seen: float, shorter: int, depths: int, p: float) -> float:
    """The sum below both ends when each new document is one that the other ranking has, until they agree wholly."""
    whole = round(depths + shorter - seen)  # the depth at which each has all documents of the other
    depth = np.arange(depths + 1, whole + 1)
    growing = float(((2 * depth - depths - shorter + seen) / depth * p ** (depth - 1.0)).sum())
    return (1 - p) * growing + p**whole
