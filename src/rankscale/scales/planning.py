"""Which way to count: chosen, and its cost predicted, before any counting starts."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.structure import (
    AnyRelevant,
    FirstRelevant,
    Precisions,
    Stopping,
    Sums,
    Twisted,
    Weights,
)
from rankscale.scales.counting import (
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
from rankscale.scales.counting.enumeration import EnumeratedImage
from rankscale.scales.counting.float_sums import FloatImage
from rankscale.scales.counting.groups import Group
from rankscale.scales.counting.halves import number_of_rankings
from rankscale.scales.counting.image import Cost, Image, RefusedImage, Universe
from rankscale.scales.counting.independence import ASSUMPTION, proven
from rankscale.scales.counting.lexicographic import LexicographicImage
from rankscale.scales.counting.products import ProductImage
from rankscale.scales.counting.rbp_bases import RationalBase
from rankscale.scales.counting.rbp_ties import TiedImage
from rankscale.scales.counting.twist import TwistImage
from rankscale.scales.plan import Plan
from rankscale.scales.question import Question
from rankscale.scales.structure import Powers, Roots, Structure, structure

METHODS = ("auto", "exact", "certified", "estimated")
QUICK, LITTLE = 0.05, 1 << 28  # seconds for each ranking, and bytes, up to which 'auto' counts exactly
SETUP, MUCH = 30.0, 1 << 30  # seconds of set-up, and bytes where there is no other way
DEEPEST_BRACKETS = 10_000  # ranks
NO_COST = Cost(0.0, 1e-5, 0)


def plan(question: Question, method: str = "auto", deduplicate: str = "exact") -> Plan:
    """The way to count that is asked for, or the best that is quick.

    Where there is none, the plan says why when it is asked for ranks; a share of random rankings can always be given.
    """
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if deduplicate not in {"exact", "float"}:
        raise ParameterError(f"deduplicate must be 'exact' or 'float', got {deduplicate!r}")
    universe = question.universe  # refused here where a depth or counts are lacking
    if universe.limits is not None and not number_of_rankings(universe, universe.depth):
        raise ScaleError(f"{question.measure}: there are too few documents for any ranking of {universe.depth}")
    try:
        return _planned(question, method, deduplicate)
    except ScaleError as reason:
        return Plan(question, partial(RefusedImage, universe, reason), Cost(0.0, 0.0, 0))


def _planned(question: Question, method: str, deduplicate: str) -> Plan:
    found, universe = structure(question), question.universe
    if deduplicate == "float":
        return _told_apart_as_floats(question, found, method)
    if len(universe.gains) == 1:  # there is one ranking, and so one value
        return Plan(question, partial(listed.sum_of_gains, universe), NO_COST)
    if isinstance(found, Roots | Powers) and not (isinstance(found, Powers) and (found.lexicographic or found.tied)):
        return _product(question, found, method)
    if isinstance(found, Precisions) and method == "estimated":
        precisions = partial(average_precision.average_precision, universe)
        return Plan(question, precisions, Cost(10.0, 1.0, LITTLE), estimated=True)
    _refuse(question, method, "certified", "estimated")
    cost, make = _only_way(question, found)
    if method == "auto" and (cost.setup > SETUP or cost.memory > MUCH):
        others = ", for method='estimated', for run_percentile()" if isinstance(found, Precisions) else ""
        raise ScaleError(
            f"{question.measure}: exact ranks would take about {cost.setup:,.0f} s of set-up and "
            f"{cost.memory >> 20:,} MB; ask for them with method='exact'{others}, or for fewer ranks"
        )
    return Plan(question, make, cost)


def _refuse(question: Question, method: str, *methods: str) -> None:
    if method in methods:
        raise ScaleError(
            f"{question.measure}: there is no {method} way to count its values; method='exact' is how they are counted"
        )


def _product(question: Question, found: Roots | Powers, method: str) -> Plan:
    """Sums over independent groups: exact where that is quick, within certified brackets where not."""
    _refuse(question, method, "estimated")
    universe, groups = question.universe, found.groups
    sure = isinstance(found, Powers) or proven(universe.depth, found.base, question.gains, found.shift)
    assumption = "" if sure else ASSUMPTION
    cost, refused = _predicted_product(groups, universe)
    words = ", ".join(["exact", "sums over independent groups of ranks", *([assumption] if assumption else [])])
    make = partial(ProductImage, universe, groups, words)
    quick = cost is not None and cost.each <= QUICK and cost.setup <= SETUP and cost.memory <= LITTLE
    if method == "exact" and refused is not None:
        raise refused
    if cost is not None and (method == "exact" or (method == "auto" and quick)):
        return Plan(question, make, cost, groups)
    if universe.limits is not None:
        takes = f"would take {cost.each:.3g} s each; ask for method='exact'," if cost else "are out of reach; ask"
        raise ScaleError(
            f"{question.measure}: there are no brackets for feasible rankings, and exact ranks {takes} for "
            "universe='all' or for fewer ranks"
        )
    if universe.depth > DEEPEST_BRACKETS:
        raise ScaleError(f"{question.measure}: brackets are made to {DEEPEST_BRACKETS:,} ranks; ask for fewer")
    setup = 0.3 + 3e-4 * universe.depth
    return Plan(
        question, make, Cost(setup, 1e-3, 1 << 27), groups, certified=True, assumption=assumption, exact_cost=cost
    )


def _predicted_product(groups: tuple[Group, ...], universe: Universe) -> tuple[Cost | None, ScaleError | None]:
    try:
        return products.predicted(groups, universe.limits), None
    except ScaleError as refused:
        return None, refused


def _only_way(question: Question, found: Structure) -> tuple[Cost, Callable[[], Image]]:  # noqa: PLR0911  # one a case
    """What is counted in one way only: its cost, and what makes the image."""
    universe = question.universe
    match found:
        case Sums():
            return NO_COST, partial(listed.sum_of_gains, universe)
        case FirstRelevant():
            return NO_COST, partial(listed.reciprocal_rank, universe)
        case AnyRelevant():
            return NO_COST, partial(listed.success, universe)
        case Powers() if found.lexicographic:
            return Cost(0.0, 1e-5 * universe.depth, 0), partial(LexicographicImage, universe, found.p)
        case Powers():
            base = RationalBase(found.p)
            return rbp_ties.predicted(universe, base), partial(TiedImage, universe, base)
        case Weights():
            make = partial(weighted_sums.weighted_sums, universe, found.weights)
            return weighted_sums.predicted(universe, found.weights), make
        case Precisions():
            return average_precision.predicted(universe), partial(average_precision.average_precision, universe)
        case Stopping():
            make = partial(expected_reciprocal_rank.expected_reciprocal_rank, universe)
            return expected_reciprocal_rank.predicted(universe), make
        case Twisted(crossing):
            return _twist(question, crossing)
        case _:
            return enumeration.predicted(universe), partial(EnumeratedImage, universe, question.value_of)


def _twist(question: Question, crossing: Literal["return", "literal", "positive"]) -> tuple[Cost, Callable[[], Image]]:
    measure, universe = question.measure, question.universe
    if question.depth < 2 * question.recall_base:
        raise ScaleError(
            f"{measure}: rankings are padded to twice the {question.recall_base} relevant documents; "
            f"ask for a depth of {2 * question.recall_base} or more"
        )
    grades, most = len(question.gains) - 1, universe.limits.most if universe.limits else ()
    if len(most) != grades:
        raise ScaleError(f"{measure} asks how many documents of each of the {grades} relevant grades there are")
    return twist.predicted(universe, most), partial(TwistImage, universe, most, crossing)


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
    return Plan(question, partial(FloatImage, question.universe), cost)
