"""Documents of all runs, down to a rank, in little memory: for lists of what to judge next."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.inputs.options import Reading
from rankscale.inputs.read import runs_by_source

MOST_NAMES = 1_500_000  # documents of all rankings together that are looked at
FEWEST_RANKS, MOST_RANKS = 10, 1000


def ranks_read(runs: int, topics: int) -> int:
    """How many ranks of each ranking are looked at, so that many rankings do not take much memory.

    >>> ranks_read(129, 50), ranks_read(4, 7000), ranks_read(2, 50)
    (232, 53, 1000)
    """
    return max(FEWEST_RANKS, min(MOST_RANKS, MOST_NAMES // max(1, runs * topics)))


def read_documents(
    runs: Sequence[Run],
    places: Sequence[tuple[Any, str | None]],
    qrels: Qrels,
    reading: Reading,
    ranks: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Run, ...]:
    """The same runs with the names of their documents down to a rank, read from their sources one after the other.

    A name that several rankings share is held once. Runs whose source has no names of documents stay without them.
    """
    shared: dict[str, str] = {}
    made: list[Run] = []
    last: tuple[object, list[Run]] = (None, [])
    for number, (run, (source, name)) in enumerate(zip(runs, places, strict=True)):
        if progress:
            progress(number, len(runs))
        if source is not last[0]:
            last = (source, next(iter(runs_by_source(qrels, [(None, source)], replace(reading, keep_documents=True)))))
        of_source = last[1]
        read = next(one for one in of_source if name in {None, one.name})
        documents = None
        if read.documents is not None:
            documents = tuple(tuple(shared.setdefault(one, one) for one in names[:ranks]) for names in read.documents)
        made.append(replace(run, documents=documents))
    return tuple(made)


def bytes_of_documents(runs: Sequence[Run]) -> int:
    """About how much memory the names take."""
    names = [name for run in runs for topic in run.documents or () for name in topic]
    return 8 * len(names) + sum(60 + len(name) for name in set(names))
