import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.sample import QRELS, RUNS
from rankscale.stats.power import PairedTDesign, variances
from rankscale.stats.standardising import KINDS


@pytest.fixture(scope="module")
def found() -> rs.Evaluation:
    return rs.evaluate(QRELS, list(RUNS)[:6], ["P@10", "AP", "Interval(AP@10)"])


def test_z_scores_are_those_of_each_topic(found: rs.Evaluation) -> None:
    for of_measure, before in zip(rs.standardise(found, "z").values, found.values, strict=True):
        spread = before.std(axis=0, ddof=1)
        varied = np.ptp(before, axis=0) > 0
        assert np.isnan(of_measure[:, ~varied]).all()
        expected = (before - before.mean(axis=0))[:, varied] / spread[varied]
        np.testing.assert_allclose(of_measure[:, varied], expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_topics_without_variation_are_undefined_counted_and_left_out(kind: str) -> None:
    """Topic 1 is the same for all: means, and tests, are those without it."""
    qrels = {topic: {"a": 1} for topic in "1234"}
    first, second = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {"x": dict(zip("1234", (first, first, second, first), strict=True)), "y": dict.fromkeys("1234", first)}
    runs["z"] = dict(zip("1234", (first, second, first, second), strict=True))
    whole, without = (
        rs.standardise(rs.evaluate(given, runs, "RR"), kind) for given in (qrels, {t: qrels[t] for t in "234"})
    )
    assert np.isnan(whole.values[0, :, 0]).all()
    np.testing.assert_array_equal(whole.values[:, :, 1:], without.values)
    assert whole.means().to_dict() == without.means().to_dict()
    assert (
        f"{kind}(RR): 1 of 4 topics is left out, undefined, since the reference runs do not vary there (1)"
        in whole.warnings
    )
    assert not any("do not vary" in text for text in without.warnings)
    np.testing.assert_array_equal(rs.compare(whole).p, rs.compare(without).p)


def test_scales_and_names_change(found: rs.Evaluation) -> None:
    z, shares = rs.standardise(found, "z"), rs.standardise(found, "empirical")
    assert [str(measure) for measure in z.measures] == ["z(P@10)", "z(AP)", "z(Interval(AP@10))"]
    assert [measure.scale for measure in z.measures] == ["interval", "ordinal", "interval"]
    assert not any(measure.uses_recall_base for measure in z.measures)
    assert {measure.scale for measure in shares.measures} == {"ordinal"}
    assert rs.compare(z["z(Interval(AP@10))"], "student").verdict.kind == "meaningful"
    assert rs.compare(found["Interval(AP@10)"], "student").verdict.kind == "surrogate"
    assert z.signature.startswith("standardised:z|")


def test_other_runs_can_be_the_reference(found: rs.Evaluation) -> None:
    reference = rs.evaluate(QRELS, list(RUNS)[6:20], ["P@10", "AP", "Interval(AP@10)"])
    values = rs.standardise(found, "z", reference).values[0]
    expected = (found.values[0] - reference.values[0].mean(axis=0)) / reference.values[0].std(axis=0, ddof=1)
    known = ~np.isnan(values) & (reference.values[0].std(axis=0) > 0)
    np.testing.assert_allclose(values[known], expected[known], atol=1e-12)
    with pytest.raises(ParameterError, match="same topics and measures"):
        rs.standardise(found, "z", reference["AP"])


def test_nothing_is_measured_by_a_relative_measure(found: rs.Evaluation) -> None:
    with pytest.raises(ParameterError, match="then standardise the evaluation"):
        rs.standardise(found, "z").measures[0].value(rs.judged("1 0"))


def test_topics_for_a_next_experiment(found: rs.Evaluation) -> None:
    needed = rs.topics_needed(found["AP"], 0.05)
    seen = variances(found["AP"].values[0].T)
    assert needed.paired_t == PairedTDesign(seen.differences).topics(0.05)
    assert (
        PairedTDesign(seen.differences).power(0.05, needed.paired_t)
        >= 0.8
        > PairedTDesign(seen.differences).power(0.05, needed.paired_t - 1)
    )
    assert needed.one_way > needed.paired_t
    assert rs.topics_needed(found["AP"], needed.detectable * 1.0001).paired_t <= 50
    assert "to find a difference of 0.05" in str(needed)
    with pytest.raises(ParameterError, match="one measure"):
        rs.topics_needed(found, 0.05)
    with pytest.raises(ParameterError, match="above 0"):
        rs.topics_needed(found["AP"], 0)
