"""Files that are whole or not there: written beside their place, then put into it."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from rankscale.errors import InputError


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """A temporary path in the same folder, which takes the place of `path` once the block ends well."""
    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        raise InputError(f"{path}: there is no folder {folder}; make it first")
    if os.path.isdir(path):
        raise InputError(f"{path}: this is a folder; name a file in it")
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):  # it is in its place
            os.unlink(temporary)


def write_chunks(path: str, chunks: Iterable[bytes]) -> None:
    """All chunks into a file, or no file."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        # A device or pipe, such as /dev/stdout: it cannot be replaced, only written to.
        with open(path, "wb") as out:
            out.writelines(chunks)
        return
    with replacing(path) as temporary, open(temporary, "xb") as out:
        out.writelines(chunks)
