"""Tables as data frames of polars and pandas, Arrow tables and Parquet files."""

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.resources import PROVENANCE_KEY, library
from rankscale.data.table import Cell, Cells, CellType, Names, Table, is_empty, kind, readable
from rankscale.outputs.files import replacing

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

ROW_GROUP = 2**17  # rows of a Parquet file that are written together


def to_frame(table: Table) -> "pl.DataFrame | pd.DataFrame":
    """A data frame of polars, or of pandas where that alone is installed."""
    return to_polars(table) if find_spec("polars") or not find_spec("pandas") else to_pandas(table)


def to_polars(table: Table) -> "pl.DataFrame":
    """A polars DataFrame."""
    polars = library("polars", "a polars data frame")
    kinds = {str: polars.String, float: polars.Float64, int: polars.Int64, None: polars.Null}

    def series(name: str, column: Cells, of: CellType) -> "pl.Series":
        if isinstance(column, Names):
            made: pl.Series = polars.Series(name, _readable(column), dtype=polars.String).gather(column.codes)
            return made
        return polars.Series(name, _values(column), dtype=kinds[of])  # type: ignore[no-any-return]

    batch = table.in_one_batch()
    frame: pl.DataFrame = polars.DataFrame([series(name, batch[name], of) for name, of in table.kinds.items()])
    return frame


def to_pandas(table: Table) -> "pd.DataFrame":
    """A pandas DataFrame."""
    pandas = library("pandas", "a pandas data frame")
    kinds = {str: "object", float: "float64", int: "Int64", None: "object"}  # its int64 knows no gaps

    def series(column: Cells, of: CellType) -> object:
        if isinstance(column, Names):
            return np.array(_readable(column), dtype=object)[column.codes]
        return column if isinstance(column, np.ndarray) else pandas.Series(_values(column), dtype=kinds[of])

    batch = table.in_one_batch()
    return pandas.DataFrame({name: series(batch[name], of) for name, of in table.kinds.items()})


def to_arrow(table: Table) -> "pa.Table":
    """A pyarrow Table; its schema's metadata holds the provenance as JSON under `rankscale`."""
    pyarrow = library("pyarrow", "an Arrow table")
    schema = _schema(table, pyarrow)
    return pyarrow.Table.from_batches(_record_batches(table, pyarrow, schema), schema=schema)


def write_parquet(table: Table, path: str) -> None:
    """A Parquet file, compressed with zstd, written as batches come."""
    pyarrow, parquet = library("pyarrow", "a Parquet file"), library("pyarrow.parquet", "a Parquet file")
    schema = _schema(table, pyarrow)
    with replacing(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as out:
        waiting: list[pa.RecordBatch] = []
        for batch in _record_batches(table, pyarrow, schema):
            waiting.append(batch)
            if sum(len(one) for one in waiting) >= ROW_GROUP:
                out.write_table(pyarrow.Table.from_batches(waiting, schema=schema))
                waiting = []
        if waiting:
            out.write_table(pyarrow.Table.from_batches(waiting, schema=schema))


def _schema(table: Table, pyarrow: ModuleType) -> "pa.Schema":
    kinds = {str: pyarrow.string(), float: pyarrow.float64(), int: pyarrow.int64(), None: pyarrow.null()}
    fields = [(name, kinds[of]) for name, of in table.kinds.items()]
    return pyarrow.schema(fields, metadata={PROVENANCE_KEY: json.dumps(table.provenance).encode()})


def _record_batches(table: Table, pyarrow: ModuleType, schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
    def array(column: Cells, of: "pa.DataType") -> "pa.Array":
        if isinstance(column, Names):
            return pyarrow.array(_readable(column), pyarrow.string()).take(pyarrow.array(column.codes))
        return pyarrow.array(_values(column), of)

    for batch in table.batches():
        yield pyarrow.record_batch([array(batch[field.name], field.type) for field in schema], schema=schema)


def _readable(column: Names) -> list[str]:
    return [readable(name) for name in column.names]


def _values(column: Floats | Ints | Sequence[Cell]) -> Floats | Ints | list[Cell]:
    """Cells as a data frame can hold them: undefined numbers are nothing, huge ones text. Arrays are as they are."""
    if isinstance(column, np.ndarray):
        return column
    of = kind(column)
    there = [None if is_empty(cell) else cell for cell in column]
    if of is str:
        return [None if cell is None else readable(str(cell)) for cell in there]
    return [None if cell is None else of(cell) for cell in there] if of else there
