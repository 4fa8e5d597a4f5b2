"""What the drop-in says of preferences and judgment groups that it cannot use, and of odd files."""

import pytest

PREFS = "q1 A s d1 2 / q1 A s d2 1 / q2 A s d1 1 / q2 A s d3 0"
RUN = "q1 Q0 d1 1 3 t / q1 Q0 d2 2 2 t / q2 Q0 d3 1 2 t / q2 Q0 d1 2 1 t"
TWICE = f"{RUN} / q1 Q0 d2 3 1 t"
VERSIONS = pytest.mark.parametrize("version", [9, 10])
RESULTS = "or results format not trec_results"
CANNOT = "trec_eval: Can't calculate measure"
COUNTS = "trec_eval.form_prefs_counts"


def without_list(text):
    """Lines of preferences as those of qrels."""
    return " / ".join(" ".join([*line.split()[:2], *line.split()[3:]]) for line in text.split(" / "))


SITUATIONS = {
    "unknown measure": (PREFS, RUN, "prefs", "no", 1, "trec_eval: illegal measure 'no'"),
    "unknown form": (PREFS, RUN, "pref", "prefs", 2, "trec_eval: Illegal rel_format 'pref'"),
    "empty": (
        *("", RUN, "prefs", "prefs", 2),
        "trec_eval.get_prefs: Cannot read prefs file 'rel'\ntrec_eval: Quit in file 'rel'",
    ),
    "empty qrels_prefs": (
        *("", RUN, "qrels_prefs", "prefs", 2),
        "trec_eval.get_prefs: Cannot read prefs file 'rel'\ntrec_eval: Quit in file 'rel'",
    ),
    "empty qrels_jg": (
        *("", RUN, "qrels_jg", "qrels_jg", 2),
        "trec_eval.get_qrels_jg: Cannot read qrels file 'rel'\ntrec_eval: Quit in file 'rel'",
    ),
    "a blank line": (
        *(f"{PREFS} /  / q1 A s d4 1", RUN, "prefs", "prefs", 2),
        "trec_eval.get_prefs: Malformed line 5\ntrec_eval: Quit in file 'rel'",
    ),
    "a field too many": (
        *(PREFS, RUN, "qrels_prefs", "prefs", 2),
        "trec_eval.get_qrels_prefs: Malformed line 1\ntrec_eval: Quit in file 'rel'",
    ),
    "a field too few": (
        *("q1 A d1 1 / q1 A d1", RUN, "qrels_jg", "qrels_jg", 2),
        "trec_eval.get_qrels_jg: Malformed line 2\ntrec_eval: Quit in file 'rel'",
    ),
    "judged twice": (
        *("q1 A d2 1 / q1 B d1 1 / q1 B d1 1", RUN, "qrels_jg", "qrels_jg", 2),
        "trec_eval.get_qrels: duplicate docs d1\ntrec_eval: Quit in file 'rel'",
    ),
    "wants qrels": (
        *(PREFS, RUN, "prefs", "all_trec", 4),
        f"trec_eval.form_res_qrels: rel_info format not qrels {RESULTS}\n{CANNOT} 'num_ret'",
    ),
    "official is the default": (
        *(without_list(PREFS), RUN, "qrels_jg", "official", 4),
        f"trec_eval.form_res_qrels: rel_info format not qrels {RESULTS}\n{CANNOT} 'num_ret'",
    ),
    "wants qrels_jg": (
        *(PREFS, RUN, "prefs", "qrels_jg", 4),
        f"trec_eval: rel_info format not qrels_jg {RESULTS}\n{CANNOT} 'map_avgjg'",
    ),
    "wants preferences": (
        *(without_list(PREFS), RUN, "qrels", "prefs_pair", 4),
        f"trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) {RESULTS}\n{CANNOT} 'prefs_pair'",
    ),
    "a document twice": (
        *(PREFS, TWICE, "prefs", "prefs_simp", 4),
        f"{COUNTS}: duplicate docs d2{CANNOT} 'prefs_simp'",
    ),
    "a document twice, by group": (
        *(without_list(PREFS), TWICE, "qrels_jg", "P_avgjg.1", 4),
        f"trec_eval.form_res_qrels: duplicate docs d2{CANNOT} 'P_avgjg'",
    ),
    "two levels": (
        *(f"{PREFS} / q1 A s d2 3", RUN, "prefs", "prefs", 4),
        f"{COUNTS}: Internal docid 1 occurs with different rel_level in same jsg\n{CANNOT} 'prefs_num_prefs_poss'",
    ),
    "0 and more": (
        *(f"{PREFS} / q1 A r d2 0", RUN, "prefs", "prefs_simp_ret", 4),
        f"{COUNTS}: doc 'd2' has both 0 and non-0 rel_level assigned\n{CANNOT} 'prefs_simp_ret'",
    ),
    "a cycle": (
        *(f"{PREFS} / q1 A r d2 2 / q1 A r d1 1", RUN, "prefs", "prefs", 134),
        f"{COUNTS}: Pref inconsistency found\n      internal rank 0 and internal rank 1 are conflicted",
    ),
}


@VERSIONS
@pytest.mark.parametrize("situation", SITUATIONS)
def test_errors(situation, version, written, trec_eval, monkeypatch, tmp_path):
    rel, run, form, measure, code, message = SITUATIONS[situation]
    written("rel", rel)
    written("run", run)
    if not rel:
        (tmp_path / "rel").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    found = trec_eval("--compat", version, "-R", form, "-m", measure, "rel", "run")
    assert (found.code, found.out, found.err) == (code, "", f"{message}\n")


@VERSIONS
def test_earlier_topics_stand_on_standard_output_unless_it_aborts(version, written, trec_eval):
    """Topic q2 is the one that cannot be had."""
    run = written("run", RUN)
    two_levels = written("levels", f"{PREFS} / q2 A s d3 3")
    found = trec_eval("--compat", version, "-R", "prefs", "-q", "-m", "prefs_simp", two_levels, run)
    assert (found.code, found.out) == (4, "prefs_simp            \tq1\t1.0000\n")
    cycle = written("cycle", f"{PREFS} / q2 A r d3 2 / q2 A r d1 1 / q2 A t d1 2 / q2 A t d3 1".replace("d3 0", "d3 1"))
    found = trec_eval("--compat", version, "-R", "prefs", "-q", "-m", "prefs_simp", cycle, run)
    assert (found.code, found.out) == (134, "")


def test_missing_topics(written, trec_eval):
    """9 leaves them out, 10 stops at the first, or under -c counts its preferences."""
    rel, run = written("rel", PREFS), written("run", RUN.split(" / q2", 1)[0])
    words = ("-R", "prefs", "-m", "prefs_num_prefs_poss", "-m", "prefs_simp", rel, run)
    nine, ten = (trec_eval("--compat", version, "-c", *words).values() for version in (9, 10))
    assert nine == {("prefs_num_prefs_poss", "all"): "1", ("prefs_simp", "all"): "0.5000"}
    assert ten == {("prefs_num_prefs_poss", "all"): "2", ("prefs_simp", "all"): "0.5000"}
    found = trec_eval("--compat", 10, *words)
    assert (found.code, found.out, found.err) == (4, "", "trec_eval: result qid 'q2' not found in qrels\n")
    other = written("other", "q9 Q0 d 1 1 t")
    assert trec_eval(*words[:-1], other).code == 7


@VERSIONS
def test_m_cuts_before_duplicates_are_looked_for(version, written, trec_eval):
    run = written("run", TWICE)
    for form, measure, rel in (("prefs", "prefs_simp", PREFS), ("qrels_jg", "map_avgjg", without_list(PREFS))):
        words = ("--compat", version, "-R", form, "-m", measure)
        assert trec_eval(*words, "-M2", written("rel", rel), run).code == 0
        assert trec_eval(*words, "-M3", written("rel", rel), run).code == 4


def test_ties_are_broken_upwards_for_preferences_and_downwards_for_groups(written, trec_eval):
    run = written("run", "q1 Q0 a 1 1 t / q1 Q0 b 2 1 t / q1 Q0 c 3 1 t")
    prefs, groups = written("prefs", "q1 A s a 2 / q1 A s b 1"), written("groups", "q1 A a 1 / q1 A b 0")
    assert trec_eval("-R", "prefs", "-m", "prefs_simp", prefs, run).values() == {("prefs_simp", "all"): "1.0000"}
    assert (
        trec_eval("-R", "prefs", "-M1", "-m", "prefs_simp_imp", prefs, run).values()["prefs_simp_imp", "all"]
        == "1.0000"
    )
    assert trec_eval("-R", "qrels_jg", "-m", "map_avgjg", groups, run).values() == {("map_avgjg", "all"): "0.3333"}


@pytest.mark.parametrize(
    ("first", "second", "by_nine", "by_ten"),
    [
        ("0.1000000001", "0.1", "0", "1"),  # one level as 32-bit floats
        ("1e-60", "0", "0", "1"),
        ("1e300", "1e299", "0", "1"),
        ("0x1p1", "1.9junk", "1", "1"),
        ("inf", "1e30", "1", "1"),
        ("1", "x", "1", "1"),
        (".5e0", "+0.25", "1", "1"),
    ],
)
def test_levels_are_read_as_c_reads_them(first, second, by_nine, by_ten, written, trec_eval):
    rel, run = written("rel", f"q1 A s d1 {first} / q1 A s d2 {second}"), written("run", "q1 Q0 d1 1 1 t")
    for version, count in ((9, by_nine), (10, by_ten)):
        found = trec_eval("--compat", version, "-R", "prefs", "-m", "prefs_num_prefs_poss", rel, run)
        assert found.values() == {("prefs_num_prefs_poss", "all"): count}


def test_grades_of_groups_are_cut_to_whole_numbers(written, trec_eval):
    run = written("run", "q1 Q0 a 1 4 t / q1 Q0 b 1 3 t / q1 Q0 c 1 2 t")
    rel = written("rel", "q1 A a 1.7 / q1 A b 1e1 / q1 A c x")
    for level, value in ((1, "0.6667"), (2, "0.0000")):
        found = trec_eval("-R", "qrels_jg", "-l", level, "-m", "P_avgjg.3", rel, run)
        assert found.values() == {("P_avgjg_3", "all"): value}


@VERSIONS
def test_packed_files_and_odd_line_ends(version, tmp_path, trec_eval):
    import gzip

    rel, run = tmp_path / "rel.gz", tmp_path / "run"
    rel.write_bytes(gzip.compress(b"q1 \tA\vs\fd1 2\r\nq1 A s d2 1"))
    run.write_text("q1 Q0 d1 1 1 t\n", encoding="utf-8")
    found = trec_eval("--compat", version, "-R", "prefs", "-m", "prefs_simp", rel, run)
    assert found.values() == {("prefs_simp", "all"): "1.0000"}


def test_comments_are_data_in_9_and_skipped_in_10(written, trec_eval):
    rel, run = written("rel", "# a comment / q1 A s d1 2 / q1 A s d2 1 / q1"), written("run", "q1 Q0 d1 1 1 t")
    assert "Malformed line 1\n" in trec_eval("-R", "prefs", "-m", "prefs", rel, run).err
    assert "Malformed line 3\n" in trec_eval("--compat", 10, "-R", "prefs", "-m", "prefs", rel, run).err


def test_the_run_may_come_from_standard_input_in_10(written, trec_eval, monkeypatch):
    import io
    import sys

    rel = written("rel", PREFS)
    for run, code in ((RUN, 0), (TWICE, 4)):
        text = "".join(f"{line}\n" for line in run.split(" / "))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert trec_eval("--compat", 10, "-R", "prefs", "-m", "prefs_simp", rel, "-").code == code
    assert trec_eval("-R", "prefs", "-m", "prefs_simp", rel, "-").code == 2


@VERSIONS
def test_runs_are_read_as_ever(version, written, tmp_path, trec_eval):
    rel = written("rel", PREFS)
    words = ("--compat", version, "-R", "prefs", "-m", "prefs_simp", rel)
    found = trec_eval(*words, written("run", "q1 Q0 d1 1 1"))
    assert (found.code, found.out) == (2, "")
    assert "line 1" in found.err
    assert trec_eval(*words, tmp_path / "nowhere").code == 2
    twice_then_malformed = written("both", f"{TWICE} / q1 Q0")
    assert trec_eval(*words, twice_then_malformed).code == 2


def test_too_many_documents_for_a_table_of_pairs_are_refused(written, trec_eval, monkeypatch):
    from rankscale.trec_eval import preferences

    monkeypatch.setattr(preferences, "MOST_DOCUMENTS", 1)
    found = trec_eval("-R", "prefs", "-m", "prefs_pair", written("rel", PREFS), written("run", RUN))
    assert (found.code, found.out) == (4, "")
    assert "2 documents of a topic are too many for all pairs of them\ntrec_eval: Can't calculate" in found.err
    assert trec_eval("-R", "prefs", "-m", "prefs_simp", written("rel", PREFS), written("run", RUN)).code == 0


def test_parameters_of_preferences_are_ignored(written, trec_eval):
    found = trec_eval("-R", "prefs", "-m", "prefs_simp.5", written("rel", PREFS), written("run", RUN))
    assert found.values() == {("prefs_simp", "all"): "0.5000"}
