"""OverSubtopics: measures that look at the grades of each sub-topic (intent, nugget) of a topic."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.aspects import Aspects
from rankscale.data.judged import Judged
from rankscale.data.names import listed
from rankscale.measures.base.measure import BestFirst, Measure
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
        """(topic, sub-topic): p, 0 for sub-topics that do not count."""
        return probabilities(judged, self.lowest, renormalise=getattr(self, "renormalise", True))

    def counting(self, judged: Judged) -> Floats:
        """(topic, sub-topic): 1 for those of S; where all have the probability 0 none counts."""
        return counting(judged, self.lowest) * (self.probabilities(judged) > 0).any(axis=-1, keepdims=True)

    def each(self, judged: Judged) -> Iterator[tuple[Floats, Judged]]:
        """The sub-topics by their number: probabilities, (topic, 1), and the rankings judged by that one alone."""
        for number, weight in enumerate(self.probabilities(judged).T):
            if weight.any():
                yield weight[:, None], judged.aspect(number)

    def aspect_cautions(self, aspects: Aspects, topics: Sequence[str]) -> Iterator[str]:
        """That some topics have no sub-topic that counts."""
        probability = probabilities_of(aspects, self.lowest, renormalise=getattr(self, "renormalise", True))
        nothing = [topics[row] for row in np.flatnonzero(~(probability > 0).any(axis=-1)).tolist()]
        if nothing:
            has = "has" if len(nothing) == 1 else "have"
            yield (
                f"{len(nothing)} of {len(topics)} topics {has} no sub-topic with a relevant document and a probability "
                f"({listed(nothing)}); {'its' if len(nothing) == 1 else 'their'} values are 0"
            )

    def bounds(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic,) twice: as judged, and with all that is unjudged relevant to each sub-topic that counts."""
        self.refuse_bounds()
        seen = judged.only_judged() if self.judged_only else judged
        reach = self._reach(seen)
        table = seen.every_rank(int(reach.max(initial=0)))
        best = table.filled_aspects(self._best(table), reach)
        upper = self.read(self.total(best), best) + self.beyond(best, reach)[:, 0]
        return self.read(self.total(seen), seen), upper

    def bounds_curve(self, judged: Judged) -> tuple[Floats, Floats]:
        """(topic, rank) twice: the bounds of the ranking as if it ended at each rank of a table of every rank."""
        self.refuse_bounds(curve=True)
        best = judged.filled_aspects(self._best(judged), judged.rank)
        return self.curve(judged), self.curve(best) + self.beyond(best, best.rank)

    def _best(self, judged: Judged) -> float:
        """The grade of an unjudged document at its best."""
        return max(float(judged.levels.max(initial=self.lowest)), self.lowest)


def counting(judged: Judged, rel: float) -> Floats:
    """(topic, sub-topic): 1 where some document is relevant to the sub-topic."""
    if judged.aspects is None or judged.row is None:
        return (judged.recall_base(rel)[:, None] > 0).astype(np.float64)
    aspects = judged.aspects
    return aspects.memo(("counting", rel), lambda: aspects.table(np.minimum(relevant_counts(aspects, rel), 1)))[
        judged.row
    ]


def probabilities(judged: Judged, rel: float, *, renormalise: bool) -> Floats:
    """(topic, sub-topic): the probabilities of the sub-topics that count, 0 for others."""
    if judged.aspects is None or judged.row is None:
        return counting(judged, rel)
    return probabilities_of(judged.aspects, rel, renormalise=renormalise)[judged.row]


def probabilities_of(aspects: Aspects, rel: float, *, renormalise: bool) -> Floats:
    """(topic, sub-topic): the same for all topics of the qrels."""
    return aspects.memo(("probabilities", rel, renormalise), lambda: _probabilities(aspects, rel, renormalise))


def _probabilities(aspects: Aspects, rel: float, renormalise: bool) -> Floats:  # noqa: FBT001  # internal
    counts = relevant_counts(aspects, rel) > 0
    given = aspects.weights
    weight = aspects.table(counts.astype(np.float64) if given is None else np.where(counts, given, 0.0))
    if given is not None and not renormalise:
        return weight
    total = weight.sum(axis=-1, keepdims=True)
    scaled: Floats = np.divide(weight, total, out=np.zeros(weight.shape), where=total > 0)
    return scaled


def relevant_counts(aspects: Aspects, rel: float) -> Floats:
    """(aspect,): RB, how many documents are relevant to each sub-topic."""
    relevant = aspects.aspect_of[aspects.levels[aspects.code] >= rel]
    return np.bincount(relevant, minlength=len(aspects.names)).astype(np.float64)
