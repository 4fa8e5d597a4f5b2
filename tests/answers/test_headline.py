"""The headline: who leads, and from whom it cannot be told apart."""

from typing import Any

import pytest

import rankscale as rs
from rankscale.answers.standing import headline, standing
from rankscale.reporting.measured import collection_name

A = (0.9, 0.8, 0.95, 0.85, 0.9, 0.8)
CLOSE = (0.85, 0.85, 0.9, 0.9, 0.8, 0.85)
FAR = (0.1, 0.2, 0.15, 0.1, 0.2, 0.1)


def said(runs: dict[str, tuple[float, ...]], measure: str = "P@10", **options: Any) -> str:
    by_topic = {name: {str(topic): value for topic, value in enumerate(of)} for name, of in runs.items()}
    compared = rs.compare(rs.read_values(by_topic, measure=measure, **options.pop("read", {})), **options)
    return headline(compared, standing(compared))


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ({"A": A, "B": FAR}, "A leads by P@10; B is told apart from it."),
        ({"A": A, "B": CLOSE}, "A leads by P@10; B cannot be told apart from it."),
        ({"A": A, "B": FAR, "C": CLOSE}, "A leads by P@10; C cannot be told apart from it."),
        ({"A": A, "B": FAR, "C": FAR}, "A leads by P@10; all 2 others are told apart from it."),
        ({"A": A, "B": CLOSE, "C": CLOSE}, "A leads by P@10; none of the 2 others can be told apart from it."),
        ({"A": A, "B": CLOSE, "C": CLOSE, "D": FAR}, "A leads by P@10; 2 runs cannot be told apart from it."),
        ({"A": A, "B": A, "C": FAR}, "A and 1 other run share the best P@10; "),
    ],
)
def test_who_leads_and_how_surely(runs: dict[str, tuple[float, ...]], words: str) -> None:
    assert said(runs).startswith(words)


def test_low_values_lead_where_they_are_good_and_measures_without_a_direction_have_no_leader() -> None:
    assert said({"A": A, "B": FAR}, "minutes", read={"low_is_good": True}).startswith("B leads by minutes; A is told")
    assert said({"A": A, "B": FAR}, "CRP").startswith("A has the highest CRP; B is told apart from it.")


def test_a_baseline_is_what_runs_are_told_apart_from() -> None:
    words = said({"A": A, "B": CLOSE, "C": FAR}, baseline="B")
    assert words == (
        "A leads by P@10; of 2 runs 0 are better than the baseline B, 1 worse, and 1 cannot be told apart from it."
    )


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/data/trec8_adhoc/trec8.qrels.gz", "trec8"),
        ("qrels-pass.txt.gz", "pass"),
        ("dl21.qrels.trec.xz", "dl21"),
        ("the dictionary", ""),
        ("/home/me/secret/qrels.txt.xz", ""),
        ("scifact/qrels/test.tsv", ""),
        ("irds:msmarco-passage/trec-dl-2019", "msmarco-passage/trec-dl-2019"),
    ],
)
def test_names_of_collections(source: str, name: str) -> None:
    assert collection_name(source) == name


@pytest.mark.parametrize(
    ("options", "at_once"),
    [({}, True), ({"correction": "none"}, False), ({"test": "two-way"}, True), ({"correction": "bonferroni"}, True)],
)
def test_intervals_hold_for_all_pairs_where_p_values_do(options: dict[str, str], at_once: bool) -> None:  # noqa: FBT001
    runs = {name: dict(zip("123456", of, strict=True)) for name, of in (("A", A), ("B", CLOSE), ("C", FAR))}
    compared = rs.compare(rs.read_values(runs, measure="P@10"), **options)  # type: ignore[arg-type]
    stands = standing(compared)
    assert ("all pairs at once" in stands.words) == at_once
    expected = {row["other"]: row for row in compared.rows(simultaneous=at_once) if row["run"] == "A"}
    for place, run in enumerate(compared.runs[1:], start=1):
        ends = [-float(expected[run][name] or 0) for name in ("difference", "upper", "lower")]
        assert [of[place] for of in (stands.difference, stands.lower, stands.upper)] == pytest.approx(ends)
