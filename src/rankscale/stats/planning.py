"""Number of topics that an experiment needs, estimated from an evaluation."""

from dataclasses import dataclass, fields
from math import expm1, log1p
from numbers import Real

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.names import place_of
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.outputs.results import TabularResult
from rankscale.stats.margin import Margin, shown_margin
from rankscale.stats.power import OneWay, PairedT, Variances, Width, variances


@dataclass(frozen=True)
class Needed(TabularResult):
    """Result of `topics_needed`: numbers of topics by three criteria, and the variances behind them.

    Attributes
    ----------
    measure, difference, power, alpha
        What was planned for; alpha is that of one comparison, without a correction.
    paired_t : int
        Topics with which Student's paired t test, two-sided, detects the difference between two runs.
    one_way : int
        Topics with which one-way ANOVA detects it between the best and the worst of all runs.
    width : int
        Topics with which the two-sided interval of a difference, at confidence 1 - alpha, is no wider than the
        difference.
    detectable : float
        The difference that the topics of the evaluation suffice for, by a paired t test.
    estimated : Variances
        The variances, pooled over all pairs, and the numbers of runs and topics they are estimated from.
    share_of : str
        What the difference is a share of, such as '2% of the mean of bm25'; empty where it was given as a number.
    """

    measure: str
    difference: float
    power: float
    alpha: float
    paired_t: int
    one_way: int
    width: int
    detectable: float
    estimated: Variances
    share_of: str = ""

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row: what was planned for, the topics needed by each criterion, and the runs and topics at hand."""
        names = [field.name for field in fields(self) if field.name not in {"estimated", "share_of"}]
        planned = {name: [getattr(self, name)] for name in names}
        return Table({**planned, "runs": [self.estimated.runs], "topics": [self.estimated.topics]})

    def __str__(self) -> str:
        seen, share = self.estimated, f" ({self.share_of})" if self.share_of else ""
        return (
            f"{self.measure}: to find a difference of {self.difference:.6g}{share} with power {self.power:g} (alpha "
            f"{self.alpha:g}, one comparison without correction, variances pooled over all pairs of {seen.runs} runs): "
            f"{self.paired_t:,} topics for Student's paired t test of two runs, two-sided, {self.one_way:,} for "
            f"one-way ANOVA of the best and the worst of {seen.runs} runs, {self.width:,} for a "
            f"{100 * (1 - self.alpha):g}% interval of a difference that is no wider than that. The {seen.topics:,} "
            f"topics at hand are enough for a difference of {self.detectable:.4f} by the paired t test. (That a "
            "candidate is not worse by a margin is another question, one-sided: `gate` says how many topics it needs.)"
        )


def topics_needed(
    evaluation: Evaluation,
    difference: float | str,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: str | None = None,
) -> Needed:
    """How many topics an experiment needs to detect a difference of means, given the variances of an evaluation.

    Tests are two-sided, of one comparison, without a correction. That a candidate is not worse by a margin is tested on
    one side, by `gate`, which says how many topics that takes.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure, of two runs or more; variances are estimated from them.
    difference : float or str
        The difference of means to detect: a number, or a share of a mean such as '2%'; geometric means take a
        share alone.
    power : float
        Probability of detecting it.
    alpha : float
        Significance level of one comparison.
    baseline : str, optional
        Run whose mean a difference such as '2%' is a share of; by default the best.

    Returns
    -------
    Needed
        Numbers of topics for a paired t test, one-way ANOVA and the width of an interval.

    Raises
    ------
    ParameterError
        The evaluation has several measures or too few runs or topics, or a number is out of range.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1} for topic in range(8)}
    >>> first, second = ({topic: {"b": int(topic) % part, "a": 1} for topic in qrels} for part in (3, 4))
    >>> rs.topics_needed(rs.evaluate(qrels, {"first": first, "second": second}, "RR"), 0.1).paired_t
    83
    """
    check_arguments(topics_needed, locals())
    expected(evaluation, "topics_needed")
    if len(evaluation.measures) != 1:
        raise ParameterError(f"topics are planned for one measure, and the evaluation has {len(evaluation.measures)}")
    measure = evaluation.measures[0]
    shown, share_of = _difference(evaluation, difference, baseline)
    seen = variances(measure.averaged(np.where(evaluation.retrieved, evaluation.values, np.nan)[0].T))
    test = PairedT(seen.differences, alpha)
    detectable = test.detectable(seen.topics, power)
    wanted = shown
    if measure.compared_by_ratio:  # variances are those of logarithms
        wanted, detectable = -log1p(-shown), -expm1(-detectable)
    return Needed(
        measure=str(measure),
        difference=shown,
        power=power,
        alpha=alpha,
        paired_t=test.topics(wanted, power),
        one_way=OneWay(seen.within, alpha, seen.runs).topics(wanted, power),
        width=Width(seen.differences, 1 - alpha).topics(wanted),
        detectable=detectable,
        estimated=seen,
        share_of=share_of,
    )


def _difference(evaluation: Evaluation, given: float | str, baseline: str | None) -> tuple[float, str]:
    """The difference in values of the measure and, for a percentage, what it is a share of."""
    measure = evaluation.measures[0]
    if isinstance(given, Real) and given > 0 and not measure.compared_by_ratio:
        return float(given), ""
    if not isinstance(given, str) or not given.strip().endswith("%"):
        raise ParameterError(
            f"the difference must be a number above 0, or a percentage of a mean such as '2%', got {given!r}"
            + (f"; {measure} has geometric means, and takes a percentage alone" * measure.compared_by_ratio)
        )
    means = evaluation.means().values[0]
    goodness = np.nan_to_num(-means if measure.low_is_good else means, nan=-np.inf)
    place = int(np.argmax(goodness)) if baseline is None else place_of(evaluation.runs, baseline, "run", "there are")
    margin = Margin.of(given, "difference")
    words = f"{margin} of the {measure.summed_up} of {evaluation.runs[place]}"
    return shown_margin(measure, margin, float(means[place])), words
