"""Values in place of qrels and runs, on the command line."""

from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

WIDE = "topic,bm25,ql,dense\n301,0.5,0.25,0.3\n302,1,0.5,0.2\n303,0.4,0.3,0.25\n304,0.6,0.3,0.55\n"


@pytest.fixture
def wide(tmp_path: Path) -> str:
    path = tmp_path / "wide.csv"
    path.write_text(WIDE)
    return str(path)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """The arguments QRELS RUN..., and a file with the values of these runs."""
    runs = [str(path) for path in RUNS if path.name.startswith(("bm25.", "dense-base", "manual", "tfidf"))]
    path = tmp_path_factory.mktemp("values") / "values.tsv"
    rs.evaluate(QRELS, runs, ["AP", "nDCG@10"]).write(path)
    return [str(QRELS), *runs], str(path)


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "--test", "signed rank", "--pairs"],
        ["compare", "--summary", "median"],
        ["correlate", "--samples", "50"],
        ["correlate", "--top", "0.75", "--samples", "50"],
        ["discriminate", "--samples", "100", "--table", "pairs"],
    ],
    ids=" ".join,
)
def test_values_give_what_their_rankings_give(command: list[str], measured: tuple[list[str], str], rankscale: Any):
    files, values = measured
    options = [*command, "-m", "AP", "-m", "nDCG@10"]
    expected, outcome = rankscale(*options, *files), rankscale(*options, "--values", values)
    assert (outcome.code, expected.code) == (0, 0), outcome.err
    assert outcome.out == expected.out
    assert "values.tsv: read as a table with a row for each value: run, topic, measure, value" in outcome.err


def test_all_measures_of_the_file_are_taken_unless_some_are_named(measured: tuple[list[str], str], rankscale: Any):
    assert rankscale("compare", "--values", measured[1]).words[0] == ["run", "AP", "nDCG@10"]
    assert rankscale("compare", "--values", measured[1], "-m", "AP").words[0] == ["run", "AP"]
    assert "unknown measure" in rankscale("compare", "--values", measured[1], "-m", "P@10").refused


def test_the_measure_of_a_wide_table_is_named(wide: str, rankscale: Any):
    assert "name it: -m AP" in rankscale("compare", "--values", wide).refused
    outcome = rankscale("compare", "--values", wide, "-m", "mine", "--low-is-good")
    assert [row[0] for row in outcome.words[1:4]] == ["dense", "ql", "bm25"]
    assert "the scale of mine is not known" in outcome.out
    assert "--scale interval or so says what it is" in outcome.err
    known = rankscale("compare", "--values", wide, "-m", "mine", "--scale", "interval")
    assert "mine is an interval measure" in known.out


def test_several_files(tmp_path: Path, rankscale: Any):
    for name, value in (("bm25", "0.5"), ("ql", "0.25")):
        lines = [f"map                   \t{topic}\t{value}\n" for topic in ("301", "302")]
        (tmp_path / name).write_text("".join(lines))
    outcome = rankscale("compare", "--values", str(tmp_path / "bm25"), str(tmp_path / "ql"))
    assert outcome.words[1:3] == [["bm25", "0.5000", "a"], ["ql", "0.2500", "b"]]


REFUSED = {
    "a depth": (["compare", "--depth", "3"], "--depth needs rankings"),
    "statements": (["compare", "--statements"], "--statements needs rankings"),
    "interval versions": (["correlate", "--interval"], "--interval needs rankings"),
    "collections": (["correlate", "--collection", "a", "q", "r"], "--values and --collection do not go together"),
    "a relevant grade": (["discriminate", "--rel", "2"], "--rel needs rankings"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_rankings_is_refused(case: str, wide: str, rankscale: Any):
    command, message = REFUSED[case]
    outcome = rankscale(*command, "--values", wide, "-m", "AP")
    assert outcome.code == 2
    assert message in outcome.refused


def test_options_of_values_need_them(wide: str, rankscale: Any):
    assert (
        "--scale is for values that were measured before"
        in rankscale("compare", wide, wide, "--scale", "ordinal").refused
    )
    assert "--values takes one file of values or more" in rankscale("compare", "--values").refused
    assert "Missing argument 'RUN...'" in rankscale("compare", wide).refused


def test_topics_that_a_run_lacks(tmp_path: Path, rankscale: Any):
    path = tmp_path / "wide.csv"
    path.write_text(WIDE + "305,0.5,,0.1\n")
    assert "--missing common" in rankscale("compare", "--values", str(path), "-m", "AP").refused
    assert "4 topics" in rankscale("compare", "--values", str(path), "-m", "AP", "--missing", "common").out
