"""Users who want a certain amount of gain: INSQ and INST read on the likelier the deeper they are, BPM stops there."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.binary import TiedAtRanks, parted_group
from rankscale.measures.base.gains import ScaledGains
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import as_written
from rankscale.measures.base.ties import at_end, chance, place_chance
from rankscale.measures.err import before, trigamma

ROUNDING = 1e-12  # ten times 0.1 is a little less than 1


@dataclass(frozen=True)
class INSQ(ScaledGains, Additive):
    """The gain met per document by a user who wants a gain of T and reads on the likelier the deeper she is.

    Weights fall as 1/(i + 2T - 1)^2 and add up to 1 over all ranks without end; cwl_eval, and ir_measures after it, let
    them add up to 1 over the first 1000, and so has values that are higher by about 1 in 600 for T=1. For T=1/2
    weights are 1, 1/4, 1/9, ... over pi^2/6, so that a relevant document on top is worth 0.6079:

    >>> from rankscale.data.judged import judged
    >>> INSQ(T=0.5).value(judged("1 0")).round(4)
    array([0.6079])

    Formula
    -------
    sum over ranks i <= k of W_i gain, W_i = 1 / ((i + 2T - 1)^2 S), S the sum of 1 / (i + 2T - 1)^2 over all

    User model
    ----------
    wants a gain of T, and reads on after rank i with probability ((i + 2T - 1) / (i + 2T))^2

    References
    ----------
    Moffat, Scholer and Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012
    """

    unbounded_depth: ClassVar[bool] = True

    T: Fraction | float = param(1.0, gt=0, help="how much gain the user expects to find")

    def exact_weights(self, depth: int) -> tuple[Fraction, ...]:
        """1 / (rank + 2T - 1)^2, without the common factor."""
        place = 2 * as_written(self.T) - 1
        return tuple(1 / (rank + place) ** 2 for rank in range(1, depth + 1))

    def weight(self, rank: Ints) -> Floats:
        """The share of her attention that each rank has."""
        place = rank + (2.0 * float(self.T) - 1.0)
        return 1.0 / (place * place * self._all())

    def weight_down_to(self, rank: Ints) -> Floats:
        """All but the tail."""
        return 1.0 - self.tail(rank)

    def tail(self, rank: Ints) -> Floats:
        """The share of all ranks beyond these."""
        return trigamma(rank.astype(np.float64) + 2.0 * float(self.T)) / self._all()

    def _all(self) -> float:
        return float(trigamma(np.array([2.0 * float(self.T)]))[0])


class EntryReading(NamedTuple):
    """(topic, entry) each: what has come together when the user has read down to each entry."""

    left: Floats  # how likely she reads on, apart from what her rank alone explains
    gained: Floats  # gain
    met: Floats  # gain, each times how likely it is to be seen
    seen: Floats  # documents that she is expected to see, if nothing more is gained


@dataclass(frozen=True)
class INST(ScaledGains):
    """The gain met per document by a user who wants a gain of T and is the less patient the more she has found.

    As `INSQ`, but T_i, what is still wanted at rank i, stands for one of the two T. Weights add up to 1 over all ranks
    without end; cwl_eval, and ir_measures after it, stop at rank 1000 and have values that are higher by up to 1 in 600
    for T=1. With T=1/2 a user who finds a relevant document on top stops there. After one that is not relevant she sees
    1/4 of the second document, and after that one, with what she wanted, (pi^2/6 - 1)/4 of all others:

    >>> from rankscale.data.judged import judged
    >>> INST(T=0.5).value(judged("1 0", "0 1")).round(4)  # the second is 1/4 over 1 + 1/4 + 0.1612
    array([1.    , 0.1771])

    Formula
    -------
    (sum over ranks i <= k of V_i gain) / (sum of V_i over all ranks), V_1 = 1, V_(i+1) = V_i ((i + T + T_i - 1) / (i +
    T + T_i))^2, T_i = T - the gain down to i

    User model
    ----------
    wants a gain of T, and reads on the likelier the deeper she is and the less she has gained

    References
    ----------
    Moffat, Bailey, Scholer and Thomas, INST: An Adaptive Metric for Information Retrieval Evaluation, ADCS 2015
    """

    bounded: ClassVar[bool] = True
    best_first: ClassVar = "always"
    unbounded_depth: ClassVar[bool] = True

    T: float = param(1.0, ge=0.5, help="how much gain the user expects to find")

    def total(self, judged: Judged) -> Floats:
        """The value of the ranking down to each entry."""
        reading = self._reading(judged)
        return reading.met / reading.seen

    def _reading(self, judged: Judged) -> EntryReading:
        # With b = i - 1 + 2T - (gain above i), V_i is (2T S / b)^2, S being the product of 1 - gain / b over the
        # documents above: documents that gain nothing leave no trace, and the sum of V over the ranks between two that
        # do is a difference of trigammas.
        gain = self.gain_met(judged)
        gained: Floats = np.cumsum(gain, axis=-1, dtype=np.float64)
        base = np.where(gain > 0, judged.rank - 1 + 2.0 * self.T - before(gained, 0.0), 1.0)
        left: Floats = np.cumprod(1.0 - gain / base, axis=-1, dtype=np.float64)
        reached = 2.0 * self.T * before(left, 1.0)
        on = 2.0 * self.T * left
        met = np.cumsum(gain * (reached / base) * (reached / base), axis=-1)
        changed = on * on * trigamma(base + 1.0 - gain) - reached * reached * trigamma(base + 1.0)
        seen = self._unread() + np.cumsum(np.where(gain > 0, changed, 0.0), axis=-1)
        return EntryReading(left, gained, met, seen)

    def _unread(self) -> float:
        """How many documents she is expected to see where no document gains anything."""
        return float(4.0 * self.T * self.T * trigamma(np.array([2.0 * self.T]))[0])

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """All further documents at gain 1: she then reads on with the same probability after each of them."""
        reading = self._reading(judged)
        left, gained = at_end(reading.left, rank, 1.0), at_end(reading.gained, rank)
        met, seen = at_end(reading.met, rank), at_end(reading.seen, rank, self._unread())
        wanted = rank + 2.0 * self.T - gained
        share = 4.0 * self.T * self.T * left * left
        further = share / (2.0 * wanted - 1.0)
        return (met + further) / (seen - share * trigamma(wanted) + further) - met / seen


@dataclass(frozen=True)
class BPM(ScaledGains, TiedAtRanks):
    """The gain met per document by a user who stops at a gain of T or after k documents, whichever comes first.

    The static model of the paper, with gains that grow evenly, as cwl_eval and ir_measures have it. The gain reaches 1
    at the third document here:

    >>> from rankscale.data.judged import judged
    >>> BPM(depth=10).value(judged("1 0 2 2", missed="0")).round(4)  # (1/2 + 1) / 3
    array([0.5])

    There are no bounds: one more relevant document may stop the user before she reaches better ones. Of the gains 1/2,
    1/3, 1 she takes 11/6 in three documents; with 1/2 in place of 1/3 she takes 1 in two, and 1/2 is less than 11/18.

    Formula
    -------
    (gain in the first n) / n, n the first rank with a gain of T so far, at most k

    User model
    ----------
    reads from the top and stops once the gain is T, or after k documents

    References
    ----------
    Zhang et al., Evaluating Web Search with a Bejeweled Player Model, SIGIR 2017
    """

    needs_depth: ClassVar[bool] = True
    exceptions: ClassVar = {"a_ranking_above_another_is_never_worse": "gain met early stops the user before more of it"}
    best_first: ClassVar = "never"  # a document that comes early may stop the user before better ones
    drawn_ties: ClassVar[str] = "where there are several gains above 0"

    T: float = param(1.0, gt=0, help="how much gain the user expects to find")

    def total(self, judged: Judged) -> Floats:
        """Gain met, down to where it is enough."""
        read = before(self._enough(judged), 0.0) == 0
        return np.cumsum(np.where(read, self.gain_met(judged), 0.0), axis=-1)

    def _enough(self, judged: Judged) -> Floats:
        """1 where the gain so far is T or more."""
        return (np.cumsum(self.gain_met(judged), axis=-1) >= self.T - ROUNDING).astype(np.float64)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The documents read."""
        stop = np.where(self._enough(judged) > 0, judged.rank, BEYOND).min(axis=-1, keepdims=True, initial=BEYOND)
        read: Ints = np.minimum(rank, stop)
        return read

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all documents that gain anything gain the same, their number decides."""
        gains = self.gain(table.levels, table.highest)
        return np.full(table.topics, len(np.unique(gains[gains > 0])) <= 1)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean over the ranks where the gain can be enough, and over the gains that are not."""
        gains = self.gain(table.levels, table.highest)
        one = float(gains.max(initial=0.0))
        if one == 0:
            return np.zeros((table.topics, rank.shape[-1]))
        lowest, wanted = float(table.levels[gains > 0].min()), math.ceil((self.T - ROUNDING) / one)
        size, place = table.tie_group_size, table.rank - table.first + 1
        held = np.rint(table.tie_group_sum(table.relevant(lowest)))
        above = table.above_tie_group(table.relevant_so_far(lowest))
        stops = place_chance(size, held, place, wanted - above) / table.rank
        group = parted_group(table, rank, lowest)
        mean = wanted * at_end(np.cumsum(stops, axis=-1), group.end)
        for met in range(wanted):  # as long as it is not enough, the user reads to the end
            mean += met * divide(chance(group.size, group.relevant, group.drawn, met - group.before), rank)
        return one * mean
