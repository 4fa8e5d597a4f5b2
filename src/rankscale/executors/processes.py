"""Work done in processes of this machine."""

import os
import pickle
import signal
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import current_process, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait

from rankscale.data.arguments import Positive
from rankscale.errors import ParameterError, WorkerError
from rankscale.executors import Item, Result
from rankscale.executors.ordering import DEATHS, Backlog, Done, Failure, in_order, lost, packed

READY = b"ready"
SAFE_PATH = "PYTHONSAFEPATH"  # the variable that keeps Python from importing from the current folder
PATIENCE = 1.0  # seconds that a process is given to end
GUARD = (
    "a script that uses worker processes does its work below `if __name__ == '__main__':`, since each process reads "
    "the script first"
)
LIMITED = "processes, threads or memory may be limited here (ulimit -u, ulimit -v): use fewer, or the executor inline"
UNGUARDED = 78  # exit code of a process that is started by a script without a guard
GONE = (EOFError, OSError)  # what a pipe gives whose other end is closed
_changing_environment = threading.Lock()
_before: list[str | None] = []  # what SAFE_PATH was, once for each that starts processes just now
AHEAD = 4  # items for each process that are under way or wait for an earlier one


class RemoteTraceback(Exception):  # noqa: N818  # the cause of an error, shown above it
    """Where an error was raised in another process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def refuse_unguarded() -> None:
    """End a process that is still being started, whose script would start processes in turn; whoever waits says why."""
    if getattr(current_process(), "_inheriting", False):
        raise SystemExit(UNGUARDED)


class Worker:
    """A process that does one item at a time."""

    def __init__(self, number: int, item: bytes) -> None:
        self.number, self._item = number, item  # given to it once it is ready
        self.ready = False
        self.connection, theirs = get_context("spawn").Pipe()
        # What a process is started with must fit a pipe, which nobody empties where it dies first: work comes later.
        self.process = get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
        with starting():
            self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def receive(self, work: bytes) -> bytes | None:
        """What the process sent: an outcome, or None where it says that it is ready and is given work and item."""
        sent = self.connection.recv_bytes()
        if self.ready:
            return sent
        if sent != READY:
            raise WorkerError(f"worker processes cannot start ({sent.decode()}): {LIMITED}")
        self.ready = True
        self.connection.send_bytes(work)
        self.connection.send_bytes(self._item)
        return None

    def give(self, number: int, item: bytes) -> None:
        """Another item."""
        self.number, self._item = number, item
        with suppress(OSError):  # where it has died, which is seen when it is waited for
            self.connection.send_bytes(item)

    def end(self) -> str:
        """Wait for a process that is ending, and end it where it does not; how it ended."""
        self.connection.close()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        return in_words(self.process.exitcode)


def in_words(code: int | None) -> str:
    """How a process ended."""
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


@contextmanager
def starting() -> Iterator[None]:
    """Start processes that import nothing from the current folder, and that do not hear Ctrl-C.

    Python starts them with `-c`, which looks for modules in the current folder until the path of this process arrives:
    a file `struct.py` there would run. Whoever starts a process ends it.
    """
    refuse_ignored_environment()
    try:
        with safe_path(), _interrupts_held():
            yield
    except BlockingIOError as error:
        raise WorkerError(f"no more processes can be started ({error.strerror}): {LIMITED}") from error


@contextmanager
def safe_path() -> Iterator[None]:
    """Set SAFE_PATH for processes that are started meanwhile; whoever of several ends last sets it back."""
    with _changing_environment:
        if not _before:
            _before.append(os.environ.get(SAFE_PATH))
            os.environ[SAFE_PATH] = "1"
        else:
            _before.append(_before[0])
    try:
        yield
    finally:
        with _changing_environment:
            value = _before.pop()
            if not _before:
                os.environ.pop(SAFE_PATH, None)
                os.environ.update({} if value is None else {SAFE_PATH: value})


def refuse_ignored_environment() -> None:
    """Raise WorkerError where processes would ignore SAFE_PATH, as this one does."""
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        raise WorkerError(
            "Python was started with -E, and worker processes started so would import modules from the current folder: "
            "start it with -P as well, or use the executor inline"
        )


@contextmanager
def _interrupts_held() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let them through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(connection: Connection) -> None:
    """What a process does: takes the work, then item after item, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError as error:
        connection.send_bytes(str(error).encode())
        return
    with suppress(*GONE):
        connection.send_bytes(READY)
        work = _unpacked(connection.recv_bytes())
        while True:
            connection.send_bytes(_outcome(work, connection.recv_bytes()))


def _end_with_parent() -> None:
    """A process whose parent is killed ends at once, and not only after its item."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _unpacked(packed: bytes) -> Callable[[object], object] | Failure:
    try:
        work: Callable[[object], object] = pickle.loads(packed)  # noqa: S301  # from our own parent
    except Exception as error:  # noqa: BLE001  # each item gives it
        return Failure(error)
    return work


def _outcome(work: Callable[[object], object] | Failure, item: bytes) -> bytes:
    """What an item gives, pickled: a result, or the error with where it was raised."""
    if isinstance(work, Failure):
        return _sendable(work.error, "")
    try:
        return pickle.dumps((work(pickle.loads(item)), None), protocol=pickle.HIGHEST_PROTOCOL)  # noqa: S301
    except Exception as error:  # noqa: BLE001  # it comes home
        return _sendable(error, traceback.format_exc())


def _sendable(error: BaseException, where: str) -> bytes:
    try:
        packed = pickle.dumps((error, where))
        pickle.loads(packed)  # noqa: S301  # some are pickled and cannot be made again
    except Exception:  # noqa: BLE001
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), where))
    return packed


def outcome_of(sent: bytes) -> object:
    """A result, or a Failure with its error."""
    result, where = pickle.loads(sent)  # noqa: S301  # from our own child
    if where is None:
        return result
    result.__cause__ = RemoteTraceback(where)
    return Failure(result)


@dataclass(frozen=True)
class Processes:
    """Executor that distributes items over processes of this machine, which are started anew, not forked.

    A process that dies is replaced and its item computed again; an item during which three processes died raises
    WorkerError. A script must use it below `if __name__ == "__main__":`, since each process imports the script.

    Parameters
    ----------
    count : int, default 2
        Number of processes. No more are started than there are items.

    Examples
    --------
    >>> import operator
    >>> list(Processes(2).map(operator.neg, [1, 2, 3]))
    [-1, -2, -3]
    """

    count: Positive = 2
    reads_elsewhere = True

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise ParameterError(f"the number of processes must be a whole number from 1, got {self.count!r}")

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        return in_order(self.finished(work, items))

    def finished(self, work: Callable[[Item], object], items: Iterable[Item]) -> Iterator[Done]:
        """What each item gave, as soon as it is known."""
        refuse_unguarded()
        backlog, team = Backlog(items, AHEAD * self.count), _Team(packed(work, "the work"))
        try:
            while True:
                while len(team.workers) < self.count and (task := backlog.take()):
                    team.start(*task)
                if not team.workers:
                    return
                by_pipe = {worker.connection: worker for worker in team.workers}
                for pipe in wait(list(by_pipe)):  # as soon as one sent something or died
                    assert isinstance(pipe, Connection)  # noqa: S101
                    for done in team.receive(by_pipe[pipe], backlog):
                        backlog.finish(done.number)
                        yield done
        finally:
            team.end()


class _Team:
    """The processes of one map."""

    def __init__(self, work: bytes) -> None:
        self.work = work
        self.workers: list[Worker] = []
        self.idle: list[Worker] = []
        self.deaths: Counter[int] = Counter()  # by item
        self.failed_starts = 0

    def start(self, number: int, item: object) -> None:
        """Give an item to a process that has none, or to a new one."""
        sent = packed(item, "an item")
        if self.idle:
            worker = self.idle.pop()
            worker.give(number, sent)
        else:
            worker = Worker(number, sent)
        self.workers.append(worker)

    def receive(self, worker: Worker, backlog: Backlog[Item]) -> Iterator[Done]:
        """What a process has sent, or that it has died; nothing where there is no outcome of its item yet."""
        try:
            sent = worker.receive(self.work)
        except GONE:
            self.workers.remove(worker)
            yield from self._replaced(worker, backlog)
            return
        if sent is None:
            self.failed_starts = 0
            return
        self.workers.remove(worker)
        self.idle.append(worker)
        yield Done(worker.number, outcome_of(sent))

    def _replaced(self, worker: Worker, backlog: Backlog[Item]) -> Iterator[Done]:
        """A process has died: its item is given out again, unless it has cost too many."""
        how, number = worker.end(), worker.number
        if worker.ready:
            self.deaths[number] += 1
        else:
            self.failed_starts += 1
            if "exit code" in how or self.failed_starts >= DEATHS:
                unguarded = worker.process.exitcode == UNGUARDED
                why = f"{GUARD}; or use the executor inline" if unguarded else LIMITED
                raise WorkerError(f"worker processes end while they start ({how}): {why}")
        if worker.ready and self.deaths[number] >= DEATHS:
            yield Done(number, lost(number, backlog.given[number], self.deaths[number], how))
        else:
            backlog.again(number)

    def end(self) -> None:
        """End all processes."""
        for worker in (*self.workers, *self.idle):
            worker.process.terminate()
        for worker in (*self.workers, *self.idle):
            worker.end()
