"""Files whose content is held as objects of Python: those that other packages read, and those of ranx.

ranx writes (`Run.save(kind="lz4")`) CBOR, packed twice with lz4: numbers by topic and document.
"""

import sys
from contextlib import nullcontext
from typing import Any

from rankscale.data.extensions import function_of_form
from rankscale.data.resources import library
from rankscale.errors import FormatError, InputError
from rankscale.inputs.binary import in_print, place_of
from rankscale.inputs.bounds import HINT, SizeBounds

TIMES, FREE = 6, 4 << 20  # less than other files may unpack to: all of it becomes objects of Python at once
SMALL = 2 << 20  # bytes of a file that is looked through before they do
WHOLE, NEGATIVE, BYTES, TEXT, MAP, TAG, SIMPLE = 0, 1, 2, 3, 5, 6, 7  # kinds of values; real numbers are simple ones
NAMES, NUMBERS = (WHOLE, NEGATIVE, BYTES, TEXT, TAG), (WHOLE, NEGATIVE, SIMPLE, TAG)
LONG = (2, 3)  # tags of numbers of more than 64 bits, positive and negative
EXPECTED = "expected a run or qrels that ranx wrote"
LONGEST, MOST_LONG = 256, 1_000  # bytes of such a number, and names that are such
LENGTHS = {24: 1, 25: 2, 26: 4, 27: 8}  # bytes of a number, by what stands for it in the first byte


def open_held(source: object, form: str, max_size: int | None = None) -> tuple[str, object]:
    """How messages call a file that ranx wrote, or of a form of another package, and what it holds, in memory."""
    read = None if form == "ranx" else function_of_form(form, "read")
    if read is None:
        return open_ranx(source, max_size)
    where, place = place_of(source)
    with nullcontext(sys.stdin.buffer) if place == "-" else place() if callable(place) else open(place, "rb") as file:
        try:
            return where, read(file)
        except InputError as error:
            raise FormatError(f"{where}: {error}") from error


def open_ranx(source: object, max_size: int | None = None) -> tuple[str, dict[str, dict[str, float]]]:
    """How messages call a file of ranx, and its numbers by topic and document."""
    lz4, cbor = library("lz4.frame", "files of ranx", "ranx"), library("cbor2", "files of ranx", "ranx")
    where, place = place_of(source)
    with place() if callable(place) else open(place, "rb") as file:
        packed = file.read()
    most = max_size or max(FREE, TIMES * len(packed))
    try:
        content = _unpacked(lz4, _unpacked(lz4, packed, most, where), most, where)
        if len(packed) <= SMALL:
            check_numbers(content)
        read = cbor.loads(content)
    except InputError:
        raise
    except (RuntimeError, ValueError, EOFError, cbor.CBORError, RecursionError, MemoryError) as error:
        raise FormatError(f"{where}: {EXPECTED}, and it cannot be read ({in_print(str(error))})") from error
    rankings = read.values() if isinstance(read, dict) else [read]
    if wrong := next((type(one).__name__ for one in rankings if not isinstance(one, dict)), None):
        del read, rankings  # which the error would keep in memory
        raise FormatError(f"{where}: expected numbers by topic and document, found {wrong}")
    SizeBounds(where, len(packed), max_size).check_counts(sum(map(len, rankings)), len(read))
    return where, read


def _unpacked(lz4: Any, packed: bytes, most: int, where: str) -> bytes:  # noqa: ANN401  # of a library without types
    """All of one packing of two."""
    unpacking = lz4.LZ4FrameDecompressor()
    text: bytes = unpacking.decompress(packed, max_length=most)
    if unpacking.eof:
        return text
    if len(text) < most:
        raise FormatError(f"{where}: {EXPECTED}, and it breaks off\nwrite the file again")
    raise FormatError(f"{where}: holds more than {most:,} bytes; ", HINT)


def check_numbers(content: bytes) -> None:
    """Raise ValueError unless this is CBOR of numbers by name by name, as ranx writes it.

    CBOR has more than that, of which a few bytes make objects that take much memory or time: numbers of millions of
    digits, thousands of names that are numbers of the same hash, lists in lists.
    """
    topics, place = _head(content, 0, (MAP,))
    long = 0  # names that are long numbers
    for _ in range(topics):
        place, is_long = _passed(content, place, NAMES)
        documents, place = _head(content, place, (MAP,))
        long += is_long
        for _ in range(documents):
            place, is_long = _passed(content, place, NAMES)
            place, _ = _passed(content, place, NUMBERS)
            long += is_long
        if long > MOST_LONG:
            raise ValueError(f"more than {MOST_LONG} names are numbers of more than 64 bits")


def _passed(content: bytes, place: int, kinds: tuple[int, ...]) -> tuple[int, bool]:
    """Where a name or a number ends, and whether it is a number of more than 64 bits."""
    number, end = _head(content, place, kinds)
    kind = content[place] >> 5
    if kind in {BYTES, TEXT}:
        return end + number, False
    if kind != TAG:
        return end, False
    if number not in LONG:
        raise ValueError(f"byte {place} starts a value that ranx does not write")
    size, start = _head(content, end, (BYTES,))
    if size > LONGEST:
        raise ValueError(f"the number at byte {place} takes {size} bytes")
    return start + size, True


def _head(content: bytes, place: int, kinds: tuple[int, ...]) -> tuple[int, int]:
    """The number in the head of a value, which is of one of these kinds, and where the head ends."""
    if place >= len(content):
        raise ValueError("it breaks off")
    kind, number = content[place] >> 5, content[place] & 31
    size = LENGTHS.get(number, 0)
    if kind not in kinds or number > 27:
        raise ValueError(f"byte {place} starts a value that ranx does not write")
    end = place + 1 + size
    return (int.from_bytes(content[place + 1 : end]) if size else number), end
