"""The name of a collection, for the title of a page: that of its judgments, never a path."""

import os
import re

ENDINGS = re.compile(
    r"\.(gz|xz|bz2|zst|zip|txt|tsv|csv|json|jsonl|ndjson|parquet|arrow|feather|qrels?|trec|out|dat)$", re.IGNORECASE
)
QRELS = re.compile(r"(?:^|(?<=[._-]))qrels?(?:$|[._-])|[._-]+$", re.IGNORECASE)
GENERAL = {"", "qrels", "qrel", "test", "dev", "train", "judgments", "values", "stdin"}  # names that say nothing


def collection_name(source: str) -> str:
    """What judgments are about, from where they were read; empty where that says nothing.

    >>> collection_name("data/trec8.qrels.gz"), collection_name("qrels.robust04.txt"), collection_name("qrels.tsv")
    ('trec8', 'robust04', '')
    >>> collection_name("irds:beir/scifact/test")
    'beir/scifact/test'
    """
    if source.startswith("irds:"):
        return source.removeprefix("irds:")
    if source.startswith("the "):  # data in memory, as messages call it
        return ""
    name = os.path.basename(source)
    while (shorter := ENDINGS.sub("", name)) != name:
        name = shorter
    name = QRELS.sub("", name)
    return "" if name.lower() in GENERAL else name
