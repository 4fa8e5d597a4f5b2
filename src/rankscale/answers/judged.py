"""How much is judged: the share of the first ranks that have a judgment, by one definition wherever it is shown."""

from collections.abc import Sequence

from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.measures.counts import JudgedRate

DEPTH = 10  # where a measure has none


def judged_measure(measure: Measure | None = None) -> JudgedRate:
    """Judged@k at the depth of a measure, or at 10.

    >>> from rankscale.measures.base.parser import parse
    >>> print(judged_measure(parse("nDCG@20")), judged_measure(parse("AP")), judged_measure())
    Judged@20 Judged@10 Judged@10
    """
    return JudgedRate(depth=(measure.depth if measure else None) or DEPTH)


def judged_share(qrels: Qrels, runs: Sequence[Run], measure: Measure | None = None) -> Evaluation:
    """Judged@k of each run on each topic, unjudged documents left in.

    Its `means()` are what every surface shows: over all topics of the qrels, where one that a run lacks counts as an
    empty ranking, of which nothing is judged.
    """
    return evaluate(qrels, list(runs), [judged_measure(measure)])
