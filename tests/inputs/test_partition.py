"""Data sets partitioned by topic: what is written, in any order and in little memory, and manifests that lie."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale as rs
from rankscale.inputs.options import Reading
from rankscale.inputs.partitioned import MANIFEST, TopicPartition, find_data_set
from rankscale.outputs.convert import ConversionSource
from rankscale.outputs.partition import PartitionRequest, write_partitions

QRELS = {str(topic): {f"d{document}": (topic + document) % 3 for document in range(5)} for topic in range(1, 31)}
RUN = {str(topic): {f"d{document}": float(document * topic % 11) for document in range(9)} for topic in range(1, 31)}


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    rs.write_qrels(QRELS, tmp_path / "qrels.txt")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=4)
    return tmp_path / "qrels"


@pytest.fixture
def run(tmp_path: Path, qrels: Path) -> Path:
    rs.write_run(RUN, tmp_path / "run.txt", name="mine")
    rs.partition(tmp_path / "run.txt", tmp_path / "run", like=qrels)
    return tmp_path / "run"


def rows_of(folder: Path) -> list[list[tuple[Any, ...]]]:
    tables = [pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]
    return [list(zip(*(column.to_pylist() for column in table.columns), strict=True)) for table in tables]


@pytest.mark.parametrize("partitioning", ["hash", "range"])
def test_every_row_is_in_the_file_of_its_topic(tmp_path: Path, partitioning: Any) -> None:
    rs.write_run(RUN, tmp_path / "run.txt", name="mine")
    made = rs.partition(tmp_path / "run.txt", tmp_path / "run", partitions=4, partitioning=partitioning)
    files = rows_of(tmp_path / "run")
    assert len(files) == 4
    assert sorted(row for rows in files for row in rows) == sorted(
        (topic, document, score) for topic, ranking in RUN.items() for document, score in ranking.items()
    )
    for number, rows in enumerate(files):
        assert [topic for topic, *_ in rows] == sorted(topic for topic, *_ in rows)  # which stand together, then
        assert (made.parts[number].rows, made.parts[number].topics) == (len(rows), len({topic for topic, *_ in rows}))
        if partitioning == "hash":
            assert {crc32(topic.encode()) % 4 for topic, *_ in rows} <= {number}
    if partitioning == "range":
        ends = [(min(rows)[0], max(rows)[0]) for rows in files]
        assert all(one[1] < other[0] for one, other in pairwise(ends))
        assert max(map(len, files)) < 2 * min(map(len, files))
    assert (made.name, made.rows, made.topics, made.columns) == ("mine", 270, 30, ("topic", "document", "score"))


@given(st.lists(st.text(min_size=1), unique=True), st.integers(1, 50))
def test_the_hash_is_crc_32_of_the_names_bytes(names: list[str], count: int) -> None:
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    assert TopicPartition("hash", count).places(encoded) == [crc32(name) % count for name in encoded]
    borders = sorted(encoded)[: count - 1]
    split = TopicPartition(
        "range", len(borders) + 1, tuple(name.decode("utf-8", "surrogateescape") for name in borders)
    )
    if all(name.isprintable() for name in names):
        assert split.places(encoded) == [sum(border <= name for border in borders) for name in encoded]


def test_scattered_rows_of_any_size_are_sorted_in_little_memory(tmp_path: Path) -> None:
    draws = np.random.default_rng(3)
    topics, scores = draws.integers(0, 300, 40_000), draws.random(40_000)
    table = pa.table(
        {"qid": [f"t{topic}" for topic in topics], "docno": [f"d{row}" for row in range(40_000)], "sim": scores}
    )
    (tmp_path / "parts.parquet").mkdir()
    for start in range(0, 40_000, 10_000):  # topics are scattered over files
        pq.write_table(table.slice(start, 10_000), tmp_path / "parts.parquet" / f"part-{start}.parquet")
    reading = Reading(columns={"topic": "qid", "document": "docno", "score": "sim"})
    request = PartitionRequest(partitions=3, held=1 << 16)  # of 1.4 MB: partitions are split again
    source = ConversionSource(str(tmp_path / "parts.parquet"), reading)
    made, _ = write_partitions(source, str(tmp_path / "run"), request)
    files = rows_of(tmp_path / "run")
    expected = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    assert sorted(row for rows in files for row in rows) == sorted(expected)
    for rows in files:
        names = [topic for topic, *_ in rows]
        changes = sum(one != other for one, other in pairwise(names))
        assert changes == len(set(names)) - 1  # rows of a topic stand together
    by_topic = {topic: [row for row in expected if row[0] == topic] for topic in ("t0", "t299")}
    for topic, rows in by_topic.items():  # in the order they came
        assert [row for file in files for row in file if row[0] == topic] == rows
    assert made.topics == 300
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        MANIFEST,
        *(f"part-0000{n}.parquet" for n in range(3)),
    ]


def test_other_commands_read_a_data_set_as_a_table(qrels: Path, run: Path) -> None:
    read = rs.evaluate(str(qrels), str(run), "AP")
    assert read.runs == ("mine",)
    assert read.means().values == rs.evaluate(QRELS, RUN, "AP").means().values


def test_rankings_may_be_ordered_by_rank(qrels: Path, tmp_path: Path) -> None:
    rows = [(topic, document, rank, -rank) for topic in RUN for rank, document in enumerate(RUN[topic], start=1)]
    columns = dict(zip(("topic", "document", "rank", "score"), map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table({**columns, "score": [1.0] * len(rows)}), tmp_path / "run.parquet")
    made = rs.partition(tmp_path / "run.parquet", tmp_path / "ranks", like=qrels, order="rank")
    assert made.columns == ("topic", "document", "rank")
    whole = rs.evaluate(QRELS, str(tmp_path / "run.parquet"), ["AP", "RR"], order="rank")
    blocks = rs.evaluate_blocks(qrels, tmp_path / "ranks", ["AP", "RR"])
    assert blocks.means().values.tobytes() == whole.means().values.tobytes()
    assert blocks.signature == whole.signature
    rs.write_run(
        {topic: {document: -rank for rank, document in enumerate(RUN[topic])} for topic in RUN}, tmp_path / "run.txt"
    )
    rs.partition(tmp_path / "run.txt", tmp_path / "text", like=qrels, order="file")
    assert (
        rs.evaluate_blocks(qrels, tmp_path / "text", ["AP", "RR"]).means().values.tobytes()
        == whole.means().values.tobytes()
    )
    with pytest.raises(rs.errors.ParameterError, match="order them by a column"):
        rs.partition(tmp_path / "run.parquet", tmp_path / "files", like=qrels, order="file")


def test_a_data_set_is_partitioned_anew(qrels: Path, run: Path, tmp_path: Path) -> None:
    rs.partition(qrels, tmp_path / "finer", partitions=9)
    again = rs.partition(run, tmp_path / "fine", like=tmp_path / "finer")
    assert (again.name, again.split.count) == ("mine", 9)
    before, after = (
        rs.evaluate_blocks(qrels, run, "AP"),
        rs.evaluate_blocks(tmp_path / "finer", tmp_path / "fine", "AP"),
    )
    assert before.means().values.tobytes() == after.means().values.tobytes()


def test_places_of_fsspec(qrels: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    rs.write_run(RUN, tmp_path / "run.txt", name="mine")
    rs.partition(tmp_path / "qrels.txt", "memory://scale/qrels", partitions=4)
    rs.partition(tmp_path / "run.txt", "memory://scale/run", like="memory://scale/qrels")
    here = rs.evaluate_blocks("memory://scale/qrels", "memory://scale/run", "AP")
    assert here.means()["mine", "AP"] == rs.evaluate(QRELS, RUN, "AP").means()["run", "AP"]
    assert find_data_set("memory://scale/nothing") is None
    with pytest.raises(rs.errors.InputError, match="there is a data set already"):
        rs.partition(tmp_path / "run.txt", "memory://scale/run")
    assert qrels.is_dir()


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b nonsense\n")
    with pytest.raises(rs.errors.FormatError):
        rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels")
    table = pa.table({"topic": ["1", None], "document": ["a", "b"], "score": [1.0, 2.0]})
    pq.write_table(table, tmp_path / "run.parquet")
    with pytest.raises(rs.errors.FormatError, match="expected a topic in every row"):
        rs.partition(tmp_path / "run.parquet", tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qrels.txt", "run.parquet"]


def test_misuse_is_refused_in_words(qrels: Path, tmp_path: Path) -> None:
    with pytest.raises(rs.errors.InputError, match="this is there already"):
        rs.partition(tmp_path / "qrels.txt", qrels)
    with pytest.raises(rs.errors.ParameterError, match="takes its partitions"):
        rs.partition(tmp_path / "qrels.txt", tmp_path / "new", like=qrels, partitions=3)
    with pytest.raises(rs.errors.InputError, match=r"rankscale convert .* OUT --partition-by topic"):
        rs.partition(tmp_path / "qrels.txt", tmp_path / "new", like=tmp_path / "qrels.txt")
    with pytest.raises(rs.errors.ParameterError, match="partitioning must be 'hash' or 'range', got 'alphabet'"):
        rs.partition(tmp_path / "qrels.txt", tmp_path / "new", partitioning="alphabet")  # type: ignore[arg-type]
    with pytest.raises(rs.errors.InputError, match="there is no folder"):
        rs.partition(tmp_path / "qrels.txt", tmp_path / "no" / "new")
    with pytest.raises(rs.errors.ParameterError, match="keeps rows as they are"):
        write_partitions(
            ConversionSource(str(tmp_path / "qrels.txt"), Reading(depth=3)), str(tmp_path / "new"), PartitionRequest()
        )
    two = pa.table({"run": ["a", "b"], "topic": ["1", "1"], "document": ["x", "x"], "score": [1.0, 2.0]})
    pq.write_table(two, tmp_path / "two.parquet")
    with pytest.raises(rs.errors.InputError, match="several runs"):
        rs.partition(tmp_path / "two.parquet", tmp_path / "new")
    assert rs.partition(tmp_path / "two.parquet", tmp_path / "new", run="b").name == "b"


LIES: list[tuple[str, Any, str]] = [
    ("rankscale_data_set", 2, "version 1"),
    ("kind", "table", "run or qrels"),
    ("partitions", 0, "a whole number"),
    ("partitions", True, "a whole number"),
    ("partitioning", "round robin", "hash or range"),
    ("rows", 7, "the 150 that its files have"),
    ("topics", 1, "the 30 that its files have"),
    ("levels", [1, 0], "ascending"),
    ("levels", [0, float("nan")], "finite"),
    ("levels", "0,1", "finite grades"),
    ("levels", [0, 10**400], "finite"),
    ("columns", ["topic"], "topic, document and a number"),
    ("columns", ["topic", "document", "grade", "__class__"], "topic, document and a number"),
    ("files", [["../../secret", 1, 1]] * 4, "part-00000.parquet"),
    ("files", [["part-00000.parquet", -1, 1]] * 4, "part-00000.parquet"),
    ("files", {}, "4 files"),
]


@pytest.mark.parametrize(("name", "value", "expected"), LIES)
def test_a_manifest_that_does_not_hold_together_is_refused(qrels: Path, name: str, value: Any, expected: str) -> None:
    manifest = json.loads((qrels / MANIFEST).read_text())
    (qrels / MANIFEST).write_text(json.dumps({**manifest, name: value}))
    with pytest.raises(rs.errors.FormatError, match=f"{MANIFEST}: {name}: expected .*{expected}"):
        find_data_set(qrels)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "null", '"\\ud800"', '{"files": 1e999}'])
def test_text_that_is_no_manifest_is_refused(qrels: Path, text: str) -> None:
    (qrels / MANIFEST).write_text(text)
    with pytest.raises(rs.errors.FormatError, match=MANIFEST):
        find_data_set(qrels)


def spoiled(folder: Path, **fields: Any) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**manifest, **fields}))


def test_files_that_are_not_what_the_manifest_says_are_refused(qrels: Path, run: Path) -> None:
    part = run / "part-00001.parquet"
    whole = part.read_bytes()
    fewer = pa.BufferOutputStream()
    pq.write_table(pq.read_table(part).slice(1), fewer)
    cases: list[tuple[bytes | None, str]] = [
        (None, "part-00001.parquet is missing"),
        (whole[: len(whole) // 2], "part-00001.parquet: expected Parquet data"),
        (b"PAR1", "part-00001.parquet: expected Parquet data"),
        (fewer.getvalue().to_pybytes(), r"has \d+ rows, and _rankscale.json says \d+"),
    ]
    for content, expected in cases:
        part.unlink(missing_ok=True)
        if content is not None:
            part.write_bytes(content)
        with pytest.raises(rs.errors.FormatError, match=expected):
            rs.evaluate_blocks(qrels, run, "AP")


def test_topics_in_the_wrong_file_are_refused(qrels: Path, run: Path) -> None:
    files = json.loads((run / MANIFEST).read_text())["files"]
    tables = [pq.read_table(run / name) for name, *_ in files]
    for number in (0, 1):
        pq.write_table(tables[1 - number], run / files[number][0])
    swapped = [[files[number][0], *files[1 - number][1:]] for number in (0, 1)]
    spoiled(run, files=[*swapped, *files[2:]])
    with pytest.raises(rs.errors.FormatError, match="belongs to another partition"):
        rs.evaluate_blocks(qrels, run, "AP")


def test_counts_and_levels_that_lie_are_refused(qrels: Path, run: Path) -> None:
    manifest = json.loads((qrels / MANIFEST).read_text())
    spoiled(qrels, levels=[0.0, 2.0])
    with pytest.raises(rs.errors.FormatError, match="grade 1 is not among the levels"):
        rs.evaluate_blocks(qrels, run, "AP")
    files = manifest["files"]
    spoiled(qrels, levels=manifest["levels"], files=[[*files[0][:2], files[0][2] + 1], *files[1:]], topics=31)
    with pytest.raises(rs.errors.FormatError, match=r"has \d+ topics, and _rankscale.json says \d+"):
        rs.evaluate_blocks(qrels, run, "AP")


def test_control_characters_of_a_manifest_do_not_reach_the_terminal(qrels: Path) -> None:
    spoiled(qrels, kind="\x1b[31mred")
    with pytest.raises(rs.errors.FormatError) as error:
        find_data_set(qrels)
    assert "\x1b" not in str(error.value)
