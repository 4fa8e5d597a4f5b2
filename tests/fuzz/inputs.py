"""Input number `i` of a seed: qrels, a run, and how they are to be read. The same in every process and machine."""

from dataclasses import dataclass
from random import Random

from tests.fuzz import mutations

WAYS = ("bytes",) * 7 + ("file",) * 2 + ("threads",)
ORDERS = ("score",) * 7 + ("score64", "rank", "file")
TOPICS = (b"1", b"2", b"10", b"301", b"t-\xc3\xa9", b"t\xe9", b"#no", b"\xf0\x9f\x8c\x8d", b"00", b"1.")
GRADES = (b"0", b"0", b"1", b"1", b"2", b"3", b"-1", b"-2", b"0.5", b"-0", b"1e0", b"4.0")


@dataclass(frozen=True)
class Case:
    """What is read, and how."""

    qrels: bytes
    run: bytes
    way: str = "bytes"
    order: str = "score"
    depth: int | None = None


def case(seed: int, number: int) -> Case:
    """Input `number` of `seed`. Two in three are spoilt; of the others one in two is written in some odd way."""
    rng = Random(f"{seed}/{number}")
    wide = rng.random() < 0.01
    documents = _documents(rng, wide=wide)
    topics = rng.sample(TOPICS, rng.randrange(1, 6))
    qrels, run = _qrels(rng, topics, documents), _run(rng, topics, documents)
    if rng.random() < 0.67:
        which = rng.random()
        qrels = qrels if which < 0.8 else _spoilt(qrels, rng, mutations.SPOILING)
        run = run if which > 0.9 else _spoilt(run, rng, mutations.SPOILING)
    elif rng.random() < 0.5:
        qrels, run = (_spoilt(text, rng, mutations.HARMLESS) for text in (qrels, run))
    depth = rng.randrange(1, 12) if rng.random() < 0.1 else None
    return Case(
        _maybe_packed(qrels, rng, 0.05), _maybe_packed(run, rng, 0.2), rng.choice(WAYS), rng.choice(ORDERS), depth
    )


def _spoilt(text: bytes, rng: Random, ways: tuple[mutations.Mutation, ...]) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        text = rng.choice(ways)(text, rng)
    return text


def _maybe_packed(text: bytes, rng: Random, share: float) -> bytes:
    if rng.random() >= share:
        return text
    archive = mutations.packed(text, rng)
    return _spoilt(archive, rng, mutations.OF_ARCHIVES) if rng.random() < 0.4 else archive


def _documents(rng: Random, *, wide: bool) -> list[bytes]:
    """Names; wide ones make a file longer than the reader's window (1 MiB) with few lines."""
    size = rng.choice((5_000, 60_000)) if wide else rng.choice((2, 8, 30, 45, 50))
    padding = rng.choice((b"", b"x", b"-", b"\xc3\xa9", b"\xff"))
    names = [b"d%d" % number + padding * rng.randrange(size) for number in range(rng.randrange(1, 40))]
    return list(dict.fromkeys(name[: 2 * size + 8] for name in names))


def _score(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.3:
        return b"%d" % rng.randrange(5)
    if kind < 0.9:
        return b"%.*f" % (rng.randrange(8), rng.uniform(-2, 20))
    if kind < 0.95:
        return b"%d" % (16777210 + rng.randrange(10))  # where 32 bits begin to merge whole numbers
    return b"%g" % (rng.uniform(-1, 1) * 10.0 ** rng.randrange(-50, 50))


def _qrels(rng: Random, topics: list[bytes], documents: list[bytes]) -> bytes:
    lines = [
        b"%b 0 %b %b" % (topic, document, rng.choice(GRADES))
        for topic in topics
        for document in rng.sample(documents, rng.randrange(len(documents) + 1) // 2 + 1)
    ]
    return b"\n".join(lines) + b"\n"


def _run(rng: Random, topics: list[bytes], documents: list[bytes]) -> bytes:
    retrieved = [*rng.sample(topics, rng.randrange(1, len(topics) + 1)), *rng.sample(TOPICS, rng.randrange(3))]
    tag, lines = rng.choice((b"run", b"my run  two", b"r\xe9", b"#tag", b"bm25")), []
    for topic in dict.fromkeys(retrieved):
        names = rng.sample(documents, rng.randrange(1, len(documents) + 1))
        scores = [_score(rng) for _ in names]
        if rng.random() < 0.6:
            scores.sort(key=float, reverse=True)
        for rank, (name, score) in enumerate(zip(names, scores, strict=True), start=1):
            lines.append(
                b"%b Q0 %b %d %b %b" % (topic, name, rank if rng.random() < 0.95 else rng.randrange(4), score, tag)
            )
    return b"\n".join(lines) + b"\n"
