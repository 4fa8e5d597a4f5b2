"""How agreement of judges, and what it does to runs, is written: tables and sentences."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.names import listed
from rankscale.data.table import Cell, Column, Table
from rankscale.stats.agreement.coefficients import COEFFICIENTS
from rankscale.stats.comparison_tables import gap_columns
from rankscale.stats.p_text import p_text
from rankscale.stats.verdicts import Verdict
from rankscale.studies.support.agree_options import Shares
from rankscale.studies.support.judges import Judges
from rankscale.studies.support.runs_by_two import OUTCOMES, RunsByTwo, Statistic
from rankscale.studies.support.two_qrels import Overlap

SIDES = ((0, "_A"), (1, "_B"))  # of both judgments: their place, and the ending of their columns
LABELS = {
    "mean_difference": "mean difference, B - A",
    "rmse": "RMSE of topic values",
    "tau": "Kendall's tau-b",
    "tau_ap": "AP correlation, A as the truth",
    "rbo": "RBO, p = 0.9",
}


def grade_text(grade: float) -> str:
    """A grade as qrels write it.

    >>> grade_text(2.0), grade_text(0.5)
    ('2', '0.5')
    """
    return f"{grade:.15g}"


def agreement_table(judges: Judges) -> Table:
    """One row for each coefficient: pooled with its interval, mean over topics, and where it is undefined."""
    every, topics = judges.coefficients, len(judges.items)
    return Table(
        {
            "coefficient": [one.name for one in every],
            "pooled": [one.pooled for one in every],
            "lower": [one.lower for one in every],
            "upper": [one.upper for one in every],
            "mean": [one.mean for one in every],
            "topics": [one.topics for one in every],
            "undefined": [topics - one.topics for one in every],
            "undefined_draws": [one.undefined_draws for one in every],
        }
    )


def agreement_shown(judges: Judges) -> Table:
    """The same for people: the interval next to the value, and coefficients in words."""
    table = agreement_table(judges)
    ends = [[one.lower for one in judges.coefficients], [one.upper for one in judges.coefficients]]
    columns: dict[str, Sequence[Cell]] = {
        "coefficient": [COEFFICIENTS[one.name].words for one in judges.coefficients],
        "pooled": table.columns["pooled"],
        "mean": table.columns["mean"],
        "topics": table.columns["topics"],
    }
    return Table(columns).with_columns(Column("pooled", interval=(ends[0], ends[1])))


def matrix_table(judges: Judges, shares: Shares = "none") -> Table:
    """Items by grade: a row for each grade of A, a column for each grade of B.

    With `shares` a row of all, and percentages behind the counts: of the row, the column or all items.
    """
    names, matrix = [grade_text(level) for level in judges.levels.tolist()], judges.matrix
    if shares != "none":
        matrix, names_of_rows = np.vstack([matrix, matrix.sum(axis=0)]), [*names, "all"]
    else:
        names_of_rows = names
    counts = np.column_stack([matrix, matrix.sum(axis=1)])
    columns: dict[str, Sequence[Cell]] = {"A": names_of_rows}
    declared = [Column("A", align="right")]
    for place, name in enumerate([*(f"B={name}" for name in names), "all"]):
        columns[name] = counts[:, place].astype(np.int64).tolist()
        if shares != "none":
            columns[f"{name} %"] = _percentages(counts, shares)[:, place].tolist()
            declared.append(Column(f"{name} %", digits=1))
    return Table(columns).with_columns(*declared)


def _percentages(counts: Floats, shares: Shares) -> Floats:
    """(row, column): of counts whose last row and column are sums; NaN where all of a row or column are 0."""
    totals = {"row": counts[:, -1:], "column": counts[-1:], "total": counts[-1:, -1:]}[shares]
    shown: Floats = np.divide(100.0 * counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0)
    return shown


def grades_table(judges: Judges) -> Table:
    """One row for each grade: how often each assessor and both gave it, and agreement on it."""
    matrix, by_grade = judges.matrix.astype(np.int64), judges.by_grade
    return Table(
        {
            "grade": judges.levels.tolist(),
            "A": matrix.sum(axis=1).tolist(),
            "B": matrix.sum(axis=0).tolist(),
            "both": np.diagonal(matrix).tolist(),
            "specific": by_grade.specific.tolist(),
            "of_A": by_grade.of_first.tolist(),
            "of_B": by_grade.of_second.tolist(),
        }
    ).with_columns(Column("grade", digits=0 if (judges.levels % 1 == 0).all() else None))


def counts_table(judges: Judges, overlap: Overlap) -> Table:
    """Judged and relevant sets, the table of relevance, and bias, one number in a row: a count or another value."""
    relevance, bias = judges.relevance, judges.bias
    cells: dict[str, Cell] = {
        "topics": overlap.topics,
        "topics_A_only": len(overlap.first_topics),
        "topics_B_only": len(overlap.second_topics),
        "items": overlap.both,
        "judged_A_only": overlap.first_only,
        "judged_B_only": overlap.second_only,
        "judged_jaccard": overlap.jaccard,
        "relevant_both": relevance.both,
        "relevant_A_only": relevance.first_only,
        "relevant_B_only": relevance.second_only,
        "relevant_neither": relevance.neither,
        "relevant_jaccard": relevance.overlap,
        "positive_agreement": relevance.positive,
        "negative_agreement": relevance.negative,
        "precision_of_B": relevance.precision,
        "recall_of_B": relevance.recall,
        "B_higher": bias.higher,
        "B_lower": bias.lower,
        "same": bias.same,
        "sign_test_p": bias.p,
        "mean_B_minus_A": bias.mean,
    }
    return Table(
        {
            "number": list(cells),
            "count": [cell if isinstance(cell, int) else None for cell in cells.values()],
            "value": [cell if isinstance(cell, float) else None for cell in cells.values()],
        }
    )


def topics_table(judges: Judges, topics: Sequence[str]) -> Table:
    """One row for each topic: items, and every coefficient."""
    columns: dict[str, Sequence[Cell]] = {"topic": list(topics), "items": judges.items.tolist()}
    return Table({**columns, **{one.name: one.by_topic.tolist() for one in judges.coefficients}})


def runs_table(effects: Sequence[RunsByTwo], runs: Sequence[str], unjudged: np.ndarray[tuple[int, int]]) -> Table:
    """One row for each measure and run, the best under A first."""
    rows = []
    for one in effects:
        rmse = np.sqrt(((one.values[1] - one.values[0]) ** 2).mean(axis=-1))
        for run in np.argsort(one.places[0], kind="stable").tolist():
            gap, drop = one.difference[run], one.drop[run]
            row: dict[str, Cell] = {"measure": str(one.measure), "run": runs[run]}
            row |= {"A": float(one.means[0, run]), "B": float(one.means[1, run])}
            row |= {"difference": gap.value, "difference_lower": gap.lower, "difference_upper": gap.upper}
            row |= {"rmse": float(rmse[run]), "place_A": int(one.places[0, run]), "place_B": int(one.places[1, run])}
            ends = (None if np.isnan(end) else int(end) for end in (drop.lower, drop.upper))
            row |= {"drop": int(drop.value), **dict(zip(("drop_lower", "drop_upper"), ends, strict=True))}
            row |= {"unjudged_A": float(unjudged[0, run]), "unjudged_B": float(unjudged[1, run])}
            rows.append(row)
    names = list(rows[0]) if rows else []
    return Table({name: [row[name] for row in rows] for name in names})


def runs_shown(table: Table) -> Table:
    """The same for people: places as one column, the interval next to the difference."""
    cells = table.columns
    places = [f"{a} to {b}" if a != b else f"{a}" for a, b in zip(cells["place_A"], cells["place_B"], strict=True)]
    kept = ("measure", "run", "A", "B", "difference")
    lower, upper = (
        [float(cell or 0) if cell is not None else np.nan for cell in cells[f"difference_{end}"]]
        for end in ("lower", "upper")
    )
    columns: dict[str, Sequence[Cell]] = {**{name: cells[name] for name in kept}, "place": places}
    return Table(columns).with_columns(Column("difference", interval=(lower, upper)), Column("place", align="left"))


def orders_table(effects: Sequence[RunsByTwo]) -> Table:
    """One row for each measure and statistic of the two orders of runs."""
    rows = [
        (str(one.measure), name, len(one.topics), stat.value, stat.lower, stat.upper, listed(list(stat.runs)))
        for one in effects
        for name, stat in one.orders.items()
    ]
    return Table.of(("measure", "statistic", "topics", "value", "lower", "upper", "runs"), rows)


def orders_shown(effects: Sequence[RunsByTwo]) -> Table:
    """The same for people, the interval next to the value; falls and rises are in sentences."""
    every = [
        (str(one.measure), LABELS[name], stat) for one in effects for name, stat in one.orders.items() if name in LABELS
    ]
    ends = [stat.lower for _, _, stat in every], [stat.upper for _, _, stat in every]
    columns: dict[str, Sequence[Cell]] = {
        "measure": [measure for measure, _, _ in every],
        "statistic": [label for _, label, _ in every],
        "value": [stat.value for _, _, stat in every],
    }
    return Table(columns).with_columns(Column("value", interval=ends))


def pairs_table(effects: Sequence[RunsByTwo], test: str, verdicts: Sequence[Verdict]) -> Table:
    """One row for each measure: pairs of runs by what becomes of their difference."""
    rows = []
    for one, verdict in zip(effects, verdicts, strict=True):
        if one.tests is not None:
            made = one.tests
            row: dict[str, Cell] = {"measure": str(one.measure), "test": test, "pairs": len(made.pairs)}
            row |= {"Sig": made.significant, **{outcome: made.count(outcome) for outcome in OUTCOMES}}
            row |= {"lost/Sig": made.over("lost"), "gained/Sig": made.over("gained")}
            rows.append({**row, "change": made.over("lost", "gained"), "verdict": verdict.kind})
    names = ("measure", "test", "pairs", "Sig", *OUTCOMES, "lost/Sig", "gained/Sig", "change", "verdict")
    return Table({name: [row[name] for row in rows] for name in names})


def pairs_shown(table: Table) -> Table:
    """The same for people: without what sentences say, and without a column of pairs that could not be tested."""
    dull = {"lost/Sig", "gained/Sig", "test", "verdict"} | (
        {"untested"} if not any(table.columns["untested"]) else set()
    )
    names = {"Sig": "significant"}
    return Table({names.get(name, name): cells for name, cells in table.columns.items() if name not in dull})


def outcomes_table(effects: Sequence[RunsByTwo], runs: Sequence[str]) -> Table:
    """One row for each measure and pair of runs: differences and p-values under both, and what became of it."""
    tested = [(one, one.tests) for one in effects if one.tests is not None]
    pairs = [(one, made, place) for one, made in tested for place in range(len(made.pairs))]
    ratios = [made.is_ratio for _, made, _ in pairs]
    columns: dict[str, Sequence[Cell]] = {
        "measure": [str(one.measure) for one, _, _ in pairs],
        "run": [runs[made.pairs.first[place]] for _, made, place in pairs],
        "other": [runs[made.pairs.second[place]] for _, made, place in pairs],
    }
    for side, which in SIDES:
        gaps = [one.measure.of_average(made.difference) if made.is_ratio else made.difference for one, made in tested]
        columns |= gap_columns([number for of in gaps for number in of[side].tolist()], ratios, which)
    columns |= {f"p{which}": [float(made.p[side, place]) for _, made, place in pairs] for side, which in SIDES}
    return Table({**columns, "outcome": [str(made.outcomes[place]) for _, made, place in pairs]})


def sentence_of_judges(judges: Judges, overlap: Overlap, sources: tuple[str, str], confidence: float) -> str:
    """How far the two agree, and which is more lenient."""
    kappa, alpha, items = judges["kappa"], judges["alpha_ordinal"], int(judges.matrix.sum())
    kind = "items (triples of topic, sub-topic or assessor, and document)" if overlap.by_subtopic else "items"
    if len(judges.levels) == 1:
        only = f"all {items:,} {kind} have the grade {grade_text(float(judges.levels[0]))} in both"
        return f"A is {sources[0]}, B is {sources[1]}: {only}, so that agreement beyond chance is undefined."
    coefficients = ", ".join(
        f"{name} {one.pooled:.4f}" + (f" ({100 * confidence:g}% interval {one.lower:.4f} to {one.upper:.4f})")
        if np.isfinite([one.pooled, one.lower]).all()
        else f"{name} {one.pooled:.4f}"
        if np.isfinite(one.pooled)
        else f"{name} undefined"
        for name, one in (("kappa", kappa), ("ordinal alpha", alpha))
    )
    bias = judges.bias
    grades = "grade" if bias.higher == 1 else "grades"
    bias_of_b = (
        "B is more lenient" if bias.higher > bias.lower else "B is stricter" if bias.higher < bias.lower else "no bias"
    )
    return (
        f"A is {sources[0]}, B is {sources[1]}: of {items:,} {kind} judged in both, {judges['agreement'].pooled:.1%} "
        f"have the same grade; {coefficients}. {bias_of_b[0].upper()}{bias_of_b[1:]}: {bias.higher:,} {grades} higher, "
        f"{bias.lower:,} lower (sign test, {p_text(bias.p)}), {bias.mean:+.4f} in the mean, which assumes "
        "equal steps between grades."
    )


def sentence_of_sets(judges: Judges, overlap: Overlap) -> str:
    """How many judgments and relevant documents the two share."""
    relevant = judges.relevance.overlap
    level = f"grade {grade_text(judges.rel)} and above"
    kind = "triple" if overlap.by_subtopic else "document"
    judged = f"{kind} is" if overlap.first_only == 1 else f"{kind}s are"
    overlapping = (
        f"no item is relevant ({level}) in either"
        if np.isnan(relevant)
        else f"Jaccard overlap of the relevant items ({level}) {relevant:.4f}"
    )
    return (
        f"{overlap.first_only:,} {judged} judged in A only, {overlap.second_only:,} in B only (Jaccard overlap "
        f"{overlap.jaccard:.4f}); "
        f"{overlapping}."
    )


def sentence_of_runs(one: RunsByTwo, verdict: Verdict) -> str:
    """What the second judgments do to the order of runs and to significant differences."""
    orders, parts = one.orders, []
    tau = orders["tau"]
    if np.isfinite(tau.value):
        parts.append(f"tau {tau.value:.4f} between the orders of runs")
    fall = orders["max_drop"]
    parts.append(
        f"{listed(list(fall.runs))} {'falls' if len(fall.runs) == 1 else 'fall'} by {_places(fall.value)}{_range(fall)}"
        if fall.runs
        else "no run falls"
    )
    if one.tests is None:
        parts.append(f"pairs are not tested: {one.untested}")
    else:
        made = one.tests
        counts = ", ".join(f"{made.count(outcome):,} {outcome}" for outcome in ("kept", "lost", "flipped"))
        parts.append(
            f"of {made.significant:,} significant differences {counts}, and {made.count('gained'):,} gained"
            if made.significant
            else f"no difference is significant under A, {made.count('gained'):,} gained"
        )
    caution = "" if verdict.meaningful else f" {verdict}."
    return f"{one.measure}: {'; '.join(parts)}.{caution}"


def _range(stat: Statistic) -> str:
    return "" if np.isnan(stat.lower) else f" (interval {stat.lower:g} to {stat.upper:g})"


def _places(number: float) -> str:
    return f"{number:g} place{'s' * (number != 1)}"


def titled(table: Table, title: str) -> Table:
    """The same table with a title."""
    return replace(table, title=title)
