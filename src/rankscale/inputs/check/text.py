"""The text of a run file in blocks of whole lines, whatever it is packed with."""

from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, cast

from rankscale.data.table import readable
from rankscale.errors import MissingExtraError
from rankscale.inputs.binary_forms import MAGIC
from rankscale.inputs.files import NamedBytes
from rankscale.inputs.unpacking import DAMAGED, LEAST, TIMES, without_packing

BLOCK = 8 << 20  # bytes of text looked at together
MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8
LZ4 = b"\x04\x22\x4d\x18"  # how a file starts that the core alone unpacks


def unpacked_once(path: str, max_size: int | None = None) -> str | NamedBytes:
    """The text of a packed file whose lines are looked at several times, so that it is unpacked for them once.

    The path itself where the file is plain, large, damaged or too large.
    """
    most = min(LEAST, max_size or LEAST)
    with open(path, "rb") as packed:
        try:
            unpacked = without_packing(packed)
            text = b"" if unpacked is packed else unpacked.read(most + 1)
        except (*DAMAGED, MissingExtraError):
            return path
    is_text = 0 < len(text) <= most and text[:4] not in MAGIC
    return NamedBytes(readable(path), text) if is_text else path


def blocks(source: str | NamedBytes, max_size: int | None = None) -> Iterator[bytes]:
    r"""The unpacked text in blocks that end where a line does; it ends early where the file is damaged or too large.

    A byte order mark at its start is skipped, as it is by the reader of runs. Nothing of lz4 files, which that reader
    alone unpacks. Raise MissingExtraError for zst files where there is no pyarrow, which unpacks them.

    >>> import gzip
    >>> list(blocks(NamedBytes("a run", gzip.compress(b"1 Q0 a 1 9 x\n1 Q0 b 2 8 x"))))
    [b'1 Q0 a 1 9 x\n', b'1 Q0 b 2 8 x']
    """
    packed = BytesIO(source.content) if isinstance(source, NamedBytes) else open(source, "rb")  # noqa: SIM115
    with packed:
        size = packed.seek(0, 2)
        packed.seek(0)
        if packed.read(len(LZ4)) == LZ4:
            return
        packed.seek(0)
        left = max_size or max(LEAST, TIMES * size)  # as the reader of runs
        rest: list[bytes] = []  # parts of a line that goes on
        mark = MARK
        try:
            unpacked = without_packing(cast("BinaryIO", packed))
            while left > 0 and (read := unpacked.read(min(BLOCK, left))):
                left -= len(read)
                read, mark = read.removeprefix(mark), b""
                whole, newline, tail = read.rpartition(b"\n")
                if newline:
                    yield b"".join([*rest, whole, newline])
                    rest = []
                rest.append(tail)
        except DAMAGED:  # the reader of runs has said so already
            pass
        if any(rest):
            yield b"".join(rest)


def is_utf8(block: bytes) -> bool:
    """Whether whole lines of text are UTF-8."""
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True
