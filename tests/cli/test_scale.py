"""`rankscale scale`: what its options do, and how it refuses."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from rankscale.cli.scale import command


def found(outcome: Any) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    document: dict[str, Any] = json.loads(outcome.out)
    return document


@pytest.fixture
def told(rankscale: Any) -> Any:
    """The JSON document of a measure."""
    return lambda *options: found(rankscale("scale", *options, "--format", "json"))


def test_a_table_by_default(rankscale: Any) -> None:
    outcome = rankscale("scale", "DCG(base=2)@30", "--rank", "1,0,1,1")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "measure   DCG(base=2)@30"
    assert "values    805,306,368 distinct" in lines
    assert lines[-2].split() == ["ranking", "value", "rank", "normalised"]
    assert lines[-1].split()[0] == "1,0,1,1"


def test_ranks_are_those_of_the_paper(told: Any) -> None:
    ranks = {
        "1,1,1,1": 12,
        "1,1,1,0": 11,
        "1,1,0,1": 10,
        "0,1,1,1": 9,
        "1,0,0,1": 6,
        "0,0,0,1": 2,
        "0": 1,
        "-,1,1,1": 9,
    }
    options = [word for ranking in ranks for word in ("--rank", ranking)]
    document = told("DCG(base=2)@4", *options)
    assert document["size"] == 12
    assert [row["ranking"] for row in document["rows"]] == list(ranks)
    assert [row["rank"] for row in document["rows"]] == list(ranks.values())
    assert [row["normalised"] for row in document["rows"]] == [(rank - 1) / 11 for rank in ranks.values()]


def test_levels(told: Any) -> None:
    document = told("CG(gains=[0,1,2,3])@2", "--levels", "0,1,2,3", "--rank", "3,2", "--rank", "0, 1")
    assert document["rankings"] == "all, of 2 documents with grades 0, 1, 2, 3"
    assert [row["rank"] for row in document["rows"]] == [6, 2]  # sums from 0 to 6
    assert document["size"] == 7


def test_counts_and_universe(told: Any) -> None:
    asked = ("P@4", "--counts", "100,2", "--rank", "1,0,1")
    assert (told(*asked)["size"], told(*asked, "--universe", "all")["size"]) == (5, 5)
    feasible = told(*asked, "--universe", "feasible")
    assert (feasible["size"], feasible["rows"][0]["normalised"]) == (3, 1)
    assert "allow" in feasible["rankings"]


def test_methods(told: Any) -> None:
    exact, auto, certified = (
        told("DCG(base=2)@12", "--rank", "1,0,1", "--method", method) for method in ("exact", "auto", "certified")
    )
    assert exact == auto
    assert certified["counted"].startswith("certified to within ")
    row = certified["rows"][0]
    assert row["normalised_from"] <= exact["rows"][0]["normalised"] <= row["normalised_to"]
    estimated = told("AP@12", "--method", "estimated", "--rank", "1,0,1")
    assert "estimated" in estimated["counted"]
    assert "size" not in estimated


def test_mid_ranks_and_percentiles(told: Any) -> None:
    (row,) = told("P@4", "--rank", "1", "--mid", "--percentile")["rows"]
    assert row["mid-rank"] == 1 + (4 + 1) / 2  # one ranking below, four alike
    assert row["percentile"] == f"{5 / 16:.4f} (all rankings counted)"
    assert set(told("P@4", "--rank", "1")["rows"][0]) == {"ranking", "value", "rank", "normalised"}


def test_ends(told: Any) -> None:
    assert told("P@10", "--ends", "2")["first"] == "0, 0.1"
    assert told("P@10", "--ends", "2")["last"] == "0.9, 1"
    assert len(told("P@10")["first"].split(",")) == 5
    assert "first" not in told("P@10", "--ends", "0")


def test_forms_and_files(rankscale: Any, tmp_path: Path) -> None:
    asked = ("scale", "RR@5", "--rank", "0,1")
    table, document = (rankscale(*asked, "--format", form).raw for form in ("table", "json"))
    assert rankscale(*asked).raw == rankscale(*asked, "-o", "-").raw == table
    for name, options, expected in (
        ("scale.json", (), document),
        ("scale.txt", (), table),
        ("scale", (), table),
        ("scale.csv", ("--format", "json"), document),
    ):
        assert rankscale(*asked, "-o", tmp_path / name, *options).raw == b""
        assert (tmp_path / name).read_bytes() == expected
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "parquet", "tex", "md"])
def test_other_endings_are_refused_rather_than_filled_with_a_table(ending: str, rankscale: Any, tmp_path: Path) -> None:
    message = rankscale("scale", "P@5", "-o", tmp_path / f"scale.{ending}").refused
    assert "files are not written here, only table, json" in message
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_file_as_it_was(rankscale: Any, tmp_path: Path) -> None:
    out = tmp_path / "scale.json"
    out.write_text("before")
    for options in (["--rank", "7"], ["--rank", "1,1,1,1,1,1"], ["--counts", "1,2,3"]):
        assert rankscale("scale", "P@5", *options, "-o", out).refused
        assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["scale.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["DCG"], "give a depth, as in DCG@10"),
        (["nDGC@5"], "did you mean nDCG?"),
        (["P@5", "--rank", "1,x"], "expected grades such as 1,0,1,1, found '1,x'"),
        (["P@5", "--rank", ""], "expected grades such as 1,0,1,1, found ''"),
        (["P@5", "--rank", "2"], "a ranking has the grade 2, which is not one of the levels 0, 1"),
        (["P@5", "--rank", "inf"], "a ranking has the grade inf"),
        (["P@5", "--rank", "1,1,1,1,1,1"], "a ranking has 6 documents, and rankings of this scale 5"),
        (["P@5", "--levels", "0,-"], "levels must be one or more numbers"),
        (["P@5", "--levels", "0,inf"], "levels must be one or more numbers"),
        (["P@5", "--counts", "1.5,2"], "expected whole numbers such as 100,5"),
        (["P@5", "--counts", "-1,2"], "expected whole numbers such as 100,5"),
        (["P@5", "--counts", "-,2"], "expected whole numbers such as 100,5"),
        (["P@5", "--counts", "inf,2"], "expected whole numbers such as 100,5"),
        (["P@5", "--counts", "nan,2"], "expected whole numbers such as 100,5"),
        (["P@5", "--counts", "1,2,3"], "counts must have a number for each of the levels"),
        (["P@5", "--universe", "feasible"], "give them as counts"),
        (["Twist@9"], "counts"),
        (["P@5", "--universe", "some"], "'all', 'feasible'"),
        (["P@5", "--method", "guess"], "'certified'"),
        (["P@5", "--ends", "-1"], "--ends"),
        (["P@5", "--format", "latex"], "--format"),
        (["AP@100", "--rank", "1", "--mid"], "AP@100"),
        (["Interval(P@5)", "--rank", "1"], "Interval(P@5)"),
        ([], "MEASURE"),
    ],
)
def test_what_cannot_be(arguments: list[str], said: str, rankscale: Any) -> None:
    assert said in rankscale("scale", *arguments).refused


def test_control_characters_do_not_come_back(rankscale: Any) -> None:
    for arguments in (["P\x1b[31m@5"], ["P@5", "--rank", "\x1b[31m"]):
        assert "\x1b" not in rankscale("scale", *arguments).refused


def test_what_cannot_be_counted_is_told_with_alternatives(rankscale: Any) -> None:
    outcome = rankscale("scale", "AP@100", "--rank", "1,1")
    assert outcome.code == 0
    assert "not counted" in outcome.out
    assert "Percentile(AP@100)" in outcome.out.replace("\n", " ")
    assert outcome.words[-1][0] == "1,1"
    outcome = rankscale("scale", "Twist@4", "--counts", "9,3")
    assert outcome.code == 0
    assert "use a depth of 6 or more" in " ".join(outcome.out.split())


def test_examples_of_the_help_work(rankscale: Any) -> None:
    assert command.help is not None
    examples = re.findall(r"^rankscale (scale .*)$", command.help.replace("  ", ""), re.MULTILINE)
    assert len(examples) == 4
    for example in examples:
        outcome = rankscale(*shlex.split(example))
        assert outcome.code == 0, outcome.err
        assert outcome.out.startswith("measure ")
    helped = rankscale("scale", "--help")
    assert helped.code == 0
    assert all(example in helped.out for example in examples)


def test_help_is_quick(python: Any) -> None:
    call = "cli.main(['scale', '--help'])"
    code = f"import sys\nfrom rankscale.cli.program import cli\ntry:\n    {call}\nexcept SystemExit:\n    pass\n"
    loaded = python(code + "print(*sys.modules)").splitlines()[-1].split()
    assert "rankscale.cli.scale" in loaded
    assert not {"numpy", "rankscale._core", "rankscale.scales", "rankscale.measures"} & set(loaded)


def test_sets_of_different_lengths_and_recall_bases(told: Any, rankscale: Any) -> None:
    ranges = "--lengths", "1-3", "--recall-bases", "1-2"
    shown = told("SetP", *ranges, "--rank", "1,2,2")
    assert (shown["size"], shown["first"]) == (5, "0, 1/3, 1/2, 2/3, 1")
    assert [(row["set"], row["value"], row["rank"]) for row in shown["rows"]] == [("[1, 2, 2]", 0.5, 3)]
    assert "for rankings, not for sets" in rankscale("scale", "SetP", *ranges, "--mid").refused
    assert "are for measures of a set" in rankscale("scale", "P@10", *ranges).refused
    assert "give recall_bases too" in rankscale("scale", "SetP", "--lengths", "3").refused
    assert "expected numbers from 1 such as 1-3" in rankscale("scale", "SetP", "--lengths", "3-1").refused
    assert "three whole numbers" in rankscale("scale", "SetP", *ranges, "--rank", "1,2").refused


def test_the_unused_range(told: Any) -> None:
    assert told("RR@4")["unused"] == "0.5 to 1: 50.0% of the range from 0 to 1"


def test_ranks_of_ties_and_logarithms_are_added(told: Any) -> None:
    """DCG at 4: two rankings share the ninth of twelve values, and ranks 12 and 13 of sixteen rankings."""
    asked = ["--rank", "1,0,1,1", "--mid", "--min", "--max", "--log10"]
    (row,) = told("DCG(base=2)@4", *asked)["rows"]
    assert (row["rank"], row["min-rank"], row["mid-rank"], row["max-rank"]) == (9, 12, 12.5, 13)
    assert row["log10_rank"] == pytest.approx(0.9542425094393249, rel=1e-15)


def test_estimates_that_are_percentiles_say_so(told: Any) -> None:
    estimated = told("AP@100", "--method", "estimated", "--rank", "1,0,1")
    assert estimated["counted"].startswith("percentiles only, not ranks: the share of all rankings that are no better")
    assert list(estimated["rows"][0]) == ["ranking", "value", "percentile"]
    assert told("ERR@40", "--method", "estimated")["counted"] == estimated["counted"]
    assert "use method='auto'" in told("DCG@1000", "--method", "estimated")["counted"]


def test_r_precision_needs_the_documents_of_a_topic(told: Any, rankscale: Any) -> None:
    assert told("Rprec", "--counts", "4", "--rank", "1,0,1")["rows"][0]["rank"] == 3
    refused = rankscale("scale", "Rprec")
    assert refused.code == 2
    assert "give them as counts" in refused.err
