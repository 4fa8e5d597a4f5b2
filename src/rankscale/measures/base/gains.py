"""Gains of grades (lists, maps and schemes), and what measures of graded gain share."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ParameterError, ScaleError, Setting
from rankscale.measures.base.measure import BestFirst, Measure, Numbers
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import as_written, shortest

Number = Fraction | float
LARGEST_GAIN = 1e100  # sums over any ranking, and the squares of these, are numbers
Gains = Literal["exp", "linear"] | tuple[Number, ...] | tuple[tuple[Number, Number], ...] | None
SCHEMES = "a list for grades 0, 1, 2, ..., a map, 'exp' for 2^grade - 1, or 'linear' for the grade over the highest one"


def normal_form(gains: "Gains | Sequence[Number] | Mapping[float, float] | Mapping[Number, Number]") -> Gains:
    """Gains as a hashable value: None, 'exp', 'linear', a tuple for grades 0, 1, 2, ..., or pairs (grade, gain).

    A fraction with a short decimal form is that number, so that equal measures have one name.

    >>> normal_form({2: 9, 1: 3}), normal_form([0, Fraction(1, 3), Fraction(1, 2)])
    (((1, 3), (2, 9)), (0, Fraction(1, 3), 0.5))
    """
    if gains is None or (isinstance(gains, str) and gains in {"exp", "linear"}):
        return gains
    if isinstance(gains, Mapping):
        return _pairs(list(gains.items())) or None
    if isinstance(gains, str) or not isinstance(gains, Sequence) or not gains:
        raise _refused(gains)
    if all(isinstance(pair, Sequence) for pair in gains):
        return _pairs(list(gains))  # type: ignore[arg-type]  # what is no pair of numbers is refused there
    return tuple(_number(gain) for gain in gains)


def _pairs(pairs: list[tuple[Number, Number]]) -> tuple[tuple[Number, Number], ...]:
    if any(len(pair) != 2 for pair in pairs):
        raise _refused(pairs)
    ordered = sorted((_number(grade), _number(gain)) for grade, gain in pairs)
    if len({grade for grade, _ in ordered}) < len(ordered):
        raise ParameterError(f"gains name a grade twice: {pairs}")
    return tuple(ordered)


def _number(value: object) -> Number:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Fraction):
        return shortest(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _refused(value)
    return value


def _refused(gains: object) -> ParameterError:
    wanted = "'exp', 'linear', a list such as [0,1,10] or a map such as {1:3}"
    return ParameterError(f"gains must be {wanted}, got {gains!r}")


def gain_table(gains: Gains, levels: Floats, highest: float) -> Floats:
    """The gain of each level: the grade itself, negatives 0, unless `gains` says otherwise.

    'exp' is 2^grade - 1, 'linear' the grade over the highest one. A list must name every grade (and only whole grades
    can be looked up in it); a map changes the grades it names.

    >>> gain_table((0, 1, 10), np.array([0., 1., 2.]), highest=2)
    array([ 0.,  1., 10.])

    Raises
    ------
    ParameterError
        If a list lacks a grade, or a gain is beyond what sums and their squares have room for.
    """
    with np.errstate(over="ignore"):
        table = _gain_table(gains, levels, highest)
    beyond = np.flatnonzero(np.abs(table) > LARGEST_GAIN)
    if len(beyond) and gains != "linear":
        grade, gain = float(levels[beyond[0]]), float(table[beyond[0]])
        raise ParameterError(
            f"gains must be from {-LARGEST_GAIN:g} to {LARGEST_GAIN:g}, and grade {grade:g} gains {gain:g}; map the "
            "grades first (",
            Setting("grades"),
            "), or give other gains",
        )
    return table


def _gain_table(gains: Gains, levels: Floats, highest: float) -> Floats:
    if gains is None:
        return np.maximum(levels, 0.0)
    if gains == "linear":
        return np.maximum(levels, 0.0) / highest if highest > 0 else np.zeros(len(levels))
    if gains == "exp":
        return np.where(levels > 0, np.exp2(levels) - 1, 0.0)
    if gains and isinstance(gains[0], tuple):
        named = dict(gains)
        return np.array([float(named.get(level, max(level, 0.0))) for level in levels])
    return np.array([_listed(gains, level) for level in levels])  # type: ignore[arg-type]  # a tuple of numbers


def some_negative(gains: Gains) -> bool:
    """Whether a gain that was given is negative.

    >>> some_negative((-1, 1, 2)), some_negative(((0, -1),)), some_negative("exp")
    (True, True, False)
    """
    if gains is None or isinstance(gains, str):
        return False
    return min(gain[1] if isinstance(gain, tuple) else gain for gain in gains) < 0


def gains_within(measure: str, gains: Floats, levels: Floats, most: float = math.inf) -> Floats:
    """The gains of these levels as they are; an error where one is below 0 or above `most`."""
    refused = (gains < 0) | (gains > most)
    if refused.any():
        grade, gain = float(levels[refused][0]), float(gains[refused][0])
        wanted = "0 or more" if most == math.inf else f"from 0 to {most:g}"
        raise ParameterError(f"{measure}: gains must be {wanted}, and grade {grade:g} gains {gain:g}")
    return gains


def gain_fraction(measure: object, gains: Gains, level: float, highest: float) -> Fraction | None:
    """The exact gain of a level where its double does not show it; None where it does."""
    named = _named(gains, level)
    if isinstance(named, Fraction):
        return named
    if gains == "exp" and level != int(level):
        raise ScaleError(irrational(str(measure), level))
    if gains == "linear" and level > 0:
        return as_written(level) / as_written(highest)
    return None


def _named(gains: Gains, level: float) -> Number | None:
    """What a list or a map says of a level; None where it says nothing."""
    if not isinstance(gains, tuple):
        return None
    pairs = (item if isinstance(item, tuple) else (grade, item) for grade, item in enumerate(gains))
    return next((gain for grade, gain in pairs if grade == level), None)


def irrational(measure: str, level: float) -> str:
    """The message for a grade whose gain is no fraction."""
    return f"{measure}: the gain of grade {level:g} is an irrational number, and ranks are counted exactly"


def _listed(gains: tuple[Number, ...], level: float) -> float:
    if level < 0:
        return 0.0
    if not level.is_integer() or level >= len(gains):
        raise ParameterError(
            f"gains [{', '.join(map(str, gains))}] have no entry for grade {level:g}; list one gain for each of the "
            "grades 0, 1, 2, ..."
        )
    return float(gains[int(level)])


def gains_param(default: Gains = None, unless_given: str = "the grade itself") -> Gains:
    """The parameter `gains`, for all measures that can be given what grades are worth."""
    worth = repr(default) if default else unless_given
    return param(default, help=f"what each grade is worth ({worth} unless given): {SCHEMES}")


def unjudged_param() -> float | None:
    """The parameter `unjudged`, for measures whose documents may cost something."""
    return param(None, help="what an unjudged document gains (what grade 0 costs, if anything, unless given)")


class GivenGains(Measure):
    """A measure with a parameter `gains`, which a subclass declares in its place among the other parameters."""

    gains: Gains

    def check(self) -> None:
        """Bring the gains into the form that compares and hashes."""
        object.__setattr__(self, "gains", normal_form(self.gains))

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        return gain_fraction(self, self.gains, level, highest) or super()._gain_fraction(level, highest, double)


@dataclass(frozen=True)
class Graded(GivenGains):
    """A measure whose documents are worth their gain: the grade, unless `gains` says otherwise."""

    graded: ClassVar[bool] = True
    best_first: ClassVar[BestFirst | None] = "always"

    gains: Gains = gains_param()

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade."""
        gains = gain_table(self.gains, levels, highest)
        if self.unjudged_gain == 0:
            return gains
        named = [float(pair[0]) for pair in self.gains or () if isinstance(pair, tuple)]
        return np.where((levels < 0) & ~np.isin(levels, named), self.unjudged_gain, gains)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain what an unjudged document gains."""
        ignored: Bools = self.gain(levels, 1.0) == self.unjudged_gain
        return ignored

    @property
    def filler_gain(self) -> float:
        """Gain of each document of the ideal ranking below those that are worth more: 0 unless overridden."""
        return 0.0

    def ideal_gain(self, judged: Judged) -> Floats:
        """(topic, rank): the gains of the best ranking there could be, above those of the documents that fill it up."""
        filler = self.filler_gain
        return judged.memo(
            ("ideal gain", self.gains, self.unjudged_gain, filler),
            lambda: judged.ideal_gains(self.gain(judged.levels, judged.highest) - filler),
        )

    def gaining(self, judged: Judged) -> Ints:
        """(topic, 1): how many documents of the qrels have a positive gain."""
        return judged.documents_of(self.gain(judged.levels, judged.highest) > 0)[:, None]

    def divisor(self, rank: Ints) -> Floats:
        """Divisor of the gain at each rank: log2(rank + 1), as in trec_eval and most papers since 2005."""
        discount: Floats = np.log2(rank + 1.0)
        return discount

    @property
    def discounting(self) -> object:
        """Key of the discount, under which sums are cached."""
        return "log2(rank + 1)"

    def cumulated(self, judged: Judged) -> Floats:
        """(topic, entry): discounted gain, summed down the ranking.

        Divided, not multiplied by a weight: this keeps the last digit that trec_eval has.
        """
        return judged.memo(
            ("dcg", self.gains, self.unjudged_gain, self.discounting),
            lambda: np.cumsum(self.gain_met(judged) / self.divisor(judged.common_rank), axis=-1),
        )

    def ideal(self, judged: Judged, rank: Ints | None = None) -> Floats:
        """(topic, any): the discounted gain of the best ranking at these ranks, or where all its gain is met."""
        filler = self.filler_gain
        once, place = judged.each_topic_once()
        key = "ideal dcg", self.gains, self.unjudged_gain, filler, self.discounting
        above = once.memo(key, lambda: self._ideal(once))
        if place is not None and not filler and (rank is None or len(rank) == 1):
            return read_along(above, rank)[place]
        above = above if place is None else above[place]
        if not filler:
            return read_along(above, rank)
        down_to = self.gaining(judged) if rank is None else rank
        return read_along(above, down_to) + filler * self.discounts_down_to(down_to)

    def _ideal(self, judged: Judged) -> Floats:
        ideal = self.ideal_gain(judged)
        return np.cumsum(ideal / self.divisor(np.arange(1, ideal.shape[-1] + 1)), axis=-1)

    def discounts_down_to(self, rank: Ints) -> Floats:
        """The discounts of all ranks down to these, added up: what gains of 1 would cumulate to."""
        reached = np.where(rank == BEYOND, 0, rank)
        discounts = 1.0 / self.divisor(np.arange(1, int(reached.max(initial=0)) + 1))
        return np.append(0.0, np.cumsum(discounts))[reached]


@dataclass(frozen=True)
class Cumulated(Graded):
    """Discounted gain, added up down the ranking; each rank of a tie group gains the group's mean."""

    values_follow_gains: ClassVar[bool] = True

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): discounted gain, summed down the ranking."""
        return self.cumulated(judged)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same with each rank gaining the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)) / self.divisor(judged.common_rank), axis=-1)


@dataclass(frozen=True)
class ScaledGains(Measure):
    """A measure whose gains grow evenly from 0 at the grade `min_rel` to 1 at `max_rel`, the highest grade by default.

    Grades out of these limits count as the nearer of the two. The names are those of ir_measures.
    """

    min_rel: float = param(0, ge=0, help="the highest grade that gains nothing")
    max_rel: float | None = param(
        None, help="the grade that gains 1, above min_rel; the highest of the qrels unless given"
    )

    def check(self) -> None:
        """Raise ParameterError unless max_rel is above min_rel."""
        if self.max_rel is not None and self.max_rel <= self.min_rel:
            raise ParameterError(f"{self.name}: max_rel must be above min_rel, got {self.max_rel} and {self.min_rel}")

    def gain(self, levels: Floats, highest: float) -> Floats:
        """The share of the scale that each grade covers."""
        top = self.top(highest)
        return (np.clip(levels, self.min_rel, top) - self.min_rel) / (top - self.min_rel)

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        if level < 0 or double == int(double):
            return super()._gain_fraction(level, highest, double)
        lowest = as_written(self.min_rel)
        return (as_written(level) - lowest) / (as_written(self.top(highest)) - lowest)

    def top(self, highest: float) -> float:
        """The grade that gains 1; where no document gains anything, a grade that would."""
        if self.max_rel is not None:
            return self.max_rel
        return highest if highest > self.min_rel else self.min_rel + 1

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain nothing."""
        return levels <= self.min_rel


def read_along(column: Floats | Ints, rank: Ints | None = None) -> Floats:
    """A column with one entry for each rank, read at these ranks (topic, any); past its end, and for None, the last.

    Before the first rank there is nothing: 0.
    """
    width = column.shape[-1]
    if width == 0:
        return np.zeros((len(column), 1 if rank is None else rank.shape[-1]))
    if rank is None:
        return column[:, -1:].astype(np.float64)
    place = np.clip(rank, 1, width) - 1
    real = column.astype(np.float64, copy=False)
    read: Floats = np.take(real, place[0], axis=-1) if len(rank) == 1 else np.take_along_axis(real, place, axis=-1)
    return read if (rank > 0).all() else np.where(rank > 0, read, 0.0)
