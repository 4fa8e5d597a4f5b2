"""Agreement of assessors: coefficients of the matrix of their grades, what each measures, and where they agree.

A matrix is (level, level), the first assessor in rows; any number of them may stand side by side, (..., level, level).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats

DisagreementWeights = Literal["none", "linear", "quadratic"]
GradeSpacing = Literal["value", "place"]
LARGE = 1e100  # of grades up to this, distances and their squares are numbers
Closeness = Literal["identity", "linear", "quadratic", "ordinal"]
AlphaDifference = Literal["nominal", "ordinal", "interval"]
Compute = Callable[[Floats, Sequence[float], GradeSpacing], Floats]


def disagreement(
    levels: Sequence[float], weights: DisagreementWeights = "none", spacing: GradeSpacing = "value"
) -> Floats:
    """(level, level): how far two grades disagree: whether they differ, by how much, or by how much squared.

    Distances are those of the grades' values, or of their places among the levels.

    >>> disagreement((0, 1, 3), "linear").tolist()
    [[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]
    >>> disagreement((0, 1, 3), "quadratic", "place").tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """
    positions = scaled(levels) if spacing == "value" else np.arange(len(levels), dtype=np.float64)
    distance: Floats = np.abs(positions[:, None] - positions[None, :])
    if weights == "none":
        return (distance > 0).astype(np.float64)
    return distance if weights == "linear" else distance**2


def closeness(levels: Sequence[float], kind: Closeness = "identity") -> Floats:
    """(level, level): how far two grades agree, from 1 for the same grade to 0 for the farthest.

    >>> closeness((0, 1, 3), "linear").round(4).tolist()
    [[1.0, 0.6667, 0.0], [0.6667, 1.0, 0.3333], [0.0, 0.3333, 1.0]]
    >>> closeness((0, 1, 3), "ordinal").round(4).tolist()
    [[1.0, 0.6667, 0.0], [0.6667, 1.0, 0.6667], [0.0, 0.6667, 1.0]]
    """
    count = len(levels)
    if kind == "identity" or count == 1:
        return np.eye(count)
    if kind == "ordinal":
        steps = disagreement(levels, "linear", "place")
        return 1 - (steps + 1) * steps / (count * (count - 1))  # C(steps + 1, 2) / C(count, 2)
    span = float(np.ptp(scaled(levels)))
    return 1 - disagreement(levels, kind) / (span if kind == "linear" else span**2)


def scaled(levels: Sequence[float]) -> Floats:
    """(level,): the grades over their unit: coefficients are ratios of distances, which it does not change.

    >>> scaled((0, 1, 2)).tolist(), scaled((0, 1e308)).tolist()
    ([0.0, 1.0, 2.0], [0.0, 1.0])
    """
    return np.asarray(levels, dtype=np.float64) / unit_of(levels)


def unit_of(levels: "Sequence[float] | Floats") -> float:
    """1; where squares of all grades would be infinite or 0, the largest of them."""
    largest = float(np.abs(levels).max(initial=0.0))
    return largest if largest > LARGE or 0 < largest < 1 / LARGE else 1.0


def observed_agreement(matrix: Floats) -> Floats:
    """The share of items with the same grade, of matrices (..., level, level); NaN without items.

    >>> print(observed_agreement(np.array([[3, 1], [1, 5]])))
    0.8
    """
    with np.errstate(invalid="ignore"):
        share: Floats = np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum(axis=(-2, -1))
    return share


def cohen_kappa(
    matrix: Floats, levels: Sequence[float], weights: DisagreementWeights = "none", spacing: GradeSpacing = "value"
) -> Floats:
    """Kappa of matrices (..., level, level) of items, the first assessor's grades in rows.

    One less the disagreement over that expected of independent assessors; NaN where the latter is 0, so that there is
    nothing to agree on: both always give one grade. (Cohen 1960, 1968)

    >>> print(cohen_kappa(np.array([[20, 5], [10, 15]]), (0, 1)).round(4))
    0.4
    """
    weight = disagreement(levels, weights, spacing)
    items = matrix.sum(axis=(-2, -1))
    first, second = matrix.sum(axis=-1), matrix.sum(axis=-2)
    observed = (weight * matrix).sum(axis=(-2, -1)) * items
    expected = np.einsum("gh,...g,...h->...", weight, first, second)
    return 1 - ratio(observed, expected)


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part over whole, NaN where the whole is 0."""
    result: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=np.asarray(whole) != 0)
    return result


def coincidences(grades: Floats, levels: Sequence[float]) -> Floats:
    """(level, level): the coincidence matrix of grades (item, assessor), NaN where an assessor gave none.

    Each item with m grades, m >= 2, adds 1 / (m - 1) for every ordered pair of them; items with one are left out. Of
    two assessors it is the matrix of their grades plus its transpose.

    >>> coincidences(np.array([[0, 1, 1], [1, 1, np.nan], [0, np.nan, np.nan]]), (0, 1)).tolist()
    [[0.0, 1.0], [1.0, 3.0]]
    """
    counts = (grades[:, :, None] == np.asarray(levels, dtype=np.float64)).sum(axis=1).astype(np.float64)
    given = counts.sum(axis=1)
    several = given > 1
    counts, weight = counts[several], 1 / (given[several] - 1)
    pairs: Floats = (counts * weight[:, None]).T @ counts
    return pairs - np.diag(weight @ counts)


def krippendorff_alpha(together: Floats, levels: Sequence[float], difference: AlphaDifference = "ordinal") -> Floats:
    """Alpha of coincidence matrices (..., level, level).

    One less the observed over the expected difference; NaN where there is one level only. The difference of two grades
    is 1 if they are not the same (nominal), or the square of their distance: in values (interval), or in how many
    grades were given from one to the other, half of both ends (ordinal). (Krippendorff, Content Analysis, 2004)

    >>> matrix = np.array([[20, 5], [10, 15]])
    >>> print(krippendorff_alpha(matrix + matrix.T, (0, 1), "nominal").round(4))
    0.4
    """
    given = together.sum(axis=-1)
    squares = _squares(given, levels, difference)
    observed = (together * squares).sum(axis=(-2, -1))
    expected = (given[..., :, None] * given[..., None, :] * squares).sum(axis=(-2, -1))
    return 1 - ratio((given.sum(axis=-1) - 1) * observed, expected)


def _squares(given: Floats, levels: Sequence[float], difference: AlphaDifference) -> Floats:
    """(..., level, level): squared differences between grades that were given so often."""
    if difference == "nominal":
        return 1 - np.eye(len(levels))
    at = scaled(levels)
    if difference == "ordinal":
        at = np.cumsum(given, axis=-1) - given / 2  # so that two lie apart by what is between them, and half of both
    return (at[..., :, None] - at[..., None, :]) ** 2


def fleiss_kappa(together: Floats) -> Floats:
    """Kappa of coincidence matrices (..., level, level) of items that all have the same number of grades.

    One less the observed disagreement of two grades of an item over that of two grades drawn from all, with
    replacement; NaN where there is one level only. The assessors need not be the same for all items. (Fleiss,
    Psychological Bulletin, 1971)

    >>> from rankscale.stats.agreement import coincidences
    >>> grades = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 1]])
    >>> print(fleiss_kappa(coincidences(grades, (0, 1))).round(4))
    0.3333
    """
    given = together.sum(axis=-1)
    number = given.sum(axis=-1)
    observed = number - np.trace(together, axis1=-2, axis2=-1)
    expected = number**2 - (given**2).sum(axis=-1)
    return 1 - ratio(observed * number, expected)


def gwet_ac(matrix: Floats, levels: Sequence[float], weights: Closeness = "identity") -> Floats:
    """AC2 of matrices (..., level, level) of items, with weights of agreement; AC1 with those of identity.

    Chance agreement is that of items which are hard to grade, and are graded at random: it falls as one grade prevails,
    where that of kappa rises. It counts levels, so those that nobody used change it. NaN with one level, or without
    items. (Gwet, British Journal of Mathematical and Statistical Psychology 61, 2008)

    >>> print(gwet_ac(np.array([[20, 5], [10, 15]]), (0, 1)).round(4))
    0.4059
    """
    count = len(levels)
    items = matrix.sum(axis=(-2, -1))
    if count == 1:
        return np.full(np.shape(items), np.nan)
    weight = closeness(levels, weights)
    agreed = ratio((weight * matrix).sum(axis=(-2, -1)), items)
    share = ratio(matrix.sum(axis=-1) + matrix.sum(axis=-2), np.broadcast_to(2 * items[..., None], matrix.shape[:-1]))
    chance = weight.sum() / (count * (count - 1)) * (share * (1 - share)).sum(axis=-1)
    result: Floats = (agreed - chance) / (1 - chance)
    return result


@dataclass(frozen=True)
class AgreementCoefficient:
    """A coefficient: what it is called in a sentence, and its values for matrices (..., level, level)."""

    words: str
    compute: Compute


def _kappa(weights: DisagreementWeights) -> Compute:
    return lambda matrix, levels, spacing: cohen_kappa(matrix, levels, weights, spacing)


def _alpha(difference: AlphaDifference) -> Compute:
    """Krippendorff's alpha from coincidence matrices."""
    return lambda together, levels, _spacing: krippendorff_alpha(together, levels, difference)


def _alpha_of_two(difference: AlphaDifference) -> Compute:
    """Of matrices of two assessors, whose coincidence matrix counts every pair of grades both ways."""
    return lambda matrix, levels, _s: krippendorff_alpha(matrix + matrix.swapaxes(-1, -2), levels, difference)


def _ac(weights: Closeness) -> Compute:
    return lambda matrix, levels, _spacing: gwet_ac(matrix, levels, weights)


COEFFICIENTS: Mapping[str, AgreementCoefficient] = {
    "agreement": AgreementCoefficient("share of items with the same grade", lambda n, _l, _s: observed_agreement(n)),
    "kappa": AgreementCoefficient("Cohen's kappa", _kappa("none")),
    "kappa_linear": AgreementCoefficient("Cohen's kappa, linear weights", _kappa("linear")),
    "kappa_quadratic": AgreementCoefficient("Cohen's kappa, quadratic weights", _kappa("quadratic")),
    "alpha_nominal": AgreementCoefficient("Krippendorff's alpha, nominal", _alpha_of_two("nominal")),
    "alpha_ordinal": AgreementCoefficient("Krippendorff's alpha, ordinal", _alpha_of_two("ordinal")),
    "alpha_interval": AgreementCoefficient("Krippendorff's alpha, interval", _alpha_of_two("interval")),
    "AC1": AgreementCoefficient("Gwet's AC1", _ac("identity")),
    "AC2_linear": AgreementCoefficient("Gwet's AC2, linear weights", _ac("linear")),
    "AC2_quadratic": AgreementCoefficient("Gwet's AC2, quadratic weights", _ac("quadratic")),
    "AC2_ordinal": AgreementCoefficient("Gwet's AC2, ordinal weights", _ac("ordinal")),
}

# Of any number of assessors: values for coincidence matrices (..., level, level).
OF_SEVERAL: Mapping[str, AgreementCoefficient] = {
    "agreement": AgreementCoefficient(
        "share of pairs of grades that are the same", lambda n, _l, _s: observed_agreement(n)
    ),
    "alpha_nominal": AgreementCoefficient("Krippendorff's alpha, nominal", _alpha("nominal")),
    "alpha_ordinal": AgreementCoefficient("Krippendorff's alpha, ordinal", _alpha("ordinal")),
    "alpha_interval": AgreementCoefficient("Krippendorff's alpha, interval", _alpha("interval")),
}
OF_AS_MANY: Mapping[str, AgreementCoefficient] = {  # of items that have as many grades
    "kappa_fleiss": AgreementCoefficient("Fleiss' kappa", lambda n, _l, _s: fleiss_kappa(n))
}


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
