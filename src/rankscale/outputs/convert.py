"""Runs and qrels in other forms: the layouts of both, `write_run`, `write_qrels`, and one file converted."""

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO, Any, Literal

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import UNJUDGED
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError, ParameterError
from rankscale.inputs.core_results import name_of
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import Rankings, kind_of, rankings_of
from rankscale.inputs.read import QrelsFile, QrelsLike, RunsLike, read_qrels
from rankscale.outputs.records import Escaping, RecordLayout, RecordRow, chosen_form, record_chunks, word, write_records


def _trec_run(row: RecordRow) -> str:
    topic, document, rank, score, run = row
    topic, document = word(topic, "topic", "a TREC run"), word(document, "document", "a TREC run")
    return f"{topic} Q0 {document} {rank} {score!r} {word(run, 'run', 'a TREC run')}\n"


def _msmarco(row: RecordRow) -> str:
    topic, document, rank, *_ = row
    return f"{word(topic, 'topic', 'an MS MARCO run')}\t{word(document, 'document', 'an MS MARCO run')}\t{rank}\n"


def _first_run_names(text: bytes) -> tuple[str, str]:
    topic, documents, _ = next(rankings_of(text, Reading()).each())
    return topic, documents[0]


RUN = RecordLayout(
    "run",
    {"topic": str, "document": str, "rank": int, "score": float, "run": str},
    {"trec": _trec_run, "msmarco": _msmarco},
    _first_run_names,
)


def write_run(
    run: RunsLike,
    path: str | os.PathLike[str],
    form: Literal["trec", "msmarco", "tsv", "csv", "jsonl", "parquet"] | None = None,
    *,
    name: str | None = None,
    qrels: QrelsLike | None = None,
    order: Literal["score", "score64", "rank", "file"] | None = None,
    depth: Positive | None = None,
    formulas: Literal["escape", "keep"] = "escape",
) -> None:
    r"""Write one run, atomically, in the order in which it would be measured.

    Parameters
    ----------
    run
        `{topic: {document: score}}`, a data frame, an Arrow table, rows with named fields, a TREC file (path, open
        file or bytes), or a Run that was read with `keep_documents=True`.
    path
        The file to write. It is packed if its name ends in .gz, .bz2 or .xz.
    form
        'trec' (`topic Q0 document rank score tag`), 'msmarco' (topic, document and rank, with tabs), 'tsv' and 'csv'
        (a header and quotes, as RFC 4180 has them), 'jsonl' (an object for each document) or 'parquet'. By default
        that of the path's ending (.tsv .csv .jsonl .parquet), and 'trec' for others. The columns of the last four are
        topic, document, rank, score and run.
    name
        What to call the run; by default its own name, or 'run' where it has none.
    qrels
        The judgments that a Run was read with, which have the names of its topics.
    order
        What orders a ranking: 'score' (the default), 'score64', 'rank' or 'file', as in `read_run`. With the last two,
        and of a Run, which keeps no scores of unjudged documents, the scores written are ranks counted from below.
    depth
        Rank at which rankings are cut.
    formulas
        In csv and tsv, 'escape' puts an apostrophe before names that a spreadsheet would run as a formula, such
        as `=1+1`, and warns; 'keep' writes them as they are.

    Raises
    ------
    FormatError
        If this is no run; the message says where.
    InputError
        If a name cannot be written in this form, if a Run has no names of documents, or if there is no such folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_run({"301": {"FT911-3": 1.5, "FT911-5": 2.5}}, f"{folder}/bm25.tsv", "msmarco")
    ...     print(Path(folder, "bm25.tsv").read_text().splitlines())
    ['301\tFT911-5\t1', '301\tFT911-3\t2']
    """
    check_arguments(write_run, locals())
    where = os.fspath(path)
    chosen = chosen_form(RUN, where, form)
    read = rankings_of(run, Reading(order=order, depth=depth), None if qrels is None else read_qrels(qrels))
    count = write_records(RUN, run_rows(read, name), where, chosen, formulas=formulas)
    if count:
        warnings.warn(escaped_words(where, count, "formulas='keep' keeps them as they are"), stacklevel=2)


def run_rows(read: Rankings, name: str | None = None) -> Iterator[RecordRow]:
    """A row for each document of each ranking."""
    tag = read.name if name is None else name
    for topic, documents, scores in read.each():
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1):
            yield topic, document, rank, score, tag


def escaped_words(path: str, count: int, otherwise: str) -> str:
    """What is said of names that were escaped."""
    escaped = f"an apostrophe stands before names that a spreadsheet would run as formulas (cells: {count})"
    return f"{path}: {escaped}; {otherwise}"


ASPECT_COLUMNS = ("topic", "subtopic", "document")
LARGEST_WHOLE = 2**53  # whole numbers below it are exact as doubles


def _trec_qrels(row: RecordRow) -> str:
    topic, document, grade = row
    return f"{word(topic, 'topic', 'TREC qrels')} 0 {word(document, 'document', 'TREC qrels')} {grade}\n"


def _trec_by_aspect(row: RecordRow) -> str:
    *names, grade = row
    words = (word(name, column, "TREC qrels") for name, column in zip(names, ASPECT_COLUMNS, strict=True))
    return f"{' '.join(words)} {grade}\n"


def _first_qrels_names(text: bytes) -> tuple[str, str]:
    _, topic, document, _ = next(read_qrels(text).judgments_by_aspect())
    return topic, document


def _number(grade: float) -> int | float:
    """Whole numbers as such, where every form has room for them."""
    return int(grade) if grade.is_integer() and abs(grade) < LARGEST_WHOLE else grade


def _has_aspects(qrels: Qrels) -> bool:
    """Whether the grades of each sub-topic or assessor are written: unless the reader was told to merge them."""
    if qrels.aspects is None:
        return False
    if qrels.aspects.lists is not None:
        raise InputError(f"{qrels.source}: preferences cannot be written in another form; keep the file as it is")
    return not qrels.aspects.merge_requested


def qrels_layout(qrels: Qrels) -> RecordLayout:
    """Grades are whole numbers in all forms where every one is."""
    whole = all(isinstance(_number(level), int) for level in qrels.levels.tolist())
    names, line = (ASPECT_COLUMNS, _trec_by_aspect) if _has_aspects(qrels) else (("topic", "document"), _trec_qrels)
    columns = {**dict.fromkeys(names, str), "grade": int if whole else float}
    return RecordLayout("qrels", columns, {"trec": line}, _first_qrels_names)


def write_qrels(
    qrels: QrelsLike,
    path: str | os.PathLike[str],
    form: Literal["trec", "tsv", "csv", "jsonl", "parquet"] | None = None,
    *,
    formulas: Literal["escape", "keep"] = "escape",
) -> None:
    """Write judgments, atomically.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes. Those of several sub-topics or assessors are all written, with
        their names in the second column; read with `merge='max'`, 'min' or 'mean', each document has one grade.
    path
        The file to write; it is packed if its name ends in .gz, .bz2 or .xz.
    form
        'trec' (`topic 0 document grade`), 'tsv' and 'csv' (a header and quotes, as RFC 4180 has them), 'jsonl' (an
        object for each judgment) or 'parquet', with the columns topic, document and grade. By default that of the
        path's ending (.tsv .csv .jsonl .parquet), and 'trec' for others.
    formulas
        In csv and tsv, 'escape' puts an apostrophe before names that a spreadsheet would run as a formula, such
        as `=1+1`, and warns; 'keep' writes them as they are.

    Raises
    ------
    InputError
        If a name has blanks, which TREC qrels cannot hold, or if there is no such folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_qrels({"301": {"FT911-3": 1, "FT911-5": 0}}, f"{folder}/qrels.txt")
    ...     print(Path(folder, "qrels.txt").read_text().splitlines())
    ['301 0 FT911-3 1', '301 0 FT911-5 0']
    """
    check_arguments(write_qrels, locals())
    read, where = read_qrels(qrels), os.fspath(path)
    _, count = write_rows(qrels_layout(read), judgment_rows(read), where, form, formulas)
    if count:
        warnings.warn(escaped_words(where, count, "formulas='keep' keeps them as they are"), stacklevel=2)


def qrels_lines(qrels: Qrels) -> Iterator[bytes]:
    """TREC's lines, topic after topic; the second column is 0, or the sub-topic or assessor.

    >>> from rankscale import read_qrels
    >>> qrels = read_qrels({"301": {"FT911-3": 1, "FT911-5": 0.5}})
    >>> print(b"".join(qrels_lines(qrels)).decode(), end="")
    301 0 FT911-3 1
    301 0 FT911-5 0.5
    """
    return record_chunks(qrels_layout(qrels), judgment_rows(qrels), "trec", Escaping(wanted=False))


def judgment_rows(qrels: Qrels) -> Iterator[RecordRow]:
    """A row for each judgment, topics in byte order, documents as they were read."""
    if _has_aspects(qrels):
        for aspect, topic, named, grade in qrels.judgments_by_aspect():
            yield topic, aspect or "", named, _number(grade)
        return
    grades = [_number(level) for level in qrels.levels.tolist()]
    for row, topic in enumerate(qrels.topics):
        codes = qrels.codes[qrels.starts[row] : qrels.starts[row + 1]].tolist()
        for document, code in zip(qrels.index.documents(row), codes, strict=True):
            if code != UNJUDGED:
                yield topic, name_of(document), grades[code]


@dataclass(frozen=True)
class ConversionSource:
    """What is converted, and what it is taken for."""

    source: Any  # whatever can be read
    reading: Reading
    kind: str | None = None  # run or qrels; None: what its columns say
    name: str | None = None  # of the run that is written
    run: str | None = None  # of several runs in one file, the one that is meant
    merge: str | None = None  # makes judgments for sub-topics, or by assessors, one for each document

    def of_known_kind(self) -> "ConversionSource":
        """The same with its kind, and with a source that can be read again."""
        if self.kind is not None:
            return self
        kind, again = kind_of(self.source, self.reading)
        return replace(self, kind=kind, source=again)

    def rankings(self) -> Rankings:
        """The run."""
        return rankings_of(self.source, self.reading, run=self.run)

    def qrels(self) -> tuple[Qrels, tuple[Notice, ...]]:
        """The qrels as they are written, and what users should know of them."""
        file = QrelsFile(self.source, self.reading.form, self.reading.columns, self.merge)
        qrels = read_qrels(file, max_size=self.reading.max_size)
        if self.merge is not None:
            qrels = replace(qrels, aspects=None)  # one grade for each document
        return qrels, tuple(notice for notice in qrels.notices if notice.kind != "aspects")  # which is about measures


@dataclass(frozen=True)
class Converted:
    """What was read, and what was written."""

    kind: str  # run or qrels
    form: str
    rows: int
    escaped: int  # names that a spreadsheet would run as formulas
    notices: tuple[Notice, ...]


def convert(source: ConversionSource, output: str | IO[bytes], form: str | None, formulas: str = "escape") -> Converted:
    """Write a run or qrels of any form to a file, atomically, or to an open one, in another form."""
    source, reading = source.of_known_kind(), source.reading
    if source.kind == "qrels":
        unfit = [name for name in ("name", "run") if getattr(source, name) is not None]
        if unfit := [*unfit, *reading.given("order", "depth", "duplicates", "document_from")]:
            raise ParameterError(f"qrels take no {' or '.join(unfit)}, which go with runs")
        qrels, notices = source.qrels()
        layout, rows = qrels_layout(qrels), judgment_rows(qrels)
    else:
        run = source.rankings()
        layout, rows, notices = RUN, run_rows(run, source.name), run.notices
    count = 0

    def counted() -> Iterator[RecordRow]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    chosen, escaped = write_rows(layout, counted(), output, form, formulas)
    return Converted(str(source.kind), chosen, count, escaped, notices)


def write_rows(
    layout: RecordLayout, rows: Iterable[RecordRow], output: str | IO[bytes], form: str | None, formulas: str = "escape"
) -> tuple[str, int]:
    """Write rows to a file, atomically, or to an open one; return the form, and how many names were escaped."""
    chosen = chosen_form(layout, output if isinstance(output, str) else "-", form)
    if isinstance(output, str):
        return chosen, write_records(layout, rows, output, chosen, formulas=formulas)
    if chosen == "parquet":
        raise ParameterError("Parquet goes to a file: name one")
    escaping = Escaping(wanted=formulas == "escape" and chosen in {"csv", "tsv"})
    output.writelines(record_chunks(layout, rows, chosen, escaping))
    return chosen, escaping.count
