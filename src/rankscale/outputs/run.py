"""Runs written in the forms that other tools read."""

import os
import warnings
from collections.abc import Iterator
from typing import Literal

from rankscale.data.checking import check_arguments
from rankscale.data.markers import Positive
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import Rankings, rankings_of
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels
from rankscale.outputs.records import Layout, Row, chosen_form, word, write_records


def _trec(row: Row) -> str:
    topic, document, rank, score, run = row
    topic, document = word(topic, "topic", "a TREC run"), word(document, "document", "a TREC run")
    return f"{topic} Q0 {document} {rank} {score!r} {word(run, 'run', 'a TREC run')}\n"


def _msmarco(row: Row) -> str:
    topic, document, rank, *_ = row
    return f"{word(topic, 'topic', 'an MS MARCO run')}\t{word(document, 'document', 'an MS MARCO run')}\t{rank}\n"


def _first_names(text: bytes) -> tuple[str, str]:
    topic, documents, _ = next(rankings_of(text, Reading()).each())
    return topic, documents[0]


RUN = Layout(
    "run",
    {"topic": str, "document": str, "rank": int, "score": float, "run": str},
    {"trec": _trec, "msmarco": _msmarco},
    _first_names,
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


def run_rows(read: Rankings, name: str | None = None) -> Iterator[Row]:
    """A row for each document of each ranking."""
    tag = read.name if name is None else name
    for topic, documents, scores in read.each():
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1):
            yield topic, document, rank, score, tag


def escaped_words(path: str, count: int, otherwise: str) -> str:
    """What is said of names that were escaped."""
    return (
        f"{path}: an apostrophe stands before names that a spreadsheet would run as formulas "
        f"(cells: {count}); {otherwise}"
    )
