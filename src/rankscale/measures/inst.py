"""INST: INSQ for a user who takes into account what she has gained so far."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.parameters import param
from rankscale.measures.base.reciprocals import trigamma
from rankscale.measures.base.scaled import Scaled, at_rank, before


class Reading(NamedTuple):
    """(topic, entry) each: what has come together when the user has read down to each entry."""

    left: Floats  # how likely she reads on, apart from what her rank alone explains
    gained: Floats  # gain
    met: Floats  # gain, each times how likely it is to be seen
    seen: Floats  # documents that she is expected to see, if nothing more is gained


@dataclass(frozen=True)
class INST(Scaled):
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

    def _reading(self, judged: Judged) -> Reading:
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
        return Reading(left, gained, met, seen)

    def _unread(self) -> float:
        """How many documents she is expected to see where no document gains anything."""
        return float(4.0 * self.T * self.T * trigamma(np.array([2.0 * self.T]))[0])

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """All further documents at gain 1: she then reads on with the same probability after each of them."""
        reading = self._reading(judged)
        left, gained = at_rank(reading.left, rank, 1.0), at_rank(reading.gained, rank, 0.0)
        met, seen = at_rank(reading.met, rank, 0.0), at_rank(reading.seen, rank, self._unread())
        wanted = rank + 2.0 * self.T - gained
        share = 4.0 * self.T * self.T * left * left
        further = share / (2.0 * wanted - 1.0)
        best: Floats = (met + further) / (seen - share * trigamma(wanted) + further) - met / seen
        return best
