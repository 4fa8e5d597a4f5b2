"""Which measures the effort/gain plot of a report shows."""

from collections.abc import Sequence
from typing import NamedTuple

from rankscale.errors import ParameterError
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse
from rankscale.measures.twist import Twist
from rankscale.studies.effort_gain import check_effort, check_gain, is_gain


class EffortMeasures(NamedTuple):
    """The two measures of the plot."""

    effort: Measure
    gain: Measure | None  # None where no requested measure is one of gain: then there is no plot


def effort_measures(
    requested: Sequence[Measure], effort: AnyMeasure | None, gain: AnyMeasure | None, rel: float
) -> EffortMeasures:
    """Choose effort and gain: those named, else the first requested measure of each kind.

    Parameters
    ----------
    requested : sequence of Measure
        The measures of the report, the main one first.
    effort, gain : str, Measure or None
        Measures named by the user.
    rel : float
        Lowest relevant grade of Twist, which measures effort where no requested measure does.

    Returns
    -------
    EffortMeasures
        Where measures of effort alone are requested, the gain is AP with the same lowest relevant grade.

    Raises
    ------
    ParameterError
        If a measure that is named cannot measure effort or gain, or if effort is named and there is no gain.
    """
    of_effort = _named(effort, requested) or Twist(rel=rel)
    check_effort(of_effort)
    of_gain = None if gain is None else parse(gain)
    if of_gain is not None:
        check_gain(of_gain)
    else:
        others = [measure for measure in requested if not measure.measures_effort and measure != of_effort]
        lowest = rel if of_effort.threshold is None else of_effort.threshold
        of_gain = next(filter(is_gain, others), None) if others else AP(rel=lowest)
    if of_gain == of_effort:
        raise ParameterError(f"effort and gain are both {of_gain}: name two different measures")
    if effort is not None and of_gain is None:
        names = ", ".join(map(str, requested))
        raise ParameterError(
            f"effort is drawn against a measure of gain, whose highest value is the best, and none of {names} is one; "
            "name one, as in gain='AP'"
        )
    return EffortMeasures(of_effort, of_gain)


def _named(effort: AnyMeasure | None, requested: Sequence[Measure]) -> Measure | None:
    """The measure of effort that is named, or else the first one requested."""
    return parse(effort) if effort is not None else next((one for one in requested if one.measures_effort), None)
