"""Tau of measures against others at the same depth, such as the total orders of rankings."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import FINE_DIGITS, Bools, Floats, significant
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_at
from rankscale.stats.correlation.kendall import tau_b


@dataclass(frozen=True)
class Against:
    """How far a measure and another order runs alike."""

    measure: Measure
    other: Measure
    tau: float  # between the means, over runs
    by_topic: Floats  # (topic,): tau between the values; NaN where either is the same for all runs, or undefined
    both: Bools  # (topic,): where both are defined for all runs

    @property
    def counted(self) -> int:
        """Over how many topics means are."""
        return int(np.count_nonzero(self.both))

    @property
    def defined(self) -> int:
        """On how many topics tau is defined."""
        return int(np.count_nonzero(~np.isnan(self.by_topic)))

    @property
    def tau_by_topic(self) -> float:
        """The mean over topics of tau on each of them."""
        defined = self.by_topic[~np.isnan(self.by_topic)]
        return float(defined.mean()) if len(defined) else float("nan")


def names_of(against: str | Measure | Iterable[str | Measure]) -> tuple[str | Measure, ...]:
    """The measures named, each once; one text may name several, with commas between them.

    >>> names_of("SBTO,RBTO(gains=[0,1,1])")
    ('SBTO', 'RBTO(gains=[0,1,1])')
    """
    given = [against] if isinstance(against, str | Measure) else list(against)
    return tuple(dict.fromkeys(part for one in given for part in (_split(one) if isinstance(one, str) else [one])))


def _split(text: str) -> list[str]:
    """The parts of a text between commas that stand outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def taus_against(
    measures: Sequence[Measure], others: Sequence[str | Measure], values: Callable[[Sequence[Measure]], Evaluation]
) -> tuple[Against, ...]:
    """Tau of each measure against each other one, which is read at the measure's depth unless it has one of its own.

    `values` evaluates measures.
    """
    pairs = [(measure, _at_depth_of(measure, other)) for measure in measures for other in others]
    if not pairs:
        return ()
    evaluation = values(list(dict.fromkeys(one for pair in pairs for one in pair)))
    if len(evaluation.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    kept = np.where(evaluation.retrieved, evaluation.values, np.nan)
    of = {measure: kept[place] for place, measure in enumerate(evaluation.measures)}
    return tuple(_against(measure, of[measure], other, of[other]) for measure, other in pairs)


def _at_depth_of(measure: Measure, other: str | Measure) -> Measure:
    try:
        return parse_at(other, measure.depth)
    except ParameterError as error:
        if measure.depth is None and measure.takes_depth:
            raise ParameterError(f"{error}; or compare {measure}@10, which has one") from None
        raise


def _against(measure: Measure, values: Floats, other: Measure, others: Floats) -> Against:
    """Values are (run, topic)."""
    both: Bools = np.count_nonzero(np.isnan(values) | np.isnan(others), axis=0) == 0
    by_topic = np.full(values.shape[-1], np.nan)
    x, y = _high_is_good(measure, values[:, both]), _high_is_good(other, others[:, both])
    by_topic[both] = tau_b(significant(x, FINE_DIGITS).T, significant(y, FINE_DIGITS).T)
    tau = float(tau_b(_rounded(measure, x), _rounded(other, y)))
    return Against(measure, other, tau, by_topic, both)


def _high_is_good(measure: Measure, values: Floats) -> Floats:
    return -values if measure.low_is_good else values


def _rounded(measure: Measure, values: Floats) -> Floats:
    """(run,): means without the digits that are only rounding errors."""
    return measure.comparable(measure.summarise(values))
