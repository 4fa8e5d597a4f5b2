"""Which way to count: chosen, and its cost predicted, before any counting starts."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base import Measure
from rankscale.measures.twist import Twist
from rankscale.scales import (
    average_precision,
    enumeration,
    expected_reciprocal_rank,
    float_sums,
    listed,
    products,
    rbp_ties,
    twist,
    weighted_sums,
)
from rankscale.scales.brackets import Bracketing
from rankscale.scales.enumeration import EnumeratedImage
from rankscale.scales.estimates import (
    Estimate,
    Percentile,
    counted_percentile,
    estimated_ranks,
    estimated_share,
    sampled_percentile,
)
from rankscale.scales.float_sums import FloatImage
from rankscale.scales.groups import Group
from rankscale.scales.image import Cost, Image, Provenance, RefusedImage, Universe
from rankscale.scales.independence import ASSUMPTION, proven
from rankscale.scales.lexicographic import LexicographicImage
from rankscale.scales.products import ProductImage
from rankscale.scales.question import Question, UniverseName, only_feasible
from rankscale.scales.rbp_bases import RationalBase
from rankscale.scales.rbp_ties import TiedImage
from rankscale.scales.structure import (
    AnyRelevant,
    FirstRelevant,
    Powers,
    Precisions,
    Roots,
    Stopping,
    Structure,
    Sums,
    Twisted,
    Weights,
    has_structure,
    structure,
)
from rankscale.scales.tails import log10_share
from rankscale.scales.twist import TwistImage

METHODS = ("auto", "exact", "certified", "estimated")
QUICK, LITTLE = 0.05, 1 << 28  # seconds for each ranking, and bytes, up to which 'auto' counts exactly
SETUP = 120.0  # seconds of set-up up to which it does
WIDTH = 1e-5  # of certified brackets
ESTIMATED = "estimated from a sample of rankings, with 95% confidence"


@dataclass(frozen=True)
class Plan:
    """A way to count: an image, and brackets or estimates where exact ranks would take too long."""

    question: Question
    image: Image
    cost: Cost
    groups: tuple[Group, ...] = ()  # where values are sums over independent groups
    certified: bool = False
    assumption: str = ""  # what certified brackets rest on
    estimated: bool = False
    exact_cost: Cost | None = None  # what exact ranks would take, where they are not counted

    @cached_property
    def provenance(self) -> Provenance:
        """Where ranks come from."""
        if self.brackets is not None:
            return Provenance("certified", self.brackets.words(self.assumption))
        return Provenance("estimated", ESTIMATED) if self.estimated else self.image.provenance

    @cached_property
    def brackets(self) -> Bracketing | None:
        """Set up when first asked."""
        return Bracketing(self.groups, width=WIDTH) if self.certified else None

    def shares(self, places: Ints) -> tuple[Floats, Floats]:
        """(ranking,) twice: between which shares of all values each ranking's rank lies."""
        if self.brackets is not None:
            return self.brackets.share(places)
        return estimated_share(self.image, places)

    def estimated_size(self) -> Estimate:
        """How many values there are, about."""
        lowest = np.zeros((1, self.image.universe.depth), dtype=np.int64)
        return estimated_ranks(self.image, lowest)[0].size

    def log10_share(self, places: Ints) -> tuple[float, float]:
        """The logarithm of the share of values that do not exceed a ranking's, between certain ends."""
        if not self.groups:
            raise ScaleError(f"{self.question.measure}: the size of a rank is known only where ranks are")
        return log10_share(self.groups, places[0])

    def percentile(self, places: Ints, *, samples: int, seed: int, confidence: float) -> Percentile:
        """The share of rankings that are no better: counted, or from a sample where that takes too long."""
        if not self.certified and not self.estimated:
            with suppress(ScaleError):
                return counted_percentile(self.image, places)
        return sampled_percentile(
            self.image.universe, self._rounded, places, samples=samples, seed=seed, confidence=confidence
        )

    def _rounded(self, places: Ints) -> Floats:
        """Values that are compared with a sample's: equal ones must not differ by the order of a sum."""
        return np.round(self.question.value_of(places), 12)

    @cached_property
    def shown(self) -> Callable[[Floats], Floats]:
        """What makes values of the measure from those of the image, which leave constant factors out."""
        return _shown(self.question)


def asked(
    measure: Measure,
    levels: Sequence[float],
    counts: Sequence[int] | int | None,
    universe: UniverseName | None,
    highest: float | None,
    *,
    with_unjudged: bool = False,
) -> Question:
    """The question, with what was left open filled in."""
    grades = tuple(sorted({float(level) for level in levels}))
    if not grades or not np.isfinite(grades).all():
        raise ParameterError(f"levels must be one or more numbers, got {levels!r}")
    if universe not in {None, "all", "feasible"}:
        raise ParameterError(f"universe must be 'all' or 'feasible', got {universe!r}")
    if counts is not None and not isinstance(counts, int) and len(counts) != len(grades):
        raise ParameterError(f"counts must have a number for each of the levels {grades}, got {tuple(counts)}")
    feasible = _feasible(measure, universe)
    return Question(
        measure,
        grades,
        max(grades) if highest is None else highest,
        counts if counts is None or isinstance(counts, int) else tuple(int(count) for count in counts),
        feasible,
        by_grade=not has_structure(type(measure)),
        with_unjudged=with_unjudged,
    )


def _feasible(measure: Measure, universe: UniverseName | None) -> bool:
    limited = only_feasible(measure) or (measure.uses_recall_base and not has_structure(type(measure)))
    if universe == "all" and limited:
        raise ScaleError(
            f"{measure} makes no sense for rankings with more relevant documents than there are; "
            "ask for universe='feasible'"
        )
    return limited or universe == "feasible"


def shared_by_topics(measure: Measure, universe: UniverseName | None) -> bool:
    """Whether all topics have the same scale: none where a ranking can hold more than there is, or RB only divides."""
    return not _feasible(measure, universe)


def plan(question: Question, method: str = "auto", deduplicate: str = "exact") -> Plan:
    """The way to count that is asked for, or the best that is quick.

    Where there is none, the plan says why when it is asked for ranks; a share of random rankings can always be given.
    """
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    universe = question.universe  # refused here where a depth or counts are lacking
    try:
        return _planned(question, method, deduplicate)
    except ScaleError as reason:
        image = RefusedImage(universe, reason)
        return Plan(question, image, Cost(0.0, 0.0, 0))


def _planned(question: Question, method: str, deduplicate: str) -> Plan:
    found = structure(question)
    if deduplicate == "float":
        return _told_apart_as_floats(question, found, method)
    if isinstance(found, Powers) and (found.lexicographic or found.tied):
        _refuse(question, method, "certified", "estimated")
        return _powers(question, found)
    if isinstance(found, Roots | Powers):
        return _product(question, found, method)
    if isinstance(found, Precisions):
        return _precisions(question, method)
    _refuse(question, method, "certified", "estimated")
    return _others(question, found)


def _refuse(question: Question, method: str, *methods: str) -> None:
    if method in methods:
        raise ScaleError(
            f"{question.measure}: there is no {method} way to count its values; method='exact' is how they are counted"
        )


def _powers(question: Question, found: Powers) -> Plan:
    """RBP by the first difference, or with ties."""
    universe = question.universe
    if found.lexicographic:
        image: Image = LexicographicImage(universe, found.p)
        return Plan(question, image, Cost(0.0, 1e-5 * universe.depth, 0))
    base = RationalBase(found.p)
    cost = rbp_ties.predicted(universe, base)
    image = TiedImage(universe, base)
    return Plan(question, image, cost)


def _product(question: Question, found: Roots | Powers, method: str) -> Plan:
    """Sums over independent groups: exact where that is quick, within certified brackets where not."""
    _refuse(question, method, "estimated")
    universe = question.universe
    assumption = (
        ""
        if isinstance(found, Powers) or proven(universe.depth, found.base, question.gains, found.shift)
        else ASSUMPTION
    )
    cost, refused = _predicted_product(found.groups, universe)
    words = ", ".join(["exact", "sums over independent groups of ranks", *([assumption] if assumption else [])])
    image = ProductImage(universe, found.groups, words)
    quick = cost is not None and cost.each <= QUICK and cost.setup <= SETUP and cost.memory <= LITTLE
    if method == "exact" and refused is not None:
        raise refused
    if cost is not None and (method == "exact" or (method == "auto" and quick)):
        return Plan(question, image, cost, found.groups)
    if universe.limits is not None:
        takes = f"would take {cost.each:.3g} s each; ask for method='exact'," if cost else "are out of reach; ask"
        raise ScaleError(
            f"{question.measure}: there are no brackets for feasible rankings, and exact ranks {takes} for "
            "universe='all' or for fewer ranks"
        )
    return Plan(
        question,
        image,
        Cost(1.0, 1e-4, 1 << 27),
        found.groups,
        certified=True,
        assumption=assumption,
        exact_cost=cost,
    )


def _predicted_product(groups: tuple[Group, ...], universe: Universe) -> tuple[Cost | None, ScaleError | None]:
    try:
        return products.predicted(groups, universe.limits), None
    except ScaleError as refused:
        return None, refused


def _precisions(question: Question, method: str) -> Plan:
    """AP: exact where a table or little time is enough; estimated only on request."""
    _refuse(question, method, "certified")
    universe = question.universe
    if method == "estimated":
        image = average_precision.average_precision(universe)
        return Plan(question, image, Cost(10.0, 1.0, LITTLE), estimated=True)
    cost = average_precision.predicted(universe)
    if method == "auto" and (cost.setup > SETUP or cost.memory > LITTLE):
        raise ScaleError(
            f"{question.measure}: exact ranks would take {cost.setup:,.0f} s of set-up and {cost.memory >> 20:,} MB; "
            "ask for them with method='exact', for method='estimated', for run_percentile(), or for 30 ranks or fewer"
        )
    image = average_precision.average_precision(universe)
    return Plan(question, image, cost)


def _others(question: Question, found: Structure) -> Plan:
    """Measures that are counted in one way only."""
    universe = question.universe
    cost, make = Cost(0.0, 1e-5, 0), _closed_form(universe, found)
    if isinstance(found, Weights):
        cost = weighted_sums.predicted(universe, found.weights)
        make = partial(weighted_sums.weighted_sums, universe, found.weights)
    elif isinstance(found, Stopping):
        cost = expected_reciprocal_rank.predicted(universe)
        make = partial(expected_reciprocal_rank.expected_reciprocal_rank, universe)
    elif isinstance(found, Twisted):
        cost, make = twist.predicted(universe, _relevant_counts(question)), partial(_twist, question)
    elif make is None:
        cost, make = enumeration.predicted(universe), partial(EnumeratedImage, universe, question.value_of)
    image = make()
    return Plan(question, image, cost)


def _closed_form(universe: Universe, found: Structure) -> Callable[[], Image] | None:
    if isinstance(found, Sums):
        return partial(listed.sum_of_gains, universe)
    if isinstance(found, FirstRelevant):
        return partial(listed.reciprocal_rank, universe)
    return partial(listed.success, universe) if isinstance(found, AnyRelevant) else None


def _twist(question: Question) -> Image:
    measure = question.measure
    assert isinstance(measure, Twist)  # noqa: S101  # its structure says so
    if question.depth < 2 * question.recall_base:
        raise ScaleError(
            f"{measure}: rankings are padded to twice the {question.recall_base} relevant documents; "
            f"ask for a depth of {2 * question.recall_base} or more"
        )
    return TwistImage(question.universe, _relevant_counts(question), measure.crossing)


def _relevant_counts(question: Question) -> tuple[int, ...]:
    """Documents of each relevant grade, lowest first."""
    grades, limits = len(question.gains) - 1, question.universe.limits
    most = limits.most if limits else ()
    if len(most) != grades:
        raise ScaleError(
            f"{question.measure} asks how many documents of each of the {grades} relevant grades there are"
        )
    return most


def _told_apart_as_floats(question: Question, found: Structure, method: str) -> Plan:
    _refuse(question, method, "certified", "estimated")
    if not isinstance(found, Precisions):
        raise ScaleError(f"{question.measure}: only values of AP are told apart as floats, to repeat published tables")
    cost = float_sums.predicted(question.universe)
    if method == "auto" and cost.memory > LITTLE:
        raise ScaleError(
            f"{question.measure} with deduplicate='float' would list all rankings and take {cost.memory >> 20:,} MB; "
            "ask for it with method='exact'"
        )
    return Plan(question, FloatImage(question.universe), cost)


def equally_spaced(question: Question) -> bool:
    """Whether values are known to be equally spaced: weights of ranks are then those of the digits of a number."""
    found = structure(question)
    if not isinstance(found, Powers):
        return False
    steps = {after - before for before, after in pairwise(found.gains)}
    return len(steps) == 1 and found.p == Fraction(1, len(found.gains))


def _shown(question: Question) -> Callable[[Floats], Floats]:
    found, value_of, depth = structure(question), question.value_of, question.depth
    if isinstance(found, Sums) and len(question.gains) == 2:
        low, high = map(float, question.gains)
        return lambda sums: value_of((np.arange(depth) < np.rint((sums[:, None] - low * depth) / (high - low))) + 0)
    if isinstance(found, FirstRelevant):
        return lambda reciprocals: value_of(_first_at(reciprocals, depth))
    if isinstance(found, Powers) and (found.lexicographic or found.tied):
        return lambda values: values
    if isinstance(found, Sums | Roots | Powers | Weights | Precisions) and len(question.gains) > 1:
        ends = value_of(np.array([[0] * depth, [len(question.gains) - 1] + [0] * (depth - 1)]))
        weight = float(found.weights[0]) if isinstance(found, Weights) else 1.0
        factor = float(ends[1] - ends[0]) / (float(question.gains[-1] - question.gains[0]) * weight)
        return lambda values: values * factor
    return lambda values: values


def _first_at(reciprocals: Floats, depth: int) -> Ints:
    """Rankings whose first relevant document is where these reciprocals say; 0 for none."""
    first = np.rint(np.divide(1.0, reciprocals, out=np.zeros(len(reciprocals)), where=reciprocals > 0))
    places: Ints = (np.arange(1, depth + 1) == first[:, None]).astype(np.int64)
    return places
