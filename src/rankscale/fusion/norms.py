"""Norms: scores of several runs made comparable before they are fused.

Each norm takes the rankings of a topic and returns (run, document) numbers, NaN where a run does not retrieve the
document. Where all scores of a ranking are equal, those that divide by their spread give 0.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.errors import InputError, UnknownNameError
from rankscale.inputs.rankings import TopicLists

DEFAULT = "min-max"


@dataclass(frozen=True, eq=False)
class Normalised:
    """The numbers that are fused, and of how many rankings all scores were equal."""

    values: Floats  # (run, document); NaN where a run gives the document nothing
    constant: int = 0


def min_max(lists: TopicLists) -> Floats:
    """(s - min) / (max - min)."""
    least, most = _ends(lists.score)
    return _ratio(lists.score - least, most - least, least == most)


def by_max(lists: TopicLists) -> Floats:
    """S / max; raise InputError where the highest score is not above 0."""
    _, most = _ends(lists.score)
    for run, highest in zip(lists.runs, most[:, 0].tolist(), strict=True):
        if highest <= 0:
            raise InputError(
                f"run {run}, topic {lists.topic}: norm 'max' divides by the highest score, which must be above 0, and "
                f"it is {highest:g}; take another norm, such as min-max"
            )
    return lists.score / most


def by_sum(lists: TopicLists) -> Floats:
    """(s - min) / sum of (s - min)."""
    least, most = _ends(lists.score)
    above = lists.score - least
    return _ratio(above, _row_sums(above), least == most)


def zmuv(lists: TopicLists) -> Floats:
    """(s - mean) / standard deviation with n: zero mean, unit variance."""
    least, most = _ends(lists.score)
    count = np.count_nonzero(lists.rank, axis=1)[:, None]
    from_mean = lists.score - _row_sums(lists.score) / count
    return _ratio(from_mean, np.sqrt(_row_sums(from_mean**2) / count), least == most)


def by_rank(lists: TopicLists) -> Floats:
    """1 - (r - 1) / n for a ranking of n documents."""
    return _below_one(lists, np.count_nonzero(lists.rank, axis=1)[:, None])


def borda(lists: TopicLists) -> Floats:
    """1 - (r - 1) / c for c documents in all; missing ones get the mean of the places left, and count as retrieved."""
    every = len(lists.documents)
    retrieved = np.count_nonzero(lists.rank, axis=1)[:, None]
    return np.where(lists.rank > 0, _below_one(lists, every), 0.5 - (retrieved - 1) / (2 * every))


NORMS: Mapping[str, Callable[[TopicLists], Floats]] = {
    "min-max": min_max,
    "max": by_max,
    "sum": by_sum,
    "zmuv": zmuv,
    "rank": by_rank,
    "borda": borda,
    "none": lambda lists: lists.score,
}
OF_RANKS = ("rank", "borda")  # norms that do not look at scores
ZERO_IF_EQUAL = ("min-max", "sum")  # norms that leave nothing of rankings whose scores are all equal


def check_norm(name: str) -> str:
    """The name of a norm as it is written here; UnknownNameError for any other.

    >>> check_norm("Min-Max")
    'min-max'
    """
    norm = {one.replace("-", ""): one for one in NORMS}.get(str(name).casefold().replace("-", "").replace("_", ""))
    if norm is None:
        raise UnknownNameError("norm", name, NORMS, f"there are {', '.join(NORMS)}")
    return norm


def normalised(lists: TopicLists, norm: str) -> Normalised:
    """The numbers that a norm makes of scores; raise InputError for infinite scores, and for numbers too large."""
    if norm in OF_RANKS:
        return Normalised(NORMS[norm](lists))
    infinite = np.isinf(lists.score)
    if infinite.any():
        run, document = np.argwhere(infinite)[0].tolist()
        raise InputError(
            f"run {lists.runs[run]}, topic {lists.topic}: document {lists.documents[document]} has the score "
            f"{lists.score[run, document]:g}, and infinite scores cannot be added; take a method of ranks, such as RRF"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        values = NORMS[norm](lists)
    odd = ~np.isfinite(values) & (lists.rank > 0)
    if odd.any():
        run = lists.runs[int(np.flatnonzero(odd.any(axis=1))[0])]
        raise InputError(
            f"run {run}, topic {lists.topic}: scores are too large for norm {norm!r}; take one of ranks, such as rank"
        )
    least, most = _ends(lists.score)
    return Normalised(values, int(np.count_nonzero(least == most)) if norm in ZERO_IF_EQUAL else 0)


def _ends(score: Floats) -> tuple[Floats, Floats]:
    """(run, 1): lowest and highest score."""
    return np.nanmin(score, axis=1, keepdims=True), np.nanmax(score, axis=1, keepdims=True)


def _row_sums(table: Floats) -> Floats:
    """(run, 1): correctly rounded sums of what is there."""
    return np.array([[math.fsum(row[~np.isnan(row)].tolist())] for row in table])


def _ratio(above: Floats, below: Floats, equal: Bools) -> Floats:
    """The ratio, 0 where all scores of a ranking are equal."""
    return np.where(equal, 0.0 * above, above / np.where(equal, 1.0, below))


def _below_one(lists: TopicLists, of: object) -> Floats:
    fallen: Floats = 1 - (lists.rank - 1) / np.asarray(of)
    return np.where(lists.rank > 0, fallen, np.nan)
