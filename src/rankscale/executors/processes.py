"""Work done in processes of this machine."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

_work: Callable[[Any], Any] | None = None  # what this process was started to do


def _remember(work: Callable[[Any], Any]) -> None:
    # Handed over once per process: it carries the qrels, which are larger than any item.
    global _work  # noqa: PLW0603
    _work = work


def _do(item: Any) -> Any:  # noqa: ANN401
    if _work is None:
        raise RuntimeError("a worker process was not told what to do")
    return _work(item)


@dataclass(frozen=True)
class Processes:
    """Items shared out over `count` processes, which start afresh and so hold none of our threads."""

    count: int = 2
    reads_elsewhere = True

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The results, in the order of the items."""
        with ProcessPoolExecutor(
            self.count, mp_context=get_context("spawn"), initializer=_remember, initargs=(work,)
        ) as pool:
            yield from pool.map(_do, items)
