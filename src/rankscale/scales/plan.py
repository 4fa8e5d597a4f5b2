"""Plan: how the values of a measure are counted, chosen by the structure of the measure and the predicted cost.

Nothing is counted before a rank, a size or a bracket is read.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.resources import announce, need
from rankscale.errors import ParameterError, ScaleError, Setting, Wording
from rankscale.measures.base import structure as kinds
from rankscale.measures.families.relative_position import Crossing
from rankscale.scales import estimates
from rankscale.scales.brackets.bracketing import Bracketing
from rankscale.scales.brackets.points import RankPoints
from rankscale.scales.counting import average_precision, halves, listed, products, rbp_ties, twist, windows
from rankscale.scales.counting.groups import ASSUMPTION, RankGroup, proven
from rankscale.scales.counting.image import Cost, Image, Provenance, RefusedImage, Universe
from rankscale.scales.counting.lexicographic import LexicographicImage, RankBasedImage, SetBasedImage
from rankscale.scales.estimates import PercentileEstimate, TieSample
from rankscale.scales.question import CountingStructure, Powers, Question, Roots

# Values add up rank by rank in whole numbers.
SUMMED = kinds.Precisions | kinds.GradedPrecisions | kinds.Blended | kinds.RankWeights | kinds.Stopping
METHODS = ("auto", "exact", "certified", "estimated")
QUICK, LITTLE = 0.05, 1 << 28  # seconds for each ranking, and bytes, up to which 'auto' counts exactly
AT_ONCE = 1e-3  # seconds for each ranking up to which exact ranks serve as points of brackets
SETUP, MUCH = 30.0, 1 << 31  # seconds of set-up, and bytes, for measures without brackets
BRACKETS_MEMORY, BRACKETS_WORK = 1 << 25, 96 << 20  # bytes that brackets keep, and take besides while they are made
DEEPEST_BRACKETS = 10_000  # ranks
NOTHING, NO_COST = Cost(0.0, 0.0, 0), Cost(0.0, 1e-5, 0)  # of what is refused, and of a closed form
CLOSED_FORMS: Mapping[type[CountingStructure], Callable[[Universe], Image]] = {
    kinds.GainSums: listed.sum_of_gains,
    kinds.FirstRelevant: listed.reciprocal_rank,
    kinds.AnyRelevant: listed.success,
    kinds.MixOfGains: SetBasedImage,
    kinds.FirstDifference: RankBasedImage,
}
WIDTH = 1e-5  # of certified brackets
ESTIMATED = "estimated from a sample of rankings, with 95% confidence"
PERCENTILES = (
    "percentiles only, not ranks: the share of all rankings that are no better, with 95% confidence (not an interval "
    "scale); rankings that tie are too many to count"
)
COMPARED_DIGITS = 12  # of values that are compared with a sample's: equal ones may differ by the order of a sum


@dataclass(frozen=True)
class CountingPlan:
    """An image to count with, and brackets or estimates where exact ranks would take too long.

    Rankings come as an array (ranking, rank) of places in the question's gains.
    """

    question: Question
    make: Callable[[], Image]
    cost: Cost = NOTHING
    groups: tuple[RankGroup, ...] = ()  # where values are sums over independent groups
    certified: bool = False
    assumption: str = ""  # what certified brackets rest on
    estimated: bool = False
    only_percentiles: bool = False  # estimates of shares of rankings, as ranks cannot be estimated
    exact_cost: Cost | None = None  # of exact ranks, where they are not counted

    @cached_property
    def image(self) -> Image:
        """The image of the measure; where it cannot be made, one that raises the reason when it is read."""
        instead: Wording = "choose a smaller depth"
        if not self.estimated and isinstance(self.question.structure, SUMMED):
            instead = (f"{instead}, or ", Setting("method", "estimated"))
        need(self.cost.peak, f"the interval scale of {self.question.measure}", instead)
        announce(self.cost.setup, f"counting the values of {self.question.measure}")
        try:
            return self.make()
        except ScaleError as reason:
            return RefusedImage(self.question.universe, reason)

    @cached_property
    def provenance(self) -> Provenance:
        """How ranks are obtained."""
        if self.brackets is not None:
            return Provenance("certified", self.brackets.words(self.assumption))
        if self.only_percentiles:
            return Provenance("refused", PERCENTILES)
        return Provenance("estimated", ESTIMATED) if self.estimated else self.image.provenance

    @cached_property
    def brackets(self) -> Bracketing | None:
        """Certified brackets of shares of values; None unless the plan is certified."""
        return Bracketing(self.groups, width=WIDTH) if self.certified else None

    @cached_property
    def sample(self) -> TieSample:
        """The sample that ranks are estimated from."""
        return estimates.tie_sample(self.image)

    @cached_property
    def points(self) -> RankPoints:
        """One number for each ranking on a certified scale, in the order of the measure's values."""
        law = self.brackets.law if self.brackets else None
        return RankPoints(self.groups, law, lambda count: self.image.ends(count)[0])

    @property
    def at_once(self) -> bool:
        """Whether exact ranks are counted in no time, although brackets were requested."""
        return self.exact_cost is not None and self.exact_cost.each <= AT_ONCE and self.exact_cost.memory <= LITTLE

    def mid_ranks(self, places: Ints) -> list[tuple[int, int]]:
        """For each ranking, the numbers of rankings with a lower value and with the same."""
        if self.exact_cost is not None:
            raise ScaleError(
                f"{self.question.measure}: mean ranks are counted exactly, which would take about "
                f"{self.exact_cost.each:.3g} s each; use ",
                Setting("method", "exact"),
            )
        return self.image.among_rankings(places)

    def percentiles(self, places: Ints, *, samples: int, seed: int, confidence: float) -> list[PercentileEstimate]:
        """The share of rankings no better than each: counted, within a bracket, or from one sample for all."""
        if self.certified:
            bounds = zip(*(bound.tolist() for bound in self._by_rankings.share(places)), strict=True)
            return [PercentileEstimate((lower + upper) / 2, lower, upper) for lower, upper in bounds]
        if not self.estimated:
            with suppress(ScaleError):
                return estimates.counted_percentiles(self.image, places)
        key = samples, seed
        if key not in self._samples:
            estimates.check_sample(samples, confidence)
            self._samples[key] = estimates.sampled_values(self.image.universe, self._rounded, samples, seed)
        return estimates.percentiles_in(self._samples[key], self._rounded(places), confidence)

    @cached_property
    def _samples(self) -> dict[tuple[int, int], Floats | Ints]:
        """Values of random rankings, by their number and seed."""
        return {}

    @cached_property
    def _by_rankings(self) -> Bracketing:
        return Bracketing(self.groups, width=WIDTH, by_rankings=True)

    def _rounded(self, places: Ints) -> Floats:
        return np.round(self.question.value_of(places), COMPARED_DIGITS)


def make_plan(question: Question, method: str = "auto", deduplicate: str = "exact") -> CountingPlan:
    """The plan for the requested method, or the best quick one.

    Where there is none, reading ranks raises the reason; run percentiles can always be estimated.
    """
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if deduplicate not in {"exact", "float"}:
        raise ParameterError(f"deduplicate must be 'exact' or 'float', got {deduplicate!r}")
    universe = question.universe  # raises where a depth or counts are lacking
    if universe.limits is not None and not halves.number_of_rankings(universe, universe.depth):
        raise ScaleError(f"{question.measure}: there are too few documents for any ranking of {universe.depth}")
    try:
        return _float_plan(question, method) if deduplicate == "float" else _plan(question, method)
    except ScaleError as reason:
        return CountingPlan(question, partial(RefusedImage, universe, reason))


def _plan(question: Question, method: str) -> CountingPlan:
    known, universe = question.structure, question.universe
    if len(universe.gains) == 1:  # there is one ranking, and so one value
        return CountingPlan(question, partial(listed.sum_of_gains, universe), NO_COST)
    if isinstance(known, Roots | Powers) and not (isinstance(known, Powers) and (known.lexicographic or known.tied)):
        return _product(question, known, method)
    if method == "estimated" and isinstance(known, SUMMED | kinds.Unknown):
        return _estimated(question, known)
    _refuse(question, method, "certified", "estimated")
    cost, make = _exact_image(question, known)
    if method == "auto" and (cost.setup > SETUP or cost.peak > MUCH):
        others = (", ", Setting("method", "estimated"), ", run_percentile()") if isinstance(known, SUMMED) else ()
        raise ScaleError(
            f"{question.measure}: exact ranks would take about {cost.setup:,.0f} s of set-up and "
            f"{cost.peak >> 20:,} MB; use ",
            Setting("method", "exact"),
            others,
            ", or a smaller depth",
        )
    return CountingPlan(question, make, cost)


def _estimated(question: Question, known: CountingStructure) -> CountingPlan:
    """Ranks from a sample where the ties of rankings can be counted; percentiles where they cannot."""
    try:
        recurrence = _recurrence(question, known)
        cost = estimates.predicted(halves.Halves(question.universe, recurrence))
        return CountingPlan(question, partial(windows.WindowImage, question.universe, recurrence), cost, estimated=True)
    except ScaleError:
        reason = ScaleError(
            f"{question.measure}: ranks among distinct values cannot be estimated here, as the rankings that tie with "
            f"a sampled one are too many to count; Percentile({question.measure}), the share of all rankings that are "
            "no better, can be (it is not an interval scale)"
        )
        return CountingPlan(question, partial(RefusedImage, question.universe, reason), only_percentiles=True)


def _refuse(question: Question, method: str, *methods: str, instead: str = "exact") -> None:
    if method in methods:
        why = f"{question.measure}: there is no {method} method for its values; use "
        raise ScaleError(why, Setting("method", instead))


def _product(question: Question, known: Roots | Powers, method: str) -> CountingPlan:
    """Sums over independent groups: exact where that is quick, otherwise certified brackets."""
    _refuse(question, method, "estimated", instead="auto")
    universe, groups = question.universe, known.groups
    sure = isinstance(known, Powers) or proven(universe.depth, known.base, question.gains, known.shift)
    assumption = "" if sure else ASSUMPTION
    try:
        cost = products.predicted(groups, universe.limits)
    except ScaleError:
        if method == "exact":
            raise
        cost = None
    words = ", ".join(["exact", "sums over independent groups of ranks", *([assumption] if assumption else [])])
    make = partial(products.ProductImage, universe, groups, words)
    quick = cost is not None and cost.each <= QUICK and cost.setup <= SETUP and cost.memory <= LITTLE
    if cost is not None and (method == "exact" or (method == "auto" and quick)):
        return CountingPlan(question, make, cost, groups)
    if universe.limits is not None:
        exact = Setting("method", "exact")
        takes = (f"would take {cost.each:.3g} s each; use ", exact, ", ") if cost else "are out of reach; use "
        raise ScaleError(
            f"{question.measure}: there are no brackets for feasible rankings, and exact ranks ",
            takes,
            Setting("universe", "all"),
            " or a smaller depth",
        )
    if universe.depth > DEEPEST_BRACKETS:
        raise ScaleError(f"{question.measure}: brackets are made to depth {DEEPEST_BRACKETS:,}; use a smaller one")
    setup = 0.3 + 3e-4 * universe.depth
    return CountingPlan(
        question,
        make,
        Cost(setup, 1e-3, BRACKETS_MEMORY, BRACKETS_WORK),
        groups,
        certified=True,
        assumption=assumption,
        exact_cost=cost,
    )


def _exact_image(question: Question, known: CountingStructure) -> tuple[Cost, Callable[[], Image]]:  # noqa: PLR0911  # one a case
    """The predicted cost of the exact image, and a function that makes it, for measures without brackets."""
    universe = question.universe
    if type(known) in CLOSED_FORMS:
        ranked = isinstance(known, kinds.MixOfGains | kinds.FirstDifference)
        cost = NO_COST if ranked else listed.predicted(universe, sums=isinstance(known, kinds.GainSums))
        return cost, partial(CLOSED_FORMS[type(known)], universe)
    match known:
        case Powers() if known.lexicographic:
            return Cost(0.0, 1e-5 * universe.depth, 0), partial(LexicographicImage, universe, known.p)
        case Powers():
            return rbp_ties.predicted(universe, known.p), partial(rbp_ties.TiedImage, universe, known.p)
        case kinds.Precisions():
            return average_precision.predicted(universe), partial(average_precision.average_precision, universe)
        case kinds.Blended() if not question.recall_base or (listed.few(universe) and not _fits(question, known)):
            return listed.cost_of_enumeration(universe), partial(listed.EnumeratedImage, universe, question.value_of)
        case kinds.RankWeights() | kinds.Stopping() | kinds.GradedPrecisions() | kinds.Blended():
            recurrence = _recurrence(question, known)
            return windows.predicted(universe, recurrence), partial(windows.WindowImage, universe, recurrence)
        case kinds.Twisted(crossing):
            return _twist(question, crossing)
        case _:
            return listed.cost_of_enumeration(universe), partial(listed.EnumeratedImage, universe, question.value_of)


def _fits(question: Question, known: CountingStructure) -> bool:
    """Whether values are whole numbers of few enough digits."""
    try:
        return bool(halves.Halves(question.universe, _recurrence(question, known)))
    except ScaleError:
        return False


def _recurrence(question: Question, known: CountingStructure) -> halves.Recurrence:
    """How values add up rank by rank in whole numbers; ScaleError where that is not known."""
    universe = question.universe
    match known:
        case kinds.Precisions():
            average_precision.refuse_grades(universe)
            return average_precision.sum_of_precisions(universe.depth)
        case kinds.RankWeights():
            return halves.weighted_sum(universe.gains, known.weights[: universe.depth])
        case kinds.Stopping():
            return halves.ReciprocalRanks(universe.depth, universe.gains)
        case kinds.GradedPrecisions():
            return halves.precisions_of_grades(universe.gains, universe.depth)
        case kinds.Blended(beta):
            return question.blended(beta)
        case _:
            raise ScaleError(f"{question.measure}: its values are not known to add up rank by rank")


def _twist(question: Question, crossing: Crossing) -> tuple[Cost, Callable[[], Image]]:
    measure, universe = question.measure, question.universe
    if question.depth < 2 * question.recall_base:
        raise ScaleError(
            f"{measure}: rankings are padded to twice the {question.recall_base} relevant documents; "
            f"use a depth of {2 * question.recall_base} or more"
        )
    grades, most = len(question.gains) - 1, universe.limits.most if universe.limits else ()
    if len(most) != grades:
        raise ScaleError(f"{measure} needs the number of documents of each of the {grades} relevant grades")
    return twist.predicted(universe, most), partial(twist.TwistImage, universe, most, crossing)


def _float_plan(question: Question, method: str) -> CountingPlan:
    """Distinct floating-point sums of AP, as published tables counted them."""
    _refuse(question, method, "certified", "estimated")
    if not isinstance(question.structure, kinds.Precisions):
        raise ScaleError(
            f"{question.measure}: ", Setting("deduplicate", "float"), " is for AP only, to repeat published tables"
        )
    cost = average_precision.cost_of_floats(question.universe)
    if method == "auto" and cost.memory > LITTLE:
        raise ScaleError(
            f"{question.measure} with ",
            Setting("deduplicate", "float"),
            f" would list all rankings and take {cost.memory >> 20:,} MB; use ",
            Setting("method", "exact"),
            " to do so",
        )
    return CountingPlan(question, partial(average_precision.FloatImage, question.universe), cost)
