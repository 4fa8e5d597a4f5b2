"""One file of a run or of qrels written in another form."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from rankscale.data.notices import Notice
from rankscale.errors import ParameterError
from rankscale.formats.read.inputs import read_qrels
from rankscale.formats.read.rankings import kind_of, rankings_of
from rankscale.formats.read.reading import Reading
from rankscale.formats.read.trec import Source
from rankscale.formats.write.qrels import judgment_rows, qrels_layout
from rankscale.formats.write.records import Escaping, Layout, Row, chosen_form, record_chunks, write_records
from rankscale.formats.write.run import RUN, run_rows


@dataclass(frozen=True)
class Converted:
    """What was read, and what was written."""

    kind: str  # run or qrels
    form: str
    rows: int
    escaped: int  # names that a spreadsheet would carry out as formulas
    notices: tuple[Notice, ...]


def convert(
    source: Source,
    output: str | IO[bytes],
    form: str | None,
    reading: Reading,
    *,
    kind: str | None = None,
    name: str | None = None,
    formulas: str = "escape",
) -> Converted:
    """Write a TREC run or qrels to a file, atomically, or to an open one, in another form."""
    read_as, source = kind_of(source) if kind is None else (kind, source)
    if read_as == "qrels":
        unfit = {"name": name, "order": reading.order, "depth": reading.depth}
        if given := [option for option, value in unfit.items() if value is not None]:
            raise ParameterError(f"qrels take no {' or '.join(given)}, which go with runs")
        qrels = read_qrels(source, max_size=reading.max_size)
        layout, rows, notices = qrels_layout(qrels), _Counted(judgment_rows(qrels)), qrels.notices
    else:
        run = rankings_of(source, reading)
        layout, rows, notices = RUN, _Counted(run_rows(run, name)), run.notices
    if isinstance(output, str):
        chosen = chosen_form(layout, output, form)
        escaped = write_records(layout, rows, output, chosen, formulas=formulas)
    else:
        chosen, escaped = _write_open(layout, rows, output, form or "trec", formulas)
    return Converted(read_as, chosen, rows.count, escaped, notices)


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
