"""How evenly the values of a measure are spaced: on an interval scale, neighbours are equally far apart.

Also which part of its range a measure leaves unused (Ferrante, Ferro and Fuhr 2021, section IV-B): the largest gap
between neighbouring values, and what lies above the highest value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base import structure as kinds
from rankscale.measures.base.measure import RATIO_SCALE
from rankscale.scales.counting.image import LISTED, Image
from rankscale.scales.question import Powers, Question, Roots

MENTIONED = 0.0005  # share of the limits above the highest value from which it is mentioned
SAMPLED = 1000  # lowest and highest values whose gaps are computed where there are too many to list
DEEPEST = 2000  # ranks up to which the weights are read off the measure
AT_ONCE = 1 << 17  # ranks of rankings that are measured at a time


@dataclass(frozen=True)
class Unused:
    """The part of a measure's range that its values leave unused.

    Attributes
    ----------
    lower, upper : float
        The two neighbouring values that are farthest apart; the lowest such pair if several are.
    share : float
        Their distance over the range from 0 (or the lowest value, where it is negative) to the highest value.
    above : float or None
        Share of the measure's limits that lies above its highest value, as for RBP at a fixed length; None where the
        measure has no finite limits.
    certain : bool
        Whether this is the largest gap of all, or only of those at the two ends of the scale.
    """

    lower: float
    upper: float
    share: float
    above: float | None
    certain: bool


@dataclass(frozen=True)
class Spacing:
    """The gaps between neighbouring values, largest and smallest, and what of the measure's range is not used."""

    largest: float
    smallest: float
    lowest: float  # value there is
    highest: float
    unused: Unused
    symmetric: bool | None  # whether the upper half mirrors the lower; None where values are too many to look at
    condition: str  # that the scale rests on where values are equally spaced; empty where there is none
    complete: bool  # whether all gaps are known, or only those among the lowest values

    @property
    def ratio(self) -> float:
        """The largest gap over the smallest: 1 on an interval scale, however small the gaps are."""
        return self.largest / self.smallest if self.largest > self.smallest else 1.0

    @property
    def equal(self) -> bool:
        """Whether all gaps are equal, so that the measure itself is on an interval scale."""
        return self.complete and self.ratio - 1 < kinds.EVEN

    def __str__(self) -> str:
        if self.equal:
            sure = f" only if {self.condition}" if self.condition else ""
            spaced = f"equally spaced: the measure itself is on an interval scale{sure}"
        else:
            seen = "" if self.complete else " among the lowest values"
            spaced = f"not equally spaced: the largest gap{seen} is {self.ratio:.4g} times the smallest"
        mirrored = "" if self.symmetric is None else f"; {'symmetric' if self.symmetric else 'not symmetric'}"
        return f"{spaced}{mirrored}"

    @property
    def unused_text(self) -> str:
        """The unused part of the range in words; empty where gaps are equal and the range is used up to its end."""
        gap, parts = self.unused, []
        if not self.equal:
            ends = f"{min(self.lowest, 0.0):.4g} to {self.highest:.4g}"
            where = "" if gap.certain else ", the largest gap at either end"
            parts.append(f"{gap.lower:.4g} to {gap.upper:.4g}{where}: {gap.share:.1%} of the range from {ends}")
        if (gap.above or 0) >= MENTIONED:
            parts.append(f"all above {self.highest:.4g}: {gap.above:.1%} of the measure's limits")
        return "; ".join(parts)


def spacing(question: Question, image: Image) -> Spacing | None:
    """The spacing of the values of a measure, listed by its image; None where there are fewer than two."""
    if image.size < 2:
        return None
    values_of, limits, equal = measure_values(question), question.measure.limits, equally_spaced(question)
    adds_up = image.adds_gains and question.measure.several_gains(question.levels)
    condition = RATIO_SCALE if adds_up else ""
    if image.size <= LISTED:
        return spacing_of(values_of(image.values()), limits, equal=equal, condition=condition)
    known_gap = None if equal else largest_gap_of_sums(question)
    lower, upper = map(values_of, image.ends(SAMPLED))
    return spacing_of(lower, limits, equal=equal, condition=condition, upper=upper, known_gap=known_gap)


def spacing_of(
    values: Floats,
    limits: tuple[float, float],
    *,
    equal: bool = False,
    condition: str = "",
    upper: Floats | None = None,
    known_gap: tuple[float, float] | None = None,
) -> Spacing | None:
    """The spacing of values of a measure, ascending; None where there are fewer than two.

    They are all its values, or the lowest ones where `upper` has the highest. `equal` is whether they are known to be
    equally spaced, and `condition` what an interval scale then rests on; `known_gap` has the two ends of the largest
    gap where they are known without a list of all values.
    """
    gaps = np.diff(values)  # not of upper values: far from 0, gaps can be smaller than floats resolve
    gaps = gaps[gaps > 0]
    if len(values) < 2 or not (len(gaps) or equal):
        return None
    if equal:
        largest = smallest = float(gaps[0]) if len(gaps) else 0.0
    else:
        largest, smallest = float(gaps.max()), float(gaps.min())
    listed = [values] if upper is None else [values, upper]
    lowest, highest = float(values[0]), float(listed[-1][-1])
    ends = known_gap or max(map(_largest_gap, listed), key=lambda pair: pair[1] - pair[0])
    share = (ends[1] - ends[0]) / (highest - min(lowest, 0.0))
    reach = limits[1] - limits[0]
    above = max(0.0, (limits[1] - highest) / reach) if np.isfinite(reach) else None
    complete = upper is None or equal
    return Spacing(
        largest=largest,
        smallest=smallest,
        lowest=lowest,
        highest=highest,
        unused=Unused(*ends, share, above, certain=complete or known_gap is not None),
        symmetric=_mirrored(values) if upper is None else (True if equal else None),
        condition=condition,
        complete=complete,
    )


def _largest_gap(values: Floats) -> tuple[float, float]:
    """The two neighbours among ascending values that are farthest apart; the lowest pair of those that are."""
    gaps = np.diff(values)
    place = int(np.argmax(gaps >= gaps.max() * (1 - kinds.EVEN)))
    return float(values[place]), float(values[place + 1])


def _mirrored(values: Floats) -> bool:
    sums = values + values[::-1]
    return bool(np.ptp(sums) <= kinds.EVEN * max(1.0, abs(float(sums[0]))))


def largest_gap_of_sums(question: Question) -> tuple[float, float] | None:
    """The two neighbouring values that are farthest apart, for sums of weights times gains that are one step apart.

    None for other measures, for gains that are not equally spaced, for feasible rankings, and beyond depth 2000.

    Let w_1 <= w_2 <= ... <= w_n be the weights of the ranks in ascending order, and let gains be one step apart, the
    highest of them D steps above the lowest. Consider values above that of the lowest ranking, in steps of gain.

    Values that use only the first k - 1 weights reach up to s_k = D (w_1 + ... + w_(k-1)); values that use any other
    weight are w_k or more. So wherever w_k > s_k, these two are neighbours. No gap is larger than the largest of these:
    with one weight more, the values are D + 1 copies of the values so far, w_k apart. Copies that overlap have no
    larger gap than each has by itself, and copies that do not are w_k - s_k apart.

    >>> from rankscale.measures.base.parser import parse
    >>> from rankscale.scales.question import make_question
    >>> rbp = make_question(parse("RBP(p=0.3)@4"), (0, 1), None, None, None)
    >>> [round(value, 4) for value in largest_gap_of_sums(rbp)]
    [0.2919, 0.7]
    """
    steps = {after - before for before, after in pairwise(question.gains)}
    additive = isinstance(question.structure, kinds.GainSums | kinds.RankWeights | Roots | Powers)
    if not additive or len(steps) != 1 or question.feasible or question.depth > DEEPEST:
        return None
    depth, best = question.depth, len(question.gains) - 1
    lowest = float(question.value_of(np.zeros((1, depth), dtype=np.int64))[0])
    step_at_each_rank = question.value_of(np.eye(depth, dtype=np.int64)) - lowest
    by_weight = np.argsort(step_at_each_rank, kind="stable")
    weights = step_at_each_rank[by_weight]
    if weights[0] <= 0:
        return None
    reached = best * (np.cumsum(weights) - weights)  # by the lighter ranks together
    lower, upper = np.zeros((2, depth), dtype=np.int64)
    heaviest = int(np.argmax(weights - reached))
    lower[by_weight[:heaviest]], upper[by_weight[heaviest]] = best, 1
    below, above = question.value_of(np.stack([lower, upper])).tolist()
    return below, above


def equally_spaced(question: Question) -> bool:
    """Whether values are known to be equally spaced: ranks, or sums with the weights of the digits of a number."""
    known = question.measure.structure(question.depth)
    if isinstance(known, kinds.MixOfGains | kinds.FirstDifference):
        return True
    return not question.feasible and kinds.equal_steps(known, question.gains, question.depth)


def measure_values(question: Question) -> Callable[[Floats], Floats]:
    """Function from values of the image (value,) to values of the measure (value,).

    Images leave out constant factors, which change no order.
    """
    known, value_of, depth = question.structure, question.value_of, question.depth
    if len(question.gains) == 1:
        return lambda values: value_of(np.zeros((len(values), depth), dtype=np.int64))
    if isinstance(known, kinds.GainSums) and len(question.gains) == 2:
        low, high = map(float, question.gains)
        return _in_blocks(
            lambda sums: value_of((np.arange(depth) < np.rint((sums[:, None] - low * depth) / (high - low))) + 0), depth
        )
    if isinstance(known, kinds.FirstRelevant):
        return _in_blocks(lambda reciprocals: value_of(_first_at(reciprocals, depth)), depth)
    if isinstance(known, Powers) and (known.lexicographic or known.tied):
        return lambda values: values
    weighted = kinds.GainSums | Roots | Powers | kinds.RankWeights | kinds.Precisions | kinds.GradedPrecisions
    if isinstance(known, weighted) and len(question.gains) > 1:
        ends = value_of(np.array([[0] * depth, [len(question.gains) - 1] + [0] * (depth - 1)]))
        weight = float(known.weights[0]) if isinstance(known, kinds.RankWeights) else 1.0
        factor = float(ends[1] - ends[0]) / (float(question.gains[-1] - question.gains[0]) * weight)
        return lambda values: values * factor
    return lambda values: values


def _in_blocks(function: Callable[[Floats], Floats], depth: int) -> Callable[[Floats], Floats]:
    """The same function, on few values at a time: it makes a ranking of each."""
    block = max(1, AT_ONCE // depth)

    def applied(values: Floats) -> Floats:
        return np.concatenate([function(values[at : at + block]) for at in range(0, max(len(values), 1), block)])

    return applied


def _first_at(reciprocals: Floats, depth: int) -> Ints:
    """(ranking, rank): rankings with these reciprocal ranks of the first relevant document; 0 for none."""
    first = np.rint(np.divide(1.0, reciprocals, out=np.zeros(len(reciprocals)), where=reciprocals > 0))
    places: Ints = (np.arange(1, depth + 1) == first[:, None]).astype(np.int64)
    return places
