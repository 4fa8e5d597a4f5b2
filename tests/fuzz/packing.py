"""Archives packed and unpacked without the core."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda text: gzip.compress(text, 1, mtime=0),
    "bz2": lambda text: bz2.compress(text, 1),
    "xz": lambda text: lzma.compress(text, preset=0),
    "zst": lambda text: bytes(pa.compress(text, codec="zstd", asbytes=True)),
}
XZ = b"\xfd7zXZ\0"
UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    XZ: lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ),
    **{b"BZh%d" % level: bz2.BZ2Decompressor for level in range(1, 10)},
}
BY_ARROW = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}


class Fault(Exception):  # noqa: N818  # the file's, not ours
    """The file is wrong; `args` are the lines that are, none where it is the file as a whole."""


class Damaged(Fault):
    """An archive that breaks off, or does not unpack to what was packed."""


def unpacked(data: bytes) -> bytes:
    """All members of an archive, which ends where the last one does; Damaged where it does not."""
    if (codec := BY_ARROW.get(data[:4])) is not None:
        return _by_arrow(data, codec)
    make = next((make for magic, make in UNPACKERS.items() if data.startswith(magic)), None)
    if make is None:
        return data
    text = b""
    try:
        while data:
            unpacker = make()
            text += unpacker.decompress(data)
            if not unpacker.eof:
                raise Damaged
            data = unpacker.unused_data
            if make is UNPACKERS[XZ]:
                data = data[len(data) - len(data.lstrip(b"\0")) & ~3 :]  # its members may be padded with zeros
    except (zlib.error, lzma.LZMAError, OSError) as error:
        raise Damaged from error
    return text


def _by_arrow(data: bytes, codec: str) -> bytes:
    try:
        with pa.input_stream(pa.BufferReader(data), compression=codec) as stream:
            return bytes(stream.read())
    except OSError as error:
        raise Damaged from error
