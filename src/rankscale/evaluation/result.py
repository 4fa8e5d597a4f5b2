"""Evaluation: all values by measure, run and topic; Means: one number for each run and measure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from rankscale import __version__
from rankscale.data.arguments import DRAWS, DrawCount, Seed, check_arguments
from rankscale.data.arrays import Bools, ComparedByValue, Floats, Ints, frozen
from rankscale.data.names import MISSING_TOPICS, listed, place_of
from rankscale.data.notices import Notice, Noticed, notes
from rankscale.data.table import Table
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.options import (
    BOUNDS,
    SHARES,
    TIES,
    TIES_ERROR,
    ConfidenceShown,
    IntervalMethod,
    Missing,
    Summary,
)
from rankscale.evaluation.tables import dots_of_means, means_table, topics_table, values_table, with_sparklines
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse
from rankscale.outputs.results import TabularResult

if TYPE_CHECKING:  # imported where they are used: most evaluations show means alone
    from rankscale.outputs.results import Page
    from rankscale.stats.resampling.confidence import Confidence
    from rankscale.stats.resampling.group_means import GroupMeans
    from rankscale.stats.resampling.medians import Medians, Quantiles

TABLES = ("values", "means", "medians", "quantiles")
SHOWN: dict[Summary, str] = {"mean": "means", "median": "medians", "quantiles": "quantiles"}  # tables of summaries
HOLDER = "this evaluation has"  # before the names that there are
AXES = ("measures", "runs", "topics")  # of values
SHARED = ("measures", "runs", "signature", "sources", "notices", "topics_rule", "levels")


@dataclass(frozen=True, eq=False)
class Evaluation(ComparedByValue, Noticed, TabularResult):
    """All values by measure, run and topic, with what is needed to get them again.

    Attributes
    ----------
    measures
        `Measure` objects, in the order of the values; `str(measure)` is the name.
    runs, topics
        Names, in the order of the values.
    values
        (measure, run, topic); NaN where undefined or missing.
    lower, upper
        (measure, run, topic): bounds from unjudged documents, with `bounds=True`.
    ties_lower, ties_upper
        (measure, run, topic): lowest and highest value over the orders of tied documents, with `ties='range'`.
    ties_error
        (measure, run, topic): standard errors of means over seeded orders of tied documents, with `ties='expected'`; 0
        where the mean is exact, and None where all are.
    retrieved
        (run, topic): whether the topic is in the means of the run; `topics_rule` is the rule, as in `missing=`.
    present
        (run, topic): whether the run has a ranking for the topic; None where all have, or where that is not known.
    present_known
        Whether it is known which topics runs have; it is not of values that were read and do not say so.
    sources
        Files or names of the qrels and of the runs, as they were given.
    levels
        Grades of the qrels, ascending.
    summary
        What tables show of each run: 'mean', 'median' or 'quantiles'.
    confidence
        What tables show besides means: intervals and places, as `with_confidence` sets it.
    signature
        The options that the values depend on, in one line.
    notices
        What a reader of the values should know, as data.
    warnings
        The notices in sentences.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 2.0, "b": 1.0}}
    >>> evaluation = rs.evaluate(qrels, {"bm25": run}, ["AP", "P@1"])
    >>> evaluation.by_topic("bm25", "AP")
    {'1': 1.0, '2': 0.5}
    >>> evaluation["P@1"].means()["bm25", "P@1"]
    0.5
    """

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # (measure, run, topic); NaN where undefined or missing
    retrieved: Bools  # (run, topic): whether the topic counts for the run
    signature: str = ""
    sources: tuple[str, ...] = ()  # of the qrels, then of each run
    notices: tuple[Notice, ...] = ()
    topics_rule: Missing = "zero"  # how topics that a run lacks are counted
    summary: Summary = "mean"  # how the topics of a run are summed up where people are shown one number
    levels: tuple[float, ...] = ()  # the grades of the collection, ascending
    confidence: "Confidence | None" = None  # what is shown besides means
    present: Bools | None = None  # (run, topic): whether the run has the topic; None where all have, or not known
    present_known: bool = True
    mean_name: str = "all"  # the topic of rows that sum up a run, in tables with rows of topics
    # (measure, run, topic) each, where requested; NaN where a measure has none
    lower: Floats | None = None  # the value if all unjudged documents were at their worst
    upper: Floats | None = None  # and at their best
    ties_lower: Floats | None = None  # the value if all tied documents stood in their worst order
    ties_upper: Floats | None = None  # and in their best
    ties_error: Floats | None = None  # the standard error where orders of tied documents were drawn, 0 elsewhere

    @cached_property
    def _summaries(self) -> tuple[Floats, Ints]:
        """(measure, run): the one number of each run, and over how many topics it is."""
        counted = np.count_nonzero(~np.isnan(np.where(self.retrieved, self.values, np.nan)), axis=-1)
        return self._summarised(self.values), counted

    def _summarised(self, values: Floats, *, errors: bool = False) -> Floats:
        """(measure, run): one number for all topics, or its standard error."""
        kept = np.where(self.retrieved, values, np.nan)
        means = [
            measure.summarise_errors(one) if errors else measure.summarise(one)
            for measure, one in zip(self.measures, kept, strict=True)
        ]
        return np.array(means).reshape(kept.shape[:2])

    def extra_means(self) -> dict[str, Floats]:
        """(measure, run): the extra columns summed up over topics; NaN where a measure has none of this kind."""
        return {
            name: np.where(np.isnan(values).all(axis=-1), np.nan, self._summarised(values, errors=name == TIES_ERROR))
            for name, values in self.extra_columns.items()
        } | self.sureness

    @cached_property
    def sureness(self) -> dict[str, Floats]:
        """(measure, run): intervals of means and places of runs, by name, where they are requested."""
        return {} if self.confidence is None else self.confidence.columns(self)

    def places_tables(self) -> list[Table]:
        """For people: places of the runs by each measure, where they are requested."""
        return [] if self.confidence is None else self.confidence.tables(self)

    def with_confidence(
        self,
        level: float = 0.95,
        *,
        method: IntervalMethod = "percentile",
        draws: DrawCount = DRAWS,
        seed: Seed = 0,
        shown: ConfidenceShown = "means",
    ) -> Self:
        """The same evaluation, whose tables have the interval of each mean, the places of runs, or both.

        Each interval is over the topics of its mean; places are over topics on which all runs have a value.

        Parameters
        ----------
        level : float
            Confidence level of intervals.
        method : {'percentile', 'bca', 'student'}
            Intervals of means: percentiles of draws of topics, these corrected for bias and skewness, or Student's t.
        draws : int or 'all'
            How often topics are drawn; 'all' takes all draws, of up to 6 topics.
        seed : int
            Random seed.
        shown : {'means', 'places', 'both'}
            Intervals of means (`mean_lower`, `mean_upper`), places of runs (`place`, `place_lower`, `place_upper`,
            `place_expected`, `share_first`), or both.

        Returns
        -------
        Evaluation

        Raises
        ------
        ParameterError
            If a setting is out of range, or the evaluation shows medians or quantiles.

        Examples
        --------
        >>> import rankscale as rs
        >>> x = {str(topic): {"AP": value} for topic, value in enumerate([0.12, 0.25, 0.31, 0.48, 0.90])}
        >>> print(rs.read_values({"bm25": x}).with_confidence(draws="all").means())  # doctest: +ELLIPSIS
        run   topics                       AP
        bm25       5  0.4120 [0.2100, 0.6640]
        <BLANKLINE>
        In brackets: 95% interval of each mean (percentiles of all draws of topics), not corrected ...
        """
        check_arguments(Evaluation.with_confidence, locals())
        from rankscale.stats.resampling.confidence import Confidence

        if self.summary != "mean":
            raise ParameterError(
                f"intervals are those of means, and the evaluation has summary={self.summary!r}; medians() and "
                "quantiles() have intervals of their own"
            )
        return replace(self, confidence=Confidence(level, method, draws, seed, shown))

    @property
    def judged_levels(self) -> tuple[float, ...]:
        """The grades that are judgments: all but negative ones."""
        return tuple(level for level in self.levels if level >= 0)

    @property
    def extra_columns(self) -> dict[str, Floats]:
        """(measure, run, topic): bounds, tie ranges and errors of means over ties, by name, where there are any."""
        names = (*BOUNDS, *TIES, TIES_ERROR)
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def best_means(self) -> Floats:
        """(measure,): the best mean of each measure; NaN for measures where neither high nor low is better."""
        sign = np.array([np.nan if one.direction_note else -1.0 if one.low_is_good else 1.0 for one in self.measures])
        best: Floats = sign * np.nanmax(self._summaries[0] * sign[:, None], axis=1, initial=-np.inf)
        return np.where(np.isfinite(best), best, np.nan)

    def means(self, *, sparklines: bool = False) -> "Means":
        """Means over topics: `means()[run, measure]` is a number, `means()[run]` a dict; printed as a table of runs.

        With `sparklines`, the values of each run by topic stand beside its means as a row of blocks.
        """
        return Means(self, sparklines=sparklines)

    def medians(self, confidence: float = 0.95) -> "Medians":
        """Lower and upper median of each run and measure, with the sign-test interval: for ordinal measures, too."""
        check_arguments(Evaluation.medians, locals())
        from rankscale.stats.resampling.medians import Medians

        return Medians(self, confidence)

    def quantiles(
        self, shares: Sequence[float] = SHARES, confidence: float = 0.95, *, interpolated: bool = False
    ) -> "Quantiles":
        """Quantiles of each run and measure that are observed values (type 1), with exact bootstrap intervals.

        `interpolated` gives type 7, between two values in proportion, and raises ParameterError for ordinal measures.
        """
        check_arguments(Evaluation.quantiles, locals())
        from rankscale.stats.resampling.medians import Quantiles

        return Quantiles(self, shares, confidence, interpolated=interpolated)

    def by_group(self, groups: object, column: str | None = None) -> "GroupMeans":
        """Means of each run by group of topics, over topics (micro) and over groups (macro).

        Parameters
        ----------
        groups : path, mapping or data frame
            A file of lines with topic and group, or a table with a header (csv, tsv, JSON Lines); `{topic: group}`; a
            data frame. Topics without a group are shown as '(none)', and are in neither of the overall means.
        column : str, optional
            Column of the table that holds the groups.

        Raises
        ------
        FormatError, DuplicateError
            If the groups cannot be read, or a topic is in two of them.
        ParameterError
            If no topic has a group, or the evaluation shows medians or quantiles.

        >>> import rankscale as rs
        >>> values = rs.read_values({"bm25": {"301": {"AP": 0.25}, "302": {"AP": 0.75}, "303": {"AP": 0.5}}})
        >>> values.by_group({"301": "short", "302": "long", "303": "long"})["bm25", "long", "AP"]
        0.625
        """
        check_arguments(Evaluation.by_group, locals())
        from rankscale.stats.resampling.group_means import GroupMeans

        return GroupMeans(self, groups, column)

    def by_topic(self, run: str, measure: AnyMeasure) -> dict[str, float]:
        """`{topic: value}` of one run, for the topics that count for it."""
        row, column = place_of(self.runs, run, "run", HOLDER), self._measure(measure)
        kept = np.flatnonzero(self.retrieved[row]).tolist()
        return {self.topics[t]: float(self.values[column, row, t]) for t in kept}

    def __getitem__(self, measures: AnyMeasure | list[AnyMeasure]) -> Self:
        """The same evaluation with one measure, or with those of a list."""
        several = measures if isinstance(measures, list) else [measures]
        return self._taken("measures", [self._measure(measure) for measure in several])

    def _taken(self, axis: str, places: Sequence[int], **about: Any) -> Self:  # noqa: ANN401  # other fields
        """The same evaluation at some places of an axis: 'measures', 'runs' or 'topics'."""
        about[axis] = tuple(getattr(self, axis)[place] for place in places)
        index: tuple[Any, ...] = (*[slice(None)] * AXES.index(axis), places)
        about |= {name: frozen(of[index]) for name, of in {"values": self.values, **self.extra_columns}.items()}
        for name in ("retrieved", "present"):  # which have no axis of measures
            if axis != "measures" and (of_run := getattr(self, name)) is not None:
                about[name] = frozen(of_run[index[1:]])
        return replace(self, **about)

    def _measure(self, measure: AnyMeasure) -> int:
        return measure_place([str(one) for one in self.measures], measure)

    def sorted_by(self, measure: AnyMeasure) -> Self:
        """The same evaluation, the best run first: by its mean, or by its median where `summary` is another."""
        place = self._measure(measure)
        if self.summary != "mean":
            return self.of_runs(self.medians().order(place).tolist())
        means, _ = self._summaries
        order = np.argsort(means[place] * (1 if self.measures[place].low_is_good else -1), kind="stable")
        return self.of_runs(order.tolist())

    def of_runs(self, runs: Sequence[int | str]) -> Self:
        """The same evaluation of some runs, given by their names or rows, in this order."""
        rows = [place_of(self.runs, run, "run", HOLDER) if isinstance(run, str) else run for run in runs]
        of_runs = self.sources[1:]  # those of the qrels stand first
        return self._taken("runs", rows, sources=(*self.sources[:1], *(of_runs[r] for r in rows if of_runs)))

    def of_topics(self, topics: Iterable[str]) -> Self:
        """The same evaluation on some topics, in the order they have here; names that it lacks are in a notice.

        >>> import rankscale as rs
        >>> values = rs.read_values({"bm25": {"301": {"AP": 0.25}, "302": {"AP": 0.75}}})
        >>> values.of_topics(["302"]).means()["bm25", "AP"]
        0.75
        """
        wanted = dict.fromkeys(topics)
        places = [place for place, topic in enumerate(self.topics) if topic in wanted]
        known = frozenset(self.topics)
        lacking = [topic for topic in wanted if topic not in known]
        if not places:
            raise InputError(
                f"none of the topics to keep ({listed(lacking)}) is in the evaluation, which has "
                f"{listed(list(self.topics))}; check that both spell topics alike"
            )
        words = f"{len(lacking)} of {len(wanted)} topics to keep are not in the evaluation ({listed(lacking)})"
        return self._taken(
            "topics",
            places,
            signature=f"{self.signature}|topics:{len(places)}-of-{len(self.topics)}",
            notices=(*self.notices, *notes([words] if lacking else [])),
        )

    @cached_property
    def missing_topics(self) -> dict[str, list[str]] | None:
        """`{run: topics}` of the topics that runs lack; None where that is not known."""
        if not self.present_known:
            return None
        there = self.present if self.present is not None else self.retrieved[:0]
        lacking = {run: np.flatnonzero(~row).tolist() for run, row in zip(self.runs, there, strict=False)}
        return {run: [self.topics[t] for t in topics] for run, topics in lacking.items() if topics}

    @property
    def provenance(self) -> dict[str, object]:
        """All that is needed to get the values again, and which topics runs lack."""
        return {
            **provenance_of(self.signature, self.measures, self.sources),
            **({} if self.missing_topics == {} else {MISSING_TOPICS: self.missing_topics}),
            **({} if self.confidence is None else {"intervals": self.confidence.settings()}),
        }

    def table(self, name: str | None = None) -> Table:
        """Tidy rows: `values` of each topic by default, `means`, whose topic is called all, `medians`, `quantiles`."""
        shown = place_of(TABLES, name or TABLES[0], "table", HOLDER)
        if shown >= 2:
            return (self.medians() if shown == 2 else self.quantiles()).table()
        return values_table(self, per_topic=shown == 0)

    def views(self, name: str | None = None) -> list[Table]:
        """What `summary` says of each run, or the table of this name; `values` has those of each topic as well."""
        shown = place_of(TABLES, name or SHOWN[self.summary], "table", HOLDER)
        if shown >= 2:
            return (self.medians() if shown == 2 else self.quantiles()).views()
        return [means_table(self) if shown else topics_table(self), *self.places_tables()]

    def page(self) -> "Page":
        """What a notebook shows: the summary of each run, and means as dots."""
        if self.summary == "median":
            return self.medians().page()
        return replace(
            super().page(),
            heading=f"{len(self.runs)} runs over {len(self.topics)} topics",
            blocks=self.views(),
            pictures=[dots_of_means(self)] if self.summary == "mean" else [],
        )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {topic: {measure: value}}}`."""
        names = [str(measure) for measure in self.measures]
        return {
            run: {
                self.topics[t]: dict(zip(names, self.values[:, r, t].tolist(), strict=True))
                for t in np.flatnonzero(self.retrieved[r]).tolist()
            }
            for r, run in enumerate(self.runs)
        }

    def __repr__(self) -> str:
        return f"<Evaluation: {len(self.measures)} measures, {len(self.runs)} runs, {len(self.topics)} topics>"


def provenance_of(
    signature: str, measures: Sequence[Measure], sources: Sequence[str], **more: object
) -> dict[str, object]:
    """What results carry in every form, so that their numbers can be had again."""
    names = [str(measure) for measure in measures]
    return {"rankscale": __version__, "signature": signature, "measures": names, **more, "sources": list(sources)}


def shared_fields(result: object) -> dict[str, Any]:
    """The fields that an evaluation, curves and sums over blocks have in common."""
    return {name: getattr(result, name) for name in SHARED}


def in_bytes(name: str) -> bytes:
    """A name as files have it, by which topics are sorted."""
    return name.encode("utf-8", "surrogateescape")


def counting(retrieved: Bools, missing: Missing) -> Bools:
    """(run, topic): which topics count for each run, given those that it retrieved something for."""
    if missing == "skip":
        return retrieved
    if missing == "common":
        return np.broadcast_to(retrieved.all(axis=0), retrieved.shape).copy()
    return np.ones_like(retrieved)


def measure_place(names: Sequence[str], measure: AnyMeasure) -> int:
    """The place of a measure among names; transformed measures such as z(AP) have no parseable name."""
    if isinstance(measure, str | Measure) and str(measure) in names:
        return names.index(str(measure))
    return place_of(names, str(parse(measure)), "measure", HOLDER)


def expected(given: object, verb: str) -> None:
    """Raise ParameterError unless this is an evaluation."""
    if not isinstance(given, Evaluation):
        raise ParameterError(
            f"{verb} takes an evaluation, as rs.evaluate(qrels, runs, measures) gives; got {type(given).__name__}"
        )


class Means(TabularResult):
    """One number for each run and measure: the mean over topics, or what the measure has instead.

    Iterates over the names of runs, as a dictionary of `{run: {measure: value}}` does.

    Attributes
    ----------
    measures, runs
        Names, in the order of the values.
    values
        (measure, run).
    counted
        (measure, run): how many topics each value is over.

    Examples
    --------
    >>> import rankscale as rs
    >>> means = rs.evaluate({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"b": 2.0, "a": 1.0}}}, ["AP", "P@1"]).means()
    >>> means["bm25"]
    {'AP': 0.5, 'P@1': 0.0}
    >>> means["bm25", "AP"], list(means), len(means)
    (0.5, ['bm25'], 1)
    """

    def __init__(self, evaluation: Evaluation, *, sparklines: bool = False) -> None:
        self._evaluation, self._sparklines = evaluation, sparklines
        self.measures, self.runs = tuple(map(str, evaluation.measures)), evaluation.runs
        values, counted = evaluation._summaries  # noqa: SLF001  # made once, shared
        self.values: Floats = values  # (measure, run)
        self.counted: Ints = counted  # (measure, run)

    @overload
    def __getitem__(self, key: str) -> dict[str, float]: ...

    @overload
    def __getitem__(self, key: tuple[str, AnyMeasure]) -> float: ...

    def __getitem__(self, key: str | tuple[str, AnyMeasure]) -> dict[str, float] | float:
        """`{measure: value}` of a run, or the value of a run and a measure."""
        run, *measures = (key,) if isinstance(key, str) else key
        values = self.values[:, place_of(self.runs, str(run), "run", HOLDER)].tolist()
        if not measures:
            return dict(zip(self.measures, values, strict=True))
        return float(values[measure_place(self.measures, measures[0])])

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{run: {measure: value}}`."""
        return {run: self[run] for run in self}

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row for each run, one column for each measure, and the number of topics of the means.

        Bounds, ranges and errors have columns of their own, such as `AP_lower`.
        """
        return means_table(self._evaluation)

    def views(self, name: str | None = None) -> list[Table]:  # noqa: ARG002  # there is one
        """The same for people: bounds, ranges and errors stand beside the means."""
        shown = means_table(self._evaluation)
        if self._sparklines:
            shown = with_sparklines(shown, self._evaluation)
        return [shown, *self._evaluation.places_tables()]

    def page(self) -> "Page":
        """What a notebook shows: the means, and the same as dots."""
        return replace(self._evaluation.page(), blocks=self.views(), pictures=[dots_of_means(self._evaluation)])

    __repr__ = TabularResult.__str__
