"""Jobs that are resumed: the same results, only what is missing is done, and no other job's results are taken."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import FormatError, InputError, ParameterError, WorkerError
from rankscale.executors import Inline, executor_named
from rankscale.executors.checkpoints import Checkpointed
from rankscale.executors.dask import Dask
from rankscale.executors.fingerprints import fingerprint
from rankscale.executors.processes import Processes

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Four run files."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(4):
        lines = [f"{topic} Q0 {doc} 1 {(number * 7 + ord(doc)) % 5} r{number}\n" for topic in "12" for doc in "abcd"]
        (folder / f"{number}.txt").write_text("".join(lines))
    return sorted(str(path) for path in folder.iterdir())


class Counting:
    """Does the work here, and notes which items it is given; stops after some of them."""

    reads_elsewhere = False

    def __init__(self, stops_after: int = 1000) -> None:
        self.items: list[object] = []
        self.stops_after = stops_after

    def map(self, work: Callable[[Any], Any], items: Any) -> Iterator[Any]:
        for item in items:
            if len(self.items) == self.stops_after:
                raise KeyboardInterrupt
            self.items.append(item)
            yield work(item)


def test_a_job_that_was_stopped_goes_on_where_it_was(tmp_path: Path, runs: list[str]) -> None:
    whole = rs.evaluate(QRELS, runs, ["AP", "P@1"])
    with pytest.raises(KeyboardInterrupt):
        rs.evaluate(QRELS, runs, ["AP", "P@1"], executor=Checkpointed(Counting(2), tmp_path / "job"))
    second = Counting()
    resumed = rs.evaluate(QRELS, runs, ["AP", "P@1"], executor=Checkpointed(second, tmp_path / "job"))
    assert len(second.items) == 2
    third = Counting()
    again = rs.evaluate(QRELS, runs, ["AP", "P@1"], executor=Checkpointed(third, tmp_path / "job"))
    assert third.items == []
    for result in (resumed, again):
        assert result == whole
        assert result.values.tobytes() == whole.values.tobytes()
        assert (result.notices, result.signature, result.sources) == (whole.notices, whole.signature, whole.sources)


def test_results_are_kept_although_another_executor_made_them(tmp_path: Path, runs: list[str]) -> None:
    first = rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(Processes(2), tmp_path / "job"))
    counting = Counting()
    assert rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(counting, tmp_path / "job")) == first
    assert counting.items == []


def test_damaged_and_missing_results_are_computed_again(tmp_path: Path, runs: list[str]) -> None:
    whole = rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(Inline(), tmp_path / "job"))
    stored = sorted((tmp_path / "job" / "0").iterdir())
    stored[0].write_bytes(stored[0].read_bytes()[:-3])
    content = bytearray(stored[1].read_bytes())
    content[-1] ^= 1
    stored[1].write_bytes(content)
    stored[2].write_bytes(b"")
    stored[3].unlink()
    counting = Counting()
    assert rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(counting, tmp_path / "job")) == whole
    assert len(counting.items) == 4


def test_leftovers_of_a_killed_job_are_removed(tmp_path: Path) -> None:
    job = tmp_path / "job"
    list(Checkpointed(Inline(), job).map(abs, [-1]))
    (job / ".tmp-1").write_bytes(b"half")
    (job / "0" / ".tmp-2").write_bytes(b"half")
    assert list(Checkpointed(Inline(), job).map(abs, [-1])) == [1]
    assert sorted(path.name for path in job.rglob("*")) == ["0", "000000.result", "job.json", "lock"]


# What is refused


def test_another_job_is_refused_in_words(tmp_path: Path, runs: list[str]) -> None:
    job = tmp_path / "job"
    rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(Inline(), job))
    for measure, qrels, options in [
        ("P@1", QRELS, {}),
        ("AP", {**QRELS, "3": {"z": 1}}, {}),
        ("AP", QRELS, {"depth": 1}),
        ("AP", QRELS, {"judged_only": True}),
    ]:
        with pytest.raises(InputError, match=r"job: holds results of another job .*; give another folder, or remove"):
            rs.evaluate(qrels, runs, measure, executor=Checkpointed(Inline(), job), **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="result 1 is of another run or item"):
        rs.evaluate(QRELS, runs[::-1], "AP", executor=Checkpointed(Inline(), job))


def test_a_run_file_that_was_changed_is_refused(tmp_path: Path, runs: list[str]) -> None:
    job = tmp_path / "job"
    rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(Inline(), job))
    before = os.stat(runs[2])
    Path(runs[2]).write_text(Path(runs[2]).read_text().replace("1 Q0 a 1 1", "1 Q0 a 1 9"))
    os.utime(runs[2], ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(InputError, match="result 3 is of another run or item"):
        rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(Inline(), job))


def test_the_words_of_a_refusal_name_what_differs(tmp_path: Path) -> None:
    list(Checkpointed(Inline(), tmp_path / "a", job={"--measure": "AP"}).map(abs, [1]))
    with pytest.raises(InputError, match=r"another job \(--measure was AP, and is RR\)"):
        list(Checkpointed(Inline(), tmp_path / "a", job={"--measure": "RR"}).map(float, [1]))
    with pytest.raises(InputError, match=r"another job \(--measure was AP, and is not given\)"):
        list(Checkpointed(Inline(), tmp_path / "a").map(float, [1]))


def test_another_version_and_other_folders_are_refused(tmp_path: Path) -> None:
    job = tmp_path / "job"
    list(Checkpointed(Inline(), job).map(abs, [1]))
    known = json.loads((job / "job.json").read_text())
    (job / "job.json").write_text(json.dumps({**known, "rankscale": "0.0.1"}))
    with pytest.raises(InputError, match=r"made with rankscale 0.0.1, and here is \d"):
        list(Checkpointed(Inline(), job).map(abs, [1]))
    for content in ("{", "[]", "{}", json.dumps({**known, "works": 1})):
        (job / "job.json").write_text(content)
        with pytest.raises(InputError, match="expected the description of a job"):
            list(Checkpointed(Inline(), job).map(abs, [1]))
    with pytest.raises(InputError, match="expected a new folder or that of a job"):
        list(Checkpointed(Inline(), tmp_path).map(abs, [1]))
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        list(Checkpointed(Inline(), tmp_path / "file").map(abs, [1]))


def test_two_jobs_do_not_share_a_folder_at_once(tmp_path: Path) -> None:
    first = Checkpointed(Inline(), tmp_path / "job").map(abs, [1, 2])
    assert next(first) == 1
    with pytest.raises(InputError, match="another job uses this folder now"):
        next(Checkpointed(Inline(), tmp_path / "job").map(abs, [1, 2]))
    assert list(first) == [2]
    assert list(Checkpointed(Inline(), tmp_path / "job").map(abs, [1, 2])) == [1, 2]


# Failures


def test_the_others_are_kept_where_an_item_ends_its_workers(works: ModuleType, tmp_path: Path) -> None:
    work = works.Deadly(str(tmp_path), deadly=(1, 4))
    with pytest.raises(WorkerError) as caught:
        list(Checkpointed(Processes(2), tmp_path / "job").map(work, range(6)))
    assert caught.value.items == (1, 4)
    assert str(caught.value).startswith("2 items ended their workers\nitem 2, 1, ended")
    counting = Counting(0)
    with pytest.raises(KeyboardInterrupt):
        list(Checkpointed(counting, tmp_path / "job").map(work, range(6)))
    assert len(list((tmp_path / "job" / "0").iterdir())) == 4


def test_an_error_of_an_item_comes_in_its_turn(tmp_path: Path, runs: list[str]) -> None:
    Path(runs[1]).write_text("no run\n")
    for executor in (Inline(), Processes(2)):
        with pytest.raises(FormatError, match="line 1"):
            rs.evaluate(QRELS, runs, "AP", executor=Checkpointed(executor, tmp_path / type(executor).__name__))


def test_results_that_cannot_be_stored_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be stored"):
        list(Checkpointed(Inline(), tmp_path / "job").map(set, [[1]]))


# Fingerprints


def test_fingerprints_tell_values_apart_and_know_them_again() -> None:
    qrels = rs.read_qrels(QRELS)
    values = [1, 1.0, True, "1", b"1", None, [1], (1,), {1: 2}, {1}, np.array([1]), np.array([1.0]), np.array([[1]])]
    values += [qrels, rs.read_qrels({"1": {"a": 1, "b": 1}}), rs.parse("AP"), rs.parse("AP(rel=2)"), abs, Inline.map]
    prints = [fingerprint(value) for value in values]
    assert len(set(prints)) == len(values)
    assert fingerprint(rs.read_qrels(QRELS)) == fingerprint(qrels)
    assert fingerprint(["ab", "c"]) != fingerprint(["a", "bc"])
    assert fingerprint(np.asfortranarray(np.eye(3)[:2])) == fingerprint(np.eye(3)[:2])


def test_objects_without_content_have_no_fingerprint() -> None:
    with pytest.raises(InputError, match="cannot be recognised when a job is resumed"):
        fingerprint(number for number in (1, 2))


# Names


def test_executors_by_name() -> None:
    assert isinstance(executor_named("inline"), Inline)
    assert executor_named("processes:3") == Processes(3)
    assert isinstance(executor_named("processes"), Processes)
    assert repr(executor_named("dask:2")) == "Dask(workers=2)"
    assert repr(executor_named("dask://10.0.0.1:8786")) == "Dask(address='10.0.0.1:8786')"


@pytest.mark.parametrize("name", ["", "process", "processes:", "processes:0", "processes:x", "dask:", "dask://", "ray"])
def test_a_name_of_no_executor_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="the executor must be inline, processes, processes:4, dask"):
        executor_named(name)


def test_dask_is_given_one_cluster() -> None:
    with pytest.raises(ParameterError, match="one of client, address and workers"):
        Dask(address="a:1", workers=2)


def test_a_cluster_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscale.executors.dask.CONNECTING", 0.2)
    with pytest.raises(WorkerError, match="there is no scheduler of Dask"):
        list(Dask(address="127.0.0.1:9").map(abs, [1]))
