"""Qrels with aspects from rows, made without the core: what its reader must agree with."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscale.data.aspects import Aspects
from rankscale.data.qrels import Qrels
from rankscale.inputs.read import read_qrels


def made_qrels(rows: Sequence[tuple[str, str, str, float] | tuple[str, str, str, str, float]]) -> Qrels:
    """Qrels of rows `topic, aspect, document, grade` or, for preferences, `topic, aspect, list, document, level`."""
    full = [row if len(row) == 5 else (row[0], row[1], "", row[2], row[3]) for row in rows]
    highest: dict[str, dict[str, float]] = {}
    for topic, _, _, document, grade in full:
        before = highest.setdefault(topic, {}).get(document, grade)
        highest[topic][document] = max(before, grade)
    levels = {grade for *_, grade in full}
    padding = {f"{number}": level for number, level in enumerate(sorted(levels))}  # so that all levels are there
    qrels = read_qrels({**highest, "\x7f levels": padding})
    qrels = _without_last(qrels)
    number = {
        topic: {name.decode(): place for place, name in enumerate(qrels.index.documents(row))}
        for row, topic in enumerate(qrels.topics)
    }
    starts, names, first, lists = [0], [], [0], []
    columns: dict[str, list[int]] = {"document": [], "code": [], "ordering": [], "line": []}
    for topic in qrels.topics:
        for aspect in sorted({row[1] for row in full if row[0] == topic}, key=str.encode):
            held = [(line, row) for line, row in enumerate(full, start=1) if row[:2] == (topic, aspect)]
            ids = sorted({row[2] for _, row in held}, key=str.encode)
            for line, (_, _, ordering, document, grade) in held:
                columns["document"].append(number[topic][document])
                columns["code"].append(int(np.searchsorted(qrels.levels, grade)))
                columns["ordering"].append(ids.index(ordering))
                columns["line"].append(line)
            names.append(aspect)
            lists.append(tuple(ids))
            first.append(len(columns["document"]))
        starts.append(len(names))
    has_lists = any(len(row) == 5 for row in rows)
    aspects = Aspects(
        starts=np.array(starts),
        names=tuple(names),
        first=np.array(first),
        document=np.array(columns["document"], dtype=np.int32),
        code=np.array(columns["code"], dtype=np.int16),
        levels=qrels.levels,
        judgments=qrels.starts,
        ordering=np.array(columns["ordering"], dtype=np.int32) if has_lists else None,
        lists=tuple(lists) if has_lists else None,
        line=np.array(columns["line"]) if has_lists else None,
    )
    return replace(qrels, aspects=aspects)


def _without_last(qrels: Qrels) -> Qrels:
    """The same qrels without their last topic, which only holds all levels."""
    from rankscale._core import Index

    topics = list(qrels.index.topics[:-1])
    index = Index(topics, [qrels.index.documents(row) for row in range(len(topics))])
    stop = int(qrels.starts[-2])
    return replace(qrels, index=index, codes=qrels.codes[:stop], starts=qrels.starts[:-1])
