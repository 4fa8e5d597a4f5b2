"""The front door: whatever holds qrels or runs, read by what it is."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard, Unpack

from rankscale.data.checking import check_arguments
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import QRELS_FIRST, FormatError, InputError, MissingExtraError, ParameterError, RankscaleError
from rankscale.formats.read import tabular as tables
from rankscale.formats.read import trec
from rankscale.formats.read.folders import files_of_folder
from rankscale.formats.read.reading import Reading, ReadOptions

# Paths, open files, bytes, dictionaries, data frames, Arrow tables, rows of ir_datasets: libraries share no class.
QrelsLike = Qrels | trec.Source | Mapping[str, Mapping[str, float]] | object
RunsLike = Run | trec.Source | Mapping[str, object] | Sequence[object] | object


def read_qrels(source: QrelsLike, *, max_size: int | None = None) -> Qrels:
    """Read the judgments of a collection.

    Parameters
    ----------
    source
        A path (`-`: standard input), an open binary file, bytes, `{topic: {document: grade}}`, a data frame, an Arrow
        table, rows with named fields, or the id of a collection of ir_datasets.
    max_size
        The most bytes that a file may unpack to.

    Returns
    -------
    Qrels
        Grades by topic and document.

    Raises
    ------
    FormatError
        If a line or row is not a judgment; the message says where.
    InputError
        If these are runs.

    Examples
    --------
    >>> read_qrels({"301": {"FT911-3": 1, "FT911-5": 0}})
    <Qrels qrels: 1 topics, 2 judgments, grades 0, 1>
    """
    if isinstance(source, Qrels):
        return source
    if _holds_runs(source):
        raise InputError(f"expected qrels, found runs; {QRELS_FIRST}")
    if not _is_file(source):
        return tables.qrels_from(source)
    if (dataset := _dataset(source)) is not None:
        return tables.qrels_from(dataset, str(source))
    try:
        return trec.read_qrels(source, max_size=max_size)
    except FormatError as error:
        if reads_as_run(source):
            error.args = (f"{error}\nthis is a run; {QRELS_FIRST}",)
        raise


def _holds_runs(source: object) -> bool:
    """Whether this is a run, or several, where qrels are expected: a Run, a list of files, `{name: run}`."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, Run) or _is_file(one) for one in source)
    if isinstance(source, dict):
        inner = next((one for one in source.values() if one), None)
        return isinstance(inner, Run) or (isinstance(inner, dict) and isinstance(next(iter(inner.values())), dict))
    return isinstance(source, Run)


def reads_as_run(source: object) -> bool:
    """Whether a file that is no qrels is a run; what can be read only once is not looked at again."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    try:
        trec.read_run(tables.qrels_from({"": {"": 0}}), source, depth=1)
    except (RankscaleError, OSError):
        return False
    return True


def read_run(qrels: QrelsLike, run: RunsLike, *, name: str | None = None, **options: Unpack[ReadOptions]) -> Run:
    """Read one run; its documents are judged while they are read.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    run
        A path (`-`: standard input), an open binary file, bytes, `{topic: {document: score}}`, a data frame, an Arrow
        table, or rows with named fields.
    name
        What to call the run; by default the tag of its file.
    order
        What orders a ranking: 'score' (single precision, as in trec_eval; the default), 'score64', 'rank' or 'file'.
    depth
        Rank at which rankings are cut.
    keep_documents, keep_scores
        Whether the run holds the names of all documents, and the scores of judged ones; by default neither.
    threads
        How many threads read; by default as many as there are cores.
    max_size
        The most bytes that a file may unpack to.

    Returns
    -------
    Run
        The rankings, of which only judged documents are kept.

    Raises
    ------
    FormatError
        If a line or row is not what it should be; the message says where.
    InputError
        If qrels and run are given in the wrong order.

    Examples
    --------
    >>> import rankscale as rs
    >>> rs.read_run({"301": {"FT911-3": 1}}, {"301": {"FT911-3": 2.5, "LA010189-1": 1.5}}, name="bm25")
    <Run bm25: 1 topics, 2 documents, 1 judged>
    """
    check_arguments(read_run, locals())
    is_empty = isinstance(run, Mapping) and not run  # a run without topics, where read_runs would see no runs
    sources = run_sources([(name, run)] if is_empty or name is not None else run)
    if len(sources) != 1:
        raise InputError(f"expected one run, found {len(sources)}; read_runs reads several")
    (read,) = iterate_runs(read_qrels(qrels), sources, Reading(**options))
    return read


def read_runs(qrels: QrelsLike, runs: RunsLike, **options: Unpack[ReadOptions]) -> list[Run]:
    """Read runs, in parallel on all cores: once, to evaluate them several times.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    runs
        Paths, folders or patterns such as `runs/*.gz`, data frames, Arrow tables or dictionaries; one or a list of
        them, or `{name: run}`.
    **options
        `order`, `depth`, `keep_documents`, `keep_scores`, `threads` and `max_size`, as in `read_run`, which has their
        defaults. Documents are judged while they are read, so that runs can be evaluated only with these qrels, this
        order and this depth.

    Returns
    -------
    list of Run
        The runs, in the order given.

    Raises
    ------
    FormatError
        If a line or row is not what it should be; the message says where.
    FileNotFoundError
        If a pattern matches no file.

    Examples
    --------
    >>> import rankscale as rs
    >>> runs = {"bm25": {"301": {"FT911-3": 2.5}}, "ql": {"301": {"LA010189-1": 1.5}}}
    >>> rs.read_runs({"301": {"FT911-3": 1}}, runs)
    [<Run bm25: 1 topics, 1 documents, 1 judged>, <Run ql: 1 topics, 1 documents, 0 judged>]
    """
    check_arguments(read_runs, locals())
    sources = run_sources(runs)
    return list(iterate_runs(read_qrels(qrels), sources, Reading(**options)))


def iterate_runs(qrels: Qrels, sources: RunsLike, reading: Reading = Reading()) -> Iterator[Run]:  # noqa: B008  # frozen
    """Runs one after the other, so that no more than a few are in memory at once."""
    entries = run_sources(sources)
    files = [source for _, source in entries if _is_file(source)]
    read = trec.judge_files(qrels, files, reading) if files else iter(())
    for name, source in entries:
        if isinstance(source, Run):
            run = _fitting(source, qrels, reading)
        elif _is_file(source):
            run = _read_next(read, source)
        else:
            run = tables.run_from(qrels, source, name or "run", reading)
        yield run if name is None else replace(run, name=name)


def _read_next(read: Iterator[Run], source: trec.Source) -> Run:
    """The next run, which is that of `source`; where these are qrels, the error says so."""
    try:
        return next(read)
    except FormatError as error:
        if _reads_as_qrels(source):
            error.args = (f"{error}\nthese are qrels; {QRELS_FIRST}",)
        raise


def _reads_as_qrels(source: object) -> bool:
    """Whether a file that is no run is qrels; what can be read only once is not looked at again."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    try:
        trec.read_qrels(source)
    except (RankscaleError, OSError):
        return False
    return True


def runs_with_names(
    qrels: Qrels, runs: RunsLike, reading: Reading, documents_to: int = 0
) -> tuple[list[Run], tuple[Notice, ...]]:
    """Runs, each with a name of its own, and notices of those that were renamed.

    The names of their documents are kept down to the rank `documents_to`.
    """
    read = [
        replace(run, documents=tuple(names[:documents_to] for names in run.documents)) if run.documents else run
        for run in iterate_runs(qrels, runs, replace(reading, keep_documents=documents_to > 0))
    ]
    if not read:
        raise InputError("there are no runs")
    names, renamed = trec.distinct_names([run.name for run in read], [run.source for run in read])
    return [replace(run, name=name) for run, name in zip(read, names, strict=True)], renamed


def read_with_progress(
    qrels: Qrels, runs: RunsLike, reading: Reading, progress: Callable[[int, int], None] | None
) -> list[Run]:
    """Runs, calling `progress(done, of)` after each."""
    sources, read = run_sources(runs), []
    for run in iterate_runs(qrels, sources, reading):
        read.append(run)
        if progress:
            progress(len(read), len(sources))
    return read


def _fitting(run: Run, qrels: Qrels, reading: Reading) -> Run:
    """A run that was read before, if it was read for these qrels and with these options."""
    if run.qrels != qrels.fingerprint:
        raise InputError(f"run {run.name} was judged with other qrels than {qrels.source}; read it again with these")
    if reading.keep_scores and run.score is None:
        raise ParameterError(f"run {run.name} was read without its scores; read it again with keep_scores=True")
    for setting, wanted, there in (("order", reading.order, run.order), ("depth", reading.depth, run.depth)):
        if wanted not in {None, there}:
            raise ParameterError(
                f"run {run.name} was read with {setting}={there!r}; read it again with {setting}={wanted!r}"
            )
    return run


def run_sources(sources: RunsLike) -> list[tuple[str | None, Any]]:
    """The name and the source of each run, None where it has no name of its own.

    Patterns become the files they match, folders the runs in them. Raise InputError where there are qrels instead.
    """
    entries = []
    for name, one in _named(sources):
        files = expanded(one)
        if name is not None and len(files) > 1:
            raise InputError(f"{one}: there are {len(files)} files, and the name {name} is for one run")
        entries += [(name, source) for source in files]
    if any(isinstance(source, Qrels) for _, source in entries):
        raise InputError(f"expected runs, found qrels; {QRELS_FIRST}")
    nameless = [name is None and not _is_file(source) and not isinstance(source, Run) for name, source in entries]
    return [
        (f"run {number}" if lacks and len(entries) > 1 else name, source)
        for number, (lacks, (name, source)) in enumerate(zip(nameless, entries, strict=True), start=1)
    ]


def _named(sources: RunsLike) -> list[tuple[str | None, Any]]:
    """Runs with the names they are given; a mapping of mappings of numbers is one run, not many."""
    if isinstance(sources, Mapping):
        return [(None, sources)] if sources and _is_ranking_map(sources) else list(sources.items())
    if _is_file(sources) or isinstance(sources, Run) or tables.is_table(sources):
        return [(None, sources)]
    if not isinstance(sources, Sequence | Iterator):
        return [(None, sources)]
    several = list(sources)
    if several and tables.is_row(several[0]):  # a list of rows is one run
        return [(None, several)]
    return [
        source if isinstance(source, tuple) and len(source) == 2 else (None, source)  # some are named already
        for source in several
    ]


def _is_ranking_map(sources: Mapping[str, object]) -> bool:
    """Whether this is `{topic: {document: score}}` rather than `{name: run}`."""
    for inner in sources.values():
        if not isinstance(inner, dict):
            return False
        if inner:
            return not isinstance(next(iter(inner.values())), Mapping)
    return True


def expanded(source: object) -> list[object]:
    """A pattern becomes the files it matches, a folder the runs in it; anything else stays."""
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        return list(files_of_folder(os.fsdecode(source)))
    if isinstance(source, str) and re.search(r"[*?\[]", source) and not os.path.exists(source):
        from glob import glob

        files = sorted(glob(source, recursive=True))
        if not files:
            raise FileNotFoundError(f"{source}: no file matches")
        return list(files)
    return [source]


def _is_file(source: object) -> TypeGuard[trec.Source]:
    return isinstance(source, str | bytes | os.PathLike) or hasattr(source, "read")


def _dataset(source: object) -> object | None:
    """The ir_datasets dataset of that id, where `source` is an id and no file."""
    if not isinstance(source, str) or source == "-" or os.path.exists(source):
        return None
    name = source.removeprefix("irds:")
    if name == source and ("/" not in source or os.path.splitext(source)[1]):
        return None  # the reader will say that there is no such file
    try:
        import ir_datasets  # heavy, and rarely wanted
    except ImportError:
        if name != source:
            raise MissingExtraError(f"the collection {source}", "ir_datasets", "irds") from None
        return None
    try:
        dataset: object = ir_datasets.load(name)
    except KeyError:
        if name == source:
            return None
        raise InputError(f"{source}: ir_datasets knows no such collection") from None
    return dataset
