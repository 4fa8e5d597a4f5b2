"""The options, as getopt_long takes them."""

import subprocess
import sys

import pytest

from rankscale.trec_eval.options import Options, read_options

QRELS = "q1 0 a 2 / q1 0 b 0 / q1 0 c 1 / q1 0 d -1 / q2 0 a 1"
RUN = "q1 Q0 x 1 9 t / q1 Q0 b 2 8 t / q1 Q0 a 3 7 t / q1 Q0 d 4 6 t / q1 Q0 c 5 5 last"


@pytest.fixture
def files(written):
    return written("qrels", QRELS), written("run", RUN)


@pytest.mark.parametrize(
    "words",
    [
        "-q -c -l 2 -m P.5 -M 10 qrels run",
        "-qcl2 -mP.5 -M10 qrels run",
        "qrels -qc run -l2 -mP.5 -M10",
        "--query_eval_wanted --complete_rel_info_wanted --level_for_rel=2 --measure P.5 --Max_retrieved 10 qrels run",
        "--q --comp --lev 2 --m=P.5 --Max=10 -- qrels run",
        "--q --c --l 2 --m P.5 --M 10 --compat 9 qrels run",
    ],
)
def test_spellings_of_the_same_options(words):
    expected = Options(per_topic=True, complete=True, level=2, depth=10, measures=("P.5",), files=("qrels", "run"))
    assert read_options(words.split()) == expected


def test_the_last_of_an_option_counts_and_measures_gather():
    found = read_options(["-l2", "-l3", "-m", "map", "-mP.5", "--compat", "10", "--compat=9", "a", "b"])
    assert (found.level, found.measures, found.compat) == (3, ("map", "P.5"), 9)


def test_numbers_are_read_as_c_reads_them():
    found = read_options(["-l2x", "-Mten", "-N1e3", "a", "b"])
    assert (found.level, found.depth, found.collection) == (2, 0, 1)


def test_official_is_the_default_and_order_is_fixed(files, trec_eval):
    assert trec_eval(*files).out == trec_eval("-m", "official", *files).out
    assert list(trec_eval("-m", "set_P", "-m", "map", "-m", "num_q", *files).values()) == [
        ("num_q", "all"),
        ("map", "all"),
        ("set_P", "all"),
    ]


def test_the_first_parameters_of_a_measure_count(files, trec_eval):
    """MEASURED: -m P.10 -m P.5 prints P_10 alone."""
    assert list(trec_eval("-m", "P.10", "-m", "P.5", *files).values()) == [("P_10", "all")]
    assert list(trec_eval("-m", "P", "-m", "P.5", *files).values()) == [("P_5", "all")]
    assert list(trec_eval("-m", "map.7", "-m", "official.3", "-n", *files).values()) == []


def test_runid_is_the_tag_of_the_last_line(files, trec_eval):
    assert trec_eval("-m", "runid", *files).out == "runid                 \tall\tlast\n"


def test_what_is_printed_for_topics_and_for_all(files, trec_eval):
    asked = ["-m", "runid", "-m", "num_q", "-m", "map", "-m", "gm_map", "-m", "relstring"]
    assert list(trec_eval("-q", "-n", *asked, *files).values()) == [("map", "q1"), ("relstring", "q1")]
    assert [name for name, _ in trec_eval(*asked, *files).values()] == ["runid", "num_q", "map", "gm_map"]
    assert trec_eval("-n", *asked, *files).out == ""


def test_level(files, trec_eval):
    names = ["-m", "map", "-m", "num_rel", "-m", "num_rel_ret", "-m", "ndcg"]
    one, two = (trec_eval(f"-l{level}", *names, *files).values() for level in (1, 2))
    assert (one["num_rel", "all"], two["num_rel", "all"]) == ("2", "1")
    assert (one["map", "all"], two["map", "all"]) == ("0.3667", "0.3333")
    assert one["ndcg", "all"] == two["ndcg", "all"]


def test_judged_only_takes_unjudged_and_pooled_documents_out_after_m(files, trec_eval):
    names = ["-q", "-n", "-m", "relstring", "-m", "num_ret", "-m", "recip_rank"]
    assert trec_eval(*names, *files).values()["relstring", "q1"] == "'-02.1'"
    found = trec_eval("-J", *names, *files).values()
    assert (found["relstring", "q1"], found["num_ret", "q1"], found["recip_rank", "q1"]) == ("'021'", "3", "0.5000")
    assert trec_eval("-J", "-M3", *names, *files).values()["relstring", "q1"] == "'02'"


def test_m_below_1_leaves_nothing(files, trec_eval):
    for depth in ("-M0", "-Mnothing"):
        found = trec_eval(depth, "-m", "num_ret", "-m", "map", *files).values()
        assert found == {("num_ret", "all"): "0", ("map", "all"): "0.0000"}


def test_collection_size_is_for_utility(files, trec_eval):
    """5 retrieved, 2 relevant, both found: 100 + 2 - 5 - 2 are neither."""
    found = trec_eval("-N100", "-m", "utility.0,0,0,1", *files).values()
    assert found == {("utility_0,0,0,1", "all"): "95.0000"}
    found = trec_eval("-m", "utility.0,0,0,1", *files).values()
    assert found == {("utility_0,0,0,1", "all"): "-5.0000"}


def test_complete_in_9_adds_no_lines_and_counts_zeros(files, trec_eval):
    names = ["-m", "num_q", "-m", "map", "-m", "gm_map", "-m", "num_rel"]
    found = trec_eval("-q", "-c", *names, *files).values()
    assert {topic for _, topic in found} == {"q1", "all"}
    assert (found["num_q", "all"], found["num_rel", "all"], found["map", "all"]) == ("2", "3", "0.1833")
    assert found["gm_map", "all"] == "0.0019"  # sqrt(0.3667 * 0.00001)


def test_complete_in_10_adds_lines_of_zeros(files, trec_eval):
    names = ["-m", "num_ret", "-m", "num_rel", "-m", "map", "-m", "gm_map", "-m", "unj.1"]
    found = trec_eval("--compat", 10, "-q", "-c", *names, *files).values()
    assert [found[name, "q2"] for name in ("num_ret", "num_rel", "map", "unj_1")] == ["0", "1", "0.0000", "0.0000"]
    assert [found[name, "all"] for name in ("num_ret", "map", "gm_map")] == ["5", "0.1833", "0.0019"]


@pytest.mark.parametrize("version", [9, 10])
def test_complete_counts_num_rel_without_regard_to_the_level(version, files, trec_eval):
    """MEASURED: the summary of num_rel under -c counts grades from 1, whatever -l says."""
    found = trec_eval("--compat", version, "-c", "-l2", "-m", "num_rel", *files).values()
    assert found == {("num_rel", "all"): "3"}


def test_debug_evaluates_one_topic(written, trec_eval):
    qrels, run = written("qrels", QRELS), written("run", f"{RUN} / q2 Q0 a 1 1 t")
    found = trec_eval("-q", "-D", "0.q2", "-m", "map", "-m", "num_q", qrels, run).values()
    assert found == {("map", "q2"): "1.0000", ("num_q", "all"): "1", ("map", "all"): "1.0000"}


def test_10_reads_the_run_from_standard_input(files, trec_eval):
    qrels, run = files
    found = trec_eval("-m", "map", qrels, "-")
    assert found.code == 2
    assert "--compat 10" in found.err
    words = ["--compat", "10", "-c", "-m", "num_ret", str(qrels), "-"]
    program = "import sys; from rankscale.trec_eval import main; sys.exit(main(sys.argv[1:]))"
    with run.open("rb") as file:
        done = subprocess.run([sys.executable, "-c", program, *words], stdin=file, capture_output=True, check=True)
    assert done.stdout == b"num_ret               \tall\t5\n"


def test_zscores(files, written, trec_eval):
    means = written("z", "q1 map 0.1 0.1 / q1 num_ret 5 0 / q1 P_5 0 0 / q9 recall_5 1 1")
    found = trec_eval("-q", "-Z", means, "-mmap", "-mnum_ret", "-mnum_q", "-mP.5", "-mrunid", "-mrelstring", *files)
    assert found.out.splitlines() == [
        "Znum_ret               \tq1\t0.0000",
        "Zmap                   \tq1\t2.6667",
        "ZP_5                   \tq1\t-1000000.0000",
        "relstring             \tq1\t'-02.1'",
        "runid                 \tall\tlast",
        "Znum_q                 \tall\t1.0000",
        "Znum_ret               \tall\t0.0000",
        "Zmap                   \tall\t2.6667",
        "ZP_5                   \tall\t-1000000.0000",
    ]
