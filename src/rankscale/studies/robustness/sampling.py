"""Ways to do with fewer judgments: which are kept, at each of several sizes, the smaller always part of the larger.

Each is a frozen dataclass with a method `kept`. Those that leave it to chance shuffle once for all sizes: the same
random numbers give the same order, of which a size keeps the first ones.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Ints
from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError


@dataclass(frozen=True)
class Sampling(ABC):
    """A way to choose judgments."""

    name: ClassVar[str]
    by_chance: ClassVar[bool]  # whether another iteration gives other judgments
    usual: ClassVar[tuple[float, ...]]  # sizes that are taken where none are named
    unit: ClassVar[str] = "%"  # of a size
    heading: ClassVar[str] = "kept"  # of a column of sizes

    @abstractmethod
    def kept(self, qrels: Qrels, size: float, random: np.random.Generator) -> Bools:
        """(judgment,): which are kept."""

    @abstractmethod
    def check(self, size: float) -> None:
        """Raise ParameterError for a size that is out of range."""

    @property
    def settings(self) -> Mapping[str, object]:
        """What samples depend on, apart from their size."""
        return {}

    def size_label(self, size: float) -> str:
        """A size as a table shows it: `50%`, or a depth."""
        return f"{size:g}{self.unit}"


@dataclass(frozen=True)
class DrawnJudgments(Sampling):
    """Judgments drawn by chance, a percentage of each stratum; those with negative grades stay as they are."""

    by_chance: ClassVar[bool] = True
    usual: ClassVar[tuple[float, ...]] = (90, 70, 50, 30, 10)

    @abstractmethod
    def strata(self, qrels: Qrels) -> tuple[Ints, Ints]:
        """(judgment,): the stratum of each, and (stratum,): how many are to stay in it at least."""

    def check(self, size: float) -> None:
        """Sizes are percentages; those below 1 are more likely meant as shares."""
        if not 1 <= size <= 100:
            raise ParameterError(f"{self.name} sampling keeps a percentage, from 1 to 100 (50 is half); got {size:g}")

    def kept(self, qrels: Qrels, size: float, random: np.random.Generator) -> Bools:
        """The first of each stratum after one shuffle: `size` percent, rounded, or the least that is to stay."""
        self.check(size)
        strata, least = self.strata(qrels)
        sampled = qrels.is_judged
        held = np.bincount(strata[sampled], minlength=len(least))
        wanted = np.floor(size * held / 100 + 0.5).astype(np.int64)
        kept = np.ones(len(strata), dtype=bool)
        kept[sampled] = places(strata[sampled], random) < np.maximum(wanted, least)[strata[sampled]]
        return kept


@dataclass(frozen=True)
class Stratified(DrawnJudgments):
    """A percentage of each grade of each topic, so that topics keep their mix of grades.

    Of 40 documents that are not relevant and 3 that are, 10% would be 4 and none:

    >>> from rankscale import read_qrels
    >>> qrels = read_qrels({"301": {f"d{number}": int(number < 3) for number in range(43)}})
    >>> kept = Stratified().kept(qrels, 10, np.random.default_rng(0))
    >>> qrels.keeping(kept).counts
    array([[10,  1]])
    """

    name: ClassVar[str] = "stratified"

    rel: float = 1  # the lowest grade that is relevant
    least_relevant: int = 1  # documents of each relevant grade that stay, if the topic has so many
    least_not_relevant: int = 10  # and of each grade that is not relevant

    @property
    def settings(self) -> Mapping[str, object]:
        """The lowest relevant grade, and the least numbers kept if they are not the defaults."""
        least = {"least-relevant": self.least_relevant, "least-not-relevant": self.least_not_relevant}
        return {"rel": f"{self.rel:g}", **({} if self == Stratified(self.rel) else least)}

    def strata(self, qrels: Qrels) -> tuple[Ints, Ints]:
        """One for each topic and grade."""
        least = np.where(qrels.levels >= self.rel, self.least_relevant, self.least_not_relevant)
        code = np.maximum(qrels.codes, 0).astype(np.int64)  # those that were left out before are not sampled
        return qrels.topic_of * len(qrels.levels) + code, np.tile(least, len(qrels.topics))


@dataclass(frozen=True)
class Random(DrawnJudgments):
    """A percentage of each topic's judgments, whatever their grades; a topic may be left with none that is relevant.

    >>> from rankscale import read_qrels
    >>> qrels = read_qrels({"301": {f"d{number}": int(number < 3) for number in range(43)}})
    >>> qrels.keeping(Random().kept(qrels, 10, np.random.default_rng(0))).judgments
    4
    """

    name: ClassVar[str] = "random"

    def strata(self, qrels: Qrels) -> tuple[Ints, Ints]:
        """One for each topic."""
        return qrels.topic_of, np.zeros(len(qrels.topics), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class PoolDepth(Sampling):
    """Judgments of the documents that some pooled run ranks at the size or above: a shallower pool."""

    name: ClassVar[str] = "depth"
    by_chance: ClassVar[bool] = False
    usual: ClassVar[tuple[float, ...]] = (100, 50, 20, 10)
    unit: ClassVar[str] = ""
    heading: ClassVar[str] = "depth"

    best_rank: Ints = field(repr=False)  # (judgment,): the best that a pooled run gives each document

    def check(self, size: float) -> None:
        """Sizes are ranks."""
        if size < 1 or not float(size).is_integer():
            raise ParameterError(f"the depth of a pool is a whole number from 1, got {size:g}")

    def kept(self, qrels: Qrels, size: float, random: np.random.Generator) -> Bools:  # noqa: ARG002
        """Nothing is left to chance."""
        self.check(size)
        if self.best_rank.shape != qrels.codes.shape:
            raise ParameterError("the ranks are those of other judgments; take them with these qrels")
        return self.best_rank <= size


def places(strata: Ints, random: np.random.Generator) -> Ints:
    """(item,): place of each item in its stratum, from 0, after one shuffle of all items.

    >>> sorted(places(np.array([0, 1, 0, 1, 0]), np.random.default_rng(0))[[0, 2, 4]].tolist())
    [0, 1, 2]
    """
    shuffled = random.permutation(len(strata))
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    held = np.bincount(strata)
    place = np.empty(len(strata), dtype=np.int64)
    place[order] = np.arange(len(strata)) - np.repeat(np.cumsum(held) - held, held)
    return place
