"""The signature: everything that values depend on besides the files, in one line."""

from collections.abc import Iterable, Mapping

from rankscale import __version__
from rankscale.data.orders import TieOrders
from rankscale.evaluation.options import Judging, Missing
from rankscale.measures.base.gains import normal_form
from rankscale.measures.base.measure import canonical_text


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
