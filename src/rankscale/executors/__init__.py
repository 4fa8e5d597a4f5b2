"""Where work runs, behind one `map`: results come in the order of the items, whatever the place."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar, runtime_checkable

Item = TypeVar("Item")
Result = TypeVar("Result")


@runtime_checkable
class Executor(Protocol):
    """Applies a function to items."""

    reads_elsewhere: bool  # whether items should be handed over as sources, to be read where the work runs

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        ...
