"""A scheduler of Dask, or with its address a worker, in a process of its own: `python cluster.py [ADDRESS]`."""

import asyncio
import sys

from distributed import Scheduler, Worker


async def schedule() -> None:
    """A scheduler that prints its address."""
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()


async def work(address: str) -> None:
    """A worker with one thread."""
    async with Worker(address, nthreads=1, dashboard=False) as worker:
        await worker.finished()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]) if len(sys.argv) > 1 else schedule())
