"""How well documents are in order: pairs, gain against the best order, scores against grades, overlap with an ideal."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import OfSeveralColumns, PartedGroup, SumOfGains, TiedByCount
from rankscale.measures.base.gains import Graded, gains_within, read_along
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import RBP_P, param
from rankscale.measures.base.ties import mean_over_count


@dataclass(frozen=True)
class Accuracy(OfSeveralColumns, TiedByCount):
    """Of all pairs of a relevant and another retrieved document, the share with the relevant one above.

    An unjudged document counts as not relevant. Here one of the four pairs is in the wrong order:

    >>> from rankscale.data.judged import judged
    >>> Accuracy().value(judged("1 - 1 0", "0 0"))
    array([0.75,  nan])

    Formula
    -------
    (pairs of a relevant above another document in the first k) / (pairs of both there)

    References
    ----------
    MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022
    """

    exceptions: ClassVar = {
        "moving_a_relevant_document_up_never_costs": "within the depth it makes pairs with the documents above it",
        "a_longer_ranking_never_costs": "only retrieved documents make pairs, so one retrieved late counts against it",
    }
    best_first: ClassVar = "uncut"
    undefined: ClassVar[str] = "the first k documents are all relevant, or none of them is: there is no pair"

    def total(self, judged: Judged) -> Numbers:
        """For each relevant document the others above it, summed down the ranking."""
        relevant = judged.relevant_so_far(self.rel)
        above = np.where(judged.relevant(self.rel) > 0, judged.rank - relevant, 0)
        return np.cumsum(above, axis=-1, dtype=np.float64)

    def at_ranks(self, total: Numbers, judged: Judged, rank: Ints, read: Callable[[Numbers], Floats]) -> Floats:
        """(topic, any): the share of pairs in the right order."""
        return self._share(read(total), read(judged.relevant_so_far(self.rel)), judged, rank)

    @staticmethod
    def _share(wrong: Numbers, relevant: Numbers, judged: Judged, rank: Ints) -> Floats:
        pairs = relevant * (np.minimum(rank, judged.length[:, None]) - relevant).astype(np.float64)
        return 1.0 - divide(wrong, pairs, math.nan)

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The share, with the pairs in the wrong order on average: half of those within the group."""
        table = group.table
        others, size = table.first - 1 - self.relevant_above_ties(table), table.tie_group_size
        share = table.tie_group_mean(table.relevant(self.rel))
        tied_above = divide((table.rank - table.first) * (1.0 - share) * size, size - 1)
        wrong = group.at(np.cumsum(share * (others + tied_above), axis=-1))
        wrong += met * (group.above - group.before) + met * (group.drawn - met) / 2
        return self._share(wrong, group.before + met, table, group.rank)


@dataclass(frozen=True)
class SR(Graded, SumOfGains):
    """Gain of the first k documents, over that of the first k if all documents retrieved came in their best order.

    What was not retrieved does not count, so that rankings of different documents are hardly comparable; at the end of
    every ranking the ratio is 1. The first two gain 1 here, and 3 + 1 in the best order:

    >>> from rankscale.data.judged import judged
    >>> SR(depth=2).value(judged("1 0 3", missed="3"))
    array([0.25])

    Formula
    -------
    CG[k] / (CG[k] of the documents retrieved, in their best order)

    References
    ----------
    Pollack, Measures for the Comparison of Information Retrieval Systems, American Documentation 19(4), 1968
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "what is retrieved further down makes the best order better at every depth",
        "a_ranking_above_another_is_never_worse": "a better document below the depth makes the best order better",
    }
    needs_depth: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = "where rankings are cut first"
    looks_ahead: ClassVar[bool] = True

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade, 0 or more."""
        return gains_within(self.name, super().gain(levels, highest), levels)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The same gains, best first, down to these ranks."""
        return read_along(np.cumsum(-np.sort(-self.gain_met(judged), axis=-1), axis=-1), rank)

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where rankings are not cut, and so all orders retrieve the same."""
        beyond = (table.code >= 0) & (table.rank > table.length[:, None])
        none: Bools = np.count_nonzero(beyond, axis=-1) == 0
        return none

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all orders retrieve the same."""
        return self.exact_mean(table)


@dataclass(frozen=True)
class RelRel(Measure):
    """How well scores and grades point the same way: the cosine between both, over the judged documents retrieved.

    It needs the scores of the run, and changes when these are shifted. Where all grades or all scores are 0 it is 0.
    The unjudged document does not count; scores 4 and 3 and grades 0 and 1 give 3/(5 * 1):

    >>> from dataclasses import replace
    >>> from rankscale.data.judged import judged
    >>> RelRel().value(replace(judged("0 - 1"), score=np.array([[4.0, 3.0]])))
    array([0.6])

    Formula
    -------
    sum of score * grade / sqrt(sum of score^2 * sum of grade^2), over judged documents in the first k

    References
    ----------
    Borlund and Ingwersen, Measures of Relative Relevance and Ranked Half-Life, SIGIR 1998
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "scores of documents that are not relevant turn away from the grades",
        "moving_a_relevant_document_up_never_costs": "down to a depth, grades that differ turn away from even scores",
        "the_ideal_ranking_is_not_beaten": "down to a depth, even grades point the way of even scores",
    }
    limits: ClassVar[tuple[float, float]] = (-1, 1)
    undefined: ClassVar[str] = "a judged document has an infinite score"
    needs_scores: ClassVar[bool] = True
    best_first: ClassVar = "uncut"  # tied documents have one score
    drawn_ties: ClassVar[str] = "where the depth parts a group of ties"

    def total(self, judged: Judged) -> Floats:
        """The cosine over the documents down to each entry."""
        if judged.score is None:
            raise ParameterError(f"{self} compares scores with grades: the runs must be read with their scores")
        counts = judged.is_judged() > 0
        endless = np.logical_or.accumulate(counts & np.isinf(judged.score), axis=-1)
        score = _scaled(np.where(counts & ~endless, judged.score, 0.0))
        grade = _scaled(judged.worth(np.maximum(judged.levels, 0.0)))
        lengths = (np.sqrt(np.cumsum(column**2, axis=-1)) for column in (score, grade))
        cosine = divide(np.cumsum(score * grade, axis=-1), np.multiply(*lengths))
        return np.where(endless, np.nan, np.clip(cosine, -1.0, 1.0))

    def over_ties(self, judged: Judged) -> Floats:
        """The same: tied documents have one score, so that their order is no matter where a group ends."""
        return self.total(judged)

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where the depth parts no group of ties."""
        return self.exact_range(table, every_rank=every_rank)


def _scaled(column: Floats) -> Floats:
    """Each row over the power of two next to its largest number: no digit changes, and no square is too large."""
    largest = np.abs(column).max(axis=-1, initial=0.0, keepdims=True)
    scaled: Floats = np.ldexp(column, -np.frexp(largest)[1])
    return scaled


@dataclass(frozen=True)
class Compat(Measure):
    """The rank-biased overlap of a ranking with the ideal ranking that is most like it.

    The ideal holds the documents with a grade above 0, best grade first and in the order of the ranking where grades
    are equal. Overlap counts without end; ir_measures stops where the longer of both does, which differs for short
    rankings. `normalize` divides by the overlap of the ideal with itself, which is below 1 since the ideal ends. A
    document at rank a, and b in the ideal, counts at all ranks from max(a, b) on. With p=0 only the first rank counts:

    >>> from rankscale.data.judged import judged
    >>> Compat(p=0).value(judged("2 1", "1 2"))
    array([1., 0.])

    Formula
    -------
    (1 - p) sum over ranks i of p^(i-1) (documents in the first i of both) / i, over that of the ideal with itself

    User model
    ----------
    compares a ranking with the ideal one from the top, and reads on with probability p

    References
    ----------
    Clarke, Vtyurina and Smucker, Assessing Top-k Preferences, TOIS 39(3), 2021
    """

    best_first: ClassVar = "always"
    uses_recall_base: ClassVar[bool] = True

    p: float = param(0.95, ge=0, lt=1, help=RBP_P)
    normalize: bool = param(True, help="whether to divide by the value of the ideal ranking")

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that are not in the ideal ranking."""
        return levels <= 0

    def total(self, judged: Judged) -> Floats:
        """(topic, entry): overlap that each document of the ideal adds from where both rankings hold it, summed."""
        in_ideal = judged.code >= np.searchsorted(judged.levels, 0.0, side="right")
        shared = np.where(in_ideal, np.maximum(judged.rank, self._ideal_rank(judged)), 1)
        return np.cumsum(np.where(in_ideal, self._from_rank(int(shared.max(initial=1)))[shared], 0.0), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The overlap of the ideal with itself."""
        if not self.normalize:
            return np.ones(1)
        size = judged.counts[:, judged.levels > 0].sum(axis=-1, keepdims=True)
        counted = self._from_rank(int(size.max(initial=1)))[1:]  # position 0 belongs to no rank
        whole: Floats = np.append(0.0, np.cumsum(counted))[size]
        return whole

    def _ideal_rank(self, judged: Judged) -> Ints:
        """(topic, entry): the rank of each entry in the ideal, after all better ones and those as good above it."""
        order = np.argsort(judged.code, axis=-1, kind="stable")
        code = np.take_along_axis(judged.code, order, axis=-1)
        width = code.shape[-1]
        opens = np.ones(code.shape, dtype=bool)
        opens[:, 1:] = code[:, 1:] != code[:, :-1]
        above = np.arange(width) - np.maximum.accumulate(np.where(opens, np.arange(width), 0), axis=-1)
        as_good = np.empty(code.shape, dtype=np.int64)
        np.put_along_axis(as_good, order, above, axis=-1)
        better = judged.counts.sum(axis=-1, keepdims=True) - np.cumsum(judged.counts, axis=-1)
        return np.take_along_axis(np.pad(better, ((0, 0), (0, 1))), judged.code.astype(np.int64), axis=-1) + as_good + 1

    def _from_rank(self, deepest: int) -> Floats:
        """(deepest + 1,): the sum of (1 - p) p^(i-1) / i over the ranks i from each rank on."""
        # From the top, as the sum of all less what comes before: each number is then the same however deep one goes.
        p = float(self.p)
        rank = np.arange(1.0, deepest)
        every = -(1.0 - p) * math.log1p(-p) / p if p > 0 else 1.0
        earlier = np.cumsum((1.0 - p) * np.power(p, rank - 1.0) / rank)
        return np.maximum(every - np.concatenate([[0.0, 0.0], earlier]), 0.0)

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of its grade stand above each document of the ideal among those it is tied with."""
        size, place, total = judged.tie_group_size, judged.rank - judged.first, np.zeros(judged.rank.shape)
        better = judged.counts.sum(axis=-1, keepdims=True) - np.cumsum(judged.counts, axis=-1)
        deepest = int(max(judged.rank.shape[-1], judged.counts.sum(axis=-1).max(initial=0))) + 1
        counted, rank = self._from_rank(deepest), judged.rank.ravel()
        for code in np.flatnonzero(judged.levels > 0).tolist():
            alike = judged.code == code
            share = judged.tie_group_mean(alike)
            tied = np.maximum(np.rint(share * size) - 1, 0)
            above = judged.above_tie_group(np.cumsum(alike, axis=-1)) + better[:, [code]]
            ideal = np.where(share > 0, above, 0).ravel().astype(np.int64)

            def overlap(where: Ints, met: int, ideal: Ints = ideal) -> Floats:
                return counted[np.maximum(rank[where], ideal[where] + met + 1)]

            total += share * mean_over_count(size - 1, tied, place, overlap)
        return np.cumsum(total, axis=-1)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """The ideal has higher grades first."""
        return np.maximum(levels, 0.0), 0.0
