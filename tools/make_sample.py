"""Write the sample collection of `rankscale.sample`: the same bytes every time.

    python tools/make_sample.py [--out DIR]

No system ran and no assessor judged: all is drawn from a small model of retrieval. Every latent
variable has a random stream of its own, seeded by its name, so that changing one system leaves
most others as they are. Only `random()`, whose stream Python promises to keep, and `gauss()`, which
follows from it, are drawn.

**A topic** has 800 candidates out of 5000 documents: all that any system could retrieve. Its
number of relevant ones is log-normal, as in real collections: many topics have few, a few a
hundred. Its *ease* multiplies skill (hard topics are hard for all; query expansion gains more on
easy ones, a person suffers less on hard ones: `sway`). Its *stretch* multiplies scores, which
makes them incomparable between topics, as they are in practice.

**A system** ranks the candidates by *merit*: its skill on the topic times the *pull* of the
document's true grade, plus noise. Skill is the system's own times ease, plus *luck* on this topic,
shared by kin and its own. Noise has three parts: what misleads everybody (common), what misleads a
kind of system (kin), and what misleads this one alone (own). So systems agree more within a family
than across; expansion and learned sparse retrieval are half lexical, late interaction half dense.

**Rerankers** put the first 100 documents of bm25 in the order of their own merit and leave the
rest as it was: they cannot find what bm25 missed. **Fusions** add up reciprocal ranks.

**Qrels** hold the true grade of what 16 systems rank in their first 20, of ten candidates per
topic drawn at random, and of all that the person behind `manual` found relevant. The other eight
systems bring unjudged documents, a few of them relevant.

Oddities, each there because a toolkit must cope with it:

- dense-int8 has whole numbers for scores: large groups of ties, across any usual depth. Others
  have few decimals, so that small ties occur too. The rank column follows merit, so within ties
  it differs from the order in which trec_eval reads them.
- Rerankers, fusions, shuffle and manual have scores made from ranks (no ties); those of ql and
  ql-rm3 are negative.
- dense-zero has no ranking at all for topic 137.
- Twelve topics have a judged document, of grade 0, that is no candidate: nobody retrieves it.
  A quarter of the candidates judged by lot are in no ranking either.
- shuffle is close to the floor: AP .045, where a random order of the candidates has .014.
"""

from __future__ import annotations

import argparse
import lzma
from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SEED = 2
TOPICS = range(101, 151)
COLLECTION = 5_000
CANDIDATES = 800
DEPTH, POOL_DEPTH, RERANKED = 200, 20, 100
PULL = (0.0, 0.8, 1.15, 1.5)  # of grades 0 to 3
HIGHER = (0.55, 0.85)  # shares of relevant documents below grades 2 and 3
COMMON, KIN, OWN = 0.65, 0.6, 0.5  # weights of the three parts of noise
KIN_LUCK, OWN_LUCK = 0.2, 0.12  # how skill varies from topic to topic
EXTRA = 10  # documents per topic judged though not pooled
PRESET = 9 | lzma.PRESET_EXTREME
MISSED = ("dense-zero", 137)
STRAY_TOPICS = range(103, 151, 4)
OUT = Path(__file__).parent.parent / "src" / "rankscale" / "sample"

Ranking = dict[str, str]  # document and score as written, best first


@dataclass(frozen=True)
class Topic:
    """An information need and all that bears on it."""

    number: int
    grades: dict[str, int]  # the true grade of every candidate
    stray: str | None  # judged, retrieved by nobody
    ease: float
    stretch: float


@dataclass(frozen=True)
class System:
    """What it is worth, whom it resembles, and how its scores look."""

    name: str
    kin: tuple[str, ...]
    skill: float
    centre: float = 0  # scores are (centre + spread * merit) * stretch
    spread: float = 0  # 0: scores are made from ranks
    decimals: int = 2
    over: tuple[str, ...] = ()  # systems reranked (one) or fused (several)
    sway: float = 1  # how much the ease of a topic matters
    pooled: bool = True


LEXICAL, SPARSE, DENSE = ("lexical",), ("sparse", "lexical"), ("dense",)
EXPANSION, LATE, CROSS = ("expansion", "lexical"), ("late", "dense"), ("cross",)
SYSTEMS = (
    System("tfidf", LEXICAL, 0.9, 25, 5),
    System("bm25", LEXICAL, 1.2, 30, 6),
    System("bm25-stem", LEXICAL, 1.27, 30, 6),
    System("bm25-tuned", LEXICAL, 1.3, 26, 5),
    System("ql", LEXICAL, 1.2, -40, 4),
    System("bm25-rm3", EXPANSION, 1.4, 22, 5, sway=1.4),
    System("bm25-bo1", EXPANSION, 1.32, 34, 6, sway=1.4, pooled=False),
    System("ql-rm3", EXPANSION, 1.3, -35, 4, sway=1.4, pooled=False),
    System("sparse-doc", SPARSE, 1.35, 30, 6),
    System("sparse-base", SPARSE, 1.55, 40, 8, 1),
    System("sparse-distil", SPARSE, 1.65, 42, 8, 1, pooled=False),
    System("dense-zero", DENSE, 1.05, 0.65, 0.08, 3, pooled=False),
    System("dense-base", DENSE, 1.4, 0.6, 0.08, 3),
    System("dense-hard", DENSE, 1.5, 0.6, 0.08, 3, pooled=False),
    System("dense-int8", DENSE, 1.38, 90, 4, 0, pooled=False),
    System("late-base", LATE, 1.65, 60, 9, 1),
    System("late-prf", LATE, 1.7, 62, 9, 1, pooled=False),
    System("bm25-ce-small", CROSS, 1.7, over=("bm25",)),
    System("bm25-ce-large", CROSS, 2.1, over=("bm25",)),
    System("bm25-ce-pair", CROSS, 2.15, over=("bm25",), pooled=False),
    System("fuse-lexical", (), 0, over=("bm25", "ql", "bm25-rm3")),
    System("fuse-all", (), 0, over=("bm25", "sparse-doc", "dense-base")),
    System("shuffle", ("shuffle",), 0.3),
    System("manual", ("manual",), 1.85, sway=0.4),
)


def stream(*name: object) -> Random:
    """The random numbers of one latent variable."""
    return Random("/".join(map(str, (SEED, *name))))


@lru_cache(maxsize=64)
def normals(count: int, *name: object) -> tuple[float, ...]:
    """Draw standard normal numbers."""
    rng = stream(*name)
    return tuple(rng.gauss(0, 1) for _ in range(count))


def shared(kin: tuple[str, ...], count: int, *name: object) -> list[float]:
    """What all kin bring in, as one variable of variance 1."""
    parts = zip(*(normals(count, *name, "kin", one) for one in kin), strict=True)
    return [sum(part) / len(kin) ** 0.5 for part in parts]


def drawn(items: Iterable[str], count: int, *name: object) -> list[str]:
    """Some of the items, in random order (`random.sample` may change between versions)."""
    rng = stream(*name)
    return sorted(items, key=lambda _: rng.random())[:count]


def log_normal(low: float, centre: float, sigma: float, high: float, *name: object) -> float:
    """Draw a log-normal number around exp(centre), clipped."""
    return max(low, min(exp(centre + sigma * normals(1, *name)[0]), high))


def make_topic(number: int) -> Topic:
    """Draw a topic."""
    collection = (f"d{n:04}" for n in range(COLLECTION))
    *candidates, stray = drawn(collection, CANDIDATES + 1, "documents", number)
    relevant = int(log_normal(4, 3.2, 0.95, 150, "relevant", number))
    rng = stream("grades", number)
    grades = [1 + bisect(HIGHER, rng.random()) for _ in range(relevant)]
    return Topic(
        number,
        dict(zip(candidates, grades + [0] * (CANDIDATES - relevant), strict=True)),
        stray if number in STRAY_TOPICS else None,
        ease=log_normal(0.3, 0, 0.4, 2, "ease", number),
        stretch=log_normal(0.7, 0, 0.15, 1.4, "stretch", number),
    )


def merits(system: System, topic: Topic) -> dict[str, float]:
    """How good each candidate looks to a system."""
    t, name, kin, count = topic.number, system.name, system.kin, len(topic.grades)
    luck = KIN_LUCK * shared(kin, 1, "luck", t)[0] + OWN_LUCK * normals(1, "luck", t, name)[0]
    skill = system.skill * topic.ease**system.sway + luck
    common, own = normals(count, "noise", t), normals(count, "noise", t, name)
    noise = zip(common, shared(kin, count, "noise", t), own, strict=True)
    return {
        document: skill * PULL[grade] + COMMON * a + KIN * b + OWN * c
        for (document, grade), (a, b, c) in zip(topic.grades.items(), noise, strict=True)
    }


def best_first(merit: dict[str, float]) -> list[str]:
    """Order documents by merit."""
    return sorted(merit, key=lambda document: (-merit[document], document))


def fused(rankings: Iterable[list[str]]) -> list[str]:
    """Reciprocal rank fusion."""
    merit: dict[str, float] = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            merit[document] = merit.get(document, 0) + 1 / (60 + rank)
    return best_first(merit)


def ranked(system: System, topic: Topic, done: dict[str, Ranking]) -> Ranking:
    """One ranking; `done` holds those of the systems this one builds upon."""
    below = [list(done[name]) for name in system.over]
    if len(below) > 1:
        return from_ranks(fused(below)[:DEPTH])
    merit = merits(system, topic)
    if below:
        first, rest = below[0][:RERANKED], below[0][RERANKED:]
        return from_ranks(best_first({d: merit[d] for d in first}) + rest)
    order = best_first(merit)[:DEPTH]
    if not system.spread:
        return from_ranks(order)
    scores = ((system.centre + system.spread * merit[d]) * topic.stretch for d in order)
    return {d: f"{x:.{system.decimals}f}" for d, x in zip(order, scores, strict=True)}


def from_ranks(order: list[str]) -> Ranking:
    """Give the last of `DEPTH` documents score 1, the one above it 2."""
    return {document: str(DEPTH - above) for above, document in enumerate(order)}


def rankings_of(topic: Topic) -> dict[str, Ranking]:
    """All systems on one topic."""
    done: dict[str, Ranking] = {}
    for system in SYSTEMS:
        done[system.name] = ranked(system, topic, done)
    if topic.number == MISSED[1]:
        done[MISSED[0]] = {}
    return done


def judged(topic: Topic, rankings: dict[str, Ranking]) -> dict[str, int]:
    """The pool with its grades, a few documents more, and the stray."""
    pool = {d for s in SYSTEMS if s.pooled for d in list(rankings[s.name])[:POOL_DEPTH]}
    pool |= set(drawn(topic.grades, EXTRA, "extra", topic.number))
    pool |= {d for d in rankings["manual"] if topic.grades[d]}
    return {d: topic.grades[d] for d in pool} | ({topic.stray: 0} if topic.stray else {})


def files() -> dict[str, list[str]]:
    """The lines of every file of the collection."""
    lines: dict[str, list[str]] = defaultdict(list)
    for topic in map(make_topic, TOPICS):
        t, rankings = topic.number, rankings_of(topic)
        lines["qrels"] += [f"{t} 0 {d} {g}\n" for d, g in sorted(judged(topic, rankings).items())]
        for name, ranking in rankings.items():
            ranks = enumerate(ranking.items(), start=1)
            lines[f"runs/{name}"] += [f"{t} Q0 {d} {r} {x} {name}\n" for r, (d, x) in ranks]
    return lines


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description="Write the sample collection of rankscale.")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write into")
    out: Path = parser.parse_args().out
    (out / "runs").mkdir(parents=True, exist_ok=True)
    for name, lines in files().items():
        packed = lzma.compress("".join(lines).encode(), preset=PRESET)
        (out / f"{name}.txt.xz").write_bytes(packed)


if __name__ == "__main__":
    main()
