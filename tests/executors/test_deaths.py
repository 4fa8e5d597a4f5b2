"""Workers that die: replaced, their items done again; items that end every worker are named, and nothing hangs."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rankscale.errors import InputError, ParameterError, WorkerError
from rankscale.executors.dask import Dask
from rankscale.executors.ordering import Backlog, Finishing
from rankscale.executors.processes import Processes

Surviving = Processes | Dask


@pytest.fixture(scope="module", params=["processes", "dask"])
def executor(request: pytest.FixtureRequest) -> Surviving:
    return Processes(2) if request.param == "processes" else request.getfixturevalue("cluster")


def test_the_items_of_killed_workers_are_done_again(executor: Surviving, works: ModuleType, tmp_path: Path) -> None:
    work = works.Deadly(str(tmp_path), deadly=(3, 7), deaths=1)
    assert list(executor.map(work, range(12))) == [2 * number for number in range(12)]
    assert work.attempts(3) >= 2
    assert work.attempts(7) >= 2


@pytest.mark.parametrize("moment", [0.0, 0.01, 0.05])
def test_results_that_are_lost_with_their_worker_are_computed_again(
    executor: Surviving, works: ModuleType, tmp_path: Path, moment: float
) -> None:
    work = works.Leaving(str(tmp_path), deadly=(1, 4), deaths=1, moment=moment)
    for _ in range(2):  # and the executor works on
        assert list(executor.map(work, range(8))) == [2 * number for number in range(8)]


def test_an_item_that_ends_three_workers_is_named_and_the_others_are_done(
    executor: Surviving, works: ModuleType, tmp_path: Path
) -> None:
    work = works.Deadly(str(tmp_path), deadly=(5,))
    assert isinstance(executor, Finishing)
    done = {one.number: one.outcome for one in executor.finished(work, range(9))}
    failure: Any = done.pop(5)
    assert done == {number: 2 * number for number in range(9) if number != 5}
    assert work.attempts(5) == 3
    assert failure.lost
    assert failure.error.items == (5,)
    assert "item 6, 5, ended its worker process 3 times" in str(failure.error)


def test_results_before_a_deadly_item_are_given(executor: Surviving, works: ModuleType, tmp_path: Path) -> None:
    results = executor.map(works.Deadly(str(tmp_path), deadly=(2,)), range(4))
    assert [next(results), next(results)] == [0, 2]
    with pytest.raises(WorkerError, match="item 3, 2, ended"):
        next(results)


def test_an_error_of_the_work_is_no_death(executor: Surviving, works: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError):
        list(executor.map(works.divided, [1, 0]))


def test_processes_that_quit_are_told_with_their_code(works: ModuleType) -> None:
    with pytest.raises(WorkerError, match=r"3 times \(exit code 3\)"):
        list(Processes(1).map(works.quits, [1]))


def test_what_cannot_be_sent_is_an_error_with_words(works: ModuleType) -> None:
    with pytest.raises(InputError, match=r"the work cannot be handed to another process .*; give files"):
        list(Processes(1).map(lambda item: item, [1]))
    with pytest.raises(InputError, match="an item cannot be handed to another process"):
        list(Processes(1).map(repr, [iter(range(1)), (number for number in (1, 2))]))
    with pytest.raises((AttributeError, pickle.PicklingError)):
        list(Processes(1).map(works.no_result, [1]))
    with pytest.raises(RuntimeError, match="UnmadeError: ab"):
        list(Processes(1).map(works.no_error, [1]))


@pytest.mark.parametrize("count", [0, -1, 2.5, True, "2"])
def test_a_number_of_processes_that_is_none_is_refused(count: object) -> None:
    with pytest.raises(ParameterError, match="number of processes"):
        Processes(count)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="workers must be"):
        Dask(workers=count)  # type: ignore[arg-type]


def test_items_are_taken_only_so_far_ahead_of_the_first_that_is_not_done(works: ModuleType) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = Processes(2).map(works.slow_first, items())
    assert next(results) == 0
    assert len(taken) <= 4 * 2 + 1
    assert [next(results) for _ in range(30)] == list(range(1, 31))
    results.close()  # type: ignore[attr-defined]
    assert len(taken) < 50


def test_a_backlog_gives_items_again_before_new_ones() -> None:
    backlog = Backlog("abcdef", window=3)
    assert [backlog.take() for _ in range(4)] == [(0, "a"), (1, "b"), (2, "c"), None]
    backlog.finish(1)
    assert backlog.take() is None  # the first is not done
    backlog.again(2)
    backlog.finish(0)
    assert [backlog.take() for _ in range(4)] == [(2, "c"), (3, "d"), (4, "e"), None]


# Scripts as users write them


UNGUARDED = """
import rankscale as rs
qrels = {str(topic): {f"doc-{topic}-{number}": number % 2 for number in range(600)} for topic in range(300)}
rs.evaluate(qrels, {"a": {"1": {"doc-1-1": 1.0}}}, "AP", executor=rs.executors.Processes(2))
"""


def test_a_script_without_a_guard_ends_with_words_where_qrels_are_larger_than_a_pipe(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("rankscale.errors.WorkerError: worker processes end while they start (exit code 78)")
    assert "if __name__ == '__main__':" in last


LIMITED = "processes, threads or memory may be limited here (ulimit -u, ulimit -v)"


def test_a_system_that_starts_no_more_processes_is_the_reason_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    before = dict(os.environ)
    monkeypatch.setattr("multiprocessing.popen_spawn_posix.Popen._launch", fails)
    with pytest.raises(WorkerError) as caught:
        list(Processes(2).map(abs, [1]))
    assert str(caught.value).startswith(f"no more processes can be started ({os.strerror(errno.EAGAIN)}): {LIMITED}")
    assert dict(os.environ) == before


NO_THREADS = """
def fails(self):
    raise RuntimeError("can't start new thread")
import threading
threading.Thread.start = fails
"""


@pytest.mark.parametrize(
    ("does", "words"),
    [
        (NO_THREADS, f"worker processes cannot start (can't start new thread): {LIMITED}"),
        ("import os; os._exit(1)", f"worker processes end while they start (exit code 1): {LIMITED}"),
    ],
    ids=["threads", "exit"],
)
def test_workers_that_cannot_start_are_not_blamed_on_a_guard(does: str, words: str, tmp_path: Path) -> None:
    indented = "\n".join(f"    {line}" for line in does.strip().splitlines())
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nif '--multiprocessing-fork' in sys.orig_argv:\n{indented}\n"
    )
    (tmp_path / "script.py").write_text(
        "from rankscale.executors import Processes\nif __name__ == '__main__':\n    list(Processes(2).map(abs, [1]))\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"rankscale.errors.WorkerError: {words}")
    assert "__main__" not in last


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_an_error_in_words(tmp_path: Path) -> None:
    cluster = [sys.executable, str(Path(__file__).parent / "cluster.py")]
    with subprocess.Popen(cluster, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as scheduler:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        with subprocess.Popen([*cluster, address], stderr=subprocess.DEVNULL) as worker, Dask(address=address) as dask:
            results = dask.map(time.sleep, [0, 0, 30, 30])
            assert [next(results), next(results)] == [None, None]
            scheduler.kill()
            with pytest.raises(WorkerError, match=r"the scheduler of Dask (has gone|cannot be reached any more)"):
                next(results)
            worker.kill()


def running(group: int) -> list[str]:
    """Processes of a group that have not ended within half a minute; those that only wait to be counted have."""
    for _ in range(600):
        states = [path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")]
        left = [state[0] for state in states if int(state[2]) == group and state[0] not in "ZX"]
        if not left:
            break
        time.sleep(0.05)
    return left


SLEEPING = """
import sys, time
from rankscale.executors import Processes
if __name__ == "__main__":
    results = Processes(2).map(time.sleep, [0, 0, 600, 600])
    print(next(results), next(results), flush=True)
    next(results)
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_whoever_started_them(tmp_path: Path, sent: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(SLEEPING)
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "None None\n"
        time.sleep(0.2)  # so that the long items are under way
        if sent == signal.SIGINT:  # as a terminal does: to all of them
            os.killpg(process.pid, sent)
        else:
            process.send_signal(sent)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        errors = process.stderr.read()  # which ends when nobody holds it any more, long before the items end
    assert not running(process.pid)
    assert errors.count("Traceback") == (sent == signal.SIGINT)
