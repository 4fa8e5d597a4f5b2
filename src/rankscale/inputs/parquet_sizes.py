"""How much the pages of a Parquet file unpack to, as the file itself says, before the library opens it.

The header of a page states how large it is unpacked, and the library makes that much room: a file of some kilobytes
may ask for gigabytes. Only the description at the end of the file and the headers of pages are read here, in the
compact protocol of Thrift (https://parquet.apache.org/docs/file-format/metadata/).
"""

import struct
from base64 import b64decode
from collections.abc import Collection, Iterator
from io import BytesIO
from itertools import chain
from typing import Any, TypeVar

from rankscale.inputs.arrow_sizes import check_schema

END = b"PAR1"
MOST_COLUMNS = 10_000  # a run has a handful
DEEPEST = 32  # structures within each other; the format has five
SCHEMA, ROW_GROUPS, KEY_VALUES = 2, 4, 5  # fields of the description
CHILDREN = 5  # field of a column
CHUNKS = 1  # field of a row group
ABOUT = 3  # field of a chunk
PATH, PACKED_SIZE, DATA_PAGE, DICTIONARY_PAGE = 3, 7, 9, 11  # fields of what is said about a chunk
UNPACKED, PACKED = 2, 3  # fields of the header of a page
LEAST_PAGE = 8  # bytes of the header of a page, at least
KEY, VALUE = 1, 2  # fields of a pair of notes
ARROW_SCHEMA = b"ARROW:schema"  # how Arrow notes its own types

Structure = dict[int, Any]
INTEGER, BINARY, STRUCTURE = 5, 8, 12  # kinds of values
INTEGERS = (4, 5, 6)  # of 16, 32 and 64 bits
LAST_BITS = 63  # a number has no more
# What the lists of the format hold, by their fields, whatever their heads say: the library does not look there. Those
# without a name here are passed over: encodings, notes and statistics of a chunk, the order of a group, of all columns.
Nested = dict[int, tuple[int, "Nested"]]
CHUNK: Nested = {2: (INTEGER, {}), PATH: (BINARY, {}), 8: (STRUCTURE, {}), 13: (STRUCTURE, {})}
GROUP: Nested = {CHUNKS: (STRUCTURE, {ABOUT: (STRUCTURE, CHUNK)}), 4: (STRUCTURE, {})}
FILE: Nested = {
    SCHEMA: (STRUCTURE, {}),
    ROW_GROUPS: (STRUCTURE, GROUP),
    KEY_VALUES: (STRUCTURE, {}),
    7: (STRUCTURE, {}),
}
Kind = TypeVar("Kind")


class Description:
    """What a Parquet file says about itself; ValueError where it has more columns than any run, or is damaged."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        (length,) = struct.unpack_from("<I", content, max(0, len(content) - 8)) if len(content) >= 12 else (0,)
        if content[-4:] != END or not 0 < length <= len(content) - 12:
            raise ValueError("it does not end as a Parquet file does")
        about = _Compact(content[len(content) - 8 - length : len(content) - 8]).structure(FILE, last=KEY_VALUES)
        schema = _structures(about, SCHEMA)
        if len(schema) > MOST_COLUMNS:
            raise ValueError(f"it has {len(schema)} columns, and {MOST_COLUMNS} are the most that are read")
        leaves = sum(not one.get(CHILDREN) for one in schema)
        self.groups = [_structures(group, CHUNKS) for group in _structures(about, ROW_GROUPS)]
        if any(len(chunks) != leaves for chunks in self.groups):
            raise ValueError("a row group has more or fewer columns than the file")
        for pair in _structures(about, KEY_VALUES):
            if pair.get(KEY) == ARROW_SCHEMA:
                check_schema(BytesIO(b64decode(_of_kind(pair, VALUE, bytes, b""))))

    def unpacked_size(self, columns: Collection[str]) -> int:
        """Bytes that the pages of these columns, whatever is within them, say that they unpack to.

        Raise ValueError where there are more pages than the file has room for, because chunks share them.
        """
        names = {name.encode("utf-8", "surrogateescape") for name in columns}
        every = (_of_kind(chunk, ABOUT, dict, {}) for chunk in chain.from_iterable(self.groups))
        wanted = (about for about in every if next(iter(_of_kind(about, PATH, list, [])), b"") in names)
        size = 0
        for count, page in enumerate(chain.from_iterable(map(self._page_sizes, wanted))):
            if count * LEAST_PAGE > len(self.content):
                raise ValueError("it lists pages more than once")
            size += page
        return size

    def _page_sizes(self, about: Structure) -> Iterator[int]:
        """What the pages of a chunk say, one after the other, as the library would meet them."""
        places = [_of_kind(about, field, int, 0) for field in (DICTIONARY_PAGE, DATA_PAGE)]
        place = min((place for place in places if place > 0), default=0)
        end = min(place + _of_kind(about, PACKED_SIZE, int, 0), len(self.content))
        while 0 < place < end:
            page = _Compact(self.content, place)
            header = page.structure()
            packed, unpacked = (_of_kind(header, field, int, -1) for field in (PACKED, UNPACKED))
            if packed < 0 or unpacked < 0:
                raise ValueError("a page says that it holds fewer than 0 bytes")
            yield unpacked
            place = page.place + packed


def _of_kind(fields: Structure, number: int, kind: type[Kind], default: Kind) -> Kind:
    """A field of a structure; a value of another kind than the format says is passed over, as the library does."""
    value = fields.get(number, default)
    return value if isinstance(value, kind) else default


def _structures(fields: Structure, number: int) -> list[Structure]:
    return [one for one in _of_kind(fields, number, list, []) if isinstance(one, dict)]


class _Compact:
    """Values in the compact protocol of Thrift: a structure is a dictionary by the numbers of its fields."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place, self.depth = data, place, 0

    def structure(self, nested: Nested | None = None, last: int | None = None) -> Structure:
        """The fields up to the sign that ends them; damage behind the field `last` is left to the library."""
        fields: Structure = {}
        number = 0
        try:
            while head := self._byte():
                number = number + (head >> 4) if head >> 4 else self._signed()
                kind = head & 15
                is_integer = kind in INTEGERS  # as most are
                fields[number] = self._signed() if is_integer else self._value(kind, number, nested or {})
        except ValueError:
            if last is None or number <= last:
                raise
        return fields

    def _value(self, kind: int, number: int, nested: Nested) -> Any:  # noqa: ANN401  # of any of the kinds
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError("its description is nested deeper than the format is")
        match kind:
            case 0 | 1 | 2:
                value: Any = kind == 1
            case 3:
                value = self._byte()
            case 4 | 5 | 6:  # as in INTEGERS
                value = self._signed()
            case 7 | 13:
                value = self._bytes(8 if kind == 7 else 16)
            case 8:
                value = self._bytes(self._number())
            case 9 | 10:
                value = self._list(*nested.get(number, (None, {})))
            case 11:
                value = None
                self._pass_map()
            case 12:
                value = self.structure(nested[number][1] if number in nested else None)
            case _:
                raise ValueError(f"its description has a value of a kind that there is not ({kind})")
        self.depth -= 1
        return value

    def _list(self, known: int | None, nested: Nested) -> list[Any]:
        head = self._byte()
        count, kind = head >> 4, known or head & 15
        count = self._number() if count == 15 else count
        self._check_count(count)
        if kind in {1, 2}:
            return list(self._bytes(count))
        return [self._value(kind, 0, {0: (kind, nested)}) for _ in range(count)]

    def _pass_map(self) -> None:
        """The format has none."""
        count = self._number()
        self._check_count(count)
        kinds = self._byte() if count else 0
        for _ in range(count):
            self._value(kinds >> 4, 0, {})
            self._value(kinds & 15, 0, {})

    def _check_count(self, count: int) -> None:
        if count > len(self.data) - self.place:
            raise ValueError("its description breaks off")

    def _signed(self) -> int:
        number = self._number()
        return (number >> 1) ^ -(number & 1)

    def _number(self) -> int:
        data, place = self.data, self.place
        try:
            byte = data[place]
            number, shift = byte & 127, 7
            while byte & 128:
                if shift > LAST_BITS:
                    raise ValueError("its description has a number that is too long")
                place += 1
                byte = data[place]
                number |= (byte & 127) << shift
                shift += 7
        except IndexError:
            raise ValueError("its description breaks off") from None
        self.place = place + 1
        return number

    def _byte(self) -> int:
        try:
            byte = self.data[self.place]
        except IndexError:
            raise ValueError("its description breaks off") from None
        self.place += 1
        return byte

    def _bytes(self, count: int) -> bytes:
        self._check_count(count)
        self.place += count
        return self.data[self.place - count : self.place]
