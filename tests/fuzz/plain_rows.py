"""Names of columns, numbers and rows: what all plain readers of forms share, none of it with the core."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.fuzz.packing import Fault

BLANKS = b" \t\r\x0b\x0c"
NAMES: dict[str, tuple[bytes, ...]] = {
    "topic": (b"topic", b"topicid", b"qid", b"queryid", b"query"),
    "document": (
        *(b"document", b"docno", b"docid", b"documentid", b"pid", b"did"),
        *(b"passageid", b"corpusid", b"doc"),
    ),
    "score": (b"score", b"sim", b"similarity", b"relevancescore", b"retrievalscore"),
    "rank": (b"rank",),
    "grade": (b"grade", b"relevance", b"rel", b"label", b"rating", b"judgment", b"judgement", b"score"),
    "run": (b"run", b"runid", b"tag", b"system", b"model"),
}
ROLES = {"runs": ("topic", "document", "score", "rank", "run"), "qrels": ("topic", "document", "grade")}
NUMBER = re.compile(rb"[+-]?(?:inf|infinity|nan|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)", re.IGNORECASE)


class Open(Exception):  # noqa: N818  # neither reader is wrong
    """The contract does not say how this is read: any reading is right, and so is an error in words."""


@dataclass(frozen=True)
class Row:
    """One document of a ranking, or its judgment; a row without a document stands for an empty ranking."""

    topic: bytes
    document: bytes | None
    score: float | None = None
    rank: float | None = None  # NaN where it is no number, which matters only where ranks are used
    grade: float | None = None
    run: bytes | None = None
    in_list: bool = False  # a name in a list, whose order is that of the ranking
    key_stands_twice: bool = False  # in an object of documents, where `duplicates` may or may not have a say


def normalised(name: bytes) -> bytes:
    return name.lower().translate(None, BLANKS + b"-_")


def place_of_role(role: str, names: Sequence[bytes], columns: Mapping[str, str | int]) -> int | None:
    """Where the column of a role stands among the names; None where there is none. A name twice is a fault."""
    given = columns.get(role)
    if isinstance(given, str):
        wanted = given.encode("utf-8", "surrogateescape")
        places = [place for place, name in enumerate(names) if name == wanted]
        places = places or [place for place, name in enumerate(names) if normalised(name) == normalised(wanted)]
    else:
        by_name: dict[bytes, list[int]] = {}
        theirs = {place_of_role(one, names, {one: name}) for one, name in columns.items() if isinstance(name, str)}
        for place, name in enumerate(names):
            if place not in theirs:  # a column that the user named is for one role
                by_name.setdefault(normalised(name), []).append(place)
        places = next((by_name[name] for name in NAMES[role] if name in by_name), [])
    if len(places) > 1:
        raise Fault
    return places[0] if places else None


def number_or_nan(text: bytes) -> float:
    return float(text) if NUMBER.fullmatch(text) else math.nan


def number(text: bytes) -> float:
    value = number_or_nan(text)
    if math.isnan(value):
        raise Fault
    return value


def finite(value: float) -> float:
    if not math.isfinite(value):
        raise Fault
    return value


def not_empty(name: bytes) -> bytes:
    if not name:
        raise Fault
    return name
