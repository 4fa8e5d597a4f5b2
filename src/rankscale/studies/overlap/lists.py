"""Each two runs by the documents they rank: coefficients topic by topic, their means and intervals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankscale.data.arguments import DrawCount
from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.inputs.rankings import Lists, TopicRankings, in_byte_order
from rankscale.stats.correlation.list_overlap import ManyPairs, TopicTable, Union, ktu_by_name
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
