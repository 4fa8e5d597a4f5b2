"""Each two runs: by the documents they rank, and by the values of a run and of its reproduction, with effects."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from rankscale.data.arguments import DrawCount
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.names import place_of
from rankscale.data.table import Cell, Column, Table, is_empty
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.result import HOLDER, Evaluation
from rankscale.inputs.rankings import Lists, TopicRankings, in_byte_order
from rankscale.measures.base.measure import Measure
from rankscale.stats.correlation.list_overlap import ManyPairs, TopicTable, Union, ktu_by_name
from rankscale.stats.margin import Margin, limits, shown_margin
from rankscale.stats.reproduction import ReproducedDifference, delta_ri, effect_ratio, nrmse, paired, rmse, unpaired
from rankscale.stats.resampling.draws import FEWEST_TOPICS, counts_of, drawn_topics, mean, mean_interval

COEFFICIENTS = ("overlap", "jaccard", "RBO", "tau", "tau_ap", "tau_union", "KTU")
BOUNDS = ("RBO_lower", "RBO_upper")
Progress = Callable[[int, int], None]
AT_ONCE = 1 << 20  # means of draws that are held at once
PLAIN: Mapping[str, Callable[[ManyPairs], Floats]] = {
    "overlap": ManyPairs.overlap,
    "jaccard": ManyPairs.jaccard,
    "tau": ManyPairs.tau,
    "tau_ap": ManyPairs.tau_ap,
    "tau_union": ManyPairs.tau_union,
    "KTU": ManyPairs.ktu,
}


@dataclass(frozen=True)
class ListRule:
    """How two rankings of a topic are compared."""

    coefficients: tuple[str, ...]
    depth: int
    p: float
    norm: str  # 'extrapolated', or 'depth' as repro_eval has it
    union: Union

    @classmethod
    def of(cls, coefficients: str | Sequence[str] | None, depth: int, p: float, norm: str, union: Union) -> "ListRule":
        """The rule, checked."""
        if not 0 < p < 1:
            raise ParameterError(f"p of RBO must lie strictly between 0 and 1, got {p}")
        by_name = {name.casefold(): name for name in COEFFICIENTS}
        given = [coefficients] if isinstance(coefficients, str) else list(coefficients or COEFFICIENTS)
        for name in given:
            if str(name).casefold() not in by_name:
                raise UnknownNameError("coefficient", name, COEFFICIENTS, f"there are {', '.join(COEFFICIENTS)}")
        chosen = {by_name[name.casefold()] for name in given}
        return cls(tuple(name for name in COEFFICIENTS if name in chosen), depth, p, norm, union)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the values, as tables have them: RBO comes with its bounds, and another union says so."""
        named: list[str] = []
        for name in self.coefficients:
            named.append(f"{name}({self.union})" if name == "KTU" and self.union != "first" else name)
            named += BOUNDS if name == "RBO" and self.norm == "extrapolated" else ()
        return tuple(named)

    def values(self, pairs: ManyPairs) -> Iterator[Floats]:
        """(pair,) for each of `columns`, but for KTU by name, which is left out (NaN)."""
        for name in self.coefficients:
            if name == "RBO" and self.norm == "extrapolated":
                yield from pairs.rbo(self.p)
            elif name == "RBO":
                yield pairs.rbo_to_depth(self.p, self.depth)
            elif name == "KTU" and self.union != "first":
                yield np.full(len(pairs.first), np.nan)
            else:
                yield PLAIN[name](pairs)


@dataclass(frozen=True, eq=False)
class ListPair:
    """Two runs by the documents they rank."""

    first: str
    second: str
    topics: tuple[str, ...]  # that both have
    left_out: int  # topics that one of the two has alone
    values: Floats  # (column, topic); NaN where undefined
    means: Floats  # (column,)
    intervals: tuple[tuple[float, float], ...]  # of the means, by column

    @property
    def defined(self) -> list[int]:
        """(column,): topics on which each is defined."""
        return [int(number) for number in np.count_nonzero(~np.isnan(self.values), axis=1)]


def list_pairs(
    lists: Lists,
    rule: ListRule,
    *,
    confidence: float,
    draws: DrawCount,
    seed: int,
    progress: Progress | None = None,
) -> tuple[ListPair, ...]:
    """Every two runs, in the order of the runs; raise ParameterError where no two have a topic in common."""
    pairs = np.array(list(combinations(range(len(lists.runs)), 2)))
    values = np.full((len(pairs), len(rule.columns), len(lists.by_topic)), np.nan)
    has = np.zeros((len(lists.runs), len(lists.by_topic)), dtype=bool)
    for topic, (name, of) in enumerate(lists.by_topic.items()):
        has[[run for run, _, _ in of.retrieved], topic] = True
        _compare(rule, name, of, pairs, values[:, :, topic])
        if progress:
            progress(topic + 1, len(lists.by_topic))
    both = has[pairs[:, 0]] & has[pairs[:, 1]]
    if not both.any():
        raise ParameterError(
            f"no two of the {len(lists.runs)} runs have a topic in common: are they of one collection?"
        )
    ends = _intervals(values, both, confidence, draws, seed)
    names = np.array(lists.topics)
    either = np.count_nonzero(has[pairs[:, 0]] | has[pairs[:, 1]], axis=1)
    return tuple(
        ListPair(
            lists.runs[i],
            lists.runs[j],
            tuple(names[there].tolist()),
            int(either[place] - np.count_nonzero(there)),
            (of_pair := values[place][:, there]),
            mean(of_pair),
            tuple(map(tuple, ends[place].tolist())),
        )
        for place, ((i, j), there) in enumerate(zip(pairs.tolist(), both, strict=True))
    )


def _compare(rule: ListRule, topic: str, of: TopicRankings, pairs: Ints, values: Floats) -> None:
    """Fill in the values (pair, column) of a topic, for those pairs whose runs both have it."""
    place = np.full(int(pairs.max()) + 1, -1)
    place[[run for run, _, _ in of.retrieved]] = np.arange(len(of.retrieved))
    here = np.flatnonzero((place[pairs] >= 0).all(axis=1))
    first, second = place[pairs[here]].T
    rankings = [numbers for _, numbers, _ in of.retrieved]
    table = TopicTable.of(rankings, len(of.numbers), rule.depth)
    for part, some in table.pairs(first, second):
        values[here[part]] = np.transpose(list(rule.values(some)))
    if "KTU" in rule.coefficients and rule.union != "first":
        by_name, column = _places_by_name(of), rule.columns.index(f"KTU({rule.union})")
        for row, a, b in zip(here.tolist(), first.tolist(), second.tolist(), strict=True):
            cut = rankings[a][: rule.depth], rankings[b][: rule.depth]
            try:
                values[row, column] = ktu_by_name(*cut, by_name)
            except ParameterError as error:
                error.args = (f"topic {topic}: ", *error.args)
                raise


def _intervals(values: Floats, both: Ints, confidence: float, draws: DrawCount, seed: int) -> Floats:
    """(pair, column, end): percentiles of means over draws of the topics that both runs have.

    Pairs of as many topics share their draws; those that are defined on all of them are done together.
    """
    ends = np.full((*values.shape[:2], 2), np.nan)
    number = np.count_nonzero(both, axis=1)
    for topics in np.unique(number[number > 0]).tolist():
        drawn = drawn_topics(topics, draws, seed)
        counts = counts_of(drawn) / topics
        places = np.flatnonzero(number == topics)
        size = max(1, AT_ONCE // (len(counts) * values.shape[1]))
        for start in range(0, len(places), size):
            some = places[start : start + size]
            of = np.stack([values[pair][:, both[pair]] for pair in some])  # (pair, column, topic)
            whole = ~np.isnan(of).any(axis=2)
            if topics >= FEWEST_TOPICS:
                means = of[whole] @ counts.T
                shares = (1 - confidence) / 2, (1 + confidence) / 2
                ends[some[np.nonzero(whole)[0]], np.nonzero(whole)[1]] = np.quantile(means, shares, axis=1).T
            for pair, column in np.argwhere(~whole).tolist():
                ends[some[pair], column] = mean_interval(of[pair, column], drawn, confidence)
    return ends


def _places_by_name(of: TopicRankings) -> Ints:
    """(document,): its place in byte order of names."""
    places = np.empty(len(of.numbers), dtype=np.int64)
    places[[of.numbers[name] for name in in_byte_order(of.numbers)]] = np.arange(len(of.numbers))
    return places


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
