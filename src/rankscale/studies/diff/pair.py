"""The two runs of a diff: their values by topic, and what changed at the top of their rankings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import maxsize
from typing import Literal

from rankscale.answers.why import is_interval
from rankscale.data.arrays import UNJUDGED
from rankscale.data.names import listed, place_of
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, SameTopics, judging_of, reading_of
from rankscale.evaluation.result import HOLDER, Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.scales.interval import NotKnown, interval_evaluation, interval_version


@dataclass(frozen=True, eq=False)
class RankingPair:
    """Both rankings with the names of their documents, and the judgments that they are seen through."""

    qrels: Qrels
    baseline: Run
    candidate: Run
    judged_only: bool


@dataclass(frozen=True, eq=False)
class RunPair:
    """What is known of two runs."""

    evaluation: Evaluation  # of the baseline and the candidate, in this order, without interval versions
    versions: Mapping[Measure, Evaluation | NotKnown] = field(default_factory=dict)  # by measure, where measured
    rankings: RankingPair | None = None
    notices: tuple[Notice, ...] = ()


def chosen_names(names: Sequence[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """The names of the baseline and the candidate; ParameterError where that is not clear.

    >>> chosen_names(["bm25", "reranked"], None, None)
    ('bm25', 'reranked')
    >>> chosen_names(["bm25", "reranked"], "reranked", None)
    ('reranked', 'bm25')
    """
    for name in (baseline, candidate):
        if name is not None:
            place_of(names, name, "run", HOLDER)
    if baseline is not None and baseline == candidate:
        raise ParameterError(f"baseline and candidate are both {baseline}: name two different runs")
    if len(names) < 2:
        raise ParameterError(f"two runs are compared, and there is one ({', '.join(names)}): give another run")
    if len(names) > 2 and (baseline is None or candidate is None):
        raise ParameterError(
            f"two runs are compared, and there are {len(names)} ({listed(list(names))}): name two of them, one as "
            "baseline and the other as candidate"
        )
    first = baseline or next(name for name in names if name != candidate)
    return first, candidate or next(name for name in names if name != first)


def pair_of_evaluation(evaluation: Evaluation, baseline: str | None, candidate: str | None) -> RunPair:
    """Two runs of an evaluation; interval versions among its measures serve the measures that they belong to."""
    both = evaluation.of_runs(chosen_names(evaluation.runs, baseline, candidate))
    versions: dict[Measure, Evaluation | NotKnown] = {}
    for measure in both.measures:
        version = interval_version(measure) if measure.scale_known else None
        if version in both.measures:
            versions[measure] = both[version]
    served = {one.measures[0] for one in versions.values() if isinstance(one, Evaluation)}
    return RunPair(both[[one for one in both.measures if one not in served]], versions, None, evaluation.notices)


def pair_of_rankings(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: AnyMeasure | Iterable[AnyMeasure],
    names: tuple[str | None, str | None],
    *,
    missing: SameTopics,
    with_documents: bool,
    with_interval: bool,
    options: EvaluateOptions,
) -> RunPair:
    """Two runs read and measured; `names` are those of the baseline and the candidate, where they are given."""
    wanted = parse_all(measures)
    reading = reading_of(options, keep_scores=any(measure.needs_scores for measure in wanted))
    judgments = read_qrels(qrels, max_size=reading.max_size)
    read, renamed = runs_with_names(judgments, runs, reading, documents_to=maxsize if with_documents else 0)
    by_name = {run.name: run for run in read}
    baseline, candidate = (by_name[name] for name in chosen_names(list(by_name), *names))
    _check_distinct(baseline, candidate)
    both = [baseline, candidate]
    evaluation = evaluate(judgments, both, wanted, missing=missing, **options)
    versions = {
        measure: interval_evaluation(judgments, both, measure, missing=missing, **options)
        for measure in evaluation.measures
        if with_interval and not is_interval(measure, evaluation.judged_levels)
    }
    judging = judging_of(options)
    nameless = [run.name for run in both if run.documents is None]
    rankings = RankingPair(judging.regraded(judgments), baseline, candidate, judging.judged_only)
    of_versions = [notice for one in versions.values() if isinstance(one, Evaluation) for notice in one.notices]
    own = notes(_notes(both, nameless if with_documents else []))
    return RunPair(
        evaluation,
        versions,
        rankings if with_documents and not nameless else None,
        tuple(dict.fromkeys([*renamed, *evaluation.notices, *of_versions, *own])),
    )


def _check_distinct(baseline: Run, candidate: Run) -> None:
    """Raise ParameterError where the same file is given twice, and read in the same way."""
    if baseline.source and baseline.source == candidate.source and _alike(baseline, candidate):
        raise ParameterError(f"two runs are compared, and {baseline.source} is given twice: give another run")


def _alike(baseline: Run, candidate: Run) -> bool:
    return baseline == replace(candidate, name=baseline.name)


def _notes(both: Sequence[Run], nameless: Sequence[str]) -> Iterator[str]:
    first, second = both
    if nameless:
        yield (
            f"run {nameless[0]} was read without the names of its documents, so that changes in rankings are not "
            "known; read it with keep_documents=True"
        )
    elif _alike(first, second) and first.documents is not None:
        yield f"{first.name} and {second.name} rank the same documents in the same order on every topic"


ChangeKind = Literal["left", "entered", "moved down", "moved up"]
KINDS: tuple[ChangeKind, ...] = ("left", "entered", "moved down", "moved up")  # in the order of rows


@dataclass(frozen=True)
class RankChange:
    """One document whose rank changed, within the top k of either run."""

    document: str
    kind: ChangeKind
    old_rank: int | None  # in the baseline; None where it is not retrieved
    new_rank: int | None  # in the candidate
    grade: float | None  # None where it is unjudged


def ranking_changes(
    qrels: Qrels, baseline: Run, candidate: Run, topics: Sequence[int], depth: int, *, judged_only: bool = False
) -> Iterator[tuple[int, list[RankChange]]]:
    """Changes within the first `depth` ranks, topic by topic; topics are rows of the qrels.

    With `judged_only` ranks are those of rankings without unjudged documents. Both runs have the names of their
    documents.
    """
    old, new = (run.completed(len(qrels.topics)).documents for run in (baseline, candidate))
    for topic in topics:
        grades = _grades(qrels, topic)
        before, after = ([] if names is None else [*names[topic]] for names in (old, new))
        if judged_only:
            before, after = ([name for name in names if grades.get(name, -1) >= 0] for names in (before, after))
        yield topic, changes_of(before, after, grades, depth)


def changes_of(before: Sequence[str], after: Sequence[str], grades: dict[str, float], depth: int) -> list[RankChange]:
    """Documents that left the first `depth` ranks, that entered them, and that moved within them.

    >>> for one in changes_of("abc", "acd", {"b": 1.0}, 2):
    ...     print(one.document, one.kind, one.old_rank, one.new_rank, one.grade)
    b left 2 None 1.0
    c entered 3 2 None
    """
    old = {name: rank for rank, name in enumerate(before[:depth], start=1)}
    new = {name: rank for rank, name in enumerate(after[:depth], start=1)}
    made = []
    for name in dict.fromkeys([*old, *new]):
        ranks = old.get(name) or _rank(before, name), new.get(name) or _rank(after, name)
        if ranks[0] != ranks[1]:
            made.append(RankChange(name, _kind(name, old, new), *ranks, grades.get(name)))
    return sorted(made, key=lambda one: (KINDS.index(one.kind), one.kind != "entered" and one.old_rank, one.new_rank))


def _kind(name: str, old: dict[str, int], new: dict[str, int]) -> ChangeKind:
    if name not in new:
        return "left"
    if name not in old:
        return "entered"
    return "moved down" if new[name] > old[name] else "moved up"


def _rank(names: Sequence[str], name: str) -> int | None:
    return names.index(name) + 1 if name in names else None


def _grades(qrels: Qrels, topic: int) -> dict[str, float]:
    """Grades of the documents of the topic at this row."""
    names = [name.decode("utf-8", "surrogateescape") for name in qrels.index.documents(topic)]
    levels, codes = qrels.levels.tolist(), qrels.codes[qrels.starts[topic] : qrels.starts[topic + 1]].tolist()
    return {name: levels[code] for name, code in zip(names, codes, strict=True) if code != UNJUDGED}
