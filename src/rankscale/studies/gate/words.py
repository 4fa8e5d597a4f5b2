"""What a gate says in sentences: its verdict, how it was reached, and what the topics could have shown."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rankscale.outputs.names import on_terminal
from rankscale.stats.corrections import ALONE
from rankscale.stats.noninferiority import ALL_SIGNS, POWER
from rankscale.stats.power import MOST_TOPICS
from rankscale.stats.tests.base.test import p_text
from rankscale.studies.gate.rows import ALL_TOPICS, GateRow

if TYPE_CHECKING:
    from rankscale.studies.gate import Gate


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
        parts += [*_row(gate, row), *_share(gate, row)]
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


def _row(gate: "Gate", row: GateRow) -> Iterator[str]:
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
