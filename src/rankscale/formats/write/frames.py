"""Tables as data frames of polars and pandas, Arrow tables and Parquet files."""

import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscale.data.table import Cell, Column, Kind, Names, Table, is_empty, kind, readable
from rankscale.errors import MissingExtraError
from rankscale.formats.write.files import replacing

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

PROVENANCE_KEY = b"rankscale"  # of a schema's metadata
ROW_GROUP = 2**17  # rows of a Parquet file that are written together


def library(name: str, what: str, extra: str = "frames") -> Any:  # noqa: ANN401  # a module
    """A library that need not be installed; where it is not, the error says what wanted it."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(what, name.partition(".")[0], extra) from None


def to_frame(table: Table) -> "polars.DataFrame | pandas.DataFrame":
    """A data frame of polars, or of pandas where that alone is installed."""
    return to_polars(table) if find_spec("polars") or not find_spec("pandas") else to_pandas(table)


def to_polars(table: Table) -> "polars.DataFrame":
    """A polars DataFrame."""
    pl = library("polars", "a polars data frame")
    kinds = {str: pl.String, float: pl.Float64, int: pl.Int64, None: pl.Null}

    def series(name: str, column: Column, of: Kind) -> "polars.Series":
        if isinstance(column, Names):
            made: polars.Series = pl.Series(name, _readable(column), dtype=pl.String).gather(column.codes)
            return made
        return pl.Series(name, _values(column), dtype=kinds[of])  # type: ignore[no-any-return]

    batch = table.in_one_batch()
    frame: polars.DataFrame = pl.DataFrame([series(name, batch[name], of) for name, of in table.kinds.items()])
    return frame


def to_pandas(table: Table) -> "pandas.DataFrame":
    """A pandas DataFrame."""
    pd = library("pandas", "a pandas data frame")
    kinds = {str: "object", float: "float64", int: "Int64", None: "object"}  # its int64 knows no gaps

    def series(column: Column, of: Kind) -> object:
        if isinstance(column, Names):
            return np.array(_readable(column), dtype=object)[column.codes]
        return column if isinstance(column, np.ndarray) else pd.Series(_values(column), dtype=kinds[of])

    batch = table.in_one_batch()
    return pd.DataFrame({name: series(batch[name], of) for name, of in table.kinds.items()})


def to_arrow(table: Table) -> "pyarrow.Table":
    """A pyarrow Table; its schema's metadata holds the provenance as JSON under `rankscale`."""
    pa = library("pyarrow", "an Arrow table")
    schema = _schema(table, pa)
    return pa.Table.from_batches(_record_batches(table, pa, schema), schema=schema)


def write_parquet(table: Table, path: str) -> None:
    """A Parquet file, compressed with zstd, written as batches come."""
    pa, parquet = library("pyarrow", "a Parquet file"), library("pyarrow.parquet", "a Parquet file")
    schema = _schema(table, pa)
    with replacing(path) as temporary, parquet.ParquetWriter(temporary, schema, compression="zstd") as out:
        waiting: list[pyarrow.RecordBatch] = []
        for batch in _record_batches(table, pa, schema):
            waiting.append(batch)
            if sum(len(one) for one in waiting) >= ROW_GROUP:
                out.write_table(pa.Table.from_batches(waiting, schema=schema))
                waiting = []
        if waiting:
            out.write_table(pa.Table.from_batches(waiting, schema=schema))


def _schema(table: Table, pa: Any) -> "pyarrow.Schema":  # noqa: ANN401  # a module
    kinds = {str: pa.string(), float: pa.float64(), int: pa.int64(), None: pa.null()}
    fields = [(name, kinds[of]) for name, of in table.kinds.items()]
    return pa.schema(fields, metadata={PROVENANCE_KEY: json.dumps(table.provenance).encode()})


def _record_batches(table: Table, pa: Any, schema: "pyarrow.Schema") -> "Iterator[pyarrow.RecordBatch]":  # noqa: ANN401
    def array(column: Column, of: "pyarrow.DataType") -> "pyarrow.Array":
        if isinstance(column, Names):
            return pa.array(_readable(column), pa.string()).take(pa.array(column.codes))
        return pa.array(_values(column), of)

    for batch in table.batches():
        yield pa.record_batch([array(batch[field.name], field.type) for field in schema], schema=schema)


def _readable(column: Names) -> list[str]:
    return [readable(name) for name in column.names]


def _values(column: Column) -> "np.ndarray[Any, Any] | list[Cell]":
    """Cells as a data frame can hold them: undefined numbers are nothing, huge ones text. Arrays are as they are."""
    return column if isinstance(column, np.ndarray) else _cleaned(list(column))


def _cleaned(cells: Sequence[Cell]) -> list[Cell]:
    of = kind(cells)
    there = [None if is_empty(cell) else cell for cell in cells]
    if of is str:
        return [None if cell is None else readable(str(cell)) for cell in there]
    return [None if cell is None else of(cell) for cell in there] if of else there
