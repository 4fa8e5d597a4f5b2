"""Documents: the names of those in rankings, read when somebody looks at them, and texts of documents and queries."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from rankscale.data.qrels import Qrels
from rankscale.data.resources import library
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import Ranking, rankings_of
from rankscale.inputs.read import runs_by_source
from rankscale.workbench.jobs import Progress

MOST_NAMES = 1_500_000  # documents of all rankings together that are looked at
FEWEST_RANKS, MOST_RANKS = 10, 1000
WORDS = ("QRELS", "RUN...")  # of the command lines that pages show, where no files are named
IDS = ("_id", "id", "docid", "doc_id", "docno", "pid", "query_id", "qid", "topic")
TITLES = ("title", "headline")
BODIES = ("text", "contents", "body", "passage", "segment", "query", "abstract")
LONGEST_LINE = 16 << 20  # bytes
LONGEST_TEXT = 20_000  # letters that are shown
PACKED = (".gz", ".bz2", ".xz", ".zst")
FindText = Callable[[str], Mapping[str, str] | None]


class ListedDocuments(NamedTuple):
    """The documents of one ranking in order, and their scores."""

    documents: tuple[str, ...]
    scores: tuple[float, ...]


class PackedTopic(NamedTuple):
    """One ranking in few bytes: names one after the other, where each ends (int32), and scores (float64)."""

    names: bytes = b""
    ends: bytes = b""
    scores: bytes = b""


Packed = Mapping[str, PackedTopic]  # the rankings of one run by topic: so millions of documents fit


@dataclass(frozen=True)
class Origin:
    """Where rankings come from, so that documents can be read when somebody looks at them."""

    places: Sequence[tuple[Any, str | None]]  # (run,): its source, and its name there where that holds several
    reading: Reading
    words: Sequence[str] = WORDS  # of a command line that reads the same files


def read_rankings(origin: Origin, place: int, qrels: Qrels) -> Packed:
    """The rankings of one run on the topics of the qrels, read from its file and packed one by one."""
    (source, name), known = origin.places[place], frozenset(qrels.topics)
    rankings = rankings_of(source if isinstance(source, Run) else [source], origin.reading, qrels, name)
    return {one.topic: _packed(one) for one in rankings.each() if one.topic in known}


def _packed(one: Ranking) -> PackedTopic:
    names = [name.encode("utf-8", "surrogateescape") for name in one.documents]
    ends = np.cumsum([len(name) for name in names], dtype=np.int32)
    return PackedTopic(b"".join(names), ends.tobytes(), np.array(one.scores, dtype=np.float64).tobytes())


def unpacked(one: PackedTopic) -> ListedDocuments:
    """One ranking as it was read."""
    last = np.frombuffer(one.ends, dtype=np.int32).tolist()
    parts = (one.names[start:end] for start, end in zip([0, *last], last, strict=False))
    documents = tuple(part.decode("utf-8", "surrogateescape") for part in parts)
    return ListedDocuments(documents, tuple(np.frombuffer(one.scores, dtype=np.float64).tolist()))


def ranking_bytes(packed: Packed) -> int:
    """About how much memory packed rankings take."""
    return sum(sum(map(len, one)) + 400 for one in packed.values())


def ranks_read(runs: int, topics: int) -> int:
    """How many ranks of each ranking are looked at, so that many rankings do not take much memory.

    >>> ranks_read(129, 50), ranks_read(4, 7000), ranks_read(2, 50)
    (232, 53, 1000)
    """
    return max(FEWEST_RANKS, min(MOST_RANKS, MOST_NAMES // max(1, runs * topics)))


def read_documents(
    runs: Sequence[Run], origin: Origin, qrels: Qrels, ranks: int, progress: Progress | None
) -> tuple[Run, ...]:
    """The same runs with the names of their documents down to a rank, read from their sources one after the other.

    A name that several rankings share is held once. Runs whose source has no names of documents stay without them.
    """
    shared: dict[str, str] = {}
    made: list[Run] = []
    last: tuple[object, list[Run]] = (None, [])
    reading = replace(origin.reading, keep_documents=True)
    for number, (run, (source, name)) in enumerate(zip(runs, origin.places, strict=True)):
        if progress:
            progress(number, len(runs))
        if source is not last[0]:
            last = (source, next(iter(runs_by_source(qrels, [(None, source)], reading))))
        read = next(one for one in last[1] if name in {None, one.name})
        documents = None
        if read.documents is not None:
            documents = tuple(tuple(shared.setdefault(one, one) for one in names[:ranks]) for names in read.documents)
        made.append(replace(run, documents=documents))
    return tuple(made)


def name_bytes(runs: Sequence[Run]) -> int:
    """About how much memory the names take."""
    names = [name for run in runs for topic in run.documents or () for name in topic]
    return 8 * len(names) + sum(60 + len(name) for name in set(names))


@dataclass(frozen=True)
class Texts:
    """Where texts are: a title and a body for the name of a document, and the words of a topic."""

    document: FindText = field(default=lambda _: None)
    queries: Mapping[str, str] = field(default_factory=dict)
    has_documents: bool = False


def open_texts(documents: str | None, queries: str | None) -> Texts:
    """Texts of documents and queries from files or `irds:` names; either may be None.

    Raises
    ------
    FormatError
        If a file is packed, or a line has no name of a document.
    MissingExtraError
        If ir_datasets is named and not installed.
    """
    known = {} if queries is None else dict(_queries(queries))
    return Texts(queries=known) if documents is None else Texts(_documents(documents), known, has_documents=True)


def _dataset(name: str) -> Any:  # noqa: ANN401  # of a library without types
    return library("ir_datasets", "a collection of ir_datasets", "irds").load(name.removeprefix("irds:"))


def _documents(source: str) -> FindText:
    if source.startswith("irds:"):
        store = _dataset(source).docs_store()

        def look(name: str) -> Mapping[str, str] | None:
            try:
                document = store.get(name)
            except KeyError:
                return None
            fields = document._asdict() if hasattr(document, "_asdict") else vars(document)
            return _shown({key: value for key, value in fields.items() if isinstance(value, str)})

        return look
    return Corpus(source).document


class Corpus:
    """A file with a document in each line, JSON or `name<TAB>text`; only where lines start is kept in memory.

    Names are kept as hashes of 8 bytes, each with the place of its line: 16 bytes for each document.
    """

    def __init__(self, path: str) -> None:
        if path.endswith(PACKED):
            raise FormatError(f"{path}: expected an unpacked file, since documents are read here and there; unpack it")
        self.path = os.path.abspath(path)
        hashes, starts, at = [], [], 0
        with open(self.path, "rb") as file:
            self._as_json = _is_json(file)
            for number, line in _lines(file, path):
                if line.strip():
                    name, _, _ = _fields(line, as_json=self._as_json, where=f"{self.path}, line {number}")
                    hashes.append(_hash(name))
                    starts.append(at)
                at += len(line)
        of_names, places = np.array(hashes, dtype=np.uint64), np.array(starts, dtype=np.int64)
        order = np.argsort(of_names, kind="stable")
        self._hashes, self._starts = of_names[order], places[order]

    def document(self, name: str) -> Mapping[str, str] | None:
        """Title and body of a document; None where the file has none of this name."""
        wanted = np.uint64(_hash(name))
        first, end = (int(np.searchsorted(self._hashes, wanted, side)) for side in ("left", "right"))
        for start in self._starts[first:end].tolist():
            with open(self.path, "rb") as file:
                file.seek(start)
                line = file.readline(LONGEST_LINE)
            try:
                name_there, title, body = _fields(line, as_json=self._as_json, where=self.path)
            except FormatError:
                return None  # the file has changed since
            if name_there == name:
                return _shown({"title": title, "text": body})
        return None


def _hash(name: str) -> int:
    # JSON may hold halves of surrogate pairs, which have no UTF-8: they are hashed as they are.
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _is_json(file: BinaryIO) -> bool:
    start = file.read(4096)
    file.seek(0)
    return start.lstrip().startswith(b"{")


def _lines(file: BinaryIO, path: str) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; raise FormatError for one that is too long, without reading all of it."""
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise FormatError(
                f"{path}, line {number}: expected at most {LONGEST_LINE >> 20} MB in a line; is this a file with a "
                "document in each line?"
            )
        if not line:
            return
        yield number, line


def _fields(line: bytes, *, as_json: bool, where: str) -> tuple[str, str, str]:
    """Name, title and body of a line."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    if not as_json:
        name, tab, body = text.partition("\t")
        if not tab:
            raise FormatError(f"{where}: expected a name, a tab and a text, found {text[:60]!r}")
        return name, "", body
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: expected JSON, found {text[:60]!r} ({error})") from None
    name_given = next((row[key] for key in IDS if isinstance(row, dict) and row.get(key) is not None), None)
    if name_given is None:
        raise FormatError(f"{where}: expected one of {', '.join(IDS)}, found {text[:60]!r}")
    texts = (next((str(row[key]) for key in keys if row.get(key)), "") for keys in (TITLES, BODIES))
    # They are sent as UTF-8: halves of surrogate pairs become question marks.
    title, body = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
    return str(name_given), title, body


def _shown(fields: Mapping[str, str]) -> Mapping[str, str]:
    """Title and body as they are shown, cut where they are very long."""
    title, body = (next((fields[key] for key in keys if fields.get(key)), "") for keys in (TITLES, BODIES))
    cut = body if len(body) <= LONGEST_TEXT else f"{body[:LONGEST_TEXT]} ..."
    return {"title": title[:1000], "text": cut}


def _queries(source: str) -> Iterator[tuple[str, str]]:
    """Names and words of queries."""
    if source.startswith("irds:"):
        for query in _dataset(source).queries_iter():
            words = query.default_text() if hasattr(query, "default_text") else getattr(query, "text", "")
            yield str(query.query_id), str(words)
        return
    if source.endswith(PACKED):
        raise FormatError(f"{source}: expected an unpacked file of queries; unpack it")
    if os.path.getsize(source) > 256 << 20:
        raise InputError(f"{source}: expected a file of queries of at most 256 MB")
    with open(source, "rb") as file:
        as_json = _is_json(file)
        for number, line in _lines(file, source):
            if line.strip():
                name, title, body = _fields(line, as_json=as_json, where=f"{source}, line {number}")
                yield name, body or title
