"""Items given out to workers and results put back in order, with a bounded number of either in memory."""

import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from reprlib import Repr
from typing import Generic, Protocol, cast, runtime_checkable

from rankscale.errors import InputError, WorkerError
from rankscale.executors import Item, Result

DEATHS = 3  # workers that an item may cost
shortened = Repr()
shortened.maxstring = shortened.maxother = 120


@dataclass(frozen=True)
class Failure:
    """What an item gave in place of a result."""

    error: BaseException
    lost: bool = False  # whether it ended its workers, rather than raised


@dataclass(frozen=True)
class Done:
    """What an item gave: a result, or why there is none."""

    number: int
    outcome: object  # a result or a Failure


@runtime_checkable
class Finishing(Protocol):
    """An executor that gives results as they come, and goes on where an item fails."""

    def finished(self, work: Callable[[Item], object], items: Iterable[Item]) -> Iterator[Done]:
        """What each item gave, in the order in which that is known."""
        ...


class Backlog(Generic[Item]):
    """Items by number, given out at most `window` ahead of the first that is not finished.

    Results that wait for an earlier one are held by whoever puts them in order: the window bounds these, too.
    """

    def __init__(self, items: Iterable[Item], window: int) -> None:
        self._items, self._window = enumerate(items), window
        self._again: deque[int] = deque()
        self._ahead: set[int] = set()  # finished, before an earlier one is
        self._lowest = self._next = 0
        self.given: dict[int, Item] = {}  # out, or to be given out again

    def take(self) -> tuple[int, Item] | None:
        """The next item; None where there is none, or none may be given out yet."""
        if self._again:
            number = self._again.popleft()
            return number, self.given[number]
        if self._next >= self._lowest + self._window:
            return None
        for number, item in self._items:
            self.given[number], self._next = item, number + 1
            return number, item
        return None

    def again(self, number: int) -> None:
        """Give an item out once more."""
        self._again.append(number)

    def finish(self, number: int) -> None:
        """An item is done with, whatever it gave."""
        del self.given[number]
        self._ahead.add(number)
        while self._lowest in self._ahead:
            self._ahead.remove(self._lowest)
            self._lowest += 1


def in_order(finished: Iterator[Done]) -> Iterator[Result]:
    """Results in the order of the items; where one failed, its error."""
    early: dict[int, object] = {}
    number = 0
    with ending(finished):
        for done in finished:
            early[done.number] = done.outcome
            while number in early:
                outcome = early.pop(number)
                if isinstance(outcome, Failure):
                    raise outcome.error
                yield cast("Result", outcome)
                number += 1


@contextmanager
def ending(finished: Iterator[Done]) -> Iterator[None]:
    """End work that is under way, here and now rather than when memory is collected."""
    try:
        yield
    finally:
        if isinstance(finished, Generator):
            finished.close()


def lost(number: int, item: object, deaths: int, how: str) -> Failure:
    """An item that ended every worker it was given to."""
    words = (
        f"item {number + 1}, {described(item)}, ended its worker process {deaths} times ({how}); that is often a lack "
        "of memory: use fewer workers, or look at this item with the executor inline"
    )
    return Failure(WorkerError(words, [item]), lost=True)


def described(item: object) -> str:
    """An item in a few words: of a list of one that one, of a run and its name its file."""
    while isinstance(item, list | tuple) and item and (len(item) == 1 or (len(item) == 2 and item[0] is None)):
        item = item[-1]
    return shortened.repr(item)


def packed(value: object, what: str) -> bytes:
    """A work or an item, pickled."""
    try:
        return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"{what} cannot be handed to another process ({error}); give files rather than open objects, functions of "
            "a module rather than local ones, or use the executor inline"
        ) from error
