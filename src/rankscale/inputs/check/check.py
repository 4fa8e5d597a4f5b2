"""The verb: `check(runs) -> Check`."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from rankscale.data.checking import check_arguments
from rankscale.data.markers import Positive
from rankscale.data.notices import is_warning
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError, ParameterError
from rankscale.inputs.check import warnings
from rankscale.inputs.check.intents import look_at_intents
from rankscale.inputs.check.look import Task, as_problems, look_at
from rankscale.inputs.check.result import Check
from rankscale.inputs.files import NamedBytes, named_source
from rankscale.inputs.options import Columns, Duplicates, Form, Reading, available_cores, whole_number
from rankscale.inputs.rankings import readable_again
from rankscale.inputs.read import QrelsLike, read_qrels, run_sources
from rankscale.inputs.topics import read_topics
from rankscale.inputs.watching import announce

Path = str | os.PathLike[str]


def check(
    runs: Path | Sequence[Path],
    *,
    qrels: QrelsLike | None = None,
    topics: Path | Sequence[str] | None = None,
    intents: Path | None = None,
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
    task = Task(
        judgments,
        names,
        source,
        Reading(  # files are read side by side, each by one thread
            order, 1, max_size, form=form, columns=columns, duplicates=duplicates, document_from=document_from
        ),
        whole_number("max_depth", max_depth),
        min_judged,
    )
    files = [_file(file) for _, file in run_sources([runs] if isinstance(runs, str | os.PathLike) else list(runs))]
    if not files:
        raise InputError("there are no files to check")
    looks = []
    with ThreadPoolExecutor(threads or available_cores()) as pool:
        made = pool.map(lambda file: look_at(file, task), files)
        for place, file in enumerate(files, start=1):
            announce("run", named_source(file)[0], place, len(files))
            looks.append(next(made))
    submissions = warnings.of_clashes([one for look in looks for one in look.submissions])
    about = () if judgments is None else as_problems(judgments.source, warnings.of_qrels(judgments))
    taken = [] if judgments is None else [notice for notice in judgments.notices if not is_warning(notice)]
    taken += [notice for look in looks for notice in look.notices]
    described, about_intents = weights or ("", ())
    return Check(tuple(submissions), judgments, about, tuple(taken), described, about_intents)


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
    return cast("str | NamedBytes", readable_again(os.fspath(source)))
