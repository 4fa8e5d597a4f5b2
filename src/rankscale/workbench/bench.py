"""Bench: the qrels and runs that a workbench looks at, what was measured of them, and documents of their rankings."""

import shlex
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.data.names import place_of
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError, ScaleError
from rankscale.evaluation.batches import ignored_by_all
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import Ranking, rankings_of
from rankscale.inputs.read import runs_by_source
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.base.parser import Relevance
from rankscale.scales.interval import NotKnown, interval_version, why_no_version
from rankscale.stats.tests.register import find_test
from rankscale.studies.pooling import best_ranks
from rankscale.workbench.jobs import Cache
from rankscale.workbench.judged_ranks import Bounded, JudgedRanks
from rankscale.workbench.state import State
from rankscale.workbench.texts import NO_TEXTS, Texts

MOST_NAMES = 1_500_000  # documents of all rankings together that are looked at
FEWEST_RANKS, MOST_RANKS = 10, 1000
HOLDER = "this workbench has"
WORDS = ("QRELS", "RUN...")  # of the command lines that pages show, where no files are named
VALUES_BYTES, RANKINGS_BYTES, BOUNDS_BYTES = 96 << 20, 96 << 20, 16 << 20  # of what is kept
Progress = Callable[[int, int], None]


class ListedDocuments(NamedTuple):
    """The documents of one ranking in order, and their scores."""

    documents: tuple[str, ...]
    scores: tuple[float, ...]


class PackedTopic(NamedTuple):
    """One ranking in few bytes: names one after the other, where each ends (int32), and scores (float64)."""

    names: bytes
    ends: bytes
    scores: bytes


@dataclass(frozen=True)
class Packed:
    """The rankings of one run by topic, so packed that millions of documents fit."""

    topics: Mapping[str, PackedTopic]

    @classmethod
    def of(cls, rankings: Iterable[Ranking]) -> "Packed":
        """Rankings, packed one by one as they are read."""
        return cls({one.topic: _packed(one) for one in rankings})

    @property
    def size(self) -> int:
        """Bytes, about."""
        return sum(sum(map(len, one)) + 400 for one in self.topics.values())

    def ranking(self, topic: str) -> ListedDocuments:
        """The ranking of a topic; empty where the run has none."""
        names, ends, scores = self.topics.get(topic, (b"", b"", b""))
        last = np.frombuffer(ends, dtype=np.int32).tolist()
        parts = (names[start:end] for start, end in zip([0, *last], last, strict=False))
        documents = tuple(part.decode("utf-8", "surrogateescape") for part in parts)
        return ListedDocuments(documents, tuple(np.frombuffer(scores, dtype=np.float64).tolist()))


def _packed(one: Ranking) -> PackedTopic:
    names = [name.encode("utf-8", "surrogateescape") for name in one.documents]
    ends = np.cumsum([len(name) for name in names], dtype=np.int32)
    return PackedTopic(b"".join(names), ends.tobytes(), np.array(one.scores, dtype=np.float64).tobytes())


@dataclass(frozen=True)
class Origin:
    """Where rankings come from, so that documents can be read when somebody looks at them."""

    places: Sequence[tuple[Any, str | None]]  # (run,): its source, and its name there where that holds several
    reading: Reading
    words: Sequence[str] = WORDS  # of a command line that reads the same files


@dataclass(frozen=True, eq=False)
class Bench:
    """Qrels and runs, held in memory as far as they are judged; documents are read from the files on demand.

    What was measured is kept by measure and options, up to a bounded size.
    """

    qrels: Qrels
    runs: tuple[Run, ...]
    origin: Origin
    measures: tuple[str, ...]  # offered first; the first one is the default
    texts: Texts = NO_TEXTS
    title: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)  # group of each topic, where they are given
    notices: tuple[Notice, ...] = ()
    _evaluations: Cache[Evaluation] = field(default_factory=lambda: Cache(VALUES_BYTES, _bytes_of_values))
    _rankings: Cache[Packed] = field(default_factory=lambda: Cache(RANKINGS_BYTES, lambda one: one.size))
    _bounded: Cache[Bounded] = field(default_factory=lambda: Cache(BOUNDS_BYTES, _bytes_of_bounds))
    _reduced: Cache[tuple[Run, ...]] = field(default_factory=lambda: Cache(VALUES_BYTES, _bytes_of_runs))
    _documented: Cache[tuple[Run, ...]] = field(default_factory=lambda: Cache(RANKINGS_BYTES, bytes_of_documents))

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
        return self._evaluations.made(
            (*_key(state, measures, runs), bounds, pool),
            lambda: self._evaluated(state, measures, runs, progress, bounds=bounds, pool=pool),
        )

    def _evaluated(
        self,
        state: State,
        measures: Sequence[Measure],
        names: Sequence[str] | None,
        progress: Progress | None,
        *,
        bounds: bool,
        pool: int,
    ) -> Evaluation:
        # Bounds look at every judged document, relevant or not.
        runs = self._cut(state.depth) if bounds else self._runs_for(state, measures)
        chosen = runs if names is None else [runs[place_of(self.names, name, "run", HOLDER)] for name in names]
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

    def ranking(self, run: str, topic: str) -> ListedDocuments:
        """The documents of one ranking, all of them; read from the file of the run when first looked at."""
        place = place_of(self.names, run, "run", HOLDER)
        return self._rankings.made(place, lambda: self._read(place)).ranking(topic)

    def words_of(self, topics: Sequence[str]) -> Mapping[str, list[str]]:
        """Queries and groups of some topics; empty lists where there are none of any topic."""
        known = {"queries": self.texts.queries, "groups": self.groups}
        return {name: [of.get(topic, "") for topic in topics] if of else [] for name, of in known.items()}

    @property
    def ranks_read(self) -> int:
        """Down to which rank `documented` names documents."""
        return ranks_read(len(self.runs), len(self.qrels.topics))

    def documented(self, progress: Progress | None = None) -> tuple[Run, ...]:
        """All runs with the names of their documents, down to the rank `ranks_read`; read from the files once."""
        ranks, origin = self.ranks_read, self.origin
        return self._documented.made(
            ranks, lambda: read_documents(self.runs, origin.places, self.qrels, origin.reading, ranks, progress)
        )

    def _read(self, place: int) -> Packed:
        source, name = self.origin.places[place]
        known = set(self.qrels.topics)
        rankings = rankings_of(source if isinstance(source, Run) else [source], self.origin.reading, self.qrels, name)
        return Packed.of(one for one in rankings.each() if one.topic in known)

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
        if state.missing != "zero":
            options += ["--missing", state.missing]
        return self.line(verb, *options, *words)

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


def ranks_read(runs: int, topics: int) -> int:
    """How many ranks of each ranking are looked at, so that many rankings do not take much memory.

    >>> ranks_read(129, 50), ranks_read(4, 7000), ranks_read(2, 50)
    (232, 53, 1000)
    """
    return max(FEWEST_RANKS, min(MOST_RANKS, MOST_NAMES // max(1, runs * topics)))


def read_documents(
    runs: Sequence[Run],
    places: Sequence[tuple[Any, str | None]],
    qrels: Qrels,
    reading: Reading,
    ranks: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Run, ...]:
    """The same runs with the names of their documents down to a rank, read from their sources one after the other.

    A name that several rankings share is held once. Runs whose source has no names of documents stay without them.
    """
    shared: dict[str, str] = {}
    made: list[Run] = []
    last: tuple[object, list[Run]] = (None, [])
    for number, (run, (source, name)) in enumerate(zip(runs, places, strict=True)):
        if progress:
            progress(number, len(runs))
        if source is not last[0]:
            last = (source, next(iter(runs_by_source(qrels, [(None, source)], replace(reading, keep_documents=True)))))
        of_source = last[1]
        read = next(one for one in of_source if name in {None, one.name})
        documents = None
        if read.documents is not None:
            documents = tuple(tuple(shared.setdefault(one, one) for one in names[:ranks]) for names in read.documents)
        made.append(replace(run, documents=documents))
    return tuple(made)


def bytes_of_documents(runs: Sequence[Run]) -> int:
    """About how much memory the names take."""
    names = [name for run in runs for topic in run.documents or () for name in topic]
    return 8 * len(names) + sum(60 + len(name) for name in set(names))
