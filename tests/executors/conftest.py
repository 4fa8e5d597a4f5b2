"""A cluster of two workers for all tests of a module, and works that end their processes."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from rankscale.executors.dask import Dask

HERE = str(Path(__file__).parent)


@pytest.fixture(scope="session")
def works() -> Iterator[ModuleType]:
    """`works.py` by a name under which other processes can import it."""
    sys.path.insert(0, HERE)
    import works  # type: ignore[import-not-found]

    yield works
    sys.path.remove(HERE)


@pytest.fixture(scope="module")
def cluster(works: ModuleType) -> Iterator[Dask]:
    """A cluster of Dask on the loopback interface."""
    with Dask(workers=2) as executor:
        yield executor
