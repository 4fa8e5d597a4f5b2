"""Rankings measured in record batches have the values of `evaluate`, however rows are cut."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale import sample
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError
from rankscale.evaluation import engine
from rankscale.evaluation.engine import evaluator as evaluator_module
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register import find, names
from tests.evaluation.engine.tables import sample_rows

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"z": 1}}
FEW = ["AP", "nDCG@10", "P@2"]


def registered(name: str) -> Measure:
    """A measure of the register, at a depth or recall where it needs one."""
    for ending in ("", "@10", "@0.5"):
        try:
            return rs.parse(f"{find(name).example or name}{ending}")
        except ParameterError:
            continue
    raise AssertionError(name)


EVERY = [registered(name) for name in names()]


def rows(*lines: str, **columns: Any) -> pa.RecordBatch:
    """A batch of lines such as "1 a 2.5", with other columns."""
    fields = [line.split() for line in lines]
    held: dict[str, Any] = {
        "topic": [topic for topic, _, _ in fields],
        "document": [document for _, document, _ in fields],
        "score": [float(score) for _, _, score in fields],
    }
    return pa.record_batch({**held, **columns})


def cut(table: pa.Table, ends: list[int]) -> list[pa.RecordBatch]:
    """The rows of a table in batches that end there."""
    bounds = [0, *sorted(ends), len(table)]
    pieces = [table.slice(start, end - start) for start, end in pairwise(bounds)]
    return [batch for piece in pieces for batch in piece.to_batches()]


def same_bytes(got: rs.Evaluation, wanted: rs.Evaluation) -> None:
    unknown = {"unknown topics", "length"}  # no partition gives these topics, and values do not tell lengths
    known = tuple(notice for notice in wanted.notices if notice.kind not in unknown)
    assert got == replace(wanted, notices=known)
    assert got.values.tobytes() == wanted.values.tobytes()
    assert got.means().values.tobytes() == wanted.means().values.tobytes()
    assert got.signature == wanted.signature


@pytest.mark.parametrize("max_rows", [2500, 1 << 19])
def test_every_measure_has_the_bytes_of_evaluate(max_rows: int) -> None:
    table = sample_rows(2)
    wanted = rs.evaluate(sample.QRELS, table, EVERY)
    evaluate = engine.evaluate_batches(sample.QRELS, EVERY, max_rows=max_rows)
    batches = list(evaluate(table.to_batches(max_chunksize=999)))
    assert all(batch.schema == engine.output_schema(EVERY) for batch in batches)
    same_bytes(engine.summarise(sample.QRELS, batches, EVERY, runs=wanted.runs), wanted)


OPTIONS = [
    {"judged_only": True},
    {"depth": 7},
    {"grades": {1: 0, 3: 2}},
    {"negative": "not relevant"},
    {"order": "score64"},
    {"order": "file"},
    {"bounds": True, "depth": 20},
]


def test_a_table_or_one_batch_stands_for_its_batches() -> None:
    table = sample_rows(1).combine_chunks()
    evaluate = engine.evaluate_batches(sample.QRELS, ["AP"])
    wanted = [batch.to_pylist() for batch in evaluate(table.to_batches())]
    assert [batch.to_pylist() for batch in evaluate(table)] == wanted
    assert [batch.to_pylist() for batch in evaluate(table.to_batches()[0])] == wanted


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_mean_what_they_mean_in_evaluate(options: dict[str, Any], wide: Any) -> None:
    table, measures = sample_rows(2), ["RBP", "P@10", "nDCG@10"]
    wanted = rs.evaluate(sample.QRELS, table, measures, **options)
    evaluate = engine.evaluate_batches(sample.QRELS, measures, wide=wide, max_rows=4000, **options)
    values = evaluate.of_table(table)
    assert values.schema == engine.output_schema(measures, wide=wide, bounds="bounds" in options)
    got = engine.summarise(sample.QRELS, values, measures, runs=wanted.runs, **options)
    same_bytes(got, wanted)
    for name, extra in wanted.extra_columns.items():
        assert got.extra_columns[name].tobytes() == extra.tobytes()


@given(st.data())
@settings(max_examples=60)
def test_no_cut_into_batches_changes_a_bit(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=12))
    topics = [str(topic) for topic, length in enumerate(lengths) for _ in range(length)]
    documents = [f"d{place}" for length in lengths for place in range(length)]
    runs = data.draw(st.sampled_from([None, ["x", "y"]]))
    one = {"topic": topics, "document": documents, "score": rng.integers(0, 4, len(topics)).astype(float)}
    parts = [pa.table({**one, "run": [name] * len(topics)}) for name in runs or []] or [pa.table(one)]
    table = pa.concat_tables(parts)
    qrels = {
        str(topic): {f"d{d}": int(rng.integers(-1, 3)) for d in range(12)} for topic in range(0, len(lengths) + 2, 2)
    }
    ends = data.draw(st.lists(st.integers(0, len(table)), max_size=10))
    if data.draw(st.booleans()):
        table = table.take(pa.array(rng.permutation(len(table))))  # any order, where all fits
        max_rows = len(table)
    else:
        max_rows = data.draw(st.integers(10, 60))
    wanted = rs.evaluate(qrels, table, FEW)
    evaluate = pickle.loads(pickle.dumps(engine.evaluate_batches(qrels, FEW, max_rows=max_rows)))
    values = pa.Table.from_batches(evaluate(cut(table, ends)))
    assert {*values["topic"].to_pylist()} == {*qrels} & {*topics}
    same_bytes(engine.summarise(qrels, values, FEW, runs=wanted.runs), wanted)


def encoded(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    return column.dictionary_encode() if kind == "dictionary" else column.cast(kind)


@pytest.mark.parametrize("kind", ["dictionary", "large_string", "string_view", "binary", "large_binary"])
def test_names_come_in_every_type(kind: str) -> None:
    table = sample_rows(2)
    columns = {name: encoded(table[name], kind) for name in ("run", "topic", "document")}
    wanted = rs.evaluate(sample.QRELS, table, FEW)
    evaluate = engine.evaluate_batches(sample.QRELS, FEW, max_rows=3000)
    batches = pa.table({**columns, "score": table["score"]}).to_batches(max_chunksize=1111)
    same_bytes(engine.summarise(sample.QRELS, evaluate(batches), FEW, runs=wanted.runs), wanted)


def test_topics_as_numbers_and_types_that_change_between_batches() -> None:
    batches = [rows("1 a 3", "1 b 2"), rows("2 a 1")]
    numbers = [
        pa.record_batch({**batch.to_pydict(), "topic": [int(t.as_py()) for t in batch["topic"]]}) for batch in batches
    ]
    views = [
        batches[0],
        rows("2 a 1").cast(pa.schema([("topic", "large_string"), ("document", "string"), ("score", "float")])),
    ]
    wanted = [batch.to_pydict() for batch in engine.evaluate_batches(QRELS, FEW)(batches)]
    for other in (numbers, views):
        assert [batch.to_pydict() for batch in engine.evaluate_batches(QRELS, FEW)(other)] == wanted
    with pytest.raises(
        FormatError, match=r"expected columns topic \(string\), .* as in the first batch, found topic \(int64\)"
    ):
        list(
            engine.evaluate_batches(QRELS, FEW)(
                [batches[0], pa.record_batch({"topic": [2], "document": [["a"]], "score": [1.0]})]
            )
        )


def test_columns_are_known_by_their_names_or_given() -> None:
    batch = pa.record_batch({"text": ["x"], "qid": ["2"], "docno": ["a"], "rank": [1], "tag": ["mine"]})
    assert next(engine.evaluate_batches(QRELS, "AP")([batch])).to_pydict() == {
        "run": ["mine"], "topic": ["2"], "measure": ["AP"], "value": [1.0],
    }  # fmt: skip
    odd = pa.record_batch({"x": ["2"], "y": ["a"], "z": [1.0]})
    evaluate = engine.evaluate_batches(QRELS, "AP", columns="topic=1,document=y,score=3", run="bm25")
    assert next(evaluate([odd])).to_pylist() == [{"run": "bm25", "topic": "2", "measure": "AP", "value": 1.0}]
    with pytest.raises(FormatError, match="expected a column with the topic"):
        list(engine.evaluate_batches(QRELS, "AP")([odd]))
    with pytest.raises(ParameterError, match="the column tag names runs, and run='bm25' is for batches without"):
        list(engine.evaluate_batches(QRELS, "AP", run="bm25")([batch]))


@pytest.mark.parametrize(
    "batches", [[], [rows()], [rows("9 a 1")]], ids=["no batch", "no row", "no topic of the qrels"]
)
def test_nothing_gives_one_batch_without_rows(batches: list[pa.RecordBatch]) -> None:
    (batch,) = engine.evaluate_batches(QRELS, FEW)(batches)
    assert batch.num_rows == 0
    assert batch.schema == engine.output_schema(FEW)


@pytest.mark.parametrize("column", ["run", "topic", "document", "score"])
def test_a_null_is_refused_with_its_row(column: str) -> None:
    whole = rows("1 a 3", "2 a 1", "3 z 1", run=["x"] * 3)
    other: dict[str, Any] = {**whole.to_pydict(), "run": ["y"] * 3}
    holed = pa.record_batch({**other, column: [*other[column][:2], None]})
    evaluate = engine.evaluate_batches(QRELS, FEW, max_rows=3)
    with pytest.raises(
        FormatError, match=f'^the record batches: row 5: expected a value in column "{column}", found null'
    ):
        list(evaluate([whole, holed]))


def test_other_bad_rows_are_refused_with_their_places() -> None:
    evaluate = engine.evaluate_batches(QRELS, FEW, max_rows=2)
    with pytest.raises(FormatError, match="row 3: expected a number as score, found NaN"):
        list(evaluate([rows("1 a 3", "1 b 2", "2 a 1", "3 z nan")]))
    with pytest.raises(DuplicateError, match=r"row 3: document a stands a second time in topic 2 .first in row 2."):
        list(evaluate([rows("1 a 3", "1 b 2"), rows("2 a 1", "2 a 2")]))
    with pytest.raises(FormatError, match="expected record batches of Arrow, found dict"):
        list(evaluate([{"topic": ["1"]}]))
    with pytest.raises(FormatError, match="expected columns topic, document, score in all batches, found qid"):
        list(evaluate([rows("1 a 3"), pa.record_batch({"qid": ["1"], "document": ["b"], "score": [1.0]})]))


def test_scattered_topics_are_gathered_up_to_a_limit() -> None:
    scattered = rows("1 a 3", "2 a 1", "1 c 2", "3 z 1")
    wanted = rs.evaluate(QRELS, pa.Table.from_batches([scattered]), FEW)
    got = engine.summarise(QRELS, engine.evaluate_batches(QRELS, FEW, max_rows=4)([scattered]), FEW)
    assert got.values.tobytes() == wanted.values.tobytes()
    with pytest.raises(InputError, match=r"topic 1 .* in a partition of more than 3 rows.*repartition\(n, 'topic'\)"):
        list(engine.evaluate_batches(QRELS, FEW, max_rows=3)([rows("1 a 3", "2 a 1", "1 c 2", "3 z 1", "3 y 0")]))


def test_a_topic_that_comes_again_is_refused_by_name() -> None:
    evaluate = engine.evaluate_batches(QRELS, FEW, max_rows=2)
    with pytest.raises(
        InputError, match=r"topic 1 of run run comes again .*; .*\.sortWithinPartitions\('run', 'topic'\)"
    ):
        list(evaluate([rows("1 a 3", "2 a 1", "3 z 1", "1 c 2")]))


def test_runs_may_be_mixed_within_a_topic() -> None:
    mixed = rows("1 a 3", "1 a 3", "1 b 2", "1 c 9", "2 a 1", "2 b 4", "2 b 1", run=["x", "y", "x", "y", "y", "x", "y"])
    wanted = rs.evaluate(QRELS, pa.Table.from_batches([mixed]), FEW)
    got = engine.summarise(QRELS, engine.evaluate_batches(QRELS, FEW, max_rows=5)([mixed]), FEW)
    assert got.values.tobytes() == wanted.values.tobytes()


def test_a_ranking_that_is_too_long_is_refused() -> None:
    with pytest.raises(InputError, match=r"ranking of topic 1 has more than 2 rows.*max_rows="):
        list(engine.evaluate_batches(QRELS, FEW, max_rows=2)([rows("1 a 3", "1 b 2", "1 c 1")]))


def test_many_small_batches_are_put_together() -> None:
    table = sample_rows(1)
    ones = (batch for start in range(len(table)) for batch in table.slice(start, 1).to_batches())
    wanted = rs.evaluate(sample.QRELS, table, FEW)
    same_bytes(engine.summarise(sample.QRELS, engine.evaluate_batches(sample.QRELS, FEW)(ones), FEW), wanted)


def test_many_values_are_given_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator_module, "MAX_VALUES", 20)
    table = sample_rows(2)
    batches = list(engine.evaluate_batches(sample.QRELS, FEW)(table.to_batches()))
    assert max(batch.num_rows for batch in batches) <= 20
    wanted = rs.evaluate(sample.QRELS, table, FEW)
    same_bytes(engine.summarise(sample.QRELS, batches, FEW, runs=wanted.runs), wanted)


def test_values_come_before_the_input_ends() -> None:
    evaluate = engine.evaluate_batches(QRELS, FEW, max_rows=2)

    def endless() -> Any:
        yield rows("1 a 3", "2 a 2")
        yield rows("3 z 1")  # only to see that topic 2 does not go on
        raise AssertionError("was read further")

    assert next(evaluate(endless()))["topic"].to_pylist() == ["1", "1", "1", "2", "2", "2"]


def test_the_function_pickles_with_its_qrels_and_unpacks_them_once() -> None:
    evaluate = engine.evaluate_batches(QRELS, FEW)
    packed = pickle.dumps(evaluate)
    first, second = pickle.loads(packed), pickle.loads(packed)
    assert first.qrels is second.qrels
    assert first.qrels == evaluate.qrels
    code = (
        "import pickle, sys, pyarrow as pa; evaluate = pickle.load(sys.stdin.buffer);"
        "batch = pa.record_batch({'topic': ['2'], 'document': ['a'], 'score': [1.0]});"
        "print(next(evaluate([batch])).to_pydict()['value'])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=packed, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[1.0, 1.0, 0.5]"


def test_sub_topics_travel_with_the_function() -> None:
    qrels = rs.read_qrels(b"1 x a 1\n1 y a 1\n1 y b 2\n1 x c 0\n2 x a 1\n2 y d 1\n")
    measures = ["alpha_nDCG@10", "ERR_IA@10", "nDCG@10", "StRecall@10"]
    batches = [rows("1 b 3", "1 a 2"), rows("1 c 1", "2 d 4")]
    wanted = rs.evaluate(qrels, pa.Table.from_batches(batches), measures)
    evaluate = pickle.loads(pickle.dumps(engine.evaluate_batches(qrels, measures)))
    same_bytes(engine.summarise(qrels, evaluate(batches), measures), wanted)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: engine.evaluate_batches(QRELS, []), "no measure is requested"),
        (lambda: engine.evaluate_batches(QRELS, "AP", max_rows=0), "max_rows must be a whole number from 1"),
        (lambda: engine.evaluate_batches(QRELS, "AP", bounds=True), "AP has no bounds"),
        (lambda: engine.evaluate_batches(QRELS, "AP", order="up"), "order must be"),
        (lambda: engine.evaluate_batches(QRELS, "AP", columns={"topics": "x"}), "there is no 'topics'"),
    ],
)
def test_options_that_cannot_be_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()
