"""Bench: the qrels and runs that a workbench looks at, what was measured of them, and documents of their rankings."""

import shlex
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.data.names import place_of
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError, ScaleError
from rankscale.evaluation.batches import ignored_by_all
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.base.parser import Relevance
from rankscale.scales.interval import NotKnown, interval_version, why_no_version
from rankscale.stats.tests.register import find_test
from rankscale.studies.pooling import best_ranks, judgments_of
from rankscale.workbench import documents
from rankscale.workbench.jobs import Cache
from rankscale.workbench.state import State

HOLDER = "this workbench has"
VALUES_BYTES, RANKINGS_BYTES, BOUNDS_BYTES = 96 << 20, 96 << 20, 16 << 20  # of what is kept
Progress = Callable[[int, int], None]


class Bounded(NamedTuple):
    """Values with bounds and, where measures are sums over ranks, how much of what is open judging can settle."""

    evaluation: Evaluation
    settled: Floats | None  # (measure, run, topic)

    def ends(self) -> tuple[Floats, Floats]:
        """(measure, run) twice: lower and upper means."""
        means = self.evaluation.extra_means()
        return means["lower"], means["upper"]

    def of_documents(self) -> Floats | None:
        """(measure, run): the part of the distance between bounds that unjudged documents leave open, on the mean."""
        if self.settled is None:
            return None
        return replace(self.evaluation, upper=self.settled).extra_means()["upper"]


@dataclass(frozen=True, eq=False)
class JudgedRanks:
    """The ranks at which each run has judged documents, ranking by ranking: of run `r` and topic `t` number `r T + t`.

    Bounds are then made without a look at the documents, so that weights can move.
    """

    rank: Ints  # (entry,), those of one ranking together, top down
    owner: Ints  # (entry,), number of the ranking
    first: Ints  # (run + 1,), where the entries of each run begin
    lengths: Ints  # (ranking,), documents retrieved
    qrels: Qrels

    @classmethod
    def of(cls, qrels: Qrels, runs: Sequence[Run]) -> "JudgedRanks":
        """Those of some runs."""
        topics = len(qrels.topics)
        ranks, owners, lengths = [], [], np.zeros((len(runs), topics), dtype=np.int64)
        for number, run in enumerate(runs):
            kept = qrels.is_judged[judgments_of(run, qrels)]
            ranks.append(run.rank[kept])
            owners.append((np.repeat(run.rows.astype(np.int64), np.diff(run.starts)) + number * topics)[kept])
            lengths[number, run.rows] = run.length
        first = np.cumsum([0, *map(len, ranks)])
        nothing = np.zeros(0, dtype=np.int32)
        rank, owner = np.concatenate([nothing, *ranks]), np.concatenate([nothing.astype(np.int64), *owners])
        return cls(rank, owner, first, lengths.ravel(), qrels)

    def bounded(self, evaluation: Evaluation, places: Sequence[int], rows: Ints) -> Bounded:
        """The evaluation with its bounds, and what judging all that was retrieved would settle.

        `places` are those of the evaluation's runs, `rows` those of its topics in the qrels. All its measures are sums
        over ranks; see `can_bound`.
        """
        lower, upper, settled = (np.empty(evaluation.values.shape) for _ in range(3))
        topics = len(self.qrels.topics)
        numbers = (np.array(places, dtype=np.int64)[:, None] * topics + rows).ravel()
        nothing, of_topics = np.zeros((len(numbers), 0), dtype=np.int32), np.tile(rows, len(places))
        light = Judged(  # rankings without entries: their lengths, and what the qrels have of their topics
            rank=nothing,
            code=np.full((len(numbers), 0), UNJUDGED, dtype=np.int16),
            document=nothing,
            first=nothing,
            last=nothing,
            length=self.lengths[numbers],
            counts=self.qrels.counts[of_topics],
            levels=self.qrels.levels,
            highest=self.qrels.highest,
            row=of_topics,
        )
        rank, owner = self._entries(places, numbers)
        shape = evaluation.values.shape[1:]
        for row, measure in enumerate(evaluation.measures):
            weighed = measure.as_additive
            assert weighed is not None  # noqa: S101  # see `can_bound`
            unjudged = weighed.unjudged_weight(light, rank, owner)
            ends = weighed.bounds_around(light, evaluation.values[row].ravel(), unjudged)
            lower[row], upper[row] = (end.reshape(shape) for end in ends)
            settled[row] = weighed.open_to_judging(light, unjudged).reshape(shape)
        return Bounded(replace(evaluation, lower=lower, upper=upper), settled)

    def _entries(self, places: Sequence[int], numbers: Ints) -> tuple[Ints, Ints]:
        """(entry,) twice: ranks of judged documents in these runs' rankings, and the places of these in `numbers`."""
        whole = len(places) + 1 == len(self.first)
        own = [slice(None)] if whole else [slice(*self.first[place : place + 2].tolist()) for place in places]
        rank, owner = (np.concatenate([column[one] for one in own]) for column in (self.rank, self.owner))
        place = np.full(len(self.lengths), UNJUDGED)
        place[numbers] = np.arange(len(numbers))
        kept = place[owner] >= 0
        return rank[kept], place[owner[kept]]


def can_bound(measure: Measure, qrels: Qrels) -> bool:
    """Whether bounds need no more than ranks of judged documents: sums over ranks, where no grade is negative."""
    weighed = measure.as_additive
    return (
        isinstance(weighed, Additive)
        and weighed is measure
        and type(measure).bounds is Additive.bounds
        and not measure.judged_only
        and not (qrels.levels < 0).any()
    )


@dataclass(frozen=True, eq=False)
class Bench:
    """Qrels and runs, held in memory as far as they are judged; documents are read from the files on demand.

    What was measured is kept by measure and options, up to a bounded size.
    """

    qrels: Qrels
    runs: tuple[Run, ...]
    origin: documents.Origin
    measures: tuple[str, ...]  # offered first; the first one is the default
    texts: documents.Texts = field(default_factory=documents.Texts)
    title: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)  # group of each topic, where they are given
    notices: tuple[Notice, ...] = ()
    _evaluations: Cache[Evaluation] = field(default_factory=lambda: Cache(VALUES_BYTES, _bytes_of_values))
    _rankings: Cache[documents.Packed] = field(default_factory=lambda: Cache(RANKINGS_BYTES, documents.ranking_bytes))
    _bounded: Cache[Bounded] = field(default_factory=lambda: Cache(BOUNDS_BYTES, _bytes_of_bounds))
    _reduced: Cache[tuple[Run, ...]] = field(default_factory=lambda: Cache(VALUES_BYTES, _bytes_of_runs))
    _documented: Cache[tuple[Run, ...]] = field(default_factory=lambda: Cache(RANKINGS_BYTES, documents.name_bytes))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(run.name for run in self.runs)

    def measure(self, state: State) -> Measure:
        """The measure of a state, with its relevance threshold."""
        return Relevance(state.rel).measure(state.m or self.measures[0])

    def measures_from(self, state: State) -> list[Measure]:
        """The measure of the state first, then the others that are offered."""
        offered = (self.measure(state.changed(m=text)) for text in self.measures)
        return list(dict.fromkeys([self.measure(state), *offered]))

    def settled(self, state: State) -> State:
        """The same state with runs A and B filled in; raise RankscaleError for names that do not exist."""
        measure = self.measure(state)
        find_test(state.test)
        for name in (state.a, state.b, state.baseline):
            if name:
                place_of(self.names, name, "run", HOLDER)
        known = frozenset(self.qrels.topics) if state.topics or state.topic else frozenset()
        for topic in sorted({*state.topics, *([state.topic] if state.topic else [])} - known):
            place_of(self.qrels.topics, topic, "topic", HOLDER)
        order = [] if state.a and state.b else list(self.evaluation(state, [measure]).sorted_by(measure).runs)
        a = state.a or next(name for name in order if name != (state.b or state.baseline))
        b = state.b or state.baseline
        if not b or b == a:
            b = next((name for name in order or self.names if name != a), a)
        return replace(state, a=a, b=b)

    def evaluation(
        self,
        state: State,
        measures: Sequence[Measure],
        runs: Sequence[str] | None = None,
        progress: Progress | None = None,
        *,
        bounds: bool = False,
        pool: int = 0,
    ) -> Evaluation:
        """Values of all runs, or of some, by some measures, as `evaluate` gives them with the options of the state.

        With `bounds` they have lower and upper ones; with `pool` the judgments are those of a pool of this depth.
        Topics that not all runs have are left out with missing='common', whichever runs are looked at.
        """
        if runs is not None and state.missing == "common":
            return self.evaluation(state, measures, None, progress, bounds=bounds, pool=pool).of_runs(runs)

        def made() -> Evaluation:
            # Bounds look at every judged document, relevant or not.
            every = self._cut(state.depth) if bounds else self._runs_for(state, measures)
            chosen = every if runs is None else [every[place_of(self.names, name, "run", HOLDER)] for name in runs]
            options: dict[str, Any] = {} if state.depth is None else {"depth": state.depth}
            return evaluate(
                self.pooled(pool),
                list(chosen),
                list(measures),
                judged_only=state.judged,
                missing=state.missing,  # type: ignore[arg-type]  # the state has checked it
                progress=progress,
                bounds=bounds,
                **options,
            )

        return self._evaluations.made((*_key(state, measures, runs), bounds, pool), made)

    def _cut(self, depth: int | None) -> tuple[Run, ...]:
        return self.runs if depth is None else tuple(run.cut(depth) for run in self.runs)

    @cached_property
    def reach(self) -> Ints:
        """(judgment,): the best rank that one of the runs gives each document."""
        return best_ranks(self.qrels, self.runs)

    @cached_property
    def judged_ranks(self) -> JudgedRanks:
        """Ranks of judged documents in all runs."""
        return JudgedRanks.of(self.qrels, self.runs)

    def bounded(
        self, state: State, measures: Sequence[Measure], runs: Sequence[str] | None, progress: Progress | None
    ) -> Bounded:
        """Values and bounds of some runs, or of all, by measures that are sums over ranks (see `can_bound`)."""

        def made() -> Bounded:
            plain = self.evaluation(state, measures, runs, progress)
            row = {topic: place for place, topic in enumerate(self.qrels.topics)}
            rows = np.array([row[topic] for topic in plain.topics], dtype=np.int64)
            return self.judged_ranks.bounded(plain, [self.names.index(name) for name in plain.runs], rows)

        return self._bounded.made(_key(state, measures, runs), made)

    def pooled(self, depth: int) -> Qrels:
        """The judgments of a pool of all runs at this depth, as `pool` gives them; 0 is all judgments."""
        return self.qrels.keeping(self.reach <= depth) if depth else self.qrels

    def _runs_for(self, state: State, measures: Sequence[Measure]) -> tuple[Run, ...]:
        """The runs without what no measure looks at, which are far smaller; cut where the state says so."""
        ignored = ignored_by_all(measures, self.qrels, condensed=state.judged)

        def made() -> tuple[Run, ...]:
            return tuple(run.without(ignored, self.qrels) for run in self._cut(state.depth))

        if state.depth is None and not ignored.any():
            return self.runs
        return self._reduced.made((state.depth, tuple(ignored.tolist())), made)

    def interval(
        self, state: State, measure: Measure, runs: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Evaluation | NotKnown:
        """Values of the measure's interval version, or why there are none."""
        version = interval_version(measure)
        if version is None:
            return NotKnown(why_no_version(measure))
        try:
            return self.evaluation(state, [version], runs, progress)
        except (ScaleError, ParameterError) as error:
            return NotKnown(str(error))

    def ranking(self, run: str, topic: str) -> documents.ListedDocuments:
        """The documents of one ranking, all of them; read from the file of the run when first looked at."""
        place = place_of(self.names, run, "run", HOLDER)
        packed = self._rankings.made(place, lambda: documents.read_rankings(self.origin, place, self.qrels))
        return documents.unpacked(packed.get(topic, documents.PackedTopic()))

    def words_of(self, topics: Sequence[str]) -> Mapping[str, list[str]]:
        """Queries and groups of some topics; empty lists where there are none of any topic."""
        known = {"queries": self.texts.queries, "groups": self.groups}
        return {name: [of.get(topic, "") for topic in topics] if of else [] for name, of in known.items()}

    @property
    def ranks_read(self) -> int:
        """Down to which rank `documented` names documents."""
        return documents.ranks_read(len(self.runs), len(self.qrels.topics))

    def documented(self, progress: Progress | None = None) -> tuple[Run, ...]:
        """All runs with the names of their documents, down to the rank `ranks_read`; read from the files once."""
        ranks = self.ranks_read
        return self._documented.made(
            ranks, lambda: documents.read_documents(self.runs, self.origin, self.qrels, ranks, progress)
        )

    def command(self, verb: str, state: State, *words: str, measures: Iterable[Measure] | None = None) -> str:
        """The command line that gives the same numbers; `words` are options of its own.

        With `measures` these are named, each with its own relevance threshold, in place of the state's.
        """
        named = [str(state.m or self.measures[0])] if measures is None else list(map(str, measures))
        options = [word for name in named for word in ("-m", name)]
        if state.rel is not None and measures is None:
            options += ["--rel", canonical_text(state.rel)]
        if state.judged:
            options += ["--judged-only"]
        if state.depth is not None:
            options += ["--depth", str(state.depth)]
        return self.line(verb, *options, *state.missing_words, *words)

    def line(self, verb: str, *words: str) -> str:
        """A command line about the same files, with these options alone."""
        # Patterns and placeholders stay as they are: a shell reads them.
        return " ".join(["rankscale", verb, *self.origin.words, *map(shlex.quote, words)])


def _key(state: State, measures: Sequence[Measure], runs: Sequence[str] | None) -> tuple[Hashable, ...]:
    """What values depend on; the names of measures have all of their parameters, exactly."""
    names = None if runs is None else tuple(runs)
    return (tuple(map(str, measures)), names, state.judged, state.depth, state.missing)


def _bytes_of_values(evaluation: Evaluation) -> int:
    columns = (evaluation.values, evaluation.lower, evaluation.upper)
    return sum(column.nbytes for column in columns if column is not None)


def _bytes_of_bounds(made: Bounded) -> int:
    return _bytes_of_values(made.evaluation) + (0 if made.settled is None else made.settled.nbytes)


def _bytes_of_runs(runs: Sequence[Run]) -> int:
    return sum(4 * run.rank.nbytes for run in runs)
