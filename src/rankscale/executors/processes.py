"""Work done in processes of this machine."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, cast

from rankscale.executors import Item, Result

_work: Callable[[Any], object] | None = None  # the work of this process


def _remember(work: Callable[[Any], object]) -> None:
    # Handed over once per process: it carries the qrels, which are larger than any item.
    global _work  # noqa: PLW0603
    _work = work


def _do(item: object) -> object:
    if _work is None:
        raise RuntimeError("a worker process was started without work")
    return _work(item)


@dataclass(frozen=True)
class Processes:
    """Items shared out over `count` processes, which start afresh and so hold none of our threads."""

    count: int = 2
    reads_elsewhere = True

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        with ProcessPoolExecutor(
            self.count, mp_context=get_context("spawn"), initializer=_remember, initargs=(work,)
        ) as pool:
            yield from cast("Iterator[Result]", pool.map(_do, items))
