"""Options that `evaluate_batches` and `summarise` share: those on which values depend."""

from rankscale.data.markers import Positive
from rankscale.data.orders import TieOrders
from rankscale.evaluation.batches import EvaluationRequest
from rankscale.evaluation.options import JudgingOptions
from rankscale.measures.base.measure import Measure


class ValueOptions(JudgingOptions, total=False):
    """Keywords of both functions, as in `rs.evaluate`."""

    depth: Positive | None
    order: str | None
    bounds: bool


def request_of(measures: tuple[Measure, ...], options: ValueOptions, *, complete: bool) -> EvaluationRequest:
    """What is measured; `complete` says whether topics that a run lacks are measured as empty rankings."""
    return EvaluationRequest(
        measures,
        complete=complete,
        judged_only=options.get("judged_only", False),
        bounds=options.get("bounds", False),
        ties="trec",
        orders=TieOrders(),
        cut=None,
    )
