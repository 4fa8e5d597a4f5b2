"""Measures made for incomplete judgments: preferences among judged documents, and precision inferred from a sample."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.binary import OverRecallBase
from rankscale.measures.base.measure import divide
from rankscale.measures.base.parameters import param
from rankscale.measures.base.ties import mean_over_count

SMOOTHING = 0.00001  # as in trec_eval: keeps the share of relevant documents defined where none was judged


@dataclass(frozen=True)
class Bpref(OverRecallBase):
    """How seldom a document judged not relevant stands above a relevant one; unjudged documents do not count.

    `k` adds that many not relevant documents to those that are looked at (bpref-10 of the paper is k=10). Two
    relevant and two not relevant documents: the second relevant one has one of the two above it, so (1 + 1/2) / 2:

    >>> from rankscale.data.judged import judged
    >>> Bpref().value(judged("1 - 0 1 0"))
    array([0.75])

    Formula
    -------
    (1/RB) sum over relevant retrieved of 1 - min(n, RB+k) / min(N, RB+k), with n of N not relevant above

    References
    ----------
    Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004
    """

    aliases: ClassVar[tuple[str, ...]] = ("BPref",)
    only_relevant: ClassVar[bool] = False  # documents judged not relevant count as well
    best_first: ClassVar = "always"
    feasible_only: ClassVar[bool] = True

    k: int = param(
        0, ge=0, help="how many documents more than are relevant are looked at, for topics with few relevant ones"
    )

    def dispensable(self, levels: Floats) -> Bools:
        """Of documents judged not relevant it is enough to know how many stand above a relevant one."""
        return levels < self.rel

    def total(self, judged: Judged) -> Floats:
        """Preferences kept by each relevant document, summed down the ranking."""
        return judged.memo(("preferences", self.rel, self.k), lambda: self._preferences(judged))

    def without_running_total(self, judged: Judged) -> Floats:
        """As `read` gives it; at the end of a ranking only the relevant documents are added up, top down as well."""
        if self.depth is not None:
            return super().without_running_total(judged)
        topic, _, kept = self._preferences_of_relevant(judged)
        total = np.bincount(topic, kept, minlength=judged.topics)
        return self.finish(total[:, None], judged, judged.length[:, None])[:, 0]

    def _preferences(self, judged: Judged) -> Floats:
        topic, entry, kept = self._preferences_of_relevant(judged)
        table = np.zeros(judged.rank.shape)
        table[topic, entry] = kept
        return np.cumsum(table, axis=-1)

    def _preferences_of_relevant(self, judged: Judged) -> tuple[Ints, Ints, Floats]:
        """(relevant document,) each: its topic, its entry, and the share of preferences that it keeps."""
        topic, entry = judged.relevant_entries(self.rel)
        above = judged.judged_down_to(topic, entry) - _nth_of_topic(topic)
        not_relevant = judged.documents_of((judged.levels >= 0) & (judged.levels < self.rel))
        looked_at = judged.recall_base(self.rel) + self.k
        lost = divide(np.minimum(above, looked_at[topic]), np.minimum(not_relevant, looked_at)[topic])
        return topic, entry, 1.0 - lost

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of the group's documents judged not relevant stand above a relevant one."""
        size, place = judged.tie_group_size, judged.rank - judged.first
        worse = judged.is_judged() - judged.relevant(self.rel)
        above = judged.above_tie_group(np.cumsum(worse, axis=-1)).ravel()
        not_relevant = judged.documents_of((judged.levels >= 0) & (judged.levels < self.rel))
        looked_at = judged.recall_base(self.rel) + self.k
        most = np.repeat(looked_at, judged.rank.shape[-1])
        share = judged.tie_group_mean(judged.relevant(self.rel))
        tied = np.where(share > 0, np.rint(judged.tie_group_sum(worse)), 0)  # no matter where nothing is relevant
        lost = mean_over_count(size - 1, tied, place, lambda where, met: np.minimum(above[where] + met, most[where]))
        return np.cumsum(share * (1.0 - divide(lost, np.minimum(not_relevant, looked_at)[:, None])), axis=-1)


def _nth_of_topic(topic: Ints) -> Ints:
    """Of entries given topic by topic: 1 for the first of its topic, 2 for the second, ..."""
    place = np.arange(len(topic))
    opens = np.ones(len(topic), dtype=bool)
    opens[1:] = topic[1:] != topic[:-1]
    return place - np.maximum.accumulate(np.where(opens, place, 0)) + 1


@dataclass(frozen=True)
class GMBpref(Bpref):
    """Binary preference whose mean over topics is geometric; a topic of value 0 counts as 0.00001.

    >>> from rankscale.data.judged import judged
    >>> topics = judged("1 0", "0 1")
    >>> GMBpref().value(topics), round(float(GMBpref().summarise(GMBpref().value(topics))), 6)
    (array([1., 0.]), 0.003162)

    Formula
    -------
    Bpref; over topics exp(mean of log(max(Bpref, 0.00001)))
    """

    aliases: ClassVar[tuple[str, ...]] = ("GMBPref",)
    summary: ClassVar = "geometric"


@dataclass(frozen=True)
class infAP(OverRecallBase):
    """Average precision estimated from a pool of which only a sample was judged.

    A negative grade marks a document that was pooled and not judged: it is taken to be relevant as often as the judged
    ones above. With everything judged it is average precision, but for the smoothing: (1 + 2/3) / 2 here.

    >>> from rankscale.data.judged import judged
    >>> infAP().value(judged("1 0 1")).round(4)
    array([0.8333])

    Formula
    -------
    (1/RB) sum over relevant ranks i of 1/i + ((i-1)/i) (pooled above/(i-1)) (relevant above/judged above)

    References
    ----------
    Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006
    """

    best_first: ClassVar = "never"  # what is pooled and unjudged helps above a relevant document
    only_relevant: ClassVar[bool] = False  # pooled documents count as well

    def total(self, judged: Judged) -> Floats:
        """Expected precision at the relevant entries, summed down the ranking."""
        above = judged.rank - 1.0
        relevant_above = judged.relevant_so_far(self.rel) - 1
        judged_above = judged.judged_so_far() - 1
        pooled_above = np.cumsum(judged.code >= 0, axis=-1) - 1
        share_pooled = pooled_above / np.maximum(above, 1.0)  # at rank 1 the product below is 0
        share_relevant = (relevant_above + SMOOTHING) / (judged_above + 2 * SMOOTHING)
        expected = 1.0 / judged.rank + above / (above + 1.0) * share_pooled * share_relevant
        return np.cumsum(np.where(judged.relevant(self.rel) > 0, expected, 0.0), axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """The mean over how many of the group's other judged documents stand above a relevant one.

        Of these the relevant ones are the same share as in the group, and so are pooled ones of the others above.
        """
        relevant, is_judged, pooled = judged.relevant(self.rel), judged.is_judged(), (judged.code >= 0).astype(float)
        size, place = judged.tie_group_size, judged.rank - judged.first
        share = judged.tie_group_mean(relevant)
        tied = np.where(share > 0, np.rint(judged.tie_group_sum(is_judged)) - 1, 0)
        part = divide(np.rint(share * size) - 1, tied).ravel()
        unjudged = np.where(share > 0, np.rint(judged.tie_group_sum(pooled - is_judged)), 0)
        pooled_part = divide(unjudged, size - 1 - tied).ravel()
        above, judged_above, pooled_above = (
            judged.above_tie_group(np.cumsum(column, axis=-1)).ravel() for column in (relevant, is_judged, pooled)
        )
        places = place.ravel()

        def expected(where: Ints, met: int) -> Floats:
            in_pool = pooled_above[where] + met + (places[where] - met) * pooled_part[where]
            rate = (above[where] + met * part[where] + SMOOTHING) / (judged_above[where] + met + 2 * SMOOTHING)
            return 1.0 + in_pool * rate

        mean = mean_over_count(size - 1, tied, place, expected)
        return np.cumsum(share * mean / judged.rank, axis=-1)
