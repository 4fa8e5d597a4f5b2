"""Curves as text, data frames and files, all but the tables for people tidy: run, topic, measure, rank, value."""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.curves import CurveTable, Rows
from rankscale.data.table import readable
from rankscale.formats.write.files import replacing
from rankscale.formats.write.frames import PROVENANCE_KEY, library
from rankscale.formats.write.text import aligned, cell, json_number

TIDY = ("tsv", "csv", "jsonl")
SHOWN_RANKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)  # in tables, as far as curves go
BARS = "▁▂▃▄▅▆▇█"
SHAPE_WIDTH = 12
SEPARATORS = {"tsv": "\t", "csv": ","}
NAMES = ("run", "topic", "measure")


def tidy_text(table: CurveTable, form: str, *, places: int | None) -> Iterator[bytes]:
    """Rows of run, topic, measure, rank, value ... as tsv, csv or jsonl, one topic of a run at a time."""
    if form in SEPARATORS:
        yield (SEPARATORS[form].join([*NAMES, "rank", *table.columns]) + "\n").encode()
    quoted = [[_quoted(name, form) for name in names] for names in (table.runs, table.topics, table.measures)]
    ranks = [[_before(form, "rank") + str(rank) for rank in there.tolist()] for there in table.ranks]
    numbers = _numbers(form, places)
    opening, end = ('{"run": ', "}\n") if form == "jsonl" else ("", "\n")
    for r, t in np.argwhere(table.retrieved).tolist():
        pieces = []
        for m, measure in enumerate(quoted[2]):
            start = opening + quoted[0][r] + _before(form, "topic") + quoted[1][t] + _before(form, "measure") + measure
            fields = [ranks[m]]
            for key, arrays in table.columns.items():
                before = _before(form, key)
                fields.append([before + number for number in numbers(arrays[m][r, t])])
            pieces.append("".join([start + "".join(row) + end for row in zip(*fields, strict=True)]))
        yield "".join(pieces).encode("utf-8", "surrogateescape")


def _before(form: str, key: str) -> str:
    """What stands between a field and the one before it."""
    return SEPARATORS.get(form, f', "{key}": ')


def _quoted(name: str, form: str) -> str:
    """A name as the form writes it."""
    if form == "tsv":
        return re.sub(r"[\t\n\r]", " ", name)
    if form == "csv":
        return '"' + name.replace('"', '""') + '"' if re.search(r'[,"\n\r]', name) else name
    # Bytes that are not UTF-8 as Python's surrogates for them, so that its reader gives back the name it knows.
    return re.sub("[\ud800-\udfff]", lambda c: f"\\u{ord(c[0]):04x}", json.dumps(name, ensure_ascii=False))


def _numbers(form: str, places: int | None) -> Callable[[Floats], list[str]]:
    """Writes a vector of numbers: the fewest digits that read back the same, or as many places as asked for."""
    plain = repr if places is None else f"%.{places}f".__mod__

    def special(value: float) -> str:
        return json_number(value, places) if form == "jsonl" else plain(value)

    def write(values: Floats) -> list[str]:
        return list(map(plain if np.isfinite(values).all() else special, values.tolist()))

    return write


def json_chunks(table: CurveTable, *, places: int | None = None) -> Iterator[str]:
    """One document: provenance, ranks by measure, then for each run and topic the curves."""
    names = [json.dumps(measure) for measure in table.measures]
    numbers = _numbers("jsonl", places)

    def by_measure(words: Sequence[str]) -> str:
        return "{" + ", ".join(f"{name}: {word}" for name, word in zip(names, words, strict=True)) + "}"

    def curves(r: int, t: int) -> str:
        found = []
        for m in range(len(names)):
            columns = {key: f"[{', '.join(numbers(arrays[m][r, t]))}]" for key, arrays in table.columns.items()}
            if table.counted is not None:
                columns["topics_counted"] = json.dumps(table.counted[m][r, t].tolist())
            found.append("{" + ", ".join(f'"{key}": {text}' for key, text in columns.items()) + "}")
        return by_measure(found)

    head = json.dumps(table.provenance)[1:-1]
    ranks = by_measure([json.dumps(there.tolist()) for there in table.ranks])
    yield "{" + head + (", " if head else "") + f'"ranks": {ranks}, "runs": ['
    for r, run in enumerate(table.runs):
        yield ("," if r else "") + f'\n{{"run": {json.dumps(run)},\n "topics": {{'
        for number, t in enumerate(np.flatnonzero(table.retrieved[r]).tolist()):
            yield ("," if number else "") + f"\n  {json.dumps(table.topics[t])}: {curves(r, t)}"
        yield "\n }}"
    yield "\n]}\n"


def ranks_shown(depth: int) -> list[int]:
    """The ranks that a table has columns for, where none are asked for; the last is always there.

    >>> ranks_shown(30)
    [1, 2, 3, 5, 10, 20, 30]
    """
    return [*(rank for rank in SHOWN_RANKS if rank < depth), depth]


def people_table(table: CurveTable, ranks: Sequence[int] | None, *, places: int) -> str:
    """For each measure a table: runs (and topics) down, ranks across, and the shape of each curve as bars."""
    parts = []
    for m, name in enumerate(table.measures):
        there = table.ranks[m]
        wanted = np.searchsorted(there, ranks_shown(int(there[-1])) if ranks is None else sorted(set(ranks)))
        # A measure without bounds has no rows for them.
        columns = {k: arrays[m] for k, arrays in table.columns.items() if k == "value" or not np.isnan(arrays[m]).all()}
        head = ["run", "topics" if table.counted is not None else "topic"]
        rows = [[*head, *["curve"] * (len(columns) > 1), *map(str, there[wanted].tolist()), "shape"]]
        every = np.stack(list(columns.values()))
        limits = _least(every), -_least(-every)
        shown = 0 if (table.whole and table.whole[m]) or _are_steps(every) else places
        for r, t in np.argwhere(table.retrieved).tolist():
            for key, array in columns.items():
                cells = [cell(value, shown) for value in array[r, t, wanted].tolist()]
                second = table.topics[t]
                if table.counted is not None:
                    over = table.counted[m][r, t]
                    cells = [f"{c} ({n})" if n != over.max() else c for c, n in zip(cells, over[wanted], strict=True)]
                    second = str(over.max(initial=0))
                kind = [key] * (len(columns) > 1)
                rows.append([table.runs[r], second, *kind, *cells, shape(array[r, t], there, *limits)])
        parts.append(f"{name}\n{aligned(rows)}")
    return "\n\n".join(parts) + "\n"


def _are_steps(values: Floats) -> bool:
    """Whether these are whole numbers that go beyond 1, such as relative positions; they need no decimals."""
    finite = values[np.isfinite(values)]
    return bool(finite.size and np.abs(finite).max() > 1 and (finite == np.rint(finite)).all())


def _least(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.min()) if finite.size else 0.0


def shape(curve: Floats, ranks: Ints, low: float, high: float) -> str:
    """A curve as a row of bars between two limits, at ranks that grow by the same factor.

    >>> shape(np.array([0.0, 0.5, 1.0]), np.array([1, 2, 3]), 0, 1)
    '▁▅█'
    """
    first, last = float(ranks[0]), float(ranks[-1])
    wanted = np.geomspace(first, last, SHAPE_WIDTH) if len(ranks) > SHAPE_WIDTH else ranks
    places = np.minimum(np.searchsorted(ranks, np.round(wanted)), len(ranks) - 1)
    heights = (curve[places] - low) / (high - low if high > low else 1.0)
    return "".join(_bar(height) for height in heights.tolist())


def _bar(height: float) -> str:
    if not math.isfinite(height):
        return " "
    return BARS[min(int(max(height, 0.0) * len(BARS)), len(BARS) - 1)]


def to_polars(table: CurveTable) -> Any:  # noqa: ANN401
    """A polars DataFrame."""
    polars = library("polars", "a polars data frame")
    rows, names = _all_rows(table), _names(table)
    texts = {key: polars.Series(key, names[key], dtype=polars.String).gather(getattr(rows, key)) for key in NAMES}
    return polars.DataFrame({**texts, "rank": rows.rank, **rows.columns})


def to_pandas(table: CurveTable) -> Any:  # noqa: ANN401
    """A pandas DataFrame."""
    pandas = library("pandas", "a pandas data frame")
    rows, names = _all_rows(table), _names(table)
    texts = {key: np.array(names[key], dtype=object)[getattr(rows, key)] for key in NAMES}
    return pandas.DataFrame({**texts, "rank": rows.rank, **rows.columns})


def to_arrow(table: CurveTable) -> Any:  # noqa: ANN401
    """A pyarrow Table; its schema's metadata holds the provenance as JSON under `rankscale`."""
    pyarrow = library("pyarrow", "an Arrow table")
    return pyarrow.Table.from_batches(_batches(table, pyarrow), schema=_schema(table, pyarrow))


def write_parquet(table: CurveTable, path: str) -> None:
    """A Parquet file, compressed with zstd, written run by run."""
    pyarrow, parquet = library("pyarrow", "a Parquet file"), library("pyarrow.parquet", "a Parquet file")
    with (
        replacing(path) as temporary,
        parquet.ParquetWriter(temporary, _schema(table, pyarrow), compression="zstd") as out,
    ):
        for batch in _batches(table, pyarrow):
            out.write_batch(batch)


def _names(table: CurveTable) -> dict[str, list[str]]:
    lists = zip(NAMES, (table.runs, table.topics, table.measures), strict=True)
    return {key: [readable(name) for name in names] for key, names in lists}


def _all_rows(table: CurveTable) -> Rows:
    parts = list(table.rows())
    run, topic, measure, rank = (np.concatenate([getattr(part, key) for part in parts]) for key in (*NAMES, "rank"))
    columns = {key: np.concatenate([part.columns[key] for part in parts]) for key in table.columns}
    return Rows(run, topic, measure, rank, columns)


def _schema(table: CurveTable, pyarrow: Any) -> Any:  # noqa: ANN401
    fields = [
        *((key, pyarrow.string()) for key in NAMES),
        ("rank", pyarrow.int64()),
        *((key, pyarrow.float64()) for key in table.columns),
    ]
    return pyarrow.schema(fields, metadata={PROVENANCE_KEY: json.dumps(table.provenance).encode()})


def _batches(table: CurveTable, pyarrow: Any) -> Iterator[Any]:  # noqa: ANN401
    names, schema = {key: pyarrow.array(listed) for key, listed in _names(table).items()}, _schema(table, pyarrow)
    for rows in table.rows():
        texts = [names[key].take(pyarrow.array(getattr(rows, key))) for key in NAMES]
        numbers = [pyarrow.array(column) for column in (rows.rank, *rows.columns.values())]
        yield pyarrow.record_batch([*texts, *numbers], schema=schema)
