"""OverSubtopics: measures that look at the grades of each sub-topic (intent, nugget) of a topic."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.names import listed
from rankscale.measures.base.measure import BestFirst, Measure, Numbers, divide
from rankscale.measures.base.parameters import param


def renormalise_param() -> bool:
    """The parameter `renormalise`, for all measures that weigh sub-topics."""
    return param(True, help="whether probabilities given to sub-topics are scaled to add up to 1 over those that count")


class OverSubtopics(Measure):
    """A measure of sub-topics, with the parameters `rel` and `renormalise`, which a subclass declares.

    S are the sub-topics with a document of grade `rel` or higher; no other counts. Their probabilities p are 1 / |S|
    unless they were given. Where the qrels name no sub-topics, each topic is one.
    """

    by_subtopic: ClassVar[bool] = True
    best_first: ClassVar[BestFirst | None] = "never"  # documents of one grade may serve other sub-topics

    rel: float
    renormalise: bool

    @property
    def lowest(self) -> float:
        """The lowest grade that is relevant to a sub-topic."""
        return self.rel

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that are not relevant: a document has the highest of those of its sub-topics."""
        return levels < self.lowest

    def respects_order(self, levels: Sequence[float]) -> bool:
        """It does not: which sub-topics a document serves is not in its grade."""
        return False

    @property
    def has_interval_version(self) -> bool:
        """There is none: rankings are counted by the grades of their documents, which have one for each sub-topic."""
        return False

    @property
    def topic_scales(self) -> bool:
        """Whether each topic has a scale of its own: topics differ in their number of sub-topics."""
        return True

    def probabilities(self, judged: Judged) -> Floats:
        """(sub-topic,): p of all sub-topics of the qrels, 0 for those that do not count; (topic,) where each is one."""
        if judged.aspects is None or judged.row is None:
            return (judged.recall_base(self.lowest) > 0).astype(np.float64)
        return self.probabilities_in(judged.aspects)

    def probabilities_in(self, aspects: Aspects) -> Floats:
        """(sub-topic,): p of all sub-topics of qrels, 0 for those that do not count."""
        renormalise = getattr(self, "renormalise", True)
        return aspects.memo(
            ("probabilities", self.lowest, renormalise), lambda: _probabilities(aspects, self.lowest, renormalise)
        )

    def counting(self, judged: Judged) -> Floats:
        """(sub-topic,): 1 for those of S, of all of the qrels; where all of a topic have the probability 0 none."""
        if judged.aspects is None or judged.row is None:
            return self.probabilities(judged)
        aspects, there = judged.aspects, self.probabilities(judged) > 0
        weighed = np.bincount(aspects.topic_of[there], minlength=len(aspects.counts)) > 0
        return ((relevant_counts(aspects, self.lowest) > 0) & weighed[aspects.topic_of]).astype(np.float64)

    def each(self, judged: Judged) -> Iterator[tuple[Ints | slice, Floats, Judged]]:
        """The sub-topics by their number: places of the rankings, probabilities, (ranking, 1), and the rankings.

        The rankings are those of topics that have so many sub-topics, judged by that one alone.
        """
        every, first = self.probabilities(judged), self.first_subtopic(judged)
        for number, places, one in judged.each_aspect():
            weight = every[first[places] + number]
            if weight.any():
                yield places, weight[:, None], one

    def relevant_pairs(self, judged: Judged) -> Iterator[tuple[Ints, Ints]]:
        """Cells of entries and sub-topics that they are relevant to, (pair,) each, some rankings at a time."""
        lowest = np.searchsorted(judged.with_fill_level().levels, self.lowest)
        for cell, subtopic, code in judged.aspect_pairs():
            kept = code >= lowest
            yield cell[kept], subtopic[kept]

    def first_subtopic(self, judged: Judged) -> Ints:
        """(topic,): the place of each topic's first sub-topic among those that `probabilities` and `counting` have."""
        if judged.aspects is None or judged.row is None:
            return np.arange(judged.topics)
        return judged.aspects.starts[judged.row]

    def aspect_cautions(self, aspects: Aspects, topics: Sequence[str]) -> Iterator[str]:
        """That some topics have no sub-topic that counts."""
        something = np.bincount(aspects.topic_of[self.probabilities_in(aspects) > 0], minlength=len(topics)) > 0
        nothing = [topics[row] for row in np.flatnonzero(~something).tolist()]
        if nothing:
            has = "has" if len(nothing) == 1 else "have"
            yield (
                f"{len(nothing)} of {len(topics)} topics {has} no sub-topic with a relevant document and a probability "
                f"({listed(nothing)}); {'its' if len(nothing) == 1 else 'their'} values are 0"
            )

    def extreme_grades(self, judged: Judged) -> tuple[float | None, float | None]:
        """An unjudged document is relevant to no sub-topic at its worst, to each that counts at its best."""
        return None, max(float(judged.levels.max(initial=self.lowest)), self.lowest)

    def filled(self, table: Judged, grade: float | None, reach: Ints) -> Judged:
        """Rankings with what no sub-topic judges down to these ranks given this grade by each of them."""
        return table.filled_aspects(grade, reach)


class OverSubtopicIdeal(OverSubtopics):
    """A measure of sub-topics over what an ideal ranking cumulates, `ideal_at`."""

    uses_recall_base: ClassVar[bool] = True
    over_ideal: ClassVar[bool] = True

    def ideal_at(self, judged: Judged, rank: Ints | None) -> Floats:
        """(topic, any): what ideal rankings have cumulated at these ranks, or in all."""
        raise NotImplementedError(f"{type(self).__name__} must define ideal_at()")

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the sum over that of the ideal ranking, cut where this one is."""
        return divide(total, self.ideal_at(judged, np.where(rank == BEYOND, 0, rank)))

    def has_scale(self, judged: Judged) -> Bools:
        """(topic,): whether the ideal ranking gains something."""
        return self.ideal_at(judged, np.array([[1]]))[:, 0] > 0


def met_before(ranking: Ints, subtopic: Ints) -> Ints:
    """(pair,): how many pairs before each one, from the top of the ranking on, are of the same sub-topic.

    >>> met_before(np.array([0, 0, 0, 1]), np.array([2, 1, 2, 2])).tolist()
    [0, 0, 1, 0]
    """
    order = np.lexsort((subtopic, ranking))  # which leaves pairs of one sub-topic in their order
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = (np.diff(subtopic[order]) != 0) | (np.diff(ranking[order]) != 0)
    place = np.arange(len(order))
    before = np.empty(len(order), dtype=np.int64)
    before[order] = place - np.maximum.accumulate(np.where(opens, place, 0))
    return before


def add_in_order(total: Floats, cell: Ints, amount: Floats) -> None:
    """Add amounts, (pair,), to the cells of a flat table, one after the other; cells ascend."""
    if len(cell):
        low, high = int(cell[0]), int(cell[-1]) + 1
        total[low:high] += np.bincount(cell - low, amount, high - low)


def _probabilities(aspects: Aspects, rel: float, renormalise: bool) -> Floats:  # noqa: FBT001  # internal
    counts = relevant_counts(aspects, rel) > 0
    given = aspects.weights
    weight = counts.astype(np.float64) if given is None else np.where(counts, given, 0.0)
    if given is not None and not renormalise:
        return weight
    total = aspects.topic_sums(weight)
    if not np.isfinite(total).all():  # as shares of a larger number, their sum is finite
        weight = np.where(np.isfinite(total)[aspects.topic_of], weight, weight / len(weight))
        total = aspects.topic_sums(weight)
    of_topic = total[aspects.topic_of]
    scaled: Floats = np.divide(weight, of_topic, out=np.zeros(weight.shape), where=of_topic > 0)
    return scaled


def relevant_counts(aspects: Aspects, rel: float) -> Floats:
    """(aspect,): RB, how many documents are relevant to each sub-topic."""
    relevant = aspects.aspect_of[aspects.levels[aspects.code] >= rel]
    return np.bincount(relevant, minlength=len(aspects.names)).astype(np.float64)
