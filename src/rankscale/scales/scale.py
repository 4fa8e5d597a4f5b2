"""Scale: the interval scale of a measure, with ranks, brackets and percentiles of rankings on it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import overload

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Floats, Ints
from rankscale.data.resources import announce, need
from rankscale.errors import ParameterError, ScaleError, Setting, Wording
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.scales.brackets.bracketing import log10_share
from rankscale.scales.counting.image import LISTED, Cost, Progress, Provenance, written_size
from rankscale.scales.estimates import Estimate, PercentileEstimate
from rankscale.scales.plan import CountingPlan, make_plan
from rankscale.scales.question import Question, RankingsLike, UniverseName, make_question, notes_on
from rankscale.scales.set_scale import SetScale, make_set_scale
from rankscale.scales.spacing import Spacing, measure_values, spacing

ROUNDING = 1e-9  # relative to 1 / size: far more than the rounding error of its logarithm
# Of a ranking, from how many rankings have a lower value, and how many the same.
TIE_RANKS: dict[str, Callable[[int, int], Fraction]] = {
    "mid": lambda below, equal: below + Fraction(equal + 1, 2),
    "min": lambda below, _: Fraction(below + 1),
    "max": lambda below, equal: Fraction(below + equal),
}
LISTING_SECONDS, MEASURING_SECONDS = 1.5e-6, 2.5e-8  # of each value, and of each rank of a ranking that has it
MOST_KNOWN = 1 << 17  # rankings whose rank is cached


@dataclass(frozen=True)
class Bracket:
    """Certified bounds of a normalised value; `lower` equals `upper` where it is exact."""

    lower: float
    upper: float
    provenance: Provenance


class Scale:
    """The interval scale of a measure; made by `rankscale.scale`.

    On an interval scale neighbouring values are equally far apart, so that differences and means of values can be
    compared. Most measures are not on one: the values that they take are unevenly spaced. This scale replaces each
    value by its rank among the distinct values that the measure takes over all rankings of one length (the universe):
    the lowest value has rank 1, the highest has rank `size`, and neighbours are one step apart.

    A ranking is a sequence of grades, first rank first. One that is shorter than `depth` is filled with unjudged
    documents; NaN is an unjudged document. Methods on several rankings take a sequence of them, or an array
    (ranking, rank).

    Attributes
    ----------
    measure : Measure
        The measure, with its depth.
    levels : tuple of float
        The grades that documents can have, ascending.
    depth : int
        The length of rankings.
    counts : tuple of int, int or None
        Number of documents of each level in the topic, or of all relevant documents; None if not given.
    universe : {'all', 'feasible'}
        Whether the scale is over all rankings, or over those that the topic's documents allow.
    size : int
        Number of distinct values of the measure.
    provenance : Provenance
        How ranks are obtained: exact, from a table, certified, estimated, or refused.

    Examples
    --------
    DCG takes 12 values over the 16 rankings of four documents that are relevant or not:

    >>> dcg = scale("DCG(base=2)@4")
    >>> dcg.size, dcg.rank([1, 0, 0, 1]), dcg.ranks([[1, 1, 1, 1], [0, 0, 0, 0]])
    (12, 6, [12, 1])

    `normalised` maps ranks to the range from 0 to 1, and `mid_rank` counts rankings in place of values:

    >>> print(dcg.normalised([[1, 0, 0, 1]]).round(4), dcg.mid_rank([1, 0, 0, 1]))
    [0.4545] 15/2
    """

    def __init__(self, question: Question, chosen: CountingPlan) -> None:
        self._question, self._plan = question, chosen
        self._known: dict[bytes, int] = {}

    measure = property(lambda self: self._question.measure)
    levels = property(lambda self: self._question.levels)
    depth = property(lambda self: self._question.depth)
    counts = property(lambda self: self._question.counts)

    @property
    def universe(self) -> UniverseName:
        """'all' rankings, or the 'feasible' ones that the topic's documents allow."""
        return "feasible" if self._question.feasible else "all"

    @property
    def cost(self) -> Cost:
        """The predicted cost of counting: seconds and memory."""
        return self._plan.cost

    @property
    def size(self) -> int:
        """The number of distinct values of the measure.

        Raises ScaleError where it is estimated only (see `estimated_size`), or cannot be counted.
        """
        if self.provenance.kind == "estimated":
            raise ScaleError(f"{self.measure}: the number of values is {self.provenance}; use estimated_size()")
        return self._plan.image.size

    def estimated_size(self) -> Estimate:
        """How many distinct values there are, with 95% confidence, where ranks are estimated."""
        return self._plan.sample.size

    @property
    def provenance(self) -> Provenance:
        """Where its numbers come from."""
        return self._plan.provenance

    @property
    def exact(self) -> bool:
        """Whether ranks are neither certified brackets nor estimates."""
        return self.provenance.kind not in {"certified", "estimated"}

    @property
    def excess(self) -> float:
        """How far normalised numbers on a certified scale can lie outside of their brackets; 0 nearly always.

        They keep the order of values. Where values are spaced roughly, as those of RBP with p little above 1/2, this
        can cost more than the width of a bracket; `bracket` then gives brackets that hold the number as well.
        """
        rough = self.provenance.kind == "certified" and not self._plan.at_once
        return self._plan.points.excess if rough else 0.0

    @property
    def only_percentiles(self) -> bool:
        """Whether nothing but run percentiles can be estimated, where an estimate was requested."""
        return self._plan.only_percentiles

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on this scale, as sentences."""
        return tuple(notes_on(self._question))

    @cached_property
    def spacing(self) -> Spacing | None:
        """How evenly the measure's own values are spaced, and what of its range they leave unused.

        None where there are fewer than two values. Over the rankings of four documents RBP with p = 0.3 takes no value
        between 0.2919 and 0.7, two fifths of the range up to its highest value:

        >>> unused = scale("RBP(p=0.3)@4").spacing.unused
        >>> round(unused.lower, 4), round(unused.upper, 4), round(unused.share, 4), round(unused.above, 4)
        (0.2919, 0.7, 0.4114, 0.0081)
        """
        if self.size <= LISTED:
            listed = f"a list of the {self.size:,} values of {self.measure}"
            need(self.size * self._plan.image.listing, listed, "choose a smaller depth")
            announce(self.size * (LISTING_SECONDS + MEASURING_SECONDS * self.depth), listed)
        return spacing(self._question, self._plan.image)

    def places(self, grades: Floats) -> Ints:
        """(ranking, rank): places in the distinct gains, from grades (ranking, rank); NaN is an unjudged document."""
        return self._question.places(grades)

    def ends(self, count: int = 5) -> tuple[Floats, Floats]:
        """The `count` lowest and the `count` highest values of the measure, each ascending."""
        first, last = map(measure_values(self._question), self._plan.image.ends(count))
        return first, last

    def values_of(self, rankings: RankingsLike) -> list[float]:
        """The measure's own value of each ranking; without counts, the recall base is the depth."""
        values: list[float] = self._question.value_of(self.places_of(rankings)).tolist()
        return values

    def rank(self, ranking: Sequence[float]) -> int:
        """The rank of one ranking: the number of distinct values that do not exceed its own, from 1 to `size`.

        Parameters
        ----------
        ranking : sequence of float
            Grades, first rank first.

        Returns
        -------
        int

        Raises
        ------
        ScaleError
            If ranks are not exact, or cannot be counted.
        ParameterError
            If the ranking is longer than `depth`.
        """
        return self.ranks([ranking])[0]

    def ranks(self, rankings: RankingsLike, progress: Progress | None = None) -> list[int]:
        """The rank of each of several rankings; see `rank`. `progress(done, of)` is called while counting."""
        return self.ranks_of_places(self.places_of(rankings), progress)

    def ranks_of_places(self, places: Ints, progress: Progress | None = None) -> list[int]:
        """The rank of each ranking, from places in the distinct gains (ranking, rank)."""
        if not self.exact:
            cost, alternative = self._plan.exact_cost, Setting("method", "exact")
            takes = f", predicted to take {cost.each:.3g} s for each ranking" if cost else ""
            or_exact: Wording = (", or for ", alternative, takes) if cost else ""
            raise ScaleError(f"{self.measure}: ranks are {self.provenance}; use bracket()", or_exact)
        return self._counted(places, progress)

    def _counted(self, places: Ints, progress: Progress | None = None) -> list[int]:
        """The exact rank of each ranking; those counted before are looked up."""
        rows = np.ascontiguousarray(places, dtype=np.min_scalar_type(len(self._question.gains)))
        keys = [row.tobytes() for row in rows]
        ranks = {key: self._known[key] for key in set(keys) & self._known.keys()}  # other threads may use the scale
        new = {key: place for place, key in enumerate(keys) if key not in ranks}
        if new:
            counted = self._plan.image.ranks(rows[list(new.values())].astype(np.int64), progress)
            ranks.update(zip(new, counted, strict=True))
            if len(self._known) + len(new) > MOST_KNOWN:
                self._known = {}
            self._known.update(ranks)
        return [ranks[key] for key in keys]

    def normalised(self, rankings: RankingsLike, progress: Progress | None = None) -> Floats:
        """(ranking,): (rank - 1) / (size - 1), from 0 to 1; a point in the bracket if not exact, NaN if size is 1."""
        return self.normalised_places(self.places_of(rankings), progress)

    def normalised_places(self, places: Ints, progress: Progress | None = None) -> Floats:
        """(ranking,): normalised values, from places in the distinct gains (ranking, rank)."""
        if self.provenance.kind == "estimated":
            return self._plan.sample.shares(places)[0]
        if self.size < 2:
            return np.full(len(places), np.nan)
        if self.exact or self._plan.at_once:
            return np.array([(rank - 1) / (self.size - 1) for rank in self._counted(places, progress)])
        return self._plan.points.normalised(places)

    def bracket(self, ranking: Sequence[float]) -> Bracket:
        """Certified bounds of the normalised value of one ranking."""
        lower, upper = self.bracket_places(self.places_of([ranking]))
        return Bracket(float(lower[0]), float(upper[0]), self.provenance)

    def bracket_places(self, places: Ints) -> tuple[Floats, Floats]:
        """(ranking,) twice: bounds of normalised values, from places in the distinct gains (ranking, rank)."""
        if self.exact:
            value = self.normalised_places(places)
            return value, value
        brackets = self._plan.brackets
        lower, upper = brackets.share(places) if brackets else self._plan.sample.shares(places)[1:]
        ends = self._normalised(lower, outward=1 + ROUNDING), self._normalised(upper, outward=1 - ROUNDING)
        point = self.normalised_places(places)
        return np.fmin(ends[0], point), np.fmax(ends[1], point)

    def _normalised(self, share: Floats, outward: float = 1.0) -> Floats:
        """(phi - 1) / (K - 1) from phi / K, for rank phi of K values; the difference vanishes where K is estimated."""
        step = 0.0 if self.provenance.kind == "estimated" else 10.0 ** -math.log10(self.size)
        form: Floats = np.clip((share - outward * step) / (1 - step), 0.0, 1.0)
        return form

    def log10_rank(self, ranking: Sequence[float]) -> tuple[float, float]:
        """Certified bounds of log10 of the rank of one ranking; both are the same where ranks are exact."""
        if self.provenance.kind != "certified":
            rank = math.log10(self.rank(ranking))
            return rank, rank
        size = math.log10(self.size)
        lower, upper = log10_share(self._plan.groups, self.places_of([ranking])[0])
        return max(0.0, lower + size), upper + size

    def log10_ranks_of_places(self, places: Ints) -> Floats:
        """(ranking,): log10 of the rank, for looking: not an interval scale.

        On certified scales it is an approximation, right to some percent of the rank, in the order of the measure's
        values; `log10_rank` gives its certified bounds.
        """
        if self.provenance.kind == "certified" and not self._plan.at_once:
            return self._plan.points.log10_ranks(places)
        ranks = self._counted(places) if self.provenance.kind == "certified" else self.ranks_of_places(places)
        return np.array([math.log10(rank) for rank in ranks])

    def mid_rank(self, ranking: Sequence[float]) -> Fraction:
        """The mean rank, among all rankings, of the rankings with the same value; not an interval scale.

        Grades with the same gain count as one.
        """
        return self.tie_rank(ranking)

    def tie_rank(self, ranking: Sequence[float], ties: str = "mid") -> Fraction:
        """The rank of one ranking among all rankings, not among values; not an interval scale.

        Rankings with the same value share the mean of their ranks ('mid'), the lowest ('min') or the highest ('max').

        >>> one = scale("DCG(base=2)@4")
        >>> [str(one.tie_rank([0, 1, 1, 1], ties)) for ties in ("min", "mid", "max")]
        ['12', '25/2', '13']
        """
        return self.tie_ranks_of_places(self.places_of([ranking]), ties)[0]

    def tie_ranks_of_places(self, places: Ints, ties: str = "mid") -> list[Fraction]:
        """The rank of each ranking among all rankings (see `tie_rank`), from places in the distinct gains."""
        if ties not in TIE_RANKS:
            raise ParameterError(f"ties must be one of {', '.join(TIE_RANKS)}, got {ties!r}")
        rows, which = np.unique(places, axis=0, return_inverse=True)
        counted = [TIE_RANKS[ties](below, equal) for below, equal in self._plan.mid_ranks(rows)]
        return [counted[place] for place in which.ravel()]

    def run_percentile(
        self, ranking: Sequence[float], samples: int = 100_000, seed: int = 0, confidence: float = 0.95
    ) -> PercentileEstimate:
        """The share of all rankings whose value does not exceed that of one ranking; not an interval scale.

        Counted where possible; otherwise within a certified bracket, or estimated from `samples` random rankings with a
        confidence interval. Grades with the same gain count as one.
        """
        places = self.places_of([ranking])
        return self.percentiles_of_places(places, samples=samples, seed=seed, confidence=confidence)[0]

    def percentiles_of_places(
        self, places: Ints, *, samples: int = 100_000, seed: int = 0, confidence: float = 0.95
    ) -> list[PercentileEstimate]:
        """The share of all rankings that are no better than each (see `run_percentile`), from places in the gains."""
        return self._plan.percentiles(places, samples=samples, seed=seed, confidence=confidence)

    def places_of(self, rankings: RankingsLike) -> Ints:
        """(ranking, rank): places in the distinct gains, from one or several rankings of grades."""
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

    def _repr_html_(self) -> str:
        from rankscale.scales.describe import page_of

        return page_of(self).html()

    def __repr__(self) -> str:
        counted = self.provenance.kind not in {"refused", "estimated"}
        values = f"{written_size(self.size)} values, " if counted else ""
        return f"<Scale of {self.measure}: {values}{self.universe} rankings, {self.provenance}>"


# Overloads repeat the parameters of the function, since what it returns depends on which are given.
@overload
def scale(
    measure: str | Measure,
    levels: Sequence[float] = (0, 1),
    counts: Sequence[int] | int | None = None,
    universe: UniverseName | None = None,
    method: str = "auto",
    *,
    highest: float | None = None,
    deduplicate: str = "exact",
    lengths: None = None,
    recall_bases: None = None,
) -> Scale: ...


@overload
def scale(
    measure: str | Measure, *, lengths: tuple[int, int] | int, recall_bases: tuple[int, int] | int
) -> SetScale: ...


def scale(
    measure: str | Measure,
    levels: Sequence[float] = (0, 1),
    counts: Sequence[int] | int | None = None,
    universe: UniverseName | None = None,
    method: str = "auto",
    *,
    highest: float | None = None,
    deduplicate: str = "exact",
    lengths: tuple[int, int] | int | None = None,
    recall_bases: tuple[int, int] | int | None = None,
) -> Scale | SetScale:
    """The interval scale of a measure: ranks among the distinct values it takes over all rankings of its depth.

    Steps between the values of most measures differ in size, so that means and differences of them say little. Ranks
    among all values that are possible have equal steps; a measure on these ranks is its interval version, such as
    Interval(AP@10).

    Parameters
    ----------
    measure : str or Measure
        A measure with a depth, such as "DCG(base=2)@10".
    levels : sequence of float
        The grades that documents can have.
    counts : sequence of int or int, optional
        Number of documents of each level in the topic, in the order of `levels`; or of all relevant documents.
    universe : {'all', 'feasible'}, optional
        'all' rankings of these grades, or those that are 'feasible': with no more documents of a grade than `counts`.
        By default 'all', except for measures that are defined for feasible rankings only, such as Twist.
    method : {'auto', 'exact', 'certified', 'estimated'}
        'exact' ranks; 'certified', where `bracket` gives limits that contain the normalised rank (0 to 1) for sure, and
        `rank` raises ScaleError; 'estimated' ranks, from random rankings; 'auto' is exact where that is quick,
        otherwise certified. Not every measure has each of them: reading a rank then raises ScaleError, which names
        one that works.
    highest : float, optional
        The highest grade of the collection, if it is not among `levels`; gains of some measures are relative to it.
    deduplicate : {'exact', 'float'}
        'float', for AP only, takes sums for distinct that differ by rounding alone, to repeat published counts.
    lengths : tuple of int or int, optional
        For measures of a set (SetP, SetR, SetF): the smallest and the largest number of retrieved documents. The scale
        is then over all sets of these lengths, in topics of any of the `recall_bases`.
    recall_bases : tuple of int or int, optional
        The smallest and the largest number of relevant documents of a topic; goes with `lengths`.

    Returns
    -------
    Scale or SetScale
        `size` is the number of distinct values; `rank(grades)` is the rank of a ranking, from 1 for the lowest value to
        `size`. `grades` are those of its documents, best rank first; a shorter list is filled with grade 0. With
        `lengths` and `recall_bases` a SetScale, whose `rank` takes a set [relevant retrieved, retrieved, relevant in
        all].

    Raises
    ------
    ParameterError
        If an argument is not valid, or the measure is an interval version, such as Interval(AP@10).
    ScaleError
        If the measure has no depth, needs counts that are not given, or has no value on a topic with these counts; or
        if it is not a measure of a set, and `lengths` are given.

    Examples
    --------
    >>> scale("DCG(base=2)@30").size
    805306368
    >>> scale("P@5").rank([1, 0, 1, 1, 0])
    4
    >>> print(scale("RBP(p=0.8)@1000").provenance)
    certified to within 1e-05

    Over sets of different lengths precision is an interval scale up to length 2 only:

    >>> scale("SetP", lengths=(1, 2), recall_bases=(1, 2)).interval
    True
    >>> scale("SetP", lengths=(1, 3), recall_bases=(1, 2)).interval
    False
    """
    check_arguments(scale, locals())
    wanted = parse(measure)
    if lengths is not None or recall_bases is not None:
        given: dict[str, object] = {"counts": counts, "universe": universe, "highest": highest}
        others = {name: value for name, value in given.items() if value is not None}
        others |= {} if tuple(levels) == (0, 1) else {"levels": levels}
        others |= {} if method == "auto" else {"method": method}
        return make_set_scale(wanted, lengths, recall_bases, **others)
    if wanted.interval_of is not None:
        raise ParameterError(f"{wanted} is on an interval scale already: name the measure in it")
    question = make_question(wanted, levels, counts, universe, highest)
    question.check_defined()
    return Scale(question, make_plan(question, method, deduplicate))
