"""What an Arrow file says about itself, looked at before the library believes it: sizes of buffers, names of columns.

A buffer that is compressed starts with its length in 8 bytes, which the library takes at its word: a file of some
kilobytes may ask for gigabytes. Only the frames of messages and their descriptions are read here, never their bodies
(https://arrow.apache.org/docs/format/Columnar.html, serialisation and inter-process communication).
"""

import struct
from collections.abc import Iterator, Sequence
from typing import BinaryIO

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

Layout = Sequence[tuple[int, bool]]  # how many buffers each column has, the first for nulls, and whether it is read


def unpacked_sizes(file: BinaryIO, layout: Layout | None = None) -> Iterator[int]:
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
        elif (message := _Message.at(file, 0, size)) is not None:
            message.check_schema()
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
            said += OFFSET + sum(
                self.number("<I", self.following(one)) for of in (0, 1) if (one := self.field(pair, of))
            )
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

    def check_schema(self) -> None:
        """Raise ValueError where this is a schema that says too much."""
        kind, header = self.field(self.root, KIND), self.field(self.root, HEADER)
        if kind is not None and header is not None and self.number("<B", kind) == SCHEMA:
            self.check_fields(self.following(header))

    def compressed_buffers(self, layout: Layout | None) -> Iterator[tuple[int, int]]:
        """Offset in the body and length of each buffer, where buffers are compressed."""
        kind, header = self.field(self.root, KIND), self.field(self.root, HEADER)
        if kind is None or header is None or self.number("<B", kind) not in {DICTIONARY, BATCH}:
            return
        batch = self.following(header)
        if self.number("<B", kind) == DICTIONARY:
            data, layout = self.field(batch, DATA), None
            if data is None:
                return
            batch = self.following(data)
        if self.field(batch, COMPRESSION) is None and EARLY not in self.data:
            return
        places = self.vector(batch, BUFFERS, BUFFER.size)
        for place in places if layout is None else self._read(batch, places, layout):
            yield BUFFER.unpack_from(self.data, place)

    def _read(self, batch: int, buffers: range, layout: Layout) -> Iterator[int]:
        """Those of the buffers that are read."""
        first = 0
        for (count, is_read), node in zip(layout, self.vector(batch, NODES, NODE.size), strict=False):
            _, nulls = NODE.unpack_from(self.data, node)
            if is_read:
                yield from buffers[first + (nulls == 0) : first + count]
            first += count
