"""ndcg_rel, Rndcg and 11pt_avg with parameters: means over points that trec_eval meets on its way through a ranking.

Where gains are closer than 1 its ideal ranking is out of order (`gain_order.py`), and points are met where it is;
levels of recall are looked for in the order in which they were given. Divisions by 0 are those of C.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats
from rankscale.data.judged import BEYOND, Judged
from rankscale.trec_eval.gain_order import c_sorted, counted, ideal

NOT_POOLED, NOT_JUDGED = -1, -2  # what trec_eval takes for the grade of a document without one


def ndcg_rel(judged: Judged, gains: Mapping[int, float]) -> Floats:
    """(topic,): the mean of nDCG over documents with a gain, 0 where it is not above 0."""
    return np.array([_ndcg_rel(*row) for row in _rows(judged, gains)])


def rndcg(judged: Judged, gains: Mapping[int, float], level: int) -> Floats:
    """(topic,): the mean of nDCG where the ideal gain changes; NaN where it never does."""
    relevant = judged.recall_base(level)
    return np.array([_rndcg(*row) if many else 0.0 for row, many in zip(_rows(judged, gains), relevant, strict=True)])


def eleven_points(judged: Judged, recalls: Sequence[float], level: int, version: int) -> Floats:
    """(topic,): the mean of interpolated precision at levels of recall, in any order.

    >>> from rankscale.data.judged import judged
    >>> eleven_points(judged("1 0 0 1"), (1.0, 0.5), 1, 9)  # after 0.5, 1 is not looked for: both are those at rank 1
    array([1.])
    """
    relevant = judged.recall_base(level).tolist()
    ranks = [row[seen].tolist() for row, seen in zip(judged.rank, judged.relevant(level) > 0, strict=True)]
    rows = zip(ranks, judged.length.tolist(), relevant, strict=True)
    return np.array([_eleven_points(recalls, *row, version=version) for row in rows])


def _divided(dividend: float, divisor: float) -> float:
    """As C divides: 0/0 is NaN, all else by 0 is infinite."""
    with np.errstate(all="ignore"):
        return float(np.float64(dividend) / np.float64(divisor))


Row = tuple[
    list[tuple[int, float]], int, list[float], float
]  # ranks with gains, length, ideal gains, the highest of them


def _rows(judged: Judged, gains: Mapping[int, float]) -> list[Row]:
    worth = [
        gains.get(int(level), float(level)) if level >= 0 else gains.get(NOT_JUDGED, 0.0) for level in judged.levels
    ]
    rows: list[Row] = []
    for ranks, codes, length, counts in zip(
        judged.rank, judged.code, judged.length, judged.counts.tolist(), strict=True
    ):
        seen = {int(rank): int(code) for rank, code in zip(ranks, codes, strict=True) if rank != BEYOND}
        elsewhere = gains.get(NOT_POOLED, 0.0)
        met = [
            (rank, worth[seen[rank]] if seen.get(rank, UNJUDGED) != UNJUDGED else elsewhere)
            for rank in (range(1, int(length) + 1) if elsewhere else sorted(seen))
        ]
        gained = counted(judged.levels, counts, gains)
        rows.append((met, int(length), ideal(gained), c_sorted(gained)[-1][0]))
    return rows


def _ndcg_rel(met: Sequence[tuple[int, float]], _length: int, best: Sequence[float], _top: float) -> float:
    dcg = ideal_dcg = total = 0.0
    retrieved, reached = 0, 0
    for rank, gain in met:
        while reached < min(rank, len(best)):
            reached += 1
            ideal_dcg += best[reached - 1] / math.log2(reached + 1)
        if gain != 0:
            dcg += gain / math.log2(rank + 1)
        if gain > 0:
            total += _divided(dcg, ideal_dcg)
            retrieved += 1
    for place in range(reached + 1, len(best) + 1):
        ideal_dcg += best[place - 1] / math.log2(place + 1)
    total += _divided((len(best) - retrieved) * dcg, ideal_dcg)
    return _divided(total, len(best)) if total > 0 else 0.0


def _rndcg(met: Sequence[tuple[int, float]], length: int, best: Sequence[float], top: float) -> float:
    """The ideal gain falls for the last time one rank below the ideal ranking, to what is no gain."""
    if top <= 0:
        return math.nan
    by_rank = dict(met)
    dcg = ideal_dcg = 0.0
    points: list[float] = []
    for rank, (before, gain) in enumerate(pairwise([top, *best, 0.0]), start=1):
        if gain != before and ideal_dcg > 0:
            points.append(dcg / ideal_dcg)
        if rank <= length:
            dcg += by_rank.get(rank, 0.0) / math.log2(rank + 1)
        ideal_dcg += gain / math.log2(rank + 1)
    if length > len(best) + 1 and ideal_dcg > 0:
        for rank, gain in met:
            dcg += gain / math.log2(rank + 1) if rank > len(best) + 1 else 0.0
        points.append(dcg / ideal_dcg)
    return _divided(sum(points), len(points))


def _eleven_points(
    recalls: Sequence[float], ranks: Sequence[int], length: int, relevant: int, *, version: int
) -> float:
    needed = [_documents(recall * relevant, version) for recall in recalls]
    while needed and needed[-1] > len(ranks):
        needed.pop()
    best = _divided(len(ranks), length)
    total = 0.0
    for many in range(len(ranks), 0, -1):
        best = max(best, many / ranks[many - 1])
        while needed and needed[-1] == many:
            total += best
            needed.pop()
    for _ in needed:
        total += best
    return total / len(recalls)


def _documents(share: float, version: int) -> int:
    """How many relevant documents a level of recall asks for: cut after 0.9 is added in 9, rounded in 10."""
    if version == 9:
        return int(share + 0.9)
    return int(math.copysign(math.floor(abs(share) + 0.5), share))
