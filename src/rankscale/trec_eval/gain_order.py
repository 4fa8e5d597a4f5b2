"""The order in which trec_eval sees the gains it was given.

It compares two gains by the whole part of their difference: those closer than 1 count as equal and stay as they came,
first the gains given, then the grades not named. Its ideal ranking follows that order from the end, and breaks
off at the first gain that is not positive. `ndcg.1=0.2,2=0.5,3=0.9` has the grade 0 at the end, and so no ideal at all.

Reproduced for ndcg, ideal_dcg and G here, for ndcg_rel and Rndcg in `averaged.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import divide
from rankscale.measures.dcg import DCG, IDCG

Gained = tuple[float, int]  # a gain, and how many documents of the topic have it


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
