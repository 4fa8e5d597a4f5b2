"""Every form that runs and qrels come in, read as the contract of forms says: slow, obvious, without the core.

What the contract leaves open is raised as `Open`. What follows from none of its sentences and had to be chosen:
a name in JSON is not empty; a negative whole number is a name as it is written; a quote after blanks opens a quoted
cell; ranks are checked only where they order (in 3 and 4 columns always); files without any row are refused.
"""

import ctypes
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tests.fuzz import plain_binary, plain_delimited, plain_json
from tests.fuzz.packing import Fault, unpacked
from tests.fuzz.plain_delimited import first_line, line_at
from tests.fuzz.plain_rows import BLANKS, Open, Row

Columns = Mapping[str, str | int]
Ranking = list[tuple[bytes, float]]  # documents in order, each with what orders it (or its grade)
UTF_8_MARK, UTF_16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
BINARY = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")


@dataclass(frozen=True)
class Reading:
    """What a file holds: rankings by run and topic, or judgments under the only run None."""

    form: str
    order: str
    runs: dict[bytes | None, dict[bytes, Ranking]]


@dataclass(frozen=True)
class Options:
    """How a file is to be read; the names are those of `read_runs` and `read_qrels`."""

    form: str | None = None
    columns: Columns | None = None
    order: str | None = None
    duplicates: str = "error"
    document_from: str | None = None
    merge: str = "error"


def read_runs(data: bytes, options: Options = Options()) -> Reading:  # noqa: B008  # frozen
    form, rows, tag = _rows(data, "runs", options)
    rows = _renamed(rows, options.document_from)
    order = _order(rows, options.order)
    runs: dict[bytes | None, dict[bytes, dict[bytes, float]]] = {}
    for place, row in enumerate(rows):
        ranking = runs.setdefault(row.run or tag, {}).setdefault(row.topic, {})
        if row.document is None:
            continue
        if row.document in ranking and options.duplicates == "error":
            raise Fault
        key = _key(row, order, place)
        if row.document not in ranking or (options.duplicates == "best" and key > ranking[row.document]):
            ranking[row.document] = key
    return Reading(form, order, {run: {t: _sorted(r) for t, r in topics.items()} for run, topics in runs.items()})


def read_qrels(data: bytes, options: Options = Options()) -> Reading:  # noqa: B008  # frozen
    form, rows, _ = _rows(data, "qrels", options)
    grades: dict[bytes, dict[bytes, list[float]]] = {}
    for row in rows:
        judged = grades.setdefault(row.topic, {})
        if row.document is not None:
            judged.setdefault(row.document, []).append(row.grade if row.grade is not None else math.nan)
    if options.merge == "error" and any(len(one) > 1 for judged in grades.values() for one in judged.values()):
        raise Fault
    if not any(grades.values()):
        raise Open("no judgments, or topics without any")
    ways: dict[str, Callable[[list[float]], float]] = {"min": min, "mean": lambda one: math.fsum(one) / len(one)}
    merged = ways.get(options.merge, max)
    return Reading(
        form, "", {None: {t: [(d, merged(one)) for d, one in judged.items()] for t, judged in grades.items()}}
    )


def _rows(data: bytes, kind: str, options: Options) -> tuple[str, list[Row], bytes | None]:
    """The form, all rows, and the tag where the form has one for the file as a whole."""
    if (binary := plain_binary.form_of(data)) is not None:
        return binary, _rows_of_binary(data, binary, kind, options), None
    return _rows_of_text(data, kind, options)


def _rows_of_binary(data: bytes, form: str, kind: str, options: Options) -> list[Row]:
    if options.form not in {None, form}:
        raise Fault
    return plain_binary.rows(data, form, kind, options.columns or {}, options.order)


def _rows_of_text(data: bytes, kind: str, options: Options) -> tuple[str, list[Row], bytes | None]:
    text = unpacked(data)
    if text.startswith(BINARY):
        raise Open("not text")
    text = text.removeprefix(UTF_8_MARK)
    if text.startswith(UTF_16_MARKS):
        raise Fault
    columns = options.columns or {}
    start = first_line(text)
    form = options.form or _form(text, start, columns)
    rows: Sequence[Row]
    tag = None
    if form in {"json", "jsonl"}:
        rows = _rows_of_json(text[start:], kind, form, options)
    elif columns and all(isinstance(place, int) for place in columns.values()):
        positions = {role: place for role, place in columns.items() if isinstance(place, int)}
        rows = list(plain_delimited.rows_by_position(text, kind, options.form, positions))
    elif form in {"csv", "tsv"}:
        if plain_delimited.header_of(text, start, options.form, columns) is None:
            raise Fault
        rows = list(plain_delimited.rows_with_header(text, kind, options.form, columns))
    elif columns:
        raise Fault  # names of columns where there is no header
    else:
        form, rows = plain_delimited.rows_without_header(text, kind, options.form)
        tag = plain_delimited.tag_of(text) if (kind, form) == ("runs", "trec") else None
    if not rows:
        raise Fault
    return form, list(rows), tag


def _form(text: bytes, start: int, columns: Columns) -> str:
    line = line_at(text, start)
    if plain_delimited.is_trec_line(line) and not plain_json.starts_value(line, text[start:]):
        return (
            "columns" if plain_delimited.header_of(text, start, None, by_name_of(columns)) is None else _delimited(line)
        )
    if line.lstrip(BLANKS).startswith(b"["):
        return "json"
    if line.lstrip(BLANKS).startswith(b"{"):
        return "jsonl" if plain_json.is_row(line, columns) else "json"
    if plain_delimited.header_of(text, start, None, by_name_of(columns)) is None:
        return "columns"
    return _delimited(line)


def by_name_of(columns: Columns) -> dict[str, str]:
    return {role: name for role, name in columns.items() if isinstance(name, str)}


def _delimited(line: bytes) -> str:
    return "csv" if plain_delimited.separator_of(line, None) in {b",", b";"} else "tsv"


def _rows_of_json(text: bytes, kind: str, form: str, options: Options) -> list[Row]:
    columns = options.columns or {}
    if any(isinstance(place, int) for place in columns.values()):
        raise Open("columns by position in JSON")
    value = plain_json.parsed(text) if form == "json" else None
    if form == "jsonl":
        rows = list(plain_json.rows_of_lines(text, kind, columns))
    elif isinstance(value, plain_json.Pairs):
        rows = list(plain_json.rows_of_nested(value, kind, columns))
    elif isinstance(value, list):
        rows = list(plain_json.rows_of_objects(value, kind, columns))
    else:
        raise Fault
    policy = options.duplicates if kind == "runs" else options.merge
    if policy != "error" and any(row.key_stands_twice for row in rows):
        raise Open("a document twice among the keys of an object")
    return rows


def _renamed(rows: list[Row], pattern: str | None) -> list[Row]:
    if pattern is None:
        return rows
    search = re.compile(pattern.encode()).search
    matches = [row.document is not None and search(row.document) for row in rows]
    if not any(matches) and any(row.document is not None for row in rows):
        raise Fault
    if {row.run for row in rows} != {row.run for row, match in zip(rows, matches, strict=True) if match}:
        raise Open("no document of some run matches")
    return [replace(row, document=match[1]) if match else row for row, match in zip(rows, matches, strict=True)]


def _order(rows: list[Row], order: str | None) -> str:
    retrieved = [row for row in rows if row.document is not None]
    kinds = {"score" if row.score is not None else "rank" if row.rank is not None else "file" for row in retrieved}
    if not retrieved:
        raise Open("rankings without any document")
    if order is None:
        if len(kinds) > 1:
            raise Fault
        order = kinds.pop()
        if order == "file" and not all(row.in_list for row in retrieved):
            raise Fault  # judgments have no scores either
    elif (order.startswith("score") and kinds != {"score"}) or (
        order == "rank" and any(row.rank is None for row in retrieved)
    ):
        raise Fault
    elif len(kinds) > 1:
        raise Open("lines that differ in what is not used")
    used = [row.rank if order == "rank" else row.score for row in retrieved] if order != "file" else []
    if any(value is not None and math.isnan(value) for value in used):
        raise Fault
    return order


def _key(row: Row, order: str, place: int) -> float:
    if order == "file":
        return -place
    value = (row.rank if order == "rank" else row.score) or 0.0
    if order == "rank":
        return -value
    return ctypes.c_float(value).value if order == "score" else value


def _sorted(ranking: dict[bytes, float]) -> Ranking:
    return sorted(ranking.items(), key=lambda one: (one[1], one[0]), reverse=True)
