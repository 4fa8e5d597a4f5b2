"""Data frames, Arrow and Parquet: read back with the libraries themselves."""

import json
import math
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import rankscale
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.sample import QRELS, RUNS

Make = Callable[[Sequence[float]], Evaluation]
QRELS_SMALL = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "x, 'y'\n": {"a": 2}}
RUNS_SMALL = {
    "one": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}},
    'naïve "漢"\t': {"1": {"a": 1.0}, "x, 'y'\n": {"b": 3.0, "a": 1.0}},
}


@pytest.fixture
def found() -> Evaluation:
    return evaluate(QRELS_SMALL, RUNS_SMALL, ["AP", "nDCG@10"], missing="skip")


def rows(found: Evaluation) -> list[dict[str, Any]]:
    return [
        {"run": run, "topic": topic, "measure": measure, "value": value}
        for run, topics in found.to_dict().items()
        for topic, values in topics.items()
        for measure, value in values.items()
    ]


def test_polars(found: Evaluation) -> None:
    frame = found.to_polars()
    assert frame.schema == {"run": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}
    assert frame.to_dicts() == rows(found)


def test_pandas(found: Evaluation) -> None:
    frame = found.to_pandas()
    assert list(frame.columns) == ["run", "topic", "measure", "value"]
    assert frame["value"].dtype == np.float64
    assert frame.to_dict("records") == rows(found)
    means = frame.groupby(["run", "measure"])["value"].mean()
    assert means["one", "AP"] == pytest.approx(found.means()["one", "AP"], rel=1e-15)


def test_arrow(found: Evaluation) -> None:
    table = found.to_arrow()
    assert table.schema.names == ["run", "topic", "measure", "value"]
    assert table.schema.types == [pa.string(), pa.string(), pa.string(), pa.float64()]
    assert table.to_pylist() == rows(found)
    table.validate(full=True)


def provenance_of(schema: Any) -> Any:
    return json.loads(schema.metadata[b"rankscale"])


def test_parquet_holds_rows_schema_and_provenance(found: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "values.parquet"
    found.write(path)
    table = parquet.read_table(path)
    assert table.to_pylist() == rows(found)
    assert table.schema.types == [pa.string(), pa.string(), pa.string(), pa.float64()]
    assert provenance_of(parquet.read_schema(path)) == {
        "rankscale": rankscale.__version__,
        "signature": found.signature,
        "measures": ["AP", "nDCG@10"],
        "sources": ["qrels", *RUNS_SMALL],
        "missing_topics": {run: [topic for topic in QRELS_SMALL if topic not in of] for run, of in RUNS_SMALL.items()},
    }
    group = parquet.ParquetFile(path).metadata.row_group(0)
    assert {group.column(place).compression for place in range(group.num_columns)} == {"ZSTD"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["values.parquet"]


def test_parquet_is_read_by_polars_and_pandas_alike(found: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "values.parquet"
    found.write(path)
    assert pl.read_parquet(path).to_dicts() == rows(found)
    assert pd.read_parquet(path).to_dict("records") == rows(found)


@pytest.mark.parametrize("to", ["to_polars", "to_pandas", "to_arrow"])
def test_every_bit_of_a_value_is_kept(to: str, holding: Make, hard_values: list[float]) -> None:
    values = getattr(holding(hard_values), to)()["value"].to_numpy()
    assert [struct.pack("<d", value) for value in values] == [struct.pack("<d", value) for value in hard_values]


@pytest.mark.parametrize("to", ["to_polars", "to_pandas", "to_arrow"])
def test_undefined_and_infinite_values_are_kept(to: str, holding: Make) -> None:
    for infinity in (math.inf, -math.inf):
        values = getattr(holding([math.nan, infinity]), to)()["value"].to_numpy()
        assert math.isnan(values[0])
        assert values[1] == infinity


def test_topics_that_a_run_misses_have_no_row(found: Evaluation) -> None:
    assert found.to_polars().height == 2 * 2 * 2
    qrels, runs = {"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1}, "2": {"a": 1}}, "y": {"1": {"a": 1}}}
    common = evaluate(qrels, runs, "AP", missing="common").to_polars()
    assert common["topic"].unique().to_list() == ["1"]


def test_no_rows_at_all_keep_the_schema(holding: Make) -> None:
    empty = holding([])
    assert empty.to_polars().schema == {"run": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}
    assert empty.to_arrow().num_rows == 0
    assert list(empty.to_pandas().columns) == ["run", "topic", "measure", "value"]


@pytest.mark.parametrize("to", ["to_polars", "to_pandas", "to_arrow"])
def test_names_that_are_not_utf8_can_be_written(to: str) -> None:
    """These libraries take UTF-8 alone; a name that is not is shown with replacement characters, not a traceback."""
    found = evaluate({"\udcff": {"a": 1}}, {"caf\udce9": {"\udcff": {"a": 1.0}}}, "AP")
    frame = getattr(found, to)()
    assert len(frame) == 1
    assert str(frame["run"][0]).startswith("caf")


def test_the_sample_in_three_libraries_is_the_same() -> None:
    found = evaluate(QRELS, list(RUNS[:5]), ["AP", "P@5", "NumRel"])
    polars, arrow, pandas = found.to_polars(), found.to_arrow(), found.to_pandas()
    assert polars.equals(pl.DataFrame(pl.from_arrow(arrow)))
    assert polars.to_dicts() == pandas.to_dict("records") == rows(found)
    assert provenance_of(arrow.schema)["sources"] == [str(QRELS), *map(str, RUNS[:5])]
