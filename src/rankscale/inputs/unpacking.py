"""Packed files as Python reads them: where lines themselves are wanted, which the core does not give."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO, cast

from rankscale.data.libraries import library

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


@contextmanager
def unpacked(file: BinaryIO) -> Iterator[BinaryIO]:
    """`without_packing`; the file is closed at the end."""
    with file:
        yield without_packing(file)
