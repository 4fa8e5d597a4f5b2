"""Measure: a formula with its parameters, as a value that can be compared, hashed, printed and parsed back."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, Self, SupportsIndex, TypeVar

import numpy as np

from rankscale.data.arrays import MEAN_DIGITS, Bools, Floats, Ints, significant
from rankscale.data.aspects import Aspects
from rankscale.data.exact_sums import rounded_sums
from rankscale.data.judged import BEYOND, Judged, judged
from rankscale.data.orders import SOME_ORDERS, TieOrders
from rankscale.errors import BoundsError, ParameterError, ScaleError, Setting, echoed
from rankscale.measures.base.parameters import DocstringSection, checked, declared
from rankscale.measures.base.structure import EVEN, UNKNOWN, Structure, as_written, equal_steps, equal_steps_possible
from rankscale.measures.base.ties import RankingView, end_of, frozen_below, is_some, tied_mean, tied_range

if TYPE_CHECKING:
    from rankscale.measures.base.additive import Additive

ScaleType = Literal["ordinal", "interval", "ratio"]
BestFirst = Literal["always", "uncut", "never"]
Numbers = Floats | Ints  # counts serve as well as real numbers
GEOMETRIC_FLOOR = 1e-5  # as trec_eval: a topic with value 0 would make any geometric mean 0
DEEPEST = int(BEYOND) - 1  # depth; ranks are numbers of 32 bits, of which the largest is none
LONGEST_GAIN = 256  # bits of a gain as a fraction, where rankings are counted exactly
OF = "of"  # the parameter that is itself a measure: written first, without its name, as in AvgPos(nDCG(base=2))
ROUNDING = 1e-12  # a gain as a fraction and as a double differ by no more, relative to it
# Laws that most measures hold, see `exceptions`; those tell that a measure does not respect the partial order.
MOVED_UP, ABOVE = "moving_a_relevant_document_up_never_costs", "a_ranking_above_another_is_never_worse"
RATIO_SCALE = "gains are on a ratio scale"  # the condition under which more than two gains add up to something
SHORT = 3  # ranks: values of so short rankings are so few that they can be equally spaced by any formula
LONG = 1e15  # whole numbers from here on are written with an exponent


M = TypeVar("M", bound="Measure")


class MeasureType(type):
    """The type of measure classes: `nDCG @ 10` is the measure with its defaults, at this depth."""

    def __matmul__(cls: type[M], at: float | SupportsIndex) -> M:  # type: ignore[misc]  # classes of this type are measures
        return cls(**{cls.at_parameter: at})  # type: ignore[arg-type]  # as the parameter is declared


@dataclass(frozen=True)
class Measure(metaclass=MeasureType):
    """A formula with its parameters.

    A measure writes `total`: what cumulates down the ranking, at every judged entry. Measures that differ only in depth
    share it. `read` takes the value off it at a depth, and `curve` shows it at every entry; both divide by `norm`.
    """

    name: ClassVar[str]  # the name of the class unless given
    aliases: ClassVar[tuple[str, ...]] = ()  # other spellings that are understood; subclasses do not inherit them
    formula = DocstringSection("Formula")  # in one line of plain text
    paper = DocstringSection("References")
    # The user whom the formula has in mind, as a predicate: "reads k documents".
    user_model = DocstringSection("User model")
    uses_recall_base: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0, 1)
    limits_note: ClassVar[str] = ""  # the limits in words, where parameters decide about them
    scale: ClassVar[ScaleType] = "ordinal"  # for a fixed depth and recall base; see scale_type()
    scale_known: ClassVar[bool] = True  # whether the scale is known; of values that were read, it need not be
    divided_by_length: ClassVar[bool] = False  # whether a value without a depth is over the length of the ranking
    feasible_only: ClassVar[bool] = False  # whether a ranking must not hold more relevant documents than the topic has
    values_follow_gains: ClassVar[bool] = False  # whether grades with equal gains are interchangeable
    graded: ClassVar[bool] = False  # whether documents count by their grade unless other gains are given
    needs_all_levels: ClassVar[bool] = False  # whether grades that no document of a topic has change its value
    mean_digits: ClassVar[int] = MEAN_DIGITS  # significant digits to which means of runs are compared
    summary: ClassVar[Literal["mean", "sum", "geometric"]] = "mean"  # how topics become one number
    needs_depth: ClassVar[bool] = False
    takes_depth: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = False  # of a ranking, only the ranks of relevant documents and its length count
    exceptions: ClassVar[Mapping[str, str]] = MappingProxyType({})  # laws that do not hold for it, and why
    at_parameter: ClassVar[str] = "depth"  # the parameter written after the @; IPrec has its recall there
    over_ideal: ClassVar[bool] = False  # whether values are shares of what the ideal ranking reaches
    low_is_good: ClassVar[bool] = False  # where the best run has the lowest value
    direction_note: ClassVar[str] = ""  # why neither the highest nor the lowest value is the best, where that is so
    warn_above: ClassVar[float] = math.inf  # values above this are possible, and are pointed out
    doubtful_below: ClassVar[float] = -math.inf  # means below this, as of judged documents, make other values doubtful
    measures_effort: ClassVar[bool] = False  # whether 0 is all avoidable effort and 1 none, as for Twist
    looks_ahead: ClassVar[bool] = False  # whether the value at a depth depends on what is retrieved below it
    example: ClassVar[str] = ""  # how it is written, without a depth, where a parameter must be given
    needs_scores: ClassVar[bool] = False  # whether it looks at what the run gave each document
    # Whether many rankings at once are measured in far less time than one by one.
    prefers_large_batches: ClassVar[bool] = False
    by_subtopic: ClassVar[bool] = False  # whether it looks at the grades of each sub-topic, not only at the highest
    by_assessor: ClassVar[bool] = False  # whether it looks at the judgments of each assessor
    undefined: ClassVar[str] = ""  # when a ranking has no value (NaN), in words
    bounded: ClassVar[bool] = False  # whether what is unjudged gives bounds: a better grade anywhere never lowers it
    why_unbounded: ClassVar[str] = "a better grade of one document can lower the value"  # the reason where it is not
    # Whether ties in their best and worst orders have the extreme values; uncut: unless a depth parts a tie group.
    # Where nothing is declared, measures of relevance alone say it by their laws: see `tie_order`.
    best_first: ClassVar[BestFirst | None] = None
    drawn_ties: ClassVar[str] = ""  # in which cases there is no exact mean over tied documents, in words
    unbounded_depth: ClassVar[bool] = False  # whether ranks beyond the depth could still add to the value; see beyond()

    depth: int | None = field(default=None, kw_only=True)
    judged_only: bool = field(default=False, kw_only=True)

    def __init_subclass__(cls) -> None:
        """Give the class its own name and no aliases, unless it declares them."""
        cls.name = vars(cls).get("name", cls.__name__)
        cls.aliases = vars(cls).get("aliases", ())

    def __post_init__(self) -> None:
        if isinstance(self.depth, int) and self.depth > DEEPEST:
            wanted = f"{self.name}: the depth must be a whole number from 1 to {DEEPEST}"
            raise ParameterError(f"{wanted}, got {echoed(self.depth)}")
        for parameter in declared(type(self)):
            given = getattr(self, parameter.name)
            value = checked(self, parameter, given)
            if value is not given:
                object.__setattr__(self, parameter.name, value)
        if self.depth is not None and not self.takes_depth:
            raise ParameterError(f"{self.name} takes no depth, got @{self.depth}")
        if self.depth is not None and self.depth < 1:
            raise ParameterError(f"{self.name}: the depth must be a whole number from 1, got {self.depth!r}")
        self.check()

    def check(self) -> None:
        """Raise ParameterError for parameters that do not go together; called when the measure is made.

        Kinds and limits of each parameter alone were checked before, as they are declared with `param`.
        """

    def check_measurable(self) -> None:
        """Raise ParameterError where a depth is needed and missing; called before anything is measured."""
        if self.depth is None and self.needs_depth:
            raise ParameterError(f"{self.name}: a depth is needed, as in {self.name}@10")

    @classmethod
    def from_arguments(cls, given: Mapping[str, object]) -> "tuple[type[Measure], dict[str, object]]":
        """The class and the parameters that arguments of other tools' spelling stand for; most have no such."""
        return cls, dict(given)

    def __matmul__(self, at: float | SupportsIndex) -> Self:
        """The same measure at a depth, as in `nDCG(base=2) @ 10`."""
        return replace(self, **{self.at_parameter: at})  # type: ignore[arg-type]  # as the parameter is declared

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): what has cumulated when the user has read down to each entry."""
        raise NotImplementedError(f"{type(self).__name__} must define total()")

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades whose documents change no value, wherever they stand; a table can do without them."""
        return levels < getattr(self, "rel", 1) if self.only_relevant else np.zeros(len(levels), dtype=bool)

    def dispensable(self, levels: Floats) -> Bools:
        """(level,): the grades whose documents need not be entries of a table: those that are ignored.

        A measure may add those of which it only asks how many stand above (`Judged.judged_down_to`), which a table made
        by `Run.without` knows.
        """
        return self.ignored(levels)

    @property
    def looks_at(self) -> str:
        """What it looks at other than one grade of each document, in words; empty for most measures."""
        if self.by_subtopic:
            return "sub-topics"
        return "pairs of documents or at several assessors" if self.by_assessor else ""

    @property
    def threshold(self) -> float | None:
        """The lowest grade that is relevant, where relevance is what counts."""
        rel = getattr(self, "rel", None)
        return rel if rel is not None and math.isfinite(rel) else None

    def gain(self, levels: Floats, highest: float) -> Floats:  # some scale by the highest grade
        """(level,): gain of each grade; 1 for relevant ones unless overridden."""
        return (levels >= getattr(self, "rel", 1)).astype(np.float64)

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry, above that of an unjudged document."""
        gains = self.gain(judged.levels, judged.highest) - self.unjudged_gain
        return judged.memo(("gain", gains.tobytes()), lambda: judged.worth(gains))

    def exact_gain(self, level: float, highest: float) -> Fraction:
        """Gain of a grade as a fraction; ScaleError where it is irrational."""
        double = float(self.gain(np.array([level]), highest)[0])
        exact = self._gain_fraction(level, highest, double)
        if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > LONGEST_GAIN:
            raise ScaleError(
                f"{self}: grade {level:g} gains {double:g}, and rankings are counted with exact numbers, which would "
                "take too long; map the grades first (",
                Setting("grades"),
                ")",
            )
        if abs(float(exact) - double) > ROUNDING * max(1.0, abs(double)):
            raise ScaleError(f"{self}: the gain {double} of grade {level:g} is not known as a fraction")
        return exact

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        """The exact gain of a grade whose gain is `double` in floating point."""
        return Fraction(int(double)) if double == int(double) else as_written(double)

    def structure(self, depth: int | None) -> Structure:
        """Structure of the values over all rankings of `depth` documents (of any length for None)."""
        return UNKNOWN

    def set_ratio(self, relevant: Ints, length: Ints, recall_base: Ints) -> tuple[Ints, Ints] | None:
        """Numerator and denominator of the value of sets of `length` documents, `relevant` of them relevant.

        Whole numbers, so that equal values can be told from close ones. None for measures that look at more than these
        three numbers, such as the order of documents.
        """
        return None

    def ranking_length(self, recall_base: Callable[[], int]) -> int | None:
        """How many documents the measure looks at, given a topic's recall base; None where that is not fixed."""
        return self.depth

    @property
    def assumed_depth(self) -> int | None:
        """The rank where rankings of any length are cut, and which they are padded to, where no depth is given.

        None for measures that read rankings as they are, which are nearly all, and where a depth is given.
        """
        return None

    def length_note(self) -> str:
        """How long rankings are taken to be, in words; empty for measures that read rankings as they are."""
        return ""

    def scale_type(self, levels: Sequence[float]) -> ScaleType:
        """The scale that values are on, for a fixed depth and recall base, in a collection with these grades.

        Raises ParameterError where the answer depends on the grades and none are given.
        """
        if self.depth is None and self.divided_by_length:
            return "ordinal"
        if self.scale == "ordinal" and self._equally_spaced(levels):
            return "interval"
        return self.scale

    def scale_condition(self, levels: Sequence[float]) -> str:
        """What nobody can see from the grades, and the scale of `scale_type` rests on; empty where nothing is.

        More than two gains add up to something only if a gain of 2 is worth twice a gain of 1.
        """
        adds_up = self.scale == "ordinal" and self.scale_type(levels) == "interval" and self.several_gains(levels)
        return RATIO_SCALE if adds_up else ""

    def several_gains(self, levels: Sequence[float]) -> bool:
        """Whether documents of these grades, and unjudged ones, have more than two different gains."""
        gains = self.gain(np.array(levels), max(levels, default=0.0))
        return len({*gains.tolist(), self.unjudged_gain}) > 2

    def _equally_spaced(self, levels: Sequence[float]) -> bool:
        """Whether values are known to be one step apart: of sums of gains, and of very short rankings."""
        structure = self.structure(self.depth)
        has_one_scale = self.has_interval_version and not self.only_feasible and not self.looks_ahead
        short = (self.depth or SHORT + 1) <= SHORT and has_one_scale
        if not short and not equal_steps_possible(structure, self.depth):
            return False
        if not levels and self.only_relevant:  # grades are relevant or not, whichever there are
            levels = (0.0, self.threshold or 1.0)
        if not levels:
            raise ParameterError(f"the scale of {self} depends on the grades of the collection: give them as levels")
        if short:
            return _short_rankings_equally_spaced(self, tuple(levels))
        try:
            gains = {self.exact_gain(level, max(levels)) for level in levels} | {as_written(self.unjudged_gain)}
        except ScaleError:  # irrational ones
            return False
        return equal_steps(structure, gains, self.depth)

    @property
    def only_feasible(self) -> bool:
        """Whether a scale is of rankings that a topic's documents allow, and so differs from topic to topic."""
        return self.feasible_only or (self.uses_recall_base and not self.values_follow_gains)

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Whether a ranking above another in the partial order of rankings is never worse, with these grades.

        A ranking is above another if, for every rank k and grade g, it has at least as many documents of grade g or
        more in its first k. A measure respects this order if gains follow grades, unjudged documents count as not
        relevant, and neither a better grade nor a better document further up ever costs.
        """
        grades = np.array(sorted({0.0, *levels}))
        gains = np.append(self.unjudged_gain, self.gain(grades, float(grades[-1]))[grades >= 0])
        ascending = bool((np.diff(gains) >= 0).all())
        alike = not self.judged_only and bool(self.ignored(grades)[grades <= 0].all())
        return ascending and alike and not self.direction_note and not {MOVED_UP, ABOVE} & set(self.exceptions)

    @property
    def topic_scales(self) -> bool:
        """Whether each topic has a scale of its own, since it depends on the topic's documents."""
        return self.uses_recall_base

    @property
    def interval_of(self) -> "Measure | None":
        """The measure that this one is the interval version of; None where it is no interval version."""
        return None

    @property
    def has_interval_version(self) -> bool:
        """Whether there is an interval version, or would be with a depth: a ranking without gain must have a value."""
        return _has_interval_version(self)

    def has_scale(self, judged: Judged) -> Bools:
        """(topic,): whether rankings differ in value; where nothing is relevant, what uses the recall base does not."""
        if not self.uses_recall_base:
            return np.ones(judged.topics, dtype=bool)
        gaining = self.gain(judged.levels, judged.highest) > self.unjudged_gain
        return judged.documents_of(gaining) > 0

    def some_gain_nothing(self, levels: Floats, highest: float) -> bool:
        """Whether values are shares of what the ideal ranking gains, and documents of some positive grade gain nothing.

        Then there may be topics for `gains_nothing`.
        """
        is_share = self.uses_recall_base and (self.graded or self.threshold is None)
        if not is_share or self.looks_at or self.interval_of is not None:
            return False
        return bool((self.gain(levels, highest)[levels > 0] <= self.unjudged_gain).any())

    def gains_nothing(self, judged: Judged) -> Bools:
        """(topic,): where some document has a positive grade, and none gains anything: every value is 0.

        `judged` may be empty rankings. Topics on which the measure is undefined are not among them.
        """
        nothing: Bools = (judged.documents_of(judged.levels > 0) > 0) & ~self.has_scale(judged)
        return nothing & ~np.isnan(self.value(judged))

    def scale_notes(self) -> Iterable[str]:
        """Notes on the measure's interval scale, in sentences without a full stop."""
        return ()

    @property
    def as_additive(self) -> "Additive | None":
        """The measure itself where its gains add up, rank by rank."""
        return None

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(topic, any): divisor of `total` at these ranks; 1 unless overridden."""
        return np.ones(1)

    def without_running_total(self, judged: Judged) -> Floats:
        """(topic,): the value at this measure's depth, where no other measure shares its total.

        A measure whose running total is slow to make, and is read only at the end, has its own.
        """
        return self.read(self.total(judged), judged)

    def read(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value at this measure's depth."""
        return self.whole(total, judged) if self.depth is None else self.read_at(total, judged, (self.depth,))[:, 0]

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths, whatever this measure's own is."""
        return self.finish(judged.read_at(total, depths), judged, np.array([depths]))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        return self.finish(judged.read(total)[:, None], judged, judged.length[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        return np.broadcast_to(self.finish(self.total(judged), judged, judged.common_rank), judged.rank.shape)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the values of rankings that cumulated `total` and end at these ranks, (1, any) if alike."""
        return divide(total, self.norm(judged, rank))

    def value(self, judged: Judged) -> Floats:
        """(topic,): one number for each ranking."""
        self.check_measurable()
        seen = judged.memo("only_judged", judged.only_judged) if self.judged_only else judged
        return self.read(self.total(seen), seen)

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: the value with every unjudged document at its worst, and at its best.

        Ranks that a ranking leaves empty down to the depth count as unjudged; `beyond` adds what comes later.
        """
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        reach = self._reach(seen)
        table = seen.every_rank(int(reach.max(initial=0)))
        lowest, highest = (self.filled(table, grade, reach) for grade in self.extreme_grades(table))
        upper = self.read(self.total(highest), highest)
        return self.read(self.total(lowest), lowest), upper + self.beyond(highest, reach)[:, 0]

    def bounds_curve(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic, rank) twice: the bounds of the ranking as if it ended at each rank of a table of every rank."""
        self.refuse_bounds(curve=True)
        lowest, highest = (self.filled(judged, grade, judged.rank) for grade in self.extreme_grades(judged))
        return self.curve(lowest), self.curve(highest) + self.beyond(highest, highest.common_rank)

    def filled(self, table: Judged, grade: float | None, reach: Ints) -> Judged:
        """Rankings with every unjudged document down to these ranks, (topic, any), given this grade, or as they are."""
        return table.filled(grade, reach)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): what documents below these ranks could still add to the value; `judged` holds every rank."""
        return np.zeros(rank.shape)

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError with the reason where the measure has no bounds."""
        if self.uses_recall_base:
            raise BoundsError(
                str(self),
                "the recall base is used, and an unjudged document that turned out to be relevant would add to what is "
                "found and to what there was to find alike",
            )
        if not self.bounded:
            raise BoundsError(str(self), self.why_unbounded)
        if self.depth is None and self.takes_depth and not self.unbounded_depth and not curve:
            raise BoundsError(str(self), "without a depth there is no end to what ranks could add; write it as @10")

    def _reach(self, judged: Judged) -> Ints:
        """(topic, 1): the rank down to which unjudged documents are counted one by one."""
        if self.depth is None or self.unbounded_depth:
            longest = int(np.iinfo(np.int32).max)
            return np.minimum(judged.length, min(self.depth or longest, longest))[:, None]
        return np.full((judged.topics, 1), self.depth, dtype=np.int64)

    def extreme_grades(self, judged: Judged) -> tuple[float | None, float | None]:
        """The grades that would serve an unjudged document worst and best; None where being unjudged does.

        Where no document of the collection is relevant, one still could be.
        """
        grades, unjudged = judged.levels, self.unjudged_gain
        gains = self.gain(grades, judged.highest)
        worst = float(grades[gains.argmin()]) if gains.min(initial=unjudged) < unjudged else None
        best = float(grades[gains.argmax()]) if gains.max(initial=unjudged) > unjudged else self.top(judged.highest)
        return worst, best

    def top(self, highest: float) -> float | None:
        """The grade that a relevant document could have where no document of the collection is relevant."""
        return self.threshold

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document."""
        return 0.0

    @property
    def of_ideal(self) -> Self:
        """The measure as it measures the ideal ranking; itself unless overridden."""
        return self

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): `total` on average over all orders of documents with equal scores; `judged` has every rank.

        A measure whose values are no multiple of a sum writes `tied_value` and `tied_curve` instead.
        """
        raise NotImplementedError(f"{type(self).__name__} has no closed form over the orders of tied documents")

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the exact mean of the value over all orders; `table` has every rank, also below where it ends."""
        return self.read(frozen_below(np.asarray(self.over_ties(table), dtype=np.float64), table), table)

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        total = frozen_below(np.asarray(self.over_ties(table), dtype=np.float64), table)
        return np.broadcast_to(self.finish(total, table, table.common_rank), table.rank.shape)

    @property
    def knows_tied_means(self) -> bool:
        """Whether there is a closed form or an exact sum over the orders of tied documents; see `exact_mean`."""
        kind = type(self)
        return kind.over_ties is not Measure.over_ties or kind.tied_value is not Measure.tied_value

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): of which rankings, or at all their ranks, `tied_value` is the mean; orders of others are drawn."""
        return np.full(table.topics, self.knows_tied_means)

    def tied_defined(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the share of orders of tied documents for which the value at these ranks is defined.

        1, unless overridden, also where it is defined for none: then the value is NaN.
        """
        return np.ones((table.topics, rank.shape[-1]))

    def all_orders_alike(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): whether the value, or each along the curve, is defined for all orders of ties or for none."""
        share = self.tied_defined(table, table.rank.astype(np.int64) if every_rank else end_of(self, table))
        return np.logical_not(is_some(share).any(axis=-1))

    @classmethod
    def tie_order(cls) -> BestFirst:
        """When tied documents in their best and worst orders have the extreme values."""
        if cls.best_first is not None:
            return cls.best_first
        return "always" if cls.only_relevant and MOVED_UP not in cls.exceptions else "never"

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): of which rankings `extreme_orders` have the lowest and the highest value."""
        when = self.tie_order()
        if when != "uncut":
            return np.full(table.topics, when == "always")
        depth = BEYOND if self.depth is None else self.depth
        return ~(table.tied_rows if every_rank else table.parted(np.minimum(table.length, depth)))

    def expected(
        self, judged: Judged, depth: int | None = None, *, condensed: bool = False, orders: TieOrders = SOME_ORDERS
    ) -> Floats:
        """(topic,): the value on average over the orders of documents with equal scores.

        Parameters
        ----------
        judged
            Rankings.
        depth
            Rank at which they are cut.
        condensed
            Whether unjudged documents are then taken out.
        orders
            The orders that are drawn where no formula gives the mean over all; `tied_mean` has its error too.
        """
        return tied_mean(self, judged, RankingView(depth, condensed or self.judged_only), orders).value

    def ties_range(
        self, judged: Judged, depth: int | None = None, *, condensed: bool = False, orders: TieOrders = SOME_ORDERS
    ) -> tuple[Floats, Floats]:
        """(topic,) twice: the lowest and the highest value over the orders of documents with equal scores.

        Parameters as in `expected`; `tied_range` says also of which rankings they are those of all orders.
        """
        made = tied_range(self, judged, RankingView(depth, condensed or self.judged_only), orders)
        return made.lowest, made.highest

    def extreme_orders(self, judged: Judged) -> tuple[Judged, Judged]:
        """The rankings with the documents of each tie group from the worst to the best, and from the best on.

        `judged` may say by its lengths where rankings are cut; entries below are there.
        """
        keys, unjudged = self.tie_keys(judged.levels, judged.highest)
        key = keys.tobytes(), unjudged  # measures that value grades alike share their best and worst orders
        worst, best = (
            judged.memo(("reordered", *key, best), partial(judged.reordered, keys, unjudged, best=best))
            for best in (False, True)
        )
        return worst, best

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """(level,), and for unjudged documents: what orders documents from the worst to the best; gains by default."""
        return self.gain(levels, highest), self.unjudged_gain

    def in_formula(self) -> str:
        """The formula with these parameters, in one line of plain text."""
        return type(self).formula

    def its_user(self) -> str:
        """The user whom the formula with these parameters has in mind, as a predicate."""
        return type(self).user_model

    def remark(self) -> str:
        """A remark on the measure with these parameters; empty unless overridden."""
        return ""

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterable[str]:
        """Warnings about these values, (run, topic), of a collection with these levels."""
        return ()

    def aspect_cautions(self, aspects: Aspects, topics: Sequence[str]) -> Iterable[str]:
        """Warnings about the sub-topics of qrels with these topics, whatever was retrieved."""
        return ()

    def why_undefined(self, judged: Judged) -> str:
        """Why it has no value on any of these topics, and which depth would do; empty where that is not known."""
        return ""

    def at(self, depth: int | None) -> Self:
        """The same measure read at another depth."""
        return replace(self, depth=depth)

    @property
    def summed_up(self) -> str:
        """How topics are summarised, in words."""
        return {"mean": "mean", "sum": "total", "geometric": "geometric mean"}[self.summary]

    def summarise(self, values: Floats) -> Floats:
        """One number for all topics, the last axis; undefined (NaN) ones are left out.

        Sums are exact and rounded once: neither the order of topics nor their split into blocks changes a digit.
        """
        return self.of_total(rounded_sums(self.terms(values)), np.count_nonzero(~np.isnan(values), axis=-1))

    @property
    def compared_by_ratio(self) -> bool:
        """Whether two runs are compared by the ratio of their summaries, as geometric means are."""
        return self.summary == "geometric"

    def averaged(self, values: Floats) -> Floats:
        """The values whose arithmetic mean over topics makes the summary: logarithms for geometric means; NaN stays.

        What is averaged is what is tested: significance tests, intervals and draws take these.
        """
        if self.summary != "geometric":
            return values
        return np.log(np.maximum(values, GEOMETRIC_FLOOR))

    def of_average(self, mean: Floats) -> Floats:
        """The inverse for means: the geometric mean, given a mean of logarithms; the ratio, given their difference."""
        return np.exp(mean) if self.summary == "geometric" else mean

    def terms(self, values: Floats) -> Floats:
        """What topics add to the total: the values that are averaged; 0 where undefined."""
        return np.where(np.isnan(values), 0.0, self.averaged(values))

    def of_total(self, total: Floats, count: Ints) -> Floats:
        """The one number for all topics, given the sum of their terms and how many are defined."""
        return total if self.summary == "sum" else self.of_average(divide(total, count, math.nan))

    def comparable(self, means: Floats) -> Floats:
        """Means of runs as they are put in order: equal where they differ by rounding errors only."""
        return significant(means, self.mean_digits)

    def mean_order(self, first: Floats | float, second: Floats | float) -> Floats:
        """1 where the first mean is higher than the second, -1 where it is lower, 0 where both are equal."""
        return np.sign(self.comparable(np.asarray(first)) - self.comparable(np.asarray(second)))

    def summarise_errors(self, errors: Floats) -> Floats:
        """The standard error of the one number for all topics, the last axis, given those of independent topics."""
        squares = np.where(np.isnan(errors), 0.0, errors) ** 2
        return self.of_squares(rounded_sums(squares), np.count_nonzero(~np.isnan(errors), axis=-1))

    def of_squares(self, total: Floats, count: Ints) -> Floats:
        """The standard error of the one number, given the sum of squared errors of `count` topics."""
        spread: Floats = np.sqrt(total)
        return spread if self.summary == "sum" else divide(spread, count, math.nan)

    def __str__(self) -> str:
        """The canonical name: parameters that differ from their defaults, then the depth."""
        return self.written()

    def written(self, always: Collection[str] = (), of: str = "") -> str:
        """The name with some parameters written even where they have their defaults; `of` names the inner measure."""
        given = [
            f"{'' if f.name == OF else f.name + '='}{of if of and f.name == OF else canonical_text(value)}"
            for f in sorted(fields(self), key=lambda f: f.name != OF)
            if f.name != self.at_parameter and ((value := getattr(self, f.name)) != f.default or f.name in always)
        ]
        in_brackets, at = f"({','.join(given)})" if given else "", getattr(self, self.at_parameter)
        return f"{self.name}{in_brackets}" + ("" if at is None else f"@{canonical_text(at)}")


@cache
def _short_rankings_equally_spaced(measure: Measure, levels: tuple[float, ...]) -> bool:
    """Whether the values of all rankings of the measure's depth are one step apart, or there are but two."""
    grades = [*map(repr, levels), "-"]
    rows = [" ".join(row) for row in product(grades, repeat=measure.depth or 1)]
    table = judged(*rows)
    counts = np.where(np.arange(len(table.levels)) == len(table.levels) - 1, measure.depth or 1, 0)
    values = measure.value(replace(table, counts=np.tile(counts, (len(rows), 1))))
    steps = np.diff(np.unique(np.round(values, 12)))
    return len(steps) > 0 and bool(np.ptp(steps) <= EVEN * steps.max())


@cache
def _has_interval_version(measure: Measure) -> bool:
    if not measure.takes_depth or measure.needs_scores or measure.looks_at:
        return False
    nothing = judged("0 0 0 0 0 0", missed=f"{measure.threshold or 1:g}")
    return bool(np.isfinite(measure.at(6).value(nothing)).all())


def canonical_text(value: object) -> str:
    """A parameter as text: equal values are written alike, so that a measure has one name.

    >>> canonical_text(2.0), canonical_text((0, 1, 10)), canonical_text(((1, 3), (2, 4.5)))
    ('2', '[0,1,10]', '{1:3,2:4.5}')
    """
    if isinstance(value, Measure | Fraction):
        return str(value)
    if isinstance(value, tuple) and value and all(isinstance(item, tuple) for item in value):
        return "{" + ",".join(":".join(map(canonical_text, pair)) for pair in value) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(canonical_text, value)) + "]"
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and number.is_integer() and abs(number) < LONG:
        return repr(int(number))
    return repr(number)


def divide(numerator: Numbers, denominator: Numbers, undefined: float = 0.0) -> Floats:
    """Numerator over denominator, `undefined` where the denominator is 0."""
    if denominator.size == 1 and denominator.flat[0] == 1:
        return np.asarray(numerator, dtype=np.float64)
    ratio = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), undefined)
    np.divide(numerator, denominator, out=ratio, where=denominator != 0)
    return ratio


def added(values: Floats) -> Floats:
    """Sums along the last axis, added from first to last (numpy's own sum adds in pairs)."""
    if values.shape[-1] == 0:
        return np.zeros(values.shape[:-1])
    return np.cumsum(values, axis=-1)[..., -1]
