"""Work in threads, and bounded caches of what it gave.

What takes long goes on while its visitor asks how far it is, and ends when nobody asks any more. Visitors ask again and
again, and each request waits a little. One that is broken off while it waits is of a visitor who has left: work that
nobody else waits for ends the next time that it says how far it is.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")
THREADS = 2  # that work at once
MOST_JOBS = 16  # waiting or at work; more are refused
LEFT_AFTER = 4.0  # seconds after which a job is given up whose visitors were answered and did not ask again
KEPT_BYTES = 32 << 20  # of answers
NEVER = -1e9
Progress = Callable[[int, int], None]


class LeftError(Exception):
    """Nobody waits for this any more."""


class BusyError(Exception):
    """There is too much to do already."""


class Asker:
    """One request that waits for an answer."""

    def __init__(self) -> None:
        self.gone = False

    def leave(self) -> None:
        """Note that the request was broken off."""
        self.gone = True


class Job:
    """One piece of work, and how far it is."""

    def __init__(self) -> None:
        self.future: Future[bytes]
        self.done, self.of = 0, 0
        self.askers: set[Asker] = set()  # requests that wait now
        self.wanted = time.monotonic()

    def progress(self, done: int, of: int) -> None:
        """Note how far it is; raise LeftError where nobody waits for it any more."""
        self.done, self.of = done, of
        waiting = tuple(self.askers)
        left = all(asker.gone for asker in waiting) if waiting else time.monotonic() - self.wanted > LEFT_AFTER
        if left:
            raise LeftError

    def answered(self, asker: Asker) -> None:
        """Note that a request waits no longer."""
        self.askers.discard(asker)
        self.wanted = NEVER if asker.gone and not self.askers else time.monotonic()


class AnswerJobs:
    """Answers by key: kept, being made, or made now."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="workbench")
        self._jobs: dict[Hashable, Job] = {}
        self._kept: Cache[bytes] = Cache(KEPT_BYTES, len)
        self._lock = Lock()

    def answer(
        self, key: Hashable, make: Callable[[Progress], bytes], wait: float, asker: Asker | None = None
    ) -> bytes | Job:
        """The answer of a key, or the job that makes it if that takes longer than `wait` seconds.

        Raise LeftError if the one who asks has left.
        """
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        asker = asker or Asker()
        job = self._job(key, make, asker)
        try:
            made = job.future.result(wait)
        except NotYet:
            if job.future.done():
                raise  # a time-out of the work itself
            return job
        except LeftError:
            if asker.gone:
                raise
            return self.answer(key, make, wait, asker)  # given up just now, and asked for again
        finally:
            job.answered(asker)
        return made

    def _job(self, key: Hashable, make: Callable[[Progress], bytes], asker: Asker) -> Job:
        with self._lock:
            self._jobs = {name: one for name, one in self._jobs.items() if not one.future.done()}
            job = self._jobs.get(key)
            if job is None:
                if len(self._jobs) >= MOST_JOBS:
                    raise BusyError
                job = self._jobs[key] = Job()
                job.askers.add(asker)
                job.future = self._pool.submit(self._made, key, make, job)
            job.askers.add(asker)
            return job

    def _made(self, key: Hashable, make: Callable[[Progress], bytes], job: Job) -> bytes:
        job.progress(0, 0)  # which may have waited too long for a thread
        made = make(job.progress)
        self._kept.put(key, made)
        return made

    def close(self) -> None:
        """Give up what waits, and let what is at work end."""
        with self._lock:
            for job in self._jobs.values():
                job.wanted = NEVER
                for asker in tuple(job.askers):
                    asker.leave()
        self._pool.shutdown(wait=False, cancel_futures=True)


class Cache(Generic[Value]):
    """Values by key, of which the ones used least recently are dropped when their sizes add up to more than `most`."""

    def __init__(self, most: int, size: Callable[[Value], int]) -> None:
        self.most = most
        self._size = size
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, which is then the one used last; None where there is none."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value, and drop old ones until all fit; the newest is kept in any case."""
        size = self._size(value)
        with self._lock:
            self._held += size - (self._kept.pop(key)[1] if key in self._kept else 0)
            self._kept[key] = (value, size)
            while self._held > self.most and len(self._kept) > 1:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._held -= dropped

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there; two threads may make it at once."""
        kept = self.get(key)
        if kept is None:
            kept = make()
            self.put(key, kept)
        return kept
