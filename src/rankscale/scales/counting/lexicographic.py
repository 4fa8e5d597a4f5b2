"""Orders of rankings rank by rank: RBP where one step of gain outweighs all that follows it, and total orders.

Let Delta be the smallest step between gains, D the largest difference, n the depth. Two rankings that first differ at
rank i differ there by Delta p^(i-1) at least, and below by D (p^i + ... + p^(n-1)) at most. So the higher gain at the
first difference decides, and no two rankings tie, if

    Delta > D (p + p^2 + ... + p^(n-1))

and only then: for two gains that are Delta apart, the lower one followed by the highest gains is at least as good as
the higher one followed by the lowest. Where p <= Delta / (Delta + D) this holds for any depth, since the endless sum
is D p / (1 - p) <= Delta, and all that is cut off is more than 0; for two gains, that is p <= 1/2. Only the order
of gains then matters, and p not at all: ranks are numbers whose digits are the places of gains.

The total orders of Ferrante, Ferro and Losiouk put all rankings of a length in one order by the places of their gains,
by the set of documents or rank by rank; their values are ranks from the start, whole numbers of any size.
"""

import math
from fractions import Fraction
from itertools import pairwise, product
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ScaleError, Setting
from rankscale.scales.counting.halves import number_of_rankings
from rankscale.scales.counting.image import Image, Progress, Provenance, Universe

AT_ONCE = 1 << 18  # gains that are added up at a time
MOST_STATES = 1 << 20  # of (ranks to come, documents left of each kind), for which rankings are counted


def largest_lexicographic(gains: tuple[Fraction, ...]) -> Fraction:
    """The largest p for which the first difference decides at any depth: Delta / (Delta + D).

    >>> largest_lexicographic(tuple(map(Fraction, (0, 1)))), largest_lexicographic(tuple(map(Fraction, (0, 1, 3))))
    (Fraction(1, 2), Fraction(1, 4))
    """
    if len(gains) == 1:
        return Fraction(1)
    step = min(after - before for before, after in pairwise(gains))
    return step / (step + gains[-1] - gains[0])


def is_lexicographic(p: Fraction, gains: tuple[Fraction, ...], depth: int | None = None) -> bool:
    """Whether the first difference between rankings decides which has the higher value: at any depth, or at this one.

    >>> binary = tuple(map(Fraction, (0, 1)))
    >>> is_lexicographic(Fraction(1, 2), binary), is_lexicographic(Fraction(3, 5), binary)
    (True, False)
    >>> is_lexicographic(Fraction(3, 5), binary, depth=3)  # 1 > 3/5 + 9/25 = 24/25
    True
    """
    if depth == 1 or not 0 < p < 1 or p <= largest_lexicographic(gains):
        return depth == 1 or 0 < p < 1
    if depth is None:
        return False
    step = min(after - before for before, after in pairwise(gains))
    return step > (gains[-1] - gains[0]) * p * (1 - p ** (depth - 1)) / (1 - p)


class LexicographicImage(Image):
    """The image of RBP with such a p, at any depth.

    >>> image = LexicographicImage(Universe((Fraction(0), Fraction(1)), depth=3), Fraction(1, 2))
    >>> image.size, image.ranks(np.array([[1, 0, 1]])), image.values()[:4]
    (8, [6], array([0.   , 0.125, 0.25 , 0.375]))
    """

    def __init__(self, universe: Universe, p: Fraction) -> None:
        if not is_lexicographic(p, universe.gains, universe.depth):
            raise ScaleError(f"RBP: with p = {p}, later ranks can outweigh a step of gain; ProductImage counts these")
        self.universe, self.p = universe, p
        self.provenance = Provenance("exact", "closed form: rankings come in the order of their first difference")
        self._completions = completions(universe) if universe.limits else []
        self.listing = 40 + universe.depth
        self.size = number_of_rankings(universe, universe.depth)

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """1 + the number of rankings that come before."""
        if self.universe.limits:
            return [1 + self._before(ranking) for ranking in rankings.tolist()]
        return [1 + number for number in numbers(rankings, len(self.universe.gains))]

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """No two rankings tie."""
        return [(rank - 1, 1) for rank in self.ranks(rankings)]

    def _before(self, ranking: list[int]) -> int:
        """How many rankings that documents allow come before one: they first differ by a lower gain at some rank."""
        left, before = self.universe.most, 0
        for to_come, place in zip(range(len(ranking) - 1, -1, -1), ranking, strict=True):
            for kind in self.universe.kinds[:place]:
                before += self._completions[to_come].get(_less_one(left, kind), 0)
            left = _less_one(left, self.universe.kinds[place])
        if min(left, default=0) < 0:
            raise ScaleError("a ranking has more documents of a kind than there are")
        return before

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The values of the first and of the last rankings."""
        first = self._values(in_order(self.universe, min(count, self.size)))
        if count >= self.size:
            return first, first
        return first, self._values(in_order(self.universe, count, last=True))

    def _values(self, rankings: Ints) -> Floats:
        gains = np.array([float(gain) for gain in self.universe.gains])
        weights = (1 - float(self.p)) * float(self.p) ** np.arange(self.universe.depth)
        values, block = np.empty(len(rankings)), max(1, AT_ONCE // self.universe.depth)
        for start in range(0, len(rankings), block):
            values[start : start + block] = gains[rankings[start : start + block]] @ weights
        return values


def numbers(rankings: Ints, base: int) -> list[int]:
    """Rankings read as numbers whose digits are places of gains, exact at any length.

    >>> numbers(np.array([[0, 1, 2], [2, 2, 2]]), 3)
    [5, 26]
    """
    at_once = 61 // base.bit_length()  # digits that fit into 61 bits
    result = np.zeros(len(rankings), dtype=object)
    for start in range(0, rankings.shape[1], at_once):
        digits = rankings[:, start : start + at_once].astype(np.int64)
        powers = np.array([base**power for power in range(digits.shape[1] - 1, -1, -1)], dtype=np.int64)
        result = result * base ** digits.shape[1] + (digits @ powers).astype(object)
    return [int(number) for number in result]


def completions(universe: Universe) -> list[dict[tuple[int, ...], int]]:
    """[ranks to come][documents left of each kind]: the number of feasible suffixes."""
    most = universe.most
    lefts = list(product(*(range(count + 1) for count in most)))
    if len(lefts) * (universe.depth + 1) > MOST_STATES:
        raise ScaleError(
            f"rankings of length {universe.depth} with {' + '.join(map(str, most))} documents of limited kinds: "
            "too many cases to count; use ",
            Setting("universe", "all"),
        )
    numbers = [dict.fromkeys(lefts, 1)]
    for _ in range(universe.depth):
        last = numbers[-1]
        numbers.append({left: sum(last.get(_less_one(left, kind), 0) for kind in universe.kinds) for left in lefts})
    return numbers


def _less_one(left: tuple[int, ...], kind: int) -> tuple[int, ...]:
    """Documents left of each kind after one of a kind was taken."""
    return left if kind < 0 else (*left[:kind], left[kind] - 1, *left[kind + 1 :])


def in_order(universe: Universe, count: int, *, last: bool = False) -> Ints:
    """(ranking, rank): the lexicographically first `count` rankings of a universe, or the last ones.

    Each beginning that is kept can be completed, so the first `count` rankings have the first `count` beginnings.
    """
    gains, most = len(universe.gains), np.array(universe.most, dtype=np.int64)
    kinds = np.array(universe.kinds)
    small = np.int8 if gains < 1 << 7 else np.int16
    rankings, taken = np.zeros((1, 0), dtype=small), np.zeros((1, len(most)), dtype=np.int32)
    for to_come in range(universe.depth - 1, -1, -1):
        place = np.tile(np.arange(gains, dtype=small), len(rankings))
        rankings = np.column_stack([np.repeat(rankings, gains, axis=0), place])
        taken = np.repeat(taken, gains, axis=0)
        for kind in range(len(most)):
            taken[:, kind] += kinds[place] == kind
        keep = np.flatnonzero(_completable(universe, most - taken, to_come))
        keep = keep[-count:] if last else keep[:count]
        rankings, taken = rankings[keep], taken[keep]
    return rankings


def _completable(universe: Universe, left: Ints, to_come: int) -> Bools:
    """(ranking,): whether no kind is overdrawn and documents are left for the ranks to come."""
    within: Bools = np.all(left >= 0, axis=1)
    if -1 in universe.kinds:
        return within
    enough: Bools = left[:, sorted(set(universe.kinds))].sum(axis=1) >= to_come
    return within & enough


class TotalOrderImage(Image):
    """The image of a measure whose values are ranks, from 0 for the first to 1 for the last."""

    adds_gains: ClassVar[bool] = False

    def __init__(self, universe: Universe, size: int, words: str) -> None:
        if universe.limits is not None:
            raise ScaleError("a total order is one of all rankings: leave ", Setting("universe", "feasible"), " out")
        self.universe, self.size, self.provenance = universe, size, Provenance("exact", words)

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` values: ranks from 0, over the last one."""
        last = max(self.size - 1, 1)
        if count >= self.size:
            values: Floats = np.arange(self.size) / last
            return values, values
        first = np.array([rank / last for rank in range(count)], dtype=np.float64)
        return first, np.array([rank / last for rank in range(self.size - count, self.size)], dtype=np.float64)


class RankBasedImage(TotalOrderImage):
    """Rankings as numbers whose digits are places of gains: no two are equal.

    >>> from fractions import Fraction
    >>> image = RankBasedImage(Universe((Fraction(0), Fraction(1)), depth=3))
    >>> image.size, image.ranks(np.array([[1, 0, 1]]))
    (8, [6])
    """

    def __init__(self, universe: Universe) -> None:
        words = "closed form: rankings come in the order of their first difference"
        super().__init__(universe, len(universe.gains) ** universe.depth, words)

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """1 + the number that each ranking is."""
        return [1 + number for number in numbers(rankings, len(self.universe.gains))]

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """No two rankings tie."""
        return [(rank - 1, 1) for rank in self.ranks(rankings)]


class SetBasedImage(TotalOrderImage):
    """Mixes of gains, compared by how many documents have the highest gain, then the next, and so on.

    Let c_j be the number of documents with the gain at place j, and left_j the number of documents whose place is j or
    lower. Mixes that agree in the gains above j and have fewer documents there leave more to the j lower places:

        sum over c < c_j of (left_j - c + j - 1 over j - 1) = (left_j + j over j) - (left_j - c_j + j over j)

    >>> from fractions import Fraction
    >>> image = SetBasedImage(Universe(tuple(map(Fraction, (0, 1, 2))), depth=3))
    >>> image.size, image.ranks(np.array([[0, 2, 0], [2, 2, 2]]))
    (10, [5, 10])
    """

    def __init__(self, universe: Universe) -> None:
        size = math.comb(universe.depth + len(universe.gains) - 1, len(universe.gains) - 1)
        super().__init__(universe, size, "closed form: mixes of gains in order")

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """1 + the number of lower mixes."""
        return [1 + self._lower_mixes(mix) for mix in self._mixes(rankings)]

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """Rankings of lower mixes, and those of the same mix in any order."""
        return [self._rankings(mix) for mix in self._mixes(rankings)]

    def _mixes(self, rankings: Ints) -> list[list[int]]:
        """For each ranking, how many documents have each gain, the lowest first."""
        counts = [np.count_nonzero(rankings == place, axis=1) for place in range(len(self.universe.gains))]
        mixes: list[list[int]] = np.stack(counts, axis=1).tolist()
        return mixes

    def _lower_mixes(self, mix: list[int]) -> int:
        lower, left = 0, self.universe.depth
        for place in range(len(mix) - 1, 0, -1):
            lower += math.comb(left + place, place) - math.comb(left - mix[place] + place, place)
            left -= mix[place]
        return lower

    def _rankings(self, mix: list[int]) -> tuple[int, int]:
        """How many rankings have a lower mix, and how many this one.

        `ways` are those to place the documents of the higher gains; fewer of this gain leave ranks to the lower ones.
        """
        lower, left, ways = 0, self.universe.depth, 1
        for place in range(len(mix) - 1, 0, -1):
            lower += ways * sum(math.comb(left, fewer) * place ** (left - fewer) for fewer in range(mix[place]))
            ways *= math.comb(left, mix[place])
            left -= mix[place]
        return lower, ways
