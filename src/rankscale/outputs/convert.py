"""One file of a run or of qrels written in another form."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO

from rankscale.data.notices import Notice
from rankscale.errors import ParameterError
from rankscale.inputs.files import Source
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import kind_of, rankings_of
from rankscale.inputs.read import QrelsFile, read_qrels
from rankscale.outputs.qrels import judgment_rows, qrels_layout
from rankscale.outputs.records import Escaping, Layout, Row, chosen_form, record_chunks, write_records
from rankscale.outputs.run import RUN, run_rows


@dataclass(frozen=True)
class Converted:
    """What was read, and what was written."""

    kind: str  # run or qrels
    form: str
    rows: int
    escaped: int  # names that a spreadsheet would run as formulas
    notices: tuple[Notice, ...]


def convert(
    source: Source,
    output: str | IO[bytes],
    form: str | None,
    reading: Reading,
    *,
    kind: str | None = None,
    name: str | None = None,
    run: str | None = None,
    merge: str | None = None,
    formulas: str = "escape",
) -> Converted:
    """Write a run or qrels of any form to a file, atomically, or to an open one, in another form.

    `kind` is 'run' or 'qrels', by default what the columns say; of several runs in one file, `run` names the one meant.
    Of judgments for sub-topics, or by assessors, all are written, unless `merge` makes them one for each document.
    """
    read_as, source = kind_of(source, reading) if kind is None else (kind, source)
    if read_as == "qrels":
        unfit = {"name": name, "run": run, "order": reading.order, "depth": reading.depth}
        unfit["duplicates"] = None if reading.duplicates == "error" else reading.duplicates
        unfit["document_from"] = reading.document_from
        if given := [option for option, value in unfit.items() if value is not None]:
            raise ParameterError(f"qrels take no {' or '.join(given)}, which go with runs")
        form_of_file = reading.file_form
        qrels = read_qrels(
            QrelsFile(source, form_of_file.form, dict(form_of_file.columns), merge), max_size=reading.max_size
        )
        if merge is not None:
            qrels = replace(qrels, aspects=None)  # one grade for each document
        notices = tuple(notice for notice in qrels.notices if notice.kind != "aspects")  # which is about measures
        layout, rows = qrels_layout(qrels), _Counted(judgment_rows(qrels))
    else:
        run_read = rankings_of(source, reading, run=run)
        layout, rows, notices = RUN, _Counted(run_rows(run_read, name)), run_read.notices
    chosen, escaped = write_rows(layout, rows, output, form, formulas)
    return Converted(read_as, chosen, rows.count, escaped, notices)


def write_rows(
    layout: Layout, rows: Iterable[Row], output: str | IO[bytes], form: str | None, formulas: str = "escape"
) -> tuple[str, int]:
    """Write rows to a file, atomically, or to an open one; return the form, and how many names were escaped."""
    if not isinstance(output, str):
        return _write_open(layout, rows, output, form or "trec", formulas)
    chosen = chosen_form(layout, output, form)
    return chosen, write_records(layout, rows, output, chosen, formulas=formulas)


def _write_open(layout: Layout, rows: Iterable[Row], output: IO[bytes], form: str, formulas: str) -> tuple[str, int]:
    if form == "parquet":
        raise ParameterError("Parquet goes to a file: name one")
    escaping = Escaping(wanted=formulas == "escape" and form in {"csv", "tsv"})
    output.writelines(record_chunks(layout, rows, chosen_form(layout, "-", form), escaping))
    return form, escaping.count


class _Counted:
    """Rows that are counted as they pass."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self.rows:
            self.count += 1
            yield row
