"""Archetypes: the kinds of rankings that CRP distinguishes."""

import numpy as np

from rankscale.data.arrays import Bools, Ints, NDArray
from rankscale.data.judged import Judged
from rankscale.measures.base.relative_position import DEPTH, Cut, positions, summed

ARCHETYPES = (  # the first that fits is the ranking's
    "worst",
    "ideal",
    "full scale",
    "typical B",
    "typical A",
    "ups and downs",
    "excellent A",
    "excellent B",
)


def archetype(judged: Judged, depth: int | None = None, rel: float = 1) -> NDArray[np.str_]:
    """(topic,): the archetype of each ranking, cut at `depth` (1000 if none is given); empty without a recall base.

    Worst: nothing relevant retrieved. Ideal: CRP is 0 throughout. Full scale: the ideal reversed, at the end of N
    ranks. Typical B: CRP falls below 0 and never comes back. Typical A: it comes back to 0 or above at a rank greater
    than RB. Ups and downs: it comes back by rank RB, and is below 0 again later. Excellent A and B: it comes back by
    rank RB and stays; A has all relevant documents in the first RB ranks, B does not. So rho is 1 for excellent
    rankings and ups and downs, and 0 for typical B. With binary relevance only the first five can occur.

    >>> from rankscale.data.judged import judged
    >>> archetype(judged("1 1", "1 0 1", "0 0 1 1", "0 0"), depth=4).tolist()
    ['ideal', 'typical A', 'full scale', '']
    >>> archetype(judged("1 3 3", "3 1 3", "2 3 3")).tolist()  # all relevant documents first, in a wrong order
    ['typical B', 'excellent A', 'typical B']
    """
    relevant = judged.read_at(judged.relevant_so_far(rel), (depth or DEPTH,)).astype(np.int64)
    cut = Cut(positions(judged, rel), relevant, np.array([[depth or DEPTH]]))
    recall_base = cut.of.recall_base
    fits = (
        relevant == 0,
        cut.backward == 0,
        _is_full_scale(cut),
        np.isinf(cut.balance("return")),
        _return(cut, cut.of.rank) > recall_base,
        _is_below_again(cut),
        cut.sum(summed(cut.of.rank <= cut.of.of_topic(recall_base))) == recall_base,
    )
    kind = np.select(fits, range(len(fits)), default=len(fits))
    names: NDArray[np.str_] = np.array(("", *ARCHETYPES))[np.where(recall_base > 0, kind + 1, 0)[:, 0]]
    return names


def _is_full_scale(cut: Cut) -> Bools:
    """Whether all relevant documents stand in the last RB ranks, in ascending order of grades."""
    ideal_end = cut.of.rank - cut.of.position  # so far down, every document stands too late, by `position` ranks
    out_of_order = np.zeros(len(ideal_end), dtype=bool)
    out_of_order[1:] = (ideal_end[1:] > ideal_end[:-1]) & (cut.of.topic[1:] == cut.of.topic[:-1])
    too_early = cut.of.rank <= cut.of.of_topic(cut.length - cut.of.recall_base)
    is_full_scale: Bools = (cut.relevant == cut.of.recall_base) & (cut.sum(summed(out_of_order | too_early)) == 0)
    return is_full_scale


def _return(cut: Cut, column: Ints) -> Ints:
    """A column of documents, read at the one that brings CRP back to 0, where there is one."""
    return np.take(np.append(column, 0), cut.of.returns)


def _is_below_again(cut: Cut) -> Bools:
    """Whether CRP, once back at 0, is negative later: at or just above a relevant document, or from rank RB on."""
    below = summed((cut.of.before < 0) | (cut.of.after < 0))
    later = np.take(below, cut.of.starts + cut.relevant) - _return(cut, below[1:])
    return (later > 0) | (cut.crp(cut.of.recall_base) < 0)
