"""JSON and JSON Lines, with the parser of Python's library and nothing of the core."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tests.fuzz.packing import Fault
from tests.fuzz.plain_rows import BLANKS, NAMES, Open, Row, finite, normalised, not_empty, number, place_of_role

Columns = Mapping[str, str | int]
LISTS = (
    *(b"results", b"ranking", b"rankings", b"hits", b"documents", b"docs", b"docids"),
    *(b"retrieved", b"judgments", b"judgements", b"qrels"),
)
META = "mteb_model_meta"
DEEPEST, UNSURE = 64, range(62, 68)  # of values that are skipped; whether the object around them counts is open


class Num(str):  # as it is written
    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """The members of an object, repeated ones too."""


def _constant(word: str) -> None:
    raise ValueError(word)


DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_int=Num, parse_float=Num, parse_constant=_constant)


def parsed(text: bytes) -> Any:
    """The value that the whole text is. Bytes that are not UTF-8 become surrogates, as those of our own writer do."""
    try:
        value = DECODER.decode(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        inner = text.strip(BLANKS + b"\n")
        if inner != text.strip(b" \t\r\n") and _parses(inner):
            raise Open("blanks that JSON does not know around a value") from None
        raise Fault from None
    return value


def _parses(text: bytes) -> bool:
    try:
        DECODER.decode(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return False
    return True


def starts_value(line: bytes, text: bytes) -> bool:
    """Whether a line that TREC could have written is a JSON value, or the first line of one."""
    if not re.match(rb'\s*(\{\s*["}]|\[\s*["\[\]{0-9tfn-])', line):
        return False
    if any(_parses(whole) for whole in (line, text)):
        return True
    raise Open("a line of TREC, or of JSON with something wrong in it")


def raw(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Fault from None


def name(value: Any) -> bytes:
    """A string, or a whole number written as digits."""
    if isinstance(value, Num) and not value.removeprefix("-").isdigit():
        raise Fault
    if not isinstance(value, str):
        raise Fault
    return not_empty(raw(value))


def plain_number(value: Any) -> float:
    if not isinstance(value, Num):
        raise Fault
    return float(value)


def number_or_text(value: Any) -> float:
    if isinstance(value, Num):
        return float(value)
    if type(value) is not str:
        raise Fault
    return number(raw(value))


def rank_of(value: Any) -> float:
    try:
        return number_or_text(value)
    except Fault:
        return float("nan")


def is_row(line: bytes, columns: Columns) -> bool:
    """Whether a line alone is an object with a topic: JSON Lines."""
    try:
        value = parsed(line)
    except Fault:
        return False
    if not isinstance(value, Pairs):
        return False
    given = columns.get("topic")
    names = {normalised(given.encode())} if isinstance(given, str) else set(NAMES["topic"])
    return any(
        normalised(key) in names and isinstance(inner, str) for key, (_, inner) in zip(_keys(value), value, strict=True)
    )


def _keys(value: Pairs) -> list[bytes]:
    """Keys as bytes; what no name can be stays what it is, so that it fits no role."""
    return [key.encode("utf-8", "surrogateescape" if _is_clean(key) else "surrogatepass") for key, _ in value]


def _is_clean(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def rows_of_lines(text: bytes, kind: str, columns: Columns) -> Iterator[Row]:
    lines = [line for line in text.split(b"\n") if line.strip(BLANKS)]
    yield from rows_of_objects(map(parsed, lines), kind, columns)


def rows_of_objects(values: Iterable[Any], kind: str, columns: Columns) -> Iterator[Row]:
    shapes, named, unclean = set(), set(), False
    for value in values:
        rows = rows_of_object(value, kind, columns)
        yield from rows
        shapes.add(place_of_role("document", _keys(value), columns) is None)
        named.add(rows[0].run is None)
        unclean |= not _all_clean(value)
    if len(shapes) > 1:
        raise Open("documents and rankings in one file")
    if len(named) > 1:
        raise Open("some lines name a run")
    if unclean:
        raise Open("lone surrogates where nothing is read")


def rows_of_object(value: Any, kind: str, columns: Columns) -> list[Row]:
    """A document, or a ranking: one line of JSON Lines."""
    if not isinstance(value, Pairs):
        raise Fault
    check_depth(value)
    keys = _keys(value)
    topic, run, document = (place_of_role(role, keys, columns) for role in ("topic", "run", "document"))
    if topic is None or (kind == "runs" and "run" in columns and run is None):
        raise Fault
    whose = name(value[topic][1]), name(value[run][1]) if kind == "runs" and run is not None else None
    listed = _list_of([b"" if place == topic else normalised(key) for place, key in enumerate(keys)], value)
    if document is not None:
        if isinstance(listed, list):
            raise Open("a document and a list in one object")
        return [_item(value, whose, kind, columns)]
    return list(ranking(listed, whose, kind, columns))


def _list_of(names: list[bytes], value: Pairs) -> Any:
    """What stands under the first name of a list; None where there is none."""
    first = next((one for one in LISTS if one in names), None)
    if first is None:
        return None
    if names.count(first) > 1:
        raise Fault
    return value[names.index(first)][1]


def _item(value: Pairs, whose: tuple[bytes, bytes | None], kind: str, columns: Columns) -> Row:
    keys = _keys(value)
    roles = ("document", "score", "rank") if kind == "runs" else ("document", "grade")
    places = {role: place_of_role(role, keys, columns) for role in roles}
    if any(role in columns and place is None for role, place in places.items()):
        raise Fault
    given = {role: value[place][1] for role, place in places.items() if place is not None}
    if "document" not in given or (kind == "qrels" and "grade" not in given):
        raise Fault
    return Row(
        whose[0],
        name(given["document"]),
        rank_of(given["score"]) if "score" in given else None,
        rank_of(given["rank"]) if "rank" in given else None,
        finite(number_or_text(given["grade"])) if "grade" in given else None,
        whose[1],
    )


def ranking(value: Any, whose: tuple[bytes, bytes | None], kind: str, columns: Columns) -> Iterator[Row]:
    """The rows of one ranking: names, pairs or objects in a list, or numbers by document."""
    topic, run = whose
    if not isinstance(value, list):  # Pairs are lists, too
        raise Fault
    if not value:
        yield Row(topic, None, run=run)
    elif isinstance(value, Pairs):
        repeats = len({key for key, _ in value}) < len(value)
        for key, inner in value:
            row = _scored(topic, not_empty(raw(key)), plain_number(inner), kind, run)
            yield replace(row, key_stands_twice=repeats)
    elif all(isinstance(one, str) for one in value):
        yield from _names(value, whose, kind)
    elif all(isinstance(one, Pairs) for one in value):
        yield from (replace(_item(one, whose, kind, columns), in_list=True) for one in value)
    else:
        yield from (_pair(one, whose, kind) for one in value)


def _names(value: list[Any], whose: tuple[bytes, bytes | None], kind: str) -> Iterator[Row]:
    if kind == "qrels":
        raise Fault
    for one in value:
        yield Row(whose[0], name(one), run=whose[1], in_list=True)


def _pair(value: Any, whose: tuple[bytes, bytes | None], kind: str) -> Row:
    if isinstance(value, Pairs) or not isinstance(value, list) or len(value) != 2:
        raise Fault
    return _scored(whose[0], name(value[0]), plain_number(value[1]), kind, whose[1])


def _scored(topic: bytes, document: bytes, value: float, kind: str, run: bytes | None) -> Row:
    if kind == "qrels":
        return Row(topic, document, grade=finite(value))
    return Row(topic, document, value, run=run)


def rows_of_nested(value: Pairs, kind: str, columns: Columns) -> Iterator[Row]:
    check_depth(value)
    top = Pairs((key, inner) for key, inner in value if key != META)
    leaves: set[int] = set()
    empty: set[int] = set()
    _levels(top, 0, leaves, empty)
    if not top or len(leaves) > 1 or (leaves and any(level > max(leaves) for level in empty)):
        raise Fault
    if (leaves and empty and min(empty) < max(leaves)) or (not leaves and len(empty) > 1):
        raise Open("an empty object above the rankings")
    level = max(leaves | empty)
    if not 1 <= level <= (3 if kind == "runs" else 1):
        raise Fault
    yield from _nested(top, level, (), kind, columns)
    if not _all_clean(value):
        raise Open("lone surrogates where nothing is read")


def _levels(value: Any, level: int, leaves: set[int], empty: set[int]) -> None:
    if not isinstance(value, list):
        raise Fault
    if not isinstance(value, Pairs):
        leaves.add(level)
    elif not value:
        empty.add(level)
    elif all(isinstance(inner, Num) for _, inner in value):
        leaves.add(level)
    elif level > DEEPEST:
        raise Fault
    else:
        for _, inner in value:
            _levels(inner, level + 1, leaves, empty)


def _nested(value: Pairs, level: int, path: tuple[bytes, ...], kind: str, columns: Columns) -> Iterator[Row]:
    keys = [key for key, _ in value]
    if len(set(keys)) < len(keys):
        raise Fault
    for key, inner in value:
        here = (*path, not_empty(raw(key)))
        if level > 1:
            yield from _nested(inner, level - 1, here, kind, columns)
        else:
            yield from ranking(inner, (here[-1], b"/".join(here[:-1]) or None), kind, columns)


def check_depth(value: Any) -> None:
    try:
        depth = _depth(value)
    except RecursionError:
        raise Fault from None
    if depth in UNSURE:
        raise Open(f"nested about {DEEPEST} deep")
    if depth > DEEPEST:
        raise Fault


def _depth(value: Any) -> int:
    if not isinstance(value, list):
        return 0
    inner = [one for _, one in value] if isinstance(value, Pairs) else value
    return 1 + max(map(_depth, inner), default=0)


def _all_clean(value: Any) -> bool:
    if isinstance(value, Pairs):
        return all(_is_clean(key) and _all_clean(inner) for key, inner in value)
    return all(map(_all_clean, value)) if isinstance(value, list) else not isinstance(value, str) or _is_clean(value)
