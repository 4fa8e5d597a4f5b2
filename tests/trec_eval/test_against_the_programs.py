"""What 1,500 fuzzed sets of options showed beside the real programs: values worked out by hand from the rules given."""

from math import log2

import pytest

VERSIONS = pytest.mark.parametrize("version", ["9", "9.0.8", "10"])
QRELS = "q1 0 a 1 / q1 0 b 2 / q1 0 c 0 / q1 0 d 1"
RUN = "q1 Q0 b 1 9 t / q1 Q0 x 2 8 t / q1 Q0 a 3 7 t / q1 Q0 c 4 6 t / q1 Q0 y 5 5 t"


@pytest.fixture
def value(written, trec_eval):
    """The value that one measure has of all topics."""

    def of(*options: object, qrels: str = QRELS, run: str = RUN) -> str:
        found = trec_eval(*options, written("qrels", qrels), written("run", run))
        assert found.code == 0, found.err
        return str(found.out.split("\t")[2].removesuffix("\n"))

    return of


@VERSIONS
@pytest.mark.parametrize(
    ("score", "place"),
    [("0x10", 1), ("0x.8", 3), ("0X1p3", 2), ("0x0p9", 3), ("-0x10", 3), ("0x", 3), ("0x1.8p2x", 2)],
)
def test_hexadecimal_scores_are_read_as_c_reads_them(version, score, place, value):
    """16, 0.5, 8, 0, -16, 0 and 6 beside 9 and 5."""
    run = f"q1 Q0 a 1 {score} t / q1 Q0 x 2 9 t / q1 Q0 y 3 5 t"
    assert value("--compat", version, "-m", "recip_rank", run=run, qrels="q1 0 a 1") == f"{1 / place:.4f}"


@pytest.mark.parametrize(("version", "place"), [("9", 2), ("9.0.8", 1), ("10", 1)])
def test_9_compares_scores_in_single_precision_and_9_0_8_does_not(version, place, value):
    """Equal in 32 bits, so that names decide: z before a."""
    run = "q1 Q0 a 1 0.9752302810058762 t / q1 Q0 z 2 0.9752302810058760 t"
    assert value("--compat", version, "-m", "recip_rank", run=run, qrels="q1 0 a 1") == f"{1 / place:.4f}"


@pytest.mark.parametrize(
    ("version", "name"), [("9", "9.0.7 (tag v9.0.8)"), ("9.0.8", "9.0.8 (tag trec_eval-9.0.8)"), ("10", "10.0")]
)
def test_each_version_names_its_tag(version, name, trec_eval):
    assert name in trec_eval("--compat", version, "-v").err


@VERSIONS
def test_rndcg_of_a_topic_of_zeros_is_0_over_0_at_level_0(version, written, trec_eval):
    """m_Rndcg.c: with -l 0 there are relevant documents, none has a gain, and the mean of no point is 0/0.

    The ranking of q2 has its document of gain 1 at rank 2: ndcg is 0 where the ideal gain falls, after rank 1.
    """
    qrels = written("qrels", "q1 0 a 0 / q1 0 b 0 / q2 0 a 1 / q2 0 b 0")
    run = written("run", "q1 Q0 a 1 3 t / q1 Q0 b 2 2 t / q2 Q0 b 1 2 t / q2 Q0 a 2 1 t")
    name = "Rndcg                 "
    at_0 = trec_eval("--compat", version, "-q", "-l", "0", "-m", "Rndcg", qrels, run)
    assert at_0.out == f"{name}\tq1\t  -nan\n{name}\tq2\t0.0000\n{name}\tall\t  -nan\n"
    at_1 = trec_eval("--compat", version, "-q", "-m", "Rndcg", qrels, run)
    assert at_1.out == f"{name}\tq1\t0.0000\n{name}\tq2\t0.0000\n{name}\tall\t0.0000\n"


@VERSIONS
@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ("0.5,1", [1, 0]),  # R = 4: 2 documents by rank 2, and 4, which are not there
        ("1,0.5", [1, 1]),  # 1 is not met on the way up, and takes what is best at its end
        ("0.5,0.5", [1, 1]),
        ("1", [0]),
        ("0.75,0.5,0.75", [3 / 4, 1, 1]),  # the last 3 of 4 first, at rank 4; the first then waits
        ("2,0", [1, 1]),
        ("0.25,0.75", [1, 3 / 4]),
    ],
)
def test_levels_of_recall_are_looked_for_in_the_order_given(version, levels, expected, value):
    qrels = "q1 0 a 1 / q1 0 b 1 / q1 0 c 1 / q1 0 d 1"
    run = "q1 Q0 a 1 9 t / q1 Q0 b 2 8 t / q1 Q0 x 3 7 t / q1 Q0 c 4 6 t"
    given = value("--compat", version, "-m", f"11pt_avg.{levels}", qrels=qrels, run=run)
    assert given == f"{sum(expected) / len(expected):.4f}"


@VERSIONS
def test_gains_out_of_order_count_in_ndcg_rel_and_rndcg(version, value):
    """2=0.5 stands first, then 0 and 1, which are not put before it: the ideal is 1, 1, and ends at the 0."""
    dcg = [0.5, 0.5, 0.5 + 1 / 2]  # at ranks 1 to 3
    ideal = [1, 1 + 1 / log2(3)]
    by_document = dcg[0] / ideal[0] + dcg[2] / ideal[1]  # two with a gain are retrieved, of two in the ideal
    assert value("--compat", version, "-m", "ndcg_rel.2=0.5") == f"{by_document / 2:.4f}"
    at_points = dcg[1] / ideal[1] + dcg[2] / ideal[1]  # where the ideal gain falls, and at the end
    assert value("--compat", version, "-m", "Rndcg.2=0.5") == f"{at_points / 2:.4f}"


@VERSIONS
def test_no_gain_at_all_is_0_by_0_in_rndcg_and_0_in_ndcg_rel(version, value):
    assert value("--compat", version, "-m", "Rndcg.1=0,2=0") == "  -nan"
    assert value("--compat", version, "-m", "ndcg_rel.1=0,2=0") == "0.0000"


@VERSIONS
def test_z_scores_of_0_by_0_are_minus_nan(version, written, trec_eval):
    zscores = written("zscores", "q1 iprec_at_recall_0.00 0.5 0.25 / q1 map nan 1")
    files = written("qrels", "q1 0 a 1"), written("run", "q1 Q0 x 1 2 t")
    options = ["--compat", version, "-J", "-q", "-Z", zscores, "-m", "iprec_at_recall.0", "-m", "map"]
    found = trec_eval(*options, *files)
    assert [line.split("\t")[2] for line in found.out.splitlines()] == ["   nan", "  -nan", "   nan", "  -nan"]


@VERSIONS
@pytest.mark.parametrize("options", [["-m", "map_avgjg"], ["-m", "utility.1"], ["-m", "map"]])
def test_without_a_common_topic_nothing_is_computed_that_could_fail(version, options, written, trec_eval):
    files = written("qrels", "q1 0 a 1"), written("run", "q2 Q0 a 1 1 t")
    expected = 4 if version == "10" else 7  # 10 ends at the topic that the run lacks
    assert trec_eval("--compat", version, *options, *files).code == expected


@VERSIONS
def test_all_measures_are_prepared_before_any_is_computed(version, written, trec_eval):
    files = written("qrels", "q1 0 a 1"), written("run", "q1 Q0 a 1 1 t")
    assert trec_eval("--compat", version, "-m", "utility.1", *files).code == 4
    assert trec_eval("--compat", version, "-m", "utility.1", "-m", "P.0", *files).code == 2
    assert trec_eval("--compat", version, "-m", "P.0", "-m", "success.0", *files).code == 2


@VERSIONS
def test_a_first_topic_without_a_grade_from_0_on_ends_it(version, written, trec_eval):
    qrels, run = "q1 0 a -1 / q2 0 a 1", "q1 Q0 a 1 1 t / q2 Q0 a 1 1 t"
    options = ["--compat", version, "-m"]
    first = trec_eval(*options, "map", written("qrels", qrels), written("run", run))
    assert (first.code, first.out) == (4, "")
    assert trec_eval(*options, "num_q", written("qrels", qrels), written("run", run)).code == 0
    second = trec_eval(*options, "map", written("qrels", "q1 0 a 1 / q2 0 a -1"), written("run", run))
    assert second.code == 0
