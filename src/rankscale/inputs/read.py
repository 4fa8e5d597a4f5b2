"""The front door: whatever holds qrels or runs, read by what it is."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from glob import glob
from typing import Any, TypeGuard, Unpack

from rankscale import _core, errors
from rankscale.data.arguments import check_arguments
from rankscale.data.names import is_remote, listed
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, MissingExtraError, ParameterError, RankscaleError, Setting
from rankscale.inputs import files
from rankscale.inputs import tabular as tables
from rankscale.inputs.binary import COLUMNAR, binary_form, form_of_folder, in_print, in_words, open_binary
from rankscale.inputs.files import announce, announce_end, fetched, files_of_folder
from rankscale.inputs.options import KNOWN_FORMS, TEXT_FORMS, Columns, QrelsForm, Reading, ReadOptions, check_choice
from rankscale.inputs.ranx import open_held

# Paths, open files, bytes, dictionaries, data frames, Arrow tables, rows of ir_datasets: libraries share no class.
QrelsLike = Qrels | files.Source | Mapping[str, Mapping[str, float]] | object
RunsLike = Run | files.Source | Mapping[str, object] | Sequence[object] | object
MERGES = ("error", "max", "min", "mean")
ASPECTS = "aspects"  # the default: an error, unless sub-topics or assessors differ


@dataclass(frozen=True)
class RunFile:
    """A file of runs with what it is to be taken for, as a command line says it of all its runs."""

    source: object
    form: str | None = None
    columns: Columns | None = None
    duplicates: str = "error"
    document_from: str | None = None

    def reading(self, reading: Reading) -> Reading:
        """The same options, with those of the file."""
        return replace(reading, **{name: value for name, value in vars(self).items() if name != "source"})


@dataclass(frozen=True)
class QrelsFile:
    """A file of qrels with what it is to be taken for."""

    source: object
    form: str | None = None
    columns: Columns | None = None
    merge: str | None = None
    intents: object = None


def read_qrels(
    source: QrelsLike,
    *,
    form: QrelsForm | None = None,
    columns: Columns | None = None,
    merge: str | None = None,
    max_size: int | None = None,
    intents: object = None,
) -> Qrels:
    r"""Read the judgments of a collection.

    Parameters
    ----------
    source
        A path (`-`: standard input), a folder or pattern such as `qrels/*.txt`, an address such as `s3://...`, an open
        binary file, bytes, `{topic: {document: grade}}`, a data frame, an Arrow table, rows, or the id of a collection
        of ir_datasets; or a list of files, whose judgments are put together.
    form
        What files are: 'trec', 'tsv', 'csv', 'jsonl', 'json', 'parquet', 'arrow', or 'prefs' for preferences (`topic
        assessor list document level`). By default their content decides; preferences must be named.
    columns
        Which column holds what, by name or by number from 1: `{"topic": "qid", "document": "pid", "grade": "label"}` or
        `"topic=1,document=2,grade=3"`; `subtopic` is that of the sub-topic or assessor. By default columns are known by
        their usual names.
    merge
        The grade of a document that is judged for one topic more than once: the 'max', 'min' or 'mean' of its grades,
        or 'error' to refuse it. By default it is refused, unless the judgments are of different sub-topics or
        assessors (the second column of TREC qrels): then measures of sub-topics take each of them, and all others the
        highest.
    max_size
        The most bytes that a file may unpack to.
    intents
        Probabilities of sub-topics: a file of lines `topic sub-topic probability`, or `{topic: {sub-topic:
        probability}}`. Sub-topics that it lacks have the probability 0; by default all of a topic are as likely.

    Returns
    -------
    Qrels
        Grades by topic and document. What files were taken for is among its `notices`.

    Raises
    ------
    FormatError
        If a line or row is not a judgment; the message says where.
    InputError
        If these are runs, or if there are intents and the qrels name no sub-topics.

    Examples
    --------
    >>> read_qrels({"301": {"FT911-3": 1, "FT911-5": 0}})
    <Qrels qrels: 1 topics, 2 judgments, grades 0, 1>
    >>> read_qrels(b"query-id,corpus-id,score\n301,FT911-3,1\n").warnings
    ('bytes: read as CSV: topic in query-id, document in corpus-id, grade in score',)
    """
    check_arguments(read_qrels, locals())
    if isinstance(source, QrelsFile):
        intents = source.intents if intents is None else intents
        form, columns, merge, source = source.form, source.columns, source.merge, source.source  # type: ignore[assignment]
    if intents is not None:
        from rankscale.inputs.topics import with_intents

        return with_intents(read_qrels(source, form=form, columns=columns, merge=merge, max_size=max_size), intents)
    if isinstance(source, Qrels):
        return source
    if _holds_runs(source):
        raise InputError("expected qrels, found runs; ", errors.QRELS_FIRST)
    check_choice("merge", merge, MERGES)
    merging = merge or ASPECTS
    reading = Reading(form=form, columns=columns, max_size=max_size)
    several = _qrels_files(source)
    if several is None:
        return tables.qrels_from(source, reading=reading, merge=merging)
    if len(several) == 1 and (dataset := _dataset(several[0])) is not None:
        return tables.qrels_from(dataset, str(source), reading, merging)
    try:
        return _qrels_of_files(several, reading, merging)
    except FormatError as error:
        if reads_as_run(several[0]):
            error.args, error.kind = (*error.args, "\nthis is a run; ", errors.QRELS_FIRST), errors.READS_AS_RUN
        raise


def _qrels_files(source: object) -> list[object] | None:
    """The files that hold qrels; None where they are in memory."""
    if _is_file(source):
        return expanded(source)
    if isinstance(source, list | tuple) and source and all(_is_file(one) for one in source):
        return [file for one in source for file in expanded(one)]
    return None


def _qrels_of_files(sources: Sequence[object], reading: Reading, merge: str) -> Qrels:
    with ExitStack() as stack:
        for place, source in enumerate(sources, start=1):
            if isinstance(source, str | os.PathLike):
                announce("qrels", files.named_source(source)[0], place, len(sources))
        local = [at_hand(source, reading, stack) for source in sources]
        forms = [_binary(source, reading) for source in local]
        if not any(forms):
            return files.judge_qrels(local, reading.of_text, merge=merge)
        if len(local) == 1:
            form = str(forms[0])
            with opened_file(local[0], form, reading) as (where, held):
                columns = tables.columns_described("qrels", held, reading)
                qrels = tables.qrels_from(held, where, reading, merge)
            silent = "subtopic" if qrels.aspects is None else ""  # a column that is the same in all rows
            notice = files.form_notice(where, form, [column for column in columns if column[0] != silent])
            return replace(qrels, notices=(notice, *qrels.notices))
    if merge == "mean":
        mean, highest = Setting("merge", "mean"), Setting("merge", "max")
        raise ParameterError(mean, " is for files of text, or one file; use ", highest, " or convert them first")
    parts = [_qrels_of_files([source], reading, merge) for source in sources]
    rows = (row for part in parts for row in part.judgments_by_aspect())
    qrels = tables.qrels_of_rows(rows, ", ".join(part.source for part in parts), merge)
    return replace(qrels, notices=tuple(notice for part in parts for notice in part.notices))


def _holds_runs(source: object) -> bool:
    """Whether this is a run, or several, where qrels are expected: a Run, a list of them, `{name: run}`."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, Run) for one in source)
    if isinstance(source, dict):
        inner = next((one for one in source.values() if one), None)
        return isinstance(inner, Run) or (isinstance(inner, dict) and isinstance(next(iter(inner.values())), dict))
    return isinstance(source, Run)


def reads_as_run(source: object) -> bool:
    """Whether a file that is no qrels is a run; what can be read only once is not looked at again."""
    if isinstance(source, str | os.PathLike) and os.path.isfile(source):
        with suppress(RankscaleError, OSError):
            list(files.judge_files(tables.qrels_from({"": {"": 0}}), [source], Reading(depth=1, threads=1)))
            return True
    return False


def read_run(qrels: QrelsLike, run: RunsLike, *, name: str | None = None, **options: Unpack[ReadOptions]) -> Run:
    """Read one run; its documents are judged while they are read.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    run
        A path (`-`: standard input), an address such as `s3://...`, an open binary file, bytes, `{topic: {document:
        score}}`, `{topic: [documents]}`, a data frame, an Arrow table, a data set, or rows.
    name
        What to call the run; by default the tag of its file, or the name of the file.
    order
        What orders a ranking: 'score' (single precision, as in trec_eval), 'score64', 'rank' or 'file'. By default the
        score; where there is none the rank, and in lists of documents their order.
    depth
        Rank at which rankings are cut.
    keep_documents, keep_scores
        Whether the run holds the names of all documents, and the scores of judged ones; by default neither.
    threads
        How many threads read; by default as many as there are cores.
    max_size
        The most bytes that a file may unpack to.
    form
        What files are: 'trec', 'msmarco' (topic, document, rank), 'tsv', 'csv', 'jsonl', 'json', 'parquet' or 'arrow'.
        By default their content decides.
    columns
        Which column holds what, by name or by number from 1: `{"topic": "qid", "document": "pid", "score": "sim"}` or
        `"topic=1,document=2,score=3"`. By default columns are known by their usual names.
    duplicates
        What becomes of a document that stands in a ranking twice: 'error' (the default), 'best' (the one that is
        ranked highest is kept) or 'first' (the first in the file is kept).
    document_from
        Regular expression whose first group is the name of the document, so that passages count for their documents:
        `'^(.*)#'` makes doc12 of doc12#p3. Goes with duplicates='best'. Names that it does not match stay as they are.

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
    read = list(iterate_runs(read_qrels(qrels), sources, Reading(**options))) if len(sources) == 1 else []
    if len(read) != 1:
        raise InputError(f"expected one run, found {max(len(sources), len(read))}; read_runs reads several")
    return read[0]


def read_runs(qrels: QrelsLike, runs: RunsLike, **options: Unpack[ReadOptions]) -> list[Run]:
    """Read runs, in parallel on all cores: once, to evaluate them several times.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    runs
        Paths, folders or patterns such as `runs/*.gz`, data frames, Arrow tables or dictionaries; one or a list of
        them, or `{name: run}`. A file or table with a column named run, tag, system or model holds several.
    **options
        `order`, `depth`, `keep_documents`, `keep_scores`, `threads`, `max_size`, `form`, `columns`, `duplicates` and
        `document_from`, as in `read_run`, which has their defaults. Documents are judged while they are read, so that
        runs can be evaluated only with these qrels, this order and this depth.

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
    for runs in runs_by_source(qrels, sources, reading):
        yield from runs


def runs_by_source(qrels: Qrels, sources: RunsLike, reading: Reading) -> Iterator[list[Run]]:
    """The runs of each source; a file may hold several."""
    if reading.form == "prefs":
        raise ParameterError(Setting("form", "prefs"), " is a form of qrels, not of runs")
    entries = run_sources(sources)
    wrapped = [source for _, source in entries if isinstance(source, RunFile)]
    if wrapped:
        reading = wrapped[0].reading(reading)
        entries = [(name, source.source if isinstance(source, RunFile) else source) for name, source in entries]
    with ExitStack() as stack:
        entries = [(name, at_hand(source, reading, stack)) for name, source in entries]
        forms = [_binary(source, reading) if _is_file(source) else None for _, source in entries]
        texts = [source for (_, source), form in zip(entries, forms, strict=True) if _is_file(source) and not form]
        read = files.judge_files(qrels, texts, reading.of_text) if texts else iter(())
        for place, ((name, source), form) in enumerate(zip(entries, forms, strict=True), start=1):
            if _is_file(source):
                announce("run", files.named_source(source)[0], place, len(entries))
            if isinstance(source, Run):
                runs = [_fitting(source, qrels, reading)]
            elif form:
                runs = _binary_runs(qrels, source, form, reading)
            elif _is_file(source):
                runs = _read_next(read, source)
            else:
                runs = tables.runs_from(qrels, source, name or "run", reading)
            yield runs if name is None else [_renamed(runs, name)]
        announce_end(len(entries))


def _renamed(runs: list[Run], name: str) -> Run:
    """The one run of a source, with the name that it is given."""
    if len(runs) != 1:
        where, names = runs[0].source or "the table", listed([run.name for run in runs])
        raise InputError(f"{where}: there are {len(runs)} runs ({names}), and the name {name} is for one")
    return replace(runs[0], name=name)


def at_hand(source: Any, reading: Reading, stack: ExitStack) -> Any:  # noqa: ANN401  # any source, or what it holds
    """The same source on this machine: remote files are fetched, open files read, data sets of an id opened."""
    if isinstance(source, str) and is_remote(source):
        return stack.enter_context(fetched(source, reading.max_size))
    if isinstance(source, str) and source.startswith("irds:"):
        return _dataset(source)
    if hasattr(source, "read") and not tables.is_table(source):
        return files.NamedBytes(*files.of_open_file(source))
    return source


def _binary(source: object, reading: Reading) -> str | None:
    """'parquet' or 'arrow' for such a file, the form that another package reads, None for text."""
    form = binary_form_as(source, reading)
    if reading.form not in {None, form, *TEXT_FORMS}:
        where = files.named_source(source)[0] if _is_file(source) else "the input"
        found = form or "text"
        raise FormatError(f"{where}: expected {reading.form}, found {found}; leave out the form, or give another")
    return form


def binary_form_as(source: object, reading: Reading) -> str | None:
    """The form of a file that is not text: that requested, if another package reads it, or that of its content."""
    if reading.form is not None and reading.form not in KNOWN_FORMS:
        return reading.form
    return None if reading.form in TEXT_FORMS else binary_form(source)


def _binary_runs(qrels: Qrels, source: object, form: str, reading: Reading) -> list[Run]:
    """The runs of a Parquet or Arrow file, of one that ranx wrote, or of a form of another package."""
    from rankscale.inputs.partitioned import find_data_set

    data_set = find_data_set(source)
    with opened_file(source, form, reading) as (where, held):
        columns = tables.columns_described("run", held, reading)
        runs = tables.runs_from(qrels, held, (data_set and data_set.name) or files.stem(where), reading, where)
    notice = files.form_notice(where, form, columns)
    return [replace(run, notices=(notice, *run.notices)) for run in runs]


@contextmanager
def opened_file(source: object, form: str, reading: Reading) -> Iterator[tuple[str, object]]:
    """The name of a binary file in messages, and its content as a table of batches; errors name the file."""
    if form not in COLUMNAR:
        where, held = open_held(source, form, reading.max_size)
        with naming_file(where):
            yield where, held
    else:
        where, table = open_binary(source, form, reading.max_size)
        with naming_file(where), in_words(where, form, table):
            yield where, table


@contextmanager
def naming_file(where: str) -> Iterator[None]:
    """Add the file's name to errors about its rows, and escape control characters of the file in them."""
    try:
        yield
    except FormatError as error:
        parts = [in_print(part) if isinstance(part, str) else part for part in error.args]
        is_named = parts and str(parts[0]).startswith(where)
        error.args = tuple(parts) if is_named else (f"{where}: ", *parts)
        raise


def _read_next(read: Iterator[list[Run]], source: files.Source) -> list[Run]:
    """The next runs, which are those of `source`; where these are qrels, the error says so."""
    try:
        return next(read)
    except FormatError as error:
        if _reads_as_qrels(source):
            error.args = (*error.args, "\nthese are qrels; ", errors.QRELS_FIRST)
        raise


def _reads_as_qrels(source: object) -> bool:
    """Whether a file that is no run is qrels; what can be read only once is not looked at again."""
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
        return False
    try:
        qrels = files.judge_qrels([source])
    except (RankscaleError, OSError):
        return False
    taken = next((notice for notice in qrels.notices if notice.kind == "form"), None)
    if taken is None:
        return True
    if taken["form"] == "columns":  # three columns, which a run may have, too: ranks, or scores that are no grades
        return not reads_as_run(source) and all(float(level).is_integer() for level in qrels.levels)
    columns: dict[str, str] = dict(taken["columns"])  # type: ignore[call-overload]
    return columns.get("grade", "").lower() != "score"  # which a run has, too


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
    names, renamed = files.distinct_names([run.name for run in read], [run.source for run in read])
    return [replace(run, name=name) for run, name in zip(read, names, strict=True)], renamed


def read_with_progress(
    qrels: Qrels, runs: RunsLike, reading: Reading, progress: Callable[[int, int], None] | None
) -> list[Run]:
    """Runs, calling `progress(done, of)` after each."""
    sources, read = run_sources(runs), list[Run]()
    for done, of_source in enumerate(runs_by_source(qrels, sources, reading), start=1):
        read += of_source
        if progress:
            progress(done, len(sources))
    return read


def _fitting(run: Run, qrels: Qrels, reading: Reading) -> Run:
    """A run that was read before, if it was read for these qrels and with these options."""
    if run.qrels != qrels.fingerprint:
        raise InputError(f"run {run.name} was judged with other qrels than {qrels.source}; read it again with these")
    if reading.keep_scores and run.score is None:
        raise ParameterError(f"run {run.name} was read without its scores; read it again with keep_scores=True")
    for setting, wanted, there in (("order", reading.order, run.order), ("depth", reading.depth, run.depth)):
        if wanted not in {None, there}:
            again = f"read it again with {setting}={wanted!r}"
            raise ParameterError(f"run {run.name} was read with {setting}={there!r}; {again}")
    return run


def run_sources(sources: RunsLike) -> list[tuple[str | None, Any]]:
    """The name and the source of each run, None where it has no name of its own.

    Patterns become the files they match, folders the runs in them. Raise InputError where there are qrels instead.
    """
    entries: list[tuple[str | None, Any]] = []
    for name, one in _named(sources):
        each = expanded(one)
        if name is not None and len(each) > 1:
            raise InputError(f"{one}: there are {len(each)} files, and the name {name} is for one run")
        entries += [(name, source) for source in each]
    if any(isinstance(source, Qrels) for _, source in entries):
        raise InputError("expected runs, found qrels; ", errors.QRELS_FIRST)
    for place, (name, source) in enumerate(entries):
        is_nameless = name is None and not _is_file(source) and not isinstance(source, Run | RunFile)
        if is_nameless and len(entries) > 1:
            entries[place] = f"run {place + 1}", source
    return entries


def _named(sources: RunsLike) -> list[tuple[str | None, Any]]:
    """Runs with the names they are given; a mapping of mappings of numbers is one run, not many."""
    if isinstance(sources, Mapping):
        return [(None, sources)] if sources and _is_ranking_map(sources) else list(sources.items())
    if _is_file(sources) or tables.is_table(sources) or not isinstance(sources, Sequence | Iterator):
        return [(None, sources)]
    several = list(sources)
    if several and tables.is_row(several[0]):  # a list of rows is one run
        return [(None, several)]
    # Some are pairs of a name and a source already.
    return [source if isinstance(source, tuple) and len(source) == 2 else (None, source) for source in several]


def _is_ranking_map(sources: Mapping[str, object]) -> bool:
    """Whether this is `{topic: {document: score}}` or `{topic: [documents]}` rather than `{name: run}`."""
    for inner in sources.values():
        if isinstance(inner, list | tuple):
            if inner:
                return _is_ranking(inner)
        elif not isinstance(inner, dict):
            return False
        elif inner:
            return not isinstance(next(iter(inner.values())), Mapping | list | tuple)
    return True


def _is_ranking(items: Sequence[object]) -> bool:
    """Whether these are the documents of a topic: names, pairs of a name and a number, or fields without a topic."""
    first = items[0]
    if isinstance(first, Mapping):
        topics = _core.column_names()["topic"]
        return not any(re.sub(r"[\s_-]", "", str(key)).lower() in topics for key in first)
    if isinstance(first, tuple | list):
        return len(first) == 2 and not hasattr(first, "_fields")
    return isinstance(first, str | bytes | int)


def expanded(source: object) -> list[object]:
    """A pattern becomes the files it matches, a folder the runs in it; anything else stays."""
    if isinstance(source, RunFile):
        return [replace(source, source=one) for one in expanded(source.source)]
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        folder = os.fsdecode(source)
        return [folder] if form_of_folder(folder) else list(files_of_folder(folder))
    if not isinstance(source, str) or not re.search(r"[*?\[]", source) or is_remote(source) or os.path.exists(source):
        return [source]
    matching = sorted(glob(source, recursive=True))
    if not matching:
        raise FileNotFoundError(f"{source}: no file matches")
    return list(matching)


def _is_file(source: object) -> TypeGuard[files.Source]:
    if isinstance(source, str | bytes | os.PathLike | files.NamedBytes | files.NamedFile):
        return True
    return hasattr(source, "read") and not tables.is_table(source)


def _dataset(source: object) -> object | None:
    """The ir_datasets dataset of an id such as `irds:vaswani`; None for all else: no path is taken for an id."""
    if not isinstance(source, str) or not source.startswith("irds:") or os.path.exists(source):
        return None
    try:
        import ir_datasets  # heavy, and rarely wanted
    except ImportError:
        raise MissingExtraError(f"the collection {source}", "ir_datasets", "irds") from None
    try:
        dataset: object = ir_datasets.load(source.removeprefix("irds:"))
    except KeyError:
        raise InputError(f"{source}: ir_datasets knows no such collection") from None
    return dataset
