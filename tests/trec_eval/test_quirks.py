"""Values that only trec_eval has so, defects among them: reproduced, so that the bytes agree."""

import numpy as np
import pytest

from rankscale.data.judged import judged
from rankscale.measures.iprec import IPrec
from rankscale.trec_eval.quirks import nan_if_empty, rbp, rbp_residual, relstring, unjudged_share

VERSIONS = pytest.mark.parametrize("version", [9, 10])
QRELS = "q1 0 a 1 / q1 0 b 0"


@VERSIONS
def test_gains_closer_than_1_are_not_put_in_order(version, written, trec_eval):
    """MEASURED: ndcg.1=0.2,2=0.5,3=0.9 prints 0.0000, gains ten times as high do not."""
    qrels = written("qrels", "q1 0 a 1 / q1 0 b 2 / q1 0 c 3 / q1 0 d 0")
    run = written("run", "q1 Q0 b 1 3 t / q1 Q0 a 2 2 t / q1 Q0 c 3 1 t")
    names = ["-m", "ndcg.1=0.2,2=0.5,3=0.9", "-m", "G.1=0.2,2=0.5,3=0.9"]
    assert set(trec_eval("--compat", version, *names, qrels, run).values().values()) == {"0.0000"}
    found = trec_eval("--compat", version, "-m", "ndcg.1=2,2=5,3=9", qrels, run)
    assert found.values() == {("ndcg_1=2,2=5,3=9", "all"): "0.8181"}  # (5 + 2/log2(3) + 9/2) / (9 + 5/log2(3) + 1)


def test_dcg_and_its_ideal_are_in_10(written, trec_eval):
    qrels, run = (
        written("qrels", "q1 0 a 1 / q1 0 b 3"),
        written("run", "q1 Q0 a 1 3 t / q1 Q0 x 2 2 t / q1 Q0 b 3 1 t"),
    )
    found = trec_eval("--compat", 10, "-m", "dcg", "-m", "ideal_dcg", "-m", "dcg.3=1", qrels, run)
    assert found.values() == {("dcg_3=1", "all"): "1.5000", ("ideal_dcg", "all"): "3.6309"}


def test_empty_rankings_are_minus_nan(written, trec_eval):
    """0/0 in trec_eval: -J leaves nothing, and recall 0 asks for nothing."""
    files = written("qrels", QRELS), written("run", "q1 Q0 x 1 2 t")
    found = trec_eval("-J", "-m", "iprec_at_recall.0,1", "-m", "11pt_avg", "-m", "set_P", *files)
    assert found.values() == {
        ("iprec_at_recall_0.00", "all"): "  -nan",
        ("iprec_at_recall_1.00", "all"): "0.0000",
        ("11pt_avg", "all"): "  -nan",
        ("set_P", "all"): "0.0000",
    }


@pytest.mark.parametrize(("version", "expected"), [(9, [False, True, False]), (10, [False, True, True])])
def test_only_levels_that_ask_for_no_document_are_nan(version, expected):
    """A fifth of two documents is one in 9, and none in 10."""
    empty = judged("", missed="1 1")
    found = [nan_if_empty(IPrec(recall, version=version), (recall,), empty) for recall in (1.0, 0.0, 0.2)]
    assert np.isnan(found)[:, 0].tolist() == expected


def test_marks_of_a_relevance_string():
    assert relstring(judged("0 9 10 - -1 -2 1"), 6).tolist() == ["09>-.."]
    assert relstring(judged("0 1"), 0).tolist() == [""]


def test_rbp_of_10_divides_by_the_topics_own_highest_grade():
    assert rbp(judged("1 0", missed="0"), 0.5, {}).tolist() == [0.5]
    assert rbp(judged("1 0", missed="2"), 0.5, {}).tolist() == [0.25]
    assert rbp(judged("1 2"), 0.5, {1: 1.0, 2: 0.5}).tolist() == [0.625]
    assert rbp(judged("1 0"), 0.5, {0: -1.0}).tolist() == [0.5]
    assert rbp(judged("- -1 1"), 0.5, {}).tolist() == [0.125]


def test_the_residual_of_10_forgets_the_tail_where_all_is_judged():
    """MEASURED: 0 for a list of two judged documents at p=0.9, where Moffat and Zobel have 0.81."""
    assert rbp_residual(judged("1 0"), 0.9).tolist() == [0.0]
    assert rbp_residual(judged("1 -"), 0.9).round(10).tolist() == [0.9]  # 0.81 + 0.1 * 0.9
    assert rbp_residual(judged(""), 0.9).tolist() == [0.0]


def test_unjudged_share_is_of_the_depth():
    assert unjudged_share(judged("1 - -1"), 2).tolist() == [0.5]
    assert unjudged_share(judged("1 - -1"), 10).tolist() == [0.2]


def test_a_missing_topic_of_10_shows_through_names_with_parameters(written, trec_eval):
    files = written("qrels", f"{QRELS} / q2 0 a 1"), written("run", "q1 Q0 a 1 2 t")
    names = ["utility", "relstring", "rbp_resid", "unj.5"]
    plain = trec_eval("--compat", 10, "-q", "-n", "-c", *(f"-m{name}" for name in names), *files).values()
    assert [value for (_, topic), value in plain.items() if topic == "q2"] == ["''", "0.0000", "0.0000", "0.0000"]
    names = ["utility.1,-1,0,0", "relstring.5", "rbp_resid.p=0.8", "yaap"]
    odd = trec_eval("--compat", 10, "-q", "-n", "-c", *(f"-m{name}" for name in names), *files).values()
    assert [value for (_, topic), value in odd.items() if topic == "q2"] == ["'-'", "-1.0000", "-0.6931", "1.0000"]
