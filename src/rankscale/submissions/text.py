"""The text of a run file in blocks of whole lines, whatever it is packed with."""

import sys
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, cast

from rankscale.data.table import readable
from rankscale.errors import MissingExtraError
from rankscale.formats.read.unpacking import DAMAGED, LEAST, TIMES, without_packing

BLOCK = 8 << 20  # bytes of text looked at together


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
    most = min(LEAST, max_size or LEAST)
    with open(path, "rb") as packed:
        try:
            unpacked = without_packing(packed)
            text = b"" if unpacked is packed else unpacked.read(most + 1)
        except (*DAMAGED, MissingExtraError):
            return path
    return NamedBytes(text, readable(path)) if 0 < len(text) <= most else path


def blocks(source: str | NamedBytes, max_size: int | None = None) -> Iterator[bytes]:
    r"""The unpacked text in blocks that end where a line does; it ends early where the file is damaged or too large.

    Raise MissingExtraError for zst files where there is no pyarrow, which unpacks them.

    >>> import gzip
    >>> list(blocks(NamedBytes(gzip.compress(b"1 Q0 a 1 9 x\n1 Q0 b 2 8 x"), "a run")))
    [b'1 Q0 a 1 9 x\n', b'1 Q0 b 2 8 x']
    """
    packed = NamedBytes(source.getvalue(), source.name) if isinstance(source, NamedBytes) else open(source, "rb")  # noqa: SIM115
    with packed:
        size = packed.seek(0, 2)
        packed.seek(0)
        left = max_size or max(LEAST, TIMES * size)  # as the reader of runs
        rest = b""
        try:
            unpacked = without_packing(cast("BinaryIO", packed))
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
