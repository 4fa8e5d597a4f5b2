"""Tables of a gate: its rows with all their numbers, and the topics with the largest losses."""

from collections.abc import Sequence

from rankscale.data.table import Cell, Table
from rankscale.stats.comparison_tables import gap_columns
from rankscale.studies.support.gate_rows import Row

LOSSES = ("candidate", "measure", "group", "topic", "baseline_value", "candidate_value", "difference")


def rows_table(rows: Sequence[Row]) -> Table:
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


def _cells(row: Row) -> dict[str, Cell]:
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


def losses_table(rows: Sequence[Row], most: int) -> Table:
    """The topics with the largest losses of these rows, at most so many of each."""
    losses = [_loss(row, place) for row in rows for place in row.losses(most)]
    return Table.of(LOSSES, losses)


def _loss(row: Row, place: int) -> tuple[Cell, ...]:
    values = (float(of[place]) for of in (row.baseline, row.values))
    baseline, candidate = values
    difference = baseline - candidate if row.measure.low_is_good else candidate - baseline
    return (row.candidate, str(row.measure), row.group, row.topics[place], baseline, candidate, difference)
