"""Intent-aware versions of any measure."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from rankscale.measures.base.intent_aware import IntentAware
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.of_each import OfEach
from rankscale.measures.base.parameters import needed
from rankscale.measures.base.subtopics import renormalise_param


@dataclass(frozen=True)
class IA(OfEach, IntentAware):
    """Another measure for each sub-topic by itself, weighed by the probabilities of the sub-topics.

    `IA(P)@10` is P_IA@10 and `IA(AP)` is AP_IA. Where the topic is one sub-topic, the other measure:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.ndcg import nDCG
    >>> IA(nDCG(), depth=3).value(judged("2 0 1")).round(4)
    array([0.9502])

    A sub-topic counts if some document has a grade for it that is relevant to the other measure (1 or more, where that
    measure has no `rel`).

    Formula
    -------
    sum over sub-topics of p M, p the probability of the sub-topic, M the other measure with the grades for it alone

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009
    """

    taken_over: ClassVar = (
        *("takes_depth", "needs_depth", "low_is_good", "undefined", "looks_ahead", "unbounded_depth", "bounded"),
        *("uses_recall_base", "over_ideal", "direction_note"),
    )
    example: ClassVar[str] = "IA(nDCG)"
    uses_recall_base: ClassVar[bool] = True  # as most measures do
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)  # those of the other measure

    of: Measure = field(metadata=needed("the measure that is taken for each sub-topic"))
    renormalise: bool = renormalise_param()

    def check(self) -> None:
        """Raise ParameterError for measures that look at more than one grade; take over what the other declares."""
        super().check()
        if self.of.judged_only:
            object.__setattr__(self, "judged_only", True)
            object.__setattr__(self, "of", replace(self.of, judged_only=False))

    @property
    def lowest(self) -> float:
        """The lowest grade that makes a sub-topic count."""
        return 1.0 if self.of.threshold is None else self.of.threshold
