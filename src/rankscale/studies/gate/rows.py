"""Rows of a gate: one candidate against the baseline, by one measure on one group of topics, and their tables."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankscale.answers.why import SIZE_DIGITS
from rankscale.data.arrays import Bools, Floats
from rankscale.data.exact_sums import rounded_sums
from rankscale.data.names import listed
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.stats.comparison_tables import gap_columns
from rankscale.stats.corrections import ALONE, correct, family
from rankscale.stats.margin import Margin, limits, shown_margin
from rankscale.stats.noninferiority import (
    CandidateDifferences,
    Decision,
    ShareWorse,
    TestOf,
    TopicsPower,
    decide,
    differences,
    equivalence,
    margin_power,
    margin_tails,
    one_sided_bounds,
    relative_tolerance,
    remark,
    share_worse,
    tails_by,
)

ALL_TOPICS = "all"  # the group where topics are not grouped


@dataclass(frozen=True)
class Rule:
    """How a row is decided."""

    margin: Margin
    upper_margin: Margin | None  # of equivalence, where that is tested
    test: str
    alpha: float
    correction: str
    theta: float
    samples: int
    seed: int

    @property
    def tails(self) -> TestOf:
        """The test."""
        return tails_by(self.test, self.samples, self.seed)


@dataclass(frozen=True)
class PValues:
    """p-values of a row: not worse by more than the margin, worse by more, equivalent; NaN where not tested."""

    noninferior: float
    worse: float
    equivalent: float


@dataclass(frozen=True, eq=False)
class GateRow:
    """One candidate against the baseline, by one measure, on some topics."""

    candidate: str
    measure: Measure
    group: str
    topics: tuple[str, ...]  # on which both have a value
    baseline: Floats  # (topic,): values
    values: Floats  # (topic,): those of the candidate
    differences: CandidateDifferences  # of what is averaged: logarithms for geometric means
    rule: Rule
    margin: float  # in values of the measure, or a share of a ratio; NaN where there is no topic to take a share of
    lower: float  # one-sided bounds of the mean difference, of this row by itself; NaN for randomisation
    upper: float
    alone: PValues
    p: PValues  # corrected for the other rows of the candidate
    family: str = ALONE  # what they are corrected for
    common: "GateRow | None" = (
        None  # the same without topics that a run lacks, where empty rankings count for them here
    )

    @property
    def own_verdict(self) -> Decision:
        """What the corrected p-values of these topics say."""
        return decide(self.p.noninferior, self.p.worse, self.rule.alpha)

    @property
    def depends_on_missing(self) -> bool:
        """Whether the verdict is another one without the topics that a run lacks."""
        return self.common is not None and self.common.own_verdict != self.own_verdict

    @property
    def verdict(self) -> Decision:
        """What the corrected p-values say; inconclusive where that depends on how missing topics are counted."""
        return "inconclusive" if self.depends_on_missing else self.own_verdict

    @property
    def remark(self) -> str:
        """What goes with the verdict."""
        if self.depends_on_missing and self.common is not None:
            return (
                f"{self.own_verdict} if topics that a run lacks count as empty rankings, {self.common.own_verdict} "
                "without them"
            )
        if self.verdict == "inconclusive" and not self.differences.testable:
            return "infinite values" if self.differences.topics > 1 else "fewer than two topics"
        return remark(self.verdict, self.lower, self.upper)

    @property
    def equivalent(self) -> bool:
        """Whether the candidate differs by less than the margin, in either direction."""
        return self.p.equivalent < self.rule.alpha

    @property
    def is_ratio(self) -> bool:
        """Whether candidate and baseline are shown by the ratio of their geometric means."""
        return self.measure.compared_by_ratio

    @cached_property
    def means(self) -> tuple[float, float]:
        """Means of the baseline and of the candidate, geometric ones where the measure has those."""
        if not self.topics:
            return math.nan, math.nan
        averaged = (self.measure.averaged(of) for of in (self.baseline, self.values))
        baseline, values = (float(self.measure.of_average(rounded_sums(of) / len(of))) for of in averaged)
        return baseline, values

    def shown(self, difference: float) -> float:
        """A difference, or a bound of it, as it is shown: candidate over baseline for geometric means."""
        return float(self.measure.of_average(np.array(difference)))

    @property
    def tolerance(self) -> float:
        """The smallest absolute margin that passes by itself: any larger one does.

        NaN for ratios, which have none, and where it depends on how missing topics are counted.
        """
        unknown = math.isnan(self.lower) or self.is_ratio or self.depends_on_missing
        return math.nan if unknown else max(0.0, -self.lower)

    @cached_property
    def relative_tolerance(self) -> float:
        """The smallest relative margin that passes by itself; NaN where none below 100% does."""
        if math.isnan(self.lower) or self.depends_on_missing:
            return math.nan
        if self.is_ratio:
            return max(0.0, -math.expm1(self.lower))
        if not self.means[0] > 0:
            return math.nan
        return relative_tolerance(self.differences, self.baseline, self.rule.alpha)

    @cached_property
    def power(self) -> TopicsPower | None:
        """What these topics could have shown; None where differences do not vary, or cannot be tested."""
        lower, _ = limits(self.measure, self.rule.margin)
        return margin_power(self.differences, self.measure.averaged(self.baseline), lower, self.rule.alpha)

    @property
    def detectable(self) -> float:
        """The drop that these topics see with probability 0.8, as it is shown: a share for geometric means."""
        if self.power is None:
            return math.nan
        return -math.expm1(-self.power.detectable) if self.is_ratio else self.power.detectable

    @cached_property
    def share(self) -> ShareWorse:
        """On how many topics the candidate is worse."""
        return share_worse(self.differences, self.rule.theta)

    def losses(self, most: int) -> list[int]:
        """Places of the topics with the largest losses, the largest first; equal ones in the order of topics."""
        order = np.argsort(np.round(self.differences.values, SIZE_DIGITS), kind="stable")[:most]
        return [place for place in order.tolist() if self.differences.values[place] < -self.differences.rounding]


def rows_of(
    evaluation: Evaluation, candidate: str, groups: Sequence[tuple[str, Bools]], rule: Rule
) -> tuple[tuple[GateRow, ...], list[str]]:
    """The rows of one candidate, corrected together, and remarks about topics that are left out.

    Parameters
    ----------
    evaluation
        Its first run is the baseline.
    candidate
        The run to decide about.
    groups
        Names of groups, and (topic,): who is in them.
    rule
        Margin, test and level.
    """
    place = evaluation.runs.index(candidate)
    left_out: list[str] = []
    tested = []
    for m, measure in enumerate(evaluation.measures):
        baseline, values = evaluation.values[m, 0], evaluation.values[m, place]
        defined: Bools = ~(np.isnan(baseline) | np.isnan(values))
        for name, members in groups:
            tested.append(_tested(evaluation, candidate, measure, (name, members & defined), (baseline, values), rule))
        lacking = np.flatnonzero(~defined & np.any([members for _, members in groups], axis=0)).tolist()
        if lacking:
            topics = listed([evaluation.topics[t] for t in lacking])
            count = f"{len(lacking)} topic{'s are' if len(lacking) > 1 else ' is'} left out"
            left_out.append(
                f"{measure}: {count} of {candidate} against {evaluation.runs[0]}: undefined there ({topics})"
            )
    return tuple(_corrected(tested)), left_out


def _tested(
    evaluation: Evaluation,
    candidate: str,
    measure: Measure,
    group: tuple[str, Bools],
    both: tuple[Floats, Floats],
    rule: Rule,
) -> GateRow:
    """A row whose p-values are those of the row alone."""
    name, chosen = group
    baseline, values = (of[chosen] for of in both)
    averaged = measure.averaged(baseline)
    made = differences(measure.averaged(values), averaged, low_is_good=measure.low_is_good)
    margin = _margin(rule.margin, measure, name, averaged)
    below, above = limits(measure, rule.margin)[0], limits(measure, rule.upper_margin or rule.margin)[1]
    p = PValues(math.nan, math.nan, math.nan)
    if not math.isnan(margin):
        noninferior, worse = margin_tails(made, averaged, below, rule.tails)
        equivalent = math.nan if rule.upper_margin is None else equivalence(made, averaged, rule.tails, below, above)
        p = PValues(noninferior, worse, equivalent)
    lower, upper = one_sided_bounds(made, rule.alpha) if rule.test == "student" else (math.nan, math.nan)
    topics = tuple(evaluation.topics[t] for t in np.flatnonzero(chosen).tolist())
    return GateRow(candidate, measure, name, topics, baseline, values, made, rule, margin, lower, upper, p, p)


def _margin(margin: Margin, measure: Measure, group: str, averaged: Floats) -> float:
    """The margin for these values of the baseline; NaN where fewer than two have no mean to take a share of."""
    mean = float(rounded_sums(averaged)) / len(averaged) if len(averaged) else math.nan
    try:
        return shown_margin(measure, margin, mean)
    except ParameterError as error:
        if len(averaged) < 2:
            return math.nan
        where = "" if group == ALL_TOPICS else f", group {group}"
        raise ParameterError(f"{measure}{where}: ", *error.args) from None


def _corrected(rows: Sequence[GateRow]) -> Iterator[GateRow]:
    """The same rows, their p-values corrected for each other."""
    if not rows:
        return
    testable = np.array([row.differences.testable for row in rows])
    alone = np.array([[row.alone.noninferior, row.alone.worse, row.alone.equivalent] for row in rows])
    # A mean that is the limit itself, with differences that do not vary, is tested and shows nothing.
    counted = np.where(np.isnan(alone) & testable[:, None], 1.0, alone)
    corrected = np.stack([correct(p, rows[0].rule.correction) for p in counted.T], axis=1)
    corrected[np.isnan(alone)] = np.nan
    of = family(int(np.count_nonzero(testable)), rows[0].rule.correction, of=f"tests of {rows[0].candidate}")
    for row, p in zip(rows, corrected.tolist(), strict=True):
        yield replace(row, p=PValues(*p), family=of)


LOSSES = ("candidate", "measure", "group", "topic", "baseline_value", "candidate_value", "difference")


def rows_table(rows: Sequence[GateRow]) -> Table:
    """One row for each candidate, measure and group."""
    cells = [_cells(row) for row in rows]
    columns: dict[str, Sequence[Cell]] = {}
    for name in cells[0]:
        if name != "gap":
            columns[name] = [of_row[name] for of_row in cells]
        else:
            numbers = [row.shown(row.differences.mean) for row in rows]
            columns |= gap_columns(numbers, [row.is_ratio for row in rows])
    if any(row.common is not None for row in rows):
        common = [row.common for row in rows]
        columns["topics_common"] = [None if row is None else row.differences.topics for row in common]
        columns["verdict_common"] = [None if row is None else row.own_verdict for row in common]
    return Table(columns)


def _cells(row: GateRow) -> dict[str, Cell]:
    """Everything about a row, by the name of the column."""
    (baseline, candidate), power, share = row.means, row.power, row.share
    equivalence: dict[str, Cell] = {
        "p_TOST_uncorrected": row.alone.equivalent,
        "p_TOST": row.p.equivalent,
        "equivalent": int(row.equivalent),
    }
    return {
        "candidate": row.candidate,
        "measure": str(row.measure),
        "group": row.group,
        "topics": row.differences.topics,
        "baseline_mean": baseline,
        "candidate_mean": candidate,
        "gap": None,
        "sd": row.differences.deviation,
        "margin": row.margin,
        "lower": row.shown(row.lower),
        "upper": row.shown(row.upper),
        "p_NI_uncorrected": row.alone.noninferior,
        "p_worse_uncorrected": row.alone.worse,
        "p_NI": row.p.noninferior,
        "p_worse": row.p.worse,
        "family": row.family,
        **({} if row.rule.upper_margin is None else equivalence),
        "verdict": row.verdict,
        "remark": row.remark,
        "tolerance": row.tolerance,
        "tolerance_relative": row.relative_tolerance,
        "power": None if power is None else power.at_zero,
        "topics_needed": None if power is None else power.topics_needed,
        "detectable": None if power is None else row.detectable,
        "topics_worse": share.worse,
        "topics_differ": share.differ,
        "p_share": share.p,
    }


def losses_table(rows: Sequence[GateRow], most: int) -> Table:
    """The topics with the largest losses of these rows, at most so many of each."""
    losses = [_loss(row, place) for row in rows for place in row.losses(most)]
    return Table.of(LOSSES, losses)


def _loss(row: GateRow, place: int) -> tuple[Cell, ...]:
    values = (float(of[place]) for of in (row.baseline, row.values))
    baseline, candidate = values
    difference = baseline - candidate if row.measure.low_is_good else candidate - baseline
    return (row.candidate, str(row.measure), row.group, row.topics[place], baseline, candidate, difference)
