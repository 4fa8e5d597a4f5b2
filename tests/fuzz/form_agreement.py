"""One input of some form read by the public functions and by the plain readers: what they disagree on, if anything.

`read` is the only place that calls rankscale.
"""

import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import category
from unittest.mock import patch

import rankscale
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import InputError
from rankscale.inputs import binary
from tests.fuzz import plain_forms
from tests.fuzz.form_inputs import FormCase
from tests.fuzz.packing import Fault
from tests.fuzz.plain_forms import Reading
from tests.fuzz.plain_rows import Open

LONGEST_MESSAGE = 4_000
# What damaged Parquet and Arrow files say about themselves is not believed, where the library may get away with it.
STRICTER = ("(its description", "unpacks to more than", "(a row group has", "(a page says")
FILE = "input.data"  # its run is named input; where tags of a TREC run vary, as the file is
NAMES_WITHOUT_FILE = {b"run", b"bytes"}  # of a run read from bytes
Seen = list[dict[str, Any]]  # what can be seen of each run, or of the judgments


def disagreement(case: FormCase) -> str | None:
    """What the two readers disagree on; None where they agree."""
    expected = _plain(case)
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        place = Path(folder) / FILE
        place.write_bytes(case.data)
        source: bytes | Path = place if case.way == "file" else case.data
        try:
            with patch.object(binary, "BATCH", case.batch or binary.BATCH):
                seen = read(case, source)
        except InputError as error:
            is_stricter = case.is_spoilt and any(words in str(error) for words in STRICTER)
            if isinstance(expected, Reading) and not is_stricter:
                return f"only rankscale refuses it: {error}"
            return message_problem(str(error), os.fspath(source) if isinstance(source, Path) else "bytes")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # a panic of the core is none of Python's usual exceptions
            return f"{type(error).__name__}: {error}"
    if isinstance(expected, Open):
        return None
    if isinstance(expected, Fault):
        return f"rankscale takes what is wrong; it reads {seen}"
    return difference(list(_expected(case, expected)), seen)


def read(case: FormCase, source: bytes | Path) -> Seen:
    """What rankscale reads, in a shape that can be compared."""
    options = case.options
    if case.kind == "qrels":
        read_qrels: Any = rankscale.read_qrels
        qrels = read_qrels(source, form=options.form, columns=options.columns, merge=options.merge)
        return [{"grades": {_raw(t): {_raw(d): g for d, g in one.items()} for t, one in qrels.to_dict().items()}}]
    read_runs: Any = rankscale.read_runs
    qrels = rankscale.read_qrels(case.judgments)
    runs = read_runs(
        qrels,
        source,
        form=options.form,
        columns=options.columns,
        order=options.order,
        depth=case.depth,
        keep_documents=True,
        keep_scores=options.order in {"score", "score64"},
        duplicates=options.duplicates,
        document_from=options.document_from,
    )
    return [_seen(run, qrels) for run in runs]


def _plain(case: FormCase) -> Reading | Fault | Open:
    try:
        return (plain_forms.read_runs if case.kind == "runs" else plain_forms.read_qrels)(case.data, case.options)
    except (Fault, Open) as problem:
        return problem


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _expected(case: FormCase, reading: Reading) -> Iterator[dict[str, Any]]:
    if case.kind == "qrels":
        yield {"grades": {topic: dict(judged) for topic, judged in reading.runs[None].items()}}
        return
    grades = {_raw(t): {_raw(d): g for d, g in one.items()} for t, one in case.judgments.items()}
    default = {b"input", FILE.encode()} if case.way == "file" else NAMES_WITHOUT_FILE
    for name, topics in reading.runs.items():
        known = {topic: ranking[: case.depth] for topic, ranking in sorted(topics.items()) if topic in grades}
        judged = {topic: list(_entries(ranking, grades[topic])) for topic, ranking in known.items()}
        yield {
            "name": default if name is None else {name},
            "order": reading.order,
            "documents": {topic: [document for document, _ in ranking] for topic, ranking in known.items()},
            "judged": judged,
            "scores": {
                topic: [score for document, score in ranking if document in grades[topic]]
                for topic, ranking in known.items()
            }
            if case.options.order in {"score", "score64"}
            else None,
            "unknown topics": len(topics.keys() - grades.keys()),
        }


def _entries(ranking: plain_forms.Ranking, grades: dict[bytes, float]) -> Iterator[tuple[Any, ...]]:
    """(rank, document, grade, first and last rank with the same key) of the judged documents."""
    keys = [key for _, key in ranking]
    for rank, (document, key) in enumerate(ranking, start=1):
        if document in grades:
            first = keys.index(key) + 1
            yield rank, document, grades[document], first, first + keys.count(key) - 1


def _seen(run: Run, qrels: Qrels) -> dict[str, Any]:
    topics = [_raw(qrels.topics[row]) for row in run.rows.tolist()]
    places = [slice(int(run.starts[place]), int(run.starts[place + 1])) for place in range(len(topics))]
    names = run.documents or ((),) * len(topics)
    scores = run.score
    return {
        "name": {_raw(run.name)},
        "order": run.order,
        "documents": {topic: [_raw(one) for one in ranking] for topic, ranking in zip(topics, names, strict=True)},
        "judged": {topic: list(_judged(run, qrels, place)) for place, topic in enumerate(topics)},
        "scores": None
        if scores is None
        else {topic: scores[entries].tolist() for topic, entries in zip(topics, places, strict=True)},
        "unknown topics": run.unknown_topics,
    }


def _judged(run: Run, qrels: Qrels, place: int) -> Iterator[tuple[Any, ...]]:
    row, entries = int(run.rows[place]), slice(int(run.starts[place]), int(run.starts[place + 1]))
    names, codes = qrels.index.documents(row), qrels.codes[qrels.starts[row] : qrels.starts[row + 1]]
    columns = (run.rank[entries], run.document[entries], run.first[entries], run.last[entries])
    for rank, document, first, last in zip(*(column.tolist() for column in columns), strict=True):
        yield rank, names[document], float(qrels.levels[codes[document]]), first, last


def difference(expected: Seen, seen: Seen) -> str | None:
    """In words, what is not as expected."""
    if len(expected) != len(seen):
        return f"expected {len(expected)} runs, rankscale reads {len(seen)}"
    wrong = [
        f"{key}: expected {one[key]}, rankscale reads {other[key]}"
        for one, other in zip(expected, seen, strict=True)
        for key in one
        if not _same(key, one[key], other[key])
    ]
    return "; ".join(wrong) or None


def _same(key: str, expected: Any, seen: Any) -> bool:
    if key == "name":
        return bool(seen <= expected)
    if key == "grades" and expected.keys() == seen.keys():
        return all(
            judged.keys() == seen[topic].keys()
            and all(math.isclose(grade, seen[topic][one], rel_tol=1e-15, abs_tol=0) for one, grade in judged.items())
            for topic, judged in expected.items()
        )
    return bool(expected == seen)


def message_problem(message: str, source: str) -> str | None:
    """What is wrong with the words of an error."""
    if not message.startswith(source):
        return f"the message does not begin with the source: {message!r}"
    if any(category(character) == "Cc" for character in message.replace("\n", "").replace("\t", "")):
        return f"the message has control characters: {message!r}"
    return None if len(message) <= LONGEST_MESSAGE else f"a message of {len(message)} characters"
