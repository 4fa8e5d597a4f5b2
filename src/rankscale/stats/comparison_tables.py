"""A comparison in tables and sentences: pairs, runs with their groups, all runs together, and what a scale supports."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.names import counted_topics
from rankscale.data.table import Cell, Column, Table, readable
from rankscale.errors import Spelling, in_python
from rankscale.evaluation.options import SHARES
from rankscale.stats.corrections import WHOSE, harmonic_number
from rankscale.stats.resampling.medians import LOWER_MEDIAN, coverage_note
from rankscale.stats.resampling.order_statistics import compare_medians, hodges_lehmann, median, quantile, sign_interval
from rankscale.stats.tests.base.test import Omnibus, Resampling, Test
from rankscale.stats.verdicts import MEDIAN, SUMMARIES, verdict

if TYPE_CHECKING:
    from rankscale.stats.comparison import Comparison

ColumnCells = dict[str, Sequence[Cell]]
OMNIBUS = "omnibus_"  # before the names of columns of the statistic of all runs together
# Columns of pairs that people read first.
DECIDING = ("run", "other", "difference", "ratio", "p", "family", "significant")


def sentence(about: "Comparison", spelling: Spelling = in_python, *, by_order: bool = True) -> str:
    """How many pairs differ, by which test, and whether the test is meaningful on the scale of the measure.

    `by_order` adds what the order of values alone supports: medians and quantiles.
    """
    number, of = int(about.significant.sum()), len(about.pairs)
    how = "" if about.correction == "none" else f", {WHOSE[about.correction]} correction"
    tested = f"{about.test.label}{how}, alpha {about.alpha:g}, {counted_topics(about.results.topics)}"
    parts = [
        f"{number:,} of {of:,} pairs differ significantly ({tested})",
        *([] if about.omnibus is None else [f"all runs together: {about.omnibus.text}"]),
        *([] if about.equivalence is None else [about.equivalence.sentence()]),
        str(about.verdict),
        *(_by_order(about, spelling) if by_order else ()),
        *too_few_samples(about.test, about.correction, of, about.alpha),
    ]
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


def _by_order(about: "Comparison", spelling: Spelling) -> Iterator[str]:
    """What the order of values alone supports: medians and quantiles."""
    of_pairs = f"{len(about.pairs):,} pairs"
    crossings = about.dominances.count("cross") if about.sums is None else 0  # sums do not know quantiles
    if about.summarised_by != "mean":
        mixing = verdict(about.measure, MEDIAN, about.levels)
        if not mixing.meaningful:
            yield str(mixing)
        relations = [
            compare_medians(about.medians[one], about.medians[other])
            for one, other in zip(about.pairs.first.tolist(), about.pairs.second.tolist(), strict=True)
        ]
        apart = sum(relation in {"above", "below"} for relation in relations)
        yield f"in {apart:,} of {of_pairs} one median is above the other"
        yield f"in {len(about.pairs) - crossings:,} one run is at least as high at every quantile"
    elif about.is_ordinal:
        of_means = verdict(about.measure, SUMMARIES[about.measure.summary], about.levels)
        if about.verdict.meaningful:  # the test needs only an order, the means in the table need more
            yield str(of_means)
        yield of_means.way_out(spelling)
        if crossings:
            which = f"the quantiles of {crossings:,} of {of_pairs} cross"
            yield f"{which}: some map that keeps the order of values reverses the order of their means"


def too_few_samples(test: Test, correction: str, pairs: int, alpha: float) -> Iterator[str]:
    """A warning if even the smallest p-value of a resampling test would not be significant once corrected."""
    if not isinstance(test, Resampling) or correction == "none":
        return
    # If all pairs have the smallest p-value, 'bh' leaves it as it is and 'by' multiplies it by the harmonic number;
    # the other corrections multiply it by the number of pairs.
    factors = {"bh": 1.0, "by": harmonic_number(pairs)}
    needed = int(factors.get(correction, pairs) / alpha + 1e-9)  # 49, not 48.999
    if test.samples < needed:
        yield (
            f"{test.samples:,} samples are too few for {pairs:,} pairs: no corrected p-value can be below {alpha:g}; "
            f"take {needed:,} or more, a baseline, or correction='bh' or 'none'"
        )


def pairs_table(about: "Comparison", *, simultaneous: bool = False) -> Table:
    """One row for each pair; where p-values are corrected, `_uncorrected` marks those of a pair by itself.

    With `simultaneous` the intervals hold for all pairs at once, and are called `lower` and `upper`.
    """
    result, alone = about.results, "" if about.correction == "none" else "_uncorrected"
    names = np.array(about.runs, dtype=object)
    columns: ColumnCells = {
        "measure": [str(about.measure)] * len(about.pairs),
        "test": [about.test.name] * len(about.pairs),
        "run": names[about.pairs.first].tolist(),
        "other": names[about.pairs.second].tolist(),
        about.gap: about.shown(result.difference).tolist(),
    }
    if simultaneous:
        columns |= _ends(about, about.simultaneous_intervals())
        columns |= _ends(about, about.selected_intervals(), "_selected")
    else:
        columns |= _ends(about, result.ends, alone)
    columns |= {f"p{alone}": result.p.tolist(), "p": about.p.tolist(), "family": [about.family] * len(about.pairs)}
    columns["significant"] = about.significant.astype(int).tolist()
    columns |= {name: effect.tolist() for name, effect in result.effects.items()}
    columns["topics"] = result.topics.tolist()
    if about.omnibus is not None:
        cells = {"name": about.omnibus.name, "statistic": about.omnibus.statistic, **_freedom_and_p(about.omnibus)}
        columns |= {f"{OMNIBUS}{name}": [cell] * len(about.pairs) for name, cell in cells.items()}
    if about.equivalence is not None:
        equal = about.equivalence
        columns |= {"margin": equal.margins.tolist(), "equivalence_p": equal.p.tolist()}
        columns["equivalent"] = equal.equivalent.astype(int).tolist()
    if about.summarised_by != "mean":
        columns |= _medians_of_pairs(about)
    if about.sums is None and (about.is_ordinal or about.summarised_by != "mean"):
        columns["dominance"] = [*about.dominances]
    return Table(columns, about.provenance, important=DECIDING)


def _ends(about: "Comparison", ends: tuple[Floats, Floats] | None, which: str = "") -> ColumnCells:
    """(pair,) each: the ends of intervals as they are shown; no column where there are none."""
    if ends is None:
        return {}
    lower, upper = (about.shown(end).tolist() for end in ends)
    return {f"lower{which}": lower, f"upper{which}": upper}


def gap_columns(numbers: Sequence[float], ratios: Sequence[bool], suffix: str = "") -> ColumnCells:
    """Columns `difference` and `ratio` of rows of several measures: a row has a number in one of the two.

    >>> gap_columns([0.1, 0.8], [False, True])
    {'difference': [0.1, None], 'ratio': [None, 0.8]}
    >>> gap_columns([0.1], [False], "_A")
    {'difference_A': [0.1]}
    """
    both = list(zip(numbers, ratios, strict=True))
    columns: ColumnCells = (
        {} if all(ratios) and ratios else {f"difference{suffix}": [None if r else n for n, r in both]}
    )
    return columns | ({f"ratio{suffix}": [n if r else None for n, r in both]} if any(ratios) else {})


def _medians_of_pairs(about: "Comparison") -> ColumnCells:
    """Medians of both runs, how they stand to each other and, on an interval scale, the Hodges-Lehmann difference."""
    values = [about.of_pair(place) for place in range(len(about.pairs))]
    both = [(median(first), median(second)) for first, second in values]
    columns: ColumnCells = {
        f"{whose}median_{end}": [medians[run][place] for medians in both]
        for run, whose in enumerate(("", "other_"))
        for place, end in enumerate(("lower", "upper"))
    }
    columns["medians"] = [compare_medians(first, second) for first, second in both]
    if not about.is_ordinal:
        estimates = [hodges_lehmann(first - second, about.confidence) for first, second in values]
        columns |= {
            "hodges_lehmann": [one.estimate for one in estimates],
            "hodges_lehmann_lower": [one.lower for one in estimates],
            "hodges_lehmann_upper": [one.upper for one in estimates],
            "hodges_lehmann_coverage": [one.coverage for one in estimates],
            "hodges_lehmann_exact": [int(one.exact) for one in estimates],
        }
    return columns


def runs_table(about: "Comparison") -> Table:
    """One row for each run: its mean, median or quantiles, and letters or what the baseline says."""
    columns: ColumnCells = {"run": list(about.runs), **{one.name: one.cells or () for one in _summaries(about)}}
    if about.baseline is None:
        return Table({**columns, "groups": about.marks()}, about.provenance)
    baselines = about.baselines or (about.baseline,)
    for number, baseline in enumerate(baselines, 1):
        place, which = about.runs.index(baseline), f"_{number}" if len(baselines) > 1 else ""
        differences, of = np.full(len(about.runs), np.nan), about.pairs.second == place
        differences[about.pairs.first[of]] = about.shown(about.results.difference[of])
        columns |= {f"{about.gap}{which}": differences.tolist(), f"p{which}": about.matrix[place].tolist()}
    columns["family"] = [about.family] * len(about.runs)
    return Table({**columns, "mark": about.marks()}, about.provenance)


def _summaries(about: "Comparison") -> list[Column]:
    """What sums up each run, in the order of the comparison's runs: its mean, its median or a column for each quantile.

    Lower medians have the upper ones and sign-test intervals beside them; of quantiles that of the lower median, by
    which runs are in order, has the marks.
    """
    name, marks, column = str(about.measure), about.marks(), partial(Column, align="left", plain=True)
    if about.summarised_by == "mean":
        best = frozenset(np.flatnonzero(about.means == about.means[0]).tolist())
        return [column(name, cells=about.means.tolist(), marks=marks, best=best)]
    digits = 0 if about.measure.summary == "sum" else None  # single values are counts
    values = [one[~np.isnan(one)] for one in about.all_values.T]
    if about.summarised_by == "quantiles":
        return [
            column(
                f"{name} {share:g}",
                cells=[quantile(one, share) for one in values],
                digits=digits,
                marks=marks if share == 0.5 else None,
            )
            for share in SHARES
        ]
    lower, upper = map(list, zip(*about.medians, strict=True))
    intervals = [sign_interval(one, about.confidence) for one in values]
    ends = [one.lower for one in intervals], [one.upper for one in intervals]
    best = frozenset(place for place, one in enumerate(about.medians) if one == about.medians[0])
    return [column(name, cells=lower, digits=digits, until=upper, interval=ends, marks=marks, best=best)]


def _freedom_and_p(omnibus: Omnibus) -> dict[str, Cell]:
    """Degrees of freedom and p-value of the statistic of all runs together."""
    return {**dict(zip(("df", "df_error"), omnibus.df, strict=False)), "p": omnibus.p}


def omnibus_table(comparisons: Sequence["Comparison"]) -> Table:
    """One row for each comparison by a test of all runs together: its statistic, degrees of freedom and p-value."""
    rows: list[dict[str, Cell]] = []
    for one in comparisons:
        if one.omnibus is not None:
            sizes = {name.replace(" ", "_").replace("'", ""): size for name, size in one.omnibus.effects.items()}
            start = {"measure": str(one.measure), "test": one.test.name, "statistic": one.omnibus.name}
            rows.append({**start, "value": one.omnibus.statistic, **_freedom_and_p(one.omnibus), **sizes})
    return replace(Table.from_rows(rows), provenance=_provenance(comparisons))


def _provenance(comparisons: Sequence["Comparison"]) -> dict[str, object]:
    return {"comparisons": [one.provenance for one in comparisons]}


def pair_rows(comparisons: Sequence["Comparison"], *, omnibus: bool = True, simultaneous: bool = False) -> Table:
    """The pairs of several comparisons below each other, each row with its measure and test.

    Without `omnibus` the statistics of all runs together are left out: people see them once, elsewhere.
    """
    tables = [one.rows(simultaneous=simultaneous) for one in comparisons]
    columns = {
        name: [cell for table in tables for cell in table.columns.get(name, [None] * len(table))]
        for name in dict.fromkeys(name for table in tables for name in table.columns)
        if omnibus or not name.startswith(OMNIBUS)
    }
    return Table(columns, _provenance(comparisons), important=DECIDING)


def marked(comparisons: Sequence["Comparison"], spelling: Spelling = in_python) -> Table:
    """Means, medians or quantiles of the same runs by several measures or tests, with marks and sentences."""
    runs = comparisons[0].runs
    several = len({one.test.name for one in comparisons}) > 1
    view = [Column("run", align="left")]
    for one in comparisons:
        in_order = Table({"run": one.runs}, view=_summaries(one), rows=[one.runs.index(run) for run in runs]).shown()
        view += [
            replace(column, name=f"{column.name}, {one.test.name}" if several else column.name) for column in in_order
        ]
    first = {str(one.measure): one for one in reversed(comparisons)}  # of each measure: medians are those of all tests
    notes = [
        f"{one.measure}: {sentence(one, spelling, by_order=one is first[str(one.measure)])}" for one in comparisons
    ]
    columns: ColumnCells = {"run": list(runs), **{column.name: column.cells or () for column in view[1:]}}
    return Table(columns, _provenance(comparisons), notes=(*notes, *_reading(comparisons)), view=view)


def _reading(comparisons: Sequence["Comparison"]) -> tuple[str, ...]:
    """How medians or quantiles are read, once below the table."""
    about = comparisons[0]
    if len(about.baselines) > 1:
        numbered = ", ".join(f"{number} {readable(name)}" for number, name in enumerate(about.baselines, 1))
        return (f"A number marks a run that differs significantly from that baseline: {numbered}.",)
    if about.summarised_by == "mean":
        return ()
    if about.summarised_by == "quantiles":
        return (f"{LOWER_MEDIAN}, by which runs are in order.",)
    counted = np.concatenate([one.counted for one in comparisons])
    coverage = np.array([sign_interval(np.zeros(count), about.confidence).coverage for count in counted.tolist()])
    even = "Medians are from the lower to the upper one where the number of topics is even."
    return (f"{even} {coverage_note(coverage, counted, about.confidence)}",)
