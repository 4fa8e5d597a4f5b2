"""The two runs of a diff: their values by topic, what changed at the top of rankings, and how both are written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import maxsize
from typing import Literal

import numpy as np

from rankscale.answers.why import TopicDifferences, is_interval
from rankscale.data.arrays import UNJUDGED, Bools
from rankscale.data.names import listed, place_of
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, SameTopics, judging_of, reading_of
from rankscale.evaluation.result import HOLDER, Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.scales.interval import NotKnown, interval_evaluation, interval_version
from rankscale.stats.tests.base.test import p_text


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
    both = baseline, candidate = [by_name[name] for name in chosen_names(list(by_name), *names)]
    if baseline.source and baseline.source == candidate.source and _alike(baseline, candidate):
        raise ParameterError(f"two runs are compared, and {baseline.source} is given twice: give another run")
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


def ranking_changes(pair: RankingPair, topics: Sequence[int], depth: int) -> Iterator[tuple[int, list[RankChange]]]:
    """Changes within the first `depth` ranks, topic by topic; topics are rows of the qrels.

    With `judged_only` ranks are those of rankings without unjudged documents.
    """
    old, new = (run.completed(len(pair.qrels.topics)).documents for run in (pair.baseline, pair.candidate))
    for topic in topics:
        grades = _grades(pair.qrels, topic)
        before, after = ([] if names is None else [*names[topic]] for names in (old, new))
        if pair.judged_only:
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


WIDTH = 20  # letters of the longest bar
BLOCK = "█"
VERBS = {"loss": "loses", "win": "wins", "lower": "is lower", "higher": "is higher"}
TONES = {"loss": "bad", "win": "good", "lower": "", "higher": ""}  # of bars
SUMMARY = (  # columns of the summary that people read first
    *("measure", "losses", "ties", "wins", "baseline_mean", "candidate_mean", "baseline_total", "candidate_total"),
    *("difference", "ratio", "lower", "upper", "p", "family"),
)
PLURALS = {"loss": "losses", "win": "wins", "lower": "falls", "higher": "rises"}


@dataclass(frozen=True)
class ShownRows:
    """How much people are shown."""

    worst: int  # topics with the largest losses
    best: int  # topics with the largest wins
    details: int  # of the worst topics, those with their documents
    top_k: int  # ranks that documents leave and enter

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 0:
                raise ParameterError(f"{name} must be a whole number from 0, got {value}")


def topics_in_words(count: int) -> str:
    """A number of topics.

    >>> topics_in_words(1), topics_in_words(1200)
    ('1 topic', '1,200 topics')
    """
    return f"{count:,} topic{'s' * (count != 1)}"


def sentences(about: TopicDifferences, baseline: str, candidate: str) -> list[str]:
    """Who wins where and by how much; the test in full; what the scale of the measure says to that."""
    losses, ties, wins = about.counts()
    lower, higher = about.words
    first, second = about.means()
    made = about.comparison
    low = ", where low is good" if about.measure.low_is_good else ""
    p = "not tested" if made is None else p_text(float(made.p[0]), made.alpha, made.family)
    counts = f"{VERBS[lower]} on {topics_in_words(losses)}, {VERBS[higher]} on {wins:,}, ties on {ties:,}"
    gap = f"ratio {about.mean_gap():.4f}" if about.gap == "ratio" else f"{second - first:+.4f}"
    means = f"{about.measure.summed_up} {gap} ({second:.4f} against {first:.4f})"
    answer = f"{candidate} against {baseline} by {about.measure}{low}: {counts}; {means}, {p}."
    return [answer, _tested(about), *([] if about.verdict.meaningful else [_on_scale(about)])]


def _tested(about: TopicDifferences) -> str:
    """The test in a sentence: what it compares with its interval, and an effect size."""
    made = about.comparison
    if made is None:
        return f"Not tested: {about.untested}."
    result, label = made.results, made.test.label
    way = ", counting higher values as won," if made.measure.low_is_good and made.test.asks == "ordinal" else ""
    of = f"of {about.measure.summed_up}s" if made.is_ratio else f"in {made.test.compares}"
    sign = "" if made.is_ratio else "+"
    parts = [f"{made.gap} {of}{way} {float(made.shown(result.difference)[0]):{sign}.4f}"]
    if result.lower is not None and result.upper is not None and not np.isnan(result.lower[0]):
        lower, upper = (float(made.shown(end)[0]) for end in (result.lower, result.upper))
        parts[0] += f" ({100 * made.confidence:g}% interval {lower:{sign}.4f} to {upper:{sign}.4f})"
    parts += [f"{name.replace('_', ' ')} {effect[0]:.2f}" for name, effect in list(result.effects.items())[:1]]
    return f"{label[0].upper()}{label[1:]}: {', '.join(parts)}."


def _on_scale(about: TopicDifferences) -> str:
    """The caution that the scale of the measure asks for, and whether the interval version agrees."""
    view = about.interval
    if not about.measure.scale_known or about.measure.interval_of is not None:
        return f"{about.verdict}."
    if view.comparison is None:
        return f"{about.verdict}. The conclusion on the interval version is {view.words}."
    p = p_text(float(view.comparison.p[0]), view.comparison.alpha, view.comparison.family)
    return f"{about.verdict}. On the interval version: {view.words} ({p})."


def summary_row(about: TopicDifferences, baseline: str, candidate: str) -> dict[str, Cell]:
    """All that is known of the two runs by one measure."""
    losses, ties, wins = about.counts()
    row: dict[str, Cell] = {
        "measure": str(about.measure),
        "baseline": baseline,
        "candidate": candidate,
        "topics": losses + ties + wins,
        "losses": losses,
        "ties": ties,
        "wins": wins,
        "undefined": int(np.count_nonzero(about.counted & ~about.defined)),
        **_summed_up(about),
        f"mean_{about.gap}": about.mean_gap(),
    }
    made = about.comparison
    if made is not None:
        ends = {"lower": made.results.lower, "upper": made.results.upper}
        row |= {"test": made.test.name, made.gap: float(made.shown(made.results.difference)[0])}
        row |= {name: float(made.shown(end)[0]) for name, end in ends.items() if end is not None}
        row |= {"p": float(made.p[0]), "family": made.family, "significant": int(made.significant[0])}
        row |= {name: float(effect[0]) for name, effect in made.results.effects.items()}
    row |= {"scale": about.verdict.kind, "caution": None if about.verdict.meaningful else str(about.verdict)}
    view = about.interval
    if view.comparison is not None:
        row["interval_version"] = str(view.comparison.measure)
        row[f"interval_{view.comparison.gap}"] = float(view.comparison.shown(view.comparison.results.difference)[0])
        row["interval_p"] = float(view.comparison.p[0])
    row["interval_same"] = None if view.holds is None else int(view.holds)
    row["interval_conclusion"] = view.words
    return row


def _summed_up(about: TopicDifferences, topics: Bools | None = None) -> dict[str, Cell]:
    """What sums up both runs: their means, or their totals where the measure counts."""
    word = "total" if about.measure.summary == "sum" else "mean"
    baseline, candidate = about.means(topics)
    return {f"baseline_{word}": baseline, f"candidate_{word}": candidate}


def topic_rows(
    about: TopicDifferences, topics: Sequence[str], group_of: Mapping[str, str] | None
) -> Iterator[dict[str, Cell]]:
    """Every topic that counts, the largest loss first."""
    outcomes, scaled = about.outcomes(), about.interval.values
    for place in about.order.tolist():
        first, second = about.values[:, place].tolist()
        row: dict[str, Cell] = {"measure": str(about.measure), "topic": topics[place]}
        if group_of is not None:
            row["group"] = group_of[topics[place]]
        row |= {"baseline_value": first, "candidate_value": second}
        row |= {"difference": float(about.difference[place]), "outcome": outcomes[place]}
        if scaled is not None:
            low, high = scaled[:, place].tolist()
            row |= {"interval_baseline": low, "interval_candidate": high, "interval_difference": high - low}
        yield row


def ends(
    about: TopicDifferences, topics: Sequence[str], shown: ShownRows, names: tuple[str, str], *, bars: bool
) -> Iterator[Table]:
    """The topics with the largest losses, and those with the largest wins; a title says which way the difference is."""
    baseline, candidate = names
    losses, _, wins = about.counts()
    orders = about.order.tolist(), about.wins_first.tolist()
    largest = np.abs(about.difference[np.isfinite(about.difference)]).max(initial=0.0)
    for word, count, most, places in zip(about.words, (losses, wins), (shown.worst, shown.best), orders, strict=True):
        kept = places[: min(count, most)]
        if not kept:
            continue
        of = f"{len(kept):,} of {count:,}" if len(kept) < count else "all" if count > 1 else "the only one"
        way = f"difference = {candidate} - {baseline}"
        title = f"Largest {PLURALS[word]} of {candidate} by {about.measure} ({of}); {way}"
        columns: dict[str, Sequence[Cell]] = {
            "topic": [topics[place] for place in kept],
            "baseline": about.values[0, kept].tolist(),
            "candidate": about.values[1, kept].tolist(),
            "difference": about.difference[kept].tolist(),
        }
        made = Table(columns, title=title).with_columns(Column("topic", align="left"))
        if bars:  # as long as differences are large; the longest for infinite ones
            sizes = np.abs(about.difference[kept])
            shares = np.minimum(sizes / largest, 1.0) if largest > 0 else np.ones(len(kept))
            drawn = [BLOCK * max(1, round(WIDTH * share)) for share in shares.tolist()]
            made = made.with_columns(Column("size", cells=drawn, tones=[TONES[word]] * len(kept)))
        yield made


def documents_shown(topic: str, changes: Sequence[RankChange], depth: int) -> Table:
    """The same for people, with how many relevant documents came and went in the title."""
    rows = [
        (one.document, one.kind, one.old_rank, one.new_rank, "unjudged" if one.grade is None else f"{one.grade:g}")
        for one in changes
    ]
    title = f"Topic {topic}: {_counted(changes, depth)}"
    document, change = (Column(name, align="left") for name in ("document", "change"))
    columns: list[str | Column] = [document, change, "baseline_rank", "candidate_rank", Column("grade", align="right")]
    return replace(Table.of(columns, rows), title=title)


def _counted(changes: Sequence[RankChange], depth: int) -> str:
    if not changes:
        return f"nothing changed in the first {depth} ranks"
    counts = []
    for kind in ("left", "entered"):
        of = [one.grade for one in changes if one.kind == kind]
        unjudged = sum(grade is None for grade in of)
        relevant = sum(grade is not None and grade > 0 for grade in of)
        counts.append(f"{len(of)} {kind} ({relevant} with a grade above 0, {unjudged} unjudged)")
    moved = sum(one.kind.startswith("moved") for one in changes)
    return f"in the first {depth} ranks {counts[0]}, {counts[1]}, {moved} moved"


def documents_table(by_topic: Sequence[tuple[str, Sequence[RankChange]]]) -> Table:
    """Documents that left, entered and moved, topic by topic."""
    rows = [
        (topic, one.document, one.kind, one.old_rank, one.new_rank, one.grade)
        for topic, changes in by_topic
        for one in changes
    ]
    made = Table.of(("topic", "document", "change", "baseline_rank", "candidate_rank", "grade"), rows)
    whole = all(grade is None or float(grade).is_integer() for grade in made.columns["grade"])
    return made.with_columns(Column("grade", digits=0 if whole else None))


def groups_table(by_measure: Sequence[TopicDifferences], groups: Sequence[str], members: Bools) -> Table:
    """For each measure and group of topics: losses, ties and wins, means and the mean difference."""
    rows: list[dict[str, Cell]] = []
    for one in by_measure:
        for group, of in zip(groups, members, strict=True):
            losses, ties, wins = one.counts(of)
            row: dict[str, Cell] = {"measure": str(one.measure), "group": group, "topics": losses + ties + wins}
            row |= {"losses": losses, "ties": ties, "wins": wins, **_summed_up(one, of)}
            rows.append({**row, f"mean_{one.gap}": one.mean_gap(of)})
    return Table.from_rows(rows)


def short_summary(summary: Table) -> Table:
    """The summary with the columns that people read first."""
    return replace(summary, columns={name: summary.columns[name] for name in SUMMARY if name in summary.columns})
