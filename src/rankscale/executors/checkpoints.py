"""Work that can be killed and resumed: the result of each item is kept in a folder."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from rankscale.errors import WorkerError
from rankscale.executors import Executor, Item, Result
from rankscale.executors.fingerprints import fingerprint, fingerprint_of_work
from rankscale.executors.job_folder import JobFolder
from rankscale.executors.ordering import Done, Failure, Finishing, ending


class Checkpointed:
    """Executor that stores results in a folder, so that a job that was interrupted can be resumed.

    The result of each item is stored as soon as it is computed. A job that is run again with the same folder reads what
    is stored and computes the rest; its output is the same, bit for bit. Results are recognised by the function (with
    qrels, measures and options) and by the content of the item: texts that name a file, a folder or an address stand
    for what is in it. Of a function of your own the source files of its module, and of the modules that it imports,
    count, so that a change in any of them is another job; a folder that the function itself is given counts by its
    name, as it may write there. What cannot be recognised, such as a lambda or a closure, is refused. The folder of
    another job, or of another version of rankscale or numpy, is refused; damaged results are computed again.

    Parameters
    ----------
    executor : Executor
        Executor that computes what is missing.
    directory : path
        Folder of the results, created if there is none. It belongs to one job, which may call `map` several times,
        always in the same order.
    job : mapping, optional
        Description of the job, such as its command and options, for the message that refuses another one.

    Examples
    --------
    >>> import tempfile
    >>> from rankscale.executors import Inline
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     list(Checkpointed(Inline(), folder).map(abs, [-1, 2]))
    ...     list(Checkpointed(Inline(), folder).map(abs, [-1, 2]))  # read from the folder
    [1, 2]
    [1, 2]
    """

    reads_elsewhere = True  # what has a result is not read again

    def __init__(
        self, executor: Executor, directory: str | os.PathLike[str], *, job: Mapping[str, str] | None = None
    ) -> None:
        self.executor, self._folder = executor, JobFolder(os.fspath(directory), job or {})
        self._maps = 0
        self.directory = self._folder.directory
        self.reused = 0  # results that were in the folder

    def __repr__(self) -> str:
        return f"Checkpointed({self.executor!r}, {self.directory!r})"

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items: those that are kept, and those that are missing."""
        number, self._maps = self._maps, self._maps + 1
        return cast("Iterator[Result]", self._map(number, work, items))

    def _map(self, number: int, work: Callable[[Item], object], items: Iterable[Item]) -> Iterator[object]:
        with self._folder.opened():
            self._folder.check(number, fingerprint_of_work(work))
            resumed = _Resumed(self._folder, number, items)
            try:
                yield from resumed.results(self.executor, work)
            finally:
                self.reused += resumed.reused


class _Resumed:
    """One map: which items have results, and what the others give."""

    def __init__(self, folder: JobFolder, number: int, items: Iterable[object]) -> None:
        self.folder, self.number, self.items = folder, number, items
        self.looked_at = 0
        self.places: list[int] = []  # of the items that are given to the executor
        self.keys: dict[int, str] = {}  # fingerprints of those that are not done
        self.kept: set[int] = set()  # items whose result is in the folder
        self.failed: dict[int, Failure] = {}
        self.reused = 0  # results that were there before

    def _missing(self) -> Iterator[object]:
        """The items without a result."""
        for place, item in enumerate(self.items):
            key = fingerprint(item, inputs="all")
            self.looked_at = place + 1
            if self.folder.holds(self.number, place, key):
                self.kept.add(place)
                self.reused += 1
            else:
                self.places.append(place)
                self.keys[place] = key
                yield item

    def results(self, executor: Executor, work: Callable[..., object]) -> Iterator[object]:
        """The results in order; an item that ended its workers is raised when the others have theirs."""
        finished = _finished(executor, work, self._missing())
        place = 0
        lost: list[Failure] = []
        with ending(finished):
            for done in finished:
                self._keep(done)
                while place in self.kept or place in self.failed:
                    failure = self.failed.pop(place, None)
                    if failure is None and not lost:
                        yield self._load(place)
                    elif failure is not None and not failure.lost:
                        raise failure.error
                    elif failure is not None:
                        lost.append(failure)
                    self.kept.discard(place)
                    place += 1
        if lost:
            raise _all_of(lost)
        for rest in range(place, self.looked_at):
            yield self._load(rest)

    def _keep(self, done: Done) -> None:
        place = self.places[done.number]
        key = self.keys.pop(place)
        if isinstance(done.outcome, Failure):
            self.failed[place] = done.outcome
        else:
            self.folder.store(self.number, place, key, done.outcome)
            self.kept.add(place)

    def _load(self, place: int) -> object:
        return self.folder.load(self.number, place)


def _finished(executor: Executor, work: Callable[..., object], items: Iterator[object]) -> Iterator[Done]:
    """What items give, as soon as it is known where the executor tells."""
    if isinstance(executor, Finishing):
        yield from executor.finished(work, items)
    else:
        yield from (Done(number, result) for number, result in enumerate(executor.map(work, items)))


def _all_of(lost: list[Failure]) -> BaseException:
    """One error for all items that ended their workers."""
    errors = [failure.error for failure in lost if isinstance(failure.error, WorkerError)]
    if len(errors) == 1:
        return errors[0]
    items = [item for error in errors for item in error.items]
    return WorkerError("\n".join([f"{len(errors)} items ended their workers", *map(str, errors)]), items)
