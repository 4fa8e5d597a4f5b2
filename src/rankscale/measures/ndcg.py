"""Normalised discounted cumulated gain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rankscale.errors import ParameterError
from rankscale.measures.base.discounted import Discounted
from rankscale.measures.base.gains import unjudged_param
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.over_ideal import OverIdeal


@dataclass(frozen=True)
class nDCG(Discounted, OverIdeal):
    """DCG over the DCG of the best ranking there could be, as trec_eval computes it.

    Verbs take it as `rs.nDCG @ 10`, `rs.nDCG(base=2) @ 10` or 'nDCG@10'. `gains` are 'linear' (the grade, negatives 0;
    the default), 'exp' (2^grade - 1), a list for grades 0, 1, 2 and so on, or `{grade: gain}`; `base` and `discount`
    ('none', 'rank' or 'log') choose other discounts; `judged_only` removes unjudged documents first.

    The ideal ranking is cut at the depth. Without a depth it has all relevant documents, even if the run has fewer;
    `rs.curves` gives nDCG@k at each rank k. DCG is 2 + 1/2 here, and the ideal's 2 + 1/log2(3):

    >>> from rankscale.data.judged import judged
    >>> nDCG().value(judged("2 0 1")).round(4)
    array([0.9502])

    In text, `dcg` is taken as ir_measures writes it: 'log2' for the grade, 'exp-log2' for gains='exp':

    >>> from rankscale.measures.base.parser import parse
    >>> print(parse("nDCG(dcg='exp-log2')@10"))
    nDCG(gains='exp')@10

    With a base, the discount of Järvelin and Kekäläinen 2002; this is the ranking of their example:

    >>> nDCG(base=2, depth=5).value(judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")).round(4)
    array([0.7067])

    Where documents that are not relevant cost something, they cost the ideal ranking as well: below its last relevant
    document its curve falls, and a perfect ranking has nDCG 1 at every depth. With `unjudged=0` the ideal goes on with
    unjudged documents, which cost nothing:

    >>> perfect = judged("3 2 1 0 0")
    >>> nDCG(base=2, gains=[-1, 1, 2, 3], depth=5).value(perfect)
    array([1.])
    >>> nDCG(base=2, gains=[-1, 1, 2, 3], unjudged=0, depth=5).value(perfect).round(4)
    array([0.8347])

    Formula
    -------
    DCG@k / (DCG@k of the ideal ranking), gains divided by log2(i + 1), or with a base by max(1, log_base(i))

    User model
    ----------
    gains less from a document the more had to be read, and compares with what was possible

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)

    unjudged: float | None = unjudged_param()

    @classmethod
    def from_arguments(cls, given: Mapping[str, object]) -> tuple[type[Measure], dict[str, object]]:
        """With `dcg`, as ir_measures has it, the gains are 'exp' or the grade."""
        ours = {"gains": "exp"} if given.get("dcg") == "exp-log2" else {}
        if given.get("dcg", "log2") not in ("log2", "exp-log2"):
            raise ParameterError(f"{cls.name}: dcg must be 'log2' or 'exp-log2', got {given['dcg']!r}")
        if ours and given.get("gains", "exp") != "exp":
            raise ParameterError(f"{cls.name}: give gains or dcg='exp-log2', not both")
        return cls, {name: value for name, value in given.items() if name != "dcg"} | ours
