"""`evaluate --groups` and `compare --groups`: every form, hostile names, and what is refused."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet
from scipy import stats

import rankscale as rs
from rankscale.sample import QRELS, RUNS
from tests.outputs.conftest import NASTY
from tests.outputs.test_html import Cells

NAMES = ("bm25", "manual", "tfidf")
FILES = [str(QRELS), *(str(path) for path in RUNS if path.name.split(".")[0] in NAMES)]
TOPICS = [str(topic) for topic in range(101, 151)]
OF = {topic: "short" if int(topic) <= 120 else "long" for topic in TOPICS[2:]}


@pytest.fixture
def groups(tmp_path: Path) -> str:
    path = tmp_path / "groups.txt"
    path.write_text("".join(f"{topic} {group}\n" for topic, group in OF.items()) + "999 elsewhere\n")
    return str(path)


@pytest.fixture(scope="module")
def values() -> dict[str, dict[str, float]]:
    """`{run: {topic: value}}` of P@10, by the rankings."""
    return {run: of for run in NAMES for of in [rs.evaluate(FILES[0], FILES[1:], "P@10").by_topic(run, "P@10")]}


def expected_rows(values: dict[str, dict[str, float]]) -> dict[tuple[str, str], float]:
    """Means by run and row, by loops."""
    made: dict[tuple[str, str], float] = {}
    for run, of in values.items():
        by_group = {name: [of[t] for t in TOPICS if OF.get(t) == name] for name in ("short", "long", None)}
        means = {name or "(none)": sum(those) / len(those) for name, those in by_group.items()}
        means["(micro)"] = sum(of[t] for t in OF) / len(OF)
        means["(macro)"] = (means["short"] + means["long"]) / 2
        made |= {(run, name): mean for name, mean in means.items()}
    return made


def test_every_form_has_the_means_of_groups(
    groups: str, values: dict[str, dict[str, float]], rankscale: Any, tmp_path: Path
) -> None:
    options = ["evaluate", *FILES, "-m", "P@10", "--groups", groups]
    expected = expected_rows(values)
    lines = rankscale(*options, "--format", "jsonl").rows
    assert {(row["run"], row["group"]) for row in lines} == set(expected)
    for row in lines:
        assert row["value"] == pytest.approx(expected[row["run"], row["group"]], rel=1e-12)
        assert (row["topic"], row["measure"]) == ("all", "P@10")
        assert row["topics"] == {"short": 18, "long": 30, "(none)": 2}.get(row["group"], 48)
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        text = rankscale(*options, "--format", form).out
        rows = list(csv.DictReader(io.StringIO(text), delimiter=separator))
        assert [(row["run"], row["group"], float(row["value"])) for row in rows] == [
            (row["run"], row["group"], row["value"]) for row in lines
        ]
    assert json.loads(rankscale(*options, "--format", "json").out)["rows"] == lines
    assert rankscale(*options, "-o", tmp_path / "means.parquet").code == 0
    assert parquet.read_table(tmp_path / "means.parquet").to_pylist() == lines
    wide = rankscale(*options, "--wide", "--format", "jsonl").rows
    assert [row["P@10"] for row in wide] == [
        next(row["value"] for row in lines if (row["run"], row["group"]) == (one["run"], one["group"])) for one in wide
    ]
    for form in ("table", "markdown", "latex", "html"):
        out = rankscale(*options, "--format", form).out
        assert all(f"{mean:.4f}" in out for mean in expected.values()), form
        assert "is the mean over topics" in out.replace("\\", "")


def test_values_by_topic_have_a_column_of_groups(groups: str, rankscale: Any, tmp_path: Path) -> None:
    options = ["evaluate", *FILES, "-m", "P@10", "-m", "AP", "--per-topic", "--groups", groups]
    plain = rankscale("evaluate", *FILES, "-m", "P@10", "-m", "AP", "--per-topic", "--format", "jsonl").rows
    lines = rankscale(*options, "--format", "jsonl").rows
    by_topic = [row for row in lines if row["topic"] != "all"]
    assert [{name: row[name] for name in ("run", "topic", "measure", "value")} for row in by_topic] == [
        row for row in plain if row["topic"] != "all"
    ]
    assert all(row["group"] == OF.get(row["topic"], "(none)") for row in by_topic)
    assert [row["group"] for row in lines if row["topic"] == "all" and row["measure"] == "AP"][:5] == [
        *("short", "long", "(none)", "(micro)", "(macro)")
    ]
    rankscale(*options, "-o", tmp_path / "values.parquet")
    assert parquet.read_table(tmp_path / "values.parquet").to_pylist() == by_topic
    document = json.loads(rankscale(*options, "--format", "json").out)
    assert document["groups_of_topics"] == {topic: OF.get(topic, "(none)") for topic in TOPICS}
    assert document["groups"] == {"short": 18, "long": 30, "(none)": 2}
    table = rankscale(*options).words
    assert table[0] == ["run", "topic", "group", "P@10", "AP"]
    assert "markdown shows means" in rankscale(*options, "--format", "markdown").err


def test_other_options_go_along(groups: str, rankscale: Any, written: Any) -> None:
    options = ["evaluate", *FILES, "-m", "P@10", "--groups", groups]
    best = [row["run"] for row in rankscale(*options, "--sort", "P@10", "--format", "jsonl").rows]
    assert list(dict.fromkeys(best)) == ["manual", "bm25", "tfidf"]
    kept = rankscale(*options, "--topics", written("topics.txt", "103 / 104 / 130"), "--format", "jsonl").rows
    assert {row["group"]: row["topics"] for row in kept} == {"short": 2, "long": 1, "(micro)": 3, "(macro)": 3}
    outcome = rankscale(*options, "--strict")
    assert outcome.code == 1
    assert "groups.txt: no topic of the evaluation is in elsewhere" in outcome.err


def test_compare_tests_within_groups(groups: str, values: dict[str, dict[str, float]], rankscale: Any) -> None:
    options = ["compare", *FILES, "-m", "P@10", "--groups", groups]
    rows = rankscale(*options, "--format", "jsonl").rows
    assert [(row["group"], row["run"], row["other"]) for row in rows] == [
        (group, run, other)
        for group in ("short", "long")
        for run, other in (("manual", "bm25"), ("manual", "tfidf"), ("bm25", "tfidf"))
    ]
    alone = []
    for row in rows:
        first, second = ([values[row[which]][t] for t in OF if OF[t] == row["group"]] for which in ("run", "other"))
        test = stats.ttest_rel(first, second)
        ends = test.confidence_interval(0.95)
        assert row["p_uncorrected"] == pytest.approx(test.pvalue, rel=1e-9)
        assert (row["lower_uncorrected"], row["upper_uncorrected"]) == pytest.approx((ends.low, ends.high), rel=1e-9)
        assert row["difference"] == pytest.approx(np.mean(first) - np.mean(second), rel=1e-9)
        assert row["topics"] == len(first)
        alone.append(test.pvalue)
    assert [row["p"] for row in rows] == pytest.approx(holm(alone), rel=1e-9)
    within = rankscale(*options, "--family", "group", "--format", "jsonl").rows
    assert [row["p"] for row in within] == pytest.approx([*holm(alone[:3]), *holm(alone[3:])], rel=1e-9)


def holm(p: list[float]) -> list[float]:
    """Holm's correction, step by step."""
    made, highest = [0.0] * len(p), 0.0
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, (len(p) - step) * p[place])
        made[place] = min(highest, 1.0)
    return made


def test_compare_shows_letters_the_interaction_and_warnings(rankscale: Any, written: Any) -> None:
    """The worked example, and a group of one topic, which has values and no test."""
    table = written(
        "values.csv",
        "topic,A,B / 1,.7,.5 / 2,.75,.6 / 3,.3,.4 / 4,.2,.3 / 5,.4,.4 / 6,.3,.45 / 7,.5,.55 / 8,.25,.4 / 9,.9,.1",
    )
    groups = written("groups.csv", "topic,kind,n / 1,x,1 / 2,x,1 / 3,y,1 / 4,y,1 / 5,y,1 / 6,y,1 / 7,y,1 / 8,y,1")
    options = ["compare", "--values", table, "-m", "P@20", "--groups", groups, "--group-column", "kind"]
    outcome = rankscale(*options)
    rows = [line.split() for line in outcome.out.split("\n\n")[0].splitlines()]
    assert rows == [
        ["group", "run", "topics", "P@20"],
        *(["x", "A", "2", "0.7250", "a"], ["x", "B", "2", "0.5500", "a"]),
        *(["y", "A", "6", "0.3250", "b"], ["y", "B", "6", "0.4167", "a"]),
        *(["(none)", "A", "1", "0.9000"], ["(none)", "B", "1", "0.1000"]),
        *(["(micro)", "A", "8", "0.4250"], ["(micro)", "B", "8", "0.4500"]),
        *(["(macro)", "A", "8", "0.5250"], ["(macro)", "B", "8", "0.4833"]),
    ]
    assert "x 0 of 1, y 1 of 1" in outcome.out
    assert "Differences of runs depend on the group (interaction F(1, 6) = 34.91, p = 0.001)" in outcome.out
    assert "means over topics and means of groups order them the other way round" in outcome.err
    document = json.loads(rankscale(*options, "--format", "json").out)
    (interaction,) = document["interaction"]
    assert (interaction["F"], interaction["p"]) == pytest.approx((34.909091, 0.001045), abs=5e-7)
    assert [row["letters"] for row in document["groups"]] == ["a", "a", "b", "a", "", ""]
    assert document["comparisons"][0]["family"] == "all"
    against = rankscale(*options, "--baseline", "B").out
    assert [line.split()[-1] for line in against.splitlines()[1:5]] == ["0.7250", "baseline", "*", "baseline"]


def test_a_group_that_is_too_small_has_no_test(rankscale: Any, written: Any) -> None:
    table = written("values.csv", "topic,A,B / 1,.7,.5 / 2,.75,.6 / 3,.3,.4")
    outcome = rankscale(
        "compare", "--values", table, "-m", "P@20", "--groups", written("g.txt", "1 x / 2 x / 3 y"), "--pairs"
    )
    assert "too few topics for Student's paired t test in y: values without a test" in outcome.err
    assert "x 0 of 1, y not tested" in outcome.out
    assert re.search(r"P@20 +student +y +B? *A? +B +-0\.1000 +- +- +- +-", outcome.out.replace("B  A", "A  B"))


def test_several_tests_and_forms(groups: str, rankscale: Any) -> None:
    options = ["compare", *FILES, "-m", "P@10", "--groups", groups, "-t", "sign", "-t", "randomisation"]
    outcome = rankscale(*options, "--samples", "200", "--seed", "1", "--format", "jsonl")
    assert "has no setting" in outcome.err  # the sign test draws nothing
    options = ["compare", *FILES, "-m", "P@10", "--groups", groups, "-t", "sign", "-t", "signed rank"]
    rows = rankscale(*options, "--format", "jsonl").rows
    assert [row["test"] for row in rows] == ["sign"] * 6 + ["signed rank"] * 6
    assert rankscale(*options).words[0] == ["group", "run", "topics", "P@10,", "sign", "P@10,", "signed", "rank"]
    one = ["compare", *FILES, "-m", "P@10", "--groups", groups]
    assert r"\textbf{0.5444}" in rankscale(*one, "--format", "latex").out
    assert "| measure | test | group |" in rankscale(*one, "--format", "markdown", "--pairs").out
    assert "asks for an interval scale" in rankscale(*one, "--explain").out.split("\n\n")[-1]
    drawn = ["--test", "randomisation", "--samples", "200", "--seed", "1", "--format", "jsonl"]
    assert rankscale(*one, *drawn).raw == rankscale(*one, *drawn).raw


IN_CSV = {  # what a terminal or a spreadsheet would carry out
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m",
    "\u202egnp.exe": r"\u202egnp.exe",
    "-1+1=cmd": "'-1+1=cmd",
}


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_hostile_names_of_groups(command: str, rankscale: Any, tmp_path: Path) -> None:
    """Names that break some form of writing where they are not escaped, by a table of comma-separated values."""
    names = [name for name in NASTY if name.strip() == name and "\x00" not in name and "\r" not in name]
    path = tmp_path / "groups.csv"
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        writer = csv.writer(file)
        writer.writerow(["topic", "group"])
        writer.writerows([topic, names[place % len(names)]] for place, topic in enumerate(TOPICS))
    options = [command, *FILES, "-m", "P@10", "--groups", path]
    for form, separator in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.DictReader(io.StringIO(rankscale(*options, "--format", form).out), delimiter=separator))
        assert len(rows) % len(NAMES) == 0
        if form == "csv":
            assert {IN_CSV.get(name, name) for name in names} <= {row["group"] for row in rows}
    assert set(names) <= {row["group"] for row in rankscale(*options, "--format", "jsonl").rows}
    assert set(names) <= {row["group"] for row in json.loads(rankscale(*options, "--format", "json").out)["rows"]}
    assert rankscale(*options, "-o", tmp_path / "made.parquet").code == 0
    assert 'say "quotes"' in parquet.read_table(tmp_path / "made.parquet")["group"].to_pylist()
    table = rankscale(*options)
    assert "\x1b" not in table.out + table.err
    assert "\u202e" not in table.out + table.err
    page = rankscale(*options, "--format", "html").out
    assert Cells(page).tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "sup"}
    assert "<script" not in page
    assert "\\input{" not in rankscale(*options, "--format", "latex").out
    assert not re.search(r"(?<!\\)<script", rankscale(*options, "--format", "markdown").out)


REFUSED = {
    "a column alone": (["evaluate", "--group-column", "n"], "--group-column names a column of a file of groups"),
    "a family alone": (["compare", "--family", "group"], "--family is about groups of topics: give --groups FILE too"),
    "medians": (["evaluate", "--summary", "median", "--groups", "F"], "leave out --groups, or --summary median"),
    "quantiles": (["compare", "--summary", "quantiles", "--groups", "F"], "leave out --groups, or --summary quantiles"),
    "statements": (["compare", "--statements", "--groups", "F"], "--statements is about all topics together"),
    "a plan": (["compare", "--plan", "0.1", "--groups", "F"], "--plan is about all topics together"),
    "a matrix": (["compare", "--matrix", "--groups", "F"], "--matrix is about all topics together"),
    "no file": (["evaluate", "--groups", "nowhere.txt"], "nowhere.txt"),
    "standard input twice": (["evaluate", "--groups", "-", "--topics", "-"], "give - for one file alone"),
    "another column": (["evaluate", "--groups", "F", "--group-column", "n"], "the columns topic and n, found"),
    "Tukey over all groups": (["compare", "--groups", "F", "-t", "two-way"], "--family group alone goes with it"),
    "another baseline": (["compare", "--groups", "F", "--baseline", "nobody"], "nobody"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, groups: str, rankscale: Any) -> None:
    (command, *options), message = REFUSED[case]
    outcome = rankscale(command, *FILES, "-m", "P@10", *(groups if word == "F" else word for word in options))
    assert message in outcome.refused


def test_one_run_is_no_comparison(groups: str, rankscale: Any) -> None:
    assert rankscale("evaluate", *FILES[:2], "--groups", groups).code == 0
    assert "give two runs or more, got 1" in rankscale("compare", *FILES[:2], "--groups", groups).refused
