"""`rankscale evaluate`: what its options do, by values worked out by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.cli.evaluate import DEFAULT_MEASURES
from rankscale.cli.options import TIE_ORDERS
from rankscale.data.orders import ORDERS


def values(outcome: Any) -> dict[tuple[str, str, str], float]:
    """(run, topic, measure) -> value, of what was printed as jsonl."""
    rows = [json.loads(line) for line in outcome.out.splitlines()]
    return {(row["run"], row["topic"], row["measure"]): row["value"] for row in rows}


@pytest.fixture
def evaluated(rankscale: Any, qrels: Path, good: Path) -> Any:
    """The good run's values by topic and measure."""

    def run(*options: str) -> dict[tuple[str, str], float]:
        outcome = rankscale("evaluate", qrels, good, "--per-topic", "--format", "jsonl", *options)
        assert outcome.code == 0, outcome.err
        return {(topic, measure): value for (_, topic, measure), value in values(outcome).items()}

    return run


def test_a_table_by_default(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("evaluate", qrels, good)
    assert outcome.code == 0
    assert outcome.err == ""
    head, row = outcome.words
    assert head == ["run", "topics", *DEFAULT_MEASURES]
    assert row[:4] == ["good", "2", "0.5600", "0.4583"]  # the second is AP: (7/12 + 1/3) / 2


def test_measures_in_the_order_asked_in_both_spellings(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, "-m", "P_5", "-m", "RR", "--measure", "map", "-m", "AP")
    assert outcome.words == [["run", "topics", "P@5", "RR", "AP"], ["good", "2", "0.3000", "0.4167", "0.4583"]]


def test_per_topic(rankscale: Any, qrels: Path, good: Path) -> None:
    for flag in ("--per-topic", "-q"):
        outcome = rankscale("evaluate", qrels, good, "-m", "RR", flag)
        assert outcome.words == [
            ["run", "topic", "RR"],
            ["good", "1", "0.5000"],
            ["good", "2", "0.3333"],
            ["good", "all", "0.4167"],
        ]


def test_what_is_printed_is_what_python_finds(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, part, "-q", "-m", "all_trec", "--format", "jsonl")
    found = rs.evaluate(str(qrels), [str(good), str(part)], ["all_trec"])
    expected = {
        (run, topic, measure): value
        for run, topics in found.to_dict().items()
        for topic, row in topics.items()
        for measure, value in row.items()
    }
    expected |= {(run, "all", m): value for run, row in found.means().to_dict().items() for m, value in row.items()}
    assert values(outcome) == expected


def test_complete(rankscale: Any, qrels: Path, part: Path) -> None:
    plain = rankscale("evaluate", qrels, part, "-m", "RR", "--missing", "skip")
    complete = rankscale("evaluate", qrels, part, "-m", "RR", "-c")
    assert plain.words[1] == ["part", "1", "1.0000"]
    assert complete.words[1] == ["part", "2", "0.5000"]
    assert "--missing zero counts it as empty" in plain.err
    assert "counted as an empty ranking" in complete.err
    assert rankscale("evaluate", qrels, part, "-m", "RR").out == complete.out


def test_common(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, part, "-m", "RR", "--missing", "common")
    assert outcome.words[1:] == [["part", "1", "1.0000"], ["good", "1", "0.5000"]]


def test_sort(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    for measure, first in (("RR", "part"), ("R@5", "good"), ("recall_5", "good")):
        outcome = rankscale("evaluate", qrels, good, part, "-m", "RR", "-m", "R@5", "--sort", measure)
        assert outcome.words[1][0] == first


def test_the_best_run_by_the_first_measure_comes_first(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    def runs(*more: str) -> list[str]:
        return [words[0] for words in rankscale("evaluate", qrels, good, part, *more).words[1:]]

    assert runs("-m", "RR", "--missing", "common") == ["part", "good"]
    assert runs("-m", "RR", "--missing", "common", "--sort", "given") == ["good", "part"]
    assert runs("-m", "R@5", "-m", "RR") == ["good", "part"]
    # Low is good: one run has a document that is not relevant, the other has none.
    assert runs("-m", "Fallout(collection=10)", "--missing", "common") == ["part", "good"]
    # Where neither high nor low is better, the order given stays.
    assert runs("-m", "RP@1", "--missing", "common") == ["good", "part"]


def test_sparklines_stand_beside_means(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, part, "-m", "RR", "--sparklines", "--missing", "zero")
    head, *rows = outcome.out.splitlines()[:3]
    assert head.split() == ["run", "topics", "RR", "RR", "by", "topic"]
    values = rs.evaluate(qrels, [good, part], "RR")
    order = sorted(range(2), key=lambda topic: -values.values[0, :, topic].mean())
    for row in rows:
        of_run = [list(values.by_topic(row.split()[0], "RR").values())[topic] for topic in order]
        assert row.split()[3] == "".join("▁▂▃▄▅▆▇█"[min(int(8 * value), 7)] for value in of_run)
    for refused in (("--format", "tsv"), ("--per-topic",), ("--summary", "median")):
        assert "--sparklines" in rankscale("evaluate", qrels, good, "--sparklines", *refused).refused


def test_sort_by_a_measure_that_was_not_asked_for(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, "-m", "RR", "--sort", "AP")
    assert outcome.code == 2
    assert outcome.raw == b""
    assert "--sort AP: add -m 'AP'" in outcome.err


def test_sort_understands_a_measure_as_it_was_asked_for(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, part, "-m", "RR", "--rel", "2", "--sort", "RR")
    assert outcome.code == 0, outcome.err
    assert outcome.words[1][0] == "part"


def test_rel(evaluated: Any) -> None:
    found = evaluated("-m", "RR", "-m", "nDCG@5", "-m", "AP(rel=1)", "--rel", "2")
    assert found["1", "RR(rel=2)"] == pytest.approx(1 / 3)
    assert found["2", "RR(rel=2)"] == 0
    assert ("1", "nDCG@5") in found  # takes no threshold
    assert evaluated("-m", "P(rel=1.5)@5", "--rel", "2").keys() >= {("1", "P(rel=1.5)@5")}


def test_a_measure_given_its_own_rel_keeps_it(evaluated: Any) -> None:
    found = evaluated("-m", "AP(rel=1)", "-m", "AP", "--rel", "2")
    assert {measure for _, measure in found} == {"AP", "AP(rel=2)"}


@pytest.mark.parametrize(
    ("gains", "name", "expected"),
    [
        ("0,5,7", "DCG(gains=[0,5,7])", 5 / 1.584962500721156 + 7 / 2),
        ("1=3,2=9", "DCG(gains={1:3,2:9})", 3 / 1.584962500721156 + 9 / 2),
        ("exp", "DCG(gains='exp')", 1 / 1.584962500721156 + 3 / 2),
    ],
)
def test_gains(gains: str, name: str, expected: float, evaluated: Any) -> None:
    found = evaluated("-m", "DCG", "-m", "RR", "--gains", gains)
    assert found["1", name] == pytest.approx(expected)
    assert found["1", "RR"] == 0.5


@pytest.mark.parametrize(
    ("grades", "rr"), [("1=0", (1 / 3, 0)), ("0=1", (1, 1 / 3)), ("-1=1", (1 / 2, 1 / 2)), ("2=0,1=0,0=1", (1, 0))]
)
def test_grades(grades: str, rr: tuple[float, float], evaluated: Any) -> None:
    found = evaluated("-m", "RR", f"--grades={grades}")
    assert (found["1", "RR"], found["2", "RR"]) == pytest.approx(rr)


def test_a_list_of_grades_without_an_entry_for_each(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("evaluate", qrels, good, "--grades", "0,1,1")
    assert (outcome.code, outcome.raw) == (2, b"")
    assert "no entry for grade -1" in outcome.err


def test_negative(evaluated: Any) -> None:
    assert evaluated("-m", "Judged@3")["2", "Judged@3"] == pytest.approx(1 / 3)
    assert evaluated("-m", "Judged@3", "--negative", "not relevant")["2", "Judged@3"] == pytest.approx(2 / 3)


def test_judged_only(evaluated: Any) -> None:
    found = evaluated("-m", "RR", "--judged-only")
    assert (found["1", "RR"], found["2", "RR"]) == (0.5, 1.0)  # x and d are taken out
    assert evaluated("-m", "RR", "--judged-only", "--negative", "not relevant")["2", "RR"] == 0.5


def test_depth(evaluated: Any) -> None:
    found = evaluated("-m", "RR", "-m", "NumRet", "--depth", "2")
    assert (found["1", "RR"], found["2", "RR"], found["all", "NumRet"]) == (0.5, 0.0, 4.0)


def test_order(rankscale: Any, qrels: Path, written: Any) -> None:
    run = written("run", "1 Q0 b 3 16777217 x / 1 Q0 a 1 16777216 x / 1 Q0 z 2 16777216 x")
    skip = ("--missing", "skip")  # of topic 2
    expected = {"score": 1 / 3, "score64": 1 / 3, "rank": 1, "file": 1 / 2}  # 32 bits: z b a; 64 bits: b z a
    for order, rr in expected.items():
        outcome = rankscale("evaluate", qrels, run, "-m", "RR", "--order", order, "--format", "jsonl", *skip)
        assert values(outcome)["x", "all", "RR"] == pytest.approx(rr), order
    for order, rr in {"score": 1 / 2, "score64": 1}.items():
        outcome = rankscale(
            "evaluate", qrels, run, "-m", "RR", "--grades", "2=0,0=1", "--order", order, "--format", "jsonl", *skip
        )
        assert values(outcome)["x", "all", "RR"] == rr, order


@pytest.mark.parametrize("threads", ["1", "2", "8"])
def test_threads_change_nothing(threads: str, rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    options = ("-q", "-m", "all_trec", "--format", "tsv")
    one = rankscale("evaluate", qrels, good, part, good, *options)
    assert rankscale("evaluate", qrels, good, part, good, *options, "--threads", threads).raw == one.raw


def test_max_size(rankscale: Any, qrels: Path, good: Path) -> None:
    assert rankscale("evaluate", qrels, good, "--max-size", "1k").code == 0
    assert rankscale("evaluate", qrels, good, "--max-size", "0.5M").code == 0
    outcome = rankscale("evaluate", qrels, good, "--max-size", "10")
    assert (outcome.code, outcome.raw) == (2, b"")
    assert "10 bytes" in outcome.err
    assert "--max-size" in outcome.err


def test_strict_ends_with_1_where_there_is_something_to_warn_of(
    rankscale: Any, qrels: Path, good: Path, part: Path
) -> None:
    assert rankscale("evaluate", qrels, good, "--strict").code == 0
    outcome = rankscale("evaluate", qrels, part, "-m", "RR", "--strict")
    assert outcome.code == 1
    assert outcome.words[1] == ["part", "2", "0.5000"]  # the results are there all the same


def test_results_alone_on_standard_output_and_warnings_on_standard_error(
    rankscale: Any, qrels: Path, part: Path
) -> None:
    outcome = rankscale("evaluate", qrels, part, "--format", "jsonl")
    assert all(json.loads(line) for line in outcome.out.splitlines())
    assert outcome.err == (
        f"warning: 1 of 2 topics in {qrels} is missing from {part} (2) and counted as an empty ranking\n"
    )


def test_no_more_warnings_than_fit_a_screen(rankscale: Any, qrels: Path, part: Path) -> None:
    outcome = rankscale("evaluate", qrels, *[part] * 20, "-m", "RR")
    lines = outcome.err.splitlines()
    assert len(lines) == 13
    assert lines[-1] == "warning: and 28 more like these"  # 20 names and 20 missing topics


@pytest.fixture
def tied(tmp_path: Path) -> tuple[Path, Path]:
    """Qrels and a run whose nine documents all have one score: 9!/(4! 2! 3!) orders differ."""
    qrels, run = tmp_path / "tied-qrels.txt", tmp_path / "tied.txt"
    grades = [0, 1, 0, 2, 1, 1, 0, 2, 0]
    qrels.write_text("".join(f"1 0 d{number} {grade}\n" for number, grade in enumerate(grades)))
    run.write_text("".join(f"1 Q0 d{number} 0 7 flat\n" for number in range(len(grades))))
    return qrels, run


def test_means_over_drawn_orders_say_so_in_every_form(rankscale: Any, tied: Any, tmp_path: Path) -> None:
    options = (*tied, "-m", "Twist", "-m", "AP", "--ties", "expected")
    outcome = rankscale("evaluate", *options)
    assert outcome.err.startswith(
        "warning: Twist: mean over 200 seeded orders (seed 0) of the tied documents, for 1 of 1"
    )
    assert "standard error of the means of runs at most 0.0" in outcome.err
    assert "--tie-orders 1000 draws more" in outcome.err
    assert outcome.words[1][3].startswith("±0.0")  # after Twist, and not after AP
    assert len(outcome.words[1]) == 5
    rows = rankscale("evaluate", *options, "--format", "jsonl").rows
    assert [list(row) for row in rows] == [["run", "topic", "measure", "value", "ties_error"]] * 2
    assert rows[0]["ties_error"] > 0 == rows[1]["ties_error"]
    document = json.loads(rankscale("evaluate", *options, "--format", "json").out)
    assert "|ties:expected|tie-orders:200|seed:0|" in document["signature"]
    assert document["runs"][0]["means_ties_error"] == {"Twist": rows[0]["ties_error"], "AP": 0.0}
    assert rankscale("evaluate", *options, "--format", "csv").out.startswith("run,topic,measure,value,ties_error\n")
    rankscale("evaluate", *options, "-o", tmp_path / "values.parquet")
    assert "ties_error" in rs.evaluate(str(tied[0]), str(tied[1]), "Twist", ties="expected").to_polars().columns
    assert "±" in rankscale("evaluate", *options, "--format", "markdown").out
    assert rankscale("evaluate", *options, "--strict").code == 1


def test_more_orders_and_other_seeds(rankscale: Any, tied: Any) -> None:
    def twist(*options: str) -> dict[str, Any]:
        outcome = rankscale("evaluate", *tied, "-m", "Twist", "--ties", "expected", "--format", "jsonl", *options)
        row: dict[str, Any] = outcome.rows[0]
        return row

    every = twist("--tie-orders", "1260")  # all that differ
    assert "ties_error" not in every
    drawn = [twist("--tie-orders", "900", "--seed", seed) for seed in ("0", "1", "1")]
    assert drawn[0]["value"] != drawn[1]["value"] == drawn[2]["value"]
    assert all(abs(one["value"] - every["value"]) < 5 * one["ties_error"] < 0.05 for one in drawn)
    outcome = rankscale("evaluate", *tied, "-m", "Twist@9", "-m", "AP", "--ties", "range", "--tie-orders", "1260")
    assert outcome.err == ""
    seen = rankscale("evaluate", *tied, "-m", "Twist", "-m", "AP", "--ties", "range").err
    assert seen.startswith("warning: Twist: lowest and highest value seen in 200 seeded orders (seed 0)")


def test_numbers_of_orders_are_checked(rankscale: Any, tied: Any) -> None:
    for options, said in ((["--tie-orders", "1"], "x>=2"), (["--seed", "-1"], "x>=0")):
        assert said in rankscale("evaluate", *tied, "--ties", "expected", *options).refused
    assert "means and ranges over tied documents" in rankscale("evaluate", *tied, "--tie-orders", "500").refused


def test_the_default_number_of_orders_is_that_of_python() -> None:
    assert TIE_ORDERS == ORDERS


def test_skip_bad_measures_the_good_ones_and_names_the_others(
    rankscale: Any, qrels: Path, good: Path, written: Callable[[str, str], Path]
) -> None:
    broken, strange = written("broken", "1 Q0 a 1 1 x / 1 Q0 b"), written("strange", "q7 Q0 a 1 1 y")
    assert rankscale("evaluate", qrels, good, broken, strange).code == 2
    outcome = rankscale("evaluate", qrels, broken, good, strange, "-m", "AP", "--skip-bad")
    alone = rankscale("evaluate", qrels, good, "-m", "AP", "--skip-bad")
    assert (outcome.code, alone.code) == (1, 0)  # values are written all the same
    assert outcome.out == alone.out
    assert f"warning: left out: {broken}, line 2: expected: topic Q0 document rank" in outcome.err
    assert f"warning: left out: {strange}: no topic in common with {qrels}" in outcome.err
    none = rankscale("evaluate", qrels, broken, "--skip-bad")
    assert f"no run can be measured; of the first: {broken}, line 2" in none.refused


@pytest.mark.parametrize("command", [["evaluate"], ["compare"], ["gate", "--margin", "0.1"]])
def test_the_length_of_rankings_is_told_once(command: list[str], rankscale: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d{topic} 1\n" for topic in range(1, 6)))
    for name in ("one", "two"):
        rows = [f"{topic} Q0 d{rank} {rank} {9 - rank} {name}\n" for topic in range(1, 6) for rank in range(1, 8)]
        (tmp_path / name).write_text("".join(rows))
    verb, *options = command
    files = [tmp_path / name for name in ("qrels", "one", "two")]
    told = rankscale(verb, *files, *options, "-m", "Twist,rho").err
    words = "Twist, rho: rankings hold at most 7 documents, and N is 1000: Twist@7 reads them as they are"
    assert told.count(words) == told.count("N is 1000") == 1
