"""Work done by workers of Dask: of a cluster that is there, or of one that is started on this machine."""

import logging
import os
import pickle
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rankscale import __version__
from rankscale.errors import MissingExtraError, ParameterError, WorkerError
from rankscale.executors import Item, Result
from rankscale.executors.named import cores
from rankscale.executors.ordering import DEATHS, Backlog, Done, Failure, in_order, lost, packed
from rankscale.executors.workers import GUARD, refuse_unguarded

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

AHEAD = 2  # items for each thread of the workers that are under way or wait for an earlier one
PATIENCE = 5.0  # seconds between looks at the workers
NO_WORKERS = 60.0  # seconds without any worker after which one gives up
LOOPBACK = "127.0.0.1"


class Dask:
    """Items shared out over the workers of a Dask cluster.

    The work, which carries the qrels, is sent once and passed on among workers. A worker that dies is replaced by its
    nanny and its items are done again; an item that ends its workers three times raises WorkerError. Work and results
    are pickled, so that scheduler and workers must be trusted, as must everyone who can connect to them.

    Parameters
    ----------
    client : distributed.Client, optional
        A connection to a cluster, which is left open.
    address : str, optional
        Where the scheduler of a cluster listens, such as '10.0.0.1:8786'.
    workers : int, default all cores
        Without client and address: processes of the cluster that is started here, on the loopback interface, when it
        is first used. `close()`, or the end of a `with` block, ends it.

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
        jobs = _Jobs(client, sent, items)
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
        import dask
        from distributed import Client, LocalCluster

        # Each death of a worker is told here, where items that only stood beside the guilty one are known.
        settings = {
            "distributed.scheduler.allowed-failures": 0,
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
        }
        with dask.config.set(settings):
            try:
                self._cluster = LocalCluster(
                    n_workers=self._workers or cores(),
                    threads_per_worker=1,
                    processes=True,
                    host=LOOPBACK,
                    dashboard_address=f"{LOOPBACK}:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                )
            except RuntimeError as error:
                raise WorkerError(f"no cluster can be started here ({error}): {GUARD}") from error
        return Client(self._cluster)


def _joined(address: str) -> "Client":
    """A connection to a cluster whose workers have the same version of rankscale."""
    from distributed import Client

    try:
        client = Client(address if "://" in address else f"tcp://{address}", timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkerError(f"{address}: there is no scheduler of Dask to connect to ({error})") from error
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


class _Jobs:
    """The items of one map, as tasks of a cluster."""

    def __init__(self, client: "Client", work: bytes, items: Iterable[Any]) -> None:
        self.client, self.packed = client, work
        self.token = os.urandom(8).hex()
        self.works = self.sent = 0  # times that the work, and items, were sent
        self.work = self._work()
        self.backlog: Backlog[Any] = Backlog(items, AHEAD * max(2, sum(client.nthreads().values())))
        self.numbers: dict[Future[Any], int] = {}
        self.deaths: Counter[int] = Counter()
        self.suspects: list[int] = []  # items that were there when workers died: each is done alone
        self.deaths_told = 1 + _allowed_failures(client)
        self.without_workers = 0.0

    def _work(self) -> "Future[Any]":
        """The work on a worker: a task rather than scattered data, so that whoever loses it can make it again."""
        self.works += 1
        return self._task(f"work-{self.works}", pickle.loads, self.packed)

    def _task(self, name: str, function: Callable[..., object], *arguments: object) -> "Future[Any]":
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.client.submit(function, *arguments, key=f"rankscale-{self.token}-{name}", pure=False)

    def finished(self) -> Iterator[Done]:
        """What each item gave, as soon as it is known."""
        while True:
            self._submit()
            if not self.numbers:
                return
            for future in self._waited():
                done = self._outcome(future, self.numbers.pop(future))
                if done is not None:
                    self.backlog.finish(done.number)
                    yield done

    def _submit(self) -> None:
        """As many items as the window allows; a suspect only where nothing else is under way."""
        if self.suspects:
            if not self.numbers:
                number = self.suspects.pop()
                self._send(number, self.backlog.given[number])
            return
        while task := self.backlog.take():
            self._send(*task)

    def _send(self, number: int, item: object) -> None:
        self.sent += 1
        future = self._task(f"{number}-{self.sent}", _done, self.work, packed(item, "an item"))
        self.numbers[future] = number

    def _waited(self) -> "list[Future[Any]]":
        """Tasks that have ended; WorkerError where there are no workers for long."""
        from distributed import wait

        while True:
            with suppress(TimeoutError):
                wait(list(self.numbers), timeout=PATIENCE, return_when="FIRST_COMPLETED")
                return [future for future in self.numbers if future.done()]
            self.without_workers = 0.0 if self.client.nthreads() else self.without_workers + PATIENCE
            if self.without_workers >= NO_WORKERS:
                raise WorkerError(f"the cluster of Dask has had no workers for {NO_WORKERS:.0f} s: start some")

    def _outcome(self, future: "Future[Any]", number: int) -> Done | None:
        """What an item gave; None where it is to be done again."""
        from distributed import KilledWorker

        if future.status == "cancelled":
            raise WorkerError("the cluster of Dask has gone, or has cancelled the work")
        error = future.exception()
        if error is None:
            return Done(number, future.result())
        if not isinstance(error, KilledWorker):
            return Done(number, Failure(error))
        if error.task != future.key:  # a worker died with the work, before any item
            self._work_again()
            self.backlog.again(number)
            return None
        alone = self.deaths[number] >= DEATHS - 1
        self.deaths[number] += self.deaths_told
        if alone:
            return Done(number, lost(number, self.backlog.given[number], self.deaths[number], "workers of Dask"))
        if self.deaths[number] >= DEATHS - 1:
            self.suspects.append(number)
        else:
            self.backlog.again(number)
        return None

    def _work_again(self) -> None:
        """Send the work anew, unless workers die of it."""
        if self.work.status != "error":
            return
        if self.works == 2 * DEATHS:
            raise WorkerError(f"workers of Dask died {self.works} times when they were given the work")
        self.work = self._work()

    def cancel(self) -> None:
        """Give up what is under way."""
        with suppress(Exception):  # where the cluster has gone
            self.client.cancel([*self.numbers, self.work], force=True)
        self.numbers.clear()


def _done(work: Callable[[object], object], item: bytes) -> object:
    return work(pickle.loads(item))  # noqa: S301  # from the client, which workers trust


def _allowed_failures(client: "Client") -> int:
    """Deaths of workers that the scheduler passes over before it tells of one."""
    allowed: int = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures)
    return allowed
