"""Interpolated precision averaged over three recall levels."""

from dataclasses import dataclass

from rankscale.measures.ap11 import AP11
from rankscale.measures.base.parameters import param


@dataclass(frozen=True)
class AP3(AP11):
    """The mean of interpolated precision at recall 0.2, 0.5 and 0.8.

    Of two relevant documents, recall 0.2 and 0.5 ask for one and 0.8 for both: (1 + 1 + 2/4) / 3.

    >>> from rankscale.data.judged import judged
    >>> AP3().value(judged("1 0 0 1")).round(4)
    array([0.8333])

    Formula
    -------
    mean of IPrec over the recall levels

    References
    ----------
    Buckley's trec_eval 3, 3-pt_avg; Salton and McGill, Introduction to Modern Information Retrieval, 1983
    """

    recalls: tuple[float, ...] = param((0.2, 0.5, 0.8), help="the levels of recall that are averaged")
