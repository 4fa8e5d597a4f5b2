"""Fields and files that trec_eval takes in its own way; the drop-in takes them so too, and says so."""

import pytest

VERSIONS = pytest.mark.parametrize("version", [9, 10])
QRELS = "q1 0 a 1 / q1 0 b 0"


@VERSIONS
def test_grades_are_cut_to_whole_numbers_with_a_warning(version, written, trec_eval):
    qrels = written("qrels", "q1 0 a 1.7 / q1 0 b 0.9 / q1 0 c -0.5 / q1 0 d 2x / q1 0 e many")
    run = written("run", " / ".join(f"q1 Q0 {document} 1 {score} t" for score, document in enumerate("edcba")))
    found = trec_eval("--compat", version, "-q", "-n", "-m", "relstring", "-m", "num_rel", qrels, run)
    assert found.values() == {("relstring", "q1"): "'10020'", ("num_rel", "q1"): "2"}
    assert "grade 1.7 is read as 1" in found.err
    assert "5 such fields" in found.err


@VERSIONS
def test_scores_that_are_no_numbers_are_0_with_a_warning(version, written, trec_eval):
    qrels = written("qrels", QRELS)
    for score, place in (("ten", "0.5000"), ("2x", "1.0000"), ("-1", "0.5000"), ("1e3", "1.0000"), ("inf", "1.0000")):
        run = written("run", f"q1 Q0 a 1 {score} t / q1 Q0 b 1 0.5 t")
        found = trec_eval("--compat", version, "-m", "recip_rank", qrels, run)
        assert found.values() == {("recip_rank", "all"): place}, score
        assert ("is read as" in found.err) == (score in {"ten", "2x"})


@VERSIONS
def test_nan_is_a_score(version, written, trec_eval):
    run = written("run", "q1 Q0 a 1 nan t / q1 Q0 b 1 nan t")
    found = trec_eval("--compat", version, "-m", "recip_rank", written("qrels", QRELS), run)
    assert (found.code, found.values()) == (0, {("recip_rank", "all"): "0.5000"})
    assert "nan" in found.err


def test_scores_tie_in_single_precision_in_9_and_not_in_10(written, trec_eval):
    """MEASURED: recip_rank is 0.5 in 9, where both scores are equal and b stands before a, and 1 in 10."""
    files = written("qrels", QRELS), written("run", "q1 Q0 a 1 1000000.01 t / q1 Q0 b 2 1000000.00 t")
    assert trec_eval("-m", "recip_rank", *files).values() == {("recip_rank", "all"): "0.5000"}
    assert trec_eval("--compat", 10, "-m", "recip_rank", *files).values() == {("recip_rank", "all"): "1.0000"}


@VERSIONS
def test_ties_go_to_the_greater_document_by_bytes(version, written, trec_eval):
    run = written("run", "q1 Q0 d10 1 1 t / q1 Q0 d9 2 1 t / q1 Q0 é 3 1 t")
    qrels = written("qrels", "q1 0 d10 1 / q1 0 d9 2 / q1 0 é 3")
    assert trec_eval("--compat", version, "-q", "-n", "-m", "relstring", qrels, run).out.endswith("'321'\n")


@VERSIONS
def test_lines_of_a_run_may_be_blank_or_longer(version, written, trec_eval):
    run = written("run", "/ q1 Q0 a 1 2 tag and more / / q1 Q0 b 2 1 last of it")
    found = trec_eval("--compat", version, "-m", "runid", "-m", "num_ret", written("qrels", QRELS), run)
    assert found.values() == {("runid", "all"): "last", ("num_ret", "all"): "2"}


def test_comments_are_for_10(written, trec_eval):
    qrels, run = written("qrels", f"# judged / {QRELS}"), written("run", "# made / q1 Q0 a 1 2 t")
    assert trec_eval("--compat", 10, "-m", "map", qrels, run).values() == {("map", "all"): "1.0000"}
    assert trec_eval("-m", "map", qrels, run).code == 2


@VERSIONS
def test_topics_without_judgments_are_left_out_in_silence(version, written, trec_eval):
    run = written("run", "q1 Q0 a 1 2 t / q0 Q0 a 1 2 t / q9 Q0 a 1 2 t")
    found = trec_eval("--compat", version, "-m", "num_q", written("qrels", QRELS), run)
    assert (found.values(), found.err) == ({("num_q", "all"): "1"}, "")


@VERSIONS
def test_a_topic_without_relevant_documents_counts_as_0(version, written, trec_eval):
    qrels, run = written("qrels", f"{QRELS} / q2 0 a 0"), written("run", "q1 Q0 a 1 2 t / q2 Q0 a 1 2 t")
    found = trec_eval("--compat", version, "-m", "num_q", "-m", "map", "-m", "yaap", qrels, run).values()
    assert found == {("num_q", "all"): "2", ("map", "all"): "0.5000", ("yaap", "all"): "0.3466"}  # log(2)/2


@VERSIONS
def test_topics_come_in_the_order_of_bytes(version, written, trec_eval):
    topics = ["10", "9", "a", "B", "é"]
    qrels = written("qrels", " / ".join(f"{topic} 0 d 1" for topic in topics))
    run = written("run", " / ".join(f"{topic} Q0 d 1 1 t" for topic in topics))
    found = trec_eval("--compat", version, "-q", "-n", "-m", "map", qrels, run).values()
    assert [topic for _, topic in found] == ["10", "9", "B", "a", "é"]
