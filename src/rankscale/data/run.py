"""Run: what a system retrieved, as far as the qrels see it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np

from rankscale import _core
from rankscale.data.arrays import UNJUDGED, Bools, ComparedByValue, Floats, Ints, LazyFields, frozen, lazy
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.notices import Notice, Noticed
from rankscale.data.qrels import Qrels

EVERY_RUN = ("rank", "document", "first", "last")  # columns of entries that no run lacks
COLUMNS = (*EVERY_RUN, "score", "judged_so_far")  # of a run's entries
BLOCK_ENTRIES = 1 << 17  # about what keeps a formula's columns in the processor's cache
SAME_TOPIC = 64  # rankings of one topic that stand in a block, however many grades the topic has
SMALL_BLOCK = 1 << 15  # cells, those that only fill rows included: smaller blocks cost more in calls than they save


@dataclass(frozen=True, eq=False)
class Run(LazyFields, ComparedByValue, Noticed):
    """A system's rankings, of which only the judged documents are kept.

    Entries of topic number `i` of this run (row `rows[i]` of the qrels) stand at `starts[i]:starts[i + 1]`. Few
    measures look at `first` and `last`: they may be computed when they are first read.
    """

    name: str
    rows: Ints  # (topic,), which topics of the qrels the run has, ascending
    length: Ints  # (topic,), documents retrieved
    starts: Ints  # (topic + 1,)
    rank: Ints  # (entry,)
    document: Ints  # (entry,), row in the topic's qrels
    first: Ints  # (entry,), rank of the first document with the same score
    last: Ints  # (entry,), rank of the last one
    qrels: int = 0  # fingerprint of the qrels it was judged with
    order: str = "score"  # what put it in order
    depth: int | None = None  # where it was cut
    source: str = field(default="", compare=False)
    last_tag: str = ""  # the tag of the file's last line, which trec_eval prints
    unknown_topics: int = 0  # topics in the run without judgments
    is_scattered: bool = field(default=False, compare=False)  # lines of a topic do not stand together in its file
    notices: tuple[Notice, ...] = ()
    score: Floats | None = None  # (entry,), what the run gave each judged document, with keep_scores
    documents: tuple[tuple[str, ...], ...] | None = None  # names by topic and rank, with keep_documents
    judged_so_far: Ints | None = None  # (entry,), judged documents at or above; set by `without` alone

    def judged(self, qrels: Qrels, start: int = 0, stop: int | None = None, kept: Ints | None = None) -> Judged:
        """The rankings `start` to `stop` of this run, ready for formulas.

        `kept` are the codes of the only levels that tables keep, as `Qrels.levels_of` says: where a collection has
        very many different grades, tables of topics and grades are made of those at hand alone.
        """
        return self._judged(qrels, slice(start, stop), kept)

    def _judged(self, qrels: Qrels, which: slice | Ints, kept: Ints | None) -> Judged:
        """Some of the rankings, in any order, ready for formulas."""
        rows = self.rows[which]
        rankings = self.starts[:-1][which], self.starts[1:][which]
        code_starts = np.ascontiguousarray(qrels.starts[rows])
        width, rank, code = _core.entries((self.rank, self.document), rankings, qrels.codes, code_starts)
        shape = (len(rows), width)
        codes = np.frombuffer(code, dtype=np.int16)
        levels = qrels.levels if kept is None else qrels.levels[kept]
        if kept is not None:
            codes = np.where(codes == UNJUDGED, UNJUDGED, np.searchsorted(kept, codes)).astype(np.int16)

        def table(filling: int, column: Ints) -> Ints:
            return np.frombuffer(_core.padded(column, rankings, filling), dtype=np.int32).reshape(shape)

        return Judged(
            rank=np.frombuffer(rank, dtype=np.int32).reshape(shape),
            code=codes.reshape(shape),
            document=self.derive("document", partial(table, UNJUDGED)),
            first=self.derive("first", partial(table, BEYOND)),
            last=self.derive("last", partial(table, BEYOND)),
            length=self.length[which],
            counts=qrels.counts_of(rows, kept),
            levels=levels,
            highest=qrels.highest,
            score=None if self.score is None else _padded(self.score, rankings, width),
            row=rows,
            aspects=qrels.aspects,
            above=None if self.judged_so_far is None else table(0, self.judged_so_far),
        )

    def select_topics(self, rows: Ints) -> Self:
        """The same run with some of its topics, given by their rows in the qrels."""
        kept = np.isin(self.rows, rows)
        if kept.all():
            return self
        entries = np.diff(self.starts)
        return replace(
            self,
            **self._columns_of(np.repeat(kept, entries)),
            rows=self.rows[kept],
            length=self.length[kept],
            starts=np.concatenate([[0], np.cumsum(entries[kept])]),
            documents=None,
        )

    def _columns_of(self, entries: Bools) -> dict[str, Any]:
        """The columns of some entries, by name; None for those that the run does not have."""
        columns = {name: getattr(self, name) for name in COLUMNS}
        return {name: None if column is None else frozen(column[entries]) for name, column in columns.items()}

    def cut(self, depth: int) -> Self:
        """The same rankings, ended at `depth`, as if they had been read so."""
        kept = self.rank <= depth
        counts = np.add.reduceat(np.append(kept, 0), self.starts[:-1]) * (np.diff(self.starts) > 0)
        columns = self._columns_of(kept)
        return replace(
            self,
            **{**columns, "last": frozen(np.minimum(columns["last"], depth))},
            length=frozen(np.minimum(self.length, depth)),
            starts=frozen(np.concatenate([[0], np.cumsum(counts)])),
            depth=depth,
            documents=None if self.documents is None else tuple(names[:depth] for names in self.documents),
        )

    def blocks(self, qrels: Qrels) -> Iterator[tuple[slice, Judged]]:
        """The rankings in blocks of bounded size: which they are, and the rankings themselves."""
        start = 0
        for which, judged in self._blocks(qrels, np.arange(len(self.rows)), self._sizes(0, len(qrels.levels))):
            yield slice(start, start := start + len(which)), judged

    def blocks_by_size(self, qrels: Qrels, ranks: int = 0, *, all_levels: bool = True) -> Iterator[tuple[Ints, Judged]]:
        """The same, with rankings of about as many entries together, so that little of a table is only filled up.

        `ranks` is the number of ranks over which formulas will spread each ranking, 0 if they do not. Without
        `all_levels`, blocks have the levels of their topics alone where there are very many of them.
        """
        few = qrels.has_many_levels and not all_levels
        sizes = self._sizes(ranks, np.diff(qrels.starts)[self.rows] if few else len(qrels.levels))
        order = np.lexsort((self.rows, sizes)) if few else np.argsort(sizes, kind="stable")
        return self._blocks(qrels, order, sizes, few=few, by_size=True)

    def _sizes(self, ranks: int, levels: int | Ints) -> Ints:
        """(topic,): cells of a row in the widest table of a block; `counts` has one for each level."""
        sizes: Ints = np.maximum(np.diff(self.starts), np.maximum(ranks, levels))
        return sizes

    def _blocks(
        self, qrels: Qrels, order: Ints, sizes: Ints, *, few: bool = False, by_size: bool = False
    ) -> Iterator[tuple[Ints, Judged]]:
        sizes, start = sizes[order], 0
        levels: tuple[list[int], Ints | None] = [], None  # of the topics of the block before
        while start < len(order):
            # The widest ranking of a block sets the width of all its rows.
            at_most = BLOCK_ENTRIES // max(1, int(sizes[start])) + 1
            ahead = sizes[start : start + (max(at_most, SAME_TOPIC) if few else at_most)]
            count, so_far = np.arange(1, len(ahead) + 1), np.cumsum(ahead)
            area = np.maximum.accumulate(ahead) * count
            if few:  # each topic may have grades of its own; those of a single one are counted once
                which = order[start : start + len(ahead)]
                entries = np.maximum.accumulate(np.diff(self.starts)[which]) * count
                is_same = np.logical_and.accumulate(self.rows[which] == self.rows[which[0]])
                area = np.where(is_same & (count <= SAME_TOPIC), entries, np.maximum(area, so_far * count))
            most = np.minimum(BLOCK_ENTRIES, np.maximum(SMALL_BLOCK, 2 * so_far)) if by_size else BLOCK_ENTRIES
            too_large = area > most
            stop = start + (max(1, int(too_large.argmax())) if too_large.any() else len(count))
            which = order[start:stop]
            topics = np.unique(self.rows[which]).tolist() if few else []
            if topics != levels[0]:
                levels = topics, qrels.levels_of(np.array(topics))
            yield which, self._judged(qrels, which, levels[1])
            start = stop

    def without(self, ignored: Bools, qrels: Qrels) -> Self:
        """The same rankings without the entries of some levels; ranks and lengths stay."""
        if not ignored.any():
            return self
        code_starts = np.ascontiguousarray(qrels.starts[self.rows])
        starts, places, counts, rank, document = _core.kept_entries(
            (self.rank, self.document),
            (self.starts[:-1], self.starts[1:]),
            qrels.codes,
            code_starts,
            (~ignored).tobytes(),
            (qrels.levels >= 0).tobytes(),
        )
        kept = partial(np.take, indices=np.frombuffer(places, dtype=np.int64))
        counted = np.frombuffer(counts, dtype=np.int32)
        return replace(
            self,
            rank=np.frombuffer(rank, dtype=np.int32),
            document=np.frombuffer(document, dtype=np.int32),
            first=self.derive("first", kept),
            last=self.derive("last", kept),
            starts=np.frombuffer(starts, dtype=np.int64),
            score=None,
            judged_so_far=counted if self.judged_so_far is None else kept(self.judged_so_far),
        )

    def completed(self, topics: int) -> Self:
        """The same run with an empty ranking for each topic of the qrels that it misses."""
        if len(self.rows) == topics:
            return self
        lacking = np.ones(topics, dtype=bool)
        lacking[self.rows] = False
        missing = np.flatnonzero(lacking).astype(self.rows.dtype)
        rows = np.concatenate([self.rows, missing])
        order = np.argsort(rows, kind="stable")
        entries = np.concatenate([np.diff(self.starts), np.zeros(len(missing), dtype=np.int64)])[order]
        length = np.concatenate([self.length, np.zeros(len(missing), dtype=self.length.dtype)])[order]
        names = [*(self.documents or ()), *([()] * len(missing))]
        documents = None if self.documents is None else tuple(names[place] for place in order.tolist())
        return replace(
            self,
            rows=frozen(rows[order]),
            length=frozen(length),
            starts=frozen(np.concatenate([[0], np.cumsum(entries)])),
            first=self.derive("first", frozen),
            last=self.derive("last", frozen),
            documents=documents,
        )

    def __repr__(self) -> str:
        documents = int(self.length.sum())
        return f"<Run {self.name}: {len(self.rows)} topics, {documents} documents, {len(self.rank)} judged>"


def _padded(column: Floats, rankings: tuple[Ints, Ints], width: int) -> Floats:
    """Rows `starts[i]` to `ends[i]` of a column as a table; NaN fills the shorter ones."""
    starts, ends = rankings
    place = starts[:, None] + np.arange(width)
    return np.append(column, np.nan)[np.where(place < ends[:, None], place, len(column))]


def concatenate(runs: Sequence[Run]) -> Run:
    """The rankings of some runs as those of one run, so that a formula is evaluated once for all of them."""
    if len(runs) == 1:
        return runs[0]
    ends = np.cumsum([0, *(len(run.rank) for run in runs)])
    starts = np.concatenate([[0], *(run.starts[1:] + end for run, end in zip(runs, ends, strict=False))])
    extra = [name for name in ("score", "judged_so_far") if all(getattr(run, name) is not None for run in runs)]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(run, name) for run in runs])
        for name in ("rows", "length", "rank", "document", *extra)
    }
    return replace(
        runs[0],
        **{"score": None, "judged_so_far": None, **columns},
        first=lazy(lambda: np.concatenate([run.first for run in runs])),
        last=lazy(lambda: np.concatenate([run.last for run in runs])),
        name="",
        starts=starts,
        documents=None,
    )
