"""Verdicts that flip: pairs of runs that one measure tells apart and another does not, or the other way round."""

from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.stats.compare import compare
from rankscale.stats.comparison import Comparison
from rankscale.workbench.bench import Progress
from rankscale.workbench.numbers import finite
from rankscale.workbench.view import Data

MOST_FLIPS = 2000  # pairs of runs that are listed


class Comparisons:
    """Comparisons of all pairs of runs by one test, made once for each measure; the visitor may leave at any time."""

    def __init__(self, test: str, progress: Progress | None, most: int) -> None:
        self.test, self.progress, self.most = test, progress, most
        self._made: dict[Measure, Comparison] = {}

    def _within(self, done: int, of: int) -> None:
        """Say how far all comparisons are, in thousandths of one."""
        if self.progress:
            before = min(len(self._made), self.most - 1)
            self.progress(1000 * before + 1000 * done // max(1, of), 1000 * self.most)

    def by(self, evaluation: Evaluation) -> Comparison:
        """The comparison by the measure of an evaluation."""
        measure = evaluation.measures[0]
        if measure not in self._made:
            self._within(0, 1)
            self._made[measure] = compare(evaluation, self.test, progress=self._within)
        return self._made[measure]


def _verdicts(comparison: Comparison, names: Sequence[str]) -> tuple[Floats, Floats]:
    """(run, run) twice: 1 where the run of the row is significantly better, -1 where worse, 0 else; and p."""
    places = [comparison.runs.index(name) for name in names]
    signs = np.zeros((len(names),) * 2)
    kept: Bools = comparison.significant
    first, second = comparison.pairs.first[kept], comparison.pairs.second[kept]
    better = np.where((comparison.results.difference[kept] > 0) != comparison.measure.low_is_good, 1.0, -1.0)
    signs[first, second], signs[second, first] = better, -better
    return signs[np.ix_(places, places)], comparison.matrix[np.ix_(places, places)]


def flips(one: Comparison, other: Comparison, names: Sequence[str]) -> Data:
    """Pairs of runs with another verdict by one measure than by the other; reversed ones first.

    Of each the two runs, as places among all, the verdicts (1: the first is better, -1: the second, 0: not told apart)
    and the p-values. The first run is the better one by the first measure that tells them apart.
    """
    (signs, p), (other_signs, other_p) = _verdicts(one, names), _verdicts(other, names)
    flipped = list(zip(*np.nonzero(np.triu(signs != other_signs)), strict=True))
    rows = [pair if (signs[pair] or other_signs[pair]) > 0 else pair[::-1] for pair in flipped]
    rows.sort(key=lambda pair: (signs[pair] * other_signs[pair], -abs(p[pair] - other_p[pair])))
    upper = np.triu(np.ones_like(signs, dtype=bool), k=1)
    return {
        "pairs": int(upper.sum()),
        "significant": [int((upper & (of != 0)).sum()) for of in (signs, other_signs)],
        "reversed": int((upper & (signs * other_signs < 0)).sum()),
        "only": [int((upper & (of != 0) & (by == 0)).sum()) for of, by in ((signs, other_signs), (other_signs, signs))],
        "test": one.test.label,
        "families": [one.family, other.family],
        "listed": [
            [*map(int, pair), int(signs[pair]), int(other_signs[pair]), finite(p[pair]), finite(other_p[pair])]
            for pair in rows[:MOST_FLIPS]
        ],
    }
