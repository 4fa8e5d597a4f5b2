"""Number of topics that an experiment needs, estimated from an evaluation."""

from dataclasses import fields
from numbers import Real

import numpy as np

from rankscale.data.checking import check_arguments
from rankscale.data.records import dataclass
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.formats.write.results import TabularResult
from rankscale.stats.power import OneWay, PairedT, Variances, Width, variances


@dataclass(frozen=True)
class Needed(TabularResult):
    """Result of `topics_needed`: numbers of topics by three criteria, and the variances behind them.

    Attributes
    ----------
    measure, difference, power, alpha
        What was planned for.
    paired_t : int
        Topics with which a paired t test detects the difference between two runs.
    one_way : int
        Topics with which one-way ANOVA detects it between the best and the worst of all runs.
    width : int
        Topics with which the interval of a difference is no wider than the difference.
    detectable : float
        The difference that the topics of the evaluation suffice for, by a paired t test.
    estimated : Variances
        The variances, and the numbers of runs and topics they are estimated from.
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

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row: what was planned for, the topics needed by each criterion, and the runs and topics at hand."""
        planned = {field.name: [getattr(self, field.name)] for field in fields(self) if field.name != "estimated"}
        return Table({**planned, "runs": [self.estimated.runs], "topics": [self.estimated.topics]})

    def __str__(self) -> str:
        seen = self.estimated
        return (
            f"{self.measure}: to find a difference of {self.difference:g} with power {self.power:g} "
            f"(alpha {self.alpha:g}, one comparison, variances pooled over all pairs): {self.paired_t} topics for a "
            f"paired t test, {self.one_way} for one-way ANOVA "
            f"over {seen.runs} runs, {self.width} for an interval of that width; the {seen.topics} topics at hand are "
            f"enough for {self.detectable:.4f}"
        )


def topics_needed(evaluation: Evaluation, difference: float, *, power: float = 0.8, alpha: float = 0.05) -> Needed:
    """How many topics an experiment needs to detect a difference of means, given the variances of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure, of two runs or more; variances are estimated from them.
    difference : float
        The difference of means to detect.
    power : float
        Probability of detecting it.
    alpha : float
        Significance level of one comparison.

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
    if not isinstance(difference, Real) or not difference > 0:
        raise ParameterError(f"the difference must be a number above 0, got {difference!r}")
    values = np.where(evaluation.retrieved, evaluation.values, np.nan)[0].T
    seen = variances(values)
    test = PairedT(seen.differences, alpha)
    return Needed(
        measure=str(evaluation.measures[0]),
        difference=difference,
        power=power,
        alpha=alpha,
        paired_t=test.topics(difference, power),
        one_way=OneWay(seen.within, alpha, seen.runs).topics(difference, power),
        width=Width(seen.differences, 1 - alpha).topics(difference),
        detectable=test.detectable(seen.topics, power),
        estimated=seen,
    )
