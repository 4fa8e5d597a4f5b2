"""Preferences in the drop-in against a count pair by pair, written from the definitions; and the worked example."""

import random

import pytest

from rankscale.measures.base.trec_names import PREFERENCES
from tests.measures.slow_preferences import Line, random_topic, ranked, trec_values
from tests.measures.test_preferences import EXAMPLE, EXAMPLE_RUN

VERSIONS = pytest.mark.parametrize("version", [9, 10])


def write(tmp_path, topics: dict[str, tuple[list[Line], dict[str, float]]], *, lists: bool = True):
    """The files of some topics."""
    rel, run = tmp_path / "rel", tmp_path / "run"
    lines = [
        " ".join([topic, group, *[name] * lists, document, f"{level:g}"])
        for topic, (held, _) in topics.items()
        for group, name, document, level in held
    ]
    rel.write_text("\n".join(lines), encoding="utf-8")
    lines = [
        f"{topic} Q0 {document} 1 {score:g} tag\n"
        for topic, (_, scores) in topics.items()
        for document, score in scores.items()
    ]
    run.write_text("".join(lines), encoding="utf-8")
    return rel, run


def printed(values: dict[str, float], topic: str) -> str:
    """The lines of one topic."""
    return "".join(
        f"{name:<22}\t{topic}\t{values[name]:d}\n" if "num" in name else f"{name:<22}\t{topic}\t{values[name]:6.4f}\n"
        for name in PREFERENCES
    )


@VERSIONS
def test_the_worked_example(version, tmp_path, trec_eval):
    """PREFS 11."""
    found = trec_eval(
        "--compat", version, "-R", "prefs", "-m", "all_prefs", *write(tmp_path, {"1": (EXAMPLE, EXAMPLE_RUN)})
    )
    assert {name: found.values()[name, "all"] for name in PREFERENCES} == {
        "prefs_num_prefs_poss": "18",
        "prefs_num_prefs_ful": "12",
        "prefs_num_prefs_ful_ret": "6",
        "prefs_simp": "0.6667",
        "prefs_pair": "0.6562",
        "prefs_avgjg": "0.6667",
        "prefs_avgjg_Rnonrel": "0.4487",
        "prefs_simp_ret": "0.6000",
        "prefs_pair_ret": "0.5625",
        "prefs_avgjg_ret": "0.6190",
        "prefs_avgjg_Rnonrel_ret": "0.4697",
        "prefs_simp_imp": "0.7059",
        "prefs_pair_imp": "0.7000",
        "prefs_avgjg_imp": "0.7083",
    }


@VERSIONS
@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_an_independent_count(seed, version, tmp_path, trec_eval):
    draw = random.Random(seed)
    topics = {f"{number:03}": random_topic(draw, odd=True) for number in range(150)}
    found = trec_eval("--compat", version, "-n", "-q", "-R", "prefs", "-m", "all_prefs", *write(tmp_path, topics))
    assert found.code == 0, found.err
    assert found.out == "".join(
        printed(trec_values(lines, ranked(scores, ascending=True)), topic) for topic, (lines, scores) in topics.items()
    )


@VERSIONS
@pytest.mark.parametrize("depth", [1, 3])
def test_qrels_read_as_preferences_and_cut(depth, version, tmp_path, trec_eval):
    draw = random.Random(depth)
    topics = {}
    for number in range(150):
        lines, scores = random_topic(draw, odd=True)
        level = {(group, document): level for group, _, document, level in lines}
        one_list = [(group, "", document, level[group, document]) for group, _, document, _ in lines]
        topics[f"{number:03}"] = one_list, scores
    files = write(tmp_path, topics, lists=False)
    found = trec_eval("--compat", version, "-nq", f"-M{depth}", "-R", "qrels_prefs", "-m", "all_prefs", *files)
    assert found.code == 0, found.err
    assert found.out == "".join(
        printed(trec_values(lines, ranked(scores, ascending=True)[:depth]), topic)
        for topic, (lines, scores) in topics.items()
    )
