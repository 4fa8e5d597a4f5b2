"""AP-IA: intent-aware average precision."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.measures.ap import AP
from rankscale.measures.base.intent_aware import IntentAware
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.subtopics import renormalise_param


@dataclass(frozen=True)
class AP_IA(IntentAware):
    """Average precision for each sub-topic by itself, weighed by the probabilities of the sub-topics.

    Each is divided by the number of documents that are relevant to its sub-topic. Where the topic is one sub-topic,
    average precision:

    >>> from rankscale.data.judged import judged
    >>> AP_IA().value(judged("1 0 1", missed="1")).round(4)
    array([0.5556])

    Formula
    -------
    sum over sub-topics of p AP, p the probability of the sub-topic, AP with the documents relevant to it alone

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009
    """

    aliases: ClassVar[tuple[str, ...]] = ("MAP_IA",)
    uses_recall_base: ClassVar[bool] = True

    rel: float = rel_param()
    renormalise: bool = renormalise_param()

    @property
    def inner(self) -> AP:
        """Average precision, at the depth of this measure."""
        return AP(rel=self.rel, depth=self.depth)
