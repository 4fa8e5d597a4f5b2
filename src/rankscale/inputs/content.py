"""What a side input holds, such as a file of values, topics, groups or probabilities: unpacked, and within limits.

The limits of run files hold for these files too (docs/decisions/0040). Their names and numbers become objects of
Python, which take many bytes for each byte of text.
"""

import bz2
import gzip
import json
import lzma
import os
import re
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import BinaryIO, NamedTuple, cast

from rankscale.data.resources import library, need
from rankscale.errors import FormatError, InputError
from rankscale.inputs.bounds import BYTES_OF_ROW, FREE_ROWS
from rankscale.inputs.files import INSTEAD, name_and_content, of_open_file

PACKINGS: Mapping[bytes, Callable[[BinaryIO], object]] = {  # by how their content starts
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": lambda file: library("pyarrow", "a zst file").CompressedInputStream(file, "zstd"),
}
TIMES, LEAST = 40, 16 << 20  # a file may unpack to so many times its size, or to 16 MiB
DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error)  # errors while a file is unpacked


def without_packing(file: BinaryIO) -> BinaryIO:
    """The content of a gz, bz2, xz or zst file, recognised by how it starts; the file itself where it is plain.

    Raise MissingExtraError for a zst file where there is no pyarrow, which unpacks it.
    """
    start = file.read(6)
    file.seek(0)
    unpack = next((how for magic, how in PACKINGS.items() if start.startswith(magic)), None)
    return file if unpack is None else cast("BinaryIO", unpack(file))


OBJECTS = 40  # bytes of memory for each byte of text, where lines are short
CELLS = 8  # of a row, for all of which a small packed file may have room
HINT = "if this is meant, give it as plain text"

HALF = re.compile(r"\\u[dD][89a-fA-F]")  # an escape that may be half of a surrogate pair


def check_characters(text: str, document: object, where: str) -> None:
    r"""Raise FormatError where JSON has half of a surrogate pair: no character, so that nothing could be written of it.

    Halves that stand for bytes that are not UTF-8, as rankscale writes them, are allowed.

    >>> check_characters('["\\udce9"]', json.loads('["\\udce9"]'), "file")
    """
    if HALF.search(text) is None:
        return
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise FormatError(f"{where}: expected characters, found half of a surrogate pair (\\u{half:x})") from None


class Content(NamedTuple):
    """The bytes of a file, unpacked."""

    where: str  # how messages call it
    plain: bytes
    most: int | None  # rows and values that it may hold; None: as many as its text has room for


def content(source: object, max_size: int | None = None) -> Content:
    """The content of a path (`-`: standard input), an open binary file or bytes.

    Raises
    ------
    InputError
        If a packed file unpacks to more than it may, or holds more lines.
    FormatError
        If a packed file is damaged.
    MemoryLimitError
        If the file, or what becomes of it, does not fit into the memory that may be used.
    """
    where, packed = _read(source)
    whole = BytesIO(packed)
    file = without_packing(whole)
    if file is whole:
        plain, most = packed, None
    else:
        plain = _unpacked(where, file, max_size or max(TIMES * len(packed), LEAST))
        most = None if max_size else most_rows(len(packed))
        if most is not None:
            _check_counts(where, plain, len(packed), most)
    need(OBJECTS * len(plain), f"{where}: reading its {len(plain):,} bytes", INSTEAD)
    return Content(where, plain, most)


def text_of(source: object) -> tuple[str, str]:
    """The name of a source in messages, and its text without a byte order mark."""
    where, plain, _ = content(source)
    return where, plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def most_rows(on_disk: int) -> int:
    """Rows that a packed file of so many bytes may hold, as a packed run may: one for each byte, or 524,288."""
    return max(FREE_ROWS, on_disk // BYTES_OF_ROW)


def too_many(where: str, what: str, on_disk: int) -> InputError:
    """An error about a file that holds more than its size explains."""
    return InputError(f"{where}: holds {what} in {on_disk:,} bytes; {HINT}")


def _check_counts(where: str, plain: bytes, on_disk: int, most: int) -> None:
    """Raise InputError where a packed file holds more lines or cells than its size explains."""
    if (rows := plain.count(b"\n")) > most:
        raise too_many(where, f"{rows:,} lines", on_disk)
    if (cells := max(map(plain.count, (b",", b"\t", b";")))) > CELLS * most:
        raise too_many(where, f"{cells:,} cells", on_disk)


def _unpacked(where: str, file: object, most: int) -> bytes:
    try:
        with file:  # type: ignore[attr-defined]
            plain: bytes = file.read(most + 1)  # type: ignore[attr-defined]
    except DAMAGED as error:
        raise FormatError(f"{where}: expected a packed file that is whole, found a damaged one ({error})") from None
    if len(plain) > most:
        raise InputError(f"{where}: unpacks to more than {most:,} bytes; {HINT}")
    return plain


def _read(source: object) -> tuple[str, bytes]:
    if isinstance(source, bytes):
        return "bytes", source
    return name_and_content(str(os.fspath(source))) if isinstance(source, str | os.PathLike) else of_open_file(source)
