"""`rankscale intervals`: what its options do, and in which forms tau comes."""

import csv
import io
import json
import lzma
import math
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.cli.study import study_command
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS as DEFAULT_MEASURES

command = study_command("intervals")

FILES = [str(run) for run in RUNS[:6]]


def rows(outcome: Any) -> list[dict[str, Any]]:
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


@pytest.fixture
def asked(rankscale: Any) -> Any:
    """The rows of a table, with these options."""
    return lambda *options: rows(rankscale("intervals", QRELS, *FILES, "--format", "jsonl", *options))


def test_tables_by_default(rankscale: Any) -> None:
    outcome = rankscale("intervals", QRELS, *FILES, "-m", "RR@5", "-m", "P@5")
    assert outcome.code == 0
    summary, values = (part.splitlines() for part in outcome.out.split("\n\n"))
    found = rs.intervals(QRELS, FILES, ["RR@5", "P@5"])
    assert outcome.out == found.text() + "\n"
    assert [line.split()[:2] for line in summary[1:]] == [["RR@5", f"{found.pairs[0].tau:.4f}"], ["P@5", "1.0000"]]
    assert values[0].split() == ["run", "RR@5", "Interval(RR@5)", "P@5", "Interval(P@5)"]
    expected = np.array([pair for p in found.pairs for pair in (p.means, p.interval_means)]).T
    assert [line.split()[1:] for line in values[1:]] == [[f"{v:.4f}" for v in row] for row in expected]
    assert [line.split()[0] for line in values[1:]] == list(found.evaluation.runs)


def test_measures_without_any_asked_for(asked: Any) -> None:
    assert [row["measure"] for row in asked()] == [str(parse(text)) for text in DEFAULT_MEASURES]


def test_rows_are_those_of_the_study(asked: Any) -> None:
    found = rs.intervals(QRELS, FILES, ["RR@10", "AP@10"])
    measures = ("-m", "RR@10", "-m", "AP@10")
    assert asked(*measures) == asked(*measures, "--table", "measures") == list(found.table())
    assert asked(*measures, "--table", "values") == list(found.table("values"))
    by_topic = asked(*measures, "--table", "topics")
    assert len(by_topic) == 2 * 50
    assert by_topic == [
        {**row, "tau": None if math.isnan(float(row["tau"] or 0)) else row["tau"]} for row in found.table("topics")
    ]
    assert {row["tau"] for row in by_topic} == {1.0, None}


def test_forms_hold_the_same_numbers(rankscale: Any, asked: Any, tmp_path: Path) -> None:
    by_topic = ("-m", "RR@10", "--table", "topics")
    expected = asked(*by_topic)
    options = ("intervals", QRELS, *FILES, *by_topic)
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        text = rankscale(*options, "--format", form).out
        for row, other in zip(csv.DictReader(io.StringIO(text), delimiter=separator), expected, strict=True):
            assert (row["measure"], row["topic"]) == ("RR@10", other["topic"])
            assert row["tau"] == ("nan" if other["tau"] is None else repr(other["tau"]))
        assert rankscale(*options, "-o", tmp_path / f"tau.{form}").raw == b""
        assert (tmp_path / f"tau.{form}").read_text() == text
    assert rankscale(*options, "-o", tmp_path / "tau.parquet").code == 0
    assert parquet.read_table(tmp_path / "tau.parquet").to_pylist() == expected
    document = json.loads(rankscale(*options, "--format", "json").out)
    assert document["rows"] == expected
    assert "values" not in document
    assert document["settings"]["study"] == "intervals"
    whole = json.loads(rankscale("intervals", QRELS, *FILES, "-m", "RR@10", "--format", "json").out)
    assert whole["measures"] == ["RR@10", "Interval(RR@10)"]
    assert whole["rows"] == asked("-m", "RR@10")
    assert whole["topics"] == expected
    assert [list(row) for row in whole["values"]] == [["run", "RR@10", "Interval(RR@10)"]] * 6
    table = rankscale(*options, "--format", "table").out
    assert len(table.splitlines()) == 1 + 50
    assert not list(tmp_path.glob(".*"))


def test_places(rankscale: Any, asked: Any) -> None:
    (row,) = asked("-m", "AP@5")
    rounded = {name: round(cell, 2) if isinstance(cell, float) else cell for name, cell in row.items()}
    assert asked("-m", "AP@5", "--digits", "2") == [rounded]
    text = rankscale("intervals", QRELS, *FILES, "-m", "AP@5", "--format", "json", "--digits", "3").out
    numbers = re.findall(r"Interval\(AP@5\)\": ([\d.]+)", text)
    assert len(numbers) == 6
    assert all(len(number) == 5 for number in numbers)
    assert f"  {row['tau']:.2f}  " in rankscale("intervals", QRELS, *FILES, "-m", "AP@5", "--digits", "2").out


def test_json_is_json_where_nothing_is_defined(rankscale: Any, written: Any) -> None:
    qrels = written("none.txt", "1 0 a 0")
    runs = [written(f"{name}.txt", f"1 Q0 a 1 1 {name}") for name in ("x", "y")]
    text = rankscale("intervals", qrels, *runs, "-m", "AP@2", "--format", "json").out
    document = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    (row,) = document["rows"]
    assert (row["measure"], row["tau"], row["topics"]) == ("AP@2", None, 0)
    assert document["topics"] == []
    assert [row["Interval(AP@2)"] for row in document["values"]] == [None, None]


def test_common_topics(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    options = ("intervals", qrels, good, part, "-m", "RR@3")
    (row,) = rows(rankscale(*options, "--format", "jsonl"))
    assert (row["measure"], row["tau"], row["topics"]) == ("RR@3", None, 2)  # the means of ranks are alike
    outcome = rankscale(*options, "--missing", "common")
    values = outcome.out.split("\n\n")[1].splitlines()
    assert [line.split() for line in values[1:]] == [["good", "0.5000", "0.6667"], ["part", "1.0000", "1.0000"]]
    assert "missing" in outcome.err
    assert rows(rankscale(*options, "--missing", "common", "--format", "jsonl"))[0]["topics"] == 1


def test_universe_method_mid_and_deduplicate(asked: Any, rankscale: Any) -> None:
    def tau(measure: str, **options: Any) -> float:
        return rs.intervals(QRELS, FILES, measure, **options).pairs[0].tau

    assert asked("-m", "AP@6", "--universe", "feasible")[0]["tau"] == tau("AP@6", universe="feasible")
    assert asked("-m", "AP@6", "--universe", "all") == asked("-m", "AP@6")
    assert asked("-m", "P@6", "--ranks", "mid")[0]["tau"] == tau("P@6", form="mid")
    assert asked("-m", "AP@10", "--deduplicate", "float")[0]["tau"] == tau("AP@10", deduplicate="float")
    assert asked("-m", "DCG(base=2)@10", "--method", "exact") == asked("-m", "DCG(base=2)@10", "--method", "auto")
    warned = rankscale("intervals", QRELS, *FILES, "-m", "RBP(p=0.8)@60", "--method", "certified")
    assert "certified to within" in warned.err
    assert "this is not an interval scale" in rankscale("intervals", QRELS, *FILES, "-m", "P@6", "--ranks", "mid").err
    assert "surrogate" in rankscale("intervals", QRELS, *FILES, "-m", "AP@6").err
    estimated = rankscale("intervals", QRELS, *FILES[:2], "-m", "AP@8", "--method", "estimated")
    assert "estimated" in estimated.err


def test_a_measure_without_a_scale_is_left_out_and_told(rankscale: Any) -> None:
    files = ("intervals", QRELS, *FILES[:3])
    some = rankscale(*files, "-m", "DCG", "-m", "P@5", "-m", "AP@100")
    assert some.code == 0
    assert some.out == rankscale(*files, "-m", "P@5").out
    assert "warning: DCG is left out: " in some.err
    assert "warning: AP@100 is left out: " in some.err
    assert "use --method exact" in rankscale(*files, "-m", "P@5", "-m", "DCG@5", "--method", "certified").err


def test_standard_input_is_read_once(program: Any) -> None:
    text = lzma.decompress(Path(FILES[0]).read_bytes())
    piped = program("intervals", QRELS, "-", FILES[1], "-m", "P@5", "-m", "AP@100", stdin=text)
    assert piped.code == 0, piped.err
    assert piped.out == program("intervals", QRELS, *FILES[:2], "-m", "P@5").out


def test_options_shared_with_evaluate(asked: Any, rankscale: Any) -> None:
    def means(*options: str) -> dict[str, list[float]]:
        text = rankscale("intervals", QRELS, *FILES, "--format", "json", *options).out
        table = json.loads(text)["values"]
        return {name: [row[name] for row in table] for name in table[0] if name != "run"}

    def expected(measure: str, **settings: Any) -> list[float]:
        values: list[float] = rs.evaluate(QRELS, FILES, measure, **settings).means().values[0].tolist()
        return values

    name = "Interval(P(rel=2)@5)"
    assert means("-m", "P@5", "--rel", "2")[name] == expected(name)
    assert means("-m", "P(rel=1)@5", "--rel", "2")["Interval(P@5)"] == expected("Interval(P@5)")
    name = "Interval(DCG(gains='exp')@5)"
    assert means("-m", "DCG@5", "--gains", "exp")[name] == expected(name)
    name = "Interval(P@5)"
    assert means("-m", "P@5", "--judged-only")[name] == expected(name, judged_only=True)
    assert means("-m", "P@5", "--grades", "0,0,1,1")[name] == expected(name, grades=[0, 0, 1, 1])
    assert means("-m", "P@5", "--depth", "2")[name] == expected(name, depth=2)
    assert means("-m", "P@5", "--order", "file")[name] == expected(name, order="file")
    assert means("-m", "P@5", "--negative", "not relevant", "--threads", "1", "--max-size", "1G")[name] == expected(
        name
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-m", "DCG"], "name one length, as in Interval(DCG@10)"),
        (["-m", "Interval(P@5)"], "name the measures themselves"),
        (["-m", "nDGC@5"], "did you mean nDCG?"),
        (["-m", "P@5", "--method", "certified"], "no certified method for its values; use --method exact"),
        (["-m", "AP@35"], "use --method exact, --method estimated, "),
        (["-m", "P@5", "--deduplicate", "float"], "for AP only"),
        (["-m", "AP@100"], "AP@100"),
        (["--method", "guess"], "'certified'"),
        (["--universe", "some"], "'feasible'"),
        (["--deduplicate", "no"], "'float'"),
        (["--format", "xyz"], "'parquet'"),
        (["--table", "runs"], "'values'"),
        (["-m", "AP@100", "-m", "DCG"], "AP@100: values need"),
        (["--format", "parquet"], "Parquet goes to a file: name it with -o intervals.parquet"),
        (["-o", "tau.xyz"], "unknown ending .xyz; known are .tsv"),
        (["-o", "tau.xyz"], "unknown ending .xyz"),
        (["--digits", "99"], "--digits"),
        (["--depth", "0"], "--depth"),
    ],
)
def test_what_cannot_be(options: list[str], said: str, rankscale: Any, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in rankscale("intervals", QRELS, *FILES[:2], *options).refused
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_read(rankscale: Any, qrels: Path, good: Path, written: Any, tmp_path: Path) -> None:
    out = tmp_path / "tau.tsv"
    out.write_text("before")
    broken = written("broken.txt", "1 Q0 a")
    for files, said in (
        ((qrels, good, broken), "broken.txt"),
        ((qrels, good, tmp_path / "absent.txt"), "absent.txt"),
        ((qrels, good), "give two runs or more"),
        (("-", "-", good), "standard input can be read only once"),
    ):
        assert said in rankscale("intervals", *files, "-m", "P@2", "-o", out).refused
        assert out.read_text() == "before"
    assert "RUN..." in rankscale("intervals", qrels).refused
    assert not list(tmp_path.glob(".*"))


def test_control_characters_of_names_are_not_shown(rankscale: Any, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes(b"\x1b[31m 0 a 1\nplain\xff 0 a 1\n")
    for name in (b"\x1b[32mgreen", b"other\xff"):
        lines = b"\x1b[31m Q0 %s 1 1 " % (b"a" if name.startswith(b"o") else b"b") + name + b"\n"
        lines += b"plain\xff Q0 a 1 1 " + name + b"\n"
        (tmp_path / f"run{len(name)}.txt").write_bytes(lines)
    runs = sorted(tmp_path.glob("run*"))
    table = rankscale("intervals", qrels, *runs, "-m", "P@1", "--table", "topics")
    assert table.code == 0, table.err
    assert "\x1b" not in table.out
    assert "\x1b" not in table.err
    by_topic = rows(rankscale("intervals", qrels, *runs, "-m", "P@1", "--table", "topics", "--format", "jsonl"))
    assert {row["topic"] for row in by_topic} == {"\x1b[31m", "plain\udcff"}
    tsv = rankscale("intervals", qrels, *runs, "-m", "P@1", "--table", "topics", "--format", "tsv")
    assert b"plain\xff" in tsv.raw


def test_examples_of_the_help_work(rankscale: Any, tmp_path: Path, monkeypatch: Any) -> None:
    assert command.help is not None
    examples = re.findall(r"^\s*rankscale (intervals .*)$", command.help, re.MULTILINE)
    assert len(examples) == 4
    monkeypatch.chdir(tmp_path)
    for example in examples:
        words = [
            part
            for word in shlex.split(example)
            for part in {"qrels.txt": [str(QRELS)], "runs/*.gz": FILES[:2]}.get(word, [word])
        ]
        outcome = rankscale(*words)
        assert outcome.code == 0, outcome.err
        assert example in rankscale("intervals", "--help").out
    assert (tmp_path / "tau.tsv").read_text().startswith("measure\ttopic\ttau\nnDCG@10\t")


def test_against_total_orders(rankscale: Any) -> None:
    against = rankscale("intervals", QRELS, *FILES[:3], "-m", "P@5", "--against", "SBTO,RBTO", "--table", "against")
    assert [line[:2] for line in against.words] == [["measure", "against"], ["P@5", "SBTO@5"], ["P@5", "RBTO@5"]]
    assert (
        "--table against needs --against"
        in rankscale("intervals", QRELS, *FILES[:3], "-m", "P@5", "--table", "against").refused
    )


def test_help_is_quick(python: Any) -> None:
    call = "cli.main(['intervals', '--help'])"
    code = f"import sys\nfrom rankscale.cli.program import cli\ntry:\n    {call}\nexcept SystemExit:\n    pass\n"
    loaded = python(code + "print(*sys.modules)").splitlines()[-1].split()
    assert "rankscale.cli.study" in loaded
    assert not {"numpy", "rankscale._core", "rankscale.studies", "rankscale.measures"} & set(loaded)
