"""A cluster of Dask on this machine that nobody else can reach, and whose workers are always replaced."""

import logging

import dask
from distributed import LocalCluster, SpecCluster

from rankscale.executors.workers import SAFE_PATH

LOOPBACK = "127.0.0.1"
SETTINGS = {
    "distributed.scheduler.allowed-failures": 1000,  # deaths are counted by whoever sends items
    "distributed.scheduler.http.routes": [],  # no pages
    "distributed.worker.http.routes": [],
    f"distributed.nanny.pre-spawn-environ.{SAFE_PATH}": "1",  # also of workers that take the place of lost ones
}


class LastingCluster(LocalCluster):
    """A cluster that never gives up a worker.

    Fifteen seconds after a worker was lost, Dask looks whether one of its name is there, and ends its nanny if not:
    also where the worker had come back meanwhile, and was lost once more just then.
    """

    def _update_worker_status(self, op: str, msg: str) -> None:
        super(SpecCluster, self)._update_worker_status(op, msg)


def started(workers: int) -> LastingCluster:
    """A new cluster of so many processes."""
    with dask.config.set(SETTINGS):
        return LastingCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )
