"""Ranking: why two runs differ on one topic. Both lists, curves by rank, and what other judgments would change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankscale.data.table import Table
from rankscale.errors import ParameterError, RankscaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.figures.base.figure import Figure
from rankscale.figures.base.register import panels
from rankscale.figures.crp_dcg import CrpDcgFigure, crp_dcg_figure
from rankscale.measures.base.measure import Measure
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.documents import ListedDocuments
from rankscale.workbench.state import State
from rankscale.workbench.view import BenchView, ViewData, finite, listed

LEVELS = "\x00levels"  # a topic that only holds the grades of the collection, so that the best one is known
SIDES = ("a", "b")


@dataclass(frozen=True)
class TopicView:
    """One topic: its grades, and the rankings of A and B, as they are or as they would be."""

    topic: str
    grades: Mapping[str, float]
    rankings: Mapping[str, ListedDocuments]  # by side
    levels: Sequence[float]

    def qrels(self) -> dict[str, dict[str, float]]:
        """Judgments of this topic alone; the grades of the whole collection stay known."""
        return {self.topic: dict(self.grades), LEVELS: {str(place): one for place, one in enumerate(self.levels)}}

    def run(self, side: str) -> dict[str, dict[str, float]]:
        """One ranking; scores keep documents in their order, ties among them."""
        ranking = self.rankings[side]
        return {self.topic: dict(zip(ranking.documents, ranking.scores, strict=True))} if ranking.documents else {}


def data(bench: Bench, state: State, progress: Progress | None = None) -> ViewData:
    """Both lists, curves, and values by several measures; with changes, values before and after."""
    del progress
    state = with_topic(bench, state)
    now, changed = looks(bench, state)
    topics, place = bench.qrels.topics, bench.qrels.topics.index(state.topic)
    measures = bench.measures_from(state)
    is_changed = bool(state.judge or state.swap)
    before = _values(now, measures, state)
    return {
        "topic": state.topic,
        "query": bench.texts.queries.get(state.topic, ""),
        "group": bench.groups.get(state.topic, ""),
        "neighbours": [topics[place - 1], topics[(place + 1) % len(topics)]],
        "levels": listed(bench.qrels.levels),
        "relevant_from": state.lowest_relevant,
        "judged": len(now.grades),
        "relevant": sum(grade >= state.lowest_relevant for grade in now.grades.values()),
        "retrieved": _retrieved(changed, state.lowest_relevant),
        "sides": {side: _side(state, changed, side) for side in SIDES},
        "measures": [str(measure) for measure in measures],
        "values": before,
        "changed_values": _values(changed, measures, state) if is_changed else None,
        "judge": [[document, grade] for document, grade in state.judge],
        "swap": [list(one) for one in state.swap],
        "has_texts": bench.texts.has_documents,
    }


def _retrieved(look: TopicView, rel: float) -> ViewData:
    """How many relevant documents A and B have, each, and how many of them the other lacks."""
    relevant = {document for document, grade in look.grades.items() if grade >= rel}
    a, b = (relevant.intersection(look.rankings[side].documents) for side in SIDES)
    return {"a": len(a), "b": len(b), "only_a": len(a - b), "only_b": len(b - a)}


def with_topic(bench: Bench, state: State) -> State:
    """A state that names a topic: by default that on which A and B differ most, the first one if they are the same."""
    if state.topic:
        return state
    evaluation = bench.evaluation(state, [bench.measure(state)], [state.b, state.a])
    apart = abs(evaluation.values[0, 1] - evaluation.values[0, 0])
    place = max(range(len(apart)), key=lambda place: (apart[place] == apart[place], apart[place]))
    return state.changed(topic=evaluation.topics[place])


def looks(bench: Bench, state: State) -> tuple[TopicView, TopicView]:
    """The topic as it is, and with the changes of the state; both have the levels of the two together."""
    grades = bench.qrels.grades(state.topic)
    rankings = {side: bench.ranking(getattr(state, side), state.topic) for side in SIDES}
    changes = dict(state.judge)
    regraded = {document: grade for document, grade in {**grades, **changes}.items() if grade is not None}
    swapped = {side: _swapped(rankings[side], [one for one in state.swap if one[0] == side]) for side in SIDES}
    levels = sorted({*bench.qrels.levels.tolist(), *(grade for grade in changes.values() if grade is not None)})
    return TopicView(state.topic, grades, rankings, levels), TopicView(state.topic, regraded, swapped, levels)


def _swapped(ranking: ListedDocuments, swaps: Sequence[tuple[str, int, int]]) -> ListedDocuments:
    """The ranking with documents that change places; scores stay where they are, ties are broken by the new order."""
    documents = list(ranking.documents)
    for side, first, second in swaps:
        if not (1 <= first <= len(documents) and 1 <= second <= len(documents)):
            raise ParameterError(f"swap {side}{first}-{second}: run {side.upper()} has {len(documents)} documents here")
        documents[first - 1], documents[second - 1] = documents[second - 1], documents[first - 1]
    if not swaps:
        return ranking
    return ListedDocuments(tuple(documents), tuple(float(score) for score in range(len(documents), 0, -1)))


def _values(look: TopicView, measures: Sequence[Measure], state: State) -> dict[str, list[float | None]]:
    """By side: a value for each measure; None where one is undefined."""
    qrels = look.qrels()

    def value(side: str, measure: Measure) -> float | None:
        run = look.run(side) or {LEVELS: {"-": 0.0}}
        try:
            made = evaluate(qrels, {"run": run}, measure, judged_only=state.judged, depth=state.depth)
        except RankscaleError:  # it is undefined here, or needs scores that are not there
            return None
        return finite(made.values[0, 0, made.topics.index(look.topic)])

    return {side: [value(side, measure) for measure in measures] for side in SIDES}


def _side(state: State, look: TopicView, side: str) -> ViewData:
    """Documents down to the rank shown, with their ranks in the other run, and curves of CRP and DCG."""
    ranking = look.rankings[side]
    names = list(ranking.documents[: state.shown])
    other = look.rankings[SIDES[side == "a"]].documents
    elsewhere = {name: rank for rank, name in enumerate(other, 1)}
    return {
        "run": getattr(state, side),
        "length": len(ranking.documents),
        "documents": names,
        "grades": [finite(look.grades.get(name)) for name in names],
        "scores": listed(ranking.scores[: state.shown]),
        "elsewhere": [elsewhere.get(name) for name in names],
        "curves": _curves(state, look, side),
    }


def _curves(state: State, look: TopicView, side: str) -> ViewData | None:
    """RP, CRP, DCG and the gain less the ideal one, rank by rank; None where nothing is relevant or retrieved."""
    made = _crp_dcg(state, look, side)
    if made is None:
        return None
    columns = made.ranks.columns
    names = ("RP", "CRP", "full_scale", "DCG", "ideal_DCG", "difference")
    return {
        "dcg": made.measure,
        "recall_base": made.course.recall_base,
        "turn_around": made.course.turn_around,
        "balance": finite(made.course.balance),
        **{name: listed(columns[name][: state.shown]) for name in names},  # type: ignore[arg-type]  # numbers
    }


def _crp_dcg(state: State, look: TopicView, side: str) -> CrpDcgFigure | None:
    """Both curves; None where nothing is relevant or retrieved."""
    name: str = getattr(state, side)
    if not look.rankings[side].documents:
        return None
    try:
        return crp_dcg_figure(
            look.qrels(),
            {name: look.run(side)},
            look.topic,
            last=state.shown,
            rel=state.lowest_relevant,
            judged_only=state.judged,
        )
    except RankscaleError:  # nothing is relevant
        return None


def table(bench: Bench, state: State) -> Table:
    """Both lists, rank by rank."""
    state = with_topic(bench, state)
    _, look = looks(bench, state)
    rows = [
        (getattr(state, side), rank, document, look.grades.get(document), score)
        for side in SIDES
        for rank, (document, score) in enumerate(zip(*look.rankings[side], strict=True), 1)
    ]
    return Table.of(("run", "rank", "document", "grade", "score"), rows)


def figure(bench: Bench, state: State) -> Figure:
    """CRP and DCG of both rankings, side by side."""
    state = with_topic(bench, state)
    _, look = looks(bench, state)
    made = {getattr(state, side): _crp_dcg(state, look, side) for side in SIDES}
    there = {name: one for name, one in made.items() if one is not None}
    if not there:
        raise ParameterError(f"topic {state.topic} has nothing to draw: no document is relevant, or none is retrieved")
    return next(iter(there.values())) if len(there) == 1 else panels(there)


def command(bench: Bench, state: State) -> str:
    """`rankscale diff` with the documents of this topic."""
    return bench.command("diff", state, "--baseline", state.b, "--candidate", state.a, "--table", "documents")


VIEW = BenchView("ranking", "Ranking", "Why do they differ on this topic?", data, table, command, figure)
