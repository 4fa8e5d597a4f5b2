"""How sure the order of runs is: worked values, scipy, and what is said where something is left out."""

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.sample import QRELS, RUNS

VALUES = {"A": [0.9, 0.5, 0.4, 0.2], "B": [0.6, 0.6, 0.3, 0.3], "C": [0.5, 0.4, 0.5, 0.1]}
FILES = [str(path) for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf", "ql"}]


def read(values=VALUES, measure="P@10"):
    runs = {run: {str(t): {measure: x} for t, x in enumerate(of) if x is not None} for run, of in values.items()}
    return rs.read_values(runs)


def test_worked_values_in_the_table():
    sure = rs.ranking_confidence(read(), draws="all")
    rows = sure.to_polars().to_dicts()
    assert [round(row["place_expected"], 6) for row in rows] == [1.378906, 1.917969, 2.703125]
    assert [(row["place_lower"], row["place_upper"]) for row in rows] == [(1, 2), (1, 3), (1, 3)]
    assert [round(row["share_first"], 6) for row in rows] == [0.652344, 0.28125, 0.066406]
    pairs = sure.to_polars("pairs").to_dicts()
    assert [(row["run"], row["other"], round(row["share_better"], 6)) for row in pairs] == [
        ("A", "B", 0.703125),
        ("A", "C", 0.917969),
        ("B", "C", 0.785156),
    ]
    assert sure.share_better("B", "A") == 1 - sure.share_better("A", "B", "P@10")
    assert "neither p-values nor probabilities" in str(sure)
    assert "seed" in sure.provenance
    assert sure.verdicts[0].meaningful


def test_low_is_good_turns_the_order():
    flipped = {run: [1 - x for x in of] for run, of in VALUES.items()}
    low = rs.ranking_confidence(read(flipped, "ASL"), draws="all")
    np.testing.assert_allclose(low.expected, rs.ranking_confidence(read(), draws="all").expected)


def test_topics_that_some_run_lacks_are_left_out_and_counted():
    more = {run: [*of, None if run == "B" else 0.7] for run, of in VALUES.items()}
    sure = rs.ranking_confidence(read(more), draws="all")
    assert (sure.topics.tolist(), sure.left_out.tolist()) == ([4], [1])
    assert "1 of 5 topics left out" in sure.warnings[0]
    np.testing.assert_allclose(sure.means[0], np.mean(list(VALUES.values()), axis=1))


def test_a_sample_by_scipy():
    evaluation = rs.evaluate(str(QRELS), FILES, ["AP", "P@10"])
    sure = rs.ranking_confidence(evaluation, seed=4)
    for m in range(2):
        for r in range(4):
            x = evaluation.values[m, r]
            theirs = stats.bootstrap(
                (x,), np.mean, n_resamples=1000, method="percentile", rng=np.random.default_rng(4)
            ).confidence_interval
            assert sure.parts[m].intervals[r].percentile == pytest.approx(tuple(theirs), abs=1e-12)
    assert "ordinal" in str(sure.verdicts[0])


def test_tested_places_by_counting():
    evaluation = rs.evaluate(str(QRELS), FILES, "AP")
    sure = rs.ranking_confidence(evaluation, places="tested")
    comparison = rs.compare(evaluation)
    for r, run in enumerate(sure.runs):
        lower, upper = 1, 4
        for row in comparison.to_polars().to_dicts():
            if row["significant"] and run in {row["run"], row["other"]}:
                won = (row["difference"] > 0) == (row["run"] == run)
                lower, upper = (lower, upper - 1) if won else (lower + 1, upper)
        assert (sure.place_lower[0, r], sure.place_upper[0, r]) == (lower, upper)
    assert "hold for all runs at once" in str(sure)


def test_groups_keep_their_sizes():
    evaluation = read({"A": [0.0, 0.0, 1.0, 1.0], "B": [0.5] * 4})
    sure = rs.ranking_confidence(evaluation, groups={"0": "low", "1": "low", "2": "high", "3": "high"})
    assert sure.parts[0].intervals[0].percentile == (0.5, 0.5)  # within groups nothing varies
    assert sure.first.tolist() == [[0.5, 0.5]]


def test_refused():
    with pytest.raises(ParameterError, match="draws"):
        rs.ranking_confidence(read(), draws=0)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        rs.ranking_confidence(read(), confidence=1)
    with pytest.raises(ParameterError, match="places must be 'draws' or 'tested'"):
        rs.ranking_confidence(read(), places="sure")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="give places='tested' too"):
        rs.ranking_confidence(read(), test="sign")
    with pytest.raises(ParameterError, match="no topic has a value of all runs"):
        rs.ranking_confidence(read({"A": [0.1, None], "B": [None, 0.1]}))


def test_geometric_means_and_totals():
    values = {"A": [0.25, 0.5, 0.125], "B": [0.5, 0.5, 0.5]}
    sure = rs.ranking_confidence(read(values, "GMAP"), draws="all")
    logs = np.log(values["A"])
    drawn = [logs[list(draw)].mean() for draw in np.ndindex(3, 3, 3)]
    ends = np.exp(np.quantile(drawn, [0.025, 0.975]))
    assert sure.parts[0].intervals[0].percentile == pytest.approx(tuple(ends))
    assert sure.means[0, 0] == pytest.approx(0.25)
    totals = rs.ranking_confidence(read({"A": [3, 4], "B": [5, 6]}, "NumRelRet"), draws="all")
    assert np.isnan(totals.parts[0].intervals[0].percentile).all()
