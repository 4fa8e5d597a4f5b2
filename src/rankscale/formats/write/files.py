"""Files written atomically: first under another name in the same folder, then renamed."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from rankscale.errors import InputError


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """A temporary file in the same folder, which takes the place of `path` once the block ends well."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder or "."):
        raise InputError(f"{path}: there is no folder {folder}; make it first")
    if os.path.isdir(path):
        raise InputError(f"{path}: this is a folder; name a file in it")
    if _written_through(path):
        raise InputError(f"{path}: this is a link, pipe or device; name a file")
    # A name that nobody can guess, and a file that was not there before: no link laid by others is followed.
    temporary = os.path.join(folder, f".rankscale-{os.urandom(8).hex()}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):  # it is in its place
            os.unlink(temporary)


def write_chunks(path: str, chunks: Iterable[bytes]) -> None:
    """All chunks into a file, or no file; what cannot be replaced is written to."""
    if _written_through(path):
        with open(path, "wb") as out:
            out.writelines(chunks)
        return
    with replacing(path) as temporary, open(temporary, "wb") as out:
        out.writelines(chunks)


def _written_through(path: str) -> bool:
    """Links (such as /dev/stdout), pipes and devices stay what they are."""
    return os.path.islink(path) or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))
