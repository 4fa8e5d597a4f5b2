"""A cluster of Dask on this machine that nobody else can reach, and whose workers are always replaced."""

import logging

import dask
from distributed import LocalCluster, Nanny, SpecCluster
from distributed.core import Status

from rankscale.executors.processes import safe_path

LOOPBACK = "127.0.0.1"
SETTINGS = {
    "distributed.scheduler.allowed-failures": 1000,  # deaths are counted by whoever sends items
    "distributed.scheduler.http.routes": [],  # no pages
    "distributed.worker.http.routes": [],
}


class LastingCluster(LocalCluster):
    """A cluster that never gives up a worker.

    Fifteen seconds after a worker was lost, Dask looks whether one of its name is there, and ends its nanny if not:
    also where the worker had come back meanwhile, and was lost once more just then.
    """

    def _update_worker_status(self, op: str, msg: str) -> None:
        super(SpecCluster, self)._update_worker_status(op, msg)


class SafeNanny(Nanny):
    """Starts workers that import nothing from the current folder, also those that take the place of lost ones.

    Dask has a setting for variables of workers; but it sets them in this process too, for good, and Python processes
    that a user starts later would not import from the current folder either.
    """

    async def instantiate(self) -> Status:
        """Start the process of the worker."""
        with safe_path():
            return await super().instantiate()


def started(workers: int) -> LastingCluster:
    """A new cluster of so many processes."""
    with dask.config.set(SETTINGS):
        return LastingCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            worker_class=SafeNanny,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )
