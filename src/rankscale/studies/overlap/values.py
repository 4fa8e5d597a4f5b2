"""Values of a run and of its reproduction compared, and effects over a baseline: what is computed, and its tables."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import place_of
from rankscale.data.table import Cell, Column, Table, is_empty
from rankscale.errors import ParameterError
from rankscale.evaluation.result import HOLDER, Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.stats.margin import Margin, limits, shown_margin
from rankscale.stats.reproduction import ReproducedDifference, delta_ri, effect_ratio, nrmse, paired, rmse, unpaired

SAME, OTHER = "same collection", "other collection"


@dataclass(frozen=True)
class ValueRule:
    """How values are compared."""

    alpha: float
    margin: Margin | None
    welch: bool
    baseline: str | None
    reproduced_baseline: str | None


@dataclass(frozen=True)
class ValuePair:
    """An original and a reproduced run by one measure."""

    measure: Measure
    collection: str  # 'same collection' or 'other collection'
    original: str
    reproduced: str
    topics: tuple[int, int]  # of either; the same number on the same collection
    undefined: int  # topics left out, since a value is undefined
    means: tuple[float, float]
    rmse: float  # NaN on another collection
    nrmse: float  # and for measures that are not from 0 to 1
    test: str
    difference: ReproducedDifference  # of the values that are averaged: logarithms for geometric means
    margin: Margin | None

    @property
    def smallest_margin(self) -> float:
        """The smallest margin within which the means are shown to be alike; of geometric means as a share."""
        if not self.measure.compared_by_ratio:
            return self.difference.smallest_margin
        lower, upper = self.difference.bounds
        return max(-math.expm1(lower), math.expm1(upper))

    @property
    def margin_value(self) -> float:
        """The margin given, in values of the measure, or the share of a ratio; NaN without one."""
        return math.nan if self.margin is None else shown_margin(self.measure, self.margin, self.means[0])


@dataclass(frozen=True)
class Effect:
    """The effect of an advanced run over its baseline, in the original and in the reproduction."""

    measure: Measure
    collection: str
    baseline: str
    advanced: str
    reproduced_baseline: str
    reproduced: str
    er: float  # effect ratio
    delta_ri: float


def value_pairs(original: Evaluation, other: Evaluation | None, rule: ValueRule) -> Iterator[ValuePair]:
    """Originals and reproductions by each measure; without a baseline each two runs, or each with each of the other."""
    names = _names(original, other, rule)
    for measure in original.measures:
        values, again = _values(original, measure), _values(other or original, measure)
        for first, second in names:
            yield _value_pair(measure, first, second, values[first], again[second], rule, same=other is None)


def _names(original: Evaluation, other: Evaluation | None, rule: ValueRule) -> list[tuple[str, str]]:
    """Names of originals and reproductions that are compared."""
    if rule.baseline is None:
        if other is None:
            return list(combinations(original.runs, 2))
        return list(product(original.runs, other.runs))
    roles = _roles(original, other, rule)
    bases = [(roles.baseline, roles.reproduced_baseline)]
    is_same = other is None and roles.baseline == roles.reproduced_baseline
    return [*([] if is_same else bases), *((roles.advanced, name) for name in roles.reproduced)]


@dataclass(frozen=True)
class _Roles:
    """Names of the runs whose effects are compared."""

    baseline: str
    advanced: str
    reproduced_baseline: str
    reproduced: tuple[str, ...]


def _roles(original: Evaluation, other: Evaluation | None, rule: ValueRule) -> _Roles:
    """Who is what: the first run that is no baseline is the advanced one, those after it reproduce it."""
    baseline = original.runs[place_of(original.runs, str(rule.baseline), "run", HOLDER)]
    again = other or original
    base_again = again.runs[place_of(again.runs, rule.reproduced_baseline or baseline, "run", HOLDER)]
    advanced = _without(original.runs, baseline, None if other else base_again)
    reproduced = _without(other.runs, base_again) if other else advanced[1:]
    if not advanced or not reproduced:
        raise ParameterError(
            f"effects over the baseline {baseline} need an advanced run and, after it, its reproduction: there "
            f"{'is the advanced run alone' if advanced else 'is no other run'}"
        )
    return _Roles(baseline, advanced[0], base_again, reproduced)


def effects(original: Evaluation, other: Evaluation | None, rule: ValueRule) -> Iterator[Effect]:
    """Effects of the advanced run over the baseline and of their reproductions, where a baseline is named."""
    if rule.baseline is None:
        return
    roles = _roles(original, other, rule)
    for measure in original.measures:
        first, second = _values(original, measure), _values(other or original, measure)
        x = first[roles.baseline], first[roles.advanced]
        for name in roles.reproduced:
            y = second[roles.reproduced_baseline], second[name]
            kept = [_defined(*x, *y)] * 2 if other is None else [_defined(*x), _defined(*y)]
            four = [measure.averaged(one[both]) for side, both in zip((x, y), kept, strict=True) for one in side]
            yield Effect(
                measure,
                SAME if other is None else OTHER,
                roles.baseline,
                roles.advanced,
                roles.reproduced_baseline,
                name,
                effect_ratio(*four),
                delta_ri(*(_mean(measure, one) for one in four)),
            )


def _value_pair(
    measure: Measure, first: str, second: str, x: Floats, y: Floats, rule: ValueRule, *, same: bool
) -> ValuePair:
    """Two runs by one measure, over topics that are paired on the same collection."""
    kept = [_defined(x, y)] * 2 if same else [_defined(x), _defined(y)]
    x, y = x[kept[0]], y[kept[1]]
    averaged = measure.averaged(x), measure.averaged(y)
    within = (None, None) if rule.margin is None else limits(measure, rule.margin)
    undefined = sum(int(np.count_nonzero(~one)) for one in (kept[:1] if same else kept))
    bounded = same and measure.limits[0] >= 0 and measure.limits[1] <= 1
    return ValuePair(
        measure=measure,
        collection=SAME if same else OTHER,
        original=first,
        reproduced=second,
        topics=(len(x), len(y)),
        undefined=undefined,
        means=(_mean(measure, averaged[0]), _mean(measure, averaged[1])),
        rmse=rmse(x, y) if same else np.nan,
        nrmse=nrmse(x, y) if bounded else np.nan,
        test="Student's paired t" if same else "Welch's t" if rule.welch else "Student's unpaired t",
        difference=paired(*averaged, rule.alpha, *within)
        if same
        else unpaired(*averaged, rule.alpha, *within, welch=rule.welch),
        margin=rule.margin,
    )


def _values(evaluation: Evaluation, measure: Measure) -> dict[str, Floats]:
    """(topic,) values by run; NaN where a topic does not count."""
    one = evaluation[measure]
    kept = np.where(one.retrieved, one.values[0], np.nan)
    return dict(zip(one.runs, kept, strict=True))


def _defined(*values: Floats) -> Bools:
    defined: Bools = np.count_nonzero(np.isnan(np.stack(values)), axis=0) == 0
    return defined


def _mean(measure: Measure, averaged: Floats) -> float:
    """What sums up values that are averaged; a mean where topics are added up, since their numbers may differ."""
    return float(measure.of_average(np.array(np.mean(averaged)))) if len(averaged) else math.nan


def _without(names: Sequence[str], *left_out: str | None) -> tuple[str, ...]:
    return tuple(name for name in names if name not in left_out)


VALUES = (
    *("measure", "collection", "original", "reproduced", "topics", "undefined", "original_mean", "reproduced_mean"),
    *("RMSE", "nRMSE", "test", "p", "smallest_margin", "margin", "p_equivalence"),
)
EFFECTS = (
    *("measure", "collection", "baseline", "advanced", "reproduced_baseline", "reproduced_advanced"),
    *("ER", "delta_RI"),
)


def values_table(values: Sequence[ValuePair]) -> Table:
    """One row for each measure and pair of an original and a reproduced run.

    People see it without what sentences say, and without columns that are empty or the same in all rows.
    """
    table = Table.of(VALUES, map(_value_row, values))
    dull = {"collection", "test", "margin"}
    dull |= {name for name in ("undefined",) if not any(table.columns[name])}
    dull |= {name for name in ("RMSE", "nRMSE", "p_equivalence") if all(map(is_empty, table.columns[name]))}
    if len({(one.original, one.reproduced) for one in values}) > 1:
        return table.without(*dull)
    names = ("original", "reproduced")  # of the two runs, by which their means are called
    means = (Column(f"{name}_mean", label=name) for name in names)
    title = f"Values of {values[0].original} (original) and {values[0].reproduced} (reproduced)"
    return replace(table.without(*dull, *names).with_columns(*means), title=title)


def effects_table(effects: Sequence[Effect]) -> Table:
    """One row for each measure and reproduced run; for people, names of runs that are the same are in the title."""
    table = Table.of(EFFECTS, map(_effect_row, effects))
    names = ("baseline", "advanced", "reproduced_baseline", "reproduced_advanced")
    if len({tuple(row[name] for name in names) for row in table}) > 1:
        return table.without("collection")
    first = effects[0]
    original, again = f"{first.advanced} over {first.baseline}", f"{first.reproduced} over {first.reproduced_baseline}"
    title = f"Effect of {original} (original) and of {again} (reproduced)"
    return replace(table.without("collection", *names), title=title)


def _value_row(pair: ValuePair) -> tuple[Cell, ...]:
    first, second = pair.topics
    topics = str(first) if first == second else f"{first} and {second}"
    what = str(pair.measure), pair.collection, pair.original, pair.reproduced, topics, pair.undefined, *pair.means
    of = pair.difference
    return (*what, pair.rmse, pair.nrmse, pair.test, of.p, pair.smallest_margin, pair.margin_value, of.p_equivalence)


def _effect_row(effect: Effect) -> tuple[Cell, ...]:
    runs = effect.baseline, effect.advanced, effect.reproduced_baseline, effect.reproduced
    return str(effect.measure), effect.collection, *runs, effect.er, effect.delta_ri
