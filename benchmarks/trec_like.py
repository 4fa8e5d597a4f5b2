"""Runs and qrels shaped as those of TREC-8: 50 topics, deep pools, newswire documents.

Every topic has some thousand candidate documents, each with a pull of its own; a run adds its noise to the
pull and keeps the thousand strongest. Judged documents pull more, relevant ones most, so that the top of a
run is mostly judged and the tail mostly not, and runs resemble one another, as they do at TREC.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.columns import constant, decimal, lines, strings, whole

SEED = 8
TOPICS = tuple(range(401, 451))
DEPTH = 1000
UNJUDGED = 4500  # candidates of a topic beyond its pool
PULL_JUDGED, PULL_RELEVANT = 1.5, 3.2  # above unjudged documents, whose pull has mean 0 and deviation 1


@dataclass(frozen=True)
class Topic:
    """The candidates of one topic; the judged ones stand first."""

    number: int
    documents: npt.NDArray[np.bytes_]
    pull: npt.NDArray[np.float64]
    grades: npt.NDArray[np.int64]  # of the judged documents


def document_names() -> npt.NDArray[np.bytes_]:
    """Return names in the four styles of TREC disks 4 and 5, about as many of each as there."""
    volumes = [f"{year}{quarter}" for year in range(91, 95) for quarter in range(1, 5)]
    days = [f"{month:02}{day:02}" for month in range(1, 13) for day in range(1, 29)]
    names = [f"FT{volume}-{n}" for volume in volumes for n in range(1, 13000)]
    names += [f"FBIS{disk}-{n}" for disk in (3, 4) for n in range(1, 65000)]
    names += [f"LA{day}{year}-{n:04}" for year in (89, 90) for day in days for n in range(1, 190)]
    names += [f"FR94{day}-{part}-{n:05}" for day in days for part in range(3) for n in range(1, 55)]
    return np.array(names, dtype=np.bytes_)


def collection() -> list[Topic]:
    """Return the topics all runs share: some 73,000 judged documents, about 5 % of them relevant."""
    rng = np.random.default_rng(SEED)
    names = document_names()
    return [draw_topic(number, names, rng) for number in TOPICS]


def draw_topic(number: int, names: npt.NDArray[np.bytes_], rng: np.random.Generator) -> Topic:
    """Return one topic: how many documents are judged and relevant varies much, as it does at TREC."""
    judged = int(rng.integers(980, 1940))
    relevant = max(2, round(judged * rng.beta(1.5, 28.5)))
    grades = np.zeros(judged, dtype=np.int64)
    grades[rng.choice(judged, relevant, replace=False)] = 1
    documents = names[rng.choice(len(names), judged + UNJUDGED, replace=False)]
    pull = rng.standard_normal(len(documents))
    pull[:judged] += np.where(grades == 1, PULL_RELEVANT, PULL_JUDGED)
    return Topic(number, documents, pull, grades)


def qrels(topics: list[Topic]) -> Iterator[bytes]:
    """Yield the qrels, a topic at a time, documents in alphabetic order as NIST has them."""
    for topic in topics:
        judged = topic.documents[: len(topic.grades)]
        order = np.argsort(judged)
        grades = whole(topic.grades[order])
        yield lines(constant(f"{topic.number} 0 "), strings(judged[order]), constant(" "), grades)


def run(topics: list[Topic], number: int, *, shuffled: bool = False) -> Iterator[bytes]:
    """Yield run `number` a topic at a time; shuffled, the same lines in no order within each topic.

    Scores have four to six decimals and a reach that varies by run, so that some runs have many ties.
    """
    rng = np.random.default_rng([SEED, number])
    noise = rng.uniform(0.4, 1.4)
    places, reach = int(rng.integers(4, 7)), float(rng.choice([1.0, 12.0, 30.0]))
    shuffle = np.random.default_rng([SEED, number, 1])
    for topic in topics:
        strength = topic.pull + noise * rng.standard_normal(len(topic.pull))
        kept = np.argsort(-strength)[:DEPTH]
        share = (strength[kept] - strength[kept[-1]] + 0.2) / (strength[kept[0]] - strength[kept[-1]] + 0.4)
        units = np.rint(share * reach * 10**places).astype(np.int64)
        order = shuffle.permutation(DEPTH) if shuffled else np.arange(DEPTH)
        yield lines(
            constant(f"{topic.number} Q0 "),
            strings(topic.documents[kept[order]]),
            constant(" "),
            whole(order + 1),
            constant(" "),
            *decimal(units[order], places),
            constant(f" run{number:03}"),
        )
