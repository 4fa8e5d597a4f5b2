"""What a file of values holds, unpacked."""

import os
import sys
from io import BytesIO

from rankscale.errors import FormatError, InputError
from rankscale.formats.read.files import of_open_file
from rankscale.formats.read.unpacking import DAMAGED, LEAST, TIMES, without_packing
from rankscale.formats.read.whole_files import read_whole


def content(source: object, max_size: int | None) -> tuple[str, bytes]:
    """How messages call a source, and its bytes, unpacked."""
    where, packed = _read(source)
    whole = BytesIO(packed)
    file = without_packing(whole)
    if file is whole:
        return where, packed
    most = max_size or max(TIMES * len(packed), LEAST)
    try:
        with file:
            plain = file.read(most + 1)
    except DAMAGED as error:
        raise FormatError(f"{where}: expected a packed file that is whole, found a damaged one ({error})") from None
    if len(plain) > most:
        raise InputError(
            f"{where}: unpacks to more than {most:,} bytes; max_size={10 * most} would take ten times that"
        )
    return where, plain


def _read(source: object) -> tuple[str, bytes]:
    if isinstance(source, bytes):
        return "bytes", source
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if path == "-":
            return "standard input", read_whole(sys.stdin.buffer, "standard input")
        with open(path, "rb") as file:
            return str(path), read_whole(file, str(path))
    return of_open_file(source)
