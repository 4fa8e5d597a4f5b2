"""The Rust core: text in, integers out; tables out as text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, TypeAlias

class Index:
    def __new__(cls, topics: Sequence[bytes], documents: Sequence[Sequence[bytes]]) -> Self: ...
    @property
    def topics(self) -> tuple[bytes, ...]: ...
    @property
    def fingerprint(self) -> int: ...
    def documents(self, topic: int) -> list[bytes]: ...
    def row(self, topic: int, document: bytes) -> int | None: ...

class Reading(Iterator[list[dict[str, Any]]]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> list[dict[str, Any]]: ...

Listed: TypeAlias = tuple[bytes, list[bytes], bytes, bytes, bytes, bytes]

class Listing(Iterator[list[Listed]]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> list[Listed]: ...

class Begun:
    def __new__(
        cls,
        qrels: tuple[Sequence[tuple[str, object]], object, str],  # sources, form, merging
        runs: Sequence[tuple[str, object]],
        requested: object,
        dialect: str,
        max_size: int | None,
        threads: int,
    ) -> Self: ...
    def qrels(self) -> dict[str, Any]: ...
    def runs(self) -> Reading: ...

# `requested` and `form` are objects with the attributes of rankscale.formats.read.reading.Reading and FileForm.
def pick_columns(
    word: str, names: Sequence[str], named: Sequence[tuple[str, str]], needs_number: bool
) -> dict[str, int]: ...
def column_names() -> dict[str, list[str]]: ...
def read_qrels(
    sources: Sequence[tuple[str, object]], dialect: str, form: object, merging: str, max_size: int | None
) -> dict[str, Any]: ...
def qrels_from_rows(rows: Iterable[tuple[object, ...]], merging: str) -> dict[str, Any]: ...
def qrels_from_dict(topics: dict[Any, Any]) -> dict[str, Any]: ...
def qrels_from_arrow(table: object, columns: Sequence[str | None], merging: str) -> dict[str, Any]: ...
def judge_files(
    index: Index,
    sources: Sequence[tuple[str, object]],
    requested: object,
    dialect: str,
    max_size: int | None,
    threads: int,
) -> Reading: ...
def judge_rows(
    index: Index, rows: Iterable[tuple[object, ...]], requested: object, default_order: str, has: tuple[bool, bool]
) -> list[dict[str, Any]]: ...
def judge_arrow(
    index: Index,
    table: object,
    columns: Sequence[str | None],
    requested: object,
    default_order: str,
    rows: tuple[bool, int],  # whether the table can be read again, and the number of its first row
) -> list[dict[str, Any]]: ...
def judge_dictionary(index: Index, topics: dict[Any, Any], requested: object) -> dict[str, Any]: ...
def list_rankings(
    name: str, origin: object, requested: object, is_single: bool, is_scattered: bool, max_size: int | None
) -> Listing: ...
def list_rows(
    rows: Iterable[tuple[object, ...]], requested: object, default_order: str, has: tuple[bool, bool], is_single: bool
) -> list[Listed]: ...
def list_arrow(
    table: object, columns: Sequence[str | None], requested: object, default_order: str, is_single: bool
) -> list[Listed]: ...
def keep_freed_memory() -> None: ...
def set_memory_limit(size: int | None) -> None: ...
def memory_state() -> tuple[int | None, int, int, int | None]: ...  # limit, held, free, address space left
def level_counts(codes: object, starts: object, levels: int) -> bytes: ...
def every_rank(
    columns: Sequence[object], code: object, width: int, depth: int
) -> tuple[bytes, bytes, bytes, bytes]: ...

# Of entries: columns (rank, document), rankings (starts, ends) in them.
def kept_entries(
    columns: Sequence[object],
    rankings: Sequence[object],
    codes: object,
    code_starts: object,
    kept: bytes,
    counting: bytes,
) -> tuple[bytes, bytes, bytes, bytes, bytes]: ...  # starts, places, counts, rank, document
def entries(
    columns: Sequence[object], rankings: Sequence[object], codes: object, code_starts: object
) -> tuple[int, bytes, bytes]: ...  # width, rank, code
def padded(column: object, rankings: Sequence[object], filling: int) -> bytes: ...
def trec_eval_lines(columns: Sequence[tuple[bytes, str, object]], topics: Sequence[bytes]) -> bytes: ...
def values_as_text(
    form: str,
    run: bytes,
    topics: Sequence[bytes],
    measures: Sequence[bytes],
    by_topic: object,
    present: object,
    means: object,
    beside: Sequence[tuple[bytes, object, object]],
    places: int | None,
) -> bytes: ...
def sums_below(
    a: object, b: object, targets: object, margin: int, cumulated: tuple[object, object] | None = None
) -> bytes: ...
def sums_near(a: object, b: object, target: int, margin: int, limit: int) -> bytes: ...
