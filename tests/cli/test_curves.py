"""`rankscale curves`: what its options do, and in which forms curves come."""

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.evaluation.curves.result import Curves, curve_views
from rankscale.measures.base.parser import parse
from rankscale.outputs.results import view_text


def rows(outcome: Any) -> list[dict[str, Any]]:
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_a_table_of_means_by_default(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("curves", qrels, good, part, "-m", "RR", "--depth", "30", "--missing", "skip")
    assert outcome.code == 0
    assert "missing from" in outcome.err
    assert outcome.words == [
        ["RR"],
        ["run", "topics", "1", "2", "3", "5", "10", "20", "30", "shape"],
        ["good", "2", "0.0000", "0.2500", "0.4167", "0.4167", "0.4167", "0.4167", "0.4167", "▁▁▃▄▄▄▄▄▄▄▄▄"],
        ["part", "1", "1.0000", "1.0000", "1.0000", "1.0000", "1.0000", "1.0000", "1.0000", "█" * 12],
    ]


def test_without_a_measure_it_is_ndcg(rankscale: Any, qrels: Path, good: Path) -> None:
    assert rankscale("curves", qrels, good).raw == rankscale("curves", qrels, good, "-m", "nDCG").raw
    assert rankscale("curves", qrels, good).words[0] == ["nDCG"]


def test_several_measures_are_several_tables(rankscale: Any, qrels: Path, good: Path) -> None:
    text = rankscale("curves", qrels, good, "-m", "P", "-m", "RR", "--digits", "2").out
    first, second = text.split("\n\n")
    assert first.splitlines()[0] == "P@3"
    assert second.splitlines()[0] == "RR"
    assert "0.42" in second


def test_topics(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("curves", qrels, good, "-m", "RR", "--topic", "2", "--topic", "1")
    assert [row[:5] for row in outcome.words[1:]] == [
        ["run", "topic", "1", "2", "3"],
        ["good", "1", "0.0000", "0.5000", "0.5000"],
        ["good", "2", "0.0000", "0.0000", "0.3333"],
    ]
    mean = rankscale("curves", qrels, good, "-m", "RR", "--topic", "1", "--mean")
    assert mean.words[2][:5] == ["good", "1", "0.0000", "0.5000", "0.5000"]
    assert "unknown topic '7'" in rankscale("curves", qrels, good, "--topic", "7").refused


def test_rows_for_programs_are_of_every_rank_of_every_topic(rankscale: Any, qrels: Path, good: Path) -> None:
    found = rows(rankscale("curves", qrels, good, "-m", "RR", "--format", "jsonl"))
    assert [list(row) for row in found] == [["run", "topic", "measure", "rank", "value"]] * 6
    expected = rs.curves(str(qrels), str(good), "RR")
    assert found == expected.to_pandas().to_dict("records")
    means = rows(rankscale("curves", qrels, good, "-m", "RR", "--format", "jsonl", "--mean"))
    assert [(row["topic"], row["rank"], row["value"]) for row in means] == [
        ("all", 1, 0.0),
        ("all", 2, 0.25),
        ("all", 3, (1 / 2 + 1 / 3) / 2),
    ]


def test_ranks(rankscale: Any, qrels: Path, good: Path) -> None:
    found = rows(rankscale("curves", qrels, good, "-m", "RR", "--ranks", "5,2,2", "--format", "jsonl"))
    assert [row["rank"] for row in found] == [2, 5, 2, 5]
    assert rankscale("curves", qrels, good, "-m", "RR", "--ranks", "5,2").words[1] == [
        "run",
        "topics",
        "2",
        "5",
        "shape",
    ]
    outcome = rankscale("curves", qrels, good, "-m", "P@3", "--ranks", "1,5")
    assert outcome.refused == (
        "rankscale: the curve of P@3 ends at rank 3, and rank 5 is beyond it; use a greater depth, or fewer ranks\n"
    )
    for wrong in ("0", "1,x", "", "-1", "1.5"):
        message = rankscale("curves", qrels, good, f"--ranks={wrong}").refused
        assert f"expected ranks such as 1,5,10, found {wrong!r}" in message


def test_ideal_bounds_and_ties(rankscale: Any, qrels: Path, good: Path) -> None:
    asked = ("curves", qrels, good, "-m", "RBP(p=0.5)", "--format", "jsonl", "--topic", "2")
    assert {row["run"] for row in rows(rankscale(*asked, "--ideal"))} == {"good", "ideal"}
    first = rows(rankscale(*asked, "--bounds", "--ties", "range"))[0]
    assert list(first)[4:] == ["value", "lower", "upper", "ties_lower", "ties_upper"]
    # x is unjudged, and so is all that follows it: anything can be
    assert [first[key] for key in ("value", "lower", "upper", "ties_lower", "ties_upper")] == [0, 0, 1, 0, 0]
    table = rankscale(*asked[:5], "--bounds", "--topic", "2").words
    assert table[1][:3] == ["run", "topic", "curve"]
    assert [row[2] for row in table[2:]] == ["value", "lower", "upper"]


def test_ties_averaged(rankscale: Any, qrels: Path, written: Any) -> None:
    run = written("tied.txt", "1 Q0 b 1 1 x / 1 Q0 a 2 1 x")
    asked = ("curves", qrels, run, "-m", "P", "--format", "jsonl", "--missing", "skip")
    expected = rows(rankscale(*asked, "--ties", "expected"))
    assert [row["value"] for row in expected] == [0.5, 0.5]


def test_options_shared_with_evaluate(rankscale: Any, qrels: Path, good: Path) -> None:
    def values(*options: str) -> dict[tuple[str, str, int], float]:
        found = rows(rankscale("curves", qrels, good, "--format", "jsonl", *options))
        return {(row["measure"], row["topic"], row["rank"]): row["value"] for row in found}

    assert values("-m", "RR", "--rel", "2")["RR(rel=2)", "1", 3] == pytest.approx(1 / 3)
    assert values("-m", "P", "-m", "P(rel=1)", "--rel", "2").keys() >= {("P(rel=2)@3", "1", 1), ("P@3", "1", 1)}
    assert values("-m", "DCG", "--gains", "exp")["DCG(gains='exp')", "1", 3] == pytest.approx(1 / math.log2(3) + 3 / 2)
    assert values("-m", "DCG", "--gains", "linear")["DCG(gains='linear')", "1", 3] == pytest.approx(
        0.5 / math.log2(3) + 1 / 2
    )
    assert values("-m", "RR", "--grades", "0=1,1=0")["RR", "1", 1] == 1
    assert values("-m", "RR", "--judged-only")["RR", "2", 1] == 1
    assert values("-m", "RR", "--judged-only", "--negative", "not relevant")["RR", "2", 2] == 0.5
    assert values("-m", "RR", "--order", "file", "--threads", "1", "--max-size", "1k")["RR", "1", 2] == 0.5


def test_complete(rankscale: Any, qrels: Path, part: Path) -> None:
    asked = ("curves", qrels, part, "-m", "RR", "--depth", "1")
    assert rankscale(*asked, "--missing", "skip").words[2][1:3] == ["1", "1.0000"]
    assert rankscale(*asked).words[2][1:3] == ["2", "0.5000"]


def test_forms_hold_the_same_numbers(rankscale: Any, qrels: Path, good: Path, tmp_path: Path) -> None:
    asked = ("curves", qrels, good, "-m", "RBP(p=0.8)", "-m", "P@2", "--bounds")
    expected = rows(rankscale(*asked, "--format", "jsonl"))
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        text = rankscale(*asked, "--format", form).out
        read = list(csv.DictReader(io.StringIO(text), delimiter=separator))
        names = ("run", "topic", "measure")
        assert [
            {key: value if key in names else float(value) for key, value in row.items()} for row in read
        ] == expected
        rankscale(*asked, "-o", tmp_path / f"curves.{form}")
        assert (tmp_path / f"curves.{form}").read_text() == text
    assert rankscale(*asked, "-o", tmp_path / "curves.parquet").code == 0
    assert parquet.read_table(tmp_path / "curves.parquet").to_pylist() == expected
    document = json.loads(rankscale(*asked, "--format", "json").out)
    (run,) = document["runs"]
    assert [row["upper"] for row in expected if (row["topic"], row["measure"]) == ("2", "RBP")] == run["topics"]["2"][
        "RBP"
    ]["upper"]
    assert rankscale(*asked, "--format", "json", "--digits", "1").out != json.dumps(document)


def test_parquet_is_not_for_standard_output(rankscale: Any, qrels: Path, good: Path) -> None:
    message = rankscale("curves", qrels, good, "--format", "parquet").refused
    assert "Parquet goes to a file: name it with -o curves.parquet" in message


def test_a_failure_leaves_the_file_as_it_was(
    rankscale: Any, qrels: Path, good: Path, written: Any, tmp_path: Path
) -> None:
    out = tmp_path / "curves.tsv"
    out.write_text("before")
    broken = written("broken.txt", "1 Q0 a")
    for arguments in ((qrels, broken), (qrels, good, "--topic", "9"), (qrels, good, "--ranks", "9", "--depth", "3")):
        assert rankscale("curves", *arguments, "-o", out).code == 2
        assert out.read_text() == "before"
    assert rankscale("curves", qrels, good, "-o", out).code == 0
    assert out.read_text().startswith("run\ttopic\tmeasure\trank\tvalue\n")
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-m", "AP", "--bounds"], "AP has no bounds: the recall base is used"),
        (["-m", "Twist", "--ties", "expected", "--tie-orders", "1"], "1 is not in the range x>=2"),
        (["-m", "nDGC"], "did you mean nDCG?"),
        (["--ties", "any"], "'trec', 'expected', 'range'"),
        (["--depth", "0"], "--depth"),
        (["--format", "html"], "'parquet'"),
        (["-m", "ERR", "--bounds", "--ties", "expected"], "the mean over tied documents has bounds where gains add up"),
    ],
)
def test_what_cannot_be(options: list[str], said: str, rankscale: Any, qrels: Path, good: Path) -> None:
    assert said in rankscale("curves", qrels, good, *options).refused


def test_standard_input_is_read_once(rankscale: Any) -> None:
    assert "standard input can be read only once" in rankscale("curves", "-", "-").refused


def test_help_is_quick(python: Any) -> None:
    call = "cli.main(['curves', '--help'])"
    code = f"import sys\nfrom rankscale.cli.program import cli\ntry:\n    {call}\nexcept SystemExit:\n    pass\n"
    loaded = python(code + "print(*sys.modules)").splitlines()[-1].split()
    assert "rankscale.cli.curves" in loaded
    assert not {"numpy", "rankscale._core", "rankscale.evaluation.curves", "rankscale.measures"} & set(loaded)


def named(name: str, value: float = 0.5) -> Curves:
    return Curves(
        measures=(parse("AP"),),
        runs=(name,),
        topics=(name,),
        values=(np.array([[[value, 1.0]]]),),
        retrieved=np.ones((1, 1), dtype=bool),
        length=np.full((1, 1), 2),
    )


def shown(found: Curves, places: int = 4) -> str:
    return view_text(curve_views(found), "table", places)


@pytest.mark.parametrize("name", ["plain", ", x", 'a"b', "tab\there", "new\nline", "\x1b[31m", "é", "\udcff", "\\"])
def test_names_that_nobody_checked(name: str) -> None:
    lines = b"".join(named(name).chunks("jsonl", None, None)).decode().splitlines()
    assert [json.loads(line)["run"] for line in lines] == [name, name]
    text = b"".join(named(name).chunks("csv", None, None)).decode("utf-8", "surrogateescape")
    spelled_out = name.replace("\x1b", r"\x1b")
    assert [row[:2] for row in csv.reader(io.StringIO(text, newline=""))][1:] == [[spelled_out, spelled_out]] * 2
    tsv = b"".join(named(name).chunks("tsv", None, None)).decode("utf-8", "surrogateescape")
    assert [line.count("\t") for line in tsv.removesuffix("\n").split("\n")] == [4, 4, 4]
    assert "\x1b" not in shown(named(name))


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [
        (math.nan, "jsonl", "null"),
        (math.inf, "jsonl", "1e999"),
        (-math.inf, "jsonl", "-1e999"),
        (math.nan, "tsv", "nan"),
        (math.inf, "csv", "inf"),
        (1 / 3, "tsv", repr(1 / 3)),
    ],
)
def test_numbers_are_written_as_evaluate_writes_them(value: float, form: str, written: str) -> None:
    for places in (None, 17):
        line = b"".join(named("x", value).chunks(form, None, places)).decode().splitlines()[form != "jsonl"]
        assert line.rstrip("}").endswith(written) or places == 17
        assert "1.0" in b"".join(named("x", value).chunks(form, None, places)).decode()


def test_undefined_ranks_are_a_dash_and_say_over_how_many_topics() -> None:
    found = replace(named("x", math.nan), topics=("all",), counted=(np.array([[[0, 3]]]),))
    assert shown(found, 2).splitlines()[2].split() == ["x", "3", "-", "(0)", "1.00", "▁"]


def test_what_is_reached(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("curves", qrels, good, part, "--ranks", "1,2", "--reach")
    assert outcome.code == 0, outcome.err
    assert outcome.words[0] == ["DCG(base=2)", "against", "ideal"]
    head = ["run", "topics", "rank", "value", "reference_value", "reached_at"]
    assert outcome.words[1] == [*head, "distance", "relative_difference", "size", "area"]
    assert [row[:3] for row in outcome.words[2:4]] == [["good", "2", "1"], ["good", "2", "2"]]
    curves = rs.curves(str(qrels), [str(good), str(part)], "DCG(base=2)", ideal=True)
    lines = rows(rankscale("curves", qrels, good, part, "--format", "jsonl", "--reach", "ideal"))
    assert lines == json.loads(curves.readings().to_json())["rows"]
    against = rows(rankscale("curves", qrels, good, part, "-m", "P", "--format", "jsonl", "--mean", "--reach", "part"))
    assert {row["run"] for row in against} == {"good"}
    assert {row["topic"] for row in against} == {"all"}


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_forms_for_papers(rankscale: Any, qrels: Path, good: Path, form: str) -> None:
    for options in ((), ("--reach",)):
        outcome = rankscale("curves", qrels, good, "--format", form, *options)
        assert outcome.code == 0, outcome.err
        assert "good" in outcome.out
        assert "▁" not in outcome.out or form == "markdown"


def test_reach_that_cannot_be(rankscale: Any, qrels: Path, good: Path) -> None:
    assert rankscale("curves", qrels, good, "--bounds", "-m", "P", "--reach").code == 2
    assert "give --reach last" in rankscale("curves", "--reach", qrels, good, good).refused
    unknown = rankscale("curves", qrels, good, "--reach", "nobody")
    assert unknown.code == 2
    assert "unknown run 'nobody'" in unknown.err
