"""Rank-biased precision, of relevant documents and of graded gains."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.gains import Gains, GivenGains, gain_table, gains_param, gains_within
from rankscale.measures.base.measure import RATIO_SCALE, Numbers
from rankscale.measures.base.parameters import RBP_P, param, rel_param
from rankscale.measures.base.structure import Geometric, Structure, as_written
from rankscale.measures.base.ties import at_end

ACCURACY, POOL = 0.0001, 100  # what the remark on depths supposes, as the paper does


@dataclass(frozen=True)
class RBP(GivenGains, Additive):
    """The rate at which a user meets relevant documents who reads on from each document with probability p.

    The ranking of Moffat and Zobel 2008, which they give as 0.4526:

    >>> from rankscale.data.judged import judged
    >>> ranking = judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0")
    >>> RBP(p=0.8).value(ranking).round(4)
    array([0.4526])

    With `gains`, from 0 to 1, documents count by their grade: 'linear' is the grade over the highest one. `otherwise`
    is the probability of reading on after a document that is not relevant, and p that after a relevant one:

    >>> RBP(p=0.5, otherwise=0.8).value(ranking).round(4)
    array([0.6602])

    A document that turns out to be relevant never lowers this value either, so it has bounds too.

    Two documents of the ranking are unjudged here, and nobody knows what follows. The value lies between

    >>> [bound.round(4).tolist() for bound in RBP(p=0.8).bounds(judged("1 1 0 0 0 1 0 0 0 0 1 0 - - 0 0 - 0 0 0"))]
    [[0.447], [0.4889]]

    Formula
    -------
    (1 - p) sum over ranks i <= k of gain * p^(i-1)

    User model
    ----------
    reads from the top, and after each document reads on with probability p

    References
    ----------
    Moffat and Zobel, TOIS 27(1), 2008
    """

    unbounded_depth: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = "where `otherwise` is given"

    p: Fraction | float = param(0.8, ge=0, lt=1, help=RBP_P)
    rel: float = rel_param()
    gains: Gains = gains_param(unless_given="1 if relevant, else 0")
    otherwise: float | None = param(
        None,
        ge=0,
        lt=1,
        help="the probability of reading on after a document that is not relevant; p is then that after a relevant",
    )

    def check(self) -> None:
        """Raise ParameterError for parameters that exclude each other."""
        super().check()
        if self.gains is not None and self.rel != 1:
            raise ParameterError(f"{self.name}: give gains or rel, not both: gains say what each grade is worth")
        if self.otherwise is not None and self.gains is not None:
            raise ParameterError(
                f"{self.name}: give gains or otherwise, not both: only relevance decides how one reads on"
            )

    @property
    def conditional(self) -> bool:
        """Whether what is read decides about reading on."""
        return self.otherwise is not None and self.otherwise != self.p

    @property
    def as_additive(self) -> Additive | None:
        """The measure itself, unless the weight of a rank depends on what stands above it."""
        return None if self.conditional else self

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain nothing."""
        return (levels < self.rel) if self.gains is None else gain_table(self.gains, levels, 1.0) == 0

    def exact_weights(self, depth: int) -> tuple[Fraction, ...] | None:
        """Powers of p; none where what is read decides about reading on."""
        return None if self.conditional else tuple(as_written(self.p) ** rank for rank in range(depth))

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains over powers of p."""
        if self.p == 0 or self.conditional:
            return super().structure(depth)
        return Geometric(as_written(self.p))

    def scale_notes(self) -> Iterator[str]:
        """Why a conditional RBP has a scale for short rankings only."""
        if self.conditional:
            yield "which documents are seen depends on those above: only short rankings can be counted"

    def weight(self, rank: Ints) -> Floats:
        """The share of users who look at each rank, scaled to a sum of 1; p = 0 looks at the first alone."""
        return (1.0 - float(self.p)) * np.power(float(self.p), rank.astype(np.float64) - 1)

    def weight_down_to(self, rank: Ints) -> Floats:
        """All but the tail."""
        return 1.0 - self.tail(rank)

    def tail(self, rank: Ints) -> Floats:
        """The share of users who read on."""
        return np.power(float(self.p), rank.astype(np.float64))

    def gain(self, levels: Floats, highest: float) -> Floats:
        """1 for the relevant grades, unless `gains` says otherwise; from 0 to 1."""
        if self.gains is None:
            return super().gain(levels, highest)
        return gains_within(self.name, gain_table(self.gains, levels, highest), levels, 1)

    @property
    def threshold(self) -> float | None:
        """The lowest grade that is relevant, where relevance is what counts."""
        return self.rel if self.gains is None else None

    def total(self, judged: Judged) -> Numbers:
        """Weighted gains, summed down the ranking."""
        return self._conditional_total(judged) if self.conditional else super().total(judged)

    def _conditional_total(self, judged: Judged) -> Floats:
        """How likely each relevant document is to be seen, added up."""
        relevant, so_far = judged.relevant(self.rel), judged.relevant_so_far(self.rel)
        others = np.where(relevant > 0, judged.rank - so_far, 0)
        seen = np.power(float(self.p), np.maximum(so_far - 1.0, 0.0)) * np.power(float(self.otherwise or 0), others)
        return np.cumsum(np.where(relevant > 0, seen, 0.0), axis=-1)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Conditional: over all documents a user can expect to see, the rest of them not relevant."""
        if not self.conditional:
            return super().finish(total, judged, rank)
        # Seen in all: sum of V_i = (1 + (p - otherwise) sum over relevant of V_i) / (1 - otherwise), since
        # V_(i+1) = otherwise * V_i except after a relevant document.
        otherwise = float(self.otherwise or 0)
        return (1 - otherwise) * total / (1 + (float(self.p) - otherwise) * total)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """The tail, all of it at the highest gain; conditional: the value if all that follows is relevant, less ours.

        Users who reach the rank below then meet V/(1-p) relevant documents more, V their share.
        """
        if not self.conditional:
            return super().beyond(judged, rank)
        end = np.broadcast_to(rank, (judged.topics, rank.shape[-1])).astype(np.int64)
        relevant, total = (at_end(one, end) for one in (judged.relevant_so_far(self.rel), self.total(judged)))
        p = float(self.p)
        reached = np.power(p, relevant) * np.power(float(self.otherwise or 0), end - relevant)
        return self.finish(total + reached / (1 - p), judged, rank) - self.finish(total, judged, rank)

    def in_formula(self) -> str:
        """Conditional: of all documents that are looked at, those that are relevant."""
        if not self.conditional:
            return super().in_formula()
        return (
            "sum of V_i over ranks i <= k with a relevant document / sum of V_i over all ranks, V_1 = 1, "
            "V_(i+1) = V_i * p after a relevant document, V_i * otherwise after another"
        )

    def its_user(self) -> str:
        """Conditional: which document was read decides about the next."""
        if not self.conditional:
            return super().its_user()
        return (
            "reads from the top, and reads on with probability p after a relevant document, `otherwise` after another"
        )

    def remark(self) -> str:
        """How deep one must judge, and what a depth allows; conditional: no depth tells."""
        if self.conditional:
            return ""
        depth, p = depth_needed(float(self.p), ACCURACY), largest_p(POOL, ACCURACY)
        interval = "values are equally spaced, on an interval scale; " if self.p == 0.5 and self.gains is None else ""
        if self.gains is not None:
            interval = f"on an interval scale only if {RATIO_SCALE}, with equal gaps G, and p = G/(G+1); "
        return (
            f"{interval}all that stands below rank {depth} is worth less than {ACCURACY:g}; "
            f"judged to depth {POOL}, p can be at most {p:.2f} for that"
        )

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): conditional: who sees a document depends on the order of those above it."""
        return np.full(table.topics, not self.conditional)


def depth_needed(p: float, accuracy: float) -> int:
    """The least depth beyond which all documents together are worth less than `accuracy`.

    >>> [depth_needed(p, 0.0001) for p in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    """
    if not 0 <= p < 1 or accuracy <= 0:
        raise ParameterError(f"p must lie between 0 and 1 and the accuracy above 0, got {p} and {accuracy}")
    depth = 0 if p == 0 or accuracy > 1 else max(0, math.floor(math.log(accuracy) / math.log(p)) - 1)
    while p**depth >= accuracy:  # the quotient of logarithms may be off by one
        depth += 1
    return depth


def largest_p(depth: int, accuracy: float) -> float:
    """The largest p whose documents beyond `depth` are together worth no more than `accuracy`.

    >>> round(largest_p(100, 0.0001), 2)
    0.91
    """
    if depth < 1 or not 0 < accuracy < 1:
        raise ParameterError(f"the depth must be 1 or more and the accuracy between 0 and 1, got {depth}, {accuracy}")
    return float(accuracy ** (1 / depth))


@dataclass(frozen=True)
class gRBP(RBP):
    """RBP that counts each document by its grade over the highest one: RBP(gains='linear') under its other name.

    It is on an interval scale only if gains are on a ratio scale, with equal gaps G, and p = G/(G+1): 1/3 for three
    grades. (p may also be 1/2 or another 1/n above that; values are then equally spaced, and rankings tie.)

    A document of half the highest grade on top, and one of the highest below, with p=1/2: 1/2 * 1/2 + 1/4 * 1.

    >>> from rankscale.data.judged import judged
    >>> gRBP(p=0.5).value(judged("1 2"))
    array([0.5])

    Formula
    -------
    (1 - p) sum over ranks i <= k of (grade / gmax) * p^(i-1)
    """

    gains: Gains = gains_param("linear")
