"""Values as data frames, Arrow tables and Parquet files, all tidy: run, topic, measure, value."""

import json
from importlib import import_module
from typing import Any

from rankscale.data.table import ValueTable
from rankscale.errors import MissingExtraError
from rankscale.formats.files import replacing

PROVENANCE_KEY = b"rankscale"


def _library(name: str, what: str) -> Any:  # noqa: ANN401  # a module
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(what, name.partition(".")[0], "frames") from None


def to_polars(table: ValueTable) -> Any:  # noqa: ANN401
    """A polars DataFrame."""
    polars = _library("polars", "a polars data frame")
    schema = {"run": polars.String, "topic": polars.String, "measure": polars.String, "value": polars.Float64}
    return polars.DataFrame(table.tidy(), schema=schema)


def to_pandas(table: ValueTable) -> Any:  # noqa: ANN401
    """A pandas DataFrame."""
    return _library("pandas", "a pandas data frame").DataFrame(table.tidy())


def to_arrow(table: ValueTable) -> Any:  # noqa: ANN401
    """A pyarrow Table; its schema's metadata holds the provenance as JSON under `rankscale`."""
    pyarrow = _library("pyarrow", "an Arrow table")
    columns = table.tidy()
    fields = [(name, pyarrow.float64() if name == "value" else pyarrow.string()) for name in columns]
    schema = pyarrow.schema(fields, metadata={PROVENANCE_KEY: json.dumps(table.provenance).encode()})
    return pyarrow.table(columns, schema=schema)


def write_parquet(table: ValueTable, path: str) -> None:
    """A Parquet file, compressed with zstd."""
    parquet = _library("pyarrow.parquet", "a Parquet file")
    with replacing(path) as temporary:
        parquet.write_table(to_arrow(table), temporary, compression="zstd")
