"""Work that can be killed and resumed: the result of each item is kept in a folder."""

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import ELOOP, ENXIO
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import IO, Any, cast

import numpy as np

from rankscale import __version__
from rankscale.data.resources import need
from rankscale.errors import InputError, WorkerError
from rankscale.executors import Executor, Item, Result
from rankscale.executors.fingerprints import fingerprint, fingerprint_of_work
from rankscale.executors.ordering import Done, Failure, Finishing, ending
from rankscale.executors.storage import DamagedError, decoded, encoded

FORMAT = 1
NAME = "job.json"
LOCK = "lock"
COMMAND = "the command"  # what a folder belongs to, whatever it has in common with others
TEMPORARY = ".tmp-"
ADVICE = "give another folder, or remove this one to start anew"


class JobFolder:
    """The folder of a job, made when it is first used: what the job is, and the results that it has so far.

    `job.json` says which job the folder belongs to; `0/000012.result` is the result of item 12 of the first map. A
    result is written beside its place and moved there, so that a job that is killed leaves it whole or not at all; a
    checksum tells one that was damaged later. Whoever made the folder is not trusted: only files and folders in it are
    opened, never links, pipes or devices.
    """

    def __init__(self, directory: str, job: Mapping[str, str]) -> None:
        self.directory, self.job = directory, dict(job)
        self._opened = 0  # maps that use it now
        self._lock: Any = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Use the folder, which no other process may do meanwhile; leftovers of one that was killed are removed."""
        if not self._opened:
            self._open()
        self._opened += 1
        try:
            yield
        finally:
            self._opened -= 1
            if not self._opened and self._lock is not None:
                with suppress(OSError):  # nothing was written to it
                    self._lock.close()

    def _open(self) -> None:
        os.makedirs(self.directory, exist_ok=True)
        there = [name for name in os.listdir(self.directory) if name != LOCK and not name.startswith(TEMPORARY)]
        if there and NAME not in there:
            raise InputError(
                f"{self.directory}: expected a new folder or that of a job to resume, found other files ({there[0]}); "
                "give another folder"
            )
        self._lock = _opened(os.path.join(self.directory, LOCK), os.O_RDWR | os.O_CREAT)  # closed by `opened`
        if not _locked(self._lock):
            self._lock.close()
            raise InputError(f"{self.directory}: another job uses this folder now; wait for it, or give another folder")
        for folder, _, names in os.walk(self.directory):
            for name in names:
                if name.startswith(TEMPORARY):
                    with suppress(FileNotFoundError):
                        os.remove(os.path.join(folder, name))

    def check(self, number: int, work: str) -> None:
        """Raise InputError unless map `number` of the job has always been this work."""
        path = os.path.join(self.directory, NAME)
        made_with = {"format": FORMAT, "rankscale": __version__, "numpy": np.__version__}
        known: dict[str, Any] = {**made_with, "job": self.job, "works": []}
        if os.path.lexists(path):
            known = self._read(path)
        for name, version in made_with.items():
            if known[name] != version:
                made = f"its results were made with {name} {known[name]}, and here is {version}"
                raise InputError(f"{self.directory}: {made}; {ADVICE}")
        works = known["works"]
        other = known["job"].get(COMMAND) != self.job.get(COMMAND)
        if other or works[number : number + 1] not in ([], [work]) or len(works) < number:
            raise InputError(f"{self.directory}: holds results of another job ({self._difference(known)}); {ADVICE}")
        if len(works) == number:
            self._write(path, json.dumps({**known, "works": [*works, work]}, indent=1).encode("ascii"))

    def _read(self, path: str) -> dict[str, Any]:
        content = _content(path)
        try:
            known = json.loads(content)
        except (ValueError, RecursionError):
            known = None
        lists = isinstance(known, dict) and isinstance(known.get("works"), list) and isinstance(known.get("job"), dict)
        if not lists or not {"format", "rankscale", "numpy"} <= known.keys():
            raise InputError(f"{path}: expected the description of a job, found something else; {ADVICE}")
        described: dict[str, Any] = known
        return described

    def _difference(self, known: Mapping[str, Any]) -> str:
        """What is known to differ between the job of the folder and this one."""
        before: dict[str, str] = known["job"]
        for name in [*self.job, *(one for one in before if one not in self.job)]:
            if before.get(name) != self.job.get(name):
                return f"{name} was {before.get(name, 'not given')}, and is {self.job.get(name, 'not given')}"
        return "the qrels, runs, measures or options differ"

    def holds(self, number: int, place: int, item: str) -> bool:
        """Whether there is a sound result of an item; InputError where it is that of another item."""
        known = self._stored(number, place)
        if known is None:
            return False
        if known[0] != item:
            raise InputError(
                f"{self.directory}: result {place + 1} is of another run or item than the one of this job; {ADVICE}"
            )
        return True

    def load(self, number: int, place: int) -> object:
        """The result of an item; InputError where it has gone since."""
        known = self._stored(number, place)
        if known is None:
            raise InputError(f"{self._path(number, place)}: this result was changed or removed while it was used")
        return known[1]

    def store(self, number: int, place: int, item: str, result: object) -> None:
        """Keep the result of an item."""
        body = encoded(result)
        path = self._path(number, place)
        with suppress(FileExistsError):
            os.mkdir(os.path.dirname(path))
        _check_folder(os.path.dirname(path))
        self._write(path, f"{item} {_checksum(body)}\n".encode("ascii") + body)

    def _stored(self, number: int, place: int) -> tuple[str, object] | None:
        """Fingerprint of the item, and its result; None where it is missing or damaged."""
        path = self._path(number, place)
        try:
            _check_folder(os.path.dirname(path))
            stored = _content(path)
        except FileNotFoundError:
            return None
        header, _, body = stored.partition(b"\n")
        try:
            item, checksum = header.decode("ascii").split()
            return (item, decoded(body)) if checksum == _checksum(body) else None
        except (ValueError, DamagedError):
            return None

    def _path(self, number: int, place: int) -> str:
        return os.path.join(self.directory, str(number), f"{place:06}.result")

    @staticmethod
    def _write(path: str, content: bytes) -> None:
        temporary = os.path.join(os.path.dirname(path), f"{TEMPORARY}{os.urandom(8).hex()}")
        try:
            file = open(temporary, "xb", buffering=0)  # noqa: SIM115  # closed below
            try:
                while content:
                    content = content[file.write(content) :]
            finally:
                with suppress(InterruptedError):  # which leaves it closed
                    file.close()
            os.replace(temporary, path)
        except OSError as error:  # said of the file that is meant
            raise OSError(error.errno, error.strerror, path) from None
        finally:
            with suppress(OSError):  # it is in its place, or the next job removes it
                os.remove(temporary)


def _opened(path: str, flags: int = os.O_RDONLY) -> IO[bytes]:
    """Open a file of the folder; raise InputError for a link, a pipe or a device, which is not waited for."""
    safe = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    try:
        descriptor = os.open(path, reduce(or_, safe, flags), 0o666)
    except OSError as error:
        if error.errno in {ELOOP, ENXIO}:
            raise _no_file(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_file(path)
    return open(descriptor, "rb" if flags == os.O_RDONLY else "r+b")


def _content(path: str) -> bytes:
    """All of a file of the folder; MemoryLimitError where it is too large."""
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        need(size, f"{path}: reading it", ADVICE)
        return file.read(size)


def _check_folder(path: str) -> None:
    """Raise InputError unless this is a folder itself, and no link to one: then results would be written elsewhere."""
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise InputError(f"{path}: expected a folder of results, found a link or something else; {ADVICE}")


def _no_file(path: str) -> InputError:
    return InputError(f"{path}: expected a file, found a link, a pipe or something else; {ADVICE}")


def _checksum(body: bytes) -> str:
    return blake2b(body, digest_size=16).hexdigest()


def _locked(file: Any) -> bool:  # noqa: ANN401  # an open file
    """Lock a file until it is closed; also where the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


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
                        yield self.folder.load(self.number, place)
                    elif failure is not None and not failure.lost:
                        raise failure.error
                    elif failure is not None:
                        lost.append(failure)
                    self.kept.discard(place)
                    place += 1
        if lost:
            raise _all_of(lost)
        for rest in range(place, self.looked_at):
            yield self.folder.load(self.number, rest)

    def _keep(self, done: Done) -> None:
        place = self.places[done.number]
        key = self.keys.pop(place)
        if isinstance(done.outcome, Failure):
            self.failed[place] = done.outcome
        else:
            self.folder.store(self.number, place, key, done.outcome)
            self.kept.add(place)


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
