"""What an engine gives back becomes an evaluation, or is refused in words."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankscale as rs
from rankscale.errors import DuplicateError, FormatError, InputError
from rankscale.evaluation import engine

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"z": 1}}
RUNS = {"x": {"1": {"a": 3.0, "b": 2.0}, "2": {"b": 1.0}}, "y": {"1": {"c": 1.0, "a": 0.5}}}
FEW = ["AP", "nDCG@10", "P@2"]


@pytest.fixture(scope="module")
def values() -> pa.Table:
    triples = [
        (run, t, d, s) for run, topics in RUNS.items() for t, ranking in topics.items() for d, s in ranking.items()
    ]
    names = ("run", "topic", "document", "score")
    table = pa.table(dict(zip(names, map(list, zip(*triples, strict=True)), strict=True)))
    return engine.evaluate_batches(QRELS, FEW).of_table(table)


@pytest.mark.parametrize("missing", ["zero", "skip", "common"])
def test_missing_topics_are_counted_by_the_rule(values: pa.Table, missing: Any) -> None:
    wanted = rs.evaluate(QRELS, RUNS, FEW, missing=missing)
    got = engine.summarise(QRELS, values, FEW, missing=missing)
    assert got == wanted
    assert got.means().to_dict() == wanted.means().to_dict()
    assert got.notices == wanted.notices


def test_a_topic_that_lacks_is_an_error_on_request(values: pa.Table) -> None:
    with pytest.raises(InputError, match=r"1 of 3 topics in qrels missing from x .3."):
        engine.summarise(QRELS, values, FEW, missing="error")


def test_values_come_in_any_object_and_order(values: pa.Table, tmp_path: Path) -> None:
    wanted = engine.summarise(QRELS, values, FEW)
    shuffled = values.take(pa.array(np.random.default_rng(1).permutation(len(values))))
    pq.write_table(values, tmp_path / "values.parquet")
    for part in range(2):  # named as Ray does
        (tmp_path / "parts" / f"{part}").mkdir(parents=True)
        pq.write_table(values.slice(part * 4, 4 + part), tmp_path / "parts" / f"{part}" / f"3_{part}_0.parquet")
    (tmp_path / "parts" / "_SUCCESS").touch()
    dictionary = values.set_column(0, "run", values["run"].dictionary_encode())
    for held in (
        shuffled, iter(values.to_batches(max_chunksize=2)), [values.slice(0, 3), values.slice(3)], dictionary,
        pl.from_arrow(values), values.to_pandas(), values.to_reader(), tmp_path / "values.parquet",
        str(tmp_path / "parts"),
    ):  # fmt: skip
        assert engine.summarise(QRELS, held, FEW) == wanted


def test_the_order_of_runs_is_that_of_their_names_or_given(values: pa.Table) -> None:
    assert engine.summarise(QRELS, values, FEW).runs == ("x", "y")
    assert engine.summarise(QRELS, values, FEW, runs=["y", "x"]).runs == ("y", "x")
    with pytest.raises(InputError, match="expected runs among y, found x"):
        engine.summarise(QRELS, values, FEW, runs=["y"])
    with pytest.raises(InputError, match="z and qrels have no topic in common"):
        engine.summarise(QRELS, values, FEW, runs=["x", "y", "z"])


def test_a_topic_of_two_partitions_is_refused(values: pa.Table) -> None:
    with pytest.raises(
        DuplicateError, match="2 values of AP for run x, topic 1; all rows of a topic must be in one part"
    ):
        engine.summarise(QRELS, pa.concat_tables([values, values]), FEW)


def test_other_values_are_refused(values: pa.Table, tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"expected columns run, topic, measure, value, or run, topic, AP, .*, found run"
    ):
        engine.summarise(QRELS, values.drop_columns("value"), FEW)
    with pytest.raises(FormatError, match="expected a value of P@2 for run x, topic 2, found none"):
        engine.summarise(QRELS, values.filter(pa.array([place != 5 for place in range(len(values))])), FEW)
    with pytest.raises(InputError, match="expected topics of the qrels, found 2; give the qrels"):
        engine.summarise({"1": QRELS["1"]}, values, FEW)
    with pytest.raises(InputError, match="expected measures among AP, found nDCG@10, P@2"):
        engine.summarise(QRELS, values, "AP")
    with pytest.raises(InputError, match="there are none, so that no run is known"):
        engine.summarise(QRELS, values.slice(0, 0), FEW)
    with pytest.raises(FormatError, match="expected record batches of Arrow, found list"):
        engine.summarise(QRELS, [], FEW)
    with pytest.raises(FormatError, match="expected a Parquet or Arrow file, or a folder of them"):
        engine.summarise(QRELS, tmp_path, FEW)
    with pytest.raises(FormatError, match="expected a run in every row, found null"):
        engine.summarise(QRELS, pd.DataFrame({"run": [None], "topic": ["1"], "measure": ["AP"], "value": [1.0]}), "AP")
