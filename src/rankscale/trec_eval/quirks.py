"""Values that trec_eval alone computes this way; each function takes judged rankings and gives a value for each.

Its relevance strings, and RBP as version 10 has it.

ndcg, ideal_dcg, G, ndcg_rel and Rndcg with gains: it compares two gains by the whole part of their difference. Those
closer than 1 count as equal and stay as they came, first the gains given, then the grades not named. Its ideal ranking
follows that order from the end, and breaks off at the first gain that is not positive: `ndcg.1=0.2,2=0.5,3=0.9` has the
grade 0 at the end, and so no ideal at all.

ndcg_rel, Rndcg and 11pt_avg with parameters are means over points that it meets on its way through a ranking: where
gains are closer than 1, points are met where its ideal is out of order; levels of recall are looked for in the order in
which they were given. Divisions by 0 are those of C.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats, NDArray
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.measure import divide

if TYPE_CHECKING:
    from rankscale.measures.iprec import AP11, IPrec


HIGHEST_DIGIT = 9
Gained = tuple[float, int]  # a gain, and how many documents of the topic have it
NOT_POOLED, NOT_JUDGED = -1, -2  # what trec_eval takes for the grade of a document without one
# Of one ranking: ranks with gains, length, ideal gains, the highest of them.
AveragedRow = tuple[list[tuple[int, float]], int, list[float], float]


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


@dataclass(frozen=True, eq=False)
class MisorderedJudged(Judged):
    """Rankings whose ideal is trec_eval's."""

    gains: Mapping[int, float] = field(default_factory=dict)

    def ideal_gains(self, per_level: Floats) -> Floats:  # noqa: ARG002  # the gains are known already
        """(topic, rank): the gains of the ranking that trec_eval takes for the best, then zeros."""
        rows = [ideal(counted(self.levels, counts, self.gains)) for counts in self.counts.tolist()]
        width = max(map(len, rows), default=0)
        return np.array([row + [0.0] * (width - len(row)) for row in rows]).reshape(len(rows), width)


def as_sorted(judged: Judged, gains: Mapping[int, float]) -> Judged:
    """The same rankings with trec_eval's order of these gains."""
    return MisorderedJudged(**{column.name: getattr(judged, column.name) for column in fields(judged)}, gains=gains)


def ndcg(judged: Judged, gains: Mapping[int, float]) -> Floats:
    """(topic,): trec_eval's ndcg with these gains, 0 where its ideal ranking gains nothing.

    Documents that are not in the qrels gain nothing, also where grade 0 costs something, and so none fill up the ideal.
    """
    from rankscale.measures.dcg import DCG, IDCG

    pairs, seen = tuple(gains.items()), as_sorted(judged, gains)
    return divide(DCG(gains=pairs, unjudged=0).value(seen), IDCG(gains=pairs).value(seen))


def counted(levels: Floats, counts: Sequence[int], gains: Mapping[int, float]) -> list[Gained]:
    """Gains with their counts: first those given, then the grades from 0 to the topic's highest that have none."""
    by_grade = {int(level): count for level, count in zip(levels.tolist(), counts, strict=True) if level >= 0 and count}
    unnamed = {level: float(level) for level in range(max(by_grade, default=0) + 1) if level not in gains}
    return [(gain, by_grade.get(level, 0)) for level, gain in (*gains.items(), *unnamed.items())]


def ideal(gained: Sequence[Gained]) -> list[float]:
    """The gains of trec_eval's ideal ranking.

    >>> ideal([(3, 1), (9, 2), (0, 5)])
    [9, 9, 3]
    >>> ideal([(0.2, 1), (0.5, 1), (0.9, 1), (0, 5)])
    []
    """
    ordered = c_sorted(gained)[::-1]
    if not ordered or ordered[0][0] <= 0:
        return []
    result: list[float] = []
    for gain, count in ordered:
        if count and gain <= 0:
            break
        result += [gain] * count
    return result


def c_sorted(gained: Sequence[Gained]) -> list[Gained]:
    """Merged as the C library's qsort does, which matters where the comparison is no order."""
    if len(gained) < 2:
        return list(gained)
    left, right = c_sorted(gained[: len(gained) // 2]), c_sorted(gained[len(gained) // 2 :])
    merged = []
    while left and right:
        merged.append((left if int(left[0][0] - right[0][0]) <= 0 else right).pop(0))
    return merged + left + right


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


def _rows(judged: Judged, gains: Mapping[int, float]) -> list[AveragedRow]:
    not_judged, elsewhere = gains.get(NOT_JUDGED, 0.0), gains.get(NOT_POOLED, 0.0)
    worth = [gains.get(int(level), float(level)) if level >= 0 else not_judged for level in judged.levels]
    worth.append(elsewhere)  # UNJUDGED is -1: the last
    rows: list[AveragedRow] = []
    columns = judged.rank, judged.code, judged.length, judged.counts.tolist()
    for ranks, codes, length, counts in zip(*columns, strict=True):
        seen = {int(rank): int(code) for rank, code in zip(ranks, codes, strict=True) if rank != BEYOND}
        met_at = range(1, int(length) + 1) if elsewhere else sorted(seen)
        met = [(rank, worth[seen.get(rank, UNJUDGED)]) for rank in met_at]
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
