"""The verb: `fuse(runs, method) -> Fusion`, one run made of several."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, Literal, Unpack

import numpy as np

from rankscale import __version__
from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import listed
from rankscale.data.notices import Notice, Noticed, notes
from rankscale.data.table import Table
from rankscale.errors import ParameterError, Setting, UnknownNameError
from rankscale.evaluation.options import one_or_all
from rankscale.fusion.methods import Method, Normalised
from rankscale.inputs.options import Reading, SourceOptions, check_choice, whole_number
from rankscale.inputs.rankings import Lists, Ranking, Rankings, TopicLists, read_lists
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels
from rankscale.outputs.convert import RUN, escaped_words, run_rows, write_rows
from rankscale.outputs.results import Page, TabularResult

DEPTH = 1000
Scores = Literal["value", "rank"]
TO_READ = ("json", "markdown", "latex", "html", "table")  # forms of results, in which no run is read back
READ_BY_ENDING = {".json": "json", ".md": "markdown", ".tex": "latex", ".html": "html"}
MissingTopics = Literal["zero", "common", "error"]


@dataclass(frozen=True, eq=False, repr=False)
class Fusion(Noticed, TabularResult):
    """Result of `fuse`: the fused run.

    Attributes
    ----------
    name : str
        Name of the fused run.
    method : str
        Method with its parameters.
    norm : str or None
        Norm of scores; None for methods of ranks.
    runs : tuple of str
        Names of the runs that were fused.
    rankings : tuple of Ranking
        Topic, documents and scores of each topic, in byte order of topics, the best document first.
    depth : int
        Where fused rankings were cut.
    settings : mapping
        All that the rankings depend on other than the runs.
    sources : tuple of str
        Files of the runs, or their names.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    name: str
    method: str
    norm: str | None
    runs: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    depth: int
    settings: Mapping[str, object]
    sources: tuple[str, ...]
    notices: tuple[Notice, ...]

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """`{topic: {document: score}}`, the best document first: a run that every function takes."""
        return {one.topic: dict(zip(one.documents, one.scores, strict=True)) for one in self.rankings}

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return "|".join(f"{name}:{value}" for name, value in self.settings.items() if value is not None)

    @property
    def provenance(self) -> dict[str, object]:
        """What is needed to get the same run again."""
        return {
            "rankscale": __version__,
            "signature": self.signature,
            "sources": list(self.sources),
            "settings": dict(self.settings),
        }

    def tables(self) -> Mapping[str, Table]:
        """`run`: a row for each document of each topic, with its rank, score and the name of the run."""
        return {"run": replace(Table.of(list(RUN.columns), run_rows(self._whole())), provenance=self.provenance)}

    def table(self, name: str | None = None) -> Table:
        """The only table, 'run', with its provenance."""
        _check_table(name)
        return self.tables()["run"]

    def sentence(self) -> str:
        """What was fused, and how."""
        documents = sum(len(one.documents) for one in self.rankings)
        how = f"{self.method}, norm {self.norm}," if self.norm else self.method
        return f"{self.name}: {how} of {len(self.runs)} runs, {len(self.rankings)} topics, {documents} documents"

    # The keywords of `write` of every result, once more: type checkers take no other way to extend a method.
    def write(
        self,
        path: str | os.PathLike[str],
        form: str | None = None,
        *,
        table: str | None = None,
        places: int | None = None,
        formulas: str = "escape",
    ) -> None:
        """Write the run to a file, atomically, in a form of `write_run`: trec, msmarco, tsv, csv, jsonl or parquet.

        By default the form is that of the path's ending (.tsv .csv .jsonl .parquet), and trec for others. As a table
        to read, with its provenance, it is written in the forms of other results: json, markdown, latex, html, table.
        """
        _check_table(table)
        where = os.fspath(path)
        shown = form or READ_BY_ENDING.get(os.path.splitext(where)[1].lower())
        if shown in TO_READ:
            super().write(where, shown, places=places)
            return
        if places is not None:
            raise ParameterError("scores of runs are written with all their digits: leave places out")
        count = self.write_to(where, form, formulas)
        if count:
            warnings.warn(escaped_words(where, count, "formulas='keep' keeps them as they are"), stacklevel=2)

    def write_to(self, output: str | IO[bytes], form: str | None = None, formulas: str = "escape") -> int:
        """Write the run to a file, atomically, or to an open one; return how many names were escaped."""
        return write_rows(RUN, run_rows(self._whole()), output, form, formulas)[1]

    def _whole(self) -> Rankings:
        return Rankings(self.name, lambda: iter(self.rankings))

    def page(self) -> Page:
        """What a notebook shows: what was fused and how, and the first documents."""
        return replace(super().page(), heading=self.sentence(), pictures=[])

    def __str__(self) -> str:
        return f"<Fusion {self.sentence()}>"

    __repr__ = __str__


def _check_table(name: str | None) -> None:
    """Raise UnknownNameError for a table that a fused run does not have."""
    if name not in {None, "run"}:
        raise UnknownNameError("table", str(name), ["run"], "a fused run has run")


def fuse(
    runs: RunsLike,
    method: str = "RRF",
    *,
    norm: str | None = None,
    weights: Sequence[float] | None = None,
    depth: Positive = DEPTH,
    missing: MissingTopics = "zero",
    scores: Scores = "value",
    name: str | None = None,
    qrels: QrelsLike | None = None,
    **options: Unpack[SourceOptions],
) -> Fusion:
    """Fuse several runs into one, topic by topic.

    Parameters
    ----------
    runs
        Two runs or more, in any form that `evaluate` takes.
    method
        By normalised scores: 'CombSUM', 'CombMNZ', 'CombANZ', 'CombMAX', 'CombMIN', 'CombMED' or 'WSum' (with
        `weights`). By ranks: 'RRF' (the default), 'ISR', 'logISR', 'logNISR', 'RBC', 'Borda' or 'Condorcet'. Parameters
        are written after the name: 'RRF(k=60)', 'RBC(phi=0.8)', 'logNISR(sigma=0.01)'.
    norm
        How scores of a ranking are made comparable: 'min-max' (the default), 'max', 'sum', 'zmuv', 'rank', 'borda' or
        'none'. Methods that use ranks ignore it.
    weights
        With 'WSum': the weight of each run.
    depth
        Rank at which fused rankings are cut.
    missing
        Rule for topics that some runs lack. 'zero': they add nothing there; 'common': only topics that all runs have
        count; 'error': raise InputError.
    scores
        Scores of the fused run: 'value' are the fused values; 'rank' are whole numbers that keep their order: the
        number of documents that any run retrieves for the first document, one less for each that follows.
    name
        Name of the fused run; by default that of the method.
    qrels
        Judgments that runs were read with, for what `read_runs(..., keep_documents=True)` gives.
    **options
        Keywords on reading, as `evaluate` explains them: order, max_size, threads.

    Returns
    -------
    Fusion
        The fused run: `run` is `{topic: {document: score}}`, `write` writes a file.

    Raises
    ------
    InputError
        If there is an infinite score and the method adds scores, if no topic is in all runs with missing='common', or
        if the highest score of a ranking is not above 0 with norm='max'.
    ParameterError
        If there are fewer than two runs, or an option has a value that it cannot take.
    UnknownNameError
        If there is no such method or norm.

    Notes
    -----
    Documents are ordered by their values, ties by name, descending. Values that are equal when rounded to 1e-12 of the
    largest absolute value of the topic are ties, and get the same score: only rounding sets them apart. Sums are
    correctly rounded, so that the order of runs does not matter. Readers that keep 32 bits of a score, as trec_eval and
    `evaluate` do, may see ties that are none: a warning counts these, and scores='rank' avoids them.

    Examples
    --------
    >>> import rankscale as rs
    >>> lexical, dense = {"1": {"a": 9, "b": 7, "c": 5, "d": 4}}, {"1": {"b": 0.8, "e": 0.6, "a": 0.2}}
    >>> fused = rs.fuse([lexical, dense], "CombSUM")
    >>> {document: round(score, 4) for document, score in fused.run["1"].items()}
    {'b': 1.6, 'a': 1.0, 'e': 0.6667, 'c': 0.2, 'd': 0.0}
    """
    check_arguments(fuse, locals())
    chosen = Method.of(method, norm, weights)
    check_choice("scores", scores, ("value", "rank"))
    cut = whole_number("depth", depth)
    lists = following(read_lists(runs, Reading(**options), None if qrels is None else read_qrels(qrels)), missing)
    chosen.check_runs(lists.runs)
    return fused(lists, chosen, depth=cut or DEPTH, scores=scores, name=name, ignored_norm=norm)


def fused(
    lists: Lists,
    method: Method | Mapping[str, Method],
    *,
    depth: int,
    scores: Scores,
    name: str | None = None,
    ignored_norm: str | None = None,
) -> Fusion:
    """The fused run of rankings that were read; `method` may differ by topic, all of one name."""
    by_topic = method if isinstance(method, Mapping) else dict.fromkeys(lists.topics, method)
    some = next(iter(by_topic.values()))
    rankings, seen = [], _Seen()
    for one in lists:
        if one.topic in by_topic:
            prepared = by_topic[one.topic].prepare(one)
            values = by_topic[one.topic].values(one, prepared)
            order = ranked(values, depth)
            seen.add(one, some, prepared, values[order] if scores == "value" else np.zeros(0))
            shown = values[order] if scores == "value" else len(values) - np.arange(len(order), dtype=np.float64)
            rankings.append(Ranking(one.topic, [one.documents[place] for place in order.tolist()], shown.tolist()))
    label = str(some) if len(set(by_topic.values())) == 1 else some.name
    settings = {
        "fusion": label,
        "norm": some.norm,
        "depth": depth,
        "scores": scores,
        "order": one_or_all(lists.orders),
    }
    return Fusion(
        name=some.name if name is None else name,
        method=label,
        norm=some.norm,
        runs=lists.runs,
        rankings=tuple(rankings),
        depth=depth,
        settings=settings,
        sources=lists.sources,
        notices=(*lists.notices, *seen.notices(lists, some, ignored_norm)),
    )


def ranked(values: Floats, depth: int) -> Ints:
    """Places of the highest values, the highest first; equal ones in the order they have."""
    return np.argsort(-values, kind="stable")[:depth]


class _Seen:
    """What is odd about the topics fused so far."""

    def __init__(self) -> None:
        self.rankings = self.constant = self.alone = self.close = 0

    def add(self, lists: TopicLists, method: Method, prepared: Normalised, values: Floats) -> None:
        """Count one topic; `values` are those written, in descending order."""
        self.rankings += len(lists.runs)
        self.constant += prepared.constant
        if method.name == "logISR":
            self.alone += int(np.count_nonzero(np.count_nonzero(lists.rank, axis=0) == 1))
        with np.errstate(over="ignore"):
            single = values.astype(np.float32)
        self.close += int(np.count_nonzero((values[1:] != values[:-1]) & (single[1:] == single[:-1])))

    def notices(self, lists: Lists, method: Method, ignored_norm: str | None) -> Iterator[Notice]:
        """What was counted, and where scores or a norm are not what was given."""
        yield from notes(self._sentences(lists, method, ignored_norm))
        if self.close:
            yield Notice.of("close scores", count=self.close)

    def _sentences(self, lists: Lists, method: Method, ignored_norm: str | None) -> Iterator[str]:
        ranked = [run for run, order in zip(lists.runs, lists.orders, strict=True) if order in {"rank", "file"}]
        if ranked and method.of_scores:
            yield f"{', '.join(ranked)}: not ordered by scores; ranks counted from the last document stand for them"
        if ignored_norm is not None and not method.of_scores:
            yield f"{method.name} fuses ranks: the norm {ignored_norm} is not used"
        if self.constant:
            yield f"all scores are equal in {self.constant} of {self.rankings} rankings: {method.norm} makes them 0"
        if self.alone:
            yield (
                f"logISR gives 0 to every document that a single run retrieves ({self.alone:,} of them): they are "
                "tied, and ordered by name; logNISR tells them apart"
            )


def following(lists: Lists, missing: MissingTopics) -> Lists:
    """The rankings of topics that count, with notices of those that runs lack; ParameterError where none is left."""
    check_choice("missing", missing, ("zero", "common", "error"))
    then = "left out" if missing == "common" else "where it adds nothing"
    sentences = []
    for name, absent in lists.lacking().items():
        what = f"{name} lacks {len(absent)} of {len(lists.topics)} topics that other runs have ({listed(absent)})"
        if missing == "error":
            raise ParameterError(f"{what}: ", Setting("missing", "zero"), " takes all topics")
        sentences.append(f"{what}, {then}")
    noticed = replace(lists, notices=(*lists.notices, *notes(sentences, "missing topics of runs")))
    if missing != "common":
        return noticed
    kept = {topic: of for topic, of in lists.by_topic.items() if len(of.retrieved) == len(lists.runs)}
    if not kept:
        there = f"{len(lists.runs)} runs ({listed(list(lists.runs))})"
        raise ParameterError(f"no topic is in all {there}: ", Setting("missing", "zero"), " takes all")
    return replace(noticed, by_topic=kept)
