"""Files that are whole or not there: written beside their place, then put into it."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rankscale.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path in the same folder, which takes the place of `path` once the block ends well."""
    place = Path(path)
    if not place.parent.is_dir():
        raise InputError(f"{place}: there is no folder {place.parent}; make it first")
    if place.is_dir():
        raise InputError(f"{place}: this is a folder; name a file in it")
    import tempfile  # noqa: PLC0415  # slow to import, and most results go to standard output

    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files for their owner alone; a result has the rights that any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_chunks(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """All chunks into a file, or no file."""
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        # A device or pipe, such as /dev/stdout: it cannot be replaced, only written to.
        with Path(path).open("wb") as out:
            out.writelines(chunks)
        return
    with replacing(path) as temporary, temporary.open("wb") as out:
        out.writelines(chunks)
