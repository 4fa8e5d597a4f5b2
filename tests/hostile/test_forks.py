"""Processes forked beside busy threads: none of them waits for a thread that it does not have."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

import rankscale as rs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
QRELS = {str(topic): {f"d{n}": n % 3 for n in range(20)} for topic in range(20)}
RUN = {topic: {f"d{n}": float(n) for n in range(30)} for topic in QRELS}
MEASURES = ["AP", "nDCG@10", "P@5", "RR"]


def in_child(work: Callable[[], object], seconds: int = 10) -> int:
    """The exit code of a forked process that does this work; it is ended if it takes too long."""
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        try:
            work()
        except BaseException:  # noqa: BLE001  # nothing of the child may go on with the tests
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def measured() -> object:
    return rs.evaluate(QRELS, {"run": RUN}, MEASURES).means()


@pytest.fixture
def busy() -> Iterator[None]:
    """Two threads that measure all the time."""
    measured()  # what is imported is imported before
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            measured()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("busy")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("children", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_children_beside_busy_threads_all_end(children):
    assert {in_child(measured) for _ in range(children)} == {0}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_does_not_wait_for_a_property_that_a_thread_was_computing(monkeypatch):
    qrels = rs.read_qrels(QRELS)
    kind = vars(type(qrels))["level_counts"]
    entered, whole = threading.Event(), kind.func

    def slow(of: object) -> object:
        entered.set()
        time.sleep(0.5)
        return whole(of)

    monkeypatch.setattr(kind, "func", slow)
    thread = threading.Thread(target=lambda: rs.read_qrels(QRELS).level_counts)
    thread.start()
    entered.wait()
    assert in_child(lambda: qrels.level_counts, seconds=5) == 0
    thread.join()
