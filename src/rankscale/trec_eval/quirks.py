"""Values that trec_eval alone computes this way: its relevance strings, and RBP as version 10 has it.

Each takes rankings seen through the qrels and gives one value for each of them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats, NDArray
from rankscale.data.judged import BEYOND, Judged

if TYPE_CHECKING:
    from rankscale.measures.iprec import AP11, IPrec

HIGHEST_DIGIT = 9


def relstring(judged: Judged, length: int) -> NDArray[np.str_]:
    """The grades of the first documents, a character each: `-` not in the qrels, `.` pooled but unjudged, `>` over 9.

    >>> from rankscale.data.judged import judged
    >>> relstring(judged("2 - 0 -1 12", "1"), 10).tolist()
    ['2-0.>', '1']
    """
    marks = np.array([*(_mark(level) for level in judged.levels), "-"])  # UNJUDGED is -1: the last
    rows = marks[judged.every_rank(length).code] if length > 0 else np.empty((judged.topics, 0), dtype=str)
    return np.array(["".join(row[:end]) for row, end in zip(rows.tolist(), judged.length, strict=True)], dtype=str)


def _mark(level: float) -> str:
    if level < 0:
        return "."
    return ">" if level > HIGHEST_DIGIT else str(int(level))


def unjudged_share(judged: Judged, depth: int) -> Floats:
    """unj: unjudged documents among the first `depth`, over `depth` even where fewer were retrieved."""
    seen = np.minimum(judged.length, depth)
    return (seen - judged.read(judged.judged_so_far(), depth)) / depth


def nan_if_empty(measure: "IPrec | AP11", recalls: Sequence[float], judged: Judged) -> Floats:
    """Interpolated precision; 0/0 for an empty ranking at recall levels that need no document at all."""
    share = np.multiply.outer(judged.recall_base(measure.rel), recalls)
    needs_none = share + 0.9 < 1 if measure.version == 9 else share < 0.5
    return np.where((judged.length == 0) & needs_none.any(axis=-1), np.nan, measure.value(judged))


def rbp(judged: Judged, p: float, gains: Mapping[int, float]) -> Floats:
    """RBP of version 10: where a topic has a gain below 0 or above 1, its gains are stretched to 0..1.

    So a grade of 1 is worth 1 in a topic without higher grades, 1/3 in one with grades up to 3.
    """
    powers = _powers(p, int(judged.length.max(initial=0)))
    worth = np.array([_stretched(judged.levels.tolist(), counts, gains) for counts in judged.counts.tolist()])
    worth = np.pad(worth, ((0, 0), (0, 1)))  # one more, 0, for what has no grade
    met = np.take_along_axis(worth, np.where(judged.code == UNJUDGED, len(judged.levels), judged.code), axis=-1)
    weight = powers[np.where(judged.rank == BEYOND, 1, judged.rank) - 1]
    return (1 - p) * judged.read(np.cumsum(weight * met, axis=-1))


def _stretched(levels: Sequence[float], counts: Sequence[int], gains: Mapping[int, float]) -> list[float]:
    """The gain of each level in one topic, where grades from 0 to its highest count that no gain was given for."""
    top = max((int(level) for level, count in zip(levels, counts, strict=True) if count and level >= 0), default=0)
    lowest = next((float(level) for level in range(top + 1) if level not in gains), math.inf)
    highest = next((float(level) for level in range(top, -1, -1) if level not in gains), -math.inf)
    low, high = min(lowest, *gains.values(), math.inf), max(highest, *gains.values(), -math.inf)
    worth = [gains.get(int(level), level) if level >= 0 else 0.0 for level in levels]
    if low >= 0 and high <= 1:
        return worth
    # all gains alike are 0/0 in trec_eval
    stretch = [(gain - low) / (high - low) if high > low else math.nan for gain in worth]
    return [gain if level >= 0 else 0.0 for gain, level in zip(stretch, levels, strict=True)]


def rbp_residual(judged: Judged, p: float) -> Floats:
    """What unjudged documents could add to RBP; version 10 forgets the tail where all that was retrieved is judged."""
    depth = int(judged.length.max(initial=0))
    powers = _powers(p, depth)
    if depth == 0:
        return np.zeros(judged.topics)
    every = judged.every_rank(depth)
    unjudged = (every.is_judged() == 0) & (every.rank <= judged.length[:, None])
    added = np.cumsum(powers[:-1] * unjudged, axis=-1)[:, -1]
    return np.where(unjudged.any(axis=-1), powers[judged.length] + (1 - p) * added, 0.0)


def _powers(p: float, depth: int) -> Floats:
    """Powers of `p` from 0 to `depth`, each multiplied from the one before."""
    return np.cumprod(np.append(1.0, np.full(depth, p)))


def reset_missing(name: str, values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Values as version 10 prints them under -c for topics that the run lacks.

    It evaluates a ranking of one unknown document, then resets these by name; so `utility_1,-1,0,0`, `relstring_5`
    and `rbp_resid_p=0.8`, whose names carry parameters, still show that document.
    """
    if name == "relstring":
        return np.where(missing, "", values)
    if name in {"num_ret", "utility", "rbp_resid"} or name.startswith("unj"):
        return np.where(missing, 0.0, values)
    return values
