"""Measure: a formula with its parameters, as a value that can be compared, hashed, printed and parsed back."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import ClassVar, Literal, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError

Numbers = Floats | Ints  # counts serve as well as real numbers
GEOMETRIC_FLOOR = 1e-5  # as trec_eval: a topic with value 0 would make any geometric mean 0
LONG = 1e15  # whole numbers from here on are written with an exponent


@dataclass(frozen=True)
class Measure:
    """A formula with its parameters.

    A measure writes `total`: what cumulates down the ranking, at every judged entry. Measures that differ only in depth
    share it. `read` takes the value off it at a depth, and `curve` shows it at every entry; both divide by `norm`.
    """

    name: ClassVar[str]  # as it is written: nDCG
    aliases: ClassVar[tuple[str, ...]] = ()  # other spellings that are understood
    formula: ClassVar[str]  # in one line of plain text
    paper: ClassVar[str]
    uses_recall_base: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0, 1)
    scale: ClassVar[Literal["ordinal", "interval", "ratio"]] = "ordinal"  # for a fixed depth and recall base
    summary: ClassVar[Literal["mean", "sum", "geometric"]] = "mean"  # how topics become one number
    needs_depth: ClassVar[bool] = False
    takes_depth: ClassVar[bool] = True
    only_relevant: ClassVar[bool] = False  # of a ranking, only the ranks of relevant documents and its length count
    exceptions: ClassVar[Mapping[str, str]] = MappingProxyType({})  # laws that do not hold for it, and why
    after_at: ClassVar[str] = "depth"  # the parameter written after the @; IPrec has its recall there

    depth: int | None = field(default=None, kw_only=True)
    judged_only: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.depth is None and self.needs_depth:
            raise ParameterError(f"{self.name}: a depth is needed, as in {self.name}@10")
        if self.depth is not None and not self.takes_depth:
            raise ParameterError(f"{self.name} takes no depth, got @{self.depth}")
        if self.depth is not None and (not isinstance(self.depth, int) or self.depth < 1):
            raise ParameterError(f"{self.name}: the depth must be a whole number from 1, got {self.depth!r}")
        self.check()

    def check(self) -> None:
        """Refuse parameters out of their limits; called when the measure is made."""

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): what has cumulated when the user has read down to each entry."""
        raise NotImplementedError(f"{type(self).__name__} must define total()")

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades whose documents change no value, wherever they stand; a table can do without them."""
        return levels < getattr(self, "rel", 1) if self.only_relevant else np.zeros(len(levels), dtype=bool)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """What `total` is divided by at these ranks, (topic, any); 1 where nothing else is said."""
        return np.ones(1)

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
        return self.finish(self.total(judged), judged, judged.rank)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the values of rankings that have cumulated `total` and end at these ranks."""
        return divide(total, self.norm(judged, rank))

    def value(self, judged: Judged) -> Floats:
        """(topic,): one number for each ranking."""
        seen = judged.keep("only_judged", judged.only_judged) if self.judged_only else judged
        return self.read(self.total(seen), seen)

    def at(self, depth: int | None) -> Self:
        """The same measure read at another depth."""
        return replace(self, depth=depth)

    def summarise(self, values: Floats) -> Floats:
        """One number for all topics, the last axis; undefined (NaN) ones are left out.

        Topics are added one by one, in their order: another order would change the last digit.
        """
        defined = ~np.isnan(values)
        count = np.count_nonzero(defined, axis=-1)
        if self.summary == "geometric":
            return np.exp(_over(added(np.log(np.maximum(np.where(defined, values, 1.0), GEOMETRIC_FLOOR))), count))
        total = added(np.where(defined, values, 0.0))
        return total if self.summary == "sum" else _over(total, count)

    def __str__(self) -> str:
        """The canonical name: parameters that differ from their defaults, then the depth."""
        given = [
            f"{f.name}={written(getattr(self, f.name))}"
            for f in fields(self)
            if f.name != self.after_at and getattr(self, f.name) != f.default
        ]
        at = getattr(self, self.after_at)
        return f"{self.name}{'(' + ','.join(given) + ')' if given else ''}{'' if at is None else '@' + written(at)}"


def written(value: object) -> str:
    """A parameter as text: equal values are written alike, so that a measure has one name.

    >>> written(2.0), written((0, 1, 10)), written(((1, 3), (2, 4.5)))
    ('2', '[0,1,10]', '{1:3,2:4.5}')
    """
    if isinstance(value, tuple) and value and all(isinstance(item, tuple) for item in value):
        return "{" + ",".join(":".join(map(written, pair)) for pair in value) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(written, value)) + "]"
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and number.is_integer() and abs(number) < LONG:
        return repr(int(number))
    return repr(number)


def divide(numerator: Numbers, denominator: Numbers) -> Floats:
    """Numerator over denominator, 0 where the denominator is 0."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    ratio: Floats = np.divide(numerator, denominator, out=zeros, where=denominator != 0)
    return ratio


def added(values: Floats) -> Floats:
    """Sums along the last axis, added from first to last (numpy's own sum adds in pairs)."""
    if values.shape[-1] == 0:
        return np.zeros(values.shape[:-1])
    summed: Floats = np.cumsum(values, axis=-1)[..., -1]
    return summed


def _over(total: Floats, count: Ints) -> Floats:
    ratio: Floats = np.divide(total, count, out=np.full(np.shape(total), math.nan), where=count > 0)
    return ratio


@dataclass(frozen=True)
class Additive(Measure):
    """A sum of weight(rank) * gain(grade), over a norm."""

    def weight(self, rank: Ints) -> Floats:
        """What a gain counts for at each rank."""
        raise NotImplementedError(f"{type(self).__name__} must define weight()")

    def gain(self, levels: Floats) -> Floats:
        """What each grade is worth."""
        raise NotImplementedError(f"{type(self).__name__} must define gain()")

    def total(self, judged: Judged) -> Floats:
        """Weighted gains, summed down the ranking."""
        return np.cumsum(self.weight(judged.rank) * judged.worth(self.gain(judged.levels)), axis=-1)
