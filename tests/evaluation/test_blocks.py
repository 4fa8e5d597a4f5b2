"""Evaluation block by block: the same bytes as in memory, whatever the split and wherever blocks are measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankscale as rs
from rankscale.evaluation.block_work import BlockItem, BlockWork, TopicBlock
from rankscale.evaluation.evaluate import evaluate
from rankscale.inputs.read import read_qrels
from rankscale.measures.base.register_table import CLASSES
from rankscale.sample import QRELS, RUNS

SOME_RUNS = [str(run) for run in RUNS if any(name in str(run) for name in ("bm25.", "dense-zero", "manual"))]
BY_SUMS = ("student", "sign", "one-way", "two-way")
SPLITS = [("hash", 1), ("hash", 5), ("hash", 200), ("range", 7)]


def all_measures() -> list[str]:
    """Every measure of the register, at a depth where it needs one, that takes the sample's qrels."""
    names = []
    for name in CLASSES:
        try:
            measure = rs.parse(name if not getattr(rs, name).needs_depth else f"{name}@10")
            evaluate(QRELS, SOME_RUNS[:1], measure)
        except (rs.errors.RankscaleError, TypeError):
            continue
        names.append(str(measure))
    return names


@pytest.fixture(scope="module")
def measures() -> list[str]:
    found = all_measures()
    assert len(found) > 60
    return found


@pytest.fixture(scope="module", params=SPLITS, ids=lambda split: f"{split[0]}-{split[1]}")
def data_sets(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    return made_sets(tmp_path_factory, *request.param)


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    return made_sets(tmp_path_factory, "hash", 5)


def made_sets(tmp_path_factory: pytest.TempPathFactory, partitioning: Any, count: int) -> tuple[str, list[str]]:
    folder = tmp_path_factory.mktemp("sets")
    rs.partition(str(QRELS), folder / "qrels", partitions=count, partitioning=partitioning)
    for place, run in enumerate(SOME_RUNS):
        rs.partition(run, folder / f"run{place}", like=folder / "qrels")
    return str(folder / "qrels"), [str(folder / f"run{place}") for place in range(len(SOME_RUNS))]


def test_every_measure_has_the_same_bytes_as_in_memory(
    data_sets: tuple[str, list[str]], measures: list[str], tmp_path: Path
) -> None:
    whole = evaluate(QRELS, SOME_RUNS, measures)
    blocks = rs.evaluate_blocks(*data_sets, measures, values=tmp_path / "values.parquet")
    assert blocks.runs == whole.runs
    assert blocks.signature == whole.signature
    assert blocks.means().values.tobytes() == whole.means().values.tobytes()
    assert blocks.means().counted.tolist() == whole.means().counted.tolist()
    again = blocks.read()
    assert again.topics == whole.topics
    assert again.values.tobytes() == whole.values.tobytes()
    assert again.retrieved.tolist() == whole.retrieved.tolist()


@pytest.mark.parametrize("missing", ["zero", "skip", "common"])
def test_missing_topics_count_as_in_memory(data_sets: tuple[str, list[str]], missing: Any, tmp_path: Path) -> None:
    whole = evaluate(QRELS, SOME_RUNS, ["AP", "GMAP", "NumRelRet"], missing=missing)  # dense-zero lacks topic 137
    where = tmp_path / "values.parquet"
    blocks = rs.evaluate_blocks(*data_sets, ["AP", "GMAP", "NumRelRet"], missing=missing, values=where, pairs=True)
    assert blocks.means().values.tobytes() == whole.means().values.tobytes()
    again = blocks.read()
    kept = [whole.topics.index(topic) for topic in again.topics]  # without those that count for no run
    assert again.values.tobytes() == whole.values[..., kept].tobytes()
    assert [str(one).partition(" topics in ")[0] for one in blocks.warnings] == [
        str(one).partition(" topics in ")[0] for one in whole.warnings
    ]
    if missing == "skip":
        with pytest.raises(rs.errors.ParameterError, match="missing='zero'"):
            rs.compare(blocks["AP"])
    else:
        assert rs.compare(blocks["AP"]).p.tobytes() == rs.compare(whole["AP"]).p.tobytes()


def test_missing_topics_are_refused_where_that_is_requested(five: tuple[str, list[str]]) -> None:
    with pytest.raises(rs.errors.InputError, match="137"):
        rs.evaluate_blocks(*five, "AP", missing="error")


def test_tests_by_sums_have_the_same_bytes_as_in_memory(data_sets: tuple[str, list[str]]) -> None:
    names = ["AP", "P@10", "RR"]
    whole, blocks = evaluate(QRELS, SOME_RUNS, names), rs.evaluate_blocks(*data_sets, names, pairs=True)
    for name in names:
        for test in BY_SUMS:
            ours, theirs = rs.compare(blocks[name], test), rs.compare(whole[name], test)
            assert ours.runs == theirs.runs
            assert ours.omnibus == theirs.omnibus
            assert ours.p.tobytes() == theirs.p.tobytes()
            for column in ("difference", "statistic", "lower", "upper"):
                assert getattr(ours.results, column).tobytes() == getattr(theirs.results, column).tobytes()
            assert {key: of.tobytes() for key, of in ours.results.effects.items()} == {
                key: of.tobytes() for key, of in theirs.results.effects.items()
            }
            assert np.array_equal(ours.simultaneous_intervals() or (), theirs.simultaneous_intervals() or ())
        baseline = whole.runs[1]
        ours, theirs = (rs.compare(one[name], "dunnett", baseline=baseline) for one in (blocks, whole))
        assert ours.p.tobytes() == theirs.p.tobytes()


def test_options_are_those_of_evaluate(five: tuple[str, list[str]]) -> None:
    options: dict[str, Any] = {"depth": 20, "judged_only": True, "grades": {3: 2}, "order": "score64"}
    whole = evaluate(QRELS, SOME_RUNS, ["AP", "nDCG", "ERR"], **options)
    blocks = rs.evaluate_blocks(*five, ["AP", "nDCG", "ERR"], **options)
    assert blocks.means().values.tobytes() == whole.means().values.tobytes()
    assert blocks.signature == whole.signature


def test_processes_give_the_same_file(five: tuple[str, list[str]], tmp_path: Path) -> None:
    for name, executor in (("here", rs.Inline()), ("there", rs.Processes(2))):
        rs.evaluate_blocks(*five, "AP", values=tmp_path / f"{name}.parquet", executor=executor)
        rs.evaluate_blocks(*five, "AP", values=tmp_path / f"{name}.tsv", executor=executor)
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()
    assert (tmp_path / "here.tsv").read_bytes() == (tmp_path / "there.tsv").read_bytes()


def test_a_resumed_job_takes_the_blocks_that_are_there(five: tuple[str, list[str]], tmp_path: Path) -> None:
    folder = tmp_path / "job"
    whole = rs.evaluate_blocks(*five, "AP", pairs=True)

    def measured() -> rs.BlockEvaluation:
        return rs.evaluate_blocks(*five, "AP", pairs=True, executor=rs.executors.Checkpointed(rs.Inline(), folder))

    assert measured().means().values.tobytes() == whole.means().values.tobytes()
    results = sorted((folder / "0").glob("*.result"))
    assert len(results) == 5
    results[1].unlink()
    stored = [one.stat().st_mtime_ns for one in results if one.exists()]
    resumed = measured()
    assert resumed.means().values.tobytes() == whole.means().values.tobytes()
    assert rs.compare(resumed).p.tobytes() == rs.compare(whole).p.tobytes()
    assert [one.stat().st_mtime_ns for one in results if one != results[1]] == stored


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_text_has_the_rows_of_evaluate(five: tuple[str, list[str]], form: str, tmp_path: Path) -> None:
    rs.evaluate_blocks(*five, ["AP", "P@5"], values=tmp_path / f"blocks.{form}")
    evaluate(QRELS, SOME_RUNS, ["AP", "P@5"]).write(tmp_path / f"whole.{form}")
    ours, theirs = ((tmp_path / f"{name}.{form}").read_text().splitlines() for name in ("blocks", "whole"))
    assert sorted(ours) == sorted(theirs)


def test_sub_topics_are_kept(tmp_path: Path) -> None:
    lines = [
        f"{topic} {sub} d{document} {(topic + sub + document) % 2}\n"
        for topic in range(1, 9)
        for sub in (1, 2, 3)
        for document in range(6)
    ]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    run = {
        str(topic): {f"d{document}": 1.0 / (1 + (document * topic) % 7) for document in range(8)}
        for topic in range(1, 9)
    }
    rs.write_run(run, tmp_path / "run.txt")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=3)
    rs.partition(tmp_path / "run.txt", tmp_path / "run", like=tmp_path / "qrels")
    names = ["alpha_nDCG@5", "ERR_IA@5", "AP"]
    whole = evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", names)
    blocks = rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "run", names)
    assert blocks.means().values.tobytes() == whole.means().values.tobytes()


def test_topics_that_the_qrels_lack_are_counted(tmp_path: Path) -> None:
    rs.write_qrels({"1": {"a": 1}, "2": {"b": 1}}, tmp_path / "qrels.txt")
    rs.write_run({str(topic): {"a": 1.0, "b": 0.5} for topic in range(40)}, tmp_path / "run.txt")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=16)
    rs.partition(tmp_path / "run.txt", tmp_path / "run", like=tmp_path / "qrels")
    blocks = rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "run", "AP")
    assert blocks.warnings == (f"38 topics of {tmp_path}/run not in {tmp_path}/qrels, left out",)
    rs.write_run({"7": {"a": 1.0}}, tmp_path / "other.txt")
    rs.partition(tmp_path / "other.txt", tmp_path / "other", like=tmp_path / "qrels")
    with pytest.raises(rs.errors.InputError, match="no topic in common"):
        rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "other", "AP")


def test_results_that_need_all_values_are_refused_in_words(tmp_path: Path) -> None:
    rs.partition(str(QRELS), tmp_path / "qrels", partitions=2)
    rs.partition(SOME_RUNS[0], tmp_path / "a", like=tmp_path / "qrels")
    rs.partition(SOME_RUNS[1], tmp_path / "b", like=tmp_path / "qrels")
    runs = [str(tmp_path / "a"), str(tmp_path / "b")]
    blocks = rs.evaluate_blocks(tmp_path / "qrels", runs, "AP", values=tmp_path / "values.parquet", pairs=True)
    with pytest.raises(rs.errors.ParameterError, match=r"result\.read\(\)"):
        rs.compare(blocks, "signed rank")
    with pytest.raises(rs.errors.MemoryLimitError, match="set_max_memory"):
        blocks.read(max_memory=100)
    assert rs.compare(blocks.read(), "signed rank").p.shape == (1,)
    with pytest.raises(rs.errors.ParameterError, match=r"result\.read\(\)"):
        _ = rs.compare(blocks).medians
    with pytest.raises(rs.errors.ParameterError, match="pairs=True"):
        rs.compare(rs.evaluate_blocks(tmp_path / "qrels", runs, "AP"))
    with pytest.raises(rs.errors.ParameterError, match="none was written"):
        rs.evaluate_blocks(tmp_path / "qrels", runs, "AP").read()


def test_what_is_no_data_set_is_refused_with_the_command_that_makes_one(tmp_path: Path) -> None:
    rs.partition(str(QRELS), tmp_path / "qrels", partitions=2)
    with pytest.raises(
        rs.errors.InputError, match=f"rankscale convert .* OUT --partition-by topic --like {tmp_path}/qrels"
    ):
        rs.evaluate_blocks(tmp_path / "qrels", SOME_RUNS[0], "AP")
    rs.partition(SOME_RUNS[0], tmp_path / "run", partitions=3)
    with pytest.raises(rs.errors.InputError, match=r"3 partitions by hash, and .* has 2 partitions by hash"):
        rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "run", "AP")
    with pytest.raises(rs.errors.InputError, match="qrels come first"):
        rs.evaluate_blocks(tmp_path / "run", tmp_path / "qrels", "AP")
    scattered = tmp_path / "scattered.parquet"
    scattered.mkdir()
    for number in range(2):  # each topic is in both files
        table = pa.table({"topic": ["1", "2"], "document": [f"a{number}", f"b{number}"], "score": [1.0, 2.0]})
        pq.write_table(table, scattered / f"part-{number}.parquet")
    with pytest.raises(rs.errors.InputError, match="topics may be scattered; partition it first"):
        rs.evaluate_blocks(tmp_path / "qrels", scattered, "AP")
    rs.partition(scattered, tmp_path / "whole", partitions=2)
    assert read_qrels(str(QRELS)).topics  # the sample is still what it was


def test_undefined_everywhere_is_an_error_as_in_memory(tmp_path: Path) -> None:
    rs.write_qrels({"1": {"a": 0}, "2": {"b": 0}}, tmp_path / "qrels.txt")
    rs.write_run({"1": {"a": 1.0}, "2": {"a": 1.0}}, tmp_path / "run.txt")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=4)
    rs.partition(tmp_path / "run.txt", tmp_path / "run", like=tmp_path / "qrels")
    whole = evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", ["AP", "infAP"])
    assert rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "run", ["AP", "infAP"]).means().values.tobytes() == (
        whole.means().values.tobytes()
    )


def test_nothing_is_written_where_the_whole_makes_no_sense(tmp_path: Path) -> None:
    rs.write_qrels({"1": {"a": 1}}, tmp_path / "qrels.txt")
    rs.write_run({"2": {"a": 1.0}}, tmp_path / "run.txt")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=2)
    rs.partition(tmp_path / "run.txt", tmp_path / "run", like=tmp_path / "qrels")
    for form in ("parquet", "tsv"):
        with pytest.raises(rs.errors.InputError, match="no topic in common"):
            rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "run", "AP", values=tmp_path / f"values.{form}")
        assert not (tmp_path / f"values.{form}").exists()
    with pytest.raises(rs.errors.ParameterError, match="by the ending"):
        rs.evaluate_blocks(tmp_path / "qrels", tmp_path / "run", "AP", values=tmp_path / "values.xlsx")


UNCERTAIN: list[dict[str, Any]] = [
    {"bounds": True, "missing": "skip"},
    {"ties": "range", "tie_orders": 10, "missing": "common"},
    {"ties": "expected", "tie_orders": 10, "seed": 3, "depth": 100, "bounds": True},
]


@pytest.mark.parametrize("options", UNCERTAIN, ids=str)
def test_bounds_and_ties_have_the_same_bytes_as_in_memory(
    data_sets: tuple[str, list[str]], options: dict[str, Any], tmp_path: Path
) -> None:
    names = ["AP", "P@10", "RBP(p=0.8)", "Twist@20", "NumRelRet"]
    whole = evaluate(QRELS, SOME_RUNS, names, **options)
    where = tmp_path / "values.parquet"
    blocks = rs.evaluate_blocks(*data_sets, names, values=where, executor=rs.Processes(2), **options)
    assert blocks.means().values.tobytes() == whole.means().values.tobytes()
    assert blocks.signature == whole.signature
    columns = whole.extra_columns
    assert {name: of.tobytes() for name, of in blocks.extra.items()} == {
        name: whole.extra_means()[name].tobytes() for name in columns
    }
    again = blocks.read()
    assert again.topics == whole.topics if options.get("missing") != "common" else len(again.topics) < 50
    if again.topics == whole.topics:
        kept = np.broadcast_to(whole.retrieved, whole.values.shape)
        for name in columns:
            ours, theirs = again.extra_columns[name], columns[name]
            assert ours[kept].tobytes() == theirs[kept].tobytes()


@pytest.mark.parametrize("options", [{}, *UNCERTAIN], ids=str)
def test_evaluate_takes_data_sets_block_by_block(
    data_sets: tuple[str, list[str]], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = evaluate(QRELS, SOME_RUNS, ["AP", "RBP(p=0.8)"], **options)
    measured: list[int] = []
    work = BlockWork.__call__

    def counting(one: BlockWork, item: BlockItem) -> TopicBlock:
        measured.append(item.number)
        return work(one, item)

    monkeypatch.setattr(BlockWork, "__call__", counting)
    ours = evaluate(*data_sets, ["AP", "RBP(p=0.8)"], **options)
    assert len(measured) == len(set(measured)) > 0
    assert (ours.topics, ours.runs, ours.signature) == (whole.topics, whole.runs, whole.signature)
    assert ours.missing_topics == whole.missing_topics
    assert ours.values.tobytes() == whole.values.tobytes()
    assert ours.retrieved.tolist() == whole.retrieved.tolist()
    assert {name: of.tobytes() for name, of in ours.extra_columns.items()} == {
        name: of.tobytes() for name, of in whole.extra_columns.items()
    }


def test_data_sets_that_are_split_in_other_ways_are_read_as_tables(five: tuple[str, list[str]], tmp_path: Path) -> None:
    rs.partition(SOME_RUNS[0], tmp_path / "run", partitions=3)
    whole = evaluate(QRELS, SOME_RUNS[0], "AP")
    for run in (tmp_path / "run", SOME_RUNS[0]):
        assert evaluate(five[0], run, "AP").values.tobytes() == whole.values.tobytes()
