"""Measures compared with their interval versions: means of runs, and how far the orders of runs agree.

How far a measure is from an interval scale shows in the order of runs: Kendall's tau-b between the means of the measure
and the means of its interval version. On each topic by itself the two agree, ranks following values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Unpack

import numpy as np

from rankscale.data.arguments import Declaration, OneOf, check_arguments
from rankscale.data.arrays import FINE_DIGITS, Bools, Floats, Ints, significant
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics, check_missing, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all, parse_at
from rankscale.scales.interval import FORMS, Floor, Interval, floor_effect
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.stats.tests.base.test import all_pairs
from rankscale.studies.support.selection import BothScales, beside_intervals
from rankscale.studies.support.study import ArrayOfCells, Study, table_of_arrays


@dataclass(frozen=True)
class Against:
    """How far a measure and another order runs alike."""

    measure: Measure
    other: Measure
    tau: float  # between the means, over runs
    by_topic: Floats  # (topic,): tau between the values; NaN where either is the same for all runs, or undefined
    both: Bools  # (topic,): where both are defined for all runs

    @property
    def counted(self) -> int:
        """Over how many topics means are."""
        return int(np.count_nonzero(self.both))

    @property
    def defined(self) -> int:
        """On how many topics tau is defined."""
        return int(np.count_nonzero(~np.isnan(self.by_topic)))

    @property
    def tau_by_topic(self) -> float:
        """The mean over topics of tau on each of them."""
        defined = self.by_topic[~np.isnan(self.by_topic)]
        return float(defined.mean()) if len(defined) else float("nan")


def names_of(against: str | Measure | Iterable[str | Measure]) -> tuple[str | Measure, ...]:
    """The measures named, each once; one text may name several, with commas between them.

    >>> names_of("SBTO,RBTO(gains=[0,1,1])")
    ('SBTO', 'RBTO(gains=[0,1,1])')
    """
    given = [against] if isinstance(against, str | Measure) else list(against)
    return tuple(dict.fromkeys(part for one in given for part in (_split(one) if isinstance(one, str) else [one])))


def _split(text: str) -> list[str]:
    """The parts of a text between commas that stand outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def taus_against(
    measures: Sequence[Measure], others: Sequence[str | Measure], values: Callable[[Sequence[Measure]], Evaluation]
) -> tuple[Against, ...]:
    """Tau of each measure against each other one, which is read at the measure's depth unless it has one of its own.

    `values` evaluates measures.
    """
    pairs = [(measure, _at_depth_of(measure, other)) for measure in measures for other in others]
    if not pairs:
        return ()
    evaluation = values(list(dict.fromkeys(one for pair in pairs for one in pair)))
    if len(evaluation.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    kept = np.where(evaluation.retrieved, evaluation.values, np.nan)
    of = {measure: kept[place] for place, measure in enumerate(evaluation.measures)}
    return tuple(_against(measure, of[measure], other, of[other]) for measure, other in pairs)


def _at_depth_of(measure: Measure, other: str | Measure) -> Measure:
    try:
        return parse_at(other, measure.depth)
    except ParameterError as error:
        if measure.depth is None and measure.takes_depth:
            raise ParameterError(*error.args, f"; or compare {measure}@10, which has one") from None
        raise


def _against(measure: Measure, values: Floats, other: Measure, others: Floats) -> Against:
    """Values are (run, topic)."""
    both: Bools = np.count_nonzero(np.isnan(values) | np.isnan(others), axis=0) == 0
    by_topic = np.full(values.shape[-1], np.nan)
    x, y = _high_is_good(measure, values[:, both]), _high_is_good(other, others[:, both])
    by_topic[both] = tau_b(significant(x, FINE_DIGITS).T, significant(y, FINE_DIGITS).T)
    tau = float(tau_b(_rounded(measure, x), _rounded(other, y)))
    return Against(measure, other, tau, by_topic, both)


def _high_is_good(measure: Measure, values: Floats) -> Floats:
    return -values if measure.low_is_good else values


def _rounded(measure: Measure, values: Floats) -> Floats:
    """(run,): means without the digits that are only rounding errors."""
    return measure.comparable(measure.summarise(values))


ROUNDING = 1e-12  # by which equal values can differ, relative to them: sums of the same terms in another order


@dataclass(frozen=True)
class ResolutionLoss:
    """Loss of resolution: distinct values of the measure that share a double on its interval scale, topic by topic."""

    values: int
    doubles: int


@dataclass(frozen=True)
class MeasurePair(Against):
    """A measure and its interval version, over the topics where both are defined."""

    other: Interval
    means: Floats  # (run,) of the measure
    interval_means: Floats  # (run,) of its interval version
    floor: Floor | None
    reversed: int  # pairs of runs whose means are in the opposite order on the interval version
    shared: ResolutionLoss = ResolutionLoss(0, 0)

    @property
    def interval(self) -> Interval:
        """The interval version."""
        return self.other


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Study):
    """Result of `intervals`: measures with their interval versions.

    Attributes
    ----------
    evaluation : Evaluation
        Values of all measures, those of interval versions after the others.
    pairs : tuple of Pair
        Each measure with its interval version.
    against : tuple of Against
        Tau of each measure against each of the measures named by `against`, such as total orders.
    options : dict
        Options of the scales.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    pairs: tuple[MeasurePair, ...]
    options: Mapping[str, object]
    notices: tuple[Notice, ...]
    against: tuple[Against, ...] = ()

    @property
    def settings(self) -> dict[str, object]:
        """The options of the interval versions."""
        return {"study": "intervals", **self.options}

    def tables(self) -> dict[str, Table]:
        """By measure: tau and what bears on it; tau by topic; the means of runs on either scale; tau against others."""
        against = {"against": self._against()} if self.against else {}
        return {"measures": self._by_measure(), **against, "topics": self._by_topic(), "values": self._values()}

    def shown(self) -> tuple[str, ...]:
        """Names of the tables of tau and of means."""
        return "measures", *(["against"] if self.against else []), "values"

    def _against(self) -> Table:
        """One row for each measure and each that it is compared with: tau between means, and by topic."""
        rows = (
            (str(one.measure), str(one.other), one.tau, one.counted, one.tau_by_topic, one.defined)
            for one in self.against
        )
        return Table.of(("measure", "against", "tau", "topics", "tau_by_topic", "defined"), rows)

    def _by_measure(self) -> Table:
        """One row for each measure: tau between means, pairs reversed, tau by topic, the floor effect."""
        return Table(
            {
                "measure": [str(pair.measure) for pair in self.pairs],
                "tau": [pair.tau for pair in self.pairs],
                "reversed": [pair.reversed for pair in self.pairs],
                "topics": [pair.counted for pair in self.pairs],
                "tau_by_topic": [pair.tau_by_topic for pair in self.pairs],
                "defined": [pair.defined for pair in self.pairs],
                "share_below_0.01": [pair.floor.share if pair.floor else None for pair in self.pairs],
                "share_of_best_topic": [pair.floor.leverage if pair.floor else None for pair in self.pairs],
            }
        )

    def _by_topic(self) -> Table:
        """One row for each measure and topic that has values on both scales; without tau where they do not vary."""
        measures, topics = {"measure": [str(pair.measure) for pair in self.pairs]}, {"topic": self.evaluation.topics}
        tau, both = (np.array([getattr(pair, name) for pair in self.pairs]) for name in ("by_topic", "both"))
        return table_of_arrays([measures, topics], {"tau": tau}, chosen=both)

    def _values(self) -> Table:
        """One row for each run: the mean of each measure, then that of its interval version."""
        columns: dict[str, ArrayOfCells] = {}
        for pair in self.pairs:
            columns |= {str(pair.measure): pair.means, str(pair.interval): pair.interval_means}
        return table_of_arrays([{"run": self.evaluation.runs}], columns)


def intervals(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    form: Annotated[str, OneOf(FORMS)] = "normalised",
    universe: str | None = None,
    method: str = "auto",
    deduplicate: str = "exact",
    against: str | Sequence[str | Measure] = (),
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Intervals:
    """Compare measures with their interval versions.

    Shown are values by both, Kendall's tau between the orders of runs, and how many pairs of runs have their means in
    the opposite order on the interval version (reversed). A tau below 1 between means says that the measure's own
    spacing decides about runs. On each topic tau is 1, since ranks follow values. `against` adds tau with total orders
    of rankings, which are interval scales from the start: SBTO, of the set of documents, and RBTO, rank by rank.

    Parameters
    ----------
    qrels, runs, measures, missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.
    form : {'normalised', 'rank', 'log10', 'mid', 'min', 'max'}
        Normalised ranks from 0 to 1, or ranks themselves. No interval scales: logarithms of ranks, and mean, lowest or
        highest ranks of ties among all rankings, as in published tables.
    universe, method, deduplicate
        As in `Interval`: the rankings that the scale is over, how ranks are counted, how values of AP are told apart.
    against : str or several, default none
        Measures that each is compared with at its own depth, such as the total orders SBTO,RBTO.

    Returns
    -------
    Intervals
        Means and values by both versions, and tau over runs and topics.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take; if `against` names a total order, and a measure has no depth.

    Notes
    -----
    A measure that has no scale is left out, with a warning that says why.

    Command line
    ------------
        rankscale intervals qrels.txt runs/*.gz -m 'DCG(base=2)@30' -m AP@30
        rankscale intervals qrels.txt runs/*.gz -m P@10 --ranks mid
        rankscale intervals qrels.txt runs/*.gz -m P@10 -m AP@10 --against SBTO,RBTO
        rankscale intervals qrels.txt runs/*.gz -m nDCG@10 --table topics -o tau.tsv
    """
    check_arguments(intervals, locals())
    check_missing(missing, compared=True)
    chosen = {"form": form, "universe": universe, "method": method, "deduplicate": deduplicate}
    others = names_of(against)
    judgments = read_qrels(qrels, max_size=options.get("max_size"))
    given = read_with_progress(judgments, runs, reading_of(options), progress)
    compared = taus_against(
        parse_all(measures),
        others,
        lambda wanted: evaluate(judgments, given, wanted, missing=missing, progress=progress, **options),
    )
    result = beside_intervals(
        judgments,
        given,
        measures,
        lambda measure: Interval(measure, **chosen),  # type: ignore[arg-type]  # which it checks
        missing=missing,
        progress=progress,
        options=options,
    )
    named = {"against": tuple(map(str, others))} if others else {}
    pairs = tuple(map(_pair, result.both_scales()))
    notices = (*result.notices, *notes(_lost(pairs), "resolution"))
    return Intervals(result.evaluation, pairs, {**chosen, **named}, notices, compared)


def _lost(pairs: Iterable[MeasurePair]) -> Iterator[str]:
    for pair in pairs:
        if pair.shared.values:
            yield (
                f"{pair.interval}: {pair.shared.values:,} distinct values of {pair.measure} fall into "
                f"{pair.shared.doubles:,} double{'s' * (pair.shared.doubles > 1)}, as ranks are closer than numbers "
                "can be; tau by topic keeps the order of the measure there"
            )


def _pair(both: BothScales) -> MeasurePair:
    topics = both.defined
    means, interval_means = both.means(topics)
    by_topic = np.full(len(topics), np.nan)
    scaled = both.scaled[:, topics]
    by_value, by_rank, shared = in_one_order(both.values[:, topics].T, scaled.T)
    by_topic[topics] = tau_b(by_value.astype(np.float64), by_rank.astype(np.float64))
    return MeasurePair(
        measure=both.measure,
        other=both.interval,
        tau=float(tau_b(*both.rounded_means(topics))),
        by_topic=by_topic,
        means=means,
        interval_means=interval_means,
        both=topics,
        floor=floor_effect(scaled) if both.interval.form == "normalised" else None,
        reversed=int(np.count_nonzero(both.reversals(topics, all_pairs(len(means))))),
        shared=shared,
    )


def in_one_order(values: Floats, scaled: Floats) -> tuple[Ints, Ints, ResolutionLoss]:
    """(topic, run) twice: places by the measure and by its interval version, where each breaks ties of the other.

    Values that differ by rounding errors are in the order of ranks, which are exact; values whose ranks fall into one
    double are in their own order. What is left to disagree on is a difference that both scales show.
    """
    by_value, by_rank, shared = np.empty(values.shape, np.int64), np.empty(values.shape, np.int64), []
    for topic, (own, ranks) in enumerate(zip(values, scaled, strict=True)):
        distinct = _apart(own)
        by_value[topic] = _places(distinct, ranks)
        by_rank[topic] = _places(ranks, distinct)
        held = np.unique(np.stack([ranks, distinct]), axis=1)  # the distinct values in each double
        _, numbers = np.unique(held[0], return_counts=True)
        shared += numbers[numbers > 1].tolist()
    return by_value, by_rank, ResolutionLoss(sum(shared), len(shared))


def _apart(values: Floats) -> Ints:
    """(run,): the place of each value among the distinct ones; those that differ by rounding errors are one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    with np.errstate(invalid="ignore"):
        same = (np.diff(ordered) <= ROUNDING * np.abs(ordered[1:])) | (ordered[1:] == ordered[:-1])
    places = np.empty(len(values), dtype=np.int64)
    places[order] = np.concatenate([[0], np.cumsum(~same)])
    return places


def _places(first: Floats | Ints, then: Floats | Ints) -> Ints:
    """(run,): places in the order of one number, ties broken by another; equal where both are."""
    places: Ints = np.unique(np.stack([first, then]), axis=1, return_inverse=True)[1].ravel()
    return places


def without_rounding(values: Floats, scaled: Floats) -> Floats:
    """(topic, run): values, equal where they have the same rank and differ by rounding errors only."""
    order = np.lexsort((values, scaled), axis=-1)
    ordered, ranks = (np.take_along_axis(side, order, axis=-1) for side in (values, scaled))
    with np.errstate(invalid="ignore"):  # infinite values are the same already
        close = np.abs(np.diff(ordered)) <= ROUNDING * np.abs(ordered[:, 1:])
    opens = np.ones(values.shape, dtype=bool)
    opens[:, 1:] = (np.diff(ranks) != 0) | ~close
    opener = np.maximum.accumulate(np.where(opens, np.arange(values.shape[-1]), 0), axis=-1)
    equal = np.empty_like(values)
    np.put_along_axis(equal, order, np.take_along_axis(ordered, opener, axis=-1), axis=-1)
    return equal


# Measures that have an interval version at a depth where counting is quick.
WITH_INTERVAL_VERSIONS = ("nDCG@10", "P@10", "RR@10", "RBP(p=0.8)@10", "DCG(base=2)@10", "AP@10")

COMMAND = Declaration(
    intervals,
    source="runs",
    flags={"form": "--ranks"},
    measures=WITH_INTERVAL_VERSIONS,
    shared=("collections", "missing", "scaling", "judging", "reading", "executing"),
    tables=("measures", "against", "topics", "values"),
    tables_with={"against": "against"},
)
