"""Relative relevance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, divide


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
