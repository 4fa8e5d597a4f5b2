"""Questions that several surfaces answer: a collection, a measure, a test, a baseline, a correction and topics."""

import lzma
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run

MEASURES = (
    "nDCG@10",
    "nDCG@10",
    "AP",
    "P@5",
    "RR@10",
    "RBP(p=0.8)",
    "ERR@20",
    "Bpref",
    "R@20",
    "GMAP",
    "DCG@5",
    "DCG(base=2)@5",
    "AP(rel=2)",
    "Twist",
    "ESL",
    "num_rel_ret",
)
TESTS = ("student", "student", "student", "sign", "signed rank", "randomisation", "bootstrap", "two-way", "friedman")
CORRECTIONS = ("holm", "holm", "none", "bonferroni", "bh", "by")

Rankings = Mapping[str, Mapping[str, float]]  # scores by topic and document


@dataclass(frozen=True)
class Collection:
    """Judgments and runs in files, and read once for all questions about them."""

    qrels_file: Path
    run_files: tuple[Path, ...]

    @cached_property
    def qrels(self) -> Qrels:
        return rs.read_qrels(self.qrels_file)

    @cached_property
    def runs(self) -> list[Run]:
        return rs.read_runs(self.qrels, list(self.run_files), keep_documents=True)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(run.name for run in self.runs)

    @property
    def words(self) -> list[str]:
        """What a command line calls them."""
        return [str(self.qrels_file), *map(str, self.run_files)]

    def of_topics(self, topics: Sequence[str]) -> "Collection":
        """The same runs judged on some topics alone, in a file of their own beside the judgments."""
        file = self.qrels_file.with_name(f"{self.qrels_file.stem}-{len(topics)}-{hash_of(topics)}.txt")
        if not file.exists():
            lines = self.qrels_file.read_text(encoding="utf-8").splitlines(keepends=True)
            file.write_text("".join(line for line in lines if line.split()[0] in topics), encoding="utf-8")
        return Collection(file, self.run_files)


def hash_of(names: Sequence[str]) -> str:
    """A few letters that differ for other names, the same in every process."""
    return f"{random.Random(' '.join(names)).getrandbits(48):x}"


@dataclass(frozen=True)
class Question:
    """What is put to every surface; `topics` are those that count, all of them where there are none."""

    collection: Collection
    measure: str
    test: str
    correction: str
    baseline: str | None
    a: str
    b: str
    topics: tuple[str, ...]

    @property
    def asked(self) -> Collection:
        """The collection with the topics that count alone."""
        return self.collection.of_topics(self.topics) if self.topics else self.collection

    @property
    def takes_correction(self) -> bool:
        """Whether the p-values of the test are corrected afterwards, not by the test."""
        return self.test not in {"two-way", "friedman"}


def question(number: int, collections: Sequence[Collection]) -> Question:
    """The question of this number: always the same."""
    chance = random.Random(number)
    collection = collections[number % len(collections)]
    a, b = chance.sample(collection.names, 2)
    count = len(collection.qrels.topics)
    some = chance.sample(collection.qrels.topics, chance.randint(min(6, count), count)) if chance.random() < 0.3 else ()
    return Question(
        collection=collection,
        measure=chance.choice(MEASURES),
        test=chance.choice(TESTS),
        correction=chance.choice(CORRECTIONS),
        baseline=b if chance.random() < 0.4 else None,
        a=a,
        b=b,
        topics=tuple(sorted(some)),
    )


def made_up(folder: Path, seed: int) -> Collection:
    """A small collection with tied scores, unjudged documents and, in every second one, a topic that a run lacks."""
    chance = random.Random(seed)
    topics = [f"t{number}" for number in range(chance.randint(6, 14))]
    grades = (0, 1) if seed % 3 == 0 else (0, 0, 0, 1, 2) if seed % 3 == 1 else (0, 0, 1, 2, 3, -1)
    qrels = {topic: {f"d{place}": chance.choice(grades) for place in range(30)} for topic in topics}
    runs = {}
    for run in range(chance.randint(2, 6)):
        skill = chance.random()
        runs[f"run{run}"] = {
            topic: {name: round(judged.get(name, 0) * skill + chance.random(), 2) for name in _drawn(chance)}
            for topic, judged in qrels.items()
        }
    if seed % 2:
        del runs["run1"][topics[-1]]
    return written(folder / f"made-{seed}", qrels, runs)


def _drawn(chance: random.Random) -> list[str]:
    return [f"d{place}" for place in chance.sample(range(40), 20)]


def real(folder: Path, source: Path, qrels: str, *, runs: int, topics: int, documents: int) -> Collection:
    """The first runs and topics of a real collection, with the first documents of each ranking."""
    judged = rs.read_qrels(source / qrels)
    kept = judged.topics[:topics]
    cut: dict[str, dict[str, dict[str, float]]] = {}
    for file in sorted((source / "runs").iterdir())[:runs]:
        rankings = cut.setdefault(file.name.removesuffix(".xz"), {topic: {} for topic in kept})
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            for topic, _, document, _, score, _ in map(str.split, lines):
                if len(rankings.get(topic, range(documents))) < documents:
                    rankings[topic][document] = float(score)
    return written(folder / source.name, {topic: judged.grades(topic) for topic in kept}, cut)


def written(folder: Path, qrels: Mapping[str, Mapping[str, float]], runs: Mapping[str, Rankings]) -> Collection:
    """A collection in files of the form of TREC."""
    (folder / "runs").mkdir(parents=True)
    file = folder / "qrels.txt"
    file.write_text("".join(_judgments(qrels)), encoding="utf-8")
    files = [folder / "runs" / f"{name}.txt" for name in runs]
    for path, (name, rankings) in zip(files, runs.items(), strict=True):
        path.write_text("".join(_ranked(name, rankings)), encoding="utf-8")
    return Collection(file, tuple(files))


def _judgments(qrels: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for topic, judged in qrels.items():
        for document, grade in judged.items():
            yield f"{topic} 0 {document} {grade:g}\n"


def _ranked(name: str, rankings: Rankings) -> Iterator[str]:
    for topic, scores in rankings.items():
        for rank, (document, score) in enumerate(sorted(scores.items(), key=lambda one: -one[1]), 1):
            yield f"{topic} Q0 {document} {rank} {score!r} {name}\n"
