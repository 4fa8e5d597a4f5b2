"""The lines of a run file: unpacked in blocks, their columns as arrays, and what the comments above them say.

`ir_metadata` is YAML in those comments, or in the file next to the run. Names and plain values are all that is taken of
it: maps by indentation, lists, and text that goes on in the next line. That needs no library.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.table import readable
from rankscale.errors import MissingExtraError
from rankscale.inputs.binary import LZ4, MAGIC
from rankscale.inputs.content import DAMAGED, LEAST, TIMES, without_packing
from rankscale.inputs.core_results import name_of
from rankscale.inputs.files import METADATA, RUN, NamedBytes
from rankscale.inputs.rankings import Listing

BLOCK = 8 << 20  # bytes of text looked at together
MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8


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


COLUMNS, RANK, SCORE = 6, 3, 4
FEW, GAPS = 3, 2  # documents from which ranks are told from scores; the largest rank, as a multiple of their number
BLANK, NEWLINE, PLUS, MINUS, POINT, ZERO = b" \n+-.0"  # as bytes; those below a blank separate, too
WIDEST = 100  # bytes of a field; wider ones would take room for all lines
LONGEST = 17  # characters of a number with a sign, a point and 15 digits, which a double holds exactly
COMMENTS = re.compile(rb"\A(?:[ \t\r\f\v]*(?:#[^\n]*)?\n)+")  # with which a block starts, and empty lines
Bytes = np.ndarray[tuple[int, ...], np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class LineColumns:
    """What the lines of a run hold, whether or not there are judgments for them."""

    topics: tuple[str, ...]  # as they first appear
    topic: Ints  # (line,), place in `topics`
    rank: Floats  # (line,), NaN where the rank column holds no number
    score: Floats  # (line,)
    is_utf8: bool

    @property
    def length(self) -> Ints:
        """(topic,): how many documents each topic has."""
        return np.bincount(self.topic, minlength=len(self.topics))

    def tied(self) -> Floats:
        """(topic,): share of its documents that have the score of another one, compared in single precision."""
        score = self.score.astype(np.float32)
        order = np.lexsort((score, self.topic))
        topic, score = self.topic[order], score[order]
        same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
        in_tie = np.concatenate([same, [False]]) | np.concatenate([[False], same])
        return np.bincount(topic, weights=in_tie, minlength=len(self.topics)) / np.maximum(self.length, 1)

    def reversed(self) -> Bools:
        """(topic,): whether scores mostly rise from one rank to the next, down the rank column."""
        order = np.lexsort((self.rank, self.topic))
        topic, rank, score = self.topic[order], self.rank[order], self.score[order]
        pair = (topic[1:] == topic[:-1]) & (rank[1:] > rank[:-1])
        rises = np.bincount(topic[1:], weights=pair & (score[1:] > score[:-1]), minlength=len(self.topics))
        falls = np.bincount(topic[1:], weights=pair & (score[1:] < score[:-1]), minlength=len(self.topics))
        return rises > falls

    def swapped(self) -> Bools:
        """(topic,): whether scores count up as ranks do, and ranks are what scores are.

        Scores are 0, 1, ... or 1, 2, ..., and ranks fall down them and are not consecutive; or scores are whole numbers
        that are all different and hardly larger than there are documents, and some ranks are no whole numbers.
        """
        order = np.lexsort((self.score, self.topic))
        topic, rank, score = self.topic[order], self.rank[order], self.score[order]
        first = np.cumsum(self.length) - self.length  # line of each topic
        place = np.arange(len(topic)) - first[topic]  # from 0, within its topic
        least, ascending = score[first][topic], self.rank[np.lexsort((self.rank, self.topic))]
        same = topic[1:] == topic[:-1]
        counts = (score >= 0) & (score % 1 == 0) & (score <= GAPS * self.length[topic])
        fractions = self._any(topic, ~(rank % 1 == 0) & np.isfinite(rank))
        if_gaps = ~self._any(topic, ~counts) & ~self._any(topic[1:], same & (score[1:] == score[:-1])) & fractions
        return if_gaps | (
            (self.length >= FEW)
            & ~self._any(topic, (score != least + place) | ((least != 0) & (least != 1)))
            & self._any(topic, ascending != ascending[first][topic] + place)
            & ~self._any(topic[1:], same & ~(rank[1:] <= rank[:-1]))
            & self._any(topic[1:], same & (rank[1:] < rank[:-1]))
        )

    def _any(self, topic: Ints, holds: Bools) -> Bools:
        """(topic,): whether something holds for a line of it."""
        found: Bools = np.bincount(topic, weights=holds, minlength=len(self.topics)) > 0
        return found


def columns_of(blocks: Iterable[bytes]) -> LineColumns:
    r"""The columns of a run that the reader has taken without an error.

    >>> columns_of([b"1 Q0 a 1 0.5 x\n1 Q0 b 2 0.7 x\n"]).reversed()
    array([ True])
    """
    places: dict[bytes, int] = {}
    topics, ranks, scores, all_utf8 = [], [], [], True
    for block in blocks:
        all_utf8 = all_utf8 and is_utf8(block)
        block = COMMENTS.sub(b"", block)  # noqa: PLW2901
        part = _usual(block) or _unusual(block)
        codes = [places.setdefault(name, len(places)) for name in part.topics]
        topics.append(np.repeat(np.array(codes, dtype=np.int64), part.lines))
        ranks.append(part.rank)
        scores.append(part.score)
    return LineColumns(
        topics=tuple(map(name_of, places)),
        topic=np.concatenate([np.zeros(0, dtype=np.int64), *topics]),
        rank=np.concatenate([np.zeros(0), *ranks]),
        score=np.concatenate([np.zeros(0), *scores]),
        is_utf8=all_utf8,
    )


def columns_of_listing(listing: Listing, ranks: Listing | None, *, by_score: bool, is_text_utf8: bool) -> LineColumns:
    """The columns of a run in any form, of which all documents are listed.

    `ranks` is the same run in the order of its ranks, where it has some; without `by_score` its numbers are no scores.
    """
    lengths = listing.lengths
    topic = np.repeat(np.arange(len(lengths)), lengths)
    unknown = np.full(len(topic), np.nan)
    return LineColumns(
        topics=tuple(map(name_of, listing.topics)),
        topic=topic,
        rank=unknown if ranks is None else _ranks(listing, ranks),
        score=listing.numbers if by_score else unknown,
        is_utf8=is_text_utf8 and all(map(is_utf8, (*listing.topics, listing.names, listing.run))),
    )


def _ranks(listing: Listing, ranks: Listing) -> Floats:
    """(document,): the rank of each document of a listing; of a document that the other lacks, NaN."""
    rank_of = dict(zip(_keys(ranks), ranks.numbers.tolist(), strict=True))
    return np.array([rank_of.get(key, np.nan) for key in _keys(listing)])


def _keys(listing: Listing) -> Sequence[tuple[bytes, bytes]]:
    """Topic and name of all documents."""
    lengths: list[int] = listing.lengths.tolist()
    topics = (name for name, length in zip(listing.topics, lengths, strict=True) for _ in range(length))
    return list(zip(topics, listing.documents(), strict=True))


class _Part(NamedTuple):
    """Some lines of a run."""

    topics: list[bytes]  # of stretches of lines with one topic
    lines: Ints  # (stretch,), how many
    rank: Floats
    score: Floats


def _usual(block: bytes) -> _Part | None:
    """Lines with one blank between six columns, all at once: where the columns are is found by numpy."""
    text = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", dtype=np.uint8)
    separators = np.flatnonzero(text <= BLANK)
    if len(separators) % COLUMNS or b"#" in block:
        return None
    ends = separators.reshape(-1, COLUMNS)  # of fields
    starts = np.concatenate([[0], ends.ravel()[:-1] + 1]).reshape(-1, COLUMNS)
    if (text[ends[:, -1]] != NEWLINE).any() or (text[ends[:, :-1]] == NEWLINE).any() or (ends == starts).any():
        return None
    if (ends - starts)[:, [0, RANK, SCORE]].max() > WIDEST:
        return None
    rank, score = (_numbers(text, starts[:, place], ends[:, place]) for place in (RANK, SCORE))
    topics = _fields(text, starts[:, 0], ends[:, 0])
    first = np.flatnonzero(np.concatenate([[True], topics[1:] != topics[:-1]]))  # lines of stretches
    return _Part(topics[first].tolist(), np.diff(np.append(first, len(starts))), rank, score)


def _numbers(text: Bytes, starts: Ints, ends: Ints) -> Floats:
    """The numbers of a column: plain decimals all at once, digit by digit; others one by one.

    Decimals of up to 15 digits are the nearest double, as both sides of the division are exact.
    """
    width = int((ends - starts).max())
    signs = np.isin(text[starts], (PLUS, MINUS))
    number, fraction = np.zeros((2, len(starts)), dtype=np.int64)
    after_point = np.zeros(len(starts), dtype=bool)
    for offset in range(width if width <= LONGEST else 0):
        at = starts + offset
        inside = at < ends
        byte = text[np.minimum(at, ends)]
        digit = byte - ZERO  # bytes below wrap around, and are no digits
        is_digit, is_point = inside & (digit < 10), inside & (byte == POINT)
        if (inside & ~is_digit & ~(is_point & ~after_point) & ~(signs & (offset == 0))).any():
            break
        number[is_digit] = number[is_digit] * 10 + digit[is_digit]
        fraction += is_digit & after_point
        after_point |= is_point
    else:
        if width <= LONGEST and (ends - starts > signs + after_point).all():
            return np.where(text[starts] == MINUS, -1.0, 1.0) * number / 10.0**fraction
    return np.array(list(map(_number, _fields(text, starts, ends).tolist())))


def _fields(text: Bytes, starts: Ints, ends: Ints) -> Bytes:
    """(line,): the fields of a column, as bytes of numpy."""
    width = int((ends - starts).max())
    at = np.minimum(starts[:, None] + np.arange(width), ends[:, None])
    return np.where(at < ends[:, None], text[at], 0).view(f"S{width}").ravel()


def _unusual(block: bytes) -> _Part:
    """Any other lines, one by one: comments, several blanks, tags with blanks, ranks that are no numbers."""
    split = [line.split(None, COLUMNS - 1) for line in block.split(b"\n")]
    kept = [fields for fields in split if len(fields) == COLUMNS and not fields[0].startswith(b"#")]
    rank, score = (np.array([_number(fields[place]) for fields in kept]) for place in (RANK, SCORE))
    return _Part([fields[0] for fields in kept], np.ones(len(kept), dtype=np.int64), rank, score)


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


START, END = "ir_metadata.start", "ir_metadata.end"
TEXT_BELOW = re.compile(r"[|>][-+]?\d?")  # the value stands in the lines below
MOST = 1 << 20  # bytes looked at
MetadataFields = tuple[tuple[str, str], ...]  # names of nested fields are joined by points


def metadata_of(start: bytes) -> MetadataFields:
    r"""The fields in the comments with which a file starts; none where there is no `# ir_metadata.start`.

    >>> metadata_of(b"# ir_metadata.start\n# actor:\n#   team: ours\n# ir_metadata.end\n1 Q0 a 1 9 x\n")
    (('actor.team', 'ours'),)
    """
    if not start[:64].lstrip().startswith(b"#"):
        return ()
    comments = list(_comments(start[:MOST].decode("utf-8", "replace")))
    names = [comment.strip() for comment in comments]
    if START not in names:
        return ()
    inside = comments[names.index(START) + 1 :]
    return fields_of(inside[: names.index(END) - names.index(START) - 1] if END in names else inside)


def metadata_next_to(path: str) -> MetadataFields | None:
    """The fields of the `ir-metadata.yml` of a run directory of TIRA; None where a file is not the run of one."""
    folder, name = os.path.split(path)
    if not name.startswith(RUN):
        return None
    for other in METADATA:
        if os.path.isfile(place := os.path.join(folder, other)):
            with open(place, "rb") as file:
                lines = file.read(MOST).decode("utf-8", "replace").splitlines()
            return fields_of(line for line in lines if line.strip() not in {START, END})
    return None


def _comments(text: str) -> Iterator[str]:
    """The first lines, without the `#` and the blank after it."""
    for line in text.split("\n"):
        if line.lstrip().startswith("#"):
            yield line.lstrip().removeprefix("#").removeprefix(" ").rstrip()
        elif line.strip():
            return


def fields_of(lines: Iterable[str]) -> MetadataFields:
    """Names and values, in the order of the text; the items of a list are put together by commas.

    >>> fields_of(["method:", "  name: a", "  stages:", "  - bm25", "  - 'reranker'", "note: one", "  two"])
    (('method.name', 'a'), ('method.stages', 'bm25, reranker'), ('note', 'one two'))
    """
    values: dict[str, list[list[str]]] = {}  # the lines of each value
    open_names: list[tuple[int, str]] = []  # by how far they are indented
    current = ""
    for line in lines:
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if not text or text.startswith("#") or text == "---":
            continue
        is_item = text.startswith("- ")
        if is_item:
            indent, text = indent + 2, text[2:].strip()
        pair = _pair(text)
        if pair is None and not is_item:  # more of the value above
            if current:
                values.setdefault(current, [[]])[-1].append(_plain(text))
            continue
        while open_names and open_names[-1][0] >= indent:
            open_names.pop()
        if pair is not None:
            open_names.append((indent, pair[0]))
        current = ".".join(name for _, name in open_names)
        value = text if pair is None else pair[1]
        if value and not TEXT_BELOW.fullmatch(value):
            values.setdefault(current, []).append([_plain(value)])
    return tuple((name, ", ".join(map(" ".join, parts))) for name, parts in values.items())


def _pair(text: str) -> tuple[str, str] | None:
    """The name and the value of a field; None where a line has none."""
    quoted = text.find(text[0], 1) + 1 if text[0] in "\"'" else 0  # a colon in quotes is part of the name
    colon = text.find(":", quoted)
    name, value = text[:colon].strip(), text[colon + 1 :]
    is_field = colon > 0 and name and (not value or value[0].isspace())
    return (_plain(name), value.strip()) if is_field else None


def _plain(text: str) -> str:
    """A value without the quotes around it."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text.strip()
