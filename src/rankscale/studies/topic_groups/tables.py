"""Tables and sentences of comparisons within groups of topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.names import listed
from rankscale.data.table import Cell, Column, Table
from rankscale.stats.comparison_tables import gap_columns
from rankscale.stats.corrections import WHOSE, letters
from rankscale.stats.resampling.groups import MACRO, MICRO
from rankscale.stats.tests.base.test import PairResults, p_text
from rankscale.studies.support.study import ArrayOfCells, names_of_pairs, table_of_arrays

if TYPE_CHECKING:
    from rankscale.studies.topic_groups import TopicGroups


Family = Literal["all", "group"]
FAMILIES: Mapping[Family, str] = {"all": "over all pairs in all groups", "group": "within each group"}
GroupOutcomes = Sequence[Sequence[PairResults | None]]  # [measure][group]; None where topics are too few
MOST_GROUPS = 12  # that a sentence goes through one by one


def marks(about: "TopicGroups", m: int, g: int) -> list[str]:
    """For each run its letters within a group or, with a baseline, a star if it differs from that.

    Nothing for a group that was not tested. The first letter is that of the best runs of the group.
    """
    runs, tested = about.evaluation.runs, about.difference.shape[1]
    if g >= tested or np.isnan(about.p[m, g]).all():
        return [""] * len(runs)
    differ = np.zeros((len(runs),) * 2, dtype=bool)
    differ[about.runs_compared.first, about.runs_compared.second] = about.significant[m, g]
    differ |= differ.T
    if about.baseline is not None:
        place = runs.index(about.baseline)
        stars = ["*" if one else "" for one in differ[place].tolist()]
        return ["baseline" if row == place else star for row, star in enumerate(stars)]
    low = about.evaluation.measures[m].low_is_good
    order = np.argsort(about.means[m, g] if low else -about.means[m, g], kind="stable")
    made = letters(differ[np.ix_(order, order)])
    return [made[place] for place in np.argsort(order).tolist()]


def groups_table(about: "TopicGroups") -> Table:
    """One row for each measure, group and run."""
    measures, groups = range(len(about.measure_names)), range(len(about.groups))
    columns: dict[str, ArrayOfCells] = {
        "topics": about.members.sum(axis=1)[:, None],
        "mean": about.means,
        "sd": about.deviations,
        "letters" if about.baseline is None else "mark": [[marks(about, m, g) for g in groups] for m in measures],
    }
    axes = [{"measure": about.measure_names}, {"group": about.groups}, {"run": about.evaluation.runs}]
    return table_of_arrays(axes, columns)


def overall_table(about: "TopicGroups") -> Table:
    """Micro and macro means of each run."""
    axes = [{"measure": about.measure_names}, {"run": about.evaluation.runs}]
    return table_of_arrays(axes, {"micro": about.micro, "macro": about.macro})


def pairs_table(about: "TopicGroups") -> Table:
    """One row for each measure, group and pair of runs, with intervals and effect sizes where there was a test."""
    (_, groups, pairs), tested = about.difference.shape, [one for of in about.outcomes for one in of if one]
    alone = "" if about.correction == "none" else "_uncorrected"
    ratios = [one.compared_by_ratio and about.test.in_values for one in about.evaluation.measures]
    gaps = gap_columns(_shown(about, about.difference).ravel().tolist(), np.repeat(ratios, groups * pairs).tolist())
    columns: dict[str, ArrayOfCells] = {
        name: np.array(cells).reshape(about.difference.shape) for name, cells in gaps.items()
    }
    if any(one.lower is not None for one in tested):
        ends = {end: of_outcomes(about.outcomes, pairs, attrgetter(end)) for end in ("lower", "upper")}
        columns |= {f"{name}{alone}": _shown(about, end) for name, end in ends.items()}
    columns |= {"p_uncorrected": about.p_uncorrected, "p": about.p, "significant": about.significant.astype(int)}
    sizes = np.broadcast_to(about.members.sum(axis=1)[:groups, None], (groups, pairs))
    columns["topics"] = [[sizes[g] if one is None else one.topics for g, one in enumerate(of)] for of in about.outcomes]
    for name in dict.fromkeys(name for one in tested for name in one.effects):
        columns[name] = of_outcomes(about.outcomes, pairs, lambda one: one.effects.get(name))  # noqa: B023  # called here
    of_pairs = names_of_pairs(about.evaluation.runs, about.runs_compared)
    return table_of_arrays([{"measure": about.measure_names}, {"group": about.groups[:groups]}, of_pairs], columns)


def _shown(about: "TopicGroups", differences: Floats) -> Floats:
    """Differences, (measure, ...), as they are shown: ratios of geometric means."""
    if not about.test.in_values:
        return differences
    return np.stack([one.of_average(of) for one, of in zip(about.evaluation.measures, differences, strict=True)])


def of_outcomes(outcomes: GroupOutcomes, pairs: int, what: Callable[[PairResults], Floats | None]) -> Floats:
    """(measure, group, pair): what a test gives; NaN where there was no test, or it does not give that."""
    numbers = np.full((len(outcomes), len(outcomes[0]), pairs), np.nan)
    for m, g in np.ndindex(numbers.shape[:2]):
        outcome = outcomes[m][g]
        of_pairs = None if outcome is None else what(outcome)
        if of_pairs is not None:
            numbers[m, g] = of_pairs
    return numbers


def interaction_table(about: "TopicGroups") -> Table:
    """One row for each measure whose interaction could be tested."""
    there = [(name, one) for name, one in zip(about.measure_names, about.interactions, strict=True) if one is not None]
    rows = [(name, one.f, *one.df, one.p, one.between, one.error) for name, one in there]
    return Table.of(("measure", "F", "df", "df_error", "p", "SS", "SS_error"), rows)


def marked_groups(studies: "Sequence[TopicGroups]") -> Table:
    """Means of runs by group, each measure or test in a column with letters or stars, and sentences below."""
    first = studies[0]
    runs, rows = first.evaluation.runs, (*first.groups, MICRO, MACRO)
    sizes = first.members.sum(axis=1).tolist()
    grouped = sum(sizes[: first.difference.shape[1]])
    columns: dict[str, Sequence[Cell]] = {
        "group": [name for name in rows for _ in runs],
        "run": [*runs] * len(rows),
        "topics": [size for size in (*sizes, grouped, grouped) for _ in runs],
    }
    view = [Column("group", align="left"), Column("run", align="left"), Column("topics", plain=True)]
    for about in studies:
        for m, name in enumerate(about.measure_names):
            column = f"{name}, {about.test.name}" if len({one.test.name for one in studies}) > 1 else name
            columns[column] = [*about.means[m].ravel().tolist(), *about.micro[m].tolist(), *about.macro[m].tolist()]
            view.append(_marked(about, m, column))
    sentences = [sentence for about in studies for sentence in about.sentences(verdicts=True)]
    return Table(columns, {}, notes=(*sentences, *first.grouping_notes), view=view)


def _marked(about: "TopicGroups", m: int, name: str) -> Column:
    """Marks of each row, and the best run of each group."""
    of_groups = [mark for g in range(len(about.groups)) for mark in marks(about, m, g)]
    measure = about.evaluation.measures[m]
    column = Column(name, align="left", plain=True, marks=[*of_groups, *[""] * (2 * len(about.evaluation.runs))])
    if measure.direction_note:
        return column
    sign = -1.0 if measure.low_is_good else 1.0
    values = sign * np.vstack([about.means[m], about.micro[m], about.macro[m]])
    best = np.nanmax(values, axis=1, initial=-np.inf, keepdims=True)
    return replace(column, best=frozenset(np.flatnonzero((values == best).ravel()).tolist()))


def group_sentence(about: "TopicGroups", m: int, *, with_verdict: bool) -> str:
    """How many pairs differ in each group, how that was tested, the verdict if requested, and the interaction."""
    tested = np.count_nonzero(~np.isnan(about.p[m]), axis=1).tolist()
    counts = [
        f"{about.groups[g]} {int(about.significant[m, g].sum()):,} of {of:,}" if of else f"{about.groups[g]} not tested"
        for g, of in enumerate(tested)
    ]
    how = "" if about.correction == "none" else f", {WHOSE[about.correction]} correction {FAMILIES[about.family]}"
    shown = listed(counts) if len(counts) > MOST_GROUPS else ", ".join(counts)
    parts = [
        f"pairs that differ significantly ({about.test.label}{how}, alpha {about.alpha:g}): {shown}",
        *([str(about.verdicts[m])] if with_verdict else []),
        interaction_sentence(about, m),
    ]
    return f"{about.measure_names[m]}: {'. '.join(parts)}."


def interaction_sentence(about: "TopicGroups", m: int) -> str:
    """Whether differences of runs depend on the group, without a full stop."""
    test = about.interactions[m]
    if test is None:
        return "The interaction of runs and groups needs two groups, two runs and more topics than groups"
    if np.isnan(test.f):
        return "The interaction of runs and groups is undefined: all differences are the same on every topic"
    how = f"interaction F({test.df[0]}, {test.df[1]}) = {test.f:.4g}, {p_text(test.p, about.alpha)}"
    if test.p < about.alpha:
        return f"Differences of runs depend on the group ({how})"
    return f"No evidence that differences of runs depend on the group ({how})"
