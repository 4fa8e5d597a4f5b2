"""Advice on tests and corrections: what fits the scale, the runs and the question."""

import pytest

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError


def values(runs, measure="P@10", topics=20):
    made = {run: {str(t): {measure: ((t * 7 + ord(run)) % 11) / 10} for t in range(topics)} for run in runs}
    return rs.read_values(made, levels=[0, 1])


@pytest.mark.parametrize(
    ("runs", "measure", "baseline", "test", "correction"),
    [
        ("ab", "P@10", None, "student", "none"),
        ("abc", "P@10", None, "two-way", "none"),
        ("abc", "P@10", "a", "dunnett", "none"),
        ("ab", "P@10", "a", "student", "none"),
        ("abcd", "P@10", ["a", "b"], "student", "holm"),
        ("ab", "RR@10", None, "sign", "none"),
        ("abc", "RR@10", None, "friedman", "none"),
        ("abc", "RR@10", "a", "sign", "holm"),
    ],
)
def test_choices_can_be_followed(runs, measure, baseline, test, correction):
    evaluation = values(runs, measure)
    advice = rs.advise(evaluation, baseline=baseline)
    assert (advice.test, advice.correction) == (test, correction)
    followed = rs.compare(evaluation, advice.test, advice.correction, baseline=baseline)
    assert len(followed.pairs) == advice.pairs
    assert f"--test {test}" in str(advice)
    if measure == "P@10":
        assert followed.verdict.meaningful


def test_few_topics_are_mentioned():
    assert "exact" in str(rs.advise(values("ab", topics=5)))
    assert "too few" in str(rs.advise(values("ab", "RR@10", topics=5)))  # 2 / 2**5 = 0.0625
    assert "too few" not in str(rs.advise(values("ab", "RR@10", topics=6)))


def test_many_pairs_name_a_rate():
    many = rs.advise(values("abcdefghijklmnopqrstuvwxyz", "P@10"), baseline=["a", "b", "c"])
    assert "bh keeps the expected share" in str(many)


def test_refused():
    with pytest.raises(UnknownNameError):
        rs.advise(values("ab"), baseline="c")
    with pytest.raises(ParameterError, match="two runs or more by one measure"):
        rs.advise(values("a"))
