"""The verb: `check(runs) -> Check`. The core reads each file; only those that it refuses are looked at line by line."""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

from rankscale.data.checking import check_arguments
from rankscale.data.declared import Positive
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, MissingExtraError, ParameterError
from rankscale.formats.read.inputs import QrelsLike, iterate_runs, read_qrels, run_sources
from rankscale.formats.read.reading import Reading, whole_number
from rankscale.formats.read.topics import read_topics
from rankscale.formats.read.trec import available_cores
from rankscale.submissions import warnings
from rankscale.submissions.columns import COLUMNS, Columns, columns_of
from rankscale.submissions.faults import faults_of
from rankscale.submissions.result import Check, Problem, Submission
from rankscale.submissions.text import NamedBytes, blocks, standard_input, unpacked_once

ORDERED_BY_SCORE = {"score", "score64"}
Path = str | os.PathLike[str]


@dataclass(frozen=True)
class _Task:
    """What files are held against."""

    qrels: Qrels | None
    topics: tuple[str, ...] | None
    topics_source: str
    reading: Reading
    max_depth: int | None
    min_judged: float

    @property
    def index(self) -> Qrels:
        """Judgments to read with, whether or not there are any."""
        return self.qrels or read_qrels({"": {"": 0}})


def check(
    runs: Path | Sequence[Path],
    *,
    qrels: QrelsLike | None = None,
    topics: Path | Sequence[str] | None = None,
    max_depth: Positive | None = None,
    min_judged: float = 0.5,
    order: str | None = None,
    threads: Positive | None = None,
    max_size: Positive | None = None,
) -> Check:
    r"""Say what is wrong or odd about run files: all errors of each, and warnings where a file can be read.

    Warnings are about scores that rise down the rank column, most scores tied, few judged documents, topics that are
    missing or spelled otherwise, tags that clash, hold blanks or are unlike the name of the file, rankings that are too
    long, and bytes that are not UTF-8.

    Parameters
    ----------
    runs : path or sequence of paths
        Files in TREC form, or patterns such as `runs/*.gz`; `-` is standard input.
    qrels : qrels, optional
        Judgments, in any form that `read_qrels` takes; without them judged documents are not counted.
    topics : path or sequence of str, optional
        Topics of the task, by name or in a file: in the first column, in JSON Lines or in TREC's form. By default those
        of the qrels.
    max_depth : int, optional
        The most documents that a ranking may have.
    min_judged : float
        Share of the first ten documents below which too few are judged.
    order, threads, max_size
        As for `evaluate`; scores are not looked at with order='rank' and order='file'.

    Returns
    -------
    Check
        `submissions`, what each file holds and its problems; tables 'files' and 'problems'; `is_well`.

    Raises
    ------
    InputError
        If a run is not a file, or if there is none.
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
    judgments = None if qrels is None else read_qrels(qrels, max_size=max_size)
    names, source = _topics(topics, judgments)
    # Files are read side by side, each by one thread.
    task = _Task(
        judgments, names, source, Reading(order, 1, max_size), whole_number("max_depth", max_depth), min_judged
    )
    files = [_file(file) for _, file in run_sources([runs] if isinstance(runs, str | os.PathLike) else list(runs))]
    if not files:
        raise InputError("there are no files to check")
    with ThreadPoolExecutor(threads or available_cores()) as pool:
        looked_at = list(pool.map(lambda file: _submission(file, task), files))
    clashes = warnings.of_clashes({one.file: one.run for one in looked_at})
    submissions = (
        replace(one, problems=(*one.problems, Problem(one.file, "warning", "tags clash", clashes[one.file])))
        if one.file in clashes
        else one
        for one in looked_at
    )
    about = () if judgments is None else _problems(judgments.source, warnings.of_qrels(judgments))
    return Check(tuple(submissions), judgments, tuple(about))


def _topics(topics: Path | Sequence[str] | None, qrels: Qrels | None) -> tuple[tuple[str, ...] | None, str]:
    """The topics that runs should have, and where they are from; None where that is not known."""
    if isinstance(topics, str | os.PathLike):
        return read_topics(topics), os.fspath(topics)
    if topics is not None:
        return tuple(topics), "the topics"
    return (None, "") if qrels is None else (tuple(qrels.topics), "the qrels")


def _file(source: object) -> str | NamedBytes:
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"check looks at files: expected a path, found {type(source).__name__}")
    path = os.fspath(source)
    return standard_input() if path == "-" else path


def _submission(source: str | NamedBytes, task: _Task) -> Submission:
    """What a file holds, and what is wrong or odd about it."""
    name = source if isinstance(source, str) else source.name
    reading = task.reading
    if isinstance(source, str) and os.path.isfile(source):
        source = unpacked_once(source, reading.max_size)
    try:
        again = NamedBytes(source.getvalue(), source.name) if isinstance(source, NamedBytes) else source
        (run,) = iterate_runs(task.index, [(None, again)], reading)
    except FormatError as error:
        return Submission(name, _problems(name, _errors(name, source, reading, str(error)), "error"))
    judged = None if task.qrels is None else warnings.judged_share(run, task.qrels)
    try:
        columns = columns_of(blocks(source, reading.max_size))
    except MissingExtraError as error:  # it can be read, but its lines cannot be looked at here
        return Submission(name, _problems(name, [("not looked into", str(error))]), run.name, judged=judged)
    if not len(columns.topic):
        words = f"{name}: the lines of this form are not looked into; convert it to TREC's form to have them checked"
        return Submission(name, _problems(name, [("not looked into", words)]), run.name, judged=judged)
    return _described(name, run, columns, judged, task)


def _errors(name: str, source: str | NamedBytes, reading: Reading, error: str) -> Sequence[tuple[str, str]]:
    """All errors of a file that the reader refuses; what the reader says where that is not about some of its lines."""
    if not re.search(r", (?:line|row) \d+", error):
        return [("unreadable", error)]  # damaged, empty or too large: lines would tell less
    faults = faults_of(name, blocks(source, reading.max_size), ranks=reading.sorted_by == "rank")
    if faults.counts.get("columns") == faults.lines > 1:
        return [("columns", f"{error}\n(no line has {COLUMNS} columns)")]
    return faults.texts() or [("unreadable", error)]


def _described(name: str, run: Run, columns: Columns, judged: float | None, task: _Task) -> Submission:
    """What a file without errors holds, and what is odd about it."""
    length = columns.length
    tied = float(columns.tied() @ length / length.sum())
    what = "topics of the qrels" if task.topics_source == "the qrels" else "topics"
    by_score = task.reading.sorted_by in ORDERED_BY_SCORE
    odd = [
        *(("tags vary" if "tags vary" in text else "reader", text) for text in run.warnings),
        *(warnings.of_order(columns) if by_score else ()),
        *(warnings.of_ties(columns, tied) if by_score else ()),
        *(warnings.of_topics(columns.topics, task.topics, task.topics_source, what) if task.topics is not None else ()),
        *warnings.of_judgments(judged, task.min_judged),
        *warnings.of_depth(columns, task.max_depth),
        *warnings.of_tag(run),
        *warnings.of_text(columns),
    ]
    return Submission(
        file=name,
        problems=_problems(name, odd),
        run=run.name,
        topics=len(length),
        documents=int(length.sum()),
        shortest=int(length.min()),
        longest=int(length.max()),
        judged=judged,
        tied=tied,
    )


def _problems(
    file: str, texts: "Sequence[tuple[str, str]] | warnings.Warnings", level: Literal["error", "warning"] = "warning"
) -> tuple[Problem, ...]:
    return tuple(Problem(file, level, kind, text) for kind, text in texts)
