"""Work done by workers of Dask: of a cluster that is running, or of one that is started on this machine."""

import os
import pickle
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rankscale import __version__
from rankscale.data.resources import available_cores
from rankscale.errors import MissingExtraError, ParameterError, RankscaleError, WorkerError
from rankscale.executors import Item, Result
from rankscale.executors.ordering import DEATHS, Backlog, Done, Failure, in_order, lost, packed
from rankscale.executors.processes import GUARD, LIMITED, refuse_unguarded, starting

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster


AHEAD = 4  # items for each thread of the workers that are under way or wait for an earlier one
QUEUED = 2  # items that a thread of a worker has, so that it need not wait for the next
LOOK = 0.5  # seconds between looks at which workers are there
NO_WORKERS = 60.0  # seconds without any worker after which one gives up
HOW = "workers of Dask were lost"
UNREACHABLE = "the scheduler of Dask cannot be reached any more ({})"
CANCELLED = (
    "the scheduler of Dask has gone, or has cancelled the work ({}): start it again; with --resume (Checkpointed) only "
    "what is missing is computed then"
)
CONNECTING = 10.0  # seconds
GUARDED = GUARD[0].upper() + GUARD[1:]  # Dask does not tell why its processes end


@dataclass(frozen=True)
class WorkerItem:
    """An item that a worker has."""

    number: int
    worker: str  # its address
    alone: bool  # whether the worker has no other item


class ClusterJobs:
    """The items of one map, on the workers of a cluster."""

    def __init__(self, client: "Client", work: bytes, items: Iterable[object]) -> None:
        self.client, self.packed = client, work
        self.token = os.urandom(8).hex()
        self.sent = 0  # tasks
        self.work = self._work()
        self.workers: dict[str, int] = {}  # threads by address
        self.looked_at = self.seen_at = 0.0  # when they were looked at, and when there was one
        self._look()
        self.backlog: Backlog[object] = Backlog(items, AHEAD * max(2, sum(self.workers.values())))
        self.tasks: dict[Future[Any], WorkerItem] = {}
        self.suspects: list[int] = []  # items that lost workers: each is given a worker of its own
        self.deaths: Counter[int] = Counter()  # by item

    def finished(self) -> Iterator[Done]:
        """What each item gave, as soon as it is known; WorkerError where the scheduler has gone."""
        from distributed import CancelledError

        try:
            yield from self._finished()
        except RankscaleError:
            raise
        except Exception as error:
            if not isinstance(error, CancelledError) and self.client.status == "running":
                raise  # of the items
            raise WorkerError(CANCELLED.format(type(error).__name__)) from error

    def _finished(self) -> Iterator[Done]:
        from distributed import wait

        while True:
            self._look()
            for done in [*self._settled()]:
                self.backlog.finish(done.number)
                yield done
            self._send_some()
            if self.tasks:
                with suppress(TimeoutError):
                    wait(list(self.tasks), timeout=LOOK, return_when="FIRST_COMPLETED")
            elif self.workers:
                return
            else:
                time.sleep(LOOK)

    def _look(self) -> None:
        """See which workers are there, now and then; WorkerError where there are none for long."""
        now = time.monotonic()
        if now < self.looked_at + LOOK:
            return
        try:
            self.workers, self.looked_at = dict(self.client.nthreads()), now
        except OSError as error:
            raise WorkerError(UNREACHABLE.format(error)) from error
        if self.workers or not self.seen_at:
            self.seen_at = now
        elif now > self.seen_at + NO_WORKERS:
            raise WorkerError(f"the cluster of Dask has had no workers for {NO_WORKERS:.0f} s: start some")

    def _settled(self) -> Iterator[Done]:
        """What has come of items: first those of workers that have gone, then those that have ended."""
        for future, task in [(future, task) for future, task in self.tasks.items() if task.worker not in self.workers]:
            del self.tasks[future]
            future.release()
            yield from self._blamed(task)
        for future in [future for future in self.tasks if future.done()]:
            yield from self._outcome(future, self.tasks.pop(future))

    def _blamed(self, task: WorkerItem, deaths: int = 1) -> Iterator[Done]:
        """The error for a lost item; nothing where the item has to be run again."""
        number = task.number
        self.deaths[number] += deaths
        if self.deaths[number] >= DEATHS and task.alone:
            yield Done(number, lost(number, self.backlog.given[number], self.deaths[number], HOW))
        elif self.deaths[number] >= DEATHS - 1:
            self.suspects.append(number)
        else:
            self.backlog.again(number)

    def _outcome(self, future: "Future[Any]", task: WorkerItem) -> Iterator[Done]:
        """The result of an item; nothing where the item has to be run again."""
        from distributed import KilledWorker

        if future.status == "cancelled":
            raise WorkerError(CANCELLED.format("cancelled"))
        if future.status != "error":
            results = self._fetched(future, task.worker)
            yield from (Done(task.number, result) for result in results)
            if not results:
                self.backlog.again(task.number)
            return
        error = future.exception()
        if not isinstance(error, KilledWorker):
            yield Done(task.number, Failure(error))
        elif error.task == future.key:
            yield from self._blamed(task, 1 + error.allowed_failures)
        else:
            if self.work.status == "error":  # workers died when they were given the work, before any item
                self.work = self._work()
            yield from self._blamed(task)

    def _fetched(self, future: "Future[Any]", worker: str) -> list[Any]:
        """The result of a task; nothing where its worker died with it.

        The scheduler answers one request, and at once where no worker has the result any more. `Client.gather` would
        wait for the task to be done again, on a worker that has gone; if a timeout ends that, the client may be left
        in a state in which no later result arrives.
        """
        scheduler: Any = self.client.scheduler

        async def fetched() -> dict[str, Any]:
            answer: dict[str, Any] = await scheduler.gather(keys=[future.key])
            return answer

        while worker in self.workers:
            try:
                answer = self.client.sync(fetched, callback_timeout=10 * LOOK)
            except TimeoutError:
                self._look()
                continue
            except OSError as error:
                raise WorkerError(UNREACHABLE.format(error)) from error
            if answer["status"] == "OK":
                return list(answer["data"].values())
            break
        future.release()
        return []

    def _send_some(self) -> None:
        """Items for workers that have too few; suspects for those that have none at all."""
        taken = Counter(task.worker for task in self.tasks.values())
        closed = {task.worker for task in self.tasks.values() if task.alone}
        for worker, threads in self.workers.items():
            if self.suspects and not taken[worker]:
                number = self.suspects.pop(0)
                self._send(WorkerItem(number, worker, alone=True), self.backlog.given[number])
                continue
            while taken[worker] < QUEUED * threads and worker not in closed and (item := self.backlog.take()):
                self._send(WorkerItem(item[0], worker, alone=False), item[1])
                taken[worker] += 1

    def _send(self, task: WorkerItem, item: object) -> None:
        place = [task.worker]
        future = self._task(_done, self.work, packed(item, "an item"), workers=place, allow_other_workers=False)
        self.tasks[future] = task

    def _work(self) -> "Future[Any]":
        """The work on a worker: a task rather than scattered data, so that whoever loses it can make it again."""
        return self._task(pickle.loads, self.packed)

    def _task(self, function: Callable[..., object], *arguments: object, **where: object) -> "Future[Any]":
        self.sent += 1
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.client.submit(
                function, *arguments, key=f"rankscale-{self.token}-{self.sent}", pure=False, **where
            )

    def cancel(self) -> None:
        """Give up what is under way."""
        with suppress(Exception):  # where the cluster has gone
            self.client.cancel([*self.tasks, self.work], force=True)
        self.tasks.clear()


def _done(work: Callable[[object], object], item: bytes) -> object:
    return work(pickle.loads(item))  # noqa: S301  # from the client, which workers trust


class Dask:
    """Executor that distributes items over the workers of a Dask cluster.

    The function, with the qrels that it holds, is sent once and passed on among workers. The items of a worker that
    dies are computed again by others, or by the process that Dask starts in its place; an item during which three
    workers died raises WorkerError. Functions and results are pickled: trust the scheduler, the workers, and everyone
    who can connect to them.

    Parameters
    ----------
    client : distributed.Client, optional
        Client of a running cluster; it stays open.
    address : str, optional
        Address of the scheduler of a running cluster, such as '10.0.0.1:8786'.
    workers : int, default all cores
        Without client and address: number of processes of a new cluster on this machine, which listens on the loopback
        interface only. It starts when it is first used, and ends with `close()` or with the `with` block.

    Raises
    ------
    MissingExtraError
        If distributed is not installed.
    ParameterError
        If more than one of client, address and workers is given.

    Examples
    --------
    >>> import rankscale as rs
    >>> executor = rs.executors.Dask(workers=2)
    >>> executor.close()
    """

    reads_elsewhere = True

    def __init__(
        self, client: "Client | None" = None, *, address: str | None = None, workers: int | None = None
    ) -> None:
        if sum(one is not None for one in (client, address, workers)) > 1:
            raise ParameterError("give one of client, address and workers: workers are those of a new cluster")
        if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
            raise ParameterError(f"workers must be a whole number from 1, got {workers!r}")
        try:
            import distributed  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("the executor dask", "distributed", "cluster") from error
        self._given, self._address, self._workers = client, address, workers
        self._client = client
        self._cluster: LocalCluster | None = None

    def __repr__(self) -> str:
        given = {"client": self._given, "address": self._address, "workers": self._workers}
        return f"Dask({', '.join(f'{name}={value!r}' for name, value in given.items() if value is not None)})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        opened, self._client = self._client, self._given
        cluster, self._cluster = self._cluster, None
        if opened is not None and opened is not self._given:
            with suppress(Exception):
                opened.close(timeout=2)
        if cluster is not None:
            with suppress(Exception):  # of workers that died meanwhile
                cluster.close(timeout=5)

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        return in_order(self.finished(work, items))

    def finished(self, work: Callable[[Item], object], items: Iterable[Item]) -> Iterator[Done]:
        """What each item gave, as soon as it is known."""
        refuse_unguarded()
        sent = packed(work, "the work")
        client = self._connected()
        jobs = ClusterJobs(client, sent, items)
        try:
            yield from jobs.finished()
        finally:
            jobs.cancel()

    def _connected(self) -> "Client":
        if self._client is None:
            self._client = self._started() if self._address is None else _joined(self._address)
        return self._client

    def _started(self) -> "Client":
        """A cluster of processes of this machine that nobody else can reach."""
        from distributed import Client

        from rankscale.executors.dask_cluster import started

        for attempt in range(DEATHS):  # of workers that are killed while they start
            try:
                with starting():
                    self._cluster = started(self._workers or available_cores())
                break
            except RuntimeError as error:
                if attempt == DEATHS - 1:
                    raise WorkerError(f"no cluster can be started here ({error}): {LIMITED}. {GUARDED}") from error
        return Client(self._cluster)


def _joined(address: str) -> "Client":
    """A connection to a cluster whose workers have the same version of rankscale."""
    from distributed import Client

    try:
        client = Client(address if "://" in address else f"tcp://{address}", timeout=CONNECTING)
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkerError(
            f"{address}: there is no scheduler of Dask to connect to ({error}); start one, or correct the address"
        ) from error
    try:
        versions: dict[str, str] = client.run(_version)
    except Exception as error:
        client.close(timeout=2)
        raise WorkerError(
            f"{address}: workers cannot use rankscale ({error}); install version {__version__} on each"
        ) from error
    if other := {worker: version for worker, version in versions.items() if version != __version__}:
        client.close(timeout=2)
        worker, version = next(iter(other.items()))
        raise WorkerError(f"{address}: worker {worker} has rankscale {version}, here is {__version__}; install one")
    return client


def _version() -> str:
    return __version__
