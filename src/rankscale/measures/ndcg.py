"""Normalised discounted cumulated gain."""

from dataclasses import InitVar, dataclass
from typing import ClassVar

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.discounted import Discounted
from rankscale.measures.base.measure import Numbers, divide


@dataclass(frozen=True)
class nDCG(Discounted):
    """DCG over the DCG of the best ranking there could be, as trec_eval computes it.

    The ideal is cut at the depth. Without a depth it is not cut, so that nDCG differs from nDCG at the length of the
    ranking; the curve holds the latter. DCG is 2 + 1/2 here, and the ideal's 2 + 1/log2(3):

    >>> from rankscale.data.judged import judged
    >>> nDCG().value(judged("2 0 1")).round(4)
    array([0.9502])

    `dcg` is how ir_measures writes the gains, 'log2' for the grade and 'exp-log2' for 2^grade - 1:

    >>> print(nDCG(dcg="exp-log2", depth=10))
    nDCG(gains='exp')@10

    With a base, the discount and the ranking of Järvelin and Kekäläinen 2002, and the gains of their ideal:

    >>> nDCG(base=2, depth=5).value(judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")).round(4)
    array([0.7067])
    """

    name: ClassVar[str] = "nDCG"
    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)
    formula: ClassVar[str] = (
        "DCG@k / (DCG@k of the ideal ranking), gains divided by log2(i + 1), or with a base by max(1, log_base(i))"
    )
    paper: ClassVar[str] = "Järvelin and Kekäläinen, TOIS 20(4), 2002; discount of Burges et al., ICML 2005"
    user_model: ClassVar[str] = (
        "gains less from a document the more had to be read, and compares with what was possible"
    )
    uses_recall_base: ClassVar[bool] = True

    dcg: InitVar[str | None] = None

    def __post_init__(self, dcg: str | None) -> None:
        if dcg not in (None, "log2", "exp-log2"):
            raise ParameterError(f"{self.name}: dcg must be 'log2' or 'exp-log2', got {dcg!r}")
        if dcg == "exp-log2" and self.gains not in (None, "exp"):
            raise ParameterError(f"{self.name}: give gains or dcg='exp-log2', not both")
        if dcg == "exp-log2":
            object.__setattr__(self, "gains", "exp")
        super().__post_init__()

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The ideal's discounted gains down to these ranks."""
        return self.ideal(judged, rank)

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """Without a depth, over the whole ideal."""
        return divide(judged.read(total), self.ideal(judged)[:, 0])
