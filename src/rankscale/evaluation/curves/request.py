"""The measures whose curves are requested, and where each ends."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankscale.data.checking import of_ir_measures
from rankscale.data.run import Run
from rankscale.measures.base.measure import Measure, MeasureType
from rankscale.measures.base.parser import AnyMeasure, as_iterable, parse, parse_all
from rankscale.measures.base.register import find, known_name, separated
from rankscale.measures.base.register_table import CLASSES

DEEPEST = 1000  # where curves end unless a depth is given
MOST_VALUES, VALUES_OF_DOCUMENT = 1 << 22, 8  # of curves that are not given a depth: so many, or 8 for each document


@dataclass(frozen=True)
class CurveRequest:
    """A measure whose curve is requested."""

    measure: Measure
    open_ended: bool = False  # P alone: the depth it needs is that of the curve


AnyCurve = AnyMeasure | CurveRequest


def curve_requests(measures: AnyCurve | Iterable[AnyCurve]) -> list[CurveRequest]:
    """The measures that texts name. One that needs a depth and has none is taken at every rank of the curve.

    >>> [(str(one.measure), one.open_ended) for one in curve_requests(["P", "P@10", "map"])]
    [('P@1', True), ('P@10', False), ('AP', False)]
    """
    is_one = isinstance(measures, CurveRequest | str | Measure | MeasureType) or of_ir_measures(measures)
    several: Iterable[Any] = [measures] if is_one else as_iterable(measures)  # type: ignore[arg-type]  # as `is_one` says
    return list(dict.fromkeys(request for text in several for request in _requests(text)))


def _requests(text: AnyCurve) -> Iterator[CurveRequest]:
    if isinstance(text, CurveRequest):
        yield text
        return
    text = text.name if isinstance(text, MeasureType) else str(text) if of_ir_measures(text) else text
    if isinstance(text, str) and len(several := separated(text)) > 1:
        yield from (request for one in several for request in _requests(one))
    elif isinstance(text, str) and _lacks_depth(text):
        yield CurveRequest(parse(f"{text}@1"), open_ended=True)
    else:
        yield from map(CurveRequest, parse_all([text]))


def _lacks_depth(text: str) -> bool:
    """Whether a text names a measure that needs a depth, and gives none."""
    known = None if "@" in text else known_name(text.partition("(")[0].strip())
    return known in CLASSES and find(known).needs_depth


def default_depth(runs: Sequence[Run], topics: int) -> tuple[int, int]:
    """Where curves end unless a depth is given, and where they would end if all rankings were about as long.

    One long ranking among very many short ones does not make the curves of all long.
    """
    longest = max(int(run.length.max(initial=0)) for run in runs)
    documents = sum(int(run.length.sum()) for run in runs)
    affordable = max(MOST_VALUES, VALUES_OF_DOCUMENT * documents) // max(1, len(runs) * topics)
    wanted = max(1, min(longest, DEEPEST))
    return max(1, min(wanted, affordable)), wanted


def with_depths(requests: Sequence[CurveRequest], depth: int | None, deepest: int) -> list[tuple[Measure, int]]:
    """Each measure, and the rank at which its curve ends: `depth` if it is given, `deepest` otherwise."""
    deepest = depth or deepest
    ended = []
    for one in requests:
        own = None if one.open_ended else one.measure.depth
        ends = deepest if own is None else own if depth is None else min(own, depth)
        ended.append((one.measure.at(ends) if one.open_ended else one.measure, ends))
    return list(dict.fromkeys(ended))
