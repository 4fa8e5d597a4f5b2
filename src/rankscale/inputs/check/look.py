"""One file: the core reads it; of TREC's form all lines are looked at, of others the rankings as they are read.

Where the core refuses TREC's lines or JSON Lines, all errors of the file are listed.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Literal

from rankscale.data.notices import Notice, is_warning, render
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import InputError, MissingExtraError, ParameterError
from rankscale.inputs.check import warnings
from rankscale.inputs.check.columns import COLUMNS, Columns, columns_of, columns_of_listing
from rankscale.inputs.check.faults import Faults, faults_of, kind_of_error
from rankscale.inputs.check.form import is_json, is_table, is_trec
from rankscale.inputs.check.json_faults import json_faults
from rankscale.inputs.check.metadata import Fields, metadata_next_to, metadata_of
from rankscale.inputs.check.result import Problem, Submission
from rankscale.inputs.check.text import blocks, is_utf8, unpacked_once
from rankscale.inputs.files import NamedBytes
from rankscale.inputs.listings import Listing, listings_of
from rankscale.inputs.options import Reading
from rankscale.inputs.read import at_hand, iterate_runs, read_qrels

ORDERED_BY_SCORE = {"score", "score64"}
READER = "reader"  # notices of this kind are about what is odd in a file
NAME_COLUMNS = (
    "\nif this is a table with names of its own, say what they are: --columns topic=query,document=url,score=sim "
    "(columns= in Python)"
)


@dataclass(frozen=True)
class Task:
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


@dataclass(frozen=True)
class Look:
    """The runs of a file, and what is to be known of how it was read: its form, documents left out as requested."""

    submissions: tuple[Submission, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class _Text:
    """What is known of a file besides its runs."""

    columns: Columns | None  # of its lines, where they are TREC's and could be looked at
    metadata: Fields = ()
    is_utf8: bool = True


def look_at(source: str | NamedBytes, task: Task) -> Look:
    """What a file holds, and what is wrong or odd about it."""
    name = source if isinstance(source, str) else source.name
    with ExitStack() as stack:
        local = at_hand(source, task.reading, stack)
        try:  # as it is packed: what a packed file may hold is counted by its packed bytes
            runs = list(iterate_runs(task.index, [(None, local)], task.reading))
        except ParameterError:
            raise
        except InputError as error:
            return _refused(name, _held(local, task.reading), task, _of_file(str(error), local, name))
        return _look(name, _held(local, task.reading), runs, task)


def _held(local: object, reading: Reading) -> object:
    """A source whose lines are looked at, unpacked where it is a packed file of moderate size."""
    return unpacked_once(local, reading.max_size) if isinstance(local, str) and os.path.isfile(local) else local


def _of_file(text: str, local: object, name: str) -> str:
    """A message about a file that was fetched, which names where it is from."""
    return text.replace(local, name) if isinstance(local, str) and local != name else text


def _refused(name: str, source: object, task: Task, error: str) -> Look:
    errors, lines = _errors(name, source, task, error)
    return Look((Submission(name, as_problems(name, errors, "error"), lines=lines),))


def _errors(name: str, source: object, task: Task, error: str) -> tuple[Sequence[tuple[str, str]], int | None]:
    """All errors of a file that the reader refuses, and its number of lines where they were looked at.

    What the reader says is the only error where that is about neither TREC's lines nor those of JSON Lines.
    """
    only, reading = [(kind_of_error(error), error)], task.reading
    if not re.search(r", (?:line|row) \d+", error) or not isinstance(source, str | NamedBytes):
        return only, None  # damaged, empty or too large: lines would tell less
    try:
        lines = blocks(source, reading.max_size)
        if is_trec(source, reading):
            faults: Faults | None = faults_of(
                name, lines, ranks=reading.sorted_by == "rank", repeats_are_wrong=reading.duplicates == "error"
            )
        else:
            faults = json_faults(name, lines, reading, task.index) if is_json(source, reading) else None
    except MissingExtraError:  # its lines cannot be looked at here
        return only, None
    if faults is None:
        return only, None
    if faults.counts.get("columns") == faults.lines > 1:
        hint = NAME_COLUMNS if is_table(source) else ""
        return [("columns", f"{error}\n(no line has {COLUMNS} columns){hint}")], faults.lines
    return faults.texts() or only, faults.lines


def _look(name: str, source: object, runs: Sequence[Run], task: Task) -> Look:
    """The runs of a file that can be read."""
    taken = next((notice for notice in runs[0].notices if not is_warning(notice)), None)
    form = "trec" if taken is None else str(taken["form"])
    text = _text(source, form, task.reading)
    next_to = metadata_next_to(name)
    if text.columns is not None and text.columns.length.max(initial=0) == 1 < len(text.columns.topics):
        # No document stands twice in a topic, whatever column is taken for its name.
        swapped = faults_of(name, blocks(source, task.reading.max_size))  # type: ignore[arg-type]  # it has lines
        if swapped.counts:
            return Look((Submission(name, as_problems(name, swapped.texts(), "error"), lines=swapped.lines),))
    if text.columns is not None:
        columns: Iterable[Columns] = [text.columns]
    else:
        columns = _columns(source, task.reading, runs[0].order, is_text_utf8=text.is_utf8)
    called = None if len(runs) > 1 or name == "standard input" or next_to is not None else name
    described = (
        replace(
            _described(name, called, run, form, one, task),
            form=form,
            is_one_of_several=len(runs) > 1,
            metadata=text.metadata or next_to or (),
        )
        for run, one in zip(runs, columns, strict=True)
    )
    notices = (notice for run in runs for notice in run.notices if notice.kind != READER)
    return Look(tuple(described), tuple(dict.fromkeys(notices)))


def _text(source: object, form: str, reading: Reading) -> _Text:
    """What the lines of a file tell; nothing where it is not text, or packed so that only the core reads it."""
    if not isinstance(source, NamedBytes) and not (isinstance(source, str) and os.path.isfile(source)):
        return _Text(None)
    if form in {"parquet", "arrow", "ranx"}:
        return _Text(None)
    parts = blocks(source, reading.max_size)
    try:
        first = next(parts, b"")
    except MissingExtraError:
        return _Text(None)
    metadata = metadata_of(first)
    # Lines that the reader leaves out, as documents stand twice, are not to be counted.
    if form == "trec" and first and reading.duplicates == "error":
        return _Text(columns_of(chain([first], parts)), metadata)
    return _Text(None, metadata, all(map(is_utf8, chain([first], parts))))


def _columns(source: object, reading: Reading, order: str, *, is_text_utf8: bool) -> Iterator[Columns]:
    """The columns of each run of a file in any form; it is listed by ranks, too, where scores order it."""
    by_score = order in ORDERED_BY_SCORE
    ranks: dict[bytes, Listing] = {}
    if by_score:
        try:
            ranks = {listing.run: listing for listing in listings_of(source, reading, "rank")}
        except InputError:  # there are none, or they are no numbers
            ranks = {}
    for listing in listings_of(source, reading, order):
        yield columns_of_listing(listing, ranks.get(listing.run), by_score=by_score, is_text_utf8=is_text_utf8)


def _described(name: str, called: str | None, run: Run, form: str, columns: Columns, task: Task) -> Submission:
    """What a run without errors holds, and what is odd about it; `called` is the file that should be named like it."""
    length = columns.length
    by_score = run.order in ORDERED_BY_SCORE
    tied = float(columns.tied() @ length / max(length.sum(), 1)) if by_score or form == "trec" else None
    judged = None if task.qrels is None else warnings.judged_shares(run, task.qrels)
    what = "topics of the qrels" if task.topics_source == "the qrels" else "topics"
    remarks = [render(notice) for notice in run.notices if notice.kind == READER]
    odd = [
        *(("tags vary" if "tags vary" in text else READER, text) for text in remarks),
        *(warnings.of_order(columns) if by_score else ()),
        *(warnings.of_ties(columns, tied) if by_score and tied is not None else ()),
        *(warnings.of_topics(columns.topics, task.wanted, task.topics_source, what) if task.topics is not None else ()),
        *warnings.of_judgments(judged and judged[1], task.min_judged),
        *warnings.of_depth(columns, task.max_depth),
        *warnings.of_tag(run, called, is_trec=form == "trec"),
        *warnings.of_text(columns),
    ]
    return Submission(
        file=name,
        problems=as_problems(name, odd, run=run.name),
        run=run.name,
        topics=len(length),
        documents=int(length.sum()),
        shortest=int(length.min()) if len(length) else 0,
        longest=int(length.max(initial=0)),
        judged=judged and judged[0],
        tied=tied,
    )


def as_problems(
    file: str,
    texts: Iterable[tuple[str, str]],
    level: Literal["error", "warning"] = "warning",
    run: str | None = None,
) -> tuple[Problem, ...]:
    """A problem for each kind and text."""
    return tuple(Problem(file, level, kind, text, run) for kind, text in texts)
