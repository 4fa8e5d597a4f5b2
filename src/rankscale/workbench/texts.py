"""Texts of documents and queries, looked up by name: from JSON Lines, TSV or ir_datasets."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, BinaryIO

import numpy as np

from rankscale.data.resources import library
from rankscale.errors import FormatError, InputError

IDS = ("_id", "id", "docid", "doc_id", "docno", "pid", "query_id", "qid", "topic")
TITLES = ("title", "headline")
BODIES = ("text", "contents", "body", "passage", "segment", "query", "abstract")
LONGEST_LINE = 16 << 20  # bytes
LONGEST_TEXT = 20_000  # letters that are shown
PACKED = (".gz", ".bz2", ".xz", ".zst")
FindText = Callable[[str], Mapping[str, str] | None]


@dataclass(frozen=True)
class Texts:
    """Where texts are: a title and a body for the name of a document, and the words of a topic."""

    document: FindText = field(default=lambda _: None)
    queries: Mapping[str, str] = field(default_factory=dict)
    has_documents: bool = False


NO_TEXTS = Texts()


def open_texts(documents: str | None, queries: str | None) -> Texts:
    """Texts of documents and queries from files or `irds:` names; either may be None.

    Raises
    ------
    FormatError
        If a file is packed, or a line has no name of a document.
    MissingExtraError
        If ir_datasets is named and not installed.
    """
    look_up = NO_TEXTS.document if documents is None else _documents(documents)
    return Texts(look_up, {} if queries is None else dict(_queries(queries)), documents is not None)


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
        self._as_json = _is_json(path)
        hashes, starts, at = [], [], 0
        with open(self.path, "rb") as file:
            for number, line in _lines(file, path):
                if line.strip():
                    hashes.append(_hash(self._name(line, number)))
                    starts.append(at)
                at += len(line)
        order = np.argsort(np.array(hashes, dtype=np.uint64), kind="stable")
        self._hashes = np.array(hashes, dtype=np.uint64)[order]
        self._starts = np.array(starts, dtype=np.int64)[order]

    def _name(self, line: bytes, number: int) -> str:
        fields = _fields(line, as_json=self._as_json, where=f"{self.path}, line {number}")
        return fields[0]

    def document(self, name: str) -> Mapping[str, str] | None:
        """Title and body of a document; None where the file has none of this name."""
        place = int(np.searchsorted(self._hashes, np.uint64(_hash(name))))
        while place < len(self._hashes) and int(self._hashes[place]) == _hash(name):
            with open(self.path, "rb") as file:
                file.seek(int(self._starts[place]))
                line = file.readline(LONGEST_LINE)
            try:
                name_there, title, body = _fields(line, as_json=self._as_json, where=self.path)
            except FormatError:
                return None  # the file has changed since
            if name_there == name:
                return _shown({"title": title, "text": body})
            place += 1
        return None


def _hash(name: str) -> int:
    # JSON may hold halves of surrogate pairs, which have no UTF-8: they are hashed as they are.
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _is_json(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4096).lstrip().startswith(b"{")


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
    title, body = (next((str(row[key]) for key in keys if row.get(key)), "") for keys in (TITLES, BODIES))
    return str(name_given), _printable(title), _printable(body)


def _printable(text: str) -> str:
    """A text that can be sent as UTF-8: halves of surrogate pairs become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _shown(fields: Mapping[str, str]) -> Mapping[str, str]:
    """Title and body as they are shown, cut where they are very long."""
    title = next((fields[key] for key in TITLES if fields.get(key)), "")
    body = next((fields[key] for key in BODIES if fields.get(key)), "")
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
    as_json = _is_json(source)
    with open(source, "rb") as file:
        for number, line in _lines(file, source):
            if line.strip():
                name, title, body = _fields(line, as_json=as_json, where=f"{source}, line {number}")
                yield name, body or title
