"""Whole rankings, topic by topic, with unjudged documents and all scores: for writing and comparing runs."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from rankscale import _core
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, RankscaleError
from rankscale.inputs import files, tabular
from rankscale.inputs.binary import in_words, open_binary
from rankscale.inputs.binary_forms import binary_form
from rankscale.inputs.core_results import name_of, names_of
from rankscale.inputs.options import TEXT_FORMS, Reading
from rankscale.inputs.ranx import open_ranx
from rankscale.inputs.read import RunFile, at_hand, naming_file, run_sources
from rankscale.inputs.watching import announce, announce_end
from rankscale.inputs.whole_files import read_whole

NO_JUDGMENTS: Mapping[str, Mapping[str, float]] = {"": {"": 0}}


class Ranking(NamedTuple):
    """What a system retrieved for one topic, the best document first."""

    topic: str
    documents: Sequence[str]
    scores: Sequence[float]


@dataclass(frozen=True)
class Rankings:
    """The name of a run, and its rankings: made anew by each call, so that few topics are in memory."""

    name: str
    each: Callable[[], Iterator[Ranking]]
    notices: tuple[Notice, ...] = ()
    source: str = ""  # the file, where there is one
    order: str = "score"  # what put it in order; with 'rank' and 'file' the scores are ranks counted from below


def rankings_of(source: object, reading: Reading, qrels: Qrels | None = None, run: str | None = None) -> Rankings:
    """The rankings of a file, a dictionary, a data frame, rows, or a Run with its documents.

    Of a source that holds several runs, `run` names the one that is meant; raise InputError where it is not named.
    """
    entries = [(None, source)] if isinstance(source, Run) else run_sources(source)
    if len(entries) != 1:
        raise InputError(f"expected one run, found {len(entries)}")
    name, one = entries[0]
    made = _chosen(_all_of(one, reading, qrels), run)
    return made if name is None else replace(made, name=name)


def rankings_of_runs(
    runs: object, reading: Reading, qrels: Qrels | None = None
) -> tuple[list[Rankings], tuple[Notice, ...]]:
    """The rankings of all runs of some sources, each with a name of its own; and what users should know of them."""
    read: list[Rankings] = []
    sources = run_sources(runs)
    for place, (name, one) in enumerate(sources, start=1):
        if isinstance(one, str | os.PathLike):
            announce("run", files.named_source(one)[0], place, len(sources))
        made = _all_of(one, reading, qrels)
        read += made if name is None else [replace(_chosen(made, None), name=name)]
    announce_end(len(sources))
    names, renamed = files.distinct_names([one.name for one in read], [one.source for one in read])
    named = [replace(one, name=name) for one, name in zip(read, names, strict=True)]
    return named, (*renamed, *dict.fromkeys(notice for one in read for notice in one.notices))


def _all_of(one: Any, reading: Reading, qrels: Qrels | None) -> list[Rankings]:  # noqa: ANN401  # any source
    """Every run of a source."""
    if isinstance(one, RunFile):
        reading, one = one.reading(reading), one.source
    if isinstance(one, Run):
        return [_of_run(one, qrels)]
    stack = ExitStack()  # what was fetched is needed until the last ranking is read
    one = at_hand(one, reading, stack)
    if isinstance(one, str | bytes | os.PathLike | files.NamedBytes | files.NamedFile):
        form = None if reading.form in TEXT_FORMS else binary_form(one)
        return _of_binary(one, form, reading) if form else _of_file(one, reading, stack)
    return _of_table(tabular.opened(one, "scoreddocs_iter"), "run", reading)


def _of_run(run: Run, qrels: Qrels | None) -> Rankings:
    """A run that was read: ranks stand for scores, since it keeps those of judged documents alone."""
    if run.documents is None:
        raise InputError(f"run {run.name} was read without its documents; read it again with keep_documents=True")
    if qrels is None:
        raise InputError(f"run {run.name} has its topics' names in its qrels: give them, write_run(..., qrels=qrels)")
    if run.qrels != qrels.fingerprint:
        raise InputError(f"run {run.name} was judged with other qrels than {qrels.source}; give those")
    topics, documents = qrels.topics, run.documents

    def each() -> Iterator[Ranking]:
        for row, names in zip(run.rows.tolist(), documents, strict=True):
            yield Ranking(topics[row], names, from_below(len(names)))

    return Rankings(run.name, each, run.notices, run.source, "rank")


def _of_file(source: files.Source, reading: Reading, stack: ExitStack) -> list[Rankings]:
    """A file of text; the core reads all of it first, so that errors name its lines and its runs are known."""
    again = readable_again(source)
    reading = replace(reading, form=reading.form if reading.form in TEXT_FORMS else None)
    nothing = tabular.qrels_from(NO_JUDGMENTS)
    (runs,) = files.judge_files(nothing, [again], replace(reading, depth=1))
    name, origin = files.named_source(again)

    def rankings(run: Run) -> Rankings:
        exact = replace(reading, order="score64" if run.order == "score" else run.order)

        def each() -> Iterator[Ranking]:
            with stack:
                single = run.order == "score"
                listing = _core.list_rankings(name, origin, exact, single, run.is_scattered, reading.max_size)
                for batch in listing:
                    for one in batch:
                        if len(runs) == 1 or name_of(one[0]) == run.name:
                            yield from _unpacked(one, run.order)

        return Rankings(run.name, each, run.notices, run.source, run.order)

    return [rankings(run) for run in runs]


def _chosen(every: Sequence[Rankings], wanted: str | None) -> Rankings:
    """The run of this name, or the only one; InputError where there is none, or more than one."""
    names, where = [one.name for one in every], every[0].source or "the table"
    if wanted is not None and wanted not in names:
        raise InputError(f"{where}: there is no run {wanted}; there are {listed(names)}")
    if wanted is None and len(every) > 1:
        there = f"there are {len(every)} runs ({listed(names)})"
        raise InputError(f"{where}: {there}; name one of them (--run of convert)")
    return every[names.index(wanted) if wanted is not None else 0]


def _of_binary(source: object, form: str, reading: Reading) -> list[Rankings]:
    if form == "ranx":
        where, rankings = open_ranx(source, reading.max_size)
        with naming_file(where):
            return [replace(one, source=where) for one in _of_table(rankings, files.stem(where), reading)]
    where, table = open_binary(source, form, reading.max_size)
    with naming_file(where), in_words(where, form, table):
        made = _of_table(table, files.stem(where), reading)
    columns = tabular.chosen_columns("run", table.names, reading)
    notices = (files.form_notice(where, form, columns.described),)
    return [replace(one, notices=notices, source=where) for one in made]


def _of_table(held: object, name: str, reading: Reading) -> list[Rankings]:
    """A table in memory, in byte order of its topics."""
    if isinstance(held, tabular.ArrowTable):
        columns = tabular.chosen_columns("run", held.names, reading)
        order = columns.order
        exact = replace(reading, order="score64" if order == "score" else order)
        given = _core.list_arrow(held.only(columns), columns.names, exact, order, order == "score")
    else:
        rows = tabular.rows_of(held, "run", reading)
        order = rows.order
        exact = replace(reading, order="score64" if order == "score" else order)
        has = (rows.has_run, rows.has_number)
        given = _core.list_rows(rows.each, exact, order, has, order == "score")

    def rankings(one: tuple[bytes, list[bytes], bytes, bytes, bytes, bytes]) -> Rankings:
        def each() -> Iterator[Ranking]:
            yield from sorted(
                _unpacked(one, order), key=lambda ranking: ranking.topic.encode("utf-8", "surrogateescape")
            )

        return Rankings(name_of(one[0]) or name, each, order=order)

    return [rankings(one) for one in given]


def _unpacked(one: tuple[bytes, list[bytes], bytes, bytes, bytes, bytes], order: str) -> Iterator[Ranking]:
    """Rankings as the core lists them. Where scores do not order them, ranks counted from below stand for scores."""
    _, topics, lengths, text, ends_of_names, numbers = one
    names = names_of(text, ends_of_names)
    scores = np.frombuffer(numbers, dtype=np.float64).tolist()
    start = 0
    for topic, length in zip(topics, np.frombuffer(lengths, dtype=np.int32).tolist(), strict=True):
        end = start + length
        kept = scores[start:end] if order in {"score", "score64"} else from_below(length)
        yield Ranking(name_of(topic), names[start:end], kept)
        start = end


def readable_again(source: files.Source) -> files.Source:
    """Standard input and pipes are kept in memory, since they can be read once; files are opened anew."""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if path == "-":
            return files.NamedBytes("standard input", read_whole(sys.stdin.buffer, "standard input"))
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            with open(path, "rb") as file:
                return files.NamedBytes(path, read_whole(file, path))
    return source


def readable_twice(source: Any) -> Any:  # noqa: ANN401  # any source of runs
    """The same source, kept in memory where it can be read only once: standard input, a pipe, an open file."""
    if isinstance(source, RunFile):
        return replace(source, source=readable_twice(source.source))
    if hasattr(source, "read") and not tabular.is_table(source):
        return files.NamedBytes(*files.of_open_file(source))
    return readable_again(source)


def from_below(count: int) -> list[float]:
    """Scores that keep an order: as many as there are documents for the first, 1 for the last."""
    return [float(score) for score in range(count, 0, -1)]


def kind_of(source: files.Source, reading: Reading) -> tuple[str, Any]:
    """Whether a file holds a run or qrels, by its columns; and the source again, which may be read only once.

    A file that can be both, such as three columns, or a table with a score and no grade, is a run.
    """
    held = cast("files.Source", files.NamedBytes(*files.of_open_file(source)) if hasattr(source, "read") else source)
    again = readable_again(held)
    try:
        rankings_of(again, replace(reading, depth=1))
    except FormatError as error:
        from rankscale.inputs.read import read_qrels

        try:
            read_qrels(again, form=reading.form, columns=dict(cast("Any", reading.columns)), max_size=reading.max_size)  # type: ignore[arg-type]
        except RankscaleError:
            raise error from None
        return "qrels", again
    except InputError:  # several runs
        return "run", again
    return "run", again
