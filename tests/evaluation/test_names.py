"""A run is named by its tag; where tags repeat or vary, by its file; never merged, always said."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from rankscale.evaluation.evaluate import evaluate
from rankscale.executors.processes import Processes

Write = Callable[[str, str], Path]
QRELS = {"1": {"a": 1}, "2": {"a": 1}}


def line(tag: str, score: int = 1) -> str:
    return f"1 Q0 a 1 {score} {tag} / 2 Q0 b 1 {score} {tag}"


def test_a_run_is_named_by_its_tag(written: Write) -> None:
    found = evaluate(QRELS, [written("x.txt", line("bm25")), written("y.txt", line("ql"))], "AP")
    assert found.runs == ("bm25", "ql")
    assert found.warnings == ()


def test_tags_that_repeat_between_files_give_way_to_file_names(written: Write) -> None:
    files = [written(name, line(tag)) for name, tag in (("x.txt", "bm25"), ("y.txt", "bm25"), ("z.txt", "ql"))]
    found = evaluate(QRELS, files, "AP")
    assert found.runs == ("x.txt", "y.txt", "ql")
    assert found.warnings == (
        f"{files[0]}: another run has the name bm25 too; this one is called x.txt",
        f"{files[1]}: another run has the name bm25 too; this one is called y.txt",
    )


def test_a_file_name_is_told_without_its_packing(written: Write) -> None:
    packed = []
    for name in ("x.txt", "y.txt"):
        path = written(name, line("bm25"))
        packed.append(path.with_name(f"{name}.gz"))
        packed[-1].write_bytes(gzip.compress(path.read_bytes()))
    assert evaluate(QRELS, packed, "AP").runs == ("x.txt", "y.txt")


def test_tags_that_vary_within_a_file_give_way_to_its_name(written: Write) -> None:
    file = written("mixed.txt", "1 Q0 a 1 1 one / 2 Q0 b 1 1 two")
    found = evaluate(QRELS, file, "AP")
    assert found.runs == ("mixed.txt",)
    (warning,) = found.warnings
    assert str(file) in warning
    assert "one" in warning
    assert "two" in warning
    assert "mixed.txt" in warning.removeprefix(str(file))


def test_files_of_one_name_in_two_folders_are_told_by_their_paths(written: Write, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    files = [written(f"{folder}/run.txt", line("bm25")) for folder in ("a", "b")]
    assert evaluate(QRELS, files, "AP").runs == tuple(map(str, files))


def test_a_file_given_twice_is_two_runs(written: Write) -> None:
    file = written("x.txt", line("bm25"))
    found = evaluate(QRELS, [file, file, file], "AP")
    assert len(set(found.runs)) == 3
    assert found.values[0, 0].tobytes() == found.values[0, 1].tobytes() == found.values[0, 2].tobytes()
    assert any("bm25" in warning for warning in found.warnings)


def test_a_name_made_for_one_run_is_never_that_of_another(written: Write) -> None:
    twice = written("x.txt", line("x.txt"))
    files = [twice, twice, written("other", line("x.txt#2"))]
    assert len(set(evaluate(QRELS, files, "AP").runs)) == 3


def test_renamed_runs_keep_their_own_values(written: Write) -> None:
    hit, miss = written("hit", "1 Q0 a 1 1 same"), written("miss", "1 Q0 b 1 1 same")
    found = evaluate({"1": {"a": 1}}, [miss, hit], "AP")
    assert found.means().to_dict() == {"miss": {"AP": 0.0}, "hit": {"AP": 1.0}}


def test_names_that_are_given_are_kept(written: Write) -> None:
    found = evaluate(QRELS, {"mine": written("x", line("tag")), "other": {"1": {"a": 1.0}}}, "AP")
    assert found.runs == ("mine", "other")


def test_runs_without_a_name_are_numbered() -> None:
    run = {"1": {"a": 1.0}}
    assert evaluate(QRELS, [run, run], "AP").runs == ("run 1", "run 2")
    assert evaluate(QRELS, run, "AP").runs == ("run",)


def test_runs_without_a_name_are_called_the_same_by_every_executor() -> None:
    run = {"1": {"a": 1.0}, "2": {"b": 1.0}}
    assert evaluate(QRELS, [run, run], "AP", executor=Processes(1)) == evaluate(QRELS, [run, run], "AP")


@pytest.mark.parametrize("pattern", ["run-*.txt", "run-[12].txt"])
def test_a_pattern_stands_for_the_files_it_matches_in_order(pattern: str, written: Write, tmp_path: Path) -> None:
    for number in (2, 1):
        written(f"run-{number}.txt", line(f"tag{number}"))
    assert evaluate(QRELS, str(tmp_path / pattern), "AP").runs == ("tag1", "tag2")
