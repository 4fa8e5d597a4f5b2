"""Work that goes on in threads: kept, shared, followed, left, and bounded."""

import contextlib
import threading
import time

import pytest

from rankscale.workbench import jobs
from rankscale.workbench.app import VIEWS, Workbench
from rankscale.workbench.bench import Bench
from rankscale.workbench.jobs import AnswerJobs, Asker, BusyError, Cache, Job, LeftError, Progress

LONG = 60.0  # seconds, for a machine that has much else to do
STEPS = 12_000  # of a hundredth of a second: two minutes of work


@pytest.fixture
def work():
    made = AnswerJobs()
    yield made
    made.close()


def test_an_answer_is_made_once_and_kept(work: AnswerJobs) -> None:
    made: list[int] = []

    def make(progress: Progress) -> bytes:
        progress(1, 2)
        made.append(1)
        return b"answer"

    assert work.answer("key", make, 5) == b"answer"
    assert work.answer("key", make, 5) == b"answer"
    assert made == [1]


def test_errors_are_those_of_the_work_and_are_not_kept(work: AnswerJobs) -> None:
    def fail(progress: Progress) -> bytes:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            work.answer("key", fail, 5)
    assert work.answer("key", lambda _: b"now", 5) == b"now"


def test_long_work_says_how_far_it_is_and_is_shared(work: AnswerJobs) -> None:
    told, go_on = threading.Event(), threading.Event()

    def make(progress: Progress) -> bytes:
        progress(3, 10)
        told.set()
        go_on.wait(LONG)
        return b"done"

    first = work.answer("key", make, 0.05)
    assert isinstance(first, Job)
    assert told.wait(LONG)
    assert (first.done, first.of) == (3, 10)
    assert work.answer("key", lambda _: b"never", 0.05) is first
    go_on.set()
    assert work.answer("key", make, LONG) == b"done"


def test_work_that_nobody_asks_for_is_given_up(work: AnswerJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LEFT_AFTER", 0.1)
    left = threading.Event()

    def make(progress: Progress) -> bytes:
        try:
            for step in range(5000):
                progress(step, 5000)
                time.sleep(0.02)
        except LeftError:
            left.set()
            raise
        return b"done"

    assert isinstance(work.answer("key", make, 0.02), Job)
    assert left.wait(LONG)
    assert work.answer("key", lambda _: b"again", LONG) == b"again"


def test_more_work_than_can_be_done_is_refused(work: AnswerJobs) -> None:
    go_on = threading.Event()

    def make(progress: Progress) -> bytes:
        go_on.wait(10)
        return b""

    for number in range(jobs.MOST_JOBS):
        assert isinstance(work.answer(str(number), make, 0), Job)
    with pytest.raises(BusyError):
        work.answer("one more", make, 0)
    go_on.set()


def test_a_cache_drops_what_was_used_least_recently() -> None:
    cache: Cache[bytes] = Cache(10, len)
    cache.put("a", b"1234")
    cache.put("b", b"1234")
    assert cache.get("a") == b"1234"
    cache.put("c", b"1234")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"1234", None, b"1234")
    cache.put("large", b"x" * 50)
    assert (len(cache._kept), cache.get("large")) == (1, b"x" * 50)
    cache.put("large", b"y")
    cache.put("d", b"z" * 9)
    assert len(cache._kept) == 2


def test_work_is_given_up_when_the_only_request_that_waits_is_broken_off(work: AnswerJobs) -> None:
    asker, other, steps, left = Asker(), Asker(), [], threading.Event()

    def make(progress: Progress) -> bytes:
        try:
            for step in range(STEPS):
                steps.append(step)
                progress(step, STEPS)
                time.sleep(0.01)
        except LeftError:
            left.set()
            raise
        return b"done"

    def ask(who: Asker) -> None:
        with contextlib.suppress(LeftError):
            work.answer("key", make, LONG, who)

    threads = [threading.Thread(target=ask, args=(who,)) for who in (asker, other)]
    for thread in threads:
        thread.start()
    while len(steps) < 3 or len(work._jobs["key"].askers) < 2:
        time.sleep(0.01)
    asker.leave()
    assert not left.wait(0.15)  # somebody else waits
    other.leave()
    assert left.wait(LONG)
    assert len(steps) < STEPS, "it would have gone on"
    for thread in threads:
        thread.join(LONG)
    assert work.answer("key", lambda _: b"again", LONG) == b"again"


def test_a_request_that_is_broken_off_ends_its_work(bench: Bench) -> None:
    """From the address down: the server says that the visitor has gone, and the work ends at its next step."""
    import anyio
    import anyio.to_thread
    from starlette.requests import Request

    workbench, steps, at_work, left = Workbench(bench), list[int](), threading.Event(), threading.Event()

    def slow(view: object, state: object, progress: Progress) -> bytes:
        try:
            for step in range(STEPS):
                steps.append(step)
                at_work.set()
                progress(step, STEPS)
                time.sleep(0.01)
        except LeftError:
            left.set()
            raise
        return b"{}"

    workbench.json = slow  # type: ignore[method-assign]
    gone = anyio.Event()

    async def receive() -> dict[str, str]:
        await gone.wait()
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "GET", "path": "/overview.json", "query_string": b"", "headers": []}

    async def visit() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(workbench.part, VIEWS["overview"], "json", Request(scope, receive))
            await anyio.to_thread.run_sync(at_work.wait)
            gone.set()

    visitor = threading.Thread(target=anyio.run, args=(visit,))  # a browser of another test may have a loop in this one
    visitor.start()
    visitor.join()
    assert left.wait(LONG)
    assert len(steps) < STEPS, "it would have gone on"
    workbench.jobs.close()
