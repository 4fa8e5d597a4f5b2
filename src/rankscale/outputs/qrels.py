"""Judgments written in the forms that other tools read; in TREC's, `topic 0 document grade`, one judgment a line.

Where documents are judged for several sub-topics or by several assessors, these take the place of the 0; if the qrels
were read with a rule that merges their grades (`merge='max'`), one grade for each document is written.
"""

import os
import warnings
from collections.abc import Iterator
from typing import Literal

from rankscale.data.arrays import UNJUDGED
from rankscale.data.checking import check_arguments
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError
from rankscale.inputs.core_results import name_of
from rankscale.inputs.read import QrelsLike, read_qrels
from rankscale.outputs.records import Escaping, Layout, Row, chosen_form, record_chunks, word, write_records
from rankscale.outputs.run import escaped_words

ASPECT_COLUMNS = ("topic", "subtopic", "document")
LARGEST_WHOLE = 2**53  # whole numbers below it are exact as doubles


def _trec(row: Row) -> str:
    topic, document, grade = row
    return f"{word(topic, 'topic', 'TREC qrels')} 0 {word(document, 'document', 'TREC qrels')} {grade}\n"


def _trec_by_aspect(row: Row) -> str:
    *names, grade = row
    topic, aspect, document = (
        word(name, column, "TREC qrels") for name, column in zip(names, ASPECT_COLUMNS, strict=True)
    )
    return f"{topic} {aspect} {document} {grade}\n"


def _first_names(text: bytes) -> tuple[str, str]:
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


def qrels_layout(qrels: Qrels) -> Layout:
    """Grades are whole numbers in all forms where every one is."""
    whole = all(isinstance(_number(level), int) for level in qrels.levels.tolist())
    grade = {"grade": int if whole else float}
    if not _has_aspects(qrels):
        return Layout("qrels", {"topic": str, "document": str, **grade}, {"trec": _trec}, _first_names)
    return Layout("qrels", {**dict.fromkeys(ASPECT_COLUMNS, str), **grade}, {"trec": _trec_by_aspect}, _first_names)


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
    count = write_judgments(read, where, form, formulas=formulas)
    if count:
        warnings.warn(escaped_words(where, count, "formulas='keep' keeps them as they are"), stacklevel=2)


def write_judgments(qrels: Qrels, path: str, form: str | None, *, formulas: str) -> int:
    """Write qrels that are read, and return how many names were escaped."""
    layout = qrels_layout(qrels)
    return write_records(layout, judgment_rows(qrels), path, chosen_form(layout, path, form), formulas=formulas)


def qrels_lines(qrels: Qrels) -> Iterator[bytes]:
    """TREC's lines, topic after topic; the second column is 0, or the sub-topic or assessor.

    >>> from rankscale import read_qrels
    >>> qrels = read_qrels({"301": {"FT911-3": 1, "FT911-5": 0.5}})
    >>> print(b"".join(qrels_lines(qrels)).decode(), end="")
    301 0 FT911-3 1
    301 0 FT911-5 0.5
    """
    return record_chunks(qrels_layout(qrels), judgment_rows(qrels), "trec", Escaping(wanted=False))


def judgment_rows(qrels: Qrels) -> Iterator[Row]:
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
