"""Average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import OverRecallBase
from rankscale.measures.base.measure import added, divide
from rankscale.measures.sp import SP


@dataclass(frozen=True)
class AP(OverRecallBase, SP):
    """Precision at each relevant document, averaged over all relevant documents of the topic.

    Five relevant documents of seven are retrieved (Moffat and Zobel 2008, with RB = 7):

    >>> from rankscale.data.judged import judged
    >>> AP().value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0", missed="1 1")).round(4)
    array([0.4511])

    There are no bounds: an unjudged document that turns out to be relevant may raise the value or lower it. `if_judged`
    has the lowest and the highest value that judging what was retrieved could give.

    Formula
    -------
    (1/RB) sum over relevant ranks i <= k of (relevant in the first i) / i

    User model
    ----------
    stops at a relevant document, any of them alike, and asks for the precision down to it

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    limits: ClassVar[tuple[float, float]] = (0, 1)

    def if_judged(self, judged: Judged, relevant: int | None = None) -> tuple[Floats, Floats]:
        """(topic,) twice: the lowest and the highest value if the unjudged documents of each ranking were judged.

        RB grows with each of them that turns out to be relevant. Documents that were not retrieved stay as they are, so
        these are no bounds: further relevant documents could lower the value without limit.

        Parameters
        ----------
        judged
            Rankings.
        relevant
            How many of the unjudged documents turn out to be relevant; any number unless given. NaN for rankings that
            have fewer.

        Moffat and Zobel 2008 have a ranking with AP 0.75, which falls to 0.5909 at best once another one is relevant:

        >>> from rankscale.data.judged import judged
        >>> ranking = judged("1 0 0 1 0 0 0 0 0 0 - - - - - - - - - -")
        >>> [bound.round(4).tolist() for bound in AP().if_judged(ranking, 1)]
        [[0.55], [0.5909]]
        >>> [bound.round(4).tolist() for bound in AP().if_judged(ranking)]
        [[0.4095], [0.75]]
        """
        if relevant is not None and relevant < 0:
            raise ParameterError(f"relevant is how many turn out to be relevant, from 0, got {relevant}")
        seen = judged.only_judged() if self.judged_only else judged
        table = seen.every_rank(int(seen.length.max(initial=0)))
        is_open = ((table.rank <= table.length[:, None]) & (table.is_judged() == 0)).astype(np.float64)
        is_relevant, above = table.relevant(self.rel), table.relevant_so_far(self.rel)
        weight = (table.rank <= (self.depth or table.rank)) / table.rank  # of a document in the precision at each rank
        value = added(is_relevant * above * weight)[:, None]
        # Of any number of unjudged documents the first ones being relevant gives most, the last ones least: the j-th
        # relevant document then stands as high, or as low, as it can. One more adds the precision at its rank, and its
        # weight at all relevant ones below; `lower` are those of the unjudged that are relevant already.
        lower, below = _from_below(is_open * weight) - is_open * weight, _from_below(is_relevant * weight)
        first, last = np.cumsum(is_open, axis=-1), _from_below(is_open)
        highest = value + np.cumsum(is_open * ((above + first) * weight + below), axis=-1)
        lowest = value + _from_below(is_open * ((above + 1) * weight + below + lower))
        base = table.recall_base(self.rel)[:, None]
        ends = []
        for total, number, extreme in ((lowest, last, np.min), (highest, first, np.max)):
            counts = np.concatenate([np.zeros((table.topics, 1)), np.where(is_open > 0, number, -1.0)], axis=-1)
            values = divide(np.concatenate([value, total], axis=-1), base + counts)
            wanted = counts >= 0 if relevant is None else counts == relevant
            beyond = np.inf if extreme is np.min else -np.inf
            end = extreme(np.where(wanted, values, beyond), axis=-1)
            ends.append(np.where(wanted.any(axis=-1), end, np.nan))
        return ends[0], ends[1]


def _from_below(column: Floats) -> Floats:
    """(topic, rank): sums from the last rank up to each one."""
    summed: Floats = np.cumsum(column[:, ::-1], axis=-1)[:, ::-1]
    return summed
