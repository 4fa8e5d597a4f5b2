"""The Rust core: text in, integers out; tables out as text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

class Index:
    def __new__(cls, topics: Sequence[bytes], documents: Sequence[Sequence[bytes]]) -> Self: ...
    @property
    def topics(self) -> tuple[bytes, ...]: ...
    @property
    def fingerprint(self) -> int: ...
    def documents(self, topic: int) -> list[bytes]: ...
    def row(self, topic: int, document: bytes) -> int | None: ...

class Reading(Iterator[dict[str, Any]]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> dict[str, Any]: ...

def read_qrels(name: str, origin: object, dialect: str, max_size: int | None) -> dict[str, Any]: ...
def qrels_from_columns(topics: Iterable[Any], documents: Iterable[Any], grades: Iterable[Any]) -> dict[str, Any]: ...
def qrels_from_dict(topics: dict[str, dict[str, float]]) -> dict[str, Any]: ...
def qrels_from_arrow(table: object, columns: Sequence[str]) -> dict[str, Any]: ...
def judge_files(
    index: Index,
    sources: Sequence[tuple[str, object]],
    order: str,
    dialect: str,
    depth: int | None,
    keep_documents: bool,
    max_size: int | None,
    threads: int,
) -> Reading: ...
def judge_columns(
    index: Index,
    topics: Iterable[Any],
    documents: Iterable[Any],
    scores: Iterable[Any],
    order: str,
    depth: int | None,
    keep_documents: bool,
) -> dict[str, Any]: ...
def judge_arrow(
    index: Index, table: object, columns: Sequence[str], order: str, depth: int | None, keep_documents: bool
) -> dict[str, Any]: ...
def judge_dictionary(
    index: Index, topics: dict[str, dict[str, float]], order: str, depth: int | None, keep_documents: bool
) -> dict[str, Any]: ...
def keep_freed_memory() -> None: ...
def kept_entries(
    columns: Sequence[object], starts: object, codes: object, code_starts: object, kept: bytes
) -> tuple[bytes, bytes, bytes, bytes, bytes]: ...
def entries(
    columns: Sequence[object], starts: object, codes: object, code_starts: object
) -> tuple[int, bytes, bytes, bytes, bytes, bytes]: ...
def values_as_text(
    form: str,
    run: bytes,
    topics: Sequence[bytes],
    measures: Sequence[bytes],
    by_topic: object,
    present: object,
    means: object,
    places: int | None,
) -> bytes: ...
