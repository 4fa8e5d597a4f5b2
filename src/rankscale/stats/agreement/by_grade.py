"""Where two assessors agree: grade by grade, relevant or not, and which of them is more lenient."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.stats.agreement.kappa import ratio
from rankscale.stats.agreement.weights import unit_of


@dataclass(frozen=True)
class Specific:
    """Agreement on each grade, (level,) each; NaN for grades that are not given."""

    specific: Floats  # both over the mean of how often each gives it
    of_first: Floats  # both over those of the first assessor
    of_second: Floats


def specific_agreement(matrix: Floats) -> Specific:
    """Agreement grade by grade, of one matrix (level, level).

    >>> specific_agreement(np.array([[20, 5], [10, 15]])).specific.round(4).tolist()
    [0.7273, 0.6667]
    """
    both = np.diagonal(matrix).astype(np.float64)
    first, second = matrix.sum(axis=-1), matrix.sum(axis=-2)
    return Specific(ratio(2 * both, first + second), ratio(both, first), ratio(both, second))


@dataclass(frozen=True)
class TwoByTwo:
    """Items by whether each assessor holds them relevant."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def overlap(self) -> float:
        """Jaccard's index of the relevant sets: both over either (Voorhees 2000)."""
        return _over(self.both, self.both + self.first_only + self.second_only)

    @property
    def positive(self) -> float:
        """Specific agreement on relevant items."""
        return _over(2 * self.both, 2 * self.both + self.first_only + self.second_only)

    @property
    def negative(self) -> float:
        """Specific agreement on items that are not relevant."""
        return _over(2 * self.neither, 2 * self.neither + self.first_only + self.second_only)

    @property
    def precision(self) -> float:
        """Of what the second holds relevant, the share that the first does too."""
        return _over(self.both, self.both + self.second_only)

    @property
    def recall(self) -> float:
        """Of what the first holds relevant, the share that the second does too."""
        return _over(self.both, self.both + self.first_only)


def two_by_two(matrix: Floats, relevant: Bools) -> TwoByTwo:
    """Items by relevance, of one matrix (level, level), given which levels are relevant.

    >>> two_by_two(np.array([[20, 4, 1], [5, 6, 2], [1, 3, 5]]), np.array([False, True, True]))
    TwoByTwo(both=16, first_only=6, second_only=5, neither=20)
    """
    cells = [matrix[np.ix_(rows, columns)] for rows in (relevant, ~relevant) for columns in (relevant, ~relevant)]
    both, first_only, second_only, neither = (int(cell.sum()) for cell in cells)
    return TwoByTwo(both, first_only, second_only, neither)


@dataclass(frozen=True)
class Bias:
    """Whether the second assessor gives higher or lower grades."""

    higher: int  # items with a higher grade by the second
    lower: int
    same: int
    p: float  # of the exact two-sided sign test between them; McNemar's for two grades
    mean: float  # of the second grade less the first, which asks for an interval scale of grades


def bias(matrix: Floats, levels: Floats) -> Bias:
    """Bias of the second assessor, of one matrix (level, level) with items.

    >>> result = bias(np.array([[20, 5], [0, 15]]), np.array([0.0, 1.0]))
    >>> result.higher, result.lower, result.p, result.mean
    (5, 0, 0.0625, 0.125)
    """
    from scipy.special import bdtr

    higher, lower = int(np.triu(matrix, 1).sum()), int(np.tril(matrix, -1).sum())
    differing, items = higher + lower, float(matrix.sum())
    p = min(1.0, 2 * float(bdtr(min(higher, lower), differing, 0.5))) if differing else 1.0
    unit = unit_of(levels)
    mean = float((matrix * (levels[None, :] / unit - levels[:, None] / unit)).sum()) / items * unit
    return Bias(higher, lower, int(np.trace(matrix)), p, mean)


def _over(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
