"""Files of other places (`https://`, `s3://`, `hf://`), fetched by fsspec into a temporary file."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankscale.data.addresses import PLACE
from rankscale.data.libraries import library
from rankscale.data.table import readable
from rankscale.errors import InputError
from rankscale.inputs.files import NamedFile

PIECE = 1 << 20  # bytes


@contextmanager
def fetched(source: str, max_size: int | None = None) -> Iterator[NamedFile]:
    """A copy on this machine, called by the address of the original and removed at the end.

    Raise InputError where the place cannot be reached or is unknown, and where the file is larger than `max_size`.
    """
    from tempfile import TemporaryDirectory

    fsspec: Any = library("fsspec", f"files such as {PLACE.match(source)[0]}...", "remote")  # type: ignore[index]
    name = os.path.basename(re.sub(r"[?#].*$", "", source).rstrip("/")) or "file"
    with TemporaryDirectory(prefix="rankscale-") as folder:
        path = os.path.join(folder, re.sub(r"[^\w.-]", "_", name)[-200:])
        try:
            with fsspec.open(source, "rb") as remote, open(path, "wb") as local:
                _copy(remote, local, source, max_size)
        except InputError:
            raise
        except FileNotFoundError:
            raise FileNotFoundError(f"{source}: there is no such file") from None
        except Exception as error:  # of as many libraries as there are places
            words = str(error).strip().partition("\n")[0] or type(error).__name__
            raise InputError(f"{source}: cannot be read ({words})") from error
        yield NamedFile(readable(source), path)


def _copy(remote: Any, local: Any, source: str, max_size: int | None) -> None:  # noqa: ANN401  # files of any library
    taken = 0
    while piece := remote.read(PIECE):
        taken += len(piece)
        if max_size is not None and taken > max_size:
            raise InputError(f"{source}: holds more than the {max_size} bytes allowed; allow more with max_size")
        local.write(piece)
