"""What fusion warns of, what it refuses, and in which words."""

from pathlib import Path

import pytest

import rankscale as rs
from rankscale.errors import InputError, ParameterError, UnknownNameError

A = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 1.0, "b": 1.0}}
B = {"1": {"b": 2.0, "c": 1.0}}
RUNS = {"first": A, "second": B}


def test_topics_that_a_run_lacks() -> None:
    fused = rs.fuse(RUNS)
    assert list(fused.run) == ["1", "2"]
    assert fused.warnings == ("second lacks 1 of 2 topics that other runs have (2), where it adds nothing",)
    assert list(rs.fuse(RUNS, missing="common").run) == ["1"]
    with pytest.raises(InputError, match="second lacks 1 of 2 topics that other runs have"):
        rs.fuse(RUNS, missing="error")
    with pytest.raises(InputError, match="no topic is in all 2 runs"):
        rs.fuse({"x": {"1": {"a": 1}}, "y": {"2": {"a": 1}}}, missing="common")


def test_a_run_without_the_topic_changes_no_value_of_borda() -> None:
    assert rs.fuse(RUNS, "Borda").run["2"] == {"b": 2.0, "a": 1.0}


def test_equal_scores_become_nothing_and_are_counted() -> None:
    fused = rs.fuse(RUNS, "CombSUM")
    assert fused.run["2"] == {"b": 0.0, "a": 0.0}
    assert "all scores are equal in 1 of 3 rankings: min-max makes them 0" in fused.warnings


def test_log_isr_of_documents_that_one_run_retrieves() -> None:
    (warning,) = [one for one in rs.fuse(RUNS, "logISR").warnings if "logISR" in one]
    assert "4 of them" in warning  # a and c, and both of topic 2
    assert "logNISR tells them apart" in warning


def test_values_that_32_bits_do_not_tell_apart() -> None:
    close = {"1": {"a": 1.0, "b": 1.0 + 1e-12, "c": 0.5}}
    fused = rs.fuse([close, {"1": {"z": 0.1}}], "CombSUM", norm="none")
    (warning,) = [one for one in fused.warnings if "32 bits" in one]
    assert warning.startswith("1 scores differ")
    assert "scores='rank'" in warning
    assert list(fused.run["1"]) == ["b", "a", "c", "z"]
    by_rank = rs.fuse([close, {"1": {"z": 0.1}}], "CombSUM", norm="none", scores="rank")
    assert by_rank.run["1"] == {"b": 4.0, "a": 3.0, "c": 2.0, "z": 1.0}
    assert not by_rank.warnings
    assert rs.fuse([close, {"1": {"z": 0.1}}], scores="rank", depth=2).run["1"] == {"z": 4.0, "b": 3.0}


def test_a_norm_that_is_not_used() -> None:
    assert "RRF fuses ranks: the norm zmuv is not used" in rs.fuse(RUNS, norm="zmuv").warnings


def test_runs_without_scores() -> None:
    fused = rs.fuse({"x": {"1": ["a", "b"]}, "y": {"1": {"b": 7.0, "c": 3.0}}}, "CombSUM")
    assert fused.run["1"] == {"b": 1.0, "a": 1.0, "c": 0.0}
    assert "x: not ordered by scores; ranks counted from the last document stand for them" in fused.warnings


@pytest.mark.parametrize(
    ("method", "settings", "words"),
    [
        ("WSum", {}, "WSum needs weights, one for each run"),
        ("WSum", {"weights": [1, 2, 3]}, "there are 3 for 2 runs"),
        ("WSum", {"weights": [0, 0]}, "finite numbers, not all 0"),
        ("WSum", {"weights": [1, float("inf")]}, "finite numbers, not all 0"),
        ("RRF", {"weights": [1, 2]}, "RRF takes no weights"),
        ("RRF(k=-1)", {}, "k must be a number from 0, got -1"),
        ("RBC(phi=1)", {}, "phi must be a number between 0 and 1"),
        ("RBC(k=1)", {}, "it takes phi"),
        ("ISR(2)", {}, "it takes none"),
        ("RRF", {"depth": 0}, "depth must be a whole number from 1"),
        ("RRF", {"missing": "skip"}, "missing must be zero, common or error"),
        ("RRF", {"scores": "no"}, "scores must be value or rank"),
    ],
)
def test_parameters_that_are_refused(method: str, settings: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        rs.fuse(RUNS, method, **settings)  # type: ignore[arg-type]


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean CombMNZ"):
        rs.fuse(RUNS, "combmz")
    with pytest.raises(UnknownNameError, match="did you mean zmuv"):
        rs.fuse(RUNS, "CombSUM", norm="zmu")
    with pytest.raises(UnknownNameError, match="method of fusion"):
        rs.fuse(RUNS, "RRF(k=1")


def test_one_run_is_not_enough() -> None:
    with pytest.raises(ParameterError, match=r"there is one \(first\): give two runs or more"):
        rs.fuse({"first": A})


def test_infinite_scores() -> None:
    odd = {"1": {"a": float("inf"), "b": 1.0}}
    with pytest.raises(InputError, match="run x, topic 1: document a has the score inf"):
        rs.fuse({"x": odd, "y": B}, "CombSUM")
    assert next(iter(rs.fuse({"x": odd, "y": B}, "RRF").run["1"])) == "b"
    assert rs.fuse({"x": odd, "y": B}, "CombSUM", norm="rank").run["1"]["a"] == 1.0


def test_scores_that_are_too_large() -> None:
    huge = {"1": {"a": 1.7e308, "b": -1.7e308}}
    with pytest.raises(InputError, match="scores are too large for norm 'min-max'"):
        rs.fuse({"x": huge, "y": B}, "CombSUM")
    with pytest.raises(InputError, match="more than a number can hold"):
        rs.fuse({"x": huge, "y": {"1": {"a": 1.7e308}}}, "CombSUM", norm="none")


def test_norm_max_needs_scores_above_0() -> None:
    with pytest.raises(InputError, match="run x, topic 1: norm 'max' divides by the highest score"):
        rs.fuse({"x": {"1": {"a": -1.0, "b": -2.0}}, "y": B}, "CombSUM", norm="max")


def test_condorcet_is_for_topics_that_are_not_too_large() -> None:
    many = {"1": {f"d{number}": float(number) for number in range(5001)}}
    with pytest.raises(InputError, match="at most 5,000, and the runs retrieve 5,0"):
        rs.fuse([many, B], "Condorcet")


@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl", "tsv", "txt.gz", "parquet"])
def test_a_fused_run_is_written_and_read_again(ending: str, tmp_path: Path) -> None:
    fused = rs.fuse(RUNS, name="mine")
    fused.write(tmp_path / f"fused.{ending}")
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    read = rs.evaluate(qrels, str(tmp_path / f"fused.{ending}"), "RR")
    assert read.runs == ("mine",)
    assert (read.values == rs.evaluate(qrels, {"mine": fused.run}, "RR").values).all()


def test_names_of_any_bytes_are_kept_and_ordered_by_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"1 Q0 \xffz 1 2 x\n1 Q0 \xc3\xa9 2 2 x\n1 Q0 e 3 2 x\n")
    fused = rs.fuse([str(tmp_path / "a.txt"), {"1": {"q": 1.0}}], "CombMAX", norm="none")
    fused.write(tmp_path / "out.txt")
    written = [line.split()[2] for line in (tmp_path / "out.txt").read_bytes().splitlines()]
    assert written == [b"\xffz", b"\xc3\xa9", b"e", b"q"]


def test_a_file_with_several_runs_gives_them_all(tmp_path: Path) -> None:
    (tmp_path / "both.tsv").write_text("topic\tdocument\tscore\trun\n1\ta\t2\tx\n1\tb\t1\tx\n1\tb\t2\ty\n1\tc\t1\ty\n")
    fused = rs.fuse(str(tmp_path / "both.tsv"))
    assert fused.runs == ("x", "y")
    assert fused.run == rs.fuse({"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 2, "c": 1}}}).run
