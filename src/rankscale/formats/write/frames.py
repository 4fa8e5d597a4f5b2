"""Values as data frames, Arrow tables and Parquet files, all tidy: run, topic, measure, value."""

import json
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rankscale.data.table import ValueTable
from rankscale.errors import MissingExtraError
from rankscale.formats.write.files import replacing

PROVENANCE_KEY = b"rankscale"
NAMES = ("run", "topic", "measure")  # the columns of text


def library(name: str, what: str, extra: str = "frames") -> Any:  # noqa: ANN401  # a module
    """A library that need not be installed; where it is not, the error says what wanted it."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(what, name.partition(".")[0], extra) from None


def preferred() -> str:
    """The library of data frames where none is asked for: polars, or pandas where that alone is installed."""
    return "polars" if find_spec("polars") or not find_spec("pandas") else "pandas"


def to_polars(table: ValueTable) -> Any:  # noqa: ANN401
    """A polars DataFrame."""
    polars = library("polars", "a polars data frame")
    columns = table.tidy()
    schema = {name: polars.String if name in NAMES else polars.Float64 for name in columns}
    return polars.DataFrame(columns, schema=schema)


def to_pandas(table: ValueTable) -> Any:  # noqa: ANN401
    """A pandas DataFrame."""
    return library("pandas", "a pandas data frame").DataFrame(table.tidy())


def to_arrow(table: ValueTable) -> Any:  # noqa: ANN401
    """A pyarrow Table; its schema's metadata holds the provenance as JSON under `rankscale`."""
    pyarrow = library("pyarrow", "an Arrow table")
    columns = table.tidy()
    fields = [(name, pyarrow.string() if name in NAMES else pyarrow.float64()) for name in columns]
    schema = pyarrow.schema(fields, metadata={PROVENANCE_KEY: json.dumps(table.provenance).encode()})
    return pyarrow.table(columns, schema=schema)


def write_parquet(table: ValueTable, path: str) -> None:
    """A Parquet file, compressed with zstd."""
    parquet = library("pyarrow.parquet", "a Parquet file")
    with replacing(path) as temporary:
        parquet.write_table(to_arrow(table), temporary, compression="zstd")
