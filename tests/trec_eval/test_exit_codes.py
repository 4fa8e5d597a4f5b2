"""How the drop-in ends: trec_eval's exit codes, with a word on standard error."""

import pytest

QRELS = "q1 0 a 1 / q1 0 b 0 / q2 0 a 1 / q3 0 c 1"
RUN = "q1 Q0 a 1 2 t / q1 Q0 b 2 1 t / q2 Q0 b 1 2 t / q2 Q0 a 2 1 t"
VERSIONS = pytest.mark.parametrize("version", [9, 10])


@pytest.fixture
def files(written):
    return written("qrels", QRELS), written("run", RUN)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-x"], "option -x not recognized"),
        (["--nothing"], "option --nothing not recognized"),
        (["--R", "qrels"], "option --R not a unique prefix"),
        (["--help=yes"], "option --help must not have an argument"),
        (["--compat", "8"], "--compat: expected 9, 9.0.8 or 10, got '8'"),
        (["-m", "nDGC"], "illegal measure 'nDGC'"),
        (["-m", "P_10"], "illegal measure 'P_10'"),
        (["-m", "all_qrels"], "illegal measure 'all_qrels'"),
        (["-m", "P."], "improper measure in parameter 'P'"),
        (["-m", "rbp"], "illegal measure 'rbp'; --compat 10 has it"),
        (["one file too many"], "Usage: rankscale trec_eval"),
    ],
)
def test_1_for_usage(options, said, files, trec_eval):
    found = trec_eval(*options, *files)
    assert (found.code, found.out) == (1, "")
    assert said in found.err


def test_1_without_files(trec_eval):
    assert trec_eval().code == 1
    assert trec_eval("qrels").code == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-m", "P.5,5"], "Cannot initialize measure 'P'"),
        (["-m", "P.0"], "Cannot initialize measure 'P'"),
        (["-m", "success.-1"], "Cannot initialize measure 'success'"),
        (["-m", "ndcg.1"], "malformed pair parameters in '1'"),
        (["-m", "ndcg.1=2=3"], "malformed pair parameters"),
        (["-m", "ndcg.1=2,,2=3"], "malformed pair parameters"),
        (["-R", "xml"], "Illegal rel_format 'xml'"),
        (["-T", "xml"], "Illegal retrieval results format 'xml'"),
    ],
)
def test_2_for_what_cannot_be_used(options, said, files, trec_eval):
    found = trec_eval(*options, *files)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


@VERSIONS
@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("q1 0 a", RUN),
        ("q1 0 a 1 2", RUN),
        ("q1 0 a 1 / / q2 0 a 1", RUN),
        (QRELS, "q1 Q0 a 1 2"),
        (QRELS, "q1 Q0 a 1 2 t / q2 Q0 a"),
    ],
    ids=["3 columns in qrels", "5 columns in qrels", "a blank line in qrels", "5 columns", "3 columns below"],
)
def test_2_for_malformed_lines(version, qrels, run, written, trec_eval):
    found = trec_eval("--compat", version, "-c", written("qrels", qrels), written("run", run))
    assert (found.code, found.out) == (2, "")
    assert "line" in found.err
    assert "Quit in file" in found.err


@VERSIONS
def test_2_for_files_that_are_not_there_or_empty(version, files, tmp_path, trec_eval):
    qrels, run = files
    empty = tmp_path / "empty"
    empty.touch()
    for pair in [(qrels, "nowhere"), ("nowhere", run), (qrels, empty), (empty, run), (qrels, tmp_path), ("-", run)]:
        found = trec_eval("--compat", version, "-c", *pair)
        assert (found.code, found.out) == (2, ""), pair
        assert found.err, pair


def test_255_for_the_file_of_z(files, written, trec_eval):
    assert trec_eval("-Z", "nowhere", *files).code == 255
    assert trec_eval("-Z", written("z", "q1 map 0.5"), *files).code == 255


@VERSIONS
@pytest.mark.parametrize(
    ("qrels", "run"),
    [(QRELS, f"{RUN} / q1 Q0 a 3 0.5 t"), (f"{QRELS} / q1 0 b 1", RUN)],
    ids=["in the run", "in the qrels"],
)
def test_4_for_a_document_twice(version, qrels, run, written, trec_eval):
    found = trec_eval("--compat", version, "-c", written("qrels", qrels), written("run", run))
    assert (found.code, found.out) == (4, "")


MAP = {"q1": "map                   \tq1\t1.0000\n", "q2": "map                   \tq2\t0.5000\n"}


@VERSIONS
@pytest.mark.parametrize(
    ("qrels", "run", "printed"),
    [
        (QRELS, f"{RUN} / q1 Q0 a 3 0.5 t", []),
        (QRELS, f"{RUN} / q2 Q0 a 3 0.5 t", ["q1"]),
        (QRELS, f"q3 Q0 x 1 1 t / q3 Q0 x 2 1 t / {RUN}", ["q1", "q2"]),
        (QRELS, f"q3 Q0 x 1 1 t / q3 Q0 x 2 1 t / q2 Q0 a 3 0.5 t / {RUN}", ["q1"]),
        (f"{QRELS} / q1 0 b 1", RUN, []),
        (f"q2 0 a 0 / {QRELS}", RUN, ["q1"]),
        (f"q3 0 c 0 / {QRELS}", f"{RUN} / q3 Q0 c 1 1 t", ["q1", "q2"]),
    ],
)
def test_4_after_the_lines_of_topics_above(version, qrels, run, printed, written, trec_eval):
    """trec_eval computes topic by topic, prints each with -q, and stops where a document stands twice: no summary."""
    options = ["--compat", version, "-c", "-q", "-m", "map", written("qrels", qrels), written("run", run)]
    found = trec_eval(*options)
    assert (found.code, found.out) == (4, "".join(MAP[topic] for topic in printed))
    assert "twice" in found.err or "a second time" in found.err


def test_duplicates_of_topics_that_are_not_computed_are_not_met(written, trec_eval):
    qrels, run = written("qrels", QRELS), written("run", f"{RUN} / q9 Q0 x 1 1 t / q9 Q0 x 2 1 t / q2 Q0 a 3 0.5 t")
    assert trec_eval("-m", "map", qrels, written("other", f"{RUN} / q9 Q0 x 1 1 t / q9 Q0 x 2 1 t")).code == 0
    assert trec_eval("-m", "map", qrels, run).code == 4
    found = trec_eval("-m", "runid", qrels, run)  # which looks at no judgment
    assert (found.code, found.values()) == (0, {("runid", "all"): "t"})


def test_a_malformed_line_below_a_duplicate_is_met_first(written, trec_eval):
    for qrels, run in ((QRELS, f"{RUN} / q1 Q0 a 3 0.5 t / q1"), (f"{QRELS} / q1 0 b 1 / q1", RUN)):
        found = trec_eval("-q", written("qrels", qrels), written("run", run))
        assert (found.code, found.out) == (2, "")


def test_m_cuts_before_duplicates_are_looked_for(files, written, trec_eval):
    run = written("twice", "q1 Q0 a 1 2 t / q1 Q0 b 2 1 t / q1 Q0 a 3 0.5 t")
    assert trec_eval(files[0], run).code == 4
    assert trec_eval("-M2", "-m", "num_ret", files[0], run).values() == {("num_ret", "all"): "2"}
    tied = written("tied", "q1 Q0 x 1 0 t / q1 Q0 y 2 0 t / q1 Q0 y 3 0 t")  # none judged: later names come first
    assert trec_eval("-M2", files[0], tied).code == 4
    assert trec_eval("-M1", "-m", "num_ret", files[0], tied).values() == {("num_ret", "all"): "1"}
    back = written("back", "q1 Q0 a 1 0 t / q1 Q0 a 2 1 t / q9 Q0 c 1 1 t / q1 Q0 b 3 2 t")  # the topic comes back
    assert trec_eval("-M2", "-m", "num_ret", files[0], back).values() == {("num_ret", "all"): "2"}
    assert trec_eval("-M3", files[0], back).code == 4


def test_parameters_are_checked_before_duplicates(files, written, trec_eval):
    assert trec_eval("-m", "P.0", files[0], written("twice", f"{RUN} / {RUN}")).code == 2


def test_4_for_measures_that_need_other_files(files, trec_eval):
    found = trec_eval("-m", "prefs_simp", *files)
    assert (found.code, found.out) == (4, "")
    assert "Can't calculate measure 'prefs_simp'" in found.err
    assert trec_eval("-m", "utility.1,2", *files).code == 4


def test_4_in_version_10_for_a_missing_topic(files, trec_eval):
    """It stops there: topics above it were printed, and there is no summary."""
    found = trec_eval("--compat", 10, "-q", "-m", "recip_rank", *files)
    assert found.code == 4
    assert found.out == "recip_rank            \tq1\t1.0000\nrecip_rank            \tq2\t0.5000\n"
    assert "result qid 'q3' not found in qrels" in found.err
    assert trec_eval("--compat", 10, "-q", "-c", *files).code == 0
    assert trec_eval("-q", *files).code == 0


def test_7_without_a_common_topic(files, written, trec_eval):
    qrels, run = files[0], written("other", "q9 Q0 a 1 2 t")
    for options, code in ((["-c"], 7), ([], 7), (["--compat", 10], 4), (["--compat", 10, "-c"], 0)):
        assert trec_eval(*options, qrels, run).code == code, options
    assert trec_eval("--compat", 10, "-c", "-D", "0.q9", qrels, run).code == 7


def test_0_for_help_and_version(trec_eval):
    found = trec_eval("-h")
    assert (found.code, found.err) == (0, "")
    assert "--compat 9|9.0.8|10" in found.out
    assert trec_eval("--vers") == type(found)(0, "", "trec_eval version 9.0.7 (tag v9.0.8), as computed by rankscale\n")
    assert "10.0" in trec_eval("--compat=10", "-v").err
