"""Where work runs, behind one `map`: results come in the order of the items, whatever the place."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from rankscale.data.resources import available_cores
from rankscale.errors import ParameterError

if TYPE_CHECKING:
    from rankscale.executors.checkpoints import Checkpointed as Checkpointed
    from rankscale.executors.dask import Dask as Dask
    from rankscale.executors.processes import Processes as Processes


Item = TypeVar("Item")
Result = TypeVar("Result")
PLACES = {  # imported when first used: distributed takes a second
    "Checkpointed": "checkpoints",
    "Dask": "dask",
    "Processes": "processes",
}
NAMES = "inline, processes, processes:4, dask, dask:4 or dask://HOST:PORT"


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
    return ["Executor", "Inline", "executor_named", *PLACES]


class Inline:
    """One item after the other, in this process.

    Examples
    --------
    >>> list(Inline().map(abs, [-1, 2]))
    [1, 2]
    """

    reads_elsewhere = False

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, one by one."""
        return map(work, items)


def executor_named(name: str) -> Executor:
    """The executor of a name.

    Parameters
    ----------
    name : str
        'inline'; 'processes', as many as there are cores, or 'processes:4'; 'dask', which starts a cluster on this
        machine, or 'dask:4' with four workers; 'dask://HOST:PORT', which joins one.

    Returns
    -------
    Executor
        Where `map` runs its work. That of Dask has `close()`.

    Raises
    ------
    ParameterError
        If there is no such executor.

    Examples
    --------
    >>> executor_named("processes:3")
    Processes(count=3)
    """
    kind, _, rest = name.partition(":")
    if name == "inline":
        return Inline()
    if kind == "processes" and _is_count(name, rest):
        from rankscale.executors.processes import Processes

        return Processes(int(rest) if rest else available_cores())
    if kind == "dask" and ((rest.startswith("//") and len(rest) > 2) or _is_count(name, rest)):
        from rankscale.executors.dask import Dask

        if rest.startswith("//"):
            return Dask(address=rest.removeprefix("//"))
        return Dask(workers=int(rest) if rest else available_cores())
    raise ParameterError(f"the executor must be {NAMES}, got {name!r}")


def _is_count(name: str, text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < int(text) < 10_000 if ":" in name else True
