"""SetScale: the values of a set measure over sets of different lengths, for topics with different recall bases.

At one length and one recall base precision, recall and F are interval scales. Over several of them together, which is
what a mean over topics mixes, they rarely are (Ferrante, Ferro and Fuhr 2021, section IV-D). A set is a triple
[r, n, RB]: r relevant documents among n retrieved ones, in a topic with RB relevant documents; r is at most n and at
most RB.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.measure import Measure
from rankscale.scales.spacing import Spacing, spacing_of

Range = tuple[int, int]
Triple = Sequence[int]

MOST_TRIPLES = 1 << 26  # sets that are looked at
LARGEST = 1 << 26  # different fractions with numerators and denominators below this are different doubles


class SetScale:
    """The values of a set measure over S[N, K]; made by `rankscale.scale` with `lengths` and `recall_bases`.

    Attributes
    ----------
    measure : Measure
        The measure, such as SetP.
    lengths : tuple of int
        The smallest and the largest number of retrieved documents.
    recall_bases : tuple of int
        The smallest and the largest number of relevant documents of a topic.
    size : int
        Number of distinct values.

    Examples
    --------
    Precision over sets of up to three documents takes five values, which are not equally spaced:

    >>> from rankscale.scales.scale import scale
    >>> precision = scale("SetP", lengths=(1, 3), recall_bases=(1, 2))
    >>> print(*precision.values)
    0 1/3 1/2 2/3 1
    >>> precision.interval, precision.rank([1, 2, 2])
    (False, 3)
    """

    def __init__(self, measure: Measure, lengths: Range, recall_bases: Range) -> None:
        self.measure, self.lengths, self.recall_bases = measure, lengths, recall_bases
        if self.triples > MOST_TRIPLES:
            raise ScaleError(
                f"{measure}: there are {self.triples:,} sets of these lengths and recall bases; up to {MOST_TRIPLES:,} "
                "are looked at: take fewer"
            )
        if measure.set_ratio(*np.ones((3, 1), dtype=np.int64)) is None:
            raise ScaleError(
                f"{measure}: lengths and recall_bases are for measures of a set, which look at nothing but the number "
                "of documents retrieved, of relevant ones among them and of all relevant ones: SetP, SetR, SetF, "
                "SetRelP or SetAP"
            )

    @property
    def triples(self) -> int:
        """The number of sets [r, n, RB]."""
        (first, last), (fewest, most) = self.lengths, self.recall_bases
        bases = np.arange(fewest, most + 1)
        return sum(int(np.minimum(length, bases).sum()) + len(bases) for length in range(first, last + 1))

    @cached_property
    def _image(self) -> tuple[Floats, Ints, Ints]:
        """The distinct values, ascending, and their numerators and denominators.

        Equal fractions are equal doubles, as a quotient is rounded once, and different ones are different doubles.
        """
        (first, last), bases = self.lengths, range(self.recall_bases[0], self.recall_bases[1] + 1)
        values, numerators, denominators = np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        for base in bases:
            length, relevant = (
                grid.ravel() for grid in np.meshgrid(range(first, last + 1), range(min(last, base) + 1), indexing="ij")
            )
            within = relevant <= length
            above, below = self._ratio(relevant[within], length[within], np.full(within.sum(), base))
            values, kept = np.unique(np.append(values, above / below), return_index=True)
            numerators, denominators = np.append(numerators, above)[kept], np.append(denominators, below)[kept]
        return values, numerators, denominators

    def _ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints]:
        above, below = self.measure.set_ratio(relevant, length, recall_base) or (relevant, length)
        if max(int(above.max()), int(below.max())) >= LARGEST:
            raise ScaleError(f"{self.measure}: values of so large sets are fractions of more digits than floats hold")
        return above, below

    @property
    def size(self) -> int:
        """The number of distinct values."""
        return len(self._image[0])

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """The distinct values, ascending."""
        _, numerators, denominators = self._image
        return tuple(map(Fraction, numerators.tolist(), denominators.tolist()))

    @cached_property
    def interval(self) -> bool:
        """Whether the values are equally spaced, so that the measure is on an interval scale over all these sets."""
        highest, steps = self.values[-1], self.size - 1
        return all(value * steps == place * highest for place, value in enumerate(self.values))

    @cached_property
    def spacing(self) -> Spacing | None:
        """How evenly the values are spaced, and what of the range they leave unused; None for one value only."""
        return spacing_of(self._image[0], self.measure.limits, equal=self.interval)

    def value(self, triple: Triple) -> Fraction:
        """The measure's value of one set [r, n, RB].

        Raises
        ------
        ScaleError
            If there is no such set, or it lies outside of `lengths` and `recall_bases`.
        """
        above, below = self._ratio(*np.array(self._checked(triple))[:, None])
        return Fraction(int(above[0]), int(below[0]))

    def rank(self, triple: Triple) -> int:
        """The rank of one set [r, n, RB] among the distinct values, from 1 to `size`; ScaleError as for `value`."""
        value = self.value(triple)
        return 1 + int(np.searchsorted(self._image[0], float(value)))

    def normalised(self, triple: Triple) -> float:
        """(rank - 1) / (size - 1), from 0 to 1; NaN where there is one value only."""
        return (self.rank(triple) - 1) / (self.size - 1) if self.size > 1 else float("nan")

    def _checked(self, triple: Triple) -> list[int]:
        numbers = list(triple)
        if len(numbers) != 3 or any(int(number) != number for number in numbers):
            raise ScaleError(
                f"expected a set as three whole numbers [relevant retrieved, retrieved, relevant in all], such as "
                f"[1, 2, 1], got {numbers}"
            )
        relevant, length, base = (int(number) for number in numbers)
        (first, last), (fewest, most) = self.lengths, self.recall_bases
        if not 0 <= relevant <= min(length, base):
            raise ScaleError(f"[{relevant}, {length}, {base}]: {relevant} relevant documents cannot be retrieved there")
        if not (first <= length <= last and fewest <= base <= most):
            raise ScaleError(
                f"[{relevant}, {length}, {base}] is not among the sets of {written(self.lengths)} documents in topics "
                f"with {written(self.recall_bases)} relevant ones"
            )
        return [relevant, length, base]

    def _repr_html_(self) -> str:
        from rankscale.scales.describe import page_of_sets

        return page_of_sets(self).html()

    def __repr__(self) -> str:
        return (
            f"<SetScale of {self.measure}: {self.size:,} values, sets of {written(self.lengths)} documents, "
            f"{written(self.recall_bases)} relevant in a topic>"
        )


def make_set_scale(
    measure: Measure, lengths: Range | int | None, recall_bases: Range | int | None, **others: object
) -> SetScale:
    """The scale of a set measure, with its arguments checked; `others` are those that do not go with them."""
    if lengths is None or recall_bases is None:
        lacking = "recall_bases" if recall_bases is None else "lengths"
        raise ParameterError(f"lengths and recall_bases go together: give {lacking} too, as in {lacking}=(1, 3)")
    if others:
        raise ParameterError(f"lengths and recall_bases say which sets there are: leave out {', '.join(others)}")
    return SetScale(measure, _range("lengths", lengths), _range("recall_bases", recall_bases))


def _range(name: str, given: Range | int) -> Range:
    ends = (given, given) if isinstance(given, int) else tuple(given)
    if len(ends) != 2 or not all(isinstance(end, int | np.integer) for end in ends) or not 1 <= ends[0] <= ends[1]:
        raise ParameterError(
            f"{name} must be the first and the last of some numbers from 1, such as (1, 3), got {given!r}"
        )
    return int(ends[0]), int(ends[1])


def written(ends: Range) -> str:
    """A range in words.

    >>> written((1, 3)), written((2, 2))
    ('1 to 3', '2')
    """
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
