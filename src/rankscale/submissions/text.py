"""The text of a run file in blocks of whole lines, whatever it is packed with."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, cast

from rankscale.data.table import readable
from rankscale.errors import MissingExtraError
from rankscale.formats.write.frames import library

BLOCK = 8 << 20  # bytes of text looked at together
RATIO, FREE = 250, 64 << 20  # a file that unpacks to more than both is not unpacked to its end, as by the reader
DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error)  # while a file is unpacked


class NamedBytes(BytesIO):
    """Bytes that messages call by a name: standard input, which is read once and looked at twice."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def standard_input() -> NamedBytes:
    """All of standard input."""
    return NamedBytes(sys.stdin.buffer.read(), "standard input")


def unpacked_once(path: str, max_size: int | None = None) -> str | NamedBytes:
    """The text of a packed file, so that it is unpacked once and looked at twice.

    The path itself where the file is plain, large, damaged or too large: then the reader of runs decides what to say.
    """
    most = min(FREE, max_size or FREE)
    with open(path, "rb") as packed:
        try:
            unpacked = _unpacked(packed)
            text = b"" if unpacked is packed else unpacked.read(most + 1)
        except (*DAMAGED, MissingExtraError):
            return path
    return NamedBytes(text, readable(path)) if 0 < len(text) <= most else path


def blocks(source: str | NamedBytes, max_size: int | None = None) -> Iterator[bytes]:
    r"""The unpacked text in blocks that end where a line does; it ends early where the file is damaged or too large.

    Raise MissingExtraError for zst files where there is no pyarrow, which unpacks them.

    >>> list(blocks(NamedBytes(gzip.compress(b"1 Q0 a 1 9 x\n1 Q0 b 2 8 x"), "a run")))
    [b'1 Q0 a 1 9 x\n', b'1 Q0 b 2 8 x']
    """
    packed = NamedBytes(source.getvalue(), source.name) if isinstance(source, NamedBytes) else open(source, "rb")  # noqa: SIM115
    with packed:
        size = packed.seek(0, 2)
        packed.seek(0)
        left = max_size or max(FREE, RATIO * size)
        rest = b""
        try:
            unpacked = _unpacked(cast("BinaryIO", packed))
            while left > 0 and (read := unpacked.read(min(BLOCK, left))):
                left -= len(read)
                whole, newline, tail = read.rpartition(b"\n")
                if newline:
                    yield rest + whole + newline
                rest = tail if newline else rest + tail
        except DAMAGED:  # the reader of runs has said so already
            pass
        if rest:
            yield rest


def _unpacked(packed: BinaryIO) -> BinaryIO:
    """The file with its packing taken off, as its first bytes say."""
    head = packed.read(6)
    packed.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", gzip.GzipFile(fileobj=packed))
    if head.startswith(b"BZh"):
        return cast("BinaryIO", bz2.BZ2File(packed))
    if head == b"\xfd7zXZ\x00":
        return cast("BinaryIO", lzma.LZMAFile(packed))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        arrow = library("pyarrow", "looking into zst files", "frames")
        return cast("BinaryIO", arrow.CompressedInputStream(packed, "zstd"))
    return packed
