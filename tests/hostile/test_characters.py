"""Half of a surrogate pair in JSON is no character: every reader of JSON refuses it in words, with exit code 2."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.errors import FormatError, RankscaleError
from rankscale.inputs.topics import read_groups, read_topics

HALF = "\ud800"
NESTED = {"a": {"AP": {"1": 0.1, "2": 0.2}}, "b": {"AP": {"1": 0.3, "2": 0.2}}}
OURS = {"signature": "s", "runs": [{"run": "a", "topics": {"1": {"AP": 0.1}}}]}
MTEB = {"task_name": "T", "scores": {"test": [{"hf_subset": "s", "ndcg_at_10": 0.5}]}}
ROWS = [
    {"topic": "1", "run": "a", "measure": "AP", "value": 0.1},
    {"topic": "2", "run": "a", "measure": "AP", "value": 0.2},
]


def with_half(document: Any, place: int) -> Any:
    """The document with half of a pair in its text of this number; None where there are fewer."""
    count = iter(range(1000))

    def walk(one: Any) -> Any:
        if isinstance(one, dict):
            return {walk(key): walk(value) for key, value in one.items()}
        if isinstance(one, list):
            return [walk(part) for part in one]
        return f"{one}{HALF}" if isinstance(one, str) and next(count) == place else one

    changed = walk(document)
    return changed if HALF in json.dumps(changed, ensure_ascii=False) else None


def variants(document: Any) -> list[str]:
    """JSON with half of a pair, in each of its texts in turn."""
    made = (with_half(document, place) for place in range(100))
    return [json.dumps(one) for one in made if one is not None]


@pytest.mark.parametrize("document", [NESTED, OURS, MTEB, ROWS], ids=["nested", "ours", "mteb", "rows"])
def test_values_with_half_of_a_pair_are_refused(document: Any) -> None:
    assert len(variants(document)) >= 4
    for text in variants(document):
        with pytest.raises(FormatError, match=r"half of a surrogate pair \(\\ud800\)"):
            rs.read_values(text.encode())


def test_lines_with_half_of_a_pair_are_refused_by_number(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    for rows, read in (
        (ROWS, rs.read_values),
        ([{"topic": "1", "group": "g"}] * 2, read_groups),
        ([{"qid": "1"}] * 2, read_topics),
    ):
        good, bad = json.dumps(rows[0]), json.dumps({**rows[1], "note": HALF})
        path.write_text(f"{good}\n{bad}\n")
        with pytest.raises(FormatError, match=r"lines.jsonl, line 2: expected characters, found half"):
            read(str(path))


def test_whole_pairs_and_halves_that_stand_for_bytes_are_read() -> None:
    for name in ("\U0001f600", "\udce9"):
        document = {"a": {name: {"AP": 0.5}, "2": {"AP": 0.25}}}
        assert name in rs.read_values(json.dumps(document).encode()).topics


def test_metadata_of_parquet_files_is_checked(tmp_path: Path) -> None:
    rs.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "AP").write(tmp_path / "values.parquet")
    table = parquet.read_table(tmp_path / "values.parquet")
    (key,) = (key for key in table.schema.metadata if b"rankscale" in key)
    for metadata in (b'{"signature": "\\ud800"}', b"{", b"[1]", b"[" * 100_000, b"\xff"):
        parquet.write_table(table.replace_schema_metadata({key: metadata}), tmp_path / "other.parquet")
        with pytest.raises(FormatError, match=r"other.parquet: expected"):
            rs.read_values(tmp_path / "other.parquet")


def damaged(table: pa.Table, path: Path) -> list[bytes]:
    """A Parquet file with fewer values in its dictionaries than rows have numbers of; each dictionary in turn."""
    parquet.write_table(table, path, compression="none", use_dictionary=True, write_statistics=False)
    raw = path.read_bytes()
    places = range(4, len(raw) - 8)  # whichever byte has a number of values
    return [raw[:at] + bytes([raw[at] ^ change]) + raw[at + 1 :] for at in places for change in (1, 2, 4)]


def test_numbers_of_values_that_are_not_there_are_errors_of_the_file(tmp_path: Path) -> None:
    names = ["1"] * 20 + ["22"] * 10 + ["333"] * 10
    columns = {"topic": names, "document": [f"d{i}" for i in range(40)], "score": [float(i) for i in range(40)]}
    refused = 0
    for content in damaged(pa.table(columns), tmp_path / "run.parquet")[:400]:
        try:
            rs.evaluate({"1": {"d1": 1}}, content, "AP")
        except RankscaleError as error:
            refused += "of the 2 values of its column" in str(error) or "of the 1 values of its column" in str(error)
    assert refused


def test_values_whose_rows_have_numbers_of_values_that_are_not_there_are_refused(tmp_path: Path) -> None:
    topics = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int32()), pa.array(["1", "222"]), safe=False)
    table = pa.table({"topic": topics, "run": ["a", "b"], "measure": ["AP", "AP"], "value": [0.1, 0.2]})
    with pa.ipc.new_file(str(tmp_path / "values.arrow"), table.schema) as file:
        file.write_table(table)
    for source in (str(tmp_path / "values.arrow"), table):
        with pytest.raises(FormatError, match=r"expected (a table that is whole|Arrow data)"):
            rs.read_values(source)
