"""What a file of values holds, unpacked."""

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib

from rankscale.errors import FormatError, InputError

TIMES, LEAST = 250, 2**26  # a packed file may unpack to so many times its size, or to 64 MiB


def _opened(packed: bytes) -> "gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile | None":
    """The file that unpacks these bytes; None where they are not packed."""
    if packed.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=io.BytesIO(packed), mode="rb")
    if packed.startswith(b"BZh"):
        return bz2.BZ2File(io.BytesIO(packed))
    return lzma.LZMAFile(io.BytesIO(packed)) if packed.startswith(b"\xfd7zXZ\x00") else None


def content(source: object, max_size: int | None) -> tuple[str, bytes]:
    """How messages call a source, and its bytes, unpacked."""
    where, packed = _read(source)
    file = _opened(packed)
    if file is None:
        return where, packed
    most = max_size or max(TIMES * len(packed), LEAST)
    try:
        with file:
            plain = file.read(most + 1)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
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
            return "standard input", sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return str(path), file.read()
    given = source.read()  # type: ignore[attr-defined]  # an open file
    name = getattr(source, "name", "")
    if not isinstance(given, bytes):
        raise InputError("expected a file opened in binary mode ('rb'), found one opened as text")
    return name if isinstance(name, str) and name else "an open file", given
