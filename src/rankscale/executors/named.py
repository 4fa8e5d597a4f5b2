"""Executors by name, as the command line gives them."""

import os

from rankscale.errors import ParameterError
from rankscale.executors import Executor

NAMES = "inline, processes, processes:4, dask, dask:4 or dask://HOST:PORT"


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
        from rankscale.executors.inline import Inline

        return Inline()
    if kind == "processes" and _is_count(name, rest):
        from rankscale.executors.processes import Processes

        return Processes(int(rest) if rest else cores())
    if kind == "dask" and ((rest.startswith("//") and len(rest) > 2) or _is_count(name, rest)):
        from rankscale.executors.dask import Dask

        if rest.startswith("//"):
            return Dask(address=rest.removeprefix("//"))
        return Dask(workers=int(rest) if rest else cores())
    raise ParameterError(f"the executor must be {NAMES}, got {name!r}")


def _is_count(name: str, text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < int(text) < 10_000 if ":" in name else True


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
