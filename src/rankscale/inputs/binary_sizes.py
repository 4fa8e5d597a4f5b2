"""What Parquet and Arrow files say about themselves, looked at before the library believes it.

A buffer of Arrow that is compressed starts with its length, and the header of a page of Parquet states how large it is
unpacked; the library makes that much room, so that a file of some kilobytes may ask for gigabytes. pyarrow does not say
how long buffers are, its summary of a Parquet file may say less than its pages, and asking it about a column of a
damaged file can end the process (docs/decisions/0040). So descriptions alone are read here, never data: of Arrow in
FlatBuffers (https://arrow.apache.org/docs/format/Columnar.html), of Parquet in the compact protocol of Thrift
(https://parquet.apache.org/docs/file-format/metadata/).
"""

import struct
from base64 import b64decode
from collections.abc import Collection, Iterator, Sequence
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO, TypeVar

FILE = b"ARROW1"  # how a file starts and ends; a stream starts with its first message
DICTIONARIES, BATCHES = 2, 3  # fields of the list at the end of a file: where messages stand
BLOCK = struct.Struct("<qi4xq")  # offset of a message, length of its description, length of its body
FRAME = 0xFFFFFFFF  # before the length of a description; older writers leave it out
DICTIONARY, BATCH = 2, 3  # kinds of messages with buffers
KIND, HEADER, BODY = 1, 2, 3  # fields of a message
NODES, BUFFERS, COMPRESSION = 1, 2, 3  # fields of a batch
EARLY = b"ARROW:experimental_compression"  # how writers said so before there was a field for it
DATA = 1  # field of a dictionary: a batch
NODE = struct.Struct("<qq")  # rows of a column, and how many of them are null
BUFFER = struct.Struct("<qq")  # offset and length in the body
PREFIX = struct.Struct("<q")  # the length of an unpacked buffer
SCHEMA = 1  # kind of the message with the names and types of columns; field of the list at the end that repeats it
FIELDS, METADATA = 1, 2  # fields of a schema
NAME, CHILDREN, NOTES = 0, 5, 6  # fields of a column
MOST_FIELDS = 10_000  # a run has a handful of columns
DEEPEST = 64  # columns within columns
OFFSET = 4  # bytes of an offset to a column, or to a pair of notes

# How many buffers each column has, the first for nulls, and whether it is read.
BufferLayout = Sequence[tuple[int, bool]]


def unpacked_sizes(file: BinaryIO, layout: BufferLayout | None = None) -> Iterator[int]:
    """For each message of a file or stream how many bytes its compressed buffers unpack to; 0 where it has none.

    With a layout, buffers of columns that are not read do not count, nor the buffer for nulls of a column without any:
    the library leaves them alone. Dictionaries always count.

    Raises ValueError where it cannot be told which messages there are.
    """
    is_file = file.read(len(FILE)) == FILE
    size = file.seek(0, 2)
    try:
        for message in _messages_of_file(file, size) if is_file else _messages_of_stream(file, size):
            places = ((message.body + offset, length) for offset, length in message.compressed_buffers(layout))
            yield sum(_unpacked(file, place, length) for place, length in places if 0 <= place < size)
    except struct.error as error:
        raise ValueError(f"a description breaks off ({error})") from error


def check_schema(file: BinaryIO) -> None:
    """Raise ValueError where the columns of a file or stream are more than any run has, or share what they say.

    Offsets may lead many columns to one long name, of which the library makes a copy for each.
    """
    is_file = file.read(len(FILE)) == FILE
    size = file.seek(0, 2)
    try:
        if is_file:  # the library looks at its end alone
            listed = _list_at_end(file, size)
            schema = listed.field(listed.following(0), SCHEMA)
            if schema is not None:
                listed.check_fields(listed.following(schema))
        elif (message := _Message.at(file, 0, size)) is not None and message.kind == SCHEMA:
            message.check_fields(message.header)
    except struct.error as error:
        raise ValueError(f"a description breaks off ({error})") from error


def _messages_of_stream(file: BinaryIO, size: int) -> "Iterator[_Message]":
    at = 0
    while at < size:
        message = _Message.at(file, at, size)
        if message is None:
            return
        yield message
        at = message.end


def _messages_of_file(file: BinaryIO, size: int) -> "Iterator[_Message]":
    """Those that the list at its end names, which need not stand in its order; ValueError where they overlap."""
    listed = _list_at_end(file, size)
    root, seen, taken = listed.following(0), set(), 0
    for field in (DICTIONARIES, BATCHES):
        blocks = listed.vector(root, field, BLOCK.size)
        for offset, _, _ in (BLOCK.unpack_from(listed.data, place) for place in blocks):
            if offset in seen:
                raise ValueError(f"it lists the message at byte {offset} more than once")
            seen.add(offset)
            message = _Message.at(file, offset, size) if 0 <= offset < size else None
            if message is None:
                raise ValueError(f"it lists a message at byte {offset}, and there is none")
            taken += message.end - offset
            if taken > size:
                raise ValueError("its messages overlap")
            yield message


def _list_at_end(file: BinaryIO, size: int) -> "_Tables":
    """The list of messages at the end of a file."""
    tail = len(FILE) + 4
    file.seek(max(0, size - tail))
    length, ends = struct.unpack(f"<I{len(FILE)}s", file.read(tail))
    if ends != FILE or not 0 < length <= size - tail:
        raise ValueError("it does not end as an Arrow file does")
    file.seek(size - tail - length)
    return _Tables(file.read(length))


def _unpacked(file: BinaryIO, place: int, length: int) -> int:
    """How many bytes one buffer unpacks to; 0 where that cannot be read, which is for the library to refuse."""
    if length < PREFIX.size:
        return 0  # an empty one has no prefix
    file.seek(place)
    prefix = file.read(PREFIX.size)
    return max(0, *PREFIX.unpack(prefix)) if len(prefix) == PREFIX.size else 0  # -1: it is not compressed after all


class _Tables:
    """Tables of FlatBuffers, read field by field."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def field(self, table: int, number: int) -> int | None:
        """Where a field of a table stands; None where it has its default."""
        fields = table - self.number("<i", table)
        place = 4 + 2 * number
        if fields < 0 or place >= self.number("<H", fields):
            return None
        offset = self.number("<H", fields + place)
        return table + offset if offset else None

    def following(self, place: int) -> int:
        """Follow the offset that is stored at a place."""
        return place + self.number("<I", place)

    def vector(self, table: int, number: int, size: int) -> range:
        """Where the items of a vector stand, each of so many bytes; none where the table has no such field."""
        field = self.field(table, number)
        if field is None:
            return range(0)
        first = self.following(field)
        return range(first + 4, first + 4 + size * self.number("<I", first), size)

    def check_fields(self, schema: int) -> None:
        """Raise ValueError where columns are too many, too deep, or say more than there are bytes."""
        count, said = 0, self._said(schema, METADATA)
        below = [(self.following(place), 1) for place in self._few(schema, FIELDS)]
        while below:
            field, depth = below.pop()
            count, said = count + 1, said + OFFSET + self._said(field, NOTES)
            name = self.field(field, NAME)
            said += self.number("<I", self.following(name)) if name is not None else 0
            below += [(self.following(place), depth + 1) for place in self._few(field, CHILDREN)]
            if count + len(below) > MOST_FIELDS or depth > DEEPEST:
                raise ValueError(f"it has more than {MOST_FIELDS} columns, or {DEEPEST} within each other")
            if said > len(self.data):
                raise ValueError("the names of its columns take more bytes than there are")

    def _said(self, table: int, number: int) -> int:
        """Bytes of a vector of pairs, and of their keys and values."""
        said = 0
        for pair in map(self.following, self._few(table, number)):
            places = filter(None, (self.field(pair, number) for number in (0, 1)))  # of its key and its value
            said += OFFSET + sum(self.number("<I", self.following(place)) for place in places)
        return said

    def _few(self, table: int, number: int) -> range:
        """Where the offsets of a vector stand; ValueError where they are too many."""
        places = self.vector(table, number, 4)
        if len(places) > MOST_FIELDS:
            raise ValueError(f"it has more than {MOST_FIELDS} columns")
        return places

    def number(self, kind: str, place: int) -> int:
        """The number at a place."""
        (number,) = struct.unpack_from(kind, self.data, place)
        return int(number)


class _Message(_Tables):
    """What a message says about itself, and where in the file its body stands."""

    def __init__(self, data: bytes, body: int, size: int) -> None:
        super().__init__(data)
        self.body, self.root = body, self.following(0)
        length = self.field(self.root, BODY)
        bytes_of_body = self.number("<q", length) if length else 0
        if not 0 <= bytes_of_body <= size - body:
            raise ValueError(f"a message says that {bytes_of_body} bytes follow, and there are {size - body}")
        self.end = body + bytes_of_body

    @property
    def kind(self) -> int | None:
        """The kind of this message; None where it has no kind or no header."""
        kind, header = self.field(self.root, KIND), self.field(self.root, HEADER)
        return None if kind is None or header is None else self.number("<B", kind)

    @property
    def header(self) -> int:
        """Where the table of a message of some kind stands."""
        return self.following(self.field(self.root, HEADER) or 0)

    @classmethod
    def at(cls, file: BinaryIO, start: int, size: int) -> "_Message | None":
        """The message that starts here; None at the end of a stream."""
        file.seek(start)
        first, second = struct.unpack("<II", file.read(8).ljust(8, b"\0"))
        length, begins = (second, start + 8) if first == FRAME else (first, start + 4)
        if length == 0:
            return None
        if length > size - begins:
            raise ValueError(f"a message says that its description takes {length} bytes, and there are {size - begins}")
        file.seek(begins)
        return cls(file.read(length), begins + length, size)

    def compressed_buffers(self, layout: BufferLayout | None) -> Iterator[tuple[int, int]]:
        """Offset in the body and length of each buffer, where buffers are compressed."""
        if self.kind not in {DICTIONARY, BATCH}:
            return
        batch = self.header
        if self.kind == DICTIONARY:
            data, layout = self.field(batch, DATA), None
            if data is None:
                return
            batch = self.following(data)
        if self.field(batch, COMPRESSION) is None and EARLY not in self.data:
            return
        places = self.vector(batch, BUFFERS, BUFFER.size)
        for place in places if layout is None else self._read(batch, places, layout):
            yield BUFFER.unpack_from(self.data, place)

    def _read(self, batch: int, buffers: range, layout: BufferLayout) -> Iterator[int]:
        """Those of the buffers that are read."""
        first = 0
        for (count, is_read), node in zip(layout, self.vector(batch, NODES, NODE.size), strict=False):
            _, nulls = NODE.unpack_from(self.data, node)
            if is_read:
                yield from buffers[first + (nulls == 0) : first + count]
            first += count


END = b"PAR1"
MOST_COLUMNS = 10_000  # a run has a handful
DEEPEST_STRUCTURE = 32  # structures within each other; the format has five
SCHEMA_FIELD, ROW_GROUPS, KEY_VALUES = 2, 4, 5  # fields of the description
CHILD_COUNT = 5  # field of a column
CHUNKS = 1  # field of a row group
ABOUT = 3  # field of a chunk
PATH, PACKED_SIZE, DATA_PAGE, DICTIONARY_PAGE = 3, 7, 9, 11  # fields of what is said about a chunk
UNPACKED, PACKED = 2, 3  # fields of the header of a page
LEAST_PAGE = 8  # bytes of the header of a page, at least
KEY, VALUE = 1, 2  # fields of a pair of notes
ARROW_SCHEMA = b"ARROW:schema"  # how Arrow notes its own types

ThriftFields = dict[int, Any]
INTEGER, BINARY, STRUCTURE = 5, 8, 12  # kinds of values
INTEGERS = (4, 5, 6)  # of 16, 32 and 64 bits
LAST_BITS = 63  # a number has no more
# What the lists of the format hold, by their fields, whatever their heads say: the library does not look there. Those
# without a name here are passed over: encodings, notes and statistics of a chunk, the order of a group, of all columns.
Nested = dict[int, tuple[int, "Nested"]]
CHUNK: Nested = {2: (INTEGER, {}), PATH: (BINARY, {}), 8: (STRUCTURE, {}), 13: (STRUCTURE, {})}
GROUP: Nested = {CHUNKS: (STRUCTURE, {ABOUT: (STRUCTURE, CHUNK)}), 4: (STRUCTURE, {})}
FILE_FIELDS: Nested = {
    SCHEMA_FIELD: (STRUCTURE, {}),
    ROW_GROUPS: (STRUCTURE, GROUP),
    KEY_VALUES: (STRUCTURE, {}),
    7: (STRUCTURE, {}),
}
Kind = TypeVar("Kind")


class ParquetDescription:
    """What a Parquet file says about itself; ValueError where it has more columns than any run, or is damaged."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        (length,) = struct.unpack_from("<I", content, max(0, len(content) - 8)) if len(content) >= 12 else (0,)
        if content[-4:] != END or not 0 < length <= len(content) - 12:
            raise ValueError("it does not end as a Parquet file does")
        about = _Compact(content[len(content) - 8 - length : len(content) - 8]).structure(FILE_FIELDS, last=KEY_VALUES)
        schema = _structures(about, SCHEMA_FIELD)
        if len(schema) > MOST_COLUMNS:
            raise ValueError(f"it has {len(schema)} columns, and {MOST_COLUMNS} are the most that are read")
        leaves = sum(not one.get(CHILD_COUNT) for one in schema)
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

    def _page_sizes(self, about: ThriftFields) -> Iterator[int]:
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


def _of_kind(fields: ThriftFields, number: int, kind: type[Kind], default: Kind) -> Kind:
    """A field of a structure; a value of another kind than the format says is passed over, as the library does."""
    value = fields.get(number, default)
    return value if isinstance(value, kind) else default


def _structures(fields: ThriftFields, number: int) -> list[ThriftFields]:
    return [one for one in _of_kind(fields, number, list, []) if isinstance(one, dict)]


class _Compact:
    """Values in the compact protocol of Thrift: a structure is a dictionary by the numbers of its fields."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place, self.depth = data, place, 0

    def structure(self, nested: Nested | None = None, last: int | None = None) -> ThriftFields:
        """The fields up to the sign that ends them; damage behind the field `last` is left to the library."""
        fields: ThriftFields = {}
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
        if self.depth > DEEPEST_STRUCTURE:
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
        return self._bytes(1)[0]

    def _bytes(self, count: int) -> bytes:
        self._check_count(count)
        self.place += count
        return self.data[self.place - count : self.place]
