"""OverGains: measures to which a document is worth what it gains for all sub-topics together."""

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.subtopics import OverSubtopics, add_in_order


class OverGains(OverSubtopics):
    """A measure of documents that gain p times what they are worth to it, for each sub-topic."""

    def grade_gain(self, judged: Judged) -> Floats:
        """(level,): what a grade for one sub-topic is worth."""
        raise NotImplementedError(f"{type(self).__name__} must define grade_gain()")

    def gain_met(self, judged: Judged) -> Floats:
        """(topic, entry): the gain of each entry."""
        return judged.memo(("sub-topic gain", self.at(None)), lambda: self._gain_met(judged))

    def _gain_met(self, judged: Judged) -> Floats:
        gain, per_level = np.zeros(judged.rank.size), self.grade_gain(judged.with_fill_level())
        weight = self.probabilities(judged)
        for cell, subtopic, code in judged.aspect_pairs():
            add_in_order(gain, cell, weight[subtopic] * per_level[code])
        return gain.reshape(judged.rank.shape)

    def extreme_orders(self, judged: Judged) -> tuple[Judged, Judged]:
        """The rankings with tied documents from the lowest to the highest gain, and from the highest on."""
        gain = self.gain_met(judged)
        return judged.reordered_by(gain, 0.0, best=False), judged.reordered_by(gain, 0.0, best=True)
