"""Rows of a gate, in tables and sentences: a candidate against the baseline, by a measure on a group of topics."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankscale.answers.why import SIZE_DIGITS
from rankscale.data.arrays import Bools, Floats
from rankscale.data.exact_sums import rounded_sums
from rankscale.data.names import listed
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.outputs.names import on_terminal
from rankscale.stats.comparison_tables import gap_columns
from rankscale.stats.corrections import ALONE, correct, family
from rankscale.stats.margin import Margin, limits, shown_margin
from rankscale.stats.noninferiority import (
    ALL_SIGNS,
    POWER,
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
from rankscale.stats.power import MOST_TOPICS
from rankscale.stats.tests.base.test import p_text

if TYPE_CHECKING:
    from rankscale.studies.gate import Gate

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
            chosen = members & defined
            topics = tuple(evaluation.topics[t] for t in np.flatnonzero(chosen).tolist())
            tested.append(_tested(candidate, measure, name, topics, baseline[chosen], values[chosen], rule))
        lacking = np.flatnonzero(~defined & np.any([members for _, members in groups], axis=0)).tolist()
        if lacking:
            named = listed([evaluation.topics[t] for t in lacking])
            count = f"{len(lacking)} topic{'s are' if len(lacking) > 1 else ' is'} left out"
            left_out.append(
                f"{measure}: {count} of {candidate} against {evaluation.runs[0]}: undefined there ({named})"
            )
    return tuple(_corrected(tested)), left_out


def _tested(
    candidate: str,
    measure: Measure,
    group: str,
    topics: tuple[str, ...],
    baseline: Floats,
    values: Floats,
    rule: Rule,
) -> GateRow:
    """A row whose p-values are those of the row alone."""
    averaged = measure.averaged(baseline)
    made = differences(measure.averaged(values), averaged, low_is_good=measure.low_is_good)
    margin = _margin(rule.margin, measure, group, averaged)
    below, above = limits(measure, rule.margin)[0], limits(measure, rule.upper_margin or rule.margin)[1]
    p = PValues(math.nan, math.nan, math.nan)
    if not math.isnan(margin):
        noninferior, worse = margin_tails(made, averaged, below, rule.tails)
        equivalent = math.nan if rule.upper_margin is None else equivalence(made, averaged, rule.tails, below, above)
        p = PValues(noninferior, worse, equivalent)
    lower, upper = one_sided_bounds(made, rule.alpha) if rule.test == "student" else (math.nan, math.nan)
    return GateRow(candidate, measure, group, topics, baseline, values, made, rule, margin, lower, upper, p, p)


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
    gaps = gap_columns([row.shown(row.differences.mean) for row in rows], [row.is_ratio for row in rows])
    cells = [_cells(row, {name: column[place] for name, column in gaps.items()}) for place, row in enumerate(rows)]
    if any(row.common is not None for row in rows):
        for of_row, common in zip(cells, (row.common for row in rows), strict=True):
            of_row["topics_common"] = None if common is None else common.differences.topics
            of_row["verdict_common"] = None if common is None else common.own_verdict
    return Table.from_rows(cells)


def _cells(row: GateRow, gap: Mapping[str, Cell]) -> dict[str, Cell]:
    """Everything about a row, by the name of the column; `gap` is the difference or the ratio."""
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
        **gap,
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
    losses: list[tuple[Cell, ...]] = []
    for row in rows:
        for place in row.losses(most):
            baseline, candidate = float(row.baseline[place]), float(row.values[place])
            difference = baseline - candidate if row.measure.low_is_good else candidate - baseline
            what = row.candidate, str(row.measure), row.group, row.topics[place]
            losses.append((*what, baseline, candidate, difference))
    return Table.of(LOSSES, losses)


GAPS = {
    "difference": "A difference above 0 is in favour of the candidate.",
    "ratio": "A ratio above 1 is in favour of the candidate.",
}
TESTS = {"student": "Student's paired t test, one-sided", "randomisation": "the paired randomisation test, one-sided"}


def title(gate: "Gate") -> str:
    """The verdict in a line: `Gate: pass (reranked against bm25)`."""
    counts = f", which counts as {gate.outcome} here" if gate.outcome != gate.verdict else ""
    if len(gate.candidates) == 1:
        return f"Gate: {gate.verdict}{counts} ({gate.candidates[0]} against {gate.baseline})"
    each = ", ".join(f"{name} {gate.verdict_of(name)}" for name in gate.candidates)
    return f"Gate: {gate.verdict}{counts} (against {gate.baseline}: {each})"


def sentences(gate: "Gate") -> tuple[str, ...]:
    """The sentences below the table, without control characters that names may hold."""
    parts = [how(gate), *_directions(gate)]
    for row in gate.rows:
        parts += [*_row_sentences(gate, row), *_share(gate, row)]
    parts += [f"{verdict}." for verdict in gate.scales if not verdict.meaningful]
    return tuple(map(on_terminal, parts))


def how(gate: "Gate") -> str:
    """Test, margin, level and correction."""
    rule = gate.rule
    test = TESTS[rule.test]
    if rule.test == "randomisation":
        drawn = any(row.differences.topics > ALL_SIGNS for row in gate.rows)
        test += f" ({rule.samples:,} random vectors of signs, seed {rule.seed})" if drawn else " (all vectors of signs)"
    gaps = sorted({"ratio" if row.is_ratio else "difference" for row in gate.rows})
    bounds = (
        f"; lower and upper are one-sided {100 * (1 - rule.alpha):g}% bounds of the {' or '.join(gaps)}, uncorrected"
    )
    return (
        f"Margin {rule.margin}; {test}, alpha {rule.alpha:g}{_correction(gate)}. A small p_NI (non-inferiority) shows "
        "that the candidate is not worse by more than the margin, a small p_worse that it is worse by more"
        f"{bounds if rule.test == 'student' else ''}. {' '.join(GAPS[gap] for gap in gaps)}{_relative(gate)}"
    )


def _relative(gate: "Gate") -> str:
    """How a relative margin is tested, where the baseline's mean is estimated from the same topics."""
    if gate.rule.margin.relative is None or all(row.is_ratio for row in gate.rows):
        return ""
    share = f"{100 * gate.rule.margin.relative:g}%"
    return f" The relative margin is tested topic by topic, as the difference plus {share} of the baseline's value."


def _correction(gate: "Gate") -> str:
    tested = [row.candidate for row in gate.rows if row.differences.testable]
    sizes = sorted({tested.count(name) for name in gate.candidates})
    if sizes[-1] < 2:
        return f", {ALONE}"
    of = f"the {' to '.join(map(str, sizes[:: max(1, len(sizes) - 1)]))} tests of a candidate"
    if gate.rule.correction == "holm":
        return f", Holm's correction over {of}"
    return f", no correction over {of}: an overall pass is valid all the same, a fail or the verdict of one row is not"


def _directions(gate: "Gate") -> Iterator[str]:
    """Measures whose differences are the other way round, or that are summed up in another way than by a mean."""
    low = [str(measure) for measure in gate.evaluation.measures if measure.low_is_good]
    if low:
        yield f"Low is good for {', '.join(low)}: the difference is baseline minus candidate, and below 0 is worse."
    for measure in gate.evaluation.measures:
        if measure.compared_by_ratio:
            yield (
                f"{measure} has geometric means: logarithms of its values are tested, and the ratio is candidate over "
                "baseline."
            )
        elif measure.summary != "mean":
            yield f"{measure} is summed up by its {measure.summed_up}; the gate compares its mean over topics."


def _row_sentences(gate: "Gate", row: GateRow) -> Iterator[str]:
    """Sentences about a row: its verdict, the margin that would pass and, if it is inconclusive, its power."""
    text = f"{label(gate, row)}: {row.verdict}: {row.remark}"
    if not row.depends_on_missing:
        text += _tolerance(row, alone=" without correction" if len(gate.rows) > len(gate.candidates) else "")
    if gate.rule.upper_margin is not None and not math.isnan(row.p.equivalent):
        shown = "equivalent" if row.equivalent else "equivalence is not shown"
        text += f"; {shown} (TOST, {p_text(row.p.equivalent, row.rule.alpha, row.family)})"
    yield f"{text}."
    if row.own_verdict == "inconclusive" and not row.depends_on_missing and row.power is not None:
        yield f"{label(gate, row)}: {_power(row)}."


def _tolerance(row: GateRow, alone: str) -> str:
    """The smallest margin that passes, if that is known."""
    if math.isnan(row.lower):
        return ""
    share = row.relative_tolerance
    if 0 in {row.tolerance, share}:
        return f"; any margin passes{alone}"
    relative = [] if math.isnan(share) else [f"{100 * share:.3g}% of the baseline's {row.measure.summed_up}"]
    absolute = [] if row.is_ratio else [f"{row.tolerance:.3g}"]
    return f"; the smallest margin that passes{alone} is {', or '.join([*absolute, *relative])}"


def _power(row: GateRow) -> str:
    """What these topics can detect, and how many would be enough; by Student's t, uncorrected."""
    assert row.power is not None  # noqa: S101  # the caller has looked
    power, topics = row.power, f"{row.differences.topics} topics"
    needed = f"more than {MOST_TOPICS:,}" if power.topics_needed is None else f"{power.topics_needed:,}"
    return (
        f"{topics} detect a drop of {_amount(row, row.detectable)} with probability {POWER:g}. A candidate without any "
        f"difference passes a margin of {_amount(row, row.margin)} with probability {power.at_zero:.2f}; with {needed} "
        f"topics it would with probability {POWER:g} (Student's paired t test, one-sided, alpha {row.rule.alpha:g}, "
        "uncorrected, with the variance of these differences)"
    )


def _amount(row: GateRow, number: float) -> str:
    """A margin or a drop: in values of the measure, or in percent of a geometric mean."""
    return f"{100 * number:.3g}%" if row.is_ratio else f"{number:.3g}"


def _share(gate: "Gate", row: GateRow) -> Iterator[str]:
    """What holds on any scale, where the scale does not support a margin of means."""
    scale = gate.scales[gate.evaluation.measures.index(row.measure)]
    if scale.meaningful or not row.differences.testable or not row.share.differ:
        return
    share = row.share
    counts = f"worse on {share.worse} of the {share.differ} topics that differ"
    text = f"{label(gate, row)}, by the order of values alone: {counts}"
    outcome = "is shown to be below" if share.below(row.rule.alpha) else "is not shown to be below"
    p = p_text(share.p, row.rule.alpha, ALONE)
    yield f"{text}; the share of topics that get worse {outcome} {share.share:g} (binomial test, {p})."


def label(gate: "Gate", row: GateRow) -> str:
    """A row in words: measure and group, and the candidate where there are several."""
    parts: Sequence[str] = [row.candidate] if len(gate.candidates) > 1 else []
    return ", ".join([*parts, str(row.measure), *([] if row.group == ALL_TOPICS else [row.group])])
