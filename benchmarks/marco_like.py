"""Runs and qrels shaped as those of MS MARCO passage, dev: 6,980 topics, about one relevant document each.

Lines are made for a block of topics at a time, so that a file of 250 MB never stands in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.columns import Column, Integers, constant, decimal, lines, padded, whole

Names: TypeAlias = Callable[[Integers], list[Column]]  # columns that side by side name each document

SEED = 6980
TOPICS = 6980
DEPTH = 1000
DOCUMENTS = 8_841_823
LAST_TOPIC = 1_102_400
SECOND_RELEVANT = 457  # topics with two relevant documents: 7,437 qrels lines
FOUND = 0.85  # how often the thousand documents hold a relevant one
BLOCK = 200  # topics formatted at once
FILES = 70  # of MS MARCO v2, each with the passages that start at so many bytes


def numbers(documents: Integers) -> list[Column]:
    """Return documents as MS MARCO names them: a number."""
    return [whole(documents)]


def long_names(documents: Integers) -> list[Column]:
    """Return documents as MS MARCO v2 names them, `msmarco_passage_67_36068127`: a file and a place in it."""
    return [constant("msmarco_passage_"), padded(documents % FILES, 2), constant("_"), whole(10 * documents)]


@dataclass(frozen=True)
class Collection:
    """Topics in rising order, the relevant document of each, and a second one for a few."""

    topics: npt.NDArray[np.int64]
    relevant: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]  # -1 where there is none


def collection() -> Collection:
    """Return what all runs share."""
    rng = np.random.default_rng(SEED)
    topics = np.sort(rng.choice(LAST_TOPIC, TOPICS, replace=False)) + 1
    relevant = rng.choice(DOCUMENTS, 2 * TOPICS, replace=False)
    second = np.full(TOPICS, -1)
    some = rng.choice(TOPICS, SECOND_RELEVANT, replace=False)
    second[some] = relevant[TOPICS:][some]
    return Collection(topics, relevant[:TOPICS], second)


def qrels(made: Collection, names: Names = numbers) -> Iterator[bytes]:
    """Yield the qrels at once; they are small."""
    has_second = made.second >= 0
    topics = np.concatenate([made.topics, made.topics[has_second]])
    documents = np.concatenate([made.relevant, made.second[has_second]])
    order = np.argsort(topics, kind="stable")
    yield lines(whole(topics[order]), constant(" 0 "), *names(documents[order]), constant(" 1"))


def run(made: Collection, number: int, names: Names = numbers) -> Iterator[bytes]:
    """Yield run `number`, a block of topics at a time; scores fall with six decimals and a few ties."""
    rng = np.random.default_rng([SEED, number])
    ranks = np.arange(1, DEPTH + 1)
    for first in range(0, TOPICS, BLOCK):
        topics = made.topics[first : first + BLOCK]
        documents = draw_documents(made.relevant[first : first + BLOCK], rng)
        steps = rng.integers(-150, 15_000, size=documents.shape).clip(0)
        top = rng.integers(20_000_000, 30_000_000, size=(len(topics), 1))
        yield lines(
            whole(np.repeat(topics, DEPTH)),
            constant(" Q0 "),
            *names(documents.ravel()),
            constant(" "),
            np.tile(whole(ranks), (len(topics), 1)),
            constant(" "),
            *decimal((top - np.cumsum(steps, axis=1)).ravel(), 6),
            constant(f" run{number:02}" if names is numbers else f" passages-run-{number:02}"),
        )


def draw_documents(relevant: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a thousand different documents a topic, the relevant one mostly among them and near the top."""
    documents = np.empty((len(relevant), DEPTH), dtype=np.int64)
    place = (DEPTH ** rng.random(len(relevant))).astype(np.int64) - 1
    found = rng.random(len(relevant)) < FOUND
    missing = np.arange(len(relevant))
    while len(missing):
        documents[missing] = rng.integers(DOCUMENTS, size=(len(missing), DEPTH))
        there = missing[found[missing]]
        documents[there, place[there]] = relevant[there]
        ordered = np.sort(documents[missing], axis=1)
        missing = missing[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
    return documents
