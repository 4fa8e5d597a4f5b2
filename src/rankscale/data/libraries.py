"""Libraries that need not be installed: imported where they are used, with an error that says what to install."""

import sys
from importlib import import_module
from types import ModuleType

from rankscale.data.memory import OUT_OF_ROOM, need_room
from rankscale.errors import MemoryLimitError, MissingExtraError

PROVENANCE_KEY = b"rankscale"  # of the metadata of an Arrow schema, where results say how they were made
ROOM = {"pyarrow": 400 << 20, "polars": 500 << 20, "pandas": 300 << 20}  # address space that a library takes, about


def library(name: str, what: str, extra: str = "frames") -> ModuleType:
    """A library that need not be installed; where it is not, the error says what wanted it.

    Where the process may take little address space (ulimit -v), it is refused before it ends the process.
    """
    package = name.partition(".")[0]
    if package not in sys.modules:
        need_room(ROOM.get(package, 0), f"{what} needs {package}, which")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingExtraError(what, package, extra) from None
    except ImportError as error:
        if OUT_OF_ROOM in str(error):
            raise MemoryLimitError(f"{what} needs {package}, and there is not enough memory to load it") from None
        raise MissingExtraError(what, package, extra) from None
