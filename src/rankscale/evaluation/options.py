"""Options that `evaluate`, `curves` and studies share, and the signature: all that values depend on, in one line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from rankscale import __version__
from rankscale.data.arguments import Positive
from rankscale.data.notices import Notice, notes
from rankscale.data.orders import ORDERS, TieOrders
from rankscale.data.qrels import Qrels
from rankscale.errors import BoundsError, ParameterError
from rankscale.executors import Executor
from rankscale.inputs.options import Reading, SourceOptions
from rankscale.measures.base.gains import normal_form
from rankscale.measures.base.measure import Measure, canonical_text

GradeMap = Mapping[float, float] | Sequence[float]
Missing = Literal["zero", "skip", "common", "error"]  # the rule for topics of the qrels that a run lacks
SameTopics = Literal["zero", "common", "error"]  # where runs are compared topic by topic
Ties = Literal["trec", "expected", "range"]
Summary = Literal["mean", "median", "quantiles"]  # how the topics of a run are summed up
IntervalMethod = Literal["percentile", "bca", "student"]  # of intervals of means
ConfidenceShown = Literal["means", "places", "both"]  # whose intervals tables have
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)  # of quantiles, unless others are requested
Progress = Callable[[int, int], None]  # called with the number of runs or steps done, and of all


class GradingOptions(TypedDict, total=False):
    """Keywords on what grades mean."""

    grades: GradeMap | None
    negative: str


class JudgingOptions(GradingOptions, total=False):
    """Keywords on how judgments are taken."""

    judged_only: bool


class RankingOptions(SourceOptions, JudgingOptions, total=False):
    """Keywords of functions that cut rankings in their own way."""


class EvaluateOptions(RankingOptions, total=False):
    """Keywords that functions hand on to `evaluate`."""

    depth: Positive | None
    executor: Executor | None


@dataclass(frozen=True)
class Judging:
    """How judgments are taken, checked."""

    judged_only: bool = False
    grades: GradeMap | None = None
    negative: str = "unjudged"

    def __post_init__(self) -> None:
        if self.grades is not None and (
            isinstance(self.grades, str) or not isinstance(self.grades, Mapping | Sequence)
        ):
            raise ParameterError(
                f"grades must be a map such as {{3: 2}} or a list such as [0, 1, 1], got {self.grades!r}"
            )
        if self.negative not in {"unjudged", "not relevant"}:
            raise ParameterError(f"negative must be 'unjudged' or 'not relevant', got {self.negative!r}")

    def regraded(self, qrels: Qrels) -> Qrels:
        """The qrels with grades mapped, negative ones to 0 where they mean not relevant."""
        mapped = qrels if self.grades is None else qrels.conflated(self.grades)
        return mapped.negatives_as_not_relevant() if self.negative == "not relevant" else mapped


def reading_of(options: EvaluateOptions | RankingOptions | SourceOptions, *, keep_scores: bool = False) -> Reading:
    """The options on reading among those of a function."""
    names = ("order", "threads", "max_size", "depth")
    return Reading(**{name: options[name] for name in names if name in options}, keep_scores=keep_scores)  # type: ignore[literal-required]


def judging_of(options: EvaluateOptions | RankingOptions | GradingOptions) -> Judging:
    """The options on judgments among those of a function."""
    names = ("judged_only", "grades", "negative")
    return Judging(**{name: options[name] for name in names if name in options})  # type: ignore[literal-required]


def check_missing(missing: str, *, compared: bool = False) -> None:
    """Raise ParameterError for a rule that does not exist, or that cannot be used where runs are compared."""
    if missing not in get_args(Missing):
        raise ParameterError(f"missing must be 'zero', 'skip', 'common' or 'error', got {missing!r}")
    if compared and missing == "skip":
        raise ParameterError(
            "runs are compared over the same topics: give missing='zero', which counts missing ones as empty rankings, "
            "or missing='common', rather than missing='skip'"
        )


def check_summary(summary: str) -> None:
    """Raise ParameterError for a summary that does not exist."""
    if summary not in get_args(Summary):
        raise ParameterError(f"summary must be 'mean', 'median' or 'quantiles', got {summary!r}")


def check_request(measures: Sequence[Measure], *, bounds: bool, ties: str, curve: bool = False) -> tuple[Notice, ...]:
    """Raise for options that no measure can answer; notices of those that some measures cannot."""
    if ties not in get_args(Ties):
        raise ParameterError(f"ties must be 'trec', 'expected' or 'range', got {ties!r}")
    if not bounds:
        return ()
    refused = [error for measure in measures if (error := no_bounds(measure, ties, curve=curve)) is not None]
    if len(refused) == len(measures):
        raise refused[0]
    by_reason: dict[str, list[str]] = {}
    for error in refused:
        by_reason.setdefault(error.reason, []).append(error.measure)
    return notes(
        (
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no bounds: {reason}"
            for reason, names in by_reason.items()
        ),
        "no bounds",
    )


def drawn_orders(ties: str, tie_orders: int, seed: int) -> TieOrders:
    """The orders of tied documents to draw; ParameterError where none would be, though their number is given."""
    orders = TieOrders(tie_orders, seed)
    if ties == "trec" and orders.number != ORDERS:
        raise ParameterError(
            f"tie_orders={tie_orders} is for means and ranges over tied documents: give ties='expected' or 'range' too"
        )
    return orders


def no_bounds(measure: Measure, ties: str = "trec", *, curve: bool = False) -> BoundsError | None:
    """Why a measure has no bounds, or its mean over tied documents has none, if that is so."""
    try:
        measure.refuse_bounds(curve=curve)
    except BoundsError as error:
        return error
    if ties == "expected" and measure.as_additive is None:
        return BoundsError(str(measure), "the mean over tied documents has bounds where gains add up, rank by rank")
    return None


def settings(
    orders: Iterable[str],
    depths: Iterable[int | None],
    *,
    missing: Missing,
    ties: str,
    judging: Judging,
    drawing: TieOrders | None = None,
) -> dict[str, object]:
    """The options that values depend on, by their names in a signature; `drawing` is there if orders were drawn."""
    return {
        "order": one_or_all(orders),
        "depth": one_or_all(depths),
        "missing": "zero" if missing == "error" else missing,
        "ties": ties,
        "tie-orders": None if drawing is None else drawing.number,
        "seed": None if drawing is None else drawing.seed,
        "unjudged": "removed" if judging.judged_only else "not-relevant",
        "grades": None if judging.grades is None else canonical_text(normal_form(judging.grades)),
        "negative": judging.negative.replace(" ", "-"),
    }


def signature(options: Mapping[str, object]) -> str:
    """All that is needed to get a number again, in one line.

    >>> signature({"order": "score", "depth": None}).startswith("order:score|v:")
    True
    """
    return "|".join([*(f"{key}:{value}" for key, value in options.items() if value is not None), f"v:{__version__}"])


def one_or_all(values: Iterable[object]) -> object:
    """The one value that all runs share, or all that there are.

    >>> one_or_all(["score", "score"]), one_or_all(["score", "file"])
    ('score', 'score/file')
    """
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else "/".join(map(str, distinct))
