"""Effort and gain: quadrants as the specification writes them, one ranking after the other, and what always holds."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.result import Evaluation
from rankscale.sample import QRELS, RUNS
from rankscale.studies.effort_gain import EffortGain, effort_gain
from rankscale.studies.effort_gain.quadrants import AREAS, PARTS, QUADRANTS

HIGH_HIGH = {f"{gain} gain at {effort} effort" for gain in ("high", "huge") for effort in ("high", "huge")}
GRAY = {"medium gain at huge effort", "huge gain at medium effort"}
DIAGONAL = {
    "low gain at huge effort",
    "medium gain at high effort",
    "high gain at medium effort",
    "huge gain at low effort",
}
TOP = {"huge gain at medium effort", "huge gain at low effort"}
NAMED = {"diagonal": DIAGONAL, "high-high": HIGH_HIGH, "gray": GRAY, "top": TOP}


@pytest.fixture(scope="module")
def sample() -> Evaluation:
    return rs.evaluate(str(QRELS), [str(run) for run in RUNS], ["AP", "Twist", "nDCG@10", "ESL(n=1)"])


def rows(study: EffortGain, table: str) -> list[dict[str, Any]]:
    return list(study.table(table))


def quartiles(values: list[float]) -> list[Fraction]:
    """By linear interpolation between the two values next to a quarter of the way."""
    ordered = [Fraction(value) for value in sorted(values)]
    found = []
    for quarter in (1, 2, 3):
        place = Fraction(quarter * (len(ordered) - 1), 4)
        below = math.floor(place)
        above = min(below + 1, len(ordered) - 1)
        found.append(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
    return found


def slow_quadrants(points: dict[tuple[str, str], tuple[float, float]]) -> dict[tuple[str, str], str]:
    """Of (effort, gain) by run and topic."""
    first, second, third = quartiles([gain for _, gain in points.values()])
    found = {}
    for key, (effort, gain) in points.items():
        row = "low" if gain <= first else "medium" if gain <= second else "high" if gain <= third else "huge"
        column = "huge" if effort < 0.25 else "high" if effort < 0.5 else "medium" if effort < 0.75 else "low"
        found[key] = f"{row} gain at {column} effort"
    return found


def check(study: EffortGain, measure: str, points: dict[tuple[str, str], tuple[float, float]]) -> None:
    """All tables of one measure, against the slow quadrants."""
    expected = slow_quadrants(points)
    counted = Counter(expected.values())
    listed = [row for row in study.table("points") if row["measure"] == measure]
    assert {(row["run"], row["topic"]): row["quadrant"] for row in listed} == expected
    assert {(row["run"], row["topic"]): (row["effort"], row["gain"]) for row in listed} == points
    assert len(listed) == len(points)
    quadrants: dict[Any, dict[str, Any]] = {
        row["quadrant"]: row for row in study.table("quadrants") if row["measure"] == measure
    }
    assert {name: row["points"] for name, row in quadrants.items()} == {name: counted[name] for name in QUADRANTS}
    areas: dict[Any, dict[str, Any]] = {row["area"]: row for row in study.table("areas") if row["measure"] == measure}
    huge = sum(number for name, number in counted.items() if name.startswith("huge gain"))
    for area, names in NAMED.items():
        inside = sum(counted[name] for name in names)
        assert (areas[area]["points"], areas[area]["share"]) == (inside, inside / len(points))
        of_huge = sum(counted[name] for name in names if name.startswith("huge gain"))
        assert areas[area]["share_of_huge_gain"] == pytest.approx(of_huge / huge if huge else math.nan, nan_ok=True)
    assert math.isclose(sum(float(areas[name]["share"]) for name in PARTS), 1)
    assert sum(int(areas[name]["points"]) for name in PARTS) == len(points)
    assert math.isclose(sum(float(row["share"]) for row in quadrants.values()), 1)


def test_quadrants_of_trec_8(trec_8: Any) -> None:
    measures = ["AP", "Bpref", "RBP(p=0.8)", "nDCG(base=10,gains=[0,5])", "Twist"]
    qrels, runs = trec_8
    found = rs.evaluate(qrels, runs, measures)
    study = effort_gain(found, measures[:-1])
    values = found.to_dict()
    for plot in study.plots:
        name = str(plot.measure)
        check(study, name, {(r, t): (v["Twist"], v[name]) for r, of in values.items() for t, v in of.items()})
        assert len(plot.run) == 129 * 50
    areas = {(row["measure"], row["area"]): float(row["share"]) for row in rows(study, "areas")}
    # As in the paper: hardly a ranking below the diagonal; the others are on it, high-high or gray.
    assert all(areas[str(plot.measure), "below"] < 0.05 for plot in study.plots)


def test_quadrants_of_graded_rankings(shared_data: Path) -> None:
    folder = shared_data / "dl21_passage_judged"
    runs = sorted((folder / "runs").iterdir())[:12]
    measures = ["nDCG(base=10,gains=[0,5,10,15])", "Twist(rel=2)@100"]
    found = rs.evaluate(folder / "qrels-pass.txt.gz", runs, measures)
    study = effort_gain(found, measures[0], measures[1])
    gain, effort = map(str, found.measures)
    points = {(r, t): (v[effort], v[gain]) for r, of in found.to_dict().items() for t, v in of.items()}
    check(study, gain, {key: point for key, point in points.items() if not math.isnan(point[0])})


def test_the_rankings_of_the_twist_paper() -> None:
    """A has a Twist of .818795 and B of .525375: low and medium effort."""
    grades = {"1": {**dict.fromkeys("ab", 3), **dict.fromkeys("cd", 2), **dict.fromkeys("efg", 1)}}
    by_grade = {"A": "3 3 2 0 1 2 0 0 0 1 0 0 0 0 0", "B": "3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for name, ranking in by_grade.items():
        left = {"3": ["a", "b"], "2": ["c", "d"], "1": ["e", "f", "g"]}
        documents = [left[g].pop() if g != "0" else f"x{rank}" for rank, g in enumerate(ranking.split())]
        runs[name] = {"1": {document: 99.0 - rank for rank, document in enumerate(documents)}}
    study = effort_gain(rs.evaluate(grades, runs, ["AP", "Twist@15"]), "AP", "Twist@15")
    found = {row["run"]: (row["column"], round(float(row["effort"]), 6)) for row in rows(study, "points")}
    assert found == {"A": ("low", 0.818795), "B": ("medium", 0.525375)}


effort_values = st.sampled_from([0, 0.25, 0.5, 0.75, 1, math.nan]) | st.floats(0, 1)
gain_values = st.sampled_from([0, 0.5, 1, math.nan]) | st.floats(0, 1)
tables = st.integers(1, 4).flatmap(
    lambda topics: st.lists(
        st.lists(st.tuples(effort_values, gain_values), min_size=topics, max_size=topics), min_size=1
    )
)


def evaluation_of(table: list[list[tuple[float, float]]]) -> Evaluation:
    """Made-up values of Twist and AP, one list for each run."""
    one = rs.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, ["Twist", "AP"])
    runs = tuple(f"run {number}" for number in range(len(table)))
    topics = tuple(f"topic {number}" for number in range(len(table[0])))
    values = np.moveaxis(np.array(table, dtype=float), -1, 0)
    return replace(one, runs=runs, topics=topics, values=values, retrieved=np.ones(values.shape[1:], dtype=bool))


@settings(max_examples=50)
@given(tables)
def test_laws(table: list[list[tuple[float, float]]]) -> None:
    found = evaluation_of(table)
    points = {
        (run, topic): pair
        for run, pairs in zip(found.runs, table, strict=True)
        for topic, pair in zip(found.topics, pairs, strict=True)
    }
    defined = {key: pair for key, pair in points.items() if not any(map(math.isnan, pair))}
    if not defined:
        with pytest.raises(ParameterError, match="defined together for no ranking"):
            effort_gain(found)
        return
    study = effort_gain(found)
    check(study, "AP", defined)
    left_out = len(points) - len(defined)
    assert study.plots[0].left_out == left_out
    told = f"AP or Twist is undefined for {left_out} of {len(points)} rankings, which are no points"
    assert (told in study.warnings) == (left_out > 0)
    # Each point is in one part, and each area lists its own.
    parts = [list(study.within(area).table("points")) for area in PARTS]
    assert sum(map(len, parts)) == len(defined)
    quadrants = [list(study.within(name).table("points")) for name in QUADRANTS]
    assert sorted(str(row) for rows in quadrants for row in rows) == sorted(map(str, study.table("points")))
    # What runs have adds up to what all have.
    for area in AREAS:
        inside = sum(round(float(row[area]) * int(row["points"])) for row in rows(study, "runs") if row["points"])
        assert inside == next(row["points"] for row in study.table("areas") if row["area"] == area)


def test_a_value_on_a_cut_goes_to_the_row_of_less_gain() -> None:
    pairs = [(0.25, 0.0), (0.5, 1.0), (0.75, 2.0), (1.0, 3.0), (0.0, 4.0)]
    found = [row["quadrant"] for row in effort_gain(evaluation_of([pairs])).table("points")]
    assert found == [
        "low gain at high effort",
        "low gain at medium effort",
        "medium gain at low effort",
        "high gain at low effort",
        "huge gain at huge effort",
    ]


def test_where_all_gains_are_equal_all_rankings_have_low_gain() -> None:
    study = effort_gain(evaluation_of([[(0.1, 0.3), (0.9, 0.3)]]))
    assert {row["row"] for row in study.table("points")} == {"low"}
    (top,) = (row for row in rows(study, "areas") if row["area"] == "top")
    assert math.isnan(float(top["share_of_huge_gain"]))


def test_several_measures_are_several_plots(sample: Evaluation) -> None:
    both = effort_gain(sample, ["AP", "nDCG@10"])
    for name, rows in both.tables().items():
        apart = [row for measure in ("AP", "nDCG@10") for row in effort_gain(sample, measure).tables()[name]]
        assert list(rows) == apart, name


def test_order_of_runs_does_not_matter(sample: Evaluation) -> None:
    for name in ("areas", "grid", "quadrants"):
        assert list(effort_gain(sample.sorted_by("AP")).tables()[name]) == list(effort_gain(sample).tables()[name])


def test_one_area_is_told_in_the_signature(sample: Evaluation) -> None:
    study = effort_gain(sample).within("high-high")
    assert study.signature == f"study:effort-gain|gain:AP|effort:Twist|area:high-high|{sample.signature}"
    assert {str(row["quadrant"]) for row in study.table("points")} <= HIGH_HIGH
    none = study.within("low gain at low effort")
    assert none.warnings[-1] == "no ranking stands in low gain at low effort"


def test_what_cannot_be_asked(sample: Evaluation) -> None:
    with pytest.raises(UnknownNameError, match="Twist@5"):
        effort_gain(sample, effort="Twist@5")
    with pytest.raises(ParameterError, match=r"whose highest value is the best, and ESL.* is not one"):
        effort_gain(sample, "ESL(n=1)")
    with pytest.raises(ParameterError, match=r"from 0 \(all of it\) to 1 \(none\), as Twist is, and ESL.* is not one"):
        effort_gain(sample, effort="ESL(n=1)")
    with pytest.raises(ParameterError, match="name a measure of gain"):
        effort_gain(sample, [])
    with pytest.raises(UnknownNameError, match="did you mean high-high"):
        effort_gain(sample).within("high high")


def test_an_evaluation_is_asked_for_in_words() -> None:
    import rankscale as rs

    for verb in ("effort_gain", "correlate", "discriminate", "compare"):
        with pytest.raises(ParameterError, match=f"{verb} takes an evaluation, as rs.evaluate"):
            getattr(rs, verb)("runs/*.gz")
