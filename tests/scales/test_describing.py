"""A scale in words and numbers: facts that are those of the scale, and rankings placed on it."""

import json
import math
from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import ScaleError
from rankscale.scales.describe import SHOWN_GRADES, WIDTH, describe, document


def facts(measure: str, **asked: Any) -> dict[str, str]:
    return dict(describe(rs.scale(measure, **asked)).facts)


def test_facts_of_a_scale() -> None:
    told = facts("DCG(base=2)@4")
    assert told["measure"] == "DCG(base=2)@4"
    assert told["rankings"] == "all, of 4 documents with grades 0, 1"
    assert told["values"] == "12 distinct"
    third, half = 1 / math.log2(3), 0.5
    assert told["first"] == ", ".join(f"{value:.6g}" for value in (0, half, third, 1, third + half))
    assert told["last"] == ", ".join(
        f"{value:.6g}" for value in (2, 1 + third + half, 2 + half, 2 + third, 2 + third + half)
    )
    assert told["counted"].startswith("exact")
    assert "not equally spaced" in told["spacing"]
    assert "note" in told


def test_universe_levels_and_notes() -> None:
    told = facts("AP@4", levels=(0, 1, 2), counts=(9, 1, 1), universe="feasible")
    assert told["rankings"] == "those that the topic's documents allow, of 4 documents with grades 0, 1, 2"
    assert "surrogate" in told["note"]
    assert facts("P@4")["spacing"].startswith("equally spaced: the measure itself is on an interval scale")
    assert facts("P@4", levels=(0,))["spacing"] == "there is one value only"


def test_as_many_ends_as_asked_for() -> None:
    for count in (0, 1, 3, 100):
        told = dict(describe(rs.scale("P@4"), ends=count).facts)
        values = ["0", "0.25", "0.5", "0.75", "1"]
        assert told.get("first", "") == ", ".join(values[:count])
        assert told.get("last", "") == ", ".join(values[-count:] if count else [])


def test_rankings_are_placed() -> None:
    scale = rs.scale("DCG(base=2)@4")
    rankings: list[list[float]] = [[1, 1, 1, 1], [0, math.nan, 1, 1], [1]]
    told = describe(scale, rankings, forms=["mid"], percentile=True).rankings
    assert list(told.columns) == ["ranking", "value", "rank", "normalised", "mid-rank", "percentile"]
    assert told.columns["ranking"] == ["1,1,1,1", "0,-,1,1", "1"]
    assert told.columns["value"] == pytest.approx([2 + 1 / math.log2(3) + 0.5, 1 / math.log2(3) + 0.5, 1])
    assert told.columns["rank"] == [12, 5, 4]
    assert told.columns["normalised"] == [1, 4 / 11, 3 / 11]
    assert told.columns["mid-rank"] == [16, 6, 4.5]
    assert told.columns["percentile"] == [f"{share / 16:.4f} (all rankings counted)" for share in (16, 6, 5)]
    assert len(describe(scale).rankings) == 0


def test_brackets_where_ranks_are_not_exact() -> None:
    scale = rs.scale("RBP(p=0.8)@100")
    rankings = [[1] * 100, [1] * 50, [1]]
    told = describe(scale, rankings)
    assert list(told.rankings.columns) == [
        "ranking",
        "value",
        "log10_rank_from",
        "log10_rank_to",
        "normalised_from",
        "normalised_to",
    ]
    for row, ranking in zip(told.rankings, rankings, strict=True):
        bracket = scale.bracket(ranking)
        assert (row["normalised_from"], row["normalised_to"]) == (bracket.lower, bracket.upper)
        assert (row["log10_rank_from"], row["log10_rank_to"]) == scale.log10_rank(ranking)
    assert dict(told.facts)["counted"] == "certified to within 1e-05"
    assert told.rankings.columns["ranking"][0] == ",".join("1" * SHOWN_GRADES) + ",... (100)"
    assert json.loads(document(told))["size"] == 2**100


def test_what_is_refused_says_why_and_still_has_values() -> None:
    scale = rs.scale("AP@100")
    told = describe(scale, [[1, 0, 1]], percentile=True)
    assert dict(told.facts)["counted"].startswith("not counted: AP@100: ")
    assert "values" not in dict(told.facts)
    assert list(told.rankings.columns) == ["ranking", "value", "percentile"]
    assert told.rankings.columns["value"] == pytest.approx([(1 + 2 / 3) / 100])
    assert "size" not in json.loads(document(told))
    with pytest.raises(ScaleError):
        describe(scale, [[1]], forms=["mid"])


def test_as_people_read_it() -> None:
    text = str(describe(rs.scale("DCG(base=2)@100"), [[1, 0, 1], [0]]))
    lines = text.splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0].split() == ["measure", "DCG(base=2)@100"]
    assert lines[-3].split()[0] == "ranking"
    assert lines[-4] == ""
    assert [line.split()[0] for line in lines[-2:]] == ["1,0,1", "0"]


def test_as_programs_read_it() -> None:
    told = describe(rs.scale("RBP(p=0.5)@100"), [[1], [0, 1]])
    found = json.loads(document(told))
    assert found["measure"] == "RBP(p=0.5)@100"
    assert found["size"] == 2**100
    assert [row["rank"] for row in found["rows"]] == [2**99 + 1, 2**98 + 1]
    assert isinstance(found["note"], list)
    assert len(found["note"]) == len([name for name, _ in told.facts if name == "note"]) >= 1
