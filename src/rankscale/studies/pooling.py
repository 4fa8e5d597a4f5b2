"""Pools: the documents that some runs rank at a depth or above, and which run brought them.

Assessors judge the pool of the runs of their time. With the runs at hand the pool can be made again, at any depth and
of any of them, as far as its documents were judged. Documents of a pool that nobody judged are counted run by run, and
listed where that is requested: then runs are read with the names of all their documents.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from rankscale.data.arguments import Declaration, Positive, check_arguments
from rankscale.data.arrays import Bools, Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.resources import need
from rankscale.data.run import Run
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.notices import topic_notices
from rankscale.inputs.core_results import name_of
from rankscale.inputs.options import Reading, SourceOptions
from rankscale.inputs.rankings import listings_of
from rankscale.inputs.read import QrelsLike, RunFile, RunsLike, read_qrels, run_sources, runs_with_names
from rankscale.studies.support.study import Study, origin_of_files, table_of_arrays

NO_DOCUMENT = ""  # the one entry of each topic, with a grade that means unjudged


def no_judgments(runs: RunsLike, max_size: int | None = None) -> Qrels:
    """The topics of runs, in the order of their names.

    Raise ParameterError for runs that were read before, or that can be read only once: their topics are read first.
    """
    topics = {topic for _, source in run_sources(runs) for topic in _topics(source, Reading(max_size=max_size))}
    if not topics:
        raise ParameterError("the runs have no topics")
    return read_qrels({topic: {NO_DOCUMENT: -1} for topic in sorted(topics)})


def _topics(source: object, reading: Reading) -> Iterator[str]:
    if isinstance(source, RunFile):
        reading, source = source.reading(reading), source.source
    if isinstance(source, Run) or source == "-" or hasattr(source, "read"):
        raise ParameterError("without qrels, runs are files or tables in memory: their topics are read first")
    where = os.fspath(source) if isinstance(source, os.PathLike) else source
    for listing in listings_of(where, reading, "file"):
        yield from map(name_of, listing.topics)


KEPT_BYTES = 3  # of each run and judgment, with what is worked out from them
NOWHERE = np.iinfo(np.int32).max  # the best rank of a document that no run retrieves


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Study):
    """Result of `pool`: the judgments of a pool, and what each run contributed to it.

    Attributes
    ----------
    qrels : Qrels
        Judgments of the pool.
    whole : Qrels
        All judgments.
    depth : int
        Depth of the pool.
    runs : tuple of str
        Names of the pooled runs.
    brought : array of bool
        (run, judgment): whether the run ranks the document at the depth or above.
    ranked : array of int
        (run, topic): documents at the depth or above, judged or not.
    orders : tuple of str
        How each run was put in order.
    sources : tuple of str
        Of the qrels, then of each run.
    rel : float
        Lowest relevant grade.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    to_judge : Table, optional
        Unjudged documents of the pool, if they are listed.
    is_judged : bool
        Whether there are qrels; without them all documents are to be judged.
    """

    qrels: Qrels
    whole: Qrels
    depth: int
    runs: tuple[str, ...]
    brought: Bools
    ranked: Ints
    orders: tuple[str, ...]
    sources: tuple[str, ...]
    rel: float
    notices: tuple[Notice, ...]
    to_judge: Table | None = None
    is_judged: bool = True

    @property
    def pooled(self) -> Bools:
        """(judgment,): whether some run brought the document."""
        return in_some(self.brought)

    @property
    def alone(self) -> Bools:
        """(run, judgment): whether this run brought the document, and no other did."""
        return only_one(self.brought)

    @property
    def unjudged(self) -> Ints:
        """(run, topic): documents at the depth or above that nobody judged."""
        return self.ranked - self._by_topic(self.brought & self.whole.is_judged)

    @property
    def is_whole(self) -> bool:
        """Whether all documents of the pool are judged."""
        return not self.unjudged.any()

    def _by_topic(self, chosen: Bools) -> Ints:
        """(..., topic): how many judgments are chosen."""
        nothing = np.zeros((*chosen.shape[:-1], 1), dtype=np.int64)
        so_far = np.concatenate([nothing, np.cumsum(chosen, axis=-1)], axis=-1)
        return np.diff(so_far[..., self.whole.starts], axis=-1)

    @property
    def _relevant(self) -> Bools:
        return self.whole.is_relevant(self.rel)

    def tables(self) -> Mapping[str, Table]:
        """Contributions of each run, judgments of each topic, and unjudged documents if they are listed."""
        listed = {} if self.to_judge is None else {"unjudged": self.to_judge}
        runs, ranked = [{"run": self.runs}], self.ranked.sum(axis=-1)
        if not self.is_judged:
            return {**listed, "runs": table_of_arrays(runs, {"ranked": ranked})}
        judged, relevant, pooled, unjudged = self.whole.is_judged, self._relevant, self.pooled, self.unjudged
        brought = {
            "judged": self.brought & judged,
            "relevant": self.brought & relevant,
            "alone": self.alone & judged,
            "relevant_alone": self.alone & relevant,
        }
        held = {
            "judged": pooled & judged,
            "relevant": pooled & relevant,
            "left_out": ~pooled & judged,
            "relevant_left_out": ~pooled & relevant,
        }
        by_run = {name: np.count_nonzero(chosen, axis=-1) for name, chosen in brought.items()}
        by_topic = {name: self._by_topic(chosen) for name, chosen in held.items()}
        by_topic["unjudged_over_runs"] = unjudged.sum(axis=0)
        return {
            "runs": table_of_arrays(runs, {"ranked": ranked, **by_run, "unjudged": unjudged.sum(axis=-1)}),
            "topics": table_of_arrays([{"topic": self.whole.topics}], by_topic),
            **listed,
        }

    @property
    def settings(self) -> Mapping[str, object]:
        """Depth, and the lowest relevant grade."""
        return {"study": "pool", "pool-depth": self.depth, "rel": f"{self.rel:g}"}

    @property
    def origin(self) -> Mapping[str, object]:
        """Files and order."""
        return origin_of_files(self.sources, self.orders)

    def sentence(self) -> str:
        """Numbers of judgments in the pool, and of its unjudged documents."""
        if self.to_judge is not None and not self.is_judged:
            return f"{self._of_runs_at_depth()} has {_still_to_judge(len(self.to_judge))}, as there are no qrels."
        judged, relevant, pooled = self.whole.is_judged, self._relevant, self.pooled
        held, all_held = np.count_nonzero(pooled & judged), np.count_nonzero(judged)
        brought, all_relevant = np.count_nonzero(pooled & relevant), np.count_nonzero(relevant)
        ranked, unjudged = int(self.ranked.sum()), int(self.unjudged.sum())
        covered = "all its documents are judged"
        if unjudged:
            covered = f"{unjudged:,} of the {ranked:,} documents that runs bring are unjudged"
            if self.to_judge is not None:
                covered = _still_to_judge(len(self.to_judge))
        of_relevant = f"{brought:,} of {all_relevant:,} relevant ones"
        return f"{self._of_runs_at_depth()} holds {held:,} of {all_held:,} judged documents, {of_relevant}; {covered}."

    def _of_runs_at_depth(self) -> str:
        return f"The pool of {len(self.runs)} run{'s' * (len(self.runs) != 1)} at depth {self.depth}"


def _still_to_judge(documents: int) -> str:
    return f"{documents:,} distinct document{'s' * (documents != 1)} still to judge"


def pool(
    qrels: QrelsLike | None,
    runs: RunsLike,
    depth: Positive,
    *,
    pooled: Iterable[str] | None = None,
    rel: float = 1,
    list_unjudged: bool = False,
    **options: Unpack[SourceOptions],
) -> Pool:
    """Pool runs to a depth: what was or should be judged.

    The command writes the judgments of the documents in the pool in TREC form, and to standard error how far judgments
    cover it. A table shows instead what each run contributed, what each topic has, or the documents still to judge.
    Without qrels, where the first file is a run, all documents of the pool are listed. With --next or --accuracy the
    command lists instead the documents to judge next, by the weight that runs give them, with the residual that
    remains.

    Parameters
    ----------
    qrels : qrels or None
        Judgments: a file, a dict, a frame, or what `read_qrels` returns. None where nothing is judged yet: then all
        documents of the pool are listed as still to be judged, and runs are files or dicts.
    runs : runs
        Rankings: files, dicts, frames, or what `read_runs` returns.
    depth : int
        Depth of the pool: documents that some run ranks here or above are in it.
    pooled : sequence of str, default all runs
        Names of the runs whose documents are pooled.
    rel : float
        Lowest relevant grade.
    list_unjudged : bool
        List the documents of the pool that are still to be judged: the table 'unjudged', and `to_judge`, which is None
        otherwise.
    **options
        Keywords on reading, as `evaluate` explains them: order, max_size, threads.

    Returns
    -------
    Pool
        `qrels`, the judgments of the documents in the pool; what each run contributed, the table 'runs'; and what each
        topic has, the table 'topics'.

    Raises
    ------
    ParameterError
        If `depth` is below 1.
    UnknownNameError
        If `pooled` names a run that is not among `runs`.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> result = rs.pool(qrels, {"x": {"301": {"a": 2, "b": 1}}, "y": {"301": {"b": 2, "c": 1}}}, depth=1)
    >>> result.qrels.grades("301")
    {'a': 1.0, 'b': 0.0}
    >>> print(result.sentence())
    The pool of 2 runs at depth 1 holds 2 of 3 judged documents, 1 of 2 relevant ones; all its documents are judged.

    Command line
    ------------
        rankscale pool qrels.txt runs/*.gz --pool-depth 10 -o depth10.qrels
        rankscale pool qrels.txt runs/*.gz --pool-depth 100 --table runs
        rankscale pool qrels.txt runs/*.gz --pool-depth 20 --table unjudged -o to-judge.tsv
        rankscale pool runs/*.gz --pool-depth 20 -o to-judge.tsv
        rankscale pool qrels.txt runs/*.gz --next 100 --weight 'RBP(p=0.8)'
        rankscale pool qrels.txt runs/*.gz --accuracy 0.01 --table runs
    """
    check_arguments(pool, locals())
    reading = Reading(**options)
    is_judged = qrels is not None
    judgments = read_qrels(qrels, max_size=reading.max_size) if is_judged else no_judgments(runs, reading.max_size)
    list_unjudged = list_unjudged or not is_judged
    read, renamed = runs_with_names(judgments, runs, reading, documents_to=depth if list_unjudged else 0)
    chosen = chosen_runs(read, pooled)
    brought = brought_by(judgments, chosen, depth)
    return Pool(
        qrels=judgments.keeping(in_some(brought)),
        whole=judgments,
        depth=depth,
        runs=tuple(run.name for run in chosen),
        brought=frozen(brought),
        ranked=frozen(np.stack([np.minimum(run.completed(len(judgments.topics)).length, depth) for run in chosen])),
        orders=tuple(run.order for run in chosen),
        sources=(*[judgments.source] * is_judged, *(run.source or run.name for run in chosen)),
        rel=rel,
        notices=(
            *judgments.notices,
            *renamed,
            *(notice for run in chosen for notice in (_notices(judgments, run) if is_judged else run.notices)),
        ),
        to_judge=_to_judge(chosen, judgments, depth) if list_unjudged else None,
        is_judged=is_judged,
    )


def _to_judge(runs: Sequence[Run], qrels: Qrels, depth: int) -> Table:
    """Documents at the depth or above that nobody judged: the best ranked first, of these what most runs have."""
    unjudged_by_topic: list[dict[str, list[int]]] = [{} for _ in qrels.topics]  # ranks by document
    for run in runs:
        documents = document_names(run)
        judged = qrels.is_judged[judgments_of(run, qrels)] & (run.rank <= depth)
        for place, row in enumerate(run.rows.tolist()):
            own, names = slice(*run.starts[place : place + 2]), documents[place]
            for rank in free_ranks(run.rank[own][judged[own]], len(names)).tolist():
                unjudged_by_topic[row].setdefault(names[rank - 1], []).append(rank)
    cells = [
        (topic, name, min(ranks), len(ranks))
        for topic, documents in zip(qrels.topics, unjudged_by_topic, strict=True)
        for name, ranks in sorted(documents.items(), key=lambda one: (min(one[1]), -len(one[1]), one[0]))
    ]
    return Table.of(("topic", "document", "best_rank", "runs"), cells)


def free_ranks(ranks: Ints, last: int) -> Ints:
    """The ranks down to `last` without these."""
    free = np.ones(last, dtype=bool)
    free[ranks[ranks <= last] - 1] = False
    return np.flatnonzero(free) + 1


def document_names(run: Run) -> Sequence[Sequence[str]]:
    """Names of a run's documents, by topic and rank; ParameterError if it was read without them."""
    if run.documents is None:
        raise ParameterError(
            f"run {run.name} was read without the names of its documents: read_runs(..., keep_documents=True)"
        )
    return run.documents


def _notices(qrels: Qrels, run: Run) -> Iterator[Notice]:
    yield from run.notices
    lacking = np.setdiff1d(np.arange(len(qrels.topics)), run.rows)
    yield from topic_notices(run.source or run.name, qrels, lacking, run.unknown_topics, "zero")


def chosen_runs(runs: Sequence[Run], names: str | Iterable[str] | None) -> list[Run]:
    """The runs of these names, or of one name, in the order they have; all if no names are given."""
    if names is None:
        return list(runs)
    known = [run.name for run in runs]
    places = sorted(
        {place_of(known, name, "run", "there are") for name in ([names] if isinstance(names, str) else names)}
    )
    if not places:
        raise ParameterError("a pool needs a run; name one, or none to take all")
    return [runs[place] for place in places]


def best_ranks(qrels: Qrels, runs: Sequence[Run]) -> Ints:
    """(judgment,): the best rank that one of the runs gives each document; `NOWHERE` where none retrieves it."""
    best = np.full(len(qrels.codes), NOWHERE, dtype=np.int32)
    for run in runs:
        where = judgments_of(run, qrels)
        best[where] = np.minimum(best[where], run.rank)  # a run names a document once
    return best


def brought_by(qrels: Qrels, runs: Sequence[Run], depth: int) -> Bools:
    """(run, judgment): whether each run ranks the document at the depth or above."""
    check_depth(runs, depth)
    size = KEPT_BYTES * len(runs) * len(qrels.codes)
    need(size, f"a pool of {len(runs):,} runs and {len(qrels.codes):,} judgments", "take fewer runs, or some topics")
    brought = np.zeros((len(runs), len(qrels.codes)), dtype=bool)
    for row, run in zip(brought, runs, strict=True):
        row[judgments_of(run, qrels)[run.rank <= depth]] = True
    return brought


def check_depth(runs: Sequence[Run], depth: int) -> None:
    """Raise ParameterError unless depth is a positive integer and runs were read at least so deep."""
    if not isinstance(depth, int) or depth < 1:
        raise ParameterError(f"the depth of a pool is a whole number from 1, got {depth!r}")
    for run in runs:
        if run.depth is not None and run.depth < depth:
            raise ParameterError(
                f"run {run.name} was cut at rank {run.depth} while it was read, and the pool asks for {depth}; "
                "read it without a depth"
            )


def only_one(brought: Bools) -> Bools:
    """(run, judgment): where a run brought a document that no other did."""
    alone: Bools = brought & (np.count_nonzero(brought, axis=0) == 1)
    return alone


def in_some(brought: Bools) -> Bools:
    """(judgment,): where some run brought the document."""
    some: Bools = np.count_nonzero(brought, axis=0) > 0
    return some


def judgments_of(run: Run, qrels: Qrels) -> Ints:
    """(entry,): the place of each entry's document among all judgments."""
    return np.repeat(qrels.starts[run.rows], np.diff(run.starts)) + run.document


COMMAND = Declaration(
    pool,
    source="runs",
    flags={"depth": "--pool-depth"},
    without=("list_unjudged",),
    shared=("relevance", "reading"),
    tables=("runs", "topics", "unjudged", "next"),
)
