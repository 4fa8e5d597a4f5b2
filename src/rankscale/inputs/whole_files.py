"""Files that are kept in memory as a whole, since they can be read only once: standard input, pipes, open files."""

import os
import stat
from io import BytesIO
from typing import BinaryIO, Protocol

from rankscale.data.memory import budget, is_limited, need, size_text
from rankscale.errors import InputError, MemoryLimitError

CHUNK = 8 << 20  # bytes read between two looks at the memory
INSTEAD = "cut it into smaller files"


class Readable(Protocol):
    """A file that is open; what it gives is not known to be bytes."""

    def read(self, size: int = -1, /) -> object:
        """Read the next so many bytes, or all."""


def read_whole(file: Readable | BinaryIO, name: str) -> bytes:
    """Read all of a file; raise MemoryLimitError as soon as it takes more memory than may be used.

    Raises
    ------
    MemoryLimitError
        If the file is larger, or has no end, as that of `yes | rankscale check -`.
    InputError
        If it was opened as text.

    >>> read_whole(BytesIO(b"1 Q0 a 1 9 x"), "a run")
    b'1 Q0 a 1 9 x'
    """
    _check_size(file, name)
    held = BytesIO()
    while chunk := file.read(CHUNK):
        if not isinstance(chunk, bytes):
            raise InputError("expected a file opened in binary mode ('rb'), found one opened as text")
        held.write(chunk)
        if held.tell() > CHUNK:
            _check_held(held.tell(), name)
    return held.getvalue()


def _check_size(file: object, name: str) -> None:
    """Raise MemoryLimitError where a file on disk is too large, which is known before it is read."""
    try:
        status = os.fstat(file.fileno())  # type: ignore[attr-defined]  # where it has none, nothing is known
    except (AttributeError, OSError, ValueError):
        return
    if stat.S_ISREG(status.st_mode):
        need(status.st_size, f"{name}: keeping it in memory", INSTEAD)


def _check_held(size: int, name: str) -> None:
    """Raise MemoryLimitError where so many bytes are all that the limit allows, or half of what was free."""
    left = budget()
    if left < CHUNK if is_limited() else size > 2 * left:
        taken = f"{name}: more than the {size_text(size)} read so far do not fit into the memory that may be used"
        raise MemoryLimitError(f"{taken}; {INSTEAD}, or allow more with --max-memory (set_max_memory() in Python)")
