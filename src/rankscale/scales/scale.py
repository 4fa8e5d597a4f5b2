"""Scale: the interval scale of a measure, and what can be asked of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.scales.counting.image import Cost, Progress, Provenance, written_size
from rankscale.scales.measure_values import equally_spaced
from rankscale.scales.notes import notes_on
from rankscale.scales.plan import Plan, make_plan
from rankscale.scales.question import Question, Rankings, UniverseName, make_question
from rankscale.scales.sampling.estimates import Estimate, Percentile
from rankscale.scales.spacing import Spacing, spacing

ROUNDING = 1e-9  # of the share of one value: what its logarithm may be off by, and far more
MOST_KNOWN = 1 << 17  # rankings whose rank is remembered


@dataclass(frozen=True)
class Bracket:
    """Where a normalised value certainly lies; both ends are the same where it is exact."""

    lower: float
    upper: float
    provenance: Provenance


class Scale:
    """The interval scale of a measure: its distinct values over all rankings of a length, in order.

    The rank of a ranking is how many of these values do not exceed its own (unique ranks, from 1), so that neighbours
    are one step apart. Rankings are given by grades, best first; a shorter one is filled with unjudged documents, and
    NaN stands for one. Each method takes one ranking, or a matrix of them.

    >>> found = scale("DCG(base=2)@4")
    >>> found.size, found.rank([1, 0, 0, 1]), found.ranks([[1, 1, 1, 1], [0, 0, 0, 0]])
    (12, 6, [12, 1])
    """

    def __init__(self, question: Question, chosen: Plan) -> None:
        self._question, self._plan = question, chosen
        self._known: dict[bytes, int] = {}

    measure = property(lambda self: self._question.measure)
    levels = property(lambda self: self._question.levels)
    depth = property(lambda self: self._question.depth)
    counts = property(lambda self: self._question.counts)

    @property
    def universe(self) -> UniverseName:
        """Whether all rankings count, or those that the topic's documents allow."""
        return "feasible" if self._question.feasible else "all"

    @property
    def cost(self) -> Cost:
        """What counting will take, predicted."""
        return self._plan.cost

    @property
    def size(self) -> int:
        """How many distinct values the measure takes."""
        if self.provenance.kind == "estimated":
            raise ScaleError(f"{self.measure}: the number of values is {self.provenance}; ask for estimated_size()")
        return self._plan.image.size

    def estimated_size(self) -> Estimate:
        """How many distinct values there are, with 95% confidence, where ranks are estimated."""
        return self._plan.estimated_size()

    @property
    def provenance(self) -> Provenance:
        """Where its numbers come from."""
        return self._plan.provenance

    @property
    def exact(self) -> bool:
        """Whether ranks are exact where they are given at all."""
        return self.provenance.kind not in {"certified", "estimated"}

    @property
    def _alternative(self) -> str:
        cost = self._plan.exact_cost
        return f", or for method='exact', predicted to take {cost.each:.3g} s for each ranking" if cost else ""

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing of this scale."""
        return tuple(notes_on(self._question))

    @cached_property
    def spacing(self) -> Spacing | None:
        """How evenly the measure's own values are spaced; None where there are fewer than two."""
        equal = equally_spaced(self._question)
        return spacing(self._plan.image, self._plan.measure_values, self.measure.limits, equal=equal)

    def places(self, grades: Floats) -> Ints:
        """Rankings (ranking, rank) of the scale's length, NaN for unjudged documents, as places in its gains."""
        return self._question.places(grades)

    def ends(self, count: int = 5) -> tuple[Floats, Floats]:
        """The first and the last values of the measure."""
        first, last = self._plan.image.ends(count)
        return self._plan.measure_values(first), self._plan.measure_values(last)

    def values_of(self, rankings: Rankings) -> list[float]:
        """The measure's own value of each ranking; over a recall base of the ranking's length where none is given."""
        found: list[float] = self._question.value_of(self.places_of(rankings)).tolist()
        return found

    def rank(self, ranking: Sequence[float]) -> int:
        """The exact rank of one ranking."""
        return self.ranks([ranking])[0]

    def ranks(self, rankings: Rankings, progress: Progress | None = None) -> list[int]:
        """The exact rank of each ranking."""
        return self.ranks_of_places(self.places_of(rankings), progress)

    def ranks_of_places(self, places: Ints, progress: Progress | None = None) -> list[int]:
        """The same for rankings given by places in the distinct gains, ascending; each distinct one counted once."""
        if self.provenance.kind in {"certified", "estimated"}:
            raise ScaleError(f"{self.measure}: ranks are {self.provenance}; ask for bracket(){self._alternative}")
        rows = np.ascontiguousarray(places, dtype=np.min_scalar_type(len(self._question.gains)))
        keys = [row.tobytes() for row in rows]
        found = {key: self._known[key] for key in set(keys) & self._known.keys()}  # others may use the scale, too
        new = {key: place for place, key in enumerate(keys) if key not in found}
        if new:
            ranks = self._plan.image.ranks(rows[list(new.values())].astype(np.int64), progress)
            found.update(zip(new, ranks, strict=True))
            if len(self._known) + len(new) > MOST_KNOWN:
                self._known = {}
            self._known.update(found)
        return [found[key] for key in keys]

    def normalised(self, rankings: Rankings, progress: Progress | None = None) -> Floats:
        """(rank - 1) / (size - 1), from 0 to 1; a point of the bracket where it is not exact. NaN for one value."""
        return self.normalised_places(self.places_of(rankings), progress)

    def normalised_places(self, places: Ints, progress: Progress | None = None) -> Floats:
        """The same for rankings given by places in the distinct gains."""
        if not self.exact:
            return self._normalised(self._plan.points(places, *self._plan.shares(places)))
        if self.size < 2:
            return np.full(len(places), np.nan)
        return np.array([(rank - 1) / (self.size - 1) for rank in self.ranks_of_places(places, progress)])

    def bracket(self, ranking: Sequence[float]) -> Bracket:
        """Where the normalised value of a ranking certainly lies."""
        lower, upper = self.bracket_places(self.places_of([ranking]))
        return Bracket(float(lower[0]), float(upper[0]), self.provenance)

    def bracket_places(self, places: Ints) -> tuple[Floats, Floats]:
        """(ranking,) twice: the ends of brackets, for rankings given by places in the distinct gains."""
        if self.exact:
            value = self.normalised_places(places)
            return value, value
        lower, upper = self._plan.shares(places)
        return self._normalised(lower, outward=1 + ROUNDING), self._normalised(upper, outward=1 - ROUNDING)

    def _normalised(self, share: Floats, outward: float = 1.0) -> Floats:
        """(phi - 1) / (K - 1) from phi / K; images that are too large to count make no difference of it."""
        step = 0.0 if self.provenance.kind == "estimated" else 10.0 ** -math.log10(self.size)
        form: Floats = np.clip((share - outward * step) / (1 - step), 0.0, 1.0)
        return form

    def log10_rank(self, ranking: Sequence[float]) -> tuple[float, float]:
        """The logarithm of the rank, to base 10, between certain ends: the same where ranks are exact."""
        if self.provenance.kind != "certified":
            rank = math.log10(self.rank(ranking))
            return rank, rank
        size = math.log10(self.size)
        lower, upper = self._plan.log10_share(self.places_of([ranking]))
        return max(0.0, lower + size), upper + size

    def mid_rank(self, ranking: Sequence[float]) -> Fraction:
        """The mean rank of all rankings with this value, among all rankings. Not an interval scale: steps differ.

        Grades that the measure does not tell apart count as one.
        """
        return self.mid_ranks_of_places(self.places_of([ranking]))[0]

    def mid_ranks_of_places(self, places: Ints) -> list[Fraction]:
        """The same for many rankings, given by places in the distinct gains; each distinct one counted once."""
        rows, which = np.unique(places, axis=0, return_inverse=True)
        counted = [below + Fraction(equal + 1, 2) for below, equal in self._plan.mid_ranks(rows)]
        return [counted[place] for place in which.ravel()]

    def run_percentile(
        self, ranking: Sequence[float], samples: int = 100_000, seed: int = 0, confidence: float = 0.95
    ) -> Percentile:
        """The share of all rankings whose value does not exceed this one's. Not the interval scale: ties weigh.

        Exact where rankings can be counted, within a certain bracket or from a random sample where not. Grades that the
        measure does not tell apart count as one.
        """
        return self._plan.percentile(self.places_of([ranking]), samples=samples, seed=seed, confidence=confidence)

    def places_of(self, rankings: Rankings) -> Ints:
        """Rankings given by grades as places in the distinct gains."""
        given = [rankings] if len(rankings) and np.isscalar(rankings[0]) else rankings
        rows = [list(row) for row in given]  # type: ignore[arg-type]
        if any(len(row) > self.depth for row in rows):
            longest = max(map(len, rows))
            raise ParameterError(
                f"{self.measure}: a ranking has {longest} documents, and rankings of this scale {self.depth}"
            )
        filled = np.full((len(rows), self.depth), np.nan)
        for place, row in enumerate(rows):
            filled[place, : len(row)] = row
        return self.places(filled)

    def __repr__(self) -> str:
        counted = self.provenance.kind not in {"refused", "estimated"}
        values = f"{written_size(self.size)} values, " if counted else ""
        return f"<Scale of {self.measure}: {values}{self.universe} rankings, {self.provenance}>"


def scale(
    measure: str | Measure,
    levels: Sequence[float] = (0, 1),
    counts: Sequence[int] | int | None = None,
    universe: UniverseName | None = None,
    method: str = "auto",
    *,
    highest: float | None = None,
    deduplicate: str = "exact",
) -> Scale:
    """The interval scale of a measure at a depth.

    `levels` are the grades that documents can have, and `highest` the highest one of the collection, if it is not among
    them. `counts` are the documents of each level that a topic has (or the number of relevant ones): with
    `universe='feasible'` only rankings count that hold no more. All rankings count otherwise, which is the default but
    for measures that make no sense there. `method` is 'exact', 'certified' (brackets that certainly hold the rank),
    'estimated' or 'auto': exact where that is quick, else certified, else refused with the alternatives named.
    `deduplicate='float'` tells values of AP apart as floating-point sums, as published tables did.

    >>> scale("DCG(base=2)@30").size
    805306368
    >>> print(scale("RBP(p=0.8)@1000").provenance)
    certified to within 1e-05
    """
    wanted = parse(measure)
    if wanted.interval_of is not None:
        raise ParameterError(f"{wanted} is on an interval scale already: name the measure in it")
    question = make_question(wanted, levels, counts, universe, highest)
    return Scale(question, make_plan(question, method, deduplicate))
