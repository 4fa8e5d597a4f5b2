"""Work done by workers of Dask: of a cluster that is running, or of one that is started on this machine."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rankscale import __version__
from rankscale.errors import MissingExtraError, ParameterError, WorkerError
from rankscale.executors import Item, Result
from rankscale.executors.dask_jobs import Jobs
from rankscale.executors.named import cores
from rankscale.executors.ordering import DEATHS, Done, in_order, packed
from rankscale.executors.workers import GUARD, LIMITED, refuse_unguarded, starting

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

CONNECTING = 10.0  # seconds
GUARDED = GUARD[0].upper() + GUARD[1:]  # Dask does not tell why its processes end


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
        jobs = Jobs(client, sent, items)
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
                    self._cluster = started(self._workers or cores())
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
