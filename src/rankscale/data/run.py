"""Run: what a system retrieved, as far as the qrels see it."""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any, Self

import numpy as np

from rankscale import _core
from rankscale.data.arrays import UNJUDGED, Bools, ComparedByValue, Floats, Ints, frozen
from rankscale.data.judged import Judged
from rankscale.data.notices import Notice, Noticed
from rankscale.data.qrels import Qrels
from rankscale.data.records import dataclass

COLUMNS = ("rank", "document", "first", "last")  # of a run's entries
BLOCK_ENTRIES = 1 << 17  # about what keeps a formula's columns in the processor's cache


@dataclass(frozen=True, eq=False)
class Run(ComparedByValue, Noticed):
    """A system's rankings, of which only the judged documents are kept.

    Entries of topic number `i` of this run (row `rows[i]` of the qrels) stand at `starts[i]:starts[i + 1]`.
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

    def judged(self, qrels: Qrels, start: int = 0, stop: int | None = None, kept: Ints | None = None) -> Judged:
        """The rankings `start` to `stop` of this run, ready for formulas.

        `kept` are the codes of the levels that they are given with, as `Qrels.levels_of` says: where a collection has
        very many different grades, tables of topics and grades are made of those at hand alone.
        """
        rows = self.rows[start:stop]
        starts = self.starts[start : start + len(rows) + 1]
        columns = [np.ascontiguousarray(column[starts[0] : starts[-1]]) for column in self._entries]
        code_starts = np.ascontiguousarray(qrels.starts[rows])
        width, *tables, code = _core.entries(columns, starts - starts[0], qrels.codes, code_starts)
        shape = (len(rows), width)
        rank, document, first, last = (np.frombuffer(table, dtype=np.int32).reshape(shape) for table in tables)
        codes = np.frombuffer(code, dtype=np.int16)
        levels = qrels.levels if kept is None else qrels.levels[kept]
        if kept is not None:
            codes = np.where(codes == UNJUDGED, UNJUDGED, np.searchsorted(kept, codes)).astype(np.int16)
        return Judged(
            rank=rank,
            code=codes.reshape(shape),
            document=document,
            first=first,
            last=last,
            length=self.length[start:stop],
            counts=qrels.counts_of(rows, kept),
            levels=levels,
            highest=qrels.highest,
            score=None if self.score is None else _padded(self.score, starts, width),
            row=rows,
            aspects=qrels.aspects,
        )

    @property
    def _entries(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.rank, self.document, self.first, self.last

    def select_topics(self, rows: Ints) -> Self:
        """The same run with some of its topics, given by their rows in the qrels."""
        kept = np.isin(self.rows, rows)
        if kept.all():
            return self
        entries = np.diff(self.starts)
        entry = np.repeat(kept, entries)
        columns = {name: getattr(self, name)[entry] for name in COLUMNS}
        return replace(
            self,
            **columns,
            rows=self.rows[kept],
            length=self.length[kept],
            starts=np.concatenate([[0], np.cumsum(entries[kept])]),
            score=None if self.score is None else self.score[entry],
            documents=None,
        )

    def cut(self, depth: int) -> Self:
        """The same rankings, ended at `depth`, as if they had been read so."""
        kept = self.rank <= depth
        counts = np.add.reduceat(np.append(kept, 0), self.starts[:-1]) * (np.diff(self.starts) > 0)
        rank, document, first, last = (frozen(column[kept]) for column in self._entries)
        return replace(
            self,
            rank=rank,
            document=document,
            first=first,
            last=frozen(np.minimum(last, depth)),
            length=frozen(np.minimum(self.length, depth)),
            starts=frozen(np.concatenate([[0], np.cumsum(counts)])),
            depth=depth,
            score=None if self.score is None else self.score[kept],
            documents=None if self.documents is None else tuple(names[:depth] for names in self.documents),
        )

    def blocks(self, qrels: Qrels, ranks: int = 0, *, all_levels: bool = True) -> Iterator[tuple[slice, Judged]]:
        """The rankings in blocks of bounded size: which they are, and the rankings themselves.

        `ranks` is how many of them formulas will spread each ranking over, if they do. Without `all_levels`,
        blocks have the levels of their topics alone where there are very many of them.
        """
        few = qrels.has_many_levels and not all_levels
        levels = np.diff(qrels.starts)[self.rows] if few else len(qrels.levels)  # counts[topic, level] take room, too
        entries = np.maximum(np.diff(self.starts), np.maximum(ranks, levels))
        start = 0
        while start < len(self.rows):
            # The widest ranking of a block sets the width of all its rows.
            area = np.maximum.accumulate(entries[start:]) * np.arange(1, len(entries) - start + 1)
            if few:  # each topic may have grades of its own
                area = np.maximum(area, np.cumsum(entries[start:]) * np.arange(1, len(entries) - start + 1))
            stop = start + max(1, int(np.searchsorted(area, BLOCK_ENTRIES, side="right")))
            kept = qrels.levels_of(self.rows[start:stop]) if few else None
            yield slice(start, stop), self.judged(qrels, start, stop, kept)
            start = stop

    def without(self, ignored: Bools, qrels: Qrels) -> Self:
        """The same rankings without the entries of some levels; ranks and lengths stay."""
        if not ignored.any():
            return self
        code_starts = np.ascontiguousarray(qrels.starts[self.rows])
        starts, *kept = _core.kept_entries(self._entries, self.starts, qrels.codes, code_starts, (~ignored).tobytes())
        columns: dict[str, Any] = {
            name: np.frombuffer(column, dtype=np.int32) for name, column in zip(COLUMNS, kept, strict=True)
        }
        return replace(self, **columns, starts=np.frombuffer(starts, dtype=np.int64), score=None)

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
            documents=documents,
        )

    def __repr__(self) -> str:
        return (
            f"<Run {self.name}: {len(self.rows)} topics, {int(self.length.sum())} documents, {len(self.rank)} judged>"
        )


def _padded(column: Floats, starts: Ints, width: int) -> Floats:
    """Rows `starts[i]` to `starts[i + 1]` of a column as a table; NaN fills the shorter ones."""
    table = np.full((len(starts) - 1, width), np.nan)
    table[np.arange(width) < np.diff(starts)[:, None]] = column[starts[0] : starts[-1]]
    return table


def concatenate(runs: Sequence[Run]) -> Run:
    """The rankings of some runs as those of one run, so that a formula is evaluated once for all of them."""
    if len(runs) == 1:
        return runs[0]
    ends = np.cumsum([0, *(len(run.rank) for run in runs)])
    starts = np.concatenate([[0], *(run.starts[1:] + end for run, end in zip(runs, ends, strict=False))])
    scored = all(run.score is not None for run in runs)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(run, name) for run in runs])
        for name in ("rows", "length", *COLUMNS, *["score"] * scored)
    }
    return replace(runs[0], **{"score": None, **columns}, name="", starts=starts, documents=None)
