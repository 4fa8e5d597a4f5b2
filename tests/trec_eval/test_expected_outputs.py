"""trec_eval's own test folder: each expected output of both versions, byte for byte.

The commands are those of its Makefile (target quicktest).
"""

import pytest

FOLDERS = {9: "test_v9.0.8", 10: "test_v10.0-rc3"}
PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
)
BOTH = {
    "out.test": ("", "qrels.test", "results.test"),
    "out.test.a": ("-m all_trec", "qrels.test", "results.test"),
    "out.test.aq": ("-m all_trec -q", "qrels.test", "results.test"),
    "out.test.aqc": ("-m all_trec -q -c", "qrels.test", "results.trunc"),
    "out.test.aqcM": ("-m all_trec -q -c -M100", "qrels.test", "results.trunc"),
    "out.test.aql": ("-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test"),
    "out.test.meas_params": (PARAMETERS, "qrels.test", "results.test"),
    "out.test.aqZ": ("-q -m all_trec -Z zscores_file", "qrels.test", "results.test"),
    "out.test.prefs": ("-m all_prefs -q -R prefs", "prefs.test", "prefs.results.test"),
    "out.test.qrels_prefs": ("-m all_prefs -q -R qrels_prefs", "qrels.test", "results.test"),
    "out.test.qrels_jg": ("-m qrels_jg -q -R qrels_jg", "qrels.123", "results.test"),
}
CASES = [(version, expected, *command) for version in FOLDERS for expected, command in BOTH.items()]
CASES += [
    (10, "out.test", "", "qrels.test.with-comments", "results.test"),
    (10, "out.comment.test", "", "qrels.comment.test", "results.comment.test"),
    (10, "out.test.prefs", "-m all_prefs -q -R prefs", "prefs.comment.test", "prefs.results.test"),
    (10, "out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg", "qrels.comments.123", "results.test"),
]


@pytest.mark.parametrize(("version", "expected", "options", "qrels", "run"), CASES)
def test_output_is_trec_evals(version, expected, options, qrels, run, shared_data, trec_eval):
    folder = shared_data / "trec_eval_test" / FOLDERS[version]
    words = [folder / word if word == "zscores_file" else word for word in options.split()]
    found = trec_eval("--compat", version, *words, folder / qrels, folder / run)
    assert (found.code, found.err) == (0, "")
    assert found.out == (folder / expected).read_text(encoding="utf-8")


@pytest.mark.parametrize("version", FOLDERS)
def test_the_run_may_be_missing_topics_only_in_9_or_with_c(version, shared_data, trec_eval):
    """Topic 302 is not in results.trunc."""
    folder = shared_data / "trec_eval_test" / FOLDERS[version]
    found = trec_eval("--compat", version, folder / "qrels.test", folder / "results.trunc")
    assert found.code == {9: 0, 10: 4}[version]
