"""Pools made again from runs, against sets of documents taken by hand, and the pool that NIST judged."""

import csv
import gzip
import math

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.outputs.convert import qrels_lines, write_qrels
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.pooling import best_ranks, brought_by, pool

RANDOM = np.random.default_rng(5)
TOPICS, DOCUMENTS = 4, 30


def random_collection():
    """Some documents judged, a few with a negative grade, and runs that miss topics and retrieve unjudged ones."""
    names = [f"d{number}" for number in range(DOCUMENTS)]
    qrels = {
        str(topic): {name: int(RANDOM.choice([-1, 0, 0, 1, 2])) for name in names if RANDOM.random() < 0.7}
        for topic in range(TOPICS)
    }
    runs = {
        run: {
            topic: {name: float(RANDOM.random()) for name in RANDOM.permutation(names)[: RANDOM.integers(1, 15)]}
            for topic in qrels
            if RANDOM.random() < 0.9 or topic == "0"
        }
        for run in "vwxyz"
    }
    return qrels, runs


def top_of(ranking, depth):
    return sorted(ranking, key=lambda name: (-np.float32(ranking[name]), [-byte for byte in name.encode()]))[:depth]


@pytest.mark.parametrize("depth", [1, 3, 10, 100])
@pytest.mark.parametrize("pooled", [None, ["w", "z"]])
def test_a_pool_is_what_its_runs_rank_high(depth, pooled):
    qrels, runs = random_collection()
    found = pool(qrels, runs, depth, pooled=pooled, rel=1)
    chosen = {name: run for name, run in runs.items() if pooled is None or name in pooled}
    brought = {name: {(t, d) for t in run for d in top_of(run[t], depth)} for name, run in chosen.items()}
    union = set().union(*brought.values())
    assert found.qrels.to_dict() == {
        topic: {name: grade for name, grade in grades.items() if (topic, name) in union}
        for topic, grades in qrels.items()
    }
    judged = {(t, d) for t, grades in qrels.items() for d, grade in grades.items() if grade >= 0}
    relevant = {(t, d) for t, d in judged if qrels[t][d] >= 1}
    for row in found.table("runs"):
        mine = brought[row["run"]]
        alone = mine - set().union(*(other for name, other in brought.items() if name != row["run"]))
        assert row == {
            "run": row["run"],
            "ranked": len(mine),
            "judged": len(mine & judged),
            "relevant": len(mine & relevant),
            "alone": len(alone & judged),
            "relevant_alone": len(alone & relevant),
            "unjudged": len(mine - judged),
        }
    for row in found.table("topics"):
        here = {pair for pair in judged if pair[0] == row["topic"]}
        assert row["judged"] == len(here & union)
        assert row["relevant"] == len(here & relevant & union)
        assert row["left_out"] == len(here - union)
        assert row["relevant_left_out"] == len(here & relevant - union)
        assert row["unjudged_over_runs"] == sum(
            len({pair for pair in mine if pair[0] == row["topic"]} - judged) for mine in brought.values()
        )
    assert found.is_whole == all(mine <= judged for mine in brought.values())
    listed = pool(qrels, runs, depth, pooled=pooled, list_unjudged=True).table("unjudged")
    ranks = {
        (t, d): [top_of(run[t], depth).index(d) + 1 for name, run in chosen.items() if (t, d) in brought[name]]
        for t, d in union - judged
    }
    assert {(row["topic"], row["document"]): (row["best_rank"], row["runs"]) for row in listed} == {
        pair: (min(places), len(places)) for pair, places in ranks.items()
    }
    order = [(row["topic"], row["best_rank"], -int(row["runs"] or 0), row["document"]) for row in listed]
    assert order == sorted(order)


def test_names_of_unjudged_documents_must_be_there():
    qrels, runs = random_collection()
    read = rs.read_qrels(qrels)
    with pytest.raises(ParameterError, match=r"run v was read without the names .* keep_documents=True"):
        pool(read, rs.read_runs(read, runs), 3, list_unjudged=True)
    named = rs.read_runs(read, runs, keep_documents=True)
    listed = pool(read, named, 3, list_unjudged=True).table("unjudged")
    assert listed == pool(qrels, runs, 3, list_unjudged=True).table("unjudged")


def pooled_runs(folder):
    with open(folder / "DERIVED_runs.tsv", encoding="utf-8", newline="") as lines:
        return [row["run"] for row in csv.DictReader(lines, delimiter="\t") if row["judged_pool_run"] == "1"]


def test_the_pool_of_trec_8_is_what_was_judged(trec_8, shared_data):
    """The top 100 of its 71 pooled runs: the 86,830 judged documents, and no other."""
    qrels, runs = trec_8
    names = pooled_runs(shared_data / "trec8_adhoc")
    found = pool(qrels, runs, 100, pooled=names)
    assert len(found.runs) == 71
    assert found.qrels.judgments == qrels.judgments == 86_830
    assert found.is_whole
    assert "all its documents are judged" in found.sentence()
    assert not pool(qrels, runs, 99, pooled=names).pooled.all()
    deeper = pool(qrels, runs, 101, pooled=names)
    assert not deeper.is_whole


@pytest.mark.slow
def test_who_brought_each_document_of_trec_8(trec_8, shared_data):
    """NIST's list of the groups that brought each document: all runs, in the order of scores of 64 bits."""
    folder = shared_data / "trec8_adhoc"
    qrels, _ = trec_8
    runs = rs.read_runs(qrels, sorted((folder / "runs").iterdir()), order="score64")
    group_of = dict(line.split() for line in (folder / "runs-pids").read_text(encoding="utf-8").splitlines())
    brought = brought_by(qrels, runs, 100)
    groups = sorted(set(group_of.values()))
    ours = np.stack([brought[[group_of[run.name] == group for run in runs]].any(axis=0) for group in groups])
    place = {name: row for row, name in enumerate(groups)}
    judgment = {pair: number for number, pair in enumerate((t, d) for t in qrels.topics for d in qrels.grades(t))}
    theirs = np.zeros_like(ours)
    with gzip.open(folder / "annotated-qrels.gz", "rt") as lines:
        for line in lines:
            topic, _, document, _, _, *named = line.split()
            theirs[[place[name] for name in named], judgment[topic, document]] = True
    np.testing.assert_array_equal(ours, theirs)


def test_the_depth_10_pool_of_trec_8(trec_8, shared_data):
    """NIST's depth-10 pool took tied documents as they stand in the files: only these differ, and tau is theirs."""
    folder = shared_data / "trec8_adhoc"
    qrels, runs = trec_8
    theirs = rs.read_qrels(folder / "depth10" / "depth10.qrels.gz")
    judged = {(t, d) for t, grades in theirs.to_dict().items() for d, grade in grades.items() if grade >= 0}
    pairs = [(t, d) for t in qrels.topics for d in qrels.grades(t)]
    in_theirs = np.array([pair in judged for pair in pairs])
    high, low = (np.full(len(pairs), math.inf) for _ in range(2))  # best rank, with ties broken for and against it
    for run in runs:
        where = np.repeat(qrels.starts[run.rows], np.diff(run.starts)) + run.document
        high[where] = np.minimum(high[where], run.first)
        low[where] = np.minimum(low[where], run.last)
    ours = pool(qrels, runs, 10).pooled
    assert (ours != in_theirs).any()
    for one in (ours, in_theirs):
        assert not (one & (high > 10)).any()
        assert one[low <= 10].all()
    official, depth_10 = (
        dict(line.split() for line in (folder / name).read_text(encoding="utf-8").splitlines())
        for name in ("official-scores.map", "depth10/depth10.map")
    )
    again = rs.evaluate(theirs, sorted((folder / "runs").iterdir()), ["AP"], judged_only=True, order="score64")
    means = {run: round(found["AP"], 4) for run, found in again.means().to_dict().items()}
    assert means == {run: float(value) for run, value in depth_10.items()}
    by_official = np.array([float(official[run]) for run in means])
    assert float(tau_b(by_official, np.array(list(means.values())))) == pytest.approx(0.918489790184312, abs=1e-15)


def test_best_ranks():
    qrels = rs.read_qrels({"1": {"a": 1, "b": 0, "c": 0}})
    runs = rs.read_runs(qrels, {"x": {"1": {"u": 3, "a": 2, "b": 1}}, "y": {"1": {"b": 2, "u": 1}}})
    assert best_ranks(qrels, runs).tolist() == [2, 1, 2**31 - 1]


def test_runs_of_one_name_are_told_apart(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(f"1 Q0 {name} 1 1 same\n")
    found = pool({"1": {"a": 1, "b": 0}}, [tmp_path / "a", tmp_path / "b"], 1)
    assert found.runs == ("a", "b")
    assert any("another run has the name same" in words for words in found.warnings)


def test_topics_that_runs_or_qrels_lack_are_told():
    found = pool({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}, "9": {"a": 1.0}}}, 1)
    missing, unknown = found.warnings
    assert missing.startswith("1 of 2 topics in qrels is missing from x (2)")
    assert unknown == "1 topic of x not in qrels, left out"
    with pytest.raises(InputError, match="have no topic in common"):
        pool({"1": {"a": 1}}, {"x": {"9": {"a": 1.0}}}, 1)
    assert repr(found) == str(found)


def test_what_cannot_be_pooled():
    qrels = rs.read_qrels({"1": {"a": 1}})
    run = {"1": {"a": 1.0}}
    with pytest.raises(ParameterError, match="whole number from 1, got 0"):
        pool(qrels, {"x": run}, 0)
    with pytest.raises(UnknownNameError, match="unknown run 'y'"):
        pool(qrels, {"x": run}, 1, pooled=["y"])
    with pytest.raises(ParameterError, match="a pool needs a run"):
        pool(qrels, {"x": run}, 1, pooled=[])
    with pytest.raises(ParameterError, match=r"cut at rank 5 .* asks for 10"):
        pool(qrels, rs.read_runs(qrels, {"x": run}, depth=5), 10)


def test_judgments_are_written_and_read_again(tmp_path):
    grades = {"1": {"a": 1.0, "b": 0.0, "c": 0.5, "d": -2.0}, "2": {"a": 1e300, "é": 3.0}}
    qrels = rs.read_qrels(grades)
    for name in ("plain.txt", "packed.gz"):
        path = tmp_path / name
        write_qrels(qrels, str(path))
        assert rs.read_qrels(path).to_dict() == grades
    assert (tmp_path / "packed.gz").read_bytes()[:2] == b"\x1f\x8b"
    fewer = qrels.keeping(np.array([True, False, True, True, False, True]))
    assert b"".join(qrels_lines(fewer)).decode() == "1 0 a 1\n1 0 c 0.5\n1 0 d -2\n2 0 é 3\n"


def test_names_that_are_no_word_are_not_written(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("as it was")
    with pytest.raises(InputError, match="'two words' cannot be written"):
        write_qrels(rs.read_qrels({"1": {"a": 1, "two words": 1}}), str(path))
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]
