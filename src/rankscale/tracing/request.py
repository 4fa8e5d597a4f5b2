"""The measures whose curves are asked for, and where each ends."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankscale.data.run import Run
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse, parse_all
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import ALIASES, CLASSES

DEEPEST = 1000  # where curves end unless they are asked to go deeper


@dataclass(frozen=True)
class CurveAsked:
    """A measure whose curve is wanted."""

    measure: Measure
    open_ended: bool = False  # P alone: the depth it needs is that of the curve


def asked_for(measures: "str | Measure | CurveAsked | Iterable[str | Measure | CurveAsked]") -> list[CurveAsked]:
    """The measures that texts name. One that needs a depth and has none is taken at every rank of the curve.

    >>> [(str(one.measure), one.open_ended) for one in asked_for(["P", "P@10", "map"])]
    [('P@1', True), ('P@10', False), ('AP', False)]
    """
    several = [measures] if isinstance(measures, str | Measure | CurveAsked) else measures
    found = [one for text in several for one in _one_asked(text)]
    return list(dict.fromkeys(found))


def _one_asked(text: "str | Measure | CurveAsked") -> Iterator[CurveAsked]:
    if isinstance(text, CurveAsked):
        yield text
        return
    name = text.partition("(")[0].strip() if isinstance(text, str) else ""
    if (known := ALIASES.get(name, name)) in CLASSES and "@" not in str(text) and find(known).needs_depth:
        yield CurveAsked(parse(f"{text}@1"), open_ended=True)
    else:
        yield from map(CurveAsked, parse_all([text]))


def with_depths(asked: Sequence[CurveAsked], depth: int | None, runs: Sequence[Run]) -> list[tuple[Measure, int]]:
    """Each measure, and where its curve ends."""
    longest = max(int(run.length.max(initial=0)) for run in runs)
    deepest = depth or max(1, min(longest, DEEPEST))
    found = []
    for one in asked:
        own = None if one.open_ended else one.measure.depth
        ends = deepest if own is None else own if depth is None else min(own, depth)
        found.append((one.measure.at(ends) if one.open_ended else one.measure, ends))
    return list(dict.fromkeys(found))
