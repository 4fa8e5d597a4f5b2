"""Where work runs, behind one `map`: results come in the order of the items, whatever the place."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from rankscale.executors.checkpoints import Checkpointed as Checkpointed
    from rankscale.executors.dask import Dask as Dask
    from rankscale.executors.inline import Inline as Inline
    from rankscale.executors.named import executor_named as executor_named
    from rankscale.executors.processes import Processes as Processes

Item = TypeVar("Item")
Result = TypeVar("Result")
PLACES = {  # imported when first used: distributed takes a second
    "Checkpointed": "checkpoints",
    "Dask": "dask",
    "Inline": "inline",
    "Processes": "processes",
    "executor_named": "named",
}


@runtime_checkable
class Executor(Protocol):
    """Applies a function to items."""

    reads_elsewhere: bool  # whether items should be handed over as sources, to be read where the work runs

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        ...


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module 'rankscale.executors' has no attribute {name!r}")
    value: object = getattr(import_module(f"rankscale.executors.{PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return ["Executor", *PLACES]
