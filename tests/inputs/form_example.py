"""Two runs and qrels, small, with what forms get wrong: ties, ids like numbers, separators and quotes in names."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

# Packages of these tests that the lock does not have yet: their tests are skipped where they are absent.
# Once they are locked this is to be empty, so that an absent package is an error.

TOPICS = ("051", "7", "301", "q-é")
DOCUMENTS = ("007", "7", "FT911-3", "a,b", 'say"hi"', "it's", "x;y", "é1", "LA-2", "d10", "d9", "#9", "1e5", "null")
JUDGED = 5  # one in so many documents is not
TAG = "example"
OTHER_TAG = "other"

Row = tuple[str, str, float]  # topic, document, score (exact in 32 bits)
Judgment = tuple[str, str, int]


def package(name: str) -> Any:
    """A library that writes one of the forms."""
    return import_module(name)


@cache
def rows(step: int = 5) -> tuple[Row, ...]:
    """A run: rankings in the order that trec_eval gives them, with ties."""
    retrieved: list[Row] = []
    for number, topic in enumerate(TOPICS):
        names = [DOCUMENTS[(at * step + number * 3) % len(DOCUMENTS)] for at in range(len(DOCUMENTS) - number)]
        scored = [(topic, name, (len(names) - at) // 3 * 1.25 - 1.5) for at, name in enumerate(names)]
        retrieved += sorted(scored, key=lambda row: (row[2], row[1].encode()), reverse=True)
    return tuple(retrieved)


def other_rows() -> tuple[Row, ...]:
    return rows(step=3)


@cache
def judgments() -> tuple[Judgment, ...]:
    pairs = [(topic, document) for topic in TOPICS for document in DOCUMENTS]
    return tuple((*pair, (at * 7) % 4) for at, pair in enumerate(pairs) if at % JUDGED)


def ranked(given: tuple[Row, ...]) -> list[tuple[str, str, int, float]]:
    """Topic, document, rank from 1, score."""
    ranks: dict[str, int] = {}
    for topic, _, _ in given:
        ranks[topic] = ranks.get(topic, 0) + 1
    places = {topic: iter(range(1, count + 1)) for topic, count in ranks.items()}
    return [(topic, document, next(places[topic]), score) for topic, document, score in given]


def trec_run(given: tuple[Row, ...] | None = None, tag: str = TAG) -> bytes:
    lines = [f"{t} Q0 {d} {rank} {score!r} {tag}\n" for t, d, rank, score in ranked(given or rows())]
    return "".join(lines).encode()


def trec_qrels() -> bytes:
    return "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in judgments()).encode()


def nested(given: tuple[tuple[str, str, Any], ...]) -> dict[str, dict[str, Any]]:
    by_topic: dict[str, dict[str, Any]] = {}
    for topic, document, number in given:
        by_topic.setdefault(topic, {})[document] = number
    return by_topic


def names_by_topic() -> dict[str, list[str]]:
    return {topic: list(ranking) for topic, ranking in nested(rows()).items()}


def run_columns(given: tuple[Row, ...] | None = None, names: str = "query_id doc_id score") -> dict[str, list[Any]]:
    return dict(zip(names.split(), map(list, zip(*(given or rows()), strict=True)), strict=True))


def qrels_columns(names: str = "query_id doc_id relevance") -> dict[str, list[Any]]:
    return dict(zip(names.split(), map(list, zip(*judgments(), strict=True)), strict=True))


def both_runs() -> dict[str, list[Any]]:
    """The columns of two runs in one table."""
    one, other = run_columns(), run_columns(other_rows())
    joined: dict[str, list[Any]] = {name: [*one[name], *other[name]] for name in one}
    return {"run": [*[TAG] * len(rows()), *[OTHER_TAG] * len(other_rows())], **joined}


def as_records(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def shuffled(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The same rows with topics scattered."""
    size = len(next(iter(columns.values())))
    order = sorted(range(size), key=lambda at: (at * 37 % 101, at))
    return {name: [column[at] for at in order] for name, column in columns.items()}


Makers = dict[str, Callable[..., Any]]
