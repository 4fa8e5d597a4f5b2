"""How far measures agree on the order of runs: over all topics, topic by topic, and on their interval scales."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration, OneOf, Seed, Share, check_arguments
from rankscale.data.arrays import Floats, frozen
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.measures.base.measure import Measure
from rankscale.scales.interval import Interval
from rankscale.stats.correlation.correlations import (
    METHODS,
    ByTopic,
    Correlations,
    correlations_by_topic,
    correlations_of_means,
)
from rankscale.stats.correlation.rank_correlations import EQUIVALENT, SIMILAR, CorrelationVerdict, reading
from rankscale.studies.changes import Agreement
from rankscale.studies.discriminate import ONE_OF_EACH_KIND
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS, without_rounding
from rankscale.studies.support.selection import on_shared_topics
from rankscale.studies.support.study import Study, table_of_arrays

WEIGHS_THE_BEST = ("tau_ap", "tau_ap_mean", "weighted_tau", "rbo")  # those with the greatest values, to be precise


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Study):
    """Result of `correlate`: rows and columns of matrices are the measures of the evaluation.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the runs.
    topics : tuple of str
        Topics of the means.
    overall : Correlations
        Correlations of means, over runs.
    by_topic : ByTopic, optional
        Correlations on each topic, over runs; None if not requested.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    topics: tuple[str, ...]
    overall: Correlations
    by_topic: ByTopic | None
    notices: tuple[Notice, ...]

    def tables(self) -> Mapping[str, Table]:
        """`pairs`, `matrix`, `topics` if requested, and where interval versions are there `versions` and `scaled`."""
        overall = dict(zip(self.names, self.overall.matrix.T, strict=True))
        matrix = table_of_arrays([{"measure": self.names}], overall)
        tables = {"pairs": Table(self._columns(self._places())), "matrix": matrix}
        if self.by_topic is not None:
            tables["topics"] = self._topics(self.by_topic)
        if self._version:
            names = ("measure", "other", "value", "interval_value", "percent_change")
            scaled = Table.of(names, (one.cells for one in self.agreements()))
            tables |= {"versions": self._versions(), "scaled": scaled}
        return tables

    def shown(self) -> tuple[str, ...]:
        """Pairs; or, where each measure's interval version is there, what becomes of measures on them."""
        version = self._version
        if 2 * len(version) < len(self.names):  # other measures are there too
            return ("pairs",)
        return ("versions", "scaled") if len(version) > 1 else ("versions",)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(map(str, self.evaluation.measures))

    @property
    def _version(self) -> dict[int, int]:
        """The place of each measure whose interval version is there, and the place of that."""
        places = {name: place for place, name in enumerate(self.names)}
        versions = {
            places[str(one.interval_of)]: place
            for place, one in enumerate(self.evaluation.measures)
            if str(one.interval_of) in places
        }
        return dict(sorted(versions.items()))

    def _places(self) -> list[tuple[int, int]]:
        """Each two measures; in both directions where that makes a difference."""
        count, symmetric = len(self.names), METHODS[self.overall.method].symmetric
        return [(i, j) for i in range(count) for j in range(count) if i < j or (i != j and not symmetric)]

    def _columns(self, places: list[tuple[int, int]]) -> dict[str, list[Cell]]:
        """Columns of a table with one row for each two measures; those that the method does not give are left out."""
        overall, (first, second) = self.overall, np.transpose(places)
        columns: dict[str, list[Cell]] = {
            "measure": [self.names[i] for i, _ in places],
            "other": [self.names[j] for _, j in places],
            "value": overall.matrix[first, second].tolist(),
        }
        if overall.samples:
            columns |= {"lower": overall.lower[first, second].tolist(), "upper": overall.upper[first, second].tolist()}
        if METHODS[overall.method].with_p is not None:
            columns["p"] = overall.p[first, second].tolist()
        if overall.readings is not None:
            columns["reading"] = [self.reading(*place) for place in places]
        if self.by_topic is not None:
            columns["by_topic"] = self.by_topic.mean[first, second].tolist()
            columns["defined"] = self.by_topic.topics[first, second].tolist()
        return columns

    def reading(self, place: int, other: int) -> CorrelationVerdict:
        """Interpretation of tau between two measures; its sign is turned if low is good for one of them only."""
        measures = self.evaluation.measures
        return reading_of_tau(float(self.overall.matrix[place, other]), measures[place], measures[other])

    def _topics(self, by_topic: ByTopic) -> Table:
        """One row for each two measures and topic."""
        i, j = np.transpose(self._places())
        names = {"measure": [self.names[place] for place in i], "other": [self.names[place] for place in j]}
        return table_of_arrays([names, {"topic": self.evaluation.topics}], {"value": by_topic.by_topic[:, i, j].T})

    def _versions(self) -> Table:
        """One row for each measure: how far it agrees with its own interval version."""
        columns = self._columns(list(self._version.items()))
        columns["interval_version"] = columns.pop("other")
        return Table({name: columns[name] for name in ("measure", "interval_version", *columns)})

    def agreements(self) -> Iterator[Agreement]:
        """Agreements of each two measures that have interval versions in the evaluation."""
        version, matrix, measures = self._version, self.overall.matrix, self.evaluation.measures
        for i, j in self._places():
            if i in version and j in version:
                values = float(matrix[i, j]), float(matrix[version[i], version[j]])
                yield Agreement(measures[i], measures[j], len(self.topics), *values)

    @property
    def settings(self) -> Mapping[str, object]:
        """The coefficient, and the draws of its intervals."""
        overall = self.overall
        drawn = {"confidence": overall.confidence, "samples": overall.samples, "seed": overall.seed}
        return {"study": "correlate", "method": overall.method, **(drawn if overall.samples else {"samples": 0})}

    def sentence(self) -> str:
        """What the columns of the tables are."""
        overall = self.overall
        runs, topics = len(self.evaluation.runs), len(self.topics)
        parts = [f"value is {overall.words} between the means of {runs} runs over {topics} topics"]
        if overall.samples:
            parts.append(
                f"lower and upper its {overall.confidence:.0%} interval over {overall.samples:,} draws of topics"
            )
        if overall.readings is not None:
            parts.append(f"above {EQUIVALENT:g} read as equivalent, from {SIMILAR:g} on as similar")
        if self.by_topic is not None:
            parts.append("by topic is the mean over the topics on which it is defined")
        return "; ".join(parts) + "."


def reading_of_tau(tau: float, measure: Measure, other: Measure) -> CorrelationVerdict:
    """Interpretation of tau between two measures; its sign is turned if low is good for one of them only."""
    return reading(-tau if measure.low_is_good != other.low_is_good else tau)


def correlate(
    evaluation: Evaluation,
    method: Annotated[str, OneOf(METHODS)] = "tau_b",
    *,
    by_topic: bool = True,
    samples: Annotated[int, AtLeast(0)] = 1000,
    confidence: Share = 0.95,
    seed: Seed = 0,
) -> Correlation:
    """Correlate measures over runs, by means and topic by topic.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    method : str
        Correlation coefficient: tau_b is Kendall's, tau_ap that of Yilmaz et al. with the first measure of a pair as
        the truth (with ties the mean over their orders), tau_ap_mean the mean of both directions without tied pairs
        (tau_AP,b of Urbano and Marrero), weighted_tau weighs the top, spearman and pearson are as usual, rbo is an
        overlap.
    by_topic : bool
        Correlate topic by topic, too.
    samples : int
        Resamples of topics for intervals; 0 for none, which is far quicker with rbo and weighted_tau.
    confidence : float
        Confidence level of intervals.
    seed : int
        Random seed for resampling.

    Returns
    -------
    Correlation
        The coefficient of each pair of measures, with its interval, p-value and reading ('equivalent' above 0.9,
        'similar' from 0.8, else 'different'): the table 'pairs'. Other tables are 'matrix' and 'topics'.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take, if there are fewer than two measures or runs, or if runs have
        been evaluated over different topics (missing='skip').

    Notes
    -----
    Means are over the topics on which all measures are defined for all runs, rounded to 8 significant digits; their
    interval is that over `samples` draws of topics. Where the evaluation has measures and their interval versions,
    `AP@10` and `Interval(AP@10)`, the two are compared.

    Examples
    --------
    >>> import rankscale as rs
    >>> rankings = {"a": {"x": 2, "y": 1}, "b": {"z": 2, "x": 1}, "c": {"z": 3, "y": 2, "x": 1}}
    >>> runs = {name: {"301": ranking} for name, ranking in rankings.items()}
    >>> result = rs.correlate(rs.evaluate({"301": {"x": 1, "y": 1}}, runs, ["AP", "RR", "R@3"]), samples=0)
    >>> print(result.text(table="matrix"))
    measure      AP      RR     R@3
    AP       1.0000  0.8165  0.8165
    RR       0.8165  1.0000  0.5000
    R@3      0.8165  0.5000  1.0000

    Command line
    ------------
        rankscale correlate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75
        rankscale correlate qrels.txt runs/*.gz -m AP@10 -m RR@10 --interval
        rankscale correlate qrels.txt runs/*.gz --table matrix -o heat-map.tsv
        rankscale correlate --values values.tsv -m AP -m nDCG@10
    """
    check_arguments(correlate, locals())
    expected(evaluation, "correlate")
    if len(evaluation.runs) < 2 or len(evaluation.measures) < 2:
        raise ParameterError(
            "measures are correlated over runs: give two or more of both, got "
            f"{len(evaluation.measures)} measures and {len(evaluation.runs)} runs"
        )
    shared = on_shared_topics(evaluation)
    drawn = {"confidence": confidence, "samples": samples, "seed": seed}
    digits = tuple(one.mean_digits for one in evaluation.measures)
    overall = correlations_of_means(shared.values, method, digits=digits, **drawn)  # type: ignore[arg-type]
    topic_by_topic = correlations_by_topic(_without_rounding(evaluation), method) if by_topic else None
    notices = (*evaluation.notices, *shared.notices, *notes(_warnings(evaluation, method)), *notes(_outside(overall)))
    return Correlation(evaluation, shared.topics, overall, topic_by_topic, notices)


def with_interval_versions(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The measures, and behind them the interval version of each."""
    wanted = tuple(measures)
    if any(measure.interval_of is not None for measure in wanted):
        raise ParameterError("name the measures themselves: their interval versions are added here")
    return (*wanted, *map(Interval, wanted))


def _without_rounding(evaluation: Evaluation) -> Floats:
    """(measure, run, topic): values; those that the interval version calls equal do not differ by rounding."""
    kept = np.where(evaluation.retrieved, evaluation.values, np.nan)
    places = {str(one): place for place, one in enumerate(evaluation.measures)}
    for place, one in enumerate(evaluation.measures):
        if str(one.interval_of) in places:
            of = places[str(one.interval_of)]
            both = ~np.isnan(kept[[of, place]]).any(axis=(0, 1))
            kept[of][:, both] = without_rounding(kept[of][:, both].T, kept[place][:, both].T).T
    return frozen(kept)


def _warnings(evaluation: Evaluation, method: str) -> Iterator[str]:
    """Warnings about measures where low is good, or neither, and about scales too weak for the coefficient."""
    measures = evaluation.measures
    low = [str(one) for one in measures if one.low_is_good]
    if low and len(low) < len(measures):
        first = ", and it looks first at runs that are worst by them" if method in WEIGHS_THE_BEST else ""
        turned = "; readings turn it round" if METHODS[method].read else ""
        shows = f"agreement with measures for which high is shows as negative{first}{turned}"
        yield f"low is good for {listed(low)}: {shows}"
    for one in measures:
        if one.direction_note:
            yield f"{one}: {one.direction_note}; a correlation says how values go together, not which run is better"
    if METHODS[method].asks == "interval":
        ordinal = [str(one) for one in measures if one.scale_type(evaluation.judged_levels) == "ordinal"]
        if ordinal:
            yield f"{METHODS[method].words} asks for interval scales, and ordinal ones are those of {listed(ordinal)}"


def _outside(overall: Correlations) -> Iterator[str]:
    """A warning about values outside their own bootstrap interval, which is not centred on them."""
    every = ~np.eye(len(overall.matrix), dtype=bool)
    each = np.nonzero(np.triu(every) if METHODS[overall.method].symmetric else every)
    outside = np.count_nonzero((overall.matrix < overall.lower)[each] | (overall.matrix > overall.upper)[each])
    if outside:
        yield (
            f"{outside} of {len(each[0])} values lie outside their interval: a draw repeats topics, and over fewer "
            "different ones measures agree less"
        )


def correlate_runs(
    evaluated: Callable[[Sequence[Measure]], Evaluation],
    measures: Sequence[Measure],
    *,
    method: Annotated[str, OneOf(METHODS)] = "tau_b",
    interval: bool = False,
    by_topic: bool = True,
    confidence: Share = 0.95,
    samples: Annotated[int, AtLeast(0)] = 1000,
    seed: Seed = 0,
) -> Correlation:
    """`correlate` for runs that are still to be evaluated.

    Parameters
    ----------
    interval : bool
        Add the interval version of each measure.
    """
    evaluation = evaluated(with_interval_versions(measures) if interval else measures)
    return correlate(evaluation, method, by_topic=by_topic, samples=samples, confidence=confidence, seed=seed)


COMMAND = Declaration(
    correlate_runs,
    python=correlate,
    source="evaluation",
    measures=ONE_OF_EACH_KIND,
    measures_with={"interval": WITH_INTERVAL_VERSIONS},
    shared=("collections", "values", "top", "missing", "judging", "reading"),
    tables=("pairs", "matrix", "topics", "versions", "scaled"),
    tables_with={"topics": "by_topic", "versions": "interval", "scaled": "interval"},
)
