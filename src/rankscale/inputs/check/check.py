"""The verb: `check(runs) -> Check`.

The core reads a file; of TREC's form all lines are looked at, of others the rankings as they are read. Where the core
refuses TREC's lines or JSON Lines, all errors of the file are listed.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.notices import Notice, is_warning
from rankscale.data.qrels import Qrels
from rankscale.data.resources import available_cores
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, MissingExtraError, ParameterError, Setting, Wording
from rankscale.inputs.check import lines, warnings
from rankscale.inputs.check.faults import Faults, faults_of, is_json, is_table, is_trec, json_faults
from rankscale.inputs.check.lines import LineColumns, MetadataFields
from rankscale.inputs.check.result import Check, Submission, as_problems
from rankscale.inputs.check.warnings import look_at_intents
from rankscale.inputs.files import NamedBytes, announce, named_source
from rankscale.inputs.options import Columns, Duplicates, Form, Reading, whole_number
from rankscale.inputs.rankings import Listing, listings_of, readable_again
from rankscale.inputs.read import QrelsLike, at_hand, iterate_runs, read_qrels, run_sources
from rankscale.inputs.topics import read_topics

ORDERED_BY_SCORE = {"score", "score64"}
READER = "reader"  # notices of this kind are about what is odd in a file
NAME_COLUMNS = (
    "\nif this is a table with names of its own, say what they are: ",
    Setting("columns", "topic=query,document=url,score=sim"),
)


@dataclass(frozen=True)
class CheckTask:
    """What files are held against."""

    qrels: Qrels | None
    topics: tuple[str, ...] | None
    topics_source: str
    reading: Reading
    max_depth: int | None
    min_judged: float

    @cached_property
    def wanted(self) -> dict[str, None]:
        """The topics, in their order, to be looked up."""
        return dict.fromkeys(self.topics or ())

    @property
    def index(self) -> Qrels:
        """Judgments to read with, whether or not there are any."""
        return self.qrels or read_qrels({"": {"": 0}})


# The runs of a file, and what is to be known of how it was read: its form, documents left out as requested.
FileCheck = tuple[Sequence[Submission], Sequence[Notice]]


def look_at(source: str | NamedBytes, task: CheckTask) -> FileCheck:
    """What a file holds, and what is wrong or odd about it."""
    name = source if isinstance(source, str) else source.name
    with ExitStack() as stack:
        local = at_hand(source, task.reading, stack)
        try:  # as it is packed: what a packed file may hold is counted by its packed bytes
            runs = list(iterate_runs(task.index, [(None, local)], task.reading))
        except ParameterError:
            raise
        except InputError as error:
            return _unreadable(name, *_errors(name, _held(local, task.reading), task, error))
        return _look(name, _held(local, task.reading), runs, task)


def _held(local: object, reading: Reading) -> object:
    """A source whose lines are looked at, unpacked where it is a packed file of moderate size."""
    return lines.unpacked_once(local, reading.max_size) if isinstance(local, str) and os.path.isfile(local) else local


def _unreadable(name: str, errors: Sequence[tuple[str, Wording]], count: int | None) -> FileCheck:
    """A file with errors, and its number of lines where they were looked at."""
    return [Submission(name, as_problems(name, errors, "error"), lines=count)], ()


def _errors(
    name: str, source: object, task: CheckTask, error: InputError
) -> tuple[Sequence[tuple[str, Wording]], int | None]:
    """All errors of a file that the reader refuses, and its number of lines where they were looked at.

    What the reader says is the only error where that is about neither TREC's lines nor those of JSON Lines.
    """
    kind, place = (error.kind, error.place) if isinstance(error, FormatError) else ("unreadable", None)
    only, reading = [(kind, error.args)], task.reading
    if place is None or not isinstance(source, str | NamedBytes):
        return only, None  # damaged, empty or too large: lines would tell less
    try:
        text = lines.blocks(source, reading.max_size)
        if is_trec(source, reading):
            faults: Faults | None = faults_of(
                name, text, ranks=reading.order == "rank", repeats_are_wrong=reading.duplicates == "error"
            )
        else:
            faults = json_faults(name, text, reading, task.index) if is_json(source, reading) else None
    except MissingExtraError:  # its lines cannot be looked at here
        return only, None
    if faults is None:
        return only, None
    if faults.counts.get("columns") == faults.lines > 1:
        hint = NAME_COLUMNS if is_table(source) else ()
        return [("columns", (*error.args, f"\n(no line has {lines.COLUMNS} columns)", *hint))], faults.lines
    return faults.texts() or only, faults.lines


def _look(name: str, source: object, runs: Sequence[Run], task: CheckTask) -> FileCheck:
    """The runs of a file that can be read."""
    taken = next((notice for notice in runs[0].notices if not is_warning(notice)), None)
    form = "trec" if taken is None else str(taken["form"])
    of_lines, metadata, is_utf8 = _text(source, form, task.reading)
    next_to = lines.metadata_next_to(name)
    if of_lines is not None and of_lines.length.max(initial=0) == 1 < len(of_lines.topics):
        # No document stands twice in a topic, whatever column is taken for its name.
        swapped = faults_of(name, lines.blocks(source, task.reading.max_size))  # type: ignore[arg-type]  # it has lines
        if swapped.counts:
            return _unreadable(name, swapped.texts(), swapped.lines)
    listed = _columns(source, task.reading, runs[0].order, is_text_utf8=is_utf8)
    columns = listed if of_lines is None else [of_lines]
    called = None if len(runs) > 1 or name == "standard input" or next_to is not None else name
    about: dict[str, Any] = {"is_one_of_several": len(runs) > 1, "metadata": metadata or next_to or ()}
    pairs = zip(runs, columns, strict=True)
    described = [replace(_described(name, called, run, form, one, task), **about) for run, one in pairs]
    notices = (notice for run in runs for notice in run.notices if notice.kind != READER)
    return described, list(dict.fromkeys(notices))


def _text(source: object, form: str, reading: Reading) -> tuple[LineColumns | None, MetadataFields, bool]:
    """Columns of a file's lines, where they are TREC's; its metadata, and whether it is UTF-8.

    Lines are not looked at where the file is not text, or packed so that only the core reads it.
    """
    nothing = None, (), True
    is_file = isinstance(source, NamedBytes) or (isinstance(source, str) and os.path.isfile(source))
    if not is_file or form in {"parquet", "arrow", "ranx"}:
        return nothing
    parts = lines.blocks(source, reading.max_size)  # type: ignore[arg-type]  # a file
    try:
        first = next(parts, b"")
    except MissingExtraError:
        return nothing
    metadata = lines.metadata_of(first)
    # Lines that the reader leaves out, as documents stand twice, are not to be counted.
    if form == "trec" and first and reading.duplicates == "error":
        return lines.columns_of(chain([first], parts)), metadata, True
    return None, metadata, all(map(lines.is_utf8, chain([first], parts)))


def _columns(source: object, reading: Reading, order: str, *, is_text_utf8: bool) -> Iterator[LineColumns]:
    """The columns of each run of a file in any form; it is listed by ranks, too, where scores order it."""
    by_score = order in ORDERED_BY_SCORE
    ranks: dict[bytes, Listing] = {}
    with suppress(InputError):  # there are none, or they are no numbers
        ranks = {listing.run: listing for listing in listings_of(source, reading, "rank")} if by_score else {}
    for listing in listings_of(source, reading, order):
        yield lines.columns_of_listing(listing, ranks.get(listing.run), by_score=by_score, is_text_utf8=is_text_utf8)


def _described(name: str, called: str | None, run: Run, form: str, columns: LineColumns, task: CheckTask) -> Submission:
    """What a run without errors holds, and what is odd about it; `called` is the file that should be named like it."""
    length = columns.length
    by_score = run.order in ORDERED_BY_SCORE
    tied = float(columns.tied() @ length / max(length.sum(), 1)) if by_score or form == "trec" else None
    judged = None if task.qrels is None else warnings.judged_shares(run, task.qrels)
    what = "topics of the qrels" if task.topics_source == "the qrels" else "topics"
    read = [dict(notice.fields) for notice in run.notices if notice.kind == READER]
    odd = [
        *((str(fields.get("what", READER)), str(fields["text"])) for fields in read),
        *(warnings.of_order(columns) if by_score else ()),
        *(warnings.of_ties(columns, tied) if by_score and tied is not None else ()),
        *(warnings.of_topics(columns.topics, task.wanted, task.topics_source, what) if task.topics is not None else ()),
        *warnings.of_judgments(judged and judged[1], task.min_judged),
        *warnings.of_depth(columns, task.max_depth),
        *warnings.of_tag(run, called, is_trec=form == "trec"),
    ]
    if not columns.is_utf8:
        odd.append(("not UTF-8", "the file holds bytes that are not UTF-8: names may be read otherwise elsewhere"))
    return Submission(
        file=name,
        problems=as_problems(name, odd, run=run.name),
        run=run.name,
        form=form,
        topics=len(length),
        documents=int(length.sum()),
        shortest=int(length.min()) if len(length) else 0,
        longest=int(length.max(initial=0)),
        judged=judged and judged[0],
        tied=tied,
    )


PathLike = str | os.PathLike[str]


def check(
    runs: PathLike | Sequence[PathLike],
    *,
    qrels: QrelsLike | None = None,
    topics: PathLike | Sequence[str] | None = None,
    intents: PathLike | None = None,
    max_depth: Positive | None = None,
    min_judged: float = 0.5,
    form: Form | None = None,
    columns: Columns | None = None,
    duplicates: Duplicates = "error",
    document_from: str | None = None,
    order: str | None = None,
    threads: Positive | None = None,
    max_size: Positive | None = None,
) -> Check:
    r"""Say what is wrong or odd about run files: all errors of each, and warnings where a file can be read.

    Warnings are about scores that rise down the rank column, ranks and scores that are swapped, most scores tied, few
    judged documents, topics that are missing or spelled otherwise, tags that clash, hold blanks or are unlike the name
    of the file, rankings that are too long, and bytes that are not UTF-8. Files can have any form that `read_runs`
    takes; of those in TREC's form and of JSON Lines all errors are named, of others the first.

    Parameters
    ----------
    runs : path or sequence of paths
        Files, folders, or patterns such as `runs/*.gz`; `-` is standard input. A file may hold several runs.
    qrels : qrels, optional
        Judgments, in any form that `read_qrels` takes; without them judged documents are not counted.
    topics : path or sequence of str, optional
        Topics of the task, by name or in a file: in the first column, in JSON Lines or in TREC's form. By default those
        of the qrels.
    intents : path, optional
        File of lines `topic sub-topic probability`, held against the sub-topics of the qrels: lines that are none, and
        topics and sub-topics that either lacks.
    max_depth : int, optional
        The most documents that a ranking may have.
    min_judged : float
        Share of the first ten documents below which too few are judged.
    form, columns, duplicates, document_from
        As for `read_runs`: what the files are, which column holds what, and how documents are named and repeated.
    order, threads, max_size
        As for `evaluate`; scores are not looked at with order='rank' and order='file'.

    Returns
    -------
    Check
        `submissions`, what each run holds and its problems; tables 'files' and 'problems'; `is_well`; `notices` of what
        files were taken for.

    Raises
    ------
    InputError
        If a run is not a file, or if there is none; or if there are intents, and the qrels name no sub-topics.
    ParameterError
        If an option has a value that it cannot take.
    FormatError
        If qrels or topics cannot be read.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = Path(folder, "mine.txt").write_text("1 Q0 a 1 1 mine\n1 Q0 b 2 2 mine\n")
    ...     result = check(f"{folder}/mine.txt")
    >>> [problem.kind for problem in result.problems]
    ['order reversed']
    """
    check_arguments(check, locals())
    if not 0 <= min_judged <= 1:
        raise ParameterError(f"min_judged is a share from 0 to 1, got {min_judged!r}")
    if intents is not None and qrels is None:
        raise ParameterError("intents are held against the sub-topics of qrels: give qrels too")
    judgments = None if qrels is None else read_qrels(qrels, max_size=max_size)
    weights = None if intents is None or judgments is None else look_at_intents(intents, judgments)
    names, source = _topics(topics, judgments)
    # Files are read side by side, each by one thread.
    reading = Reading(
        order, 1, max_size, form=form, columns=columns, duplicates=duplicates, document_from=document_from
    )
    task = CheckTask(judgments, names, source, reading, whole_number("max_depth", max_depth), min_judged)
    files = [_file(file) for _, file in run_sources([runs] if isinstance(runs, str | os.PathLike) else list(runs))]
    if not files:
        raise InputError("there are no files to check")
    looks = []
    with ThreadPoolExecutor(threads or available_cores()) as pool:
        made = pool.map(lambda file: look_at(file, task), files)
        for place, file in enumerate(files, start=1):
            announce("run", named_source(file)[0], place, len(files))
            looks.append(next(made))
    submissions = warnings.of_clashes([one for runs_of_file, _ in looks for one in runs_of_file])
    about = () if judgments is None else as_problems(judgments.source, warnings.of_qrels(judgments))
    taken = [] if judgments is None else [notice for notice in judgments.notices if not is_warning(notice)]
    taken += [notice for _, notices in looks for notice in notices]
    described, about_intents = weights or ("", ())
    return Check(tuple(submissions), judgments, about, tuple(taken), described, about_intents)


def _topics(topics: PathLike | Sequence[str] | None, qrels: Qrels | None) -> tuple[tuple[str, ...] | None, str]:
    """The topics that runs should have, and where they are from; None where that is not known."""
    if isinstance(topics, str | os.PathLike):
        return read_topics(topics), os.fspath(topics)
    if topics is not None:
        return tuple(topics), "the topics"
    return (None, "") if qrels is None else (tuple(qrels.topics), "the qrels")


def _file(source: object) -> str | NamedBytes:
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"check looks at files: expected a path, found {type(source).__name__}")
    return cast("str | NamedBytes", readable_again(os.fspath(source)))
