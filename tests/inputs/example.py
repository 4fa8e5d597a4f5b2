"""One small collection in the many forms that runs and qrels come in."""

from collections import defaultdict

QRELS_ROWS: list[tuple[str, str, int]] = [
    ("301", "FT1", 1),
    ("301", "FT2", 0),
    ("301", "FT3", 2),
    ("301", "FT9", -1),
    ("302", "FT1", 1),
    ("303", "é1", 3),
]
# Ties (also in 32 bits only), unjudged documents, a topic nobody judged, one that the qrels have and the run has not.
RUN_ROWS: list[tuple[str, str, float]] = [
    ("303", "é1", 1.25),
    ("303", "é2", 1.25),
    ("303", "FT1", 7.0),
    ("301", "FT3", 0.5),
    ("301", "LA1", 16777217.0),
    ("301", "FT2", 16777216.0),
    ("301", "FT1", -2.0),
    ("301", "FT9", -3.5),
    ("999", "FT1", 1.0),
]
TAG = "bm25"


def qrels_text() -> bytes:
    return "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in QRELS_ROWS).encode()


def run_text(rows: list[tuple[str, str, float]] = RUN_ROWS, tag: str = TAG) -> bytes:
    lines = [f"{topic} Q0 {document} {rank} {score!r} {tag}\n" for rank, (topic, document, score) in enumerate(rows)]
    return "".join(lines).encode("utf-8", "surrogateescape")


def nested(rows: list[tuple[str, str, float]] | list[tuple[str, str, int]]) -> dict[str, dict[str, float]]:
    """`{topic: {document: number}}`."""
    topics: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for topic, document, number in rows:
        topics[topic][document] = number
    return dict(topics)


def columns(rows: list[tuple[str, str, float]] | list[tuple[str, str, int]], number: str) -> dict[str, list[object]]:
    """Columns topic, document and the one named `number`."""
    return dict(zip(("topic", "document", number), map(list, zip(*rows, strict=True)), strict=True))
