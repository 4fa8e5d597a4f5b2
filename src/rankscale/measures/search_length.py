"""How far down relevant documents stand: reciprocal rank, search lengths, half-life and normalised recall."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import Binary, OfRelevance, PartedGroup, TiedAtRanks, TiedByCount, parted_group
from rankscale.measures.base.gains import Graded, gains_within, read_along
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import needed, param, rel_param
from rankscale.measures.base.structure import UNKNOWN, FirstRelevant, Structure
from rankscale.measures.base.ties import chance, end_of, place_chance


@dataclass(frozen=True)
class ASL(TiedByCount):
    """The mean rank of the relevant documents retrieved; low is good.

    They stand at ranks 1, 2 and 6:

    >>> from rankscale.data.judged import judged
    >>> ASL().value(judged("1 1 0 - 0 1", missed="1"))
    array([3.])

    Formula
    -------
    (sum of the ranks <= k of relevant documents) / (relevant in the first k)

    References
    ----------
    Losee, Text Retrieval and Filtering: Analytic Models of Performance, Kluwer, 1998
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "one more relevant document below the others raises their mean rank",
        "moving_a_relevant_document_up_never_costs": "one that moves up to the depth raises the mean rank there",
        "the_ideal_ranking_is_not_beaten": "down to a depth, the mean rank of more documents is higher",
    }
    limits: ClassVar[tuple[float, float]] = (1, math.inf)
    low_is_good: ClassVar[bool] = True
    best_first: ClassVar = "uncut"
    undefined: ClassVar[str] = "no relevant document is retrieved"

    def total(self, judged: Judged) -> Floats:
        """The mean rank down to each entry, 0 until a relevant document is met."""
        return divide(np.cumsum(judged.relevant(self.rel) * judged.rank, axis=-1), judged.relevant_so_far(self.rel))

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Undefined where no relevant document is retrieved."""
        return np.where(total > 0, total, np.nan)

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The mean rank: on average a relevant document of the group stands in the middle of its places."""
        return np.where(group.before + met > 0, divide(self._ranks(group, met), group.before + met), np.nan)

    def _ranks(self, group: PartedGroup, met: int) -> Floats:
        """(topic, any): the ranks of the relevant documents, added up."""
        table = group.table
        above = group.at(np.cumsum(table.tie_group_mean(table.relevant(self.rel)) * table.rank, axis=-1))
        return above + met * (group.above + (group.drawn + 1) / 2)


@dataclass(frozen=True)
class RankPower(ASL):
    """The mean rank of the relevant documents retrieved, over their number; low is good.

    It comes down to 1/2 as all of more and more documents retrieved are relevant: (n + 1)/(2n) for n of them. The
    relevant documents stand at ranks 1, 2 and 6 here, so that the value is 3/3:

    >>> from rankscale.data.judged import judged
    >>> RankPower().value(judged("1 1 0 - 0 1", missed="1"))
    array([1.])

    Formula
    -------
    (sum of the ranks <= k of relevant documents) / (relevant in the first k)^2

    References
    ----------
    Meng and Chen, On User-Oriented Measurements of Effectiveness of Web Information Retrieval Systems, International
    Conference on Internet Computing, 2004
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "one more relevant document far down adds more to ranks than to numbers",
        "moving_a_relevant_document_up_never_costs": "one that moves up to the depth raises the mean rank there",
    }
    limits: ClassVar[tuple[float, float]] = (0.5, math.inf)

    def total(self, judged: Judged) -> Floats:
        """The value down to each entry, 0 until a relevant document is met."""
        relevant = judged.relevant_so_far(self.rel).astype(np.float64)
        return divide(np.cumsum(judged.relevant(self.rel) * judged.rank, axis=-1), relevant**2)

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The mean rank over the number of relevant documents."""
        return super().given_count(group, met) / np.maximum(group.before + met, 1)


@dataclass(frozen=True)
class ESL(TiedAtRanks, OfRelevance):
    """Documents that are not relevant and stand above the n-th relevant one, on average over ties; low is good.

    Documents with equal scores may come in any order. Where the group that brings the n-th relevant document holds
    r relevant and i other ones, and must give s relevant ones, a user meets i*s/(r + 1) of the others on average.

    One stands above the tied documents. Of these two of three are not relevant, and one relevant is wanted: 1 + 2/2.

    >>> from rankscale.data.judged import judged
    >>> ESL().value(judged("0 1=0=0 1"))
    array([2.])

    A ranking that ends inside a group of ties is taken with the documents that it has.

    Formula
    -------
    j + i*s/(r+1), with j not relevant in earlier tie groups, and r relevant, i not relevant and s wanted in the group
    of the n-th

    User model
    ----------
    reads from the top until n relevant documents are met

    References
    ----------
    Cooper, Expected Search Length, American Documentation 19(1), 1968
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    takes_depth: ClassVar[bool] = False
    low_is_good: ClassVar[bool] = True
    undefined: ClassVar[str] = "fewer than n relevant documents are retrieved"

    n: int = param(1, ge=1, help="which relevant document is looked for: the n-th")
    rel: float = rel_param()

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): search length of rankings that end at these ranks."""
        wanted = (judged.relevant(self.rel) > 0) & (judged.relevant_so_far(self.rel) == self.n)
        first, last = (
            np.where(wanted, edge, 0).max(axis=-1, initial=0, keepdims=True).astype(np.int64)
            for edge in (judged.first, judged.last)
        )
        earlier, down_to_group = (self._relevant_above(judged, edge) for edge in (first, last + 1))
        relevant = np.maximum(np.minimum(total, down_to_group) - earlier, 0)  # less where the n-th is not met
        others = np.minimum(rank, last) - first + 1 - relevant
        searched = first - 1 - earlier + others * (self.n - earlier) / (relevant + 1.0)
        return np.where(total >= self.n, searched, np.nan)

    def _relevant_above(self, judged: Judged, rank: Ints) -> Ints:
        """(topic, 1): relevant documents above this rank."""
        return np.count_nonzero((judged.relevant(self.rel) > 0) & (judged.rank < rank), axis=-1, keepdims=True)

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all orders, or none, bring the n-th relevant document down to the rank."""
        surely, perhaps = self._brought(table, table.rank.astype(np.int64) if every_rank else end_of(self, table))
        return np.logical_not(((surely < self.n) & (perhaps >= self.n)).any(axis=-1))

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the value as it is; undefined where no order brings the n-th document down to the rank."""
        width = table.rank.shape[-1]
        searched = self.finish(self.total(table)[:, -1:], table, np.full((table.topics, 1), width)) if width else np.nan
        return np.where(self._brought(table, rank)[0] >= self.n, searched, np.nan)

    def tied_defined(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the chance that tied documents are in an order that brings the n-th one down to the rank."""
        group = parted_group(table, rank, self.rel)
        share = np.zeros(group.end.shape)
        for met in range(int(np.minimum(group.relevant, group.drawn).max(initial=0)) + 1):
            enough = group.before + met >= self.n
            share += np.where(enough, chance(group.size, group.relevant, group.drawn, met), 0.0)
        return share

    def _brought(self, table: Judged, rank: Ints) -> tuple[Floats, Floats]:
        """(topic, any) twice: relevant documents down to these ranks in all orders of tied documents, and in some."""
        group = parted_group(table, rank, self.rel)
        surely = group.before + np.maximum(group.relevant - (group.size - group.drawn), 0)
        return surely, group.before + np.minimum(group.relevant, group.drawn)


@dataclass(frozen=True)
class RHL(Graded):
    """How far down half of the gain that was retrieved is met, as the median of grouped data; low is good.

    A rank is taken to give its gain evenly from where the one above ends. Half of the gain of 4 is met at rank 3, which
    is to give 1 of its 3 until then: 2 + 1/3.

    >>> from rankscale.data.judged import judged
    >>> RHL().value(judged("1 0 3 -", missed="3")).round(4)
    array([2.3333])

    Formula
    -------
    (m-1) + (T/2 - CG[m-1]) / G[m], T = CG[k], m the first rank with CG[m] >= T/2

    References
    ----------
    Borlund and Ingwersen, Measures of Relative Relevance and Ranked Half-Life, SIGIR 1998
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "with more gain further down, half of it is met later",
        "moving_a_relevant_document_up_never_costs": "with more gain down to the depth, half of it is met later",
        "the_ideal_ranking_is_not_beaten": "down to a depth, half of more gain is met later",
    }
    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    low_is_good: ClassVar[bool] = True
    best_first: ClassVar = "uncut"
    undefined: ClassVar[str] = "nothing that gains is retrieved"

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade, 0 or more, so that half of the gain is met somewhere."""
        return gains_within(self.name, super().gain(levels, highest), levels)

    def total(self, judged: Judged) -> Floats:
        """The half-life of the ranking down to each entry, 0 until something is gained."""
        gain = self.gain_met(judged)
        met = np.cumsum(gain, axis=-1)
        above = np.pad(met, ((0, 0), (1, 0)))[:, :-1]
        middle = _first_reaching(met, met / 2)
        left = met / 2 - np.take_along_axis(above, middle, axis=-1)
        within = divide(left, np.take_along_axis(gain, middle, axis=-1))
        return np.where(met > 0, np.take_along_axis(judged.rank, middle, axis=-1) - 1 + within, 0.0)

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Undefined where nothing was gained."""
        return np.where(total > 0, total, np.nan)


def _first_reaching(met: Floats, wanted: Floats) -> Ints:
    """(topic, entry): the first entry at which `met` is as high as wanted; neither ever falls along a row."""
    width = met.shape[-1]
    # Sorted together, equal ones with the wanted first: what stands before a wanted number, but for other wanted ones,
    # are the entries that have not reached it.
    order = np.argsort(np.concatenate([wanted, met], axis=-1), axis=-1, kind="stable")
    place = np.argsort(order, axis=-1, kind="stable")[:, :width]
    return place - np.arange(width)


@dataclass(frozen=True)
class NR(OfRelevance):
    """How near the ranks of all relevant documents are to the best ones, 1 to RB, in a collection of this size.

    `collection` is how many documents there are to retrieve. Relevant documents that are not retrieved take the last
    ranks. Of ten documents two are relevant, one at rank 2 and one missed, which takes rank 10: 1 - (12 - 3)/(2 * 8).

    >>> from rankscale.data.judged import judged
    >>> NR(collection=10).value(judged("0 1 -", missed="1"))
    array([0.4375])

    Formula
    -------
    1 - (sum of the ranks of the relevant documents - sum of 1..RB) / (RB (collection - RB))

    References
    ----------
    Rocchio, Document Retrieval Systems: Optimization and Evaluation, doctoral thesis, Harvard, 1966
    """

    example: ClassVar[str] = "NR(collection=1000)"
    uses_recall_base: ClassVar[bool] = True

    collection: int = field(metadata=needed("how many documents the collection has", ge=1))
    rel: float = rel_param()

    def total(self, judged: Judged) -> Numbers:
        """Ranks spared by the relevant documents met: each would else stand at the first of the last ranks.

        With c of them in all, and it among them, that is rank collection - RB + c. Down from the worst ranks, whose sum
        is RB (collection - RB) above the best, this is the same as the formula.
        """
        met = judged.relevant_so_far(self.rel).astype(np.int64)
        others = self.collection - judged.recall_base(self.rel)[:, None]
        self._refuse_small(judged, met)
        return np.cumsum(np.where(judged.relevant(self.rel) > 0, others + met - judged.rank, 0), axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """Ranks spared at each place of a group, by its share of the r relevant ones of n.

        Of these (j - 1) (r - 1) / (n - 1) stand above the one in place j on average.
        """
        self._refuse_small(judged, judged.relevant_so_far(self.rel).astype(np.int64))
        share, size = judged.tie_group_mean(judged.relevant(self.rel)), judged.tie_group_size
        met = self.relevant_above_ties(judged) + 1 + divide((judged.rank - judged.first) * (share * size - 1), size - 1)
        others = self.collection - judged.recall_base(self.rel)[:, None]
        return np.cumsum(share * (others + met - judged.rank), axis=-1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """Ranks there are to spare."""
        relevant = judged.recall_base(self.rel)[:, None]
        return relevant * (self.collection - relevant)

    def _refuse_small(self, judged: Judged, met: Ints) -> None:
        """A collection holds what was retrieved and what was missed, and something that is not relevant."""
        relevant = judged.recall_base(self.rel)
        missed = relevant - met.max(axis=-1, initial=0)
        least = int(np.maximum(judged.length + missed, relevant + 1).max(initial=0))
        if self.collection < least:
            raise ParameterError(f"{self} needs the size of the collection, which has {least} documents at least")


@dataclass(frozen=True)
class RR(Binary):
    """One over the rank of the first relevant document.

    A sceptical user asks for the `n`-th one; for a cautious user `damping` makes the top ranks differ less.

    >>> from rankscale.data.judged import judged
    >>> RR(n=2).value(judged("0 - 1 1", "0 1 0"))
    array([0.25, 0.  ])

    Formula
    -------
    1 / (damping + rank of the n-th relevant document), 0 if there is none in the first k

    User model
    ----------
    reads from the top until n relevant documents are met

    References
    ----------
    Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999
    """

    aliases: ClassVar[tuple[str, ...]] = ("MRR",)
    values_follow_gains: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    unbounded_depth: ClassVar[bool] = True

    n: int = param(1, ge=1, help="which relevant document is looked for: the n-th")
    damping: float = param(0, ge=0, help="added to the rank, so that the top ranks differ less")

    def structure(self, depth: int | None) -> Structure:
        """The rank of the first relevant document."""
        return FirstRelevant() if self.n == 1 else UNKNOWN

    def total(self, judged: Judged) -> Floats:
        """0 above the n-th relevant document, its reciprocal rank from there on."""
        wanted = judged.relevant(self.rel) * (judged.relevant_so_far(self.rel) == self.n)
        return np.cumsum(wanted / (float(self.damping) + judged.rank), axis=-1)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the value if the relevant documents still needed follow at once."""
        needed = self.n - read_along(judged.relevant_so_far(self.rel), rank)
        return np.where(needed > 0, 1.0 / (float(self.damping) + rank + np.maximum(needed, 1)), 0.0)

    def over_ties(self, judged: Judged) -> Floats:
        """The reciprocal of each rank times the probability that the n-th relevant document stands there.

        Of the orders of a group of m documents, r of them relevant, C(j-1, s-1) C(m-j, r-s) / C(m, r) have the s-th
        relevant one in place j.
        """
        size = judged.last - judged.first + 1
        relevant = np.rint(judged.tie_group_mean(judged.relevant(self.rel)) * size)
        above = self.relevant_above_ties(judged)
        place, wanted = judged.rank - judged.first + 1, self.n - above
        return np.cumsum(place_chance(size, relevant, place, wanted) / (float(self.damping) + judged.rank), axis=-1)
