"""Runs without the judgments that only they, or their group, brought: by hand, and NIST's values for TREC-8."""

import csv
import gzip

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import FormatError, ParameterError, UnknownNameError
from rankscale.executors.processes import Processes
from rankscale.studies.leave_out import leave_out, read_groups

RANDOM = np.random.default_rng(21)
NAMES = [f"d{number}" for number in range(50)]
QRELS = {str(t): {name: int(RANDOM.choice([-1, 0, 0, 1])) for name in NAMES[:40]} | {"r": 1} for t in range(5)}
RUNS = {
    run: {t: {name: float(RANDOM.random()) for name in RANDOM.permutation([*NAMES, "r"])[:25]} for t in QRELS}
    for run in ("a1", "a2", "b1", "c1", "c2")
}
GROUPS = {"a1": "a", "a2": "a", "b1": "b", "c1": "c", "c2": "c", "elsewhere": "d"}
MEASURES = ["AP", "P@5", "Bpref"]


def brought(run, depth):
    return {(t, d) for t, ranking in run.items() for d in sorted(ranking, key=lambda d: -ranking[d])[:depth]}


def by_hand(groups, pooled, depth):
    """For each run of a pooled group: the judgments that are lost, and the means of all runs with the others."""
    found = {}
    for name in RUNS:
        if groups[name] not in {groups[run] for run in pooled}:
            continue
        mine = set().union(*(brought(RUNS[run], depth) for run in pooled if groups[run] == groups[name]))
        others = set().union(*(brought(RUNS[run], depth) for run in pooled if groups[run] != groups[name]))
        lost = {(t, d) for t, d in mine - others if d in QRELS[t]}
        left = {t: {d: g for d, g in grades.items() if (t, d) not in lost} for t, grades in QRELS.items()}
        found[name] = lost, rs.evaluate(left, RUNS, MEASURES).means().to_dict()
    return found


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("pooled", [None, ["a1", "b1"]])
@pytest.mark.parametrize("depth", [3, 20])
def test_against_judging_by_hand(groups, pooled, depth):
    found = leave_out(QRELS, RUNS, MEASURES, pool_depth=depth, groups=groups, pooled=pooled)
    expected = by_hand(groups or {run: run for run in RUNS}, pooled or list(RUNS), depth)
    assert list(found.runs) == list(expected)
    full = rs.evaluate(QRELS, RUNS, MEASURES).means().to_dict()
    for row in found.table("runs"):
        run, measure = str(row["run"]), str(row["measure"])
        lost, means = expected[run]
        assert row["lost"] == sum(QRELS[t][d] >= 0 for t, d in lost)
        assert row["lost_relevant"] == sum(QRELS[t][d] >= 1 for t, d in lost)
        assert row["with"] == full[run][measure]
        assert row["without"] == means[run][measure]
        assert row["difference"] == means[run][measure] - full[run][measure]
        for place, of in (("place", full), ("place_without", means)):
            better = [other for other in RUNS if round(of[other][measure], 8) > round(of[run][measure], 8)]
            assert row[place] == 1 + len(better)
        if groups:
            assert row["group"] == groups[run]
    for m, row in enumerate(found.table("summary")):
        measure = str(row["measure"])
        own = [expected[run][1][run][measure] if run in expected else full[run][measure] for run in RUNS]
        tau = stats.kendalltau([round(full[run][measure], 8) for run in RUNS], np.round(own, 8)).statistic
        assert row["tau"] == pytest.approx(tau, abs=1e-14)
        assert row["runs"] == len(expected)
        assert row["mean_difference"] == pytest.approx(found.difference[m].mean(), abs=1e-15)
        assert row["mean_size"] == pytest.approx(np.abs(found.difference[m]).mean(), abs=1e-15)
        assert row["largest"] == np.abs(found.difference[m]).max()


def test_low_is_good_and_no_direction():
    asked = ["RankPower", "ASL"]
    found = leave_out(QRELS, RUNS, asked, pool_depth=10)
    for m, measure in enumerate(found.evaluation.measures):
        if measure.direction_note:
            assert np.isnan(found.place[m]).all()
        else:
            assert measure.low_is_good
            assert found.runs[int(np.argmin(found.with_all[m]))] == found.runs[int(np.argmin(found.place[m]))]
    assert str(found)


def test_topics_that_a_measure_loses_are_told():
    qrels = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}
    runs = {"x": {"1": {"a": 1}, "2": {"b": 2, "c": 1}}, "y": {"1": {"u": 1}, "2": {"u": 2, "b": 1}}}
    found = leave_out(qrels, runs, ["Twist", "ASL"])
    assert "Twist becomes undefined on up to 1 topic without some judgments; values without leave them out" in (
        found.warnings
    )
    assert "ASL: 1 of 2 topics is left out for all runs, undefined there for some" in found.warnings
    assert found.with_all[0].tolist() == rs.evaluate(qrels, runs, "Twist").means().values[0].tolist()
    left = {"1": {}, "2": {"b": 1}}  # without what x alone brought, topic 1 has no Twist
    assert found.without[0, 0] == rs.evaluate({"2": left["2"]}, runs, "Twist").means()["x", "Twist"]


def test_a_measure_without_values_has_no_largest_difference():
    runs = {"x": {"1": {"a": 1}}, "y": {"1": {"u": 1}}}
    (row,) = leave_out({"1": {"a": 1}}, runs, "ASL").table("summary")
    assert row["of_run"] is None
    assert row["most"] is None


def test_groups_and_repr():
    other = {**GROUPS, "b1": "a"}
    one, two = (leave_out(QRELS, RUNS, groups=groups) for groups in (GROUPS, other))
    assert one.signature != two.signature
    assert "|groups:a,a,b,c,c|" in one.signature
    assert repr(one) == str(one)


def test_places_are_among_all_runs():
    with pytest.raises(TypeError, match="top"):
        leave_out(QRELS, RUNS, top=0.5)  # type: ignore[call-arg]


def test_any_executor_gives_the_same_bytes():
    told = []
    inline = leave_out(QRELS, RUNS, MEASURES, pool_depth=10, progress=lambda *done: told.append(done))
    elsewhere = leave_out(QRELS, RUNS, MEASURES, pool_depth=10, executor=Processes(2))
    assert inline.without.tobytes() == elsewhere.without.tobytes()
    assert inline.text() == elsewhere.text()
    assert told == [(done, 5) for done in range(1, 6)]


def test_groups_from_a_file(tmp_path):
    path = tmp_path / "groups"
    path.write_text("".join(f"{run} {group}\n" for run, group in GROUPS.items()) + "\n")
    assert read_groups(path) == GROUPS
    from_file, from_map = (leave_out(QRELS, RUNS, groups=groups, pool_depth=5) for groups in (path, GROUPS))
    assert from_file.text() == from_map.text()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("a1 a\na2\n", "groups, line 2: expected: run group\n    a2"),
        ("a1 a\na1 b\n", "groups, line 2: run a1 is of group a and of b; name one"),
    ],
)
def test_files_that_do_not_say_the_groups(tmp_path, lines, words):
    path = tmp_path / "groups"
    path.write_text(lines)
    with pytest.raises(FormatError) as caught:
        leave_out(QRELS, RUNS, groups=path)
    assert str(caught.value).endswith(words)


def test_bad_input():
    with pytest.raises(ParameterError, match=r"2 of 5 runs have no group \(c1, c2\); name one for each"):
        leave_out(QRELS, RUNS, groups={"a1": "a", "a2": "a", "b1": "b"})
    with pytest.raises(UnknownNameError, match="unknown run 'b2'; there are a1, a2, b1"):
        leave_out(QRELS, RUNS, pooled=["b2"])
    with pytest.raises(ParameterError, match="whole number from 1, got 0"):
        leave_out(QRELS, RUNS, pool_depth=0)
    with pytest.raises(ParameterError, match="give two runs or more"):
        leave_out(QRELS, {"a1": RUNS["a1"]})


@pytest.fixture(scope="module")
def by_score64(trec_8, shared_data):
    """TREC-8 in the order of trec_eval 10, with which NIST made the values below, and its judgments."""
    qrels, _ = trec_8
    files = sorted((shared_data / "trec8_adhoc" / "runs").iterdir())
    return qrels, dict(zip(files, rs.read_runs(qrels, files, order="score64"), strict=True))


def groups_of_trec_8(folder):
    return read_groups(folder / "runs-pids")


def nist_values(folder):
    with open(folder / "DERIVED_runs.tsv", encoding="utf-8", newline="") as lines:
        return {row["run"]: float(row["leave_group_out_map"]) for row in csv.DictReader(lines, delimiter="\t")}


def places_of(run, qrels):
    return np.repeat(qrels.starts[run.rows], np.diff(run.starts)) + run.document


def top_100_as_in_the_file(path, run, qrels):
    """(judgment,): what a run ranks up to 100 where tied documents stand as in its file."""
    brought = np.zeros(len(qrels.codes), dtype=bool)
    where = places_of(run, qrels)
    brought[where[run.last <= 100]] = True
    torn = (run.first <= 100) & (run.last > 100)
    if not torn.any():
        return brought
    ordered, as_filed = (
        rs.read_run(qrels, path, order=order, keep_documents=True).documents or () for order in ("score64", "file")
    )
    topic_of = np.repeat(np.arange(len(run.rows)), np.diff(run.starts))
    for number, row in enumerate(run.rows.tolist()):
        here = np.flatnonzero(torn & (topic_of == number))
        if len(here) == 0:
            continue
        first, last = int(run.first[here[0]]), int(run.last[here[0]])
        tied = set(ordered[number][first - 1 : last])
        within = set([name for name in as_filed[number] if name in tied][: 101 - first])
        names = list(qrels.grades(qrels.topics[row]))
        for entry in here.tolist():
            brought[where[entry]] = names[run.document[entry]] in within
    return brought


@pytest.mark.slow
def test_values_of_trec_8_without_each_group(by_score64, shared_data):
    """NIST kept what some run of another group ranks up to 100, tied documents as in the files: MAP of all 129 runs."""
    folder = shared_data / "trec8_adhoc"
    qrels, runs = by_score64
    group_of = groups_of_trec_8(folder)
    brought = np.stack([top_100_as_in_the_file(path, run, qrels) for path, run in runs.items()])
    found: dict[str, dict[str, float]] = {}
    for group in set(group_of.values()):
        mine = np.array([group_of[run.name] == group for run in runs.values()])
        kept = qrels.keeping(brought[~mine].any(axis=0))
        own = [run for run, chosen in zip(runs.values(), mine, strict=True) if chosen]
        found |= rs.evaluate(kept, own, ["AP"]).means().to_dict()
    assert {run: round(means["AP"], 4) for run, means in found.items()} == nist_values(folder)


@pytest.mark.slow
def test_trec_8_with_ties_in_our_order(by_score64, shared_data):
    """In our order of tied documents: NIST's list of who brought what, and values that differ by these ties alone."""
    folder = shared_data / "trec8_adhoc"
    qrels, runs = by_score64
    found = leave_out(qrels, list(runs.values()), "AP", groups=folder / "runs-pids", pool_depth=100)
    alone: dict[str, int] = {}
    with gzip.open(folder / "annotated-qrels.gz", "rt") as lines:
        for line in lines:
            *_, groups, named = line.split(maxsplit=5)[3:]
            if int(groups) == 1:
                alone[named.strip()] = alone.get(named.strip(), 0) + 1
    assert {group: int(lost) for group, lost in zip(found.groups, found.lost, strict=True) if lost} == alone
    theirs = nist_values(folder)
    assert len(found.runs) == 129
    np.testing.assert_allclose(found.without[0], [theirs[run] for run in found.runs], atol=0.0007)
