"""Tables and sentences of comparisons within groups of topics."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.names import listed
from rankscale.data.table import Cell, Column, Table
from rankscale.stats.comparison_tables import gap_columns
from rankscale.stats.corrections import WHOSE, letters
from rankscale.stats.resampling.groups import MACRO, MICRO
from rankscale.stats.tests.base.test import p_text

if TYPE_CHECKING:
    from rankscale.studies.topic_groups import TopicGroups


Family = Literal["all", "group"]
FAMILIES: Mapping[Family, str] = {"all": "over all pairs in all groups", "group": "within each group"}
ColumnCells = dict[str, Sequence[Cell]]
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
    names, runs, groups = about.measure_names, about.evaluation.runs, about.groups
    sizes = about.members.sum(axis=1).tolist()
    each = [(m, g, r) for m in range(len(names)) for g in range(len(groups)) for r in range(len(runs))]
    return Table(
        {
            "measure": [names[m] for m, _, _ in each],
            "group": [groups[g] for _, g, _ in each],
            "run": [runs[r] for _, _, r in each],
            "topics": [sizes[g] for _, g, _ in each],
            "mean": about.means.ravel().tolist(),
            "sd": about.deviations.ravel().tolist(),
            "letters" if about.baseline is None else "mark": [
                mark for m in range(len(names)) for g in range(len(groups)) for mark in marks(about, m, g)
            ],
        }
    )


def overall_table(about: "TopicGroups") -> Table:
    """Micro and macro means of each run."""
    names, runs = about.measure_names, about.evaluation.runs
    return Table(
        {
            "measure": [name for name in names for _ in runs],
            "run": [*runs] * len(names),
            "micro": about.micro.ravel().tolist(),
            "macro": about.macro.ravel().tolist(),
        }
    )


def pairs_table(about: "TopicGroups") -> Table:
    """One row for each measure, group and pair of runs, with intervals and effect sizes where there was a test."""
    runs, (measures, groups, pairs) = about.evaluation.runs, about.difference.shape
    alone = "" if about.correction == "none" else "_uncorrected"
    columns: ColumnCells = {
        "measure": [name for name in about.measure_names for _ in range(groups * pairs)],
        "group": [name for name in about.groups[:groups] for _ in range(pairs)] * measures,
        "run": [runs[row] for row in about.runs_compared.first.tolist()] * measures * groups,
        "other": [runs[row] for row in about.runs_compared.second.tolist()] * measures * groups,
    }
    ratios = [one.compared_by_ratio and about.test.in_values for one in about.evaluation.measures]
    columns |= gap_columns(
        [number for m, of in enumerate(about.difference) for number in _gaps(about, m, of).ravel().tolist()],
        [ratio for ratio in ratios for _ in range(groups * pairs)],
    )
    if (ends := _ends(about)) is not None:
        columns |= {f"lower{alone}": ends["lower"], f"upper{alone}": ends["upper"]}
    columns |= {
        "p_uncorrected": about.p_uncorrected.ravel().tolist(),
        "p": about.p.ravel().tolist(),
        "significant": about.significant.astype(int).ravel().tolist(),
    }
    sizes = about.members.sum(axis=1).tolist()
    columns["topics"] = [
        count
        for of_measure in about.outcomes
        for g, one in enumerate(of_measure)
        for count in ([sizes[g]] * pairs if one is None else one.topics.tolist())
    ]
    return Table({**columns, **_effects(about)})


def _ends(about: "TopicGroups") -> Mapping[str, Sequence[float]] | None:
    """Intervals of differences; None where the test has none."""
    return (
        None
        if not any(one and one.lower is not None for of in about.outcomes for one in of)
        else {
            name: _listed(
                about,
                [
                    [None if one is None else _gaps(about, m, getattr(one, name)) for one in of]
                    for m, of in enumerate(about.outcomes)
                ],
            )
            for name in ("lower", "upper")
        }
    )


def _gaps(about: "TopicGroups", m: int, differences: Floats) -> Floats:
    """Differences by a measure as they are shown: ratios of geometric means."""
    return about.evaluation.measures[m].of_average(differences) if about.test.in_values else differences


def _effects(about: "TopicGroups") -> ColumnCells:
    """Effect sizes by name."""
    names = dict.fromkeys(name for of in about.outcomes for one in of if one is not None for name in one.effects)
    return {
        name: _listed(about, [[None if one is None else one.effects.get(name) for one in of] for of in about.outcomes])
        for name in names
    }


def _listed(about: "TopicGroups", numbers: Sequence[Sequence[object]]) -> list[float]:
    """A column of (measure, group, pair); NaN where there was no test."""
    nothing = [np.nan] * len(about.runs_compared)
    return [
        float(cell)
        for of_measure in numbers
        for of_group in of_measure
        for cell in (of_group.tolist() if isinstance(of_group, np.ndarray) else nothing)
    ]


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
    columns: ColumnCells = {
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
