"""Two runs topic by topic: where the second loses and wins, and which documents left and entered its top ranks.

A mean says whether a change helps; what to look at next is on which topics it hurts. Differences are those of the
candidate less the baseline, the largest losses first, with the test of the same values, what the scale of the measure
says to it, and what changed in the rankings.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Unpack

import numpy as np

from rankscale.answers.why import TestRequest, TopicDifferences, topic_differences
from rankscale.data.arguments import AtLeast, Declaration, Positive, Seed, Share, ValueKind, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import EvaluateOptions, SameTopics, check_missing
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.parser import AnyMeasure
from rankscale.outputs.blocks import Printable
from rankscale.outputs.pictures import Bars
from rankscale.outputs.results import Page
from rankscale.stats.comparison import Comparison
from rankscale.stats.resampling.groups import WITHOUT_GROUPS, grouping
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import Test, check_alpha
from rankscale.stats.tests.register import SettingsOfTests, make_test
from rankscale.studies.diff.pair import (
    RankChange,
    RunPair,
    ShownRows,
    documents_shown,
    documents_table,
    ends,
    groups_table,
    pair_of_evaluation,
    pair_of_rankings,
    ranking_changes,
    sentences,
    short_summary,
    summary_row,
    topic_rows,
)
from rankscale.studies.support.selection import check_topics
from rankscale.studies.support.study import Study

Natural = Annotated[int, AtLeast(0)]


@dataclass(frozen=True, eq=False, repr=False)
class Diff(Study):
    """Result of `diff`: two runs topic by topic, the largest losses of the candidate first.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the baseline and of the candidate, in this order.
    by_measure : tuple of TopicDifferences
        For each measure: differences, counts, the test and the interval version's view.
    changes : tuple, optional
        For each topic, the largest loss by the first measure first: its name, and the documents that left, entered or
        moved within the top ranks. None where the rankings are not known.
    groups : tuple of str
        Names of groups of topics, last '(none)' if topics have no group; empty if no groups are given.
    members : array of bool
        (group, topic): which topics are in each group.
    test : Test
        The significance test.
    alpha, confidence : float
        Significance level, and confidence level of intervals.
    limits : Shown
        How many topics and ranks people are shown.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    by_measure: tuple[TopicDifferences, ...]
    changes: tuple[tuple[str, tuple[RankChange, ...]], ...] | None
    groups: tuple[str, ...]
    members: Bools
    test: Test
    alpha: float
    confidence: float
    limits: ShownRows
    notices: tuple[Notice, ...]

    @property
    def baseline(self) -> str:
        """Name of the baseline."""
        return self.evaluation.runs[0]

    @property
    def candidate(self) -> str:
        """Name of the candidate, whose losses and wins these are."""
        return self.evaluation.runs[1]

    @property
    def difference(self) -> Floats:
        """(measure, topic): candidate less baseline; NaN where either has no value."""
        return np.stack([one.difference for one in self.by_measure])

    @property
    def losses(self) -> Ints:
        """(measure,): on how many topics the candidate is worse; higher values are, where low is good."""
        return np.array([one.counts()[0] for one in self.by_measure])

    @property
    def ties(self) -> Ints:
        """(measure,): on how many topics both have the same value."""
        return np.array([one.counts()[1] for one in self.by_measure])

    @property
    def wins(self) -> Ints:
        """(measure,): on how many topics the candidate is better."""
        return np.array([one.counts()[2] for one in self.by_measure])

    @property
    def comparisons(self) -> tuple[Comparison | None, ...]:
        """(measure,): the test of the candidate with the baseline; None where topics are too few."""
        return tuple(one.comparison for one in self.by_measure)

    def tables(self) -> Mapping[str, Table]:
        """`topics`, `summary`; `documents` where rankings are known; `groups` where they are given."""
        group_of, names = None, self.evaluation.topics
        if self.groups:
            places = self.members.argmax(axis=0).tolist()
            group_of = {topic: self.groups[place] for topic, place in zip(names, places, strict=True)}
        topics = [row for one in self.by_measure for row in topic_rows(one, names, group_of)]
        summary = [summary_row(one, self.baseline, self.candidate) for one in self.by_measure]
        made = {"topics": Table.from_rows(topics), "summary": Table.from_rows(summary)}
        if self.changes is not None:
            made["documents"] = documents_table(self.changes)
        if self.groups:
            made["groups"] = groups_table(self.by_measure, self.groups, self.members)
        return made

    @property
    def settings(self) -> Mapping[str, object]:
        """Test and its settings, levels, and the ranks at the top."""
        of_test = {one.name: getattr(self.test, one.name) for one in fields(self.test)}
        levels = {"alpha": self.alpha, "confidence": self.confidence}
        top = self.limits.top_k if self.changes is not None else None
        return {"study": "diff", "test": self.test.name, **of_test, **levels, "top-k": top}

    def sentence(self) -> str:
        """For each measure: losses, wins and ties, the means, the test, and what the scale says to it."""
        return "\n".join(self._sentences())

    def _sentences(self) -> list[str]:
        return [text for one in self.by_measure for text in sentences(one, self.baseline, self.candidate)]

    def views(self, name: str | None = None) -> list[Table]:
        """The summary with its sentences, topics at both ends, groups, and the documents of the worst topics."""
        if name is not None:
            return [self.table(name)]
        summary = short_summary(self.table("summary"))
        return [replace(summary, notes=tuple(self._sentences())), *self._details(bars=False)]

    def _details(self, *, bars: bool) -> Iterator[Table]:
        names = self.baseline, self.candidate
        for one in self.by_measure:
            yield from ends(one, self.evaluation.topics, self.limits, names, bars=bars)
        if self.groups:
            yield self.table("groups")
        changes = dict(self.changes or ())
        for topic in self._topics_in_detail() if changes else ():
            yield documents_shown(topic, changes[topic], self.limits.top_k)

    def _topics_in_detail(self) -> list[str]:
        """The topics with the largest losses by the first measure; with the largest wins where nothing is lost."""
        first = self.by_measure[0]
        order = first.order if first.counts()[0] else first.wins_first
        places = order[: min(self.limits.details, int(np.count_nonzero(first.defined)))]
        return [self.evaluation.topics[place] for place in places.tolist()]

    def page(self) -> Page:
        """What a notebook shows: the tables, and the differences of the first two measures, topic by topic."""
        names = self.evaluation.topics
        bars = [
            Bars(
                f"{one.measure}, {self.candidate} minus {self.baseline}",
                one.difference[one.order].tolist(),
                [names[place] for place in one.order.tolist()],
                low_is_good=one.measure.low_is_good,
            )
            for one in self.by_measure[:2]
        ]
        heading = f"{self.candidate} against {self.baseline}"
        return replace(super().page(), heading=heading, blocks=self.views(), pictures=bars)

    def blocks(self, name: str | None = None) -> Sequence[Printable]:
        """The sentence first, then the topics at both ends and what changed in the rankings of the worst."""
        return self.views(name) if name is not None else [self.sentence(), *self._details(bars=True)]


def diff(
    qrels: QrelsLike | Evaluation,
    runs: RunsLike | str | None = None,
    measures: AnyMeasure | Iterable[AnyMeasure] | None = None,
    *,
    baseline: str | None = None,
    candidate: str | None = None,
    test: str | Test = "student",
    alpha: Share = 0.05,
    confidence: Share = 0.95,
    samples: Positive | None = None,
    seed: Seed | None = None,
    groups: Annotated[Mapping[str, str] | str | os.PathLike[str] | None, ValueKind("path")] = None,
    column: str | None = None,
    interval: bool = True,
    top_k: Natural = 10,
    worst: Natural = 10,
    best: Natural = 5,
    details: Natural = 1,
    missing: SameTopics = "zero",
    **options: Unpack[EvaluateOptions],
) -> Diff:
    """Compare two runs topic by topic, the largest losses first.

    Differences are candidate minus baseline: the second run minus the first. Where low is good, a higher value is a
    loss. With rankings, the documents that left and entered the top ranks are shown, too.

    Parameters
    ----------
    qrels : qrels or Evaluation
        Judgments: a file, a dict, a frame, or what `read_qrels` returns. Or an evaluation, as in
        ``diff(evaluation, "bm25", "reranked")``.
    runs : runs or str
        Rankings: files, dicts, frames, or what `read_runs` returns with `keep_documents=True`; the baseline first. With
        an evaluation, the name of the baseline.
    measures : str, Measure or several
        Measures, as names or objects. With an evaluation, the name of the candidate.
    baseline : str, default the first run
        Name of the baseline.
    candidate : str, default the second run
        Name of the candidate, whose losses and wins are shown.
    test : str or Test
        Significance test, as in `compare`.
    alpha : float
        Significance level.
    confidence : float
        Confidence level of intervals.
    samples : int, default 10000
        Resamples of tests by resampling.
    seed : int, default 0
        Random seed for resampling.
    groups : mapping or path, default none
        Show groups of topics: FILE has lines of a topic and its group, or is a table (csv, tsv, JSON Lines).
    column : str, default the only one, or one called group, category, ...
        With groups: column of the table that holds them.
    interval : bool
        Whether to test the interval version of ordinal measures, too.
    top_k : int
        Number of top ranks whose documents are compared; 0 compares no documents.
    worst : int
        How many of the largest losses are printed; files have all topics.
    best : int
        How many of the largest wins are printed.
    details : int
        For how many of the worst topics the documents that left and entered are printed.
    missing : {'zero', 'common', 'error'}
        Topics that a run lacks: an empty ranking, left out for all runs, or an error.
    **options
        Further keywords of `evaluate`, explained there: judged_only, depth, grades, negative, order, max_size, threads,
        executor.

    Returns
    -------
    Diff
        Tables 'topics', 'summary' (counts, test, effect size, interval version), 'documents' (those that left, entered
        or moved; with rankings only) and 'groups'.

    Raises
    ------
    ParameterError
        If there are not two different runs, or it is not clear which, or an option has a value that it cannot take.
    UnknownNameError
        If no run, measure or test has this name.
    InputError
        If a run was judged with other qrels.

    Notes
    -----
    Topics on which a value is undefined are listed last, and not counted. The interval version of a measure among those
    of an evaluation serves the measure; of rankings it is measured here. Documents are listed for the topics in the
    order of the first measure.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {topic: {"a": 1, "b": 1} for topic in "123"}
    >>> old = {topic: {"a": 3, "b": 2, "c": 1} for topic in qrels}
    >>> new = {"1": {"a": 3, "c": 2, "b": 1}, "2": old["2"], "3": {"c": 3, "d": 2, "b": 1}}
    >>> made = rs.diff(qrels, {"old": old, "new": new}, "P@2")
    >>> print(made.text(table="topics"))
    measure  topic  baseline_value  candidate_value  difference  outcome
    P@2      3              1.0000           0.0000     -1.0000  loss
    P@2      1              1.0000           0.5000     -0.5000  loss
    P@2      2              1.0000           1.0000      0.0000  tie
    >>> made.losses, made.wins, made.changes[0][1][0].document
    (array([2]), array([0]), 'a')
    >>> rs.diff(rs.evaluate(qrels, {"old": old, "new": new}, "P@2"), "new", "old").wins
    array([2])

    Command line
    ------------
        rankscale diff qrels.txt run.txt other.txt -m nDCG@10
        rankscale diff qrels.txt runs/*.gz --baseline bm25 --candidate manual -m AP --groups groups.txt
        rankscale diff qrels.txt run.txt other.txt --top-k 20 --table documents -o documents.csv
        rankscale diff --values values.tsv --baseline bm25 --candidate manual -m AP -t 'signed rank'
    """
    check_arguments(diff, locals())
    check_alpha(alpha)
    check_confidence(confidence)
    given = {"samples": samples, "seed": seed}
    settings: SettingsOfTests = {name: value for name, value in given.items() if value is not None}  # type: ignore[assignment]
    request = TestRequest(make_test(test, **settings), alpha, confidence)
    limits = ShownRows(worst, best, details, top_k)
    if isinstance(qrels, Evaluation):
        names = _named(runs, measures, baseline, candidate, options)
        pair = pair_of_evaluation(qrels, *names)
    else:
        check_missing(missing, compared=True)
        if runs is None or measures is None:
            raise ParameterError("diff takes qrels, runs and measures, or an evaluation and the names of two runs")
        pair = pair_of_rankings(
            qrels,
            runs,
            measures,
            (baseline, candidate),
            missing=missing,
            with_documents=top_k > 0,
            with_interval=interval,
            options=options,
        )
    return _made(pair, request, groups, column, limits)


def _named(
    first: object, second: object, baseline: str | None, candidate: str | None, options: EvaluateOptions
) -> tuple[str | None, str | None]:
    """The names of two runs of an evaluation, by place or by keyword; ParameterError for anything else."""
    if options:
        raise ParameterError(
            f"{', '.join(options)}: the values of an evaluation are measured already; evaluate with that, or give "
            "qrels, runs and measures"
        )
    for place, keyword in ((first, baseline), (second, candidate)):
        if place is not None and (keyword is not None or not isinstance(place, str)):
            raise ParameterError("with an evaluation, name two of its runs: diff(evaluation, 'bm25', 'reranked')")
    return first if isinstance(first, str) else baseline, second if isinstance(second, str) else candidate


def _made(
    pair: RunPair,
    request: TestRequest,
    groups: Mapping[str, str] | str | os.PathLike[str] | None,
    column: str | None,
    limits: ShownRows,
) -> Diff:
    """The result, with all that is known of the two runs."""
    evaluation = pair.evaluation
    check_topics(evaluation)
    if groups is None and column is not None:
        raise ParameterError(*WITHOUT_GROUPS)
    grouped = None if groups is None else grouping(evaluation, groups, column)
    by_measure = tuple(
        topic_differences(evaluation, one, request, pair.versions.get(one)) for one in evaluation.measures
    )
    tested = (notice for one in by_measure if one.comparison for notice in one.comparison.notices)
    return Diff(
        evaluation=evaluation,
        by_measure=by_measure,
        changes=_changes(pair, by_measure[0], limits.top_k),
        groups=grouped.names if grouped else (),
        members=grouped.members if grouped else np.zeros((0, len(evaluation.topics)), dtype=bool),
        test=request.test,
        alpha=request.alpha,
        confidence=request.confidence,
        limits=limits,
        notices=(*pair.notices, *dict.fromkeys(tested), *notes(grouped.warnings() if grouped else ())),
    )


def _changes(
    pair: RunPair, first: TopicDifferences, depth: int
) -> tuple[tuple[str, tuple[RankChange, ...]], ...] | None:
    """Documents by topic, in the order of the first measure; None where rankings are not known."""
    if pair.rankings is None:
        return None
    by_topic = ranking_changes(pair.rankings, first.order.tolist(), depth)
    return tuple((pair.evaluation.topics[place], tuple(changes)) for place, changes in by_topic)


COMMAND = Declaration(
    diff,
    source="runs",
    measures=("nDCG@10",),
    flags={"test": "-t --test", "column": "--group-column"},
    shared=("values", "missing", "judging", "reading"),
    tables=("topics", "summary", "documents", "groups"),
    tables_with={"groups": "groups"},
)
