"""Work in threads: what takes long goes on while its visitor asks how far it is, and ends when nobody asks any more."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from threading import Lock

from rankscale.workbench.cache import Cache

THREADS = 2  # that work at once
MOST_JOBS = 16  # waiting or at work; more are refused
LEFT_AFTER = 4.0  # seconds after which a job that nobody asks for is given up
KEPT_BYTES = 32 << 20  # of answers
Progress = Callable[[int, int], None]


class LeftError(Exception):
    """Nobody waits for this any more."""


class BusyError(Exception):
    """There is too much to do already."""


class Job:
    """One piece of work, and how far it is."""

    def __init__(self) -> None:
        self.future: Future[bytes]
        self.done, self.of = 0, 0
        self.wanted = time.monotonic()

    def progress(self, done: int, of: int) -> None:
        """Note how far it is; raise LeftError where nobody has asked for a while."""
        self.done, self.of = done, of
        if time.monotonic() - self.wanted > LEFT_AFTER:
            raise LeftError


class Jobs:
    """Answers by key: kept, being made, or made now."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="workbench")
        self._jobs: dict[str, Job] = {}
        self._kept: Cache[bytes] = Cache(KEPT_BYTES, len)
        self._lock = Lock()

    def answer(self, key: str, make: Callable[[Progress], bytes], wait: float) -> bytes | Job:
        """The answer of a key, or the job that makes it if that takes longer than `wait` seconds."""
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        job = self._job(key, make)
        try:
            made = job.future.result(wait)
        except NotYet:
            if job.future.done():
                raise  # a time-out of the work itself
            return job
        except LeftError:  # given up just now, and asked for again
            return self.answer(key, make, wait)
        return made

    def _job(self, key: str, make: Callable[[Progress], bytes]) -> Job:
        with self._lock:
            self._jobs = {name: one for name, one in self._jobs.items() if not one.future.done()}
            job = self._jobs.get(key)
            if job is None:
                if len(self._jobs) >= MOST_JOBS:
                    raise BusyError
                job = self._jobs[key] = Job()
                job.future = self._pool.submit(self._made, key, make, job)
            job.wanted = time.monotonic()
            return job

    def _made(self, key: str, make: Callable[[Progress], bytes], job: Job) -> bytes:
        job.progress(0, 0)  # which may have waited too long for a thread
        made = make(job.progress)
        self._kept.put(key, made)
        return made

    def close(self) -> None:
        """Give up what waits, and let what is at work end."""
        with self._lock:
            for job in self._jobs.values():
                job.wanted = -1e9
        self._pool.shutdown(wait=False, cancel_futures=True)
