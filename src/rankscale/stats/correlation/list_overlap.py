"""How alike rankings of documents are, without judgments: many pairs of rankings of one topic at once.

Everything follows from one array: down the second ranking of each pair, the rank of each document in the first. A pair
of 1,000 documents costs a look at each of them, and the forms of tau a million comparisons of small integers, which
numpy does in blocks: 129 runs of 50 topics make 400,000 pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError, Setting
from rankscale.stats.agreement import ratio

Union = Literal["first", "docno"]
AT_ONCE = 1 << 18  # documents of pairs that are held at once: a few megabytes, which the processor keeps near
TOGETHER = 128  # pairs whose documents are compared at once, so that they stay in the processor's memory
STEPS = 255  # comparisons that are counted in a byte


@dataclass(frozen=True, eq=False)
class TopicTable:
    """The rankings of a topic, cut at a depth: which document stands where, and at which rank each document stands."""

    documents: Ints  # (rank, run): numbers of documents; one more than the highest below the end
    ranks: Ints  # (run, document): ranks from 0, the number of ranks where the run lacks the document
    lengths: Ints  # (run,)

    @classmethod
    def of(cls, rankings: Sequence[Ints], number: int, depth: int) -> "TopicTable":
        """Table of rankings of documents that are numbered from 0 to, not with, `number`."""
        cut = [ranking[:depth] for ranking in rankings]
        lengths = np.array([len(ranking) for ranking in cut], dtype=np.int64)
        deepest = int(lengths.max(initial=0))
        small = np.int16 if deepest < np.iinfo(np.int16).max else np.int32
        documents = np.full((deepest, len(cut)), number, dtype=np.int64)
        ranks = np.full((len(cut), number + 1), deepest, dtype=small)
        for run, ranking in enumerate(cut):
            documents[: len(ranking), run] = ranking
            ranks[run, ranking] = np.arange(len(ranking))
        return cls(documents, ranks, lengths)

    def pairs(self, first: Ints, second: Ints) -> Iterator[tuple[slice, "ManyPairs"]]:
        """Pairs of runs by their places, as many at a time as fit, and which of them."""
        size = max(1, AT_ONCE // max(len(self.documents), 1))
        for start in range(0, len(first), size):
            part = slice(start, start + size)
            one, other = first[part], second[part]
            places = self.documents[:, other] + one * self.ranks.shape[1]
            yield part, ManyPairs(self.ranks.ravel().take(places), self.lengths[one], self.lengths[other])


@dataclass(frozen=True, eq=False)
class ManyPairs:
    """Pairs of rankings of a topic, each of one document or more."""

    ranks: Ints  # (rank, pair): rank in the first of each document of the second, the number of ranks if it lacks it
    first: Ints  # (pair,): lengths
    second: Ints

    @cached_property
    def there(self) -> Bools:
        """(rank, pair): whether the first has the document."""
        return self.ranks < len(self.ranks)

    @cached_property
    def shared(self) -> Ints:
        """(pair,): documents of both."""
        shared: Ints = np.count_nonzero(self.there, axis=0)
        return shared

    def overlap(self) -> Floats:
        """Shared documents over the length of the longer ranking."""
        return self.shared / np.maximum(self.first, self.second)

    def jaccard(self) -> Floats:
        """Shared documents over all documents of either."""
        return self.shared / (self.first + self.second - self.shared)

    @cached_property
    def met(self) -> Ints:
        """(rank, pair): depth, from 0, from which on both hold a document; the number of ranks if they never do."""
        ranks = np.arange(len(self.ranks), dtype=self.ranks.dtype)
        return np.maximum(self.ranks, ranks[:, None])

    def rbo_to_depth(self, p: float, depth: int) -> Floats:
        """Overlap summed down to a depth over the sum of the weights there, as repro_eval does.

        Nothing is extrapolated: below the ends of the rankings what they share stays as it is, so that equal rankings
        of few documents are below 1.
        """
        rank = np.arange(1, depth + 1)
        weight = p ** (rank - 1.0)
        overlap: Floats = self._summed(weight / rank) / weight.sum()
        return overlap

    def _summed(self, weight: Floats) -> Floats:
        """(pair,): sum over depths of a weight times the number of documents that both hold there.

        A document counts at each depth from which on both hold it, so that it is worth the weights from there on.
        """
        worth = np.append(np.cumsum(weight[::-1])[::-1], 0.0)[: len(self.ranks) + 1]
        worth[-1] = 0.0  # no document is at this place
        summed: Floats = worth.take(self.met).sum(axis=0)
        return summed

    def rbo(self, p: float) -> tuple[Floats, Floats, Floats]:
        """Rank-biased overlap without ties: extrapolated, lower and upper bounds; see `rbo.rbo`."""
        deepest = len(self.ranks)
        rank = np.arange(1, 2 * deepest + 1)
        weight = (1 - p) * p ** (rank - 1.0)
        sums, over_rank = (np.append(0.0, np.cumsum(of)) for of in (weight, weight / rank))  # of the first d ranks
        short, long = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        seen = self.shared
        at_short = np.count_nonzero(self.met < short, axis=0)  # shared within the shorter ranking's length
        # Down to the end of the longer ranking; below it the sum has counted what is seen there.
        held = self._summed((weight / rank)[:deepest]) - seen * (over_rank[deepest] - over_rank[long])
        unseen = (sums[long] - sums[short]) - short * (over_rank[long] - over_rank[short])  # ranks the shorter lacks
        agreed = at_short / short
        end = p**long
        extrapolated = held + agreed * unseen + (seen + (long - short) * agreed) / long * end
        rest = -np.log1p(-p) * (1 - p) / p - over_rank[long]  # weights of all ranks below, each over its rank
        whole = long + short - seen  # the depth at which each can have all documents of the other
        growing = 2 * (sums[whole] - sums[long]) + (seen - long - short) * (over_rank[whole] - over_rank[long])
        return extrapolated, held + seen * rest, held + unseen + growing + p**whole

    @cached_property
    def right(self) -> Ints:
        """(rank, pair): shared documents above this one that are above it in the first too; 0 if it is not shared."""
        deepest, number = self.ranks.shape
        right = np.zeros((deepest, number), dtype=np.int32)
        for start in range(0, number, TOGETHER):
            part = slice(start, start + TOGETHER)
            right[:, part] = _smaller_before(np.ascontiguousarray(self.ranks[:, part]))
        return np.where(self.there, right, 0)

    def tau(self) -> Floats:
        """Kendall's tau over the documents of both; NaN for fewer than two."""
        pairs = self.shared * (self.shared - 1) / 2
        return ratio(2 * self.right.sum(axis=0) - pairs, pairs)

    def tau_ap(self) -> Floats:
        """AP correlation over the documents of both, the first being the truth; NaN for fewer than two."""
        above = np.cumsum(self.there, axis=0) - 1  # shared documents above
        shares = np.divide(self.right, above, out=np.zeros(self.right.shape), where=self.there & (above > 0))
        return 2 * ratio(shares.sum(axis=0), np.where(self.shared > 1, self.shared - 1, 0)) - 1

    def tau_union(self) -> Floats:
        """Kendall's tau-b over the documents of either; what a ranking lacks is tied below its end."""
        shared = self.shared
        first_only, second_only = self.first - shared, self.second - shared
        both = shared * (shared - 1) / 2
        in_first = np.where(self.there, self.ranks, 0).sum(axis=0, dtype=np.int64)
        in_second = (self.there * np.arange(len(self.ranks))[:, None]).sum(axis=0)
        agreed = 2 * self.right.sum(axis=0) - both
        # A shared document stands above all that the other ranking lacks: right if it stands above them here, too.
        agreed = agreed + shared * first_only - 2 * (in_first - both) + shared * second_only - 2 * (in_second - both)
        agreed = agreed - first_only * second_only
        every = shared + first_only + second_only
        pairs = every * (every - 1) / 2
        untied = [pairs - only * (only - 1) / 2 for only in (first_only, second_only)]
        return ratio(agreed, np.sqrt(untied[0] * untied[1]))

    def ktu(self) -> Floats:
        """Kendall's tau of places in the union, the first's documents first, paired by rank; NaN for fewer than two."""
        short = np.minimum(self.first, self.second)
        rank = np.arange(len(self.ranks))[:, None]
        # What the second adds stands at the end of the union, in order, so that it is above nothing wrongly.
        right = np.where(self.there, self.right, rank)
        pairs = short * (short - 1) / 2
        return ratio(2 * np.where(rank < short, right, 0).sum(axis=0) - pairs, pairs)


def ktu_by_name(first: Ints, second: Ints, order: Ints) -> float:
    """Kendall's tau of two lists paired by rank, each document being its place in the order of names.

    As repro_eval has it; `order` (document,) is the place of each in that order. NaN for fewer than two documents.
    """
    from scipy.stats import kendalltau

    if len(first) != len(second):
        raise ParameterError(
            "KTU with ",
            Setting("union", "docno"),
            f" pairs lists of one length, got {len(first)} and {len(second)} documents; take ",
            Setting("union", "first"),
        )
    return float(kendalltau(order[first], order[second]).statistic) if len(first) > 1 else np.nan


def _smaller_before(values: Ints) -> Ints:
    """(row, column): how many values above in the column are smaller.

    >>> _smaller_before(np.array([[1], [0], [2]])).ravel().tolist()
    [0, 0, 2]
    """
    rows = len(values)
    total = np.zeros(values.shape, dtype=np.int32)
    counted = np.zeros(values.shape, dtype=np.uint8)
    for step in range(1, rows):
        counted[step:] += (values[step:] > values[:-step]).view(np.uint8)
        if step % STEPS == 0 or step == rows - 1:
            total += counted
            counted[:] = 0
    return total
