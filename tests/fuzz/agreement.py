"""One input read by the core and by the plain reader: what they disagree on, if anything."""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import category

from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError
from rankscale.inputs import trec
from rankscale.inputs.files import file_name
from tests.fuzz import plain_reader
from tests.fuzz.inputs import Case
from tests.fuzz.packing import Damaged, Fault

DIALECTS = ("trec_eval 9", "trec_eval 10")
LONGEST_MESSAGE = 3_500  # three texts of 160 bytes, each of them escaped


def disagreement(case: Case) -> str | None:
    """What the two readers disagree on; None where they agree."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        place = Path(folder) / "input" if case.way == "file" else None
        return _in_our_dialect(case, place) or _in_other_dialects(case)


def _in_our_dialect(case: Case, place: Path | None) -> str | None:
    qrels, problem = _both(_plain(plain_reader.read_qrels, case.qrels), trec.read_qrels, case.qrels, place)
    if problem is not None or qrels is None:
        return problem and f"qrels: {problem}"
    judgments, found = qrels
    if judgments != (said := _qrels_said(found)):
        return f"qrels: expected {judgments}, the core read {said}"
    return _runs(case, judgments, found, place)


def _in_other_dialects(case: Case) -> str | None:
    """Those of trec_eval have no second reader here: they read a file or refuse it, and no more is asked."""
    for dialect in DIALECTS:
        try:
            qrels = trec.read_qrels(case.qrels, dialect=dialect)
            trec.read_run(qrels, case.run, order=case.order, depth=case.depth, dialect=dialect)
        except FormatError:
            continue
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # a panic of the core is none of Python's usual exceptions
            return f"{dialect}: {type(error).__name__}: {error}"
    return None


def _runs(case: Case, judgments: dict[bytes, dict[bytes, float]], qrels: Qrels, place: Path | None) -> str | None:
    plain = _plain(plain_reader.read_run, case.run, case.order)

    def read(source: Any) -> Run:
        copies = 3 if case.way == "threads" else 1
        runs = list(
            trec.read_runs(
                qrels, [source] * copies, order=case.order, depth=case.depth, keep_documents=True, threads=copies
            )
        )
        if any(run != runs[0] for run in runs):
            raise AssertionError("threads disagree")
        return runs[0]

    run, problem = _both(plain, read, case.run, place)
    if problem is not None or run is None:
        return problem and f"run: {problem}"
    (rankings, tags), found = run
    expected = dict(_expected(rankings, tags, judgments, case.depth, str(place) if place else "bytes"))
    said = dict(_said(found, qrels))
    wrong = [
        f"{key}: expected {expected[key]}, the core read {said[key]}" for key in expected if expected[key] != said[key]
    ]
    return "run: " + "; ".join(wrong) if wrong else None


def _plain(read: Any, *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except Fault as fault:
        return fault


def _both(plain: Any, read: Any, data: bytes, place: Path | None) -> tuple[Any, str | None]:
    """What both readers read, or what is wrong with what they say; (None, None) where both refuse the file alike."""
    if place is not None:
        place.write_bytes(data)
    try:
        found = read(data if place is None else place)
    except FormatError as error:
        if not isinstance(plain, Fault):
            return None, f"only the core refuses it: {error}"
        return None, _message_problem(str(error), plain, "bytes" if place is None else os.fspath(place))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a panic of the core is none of Python's usual exceptions
        return None, f"{type(error).__name__}: {error}"
    return (
        ((plain, found), None)
        if not isinstance(plain, Fault)
        else (None, f"the core takes what is wrong in lines {plain.args}")
    )


def _message_problem(message: str, fault: Fault, name: str) -> str | None:
    told = re.match(re.escape(name) + r"(?:, line (\d+)(?:, column \d+)?)?: .", message)
    if told is None:
        return f"the message does not begin with the file: {message!r}"
    line = told[1] and int(told[1])
    # Which of several wrong lines of a run is told is open; so it is where damage unpacks to megabytes of nonsense.
    told_well = line in fault.args if fault.args else line is None or isinstance(fault, Damaged)
    if not told_well:
        return f"expected an error in one of the lines {fault.args}, the core says: {message!r}"
    if any(category(character) == "Cc" for character in message.replace("\n", "").replace("\t", "")):
        return f"the message has control characters: {message!r}"
    return None if len(message) <= LONGEST_MESSAGE else f"a message of {len(message)} characters"


def _qrels_said(qrels: Qrels) -> dict[bytes, dict[bytes, float]]:
    return {_raw(t): {_raw(d): grade for d, grade in grades.items()} for t, grades in qrels.to_dict().items()}


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _expected(
    rankings: dict[bytes, list[tuple[float, bytes]]],
    tags: list[bytes],
    judgments: dict[bytes, dict[bytes, float]],
    depth: int | None,
    source: str,
) -> Iterator[tuple[str, Any]]:
    seen = {topic: ranking[:depth] for topic, ranking in sorted(rankings.items()) if topic in judgments}
    yield "documents", {topic: [document for _, document in ranking] for topic, ranking in seen.items()}
    yield "judged", {topic: list(_entries(ranking, judgments[topic])) for topic, ranking in seen.items()}
    yield "unknown topics", len(rankings.keys() - judgments.keys())
    yield "name", tags[0] if len(set(tags)) == 1 else _raw(file_name(source))
    yield "last tag", tags[-1]
    yield "warnings", int(len(set(tags)) > 1)


def _entries(ranking: list[tuple[float, bytes]], grades: dict[bytes, float]) -> Iterator[tuple[Any, ...]]:
    """(rank, document, grade, first and last rank with the same score) of the judged documents."""
    for rank, (key, document) in enumerate(ranking, start=1):
        if document in grades:
            tied = [place for place, (other, _) in enumerate(ranking, start=1) if other == key]
            yield rank, document, grades[document], tied[0], tied[-1]


def _said(run: Run, qrels: Qrels) -> Iterator[tuple[str, Any]]:
    topics = [_raw(qrels.topics[row]) for row in run.rows.tolist()]
    names = run.documents or ((),) * len(topics)
    yield "documents", {topic: [_raw(name) for name in ranking] for topic, ranking in zip(topics, names, strict=True)}
    yield "judged", {topic: list(_judged(run, qrels, place)) for place, topic in enumerate(topics)}
    yield "unknown topics", run.unknown_topics
    yield "name", _raw(run.name)
    yield "last tag", _raw(run.last_tag)
    yield "warnings", len(run.warnings)


def _judged(run: Run, qrels: Qrels, place: int) -> Iterator[tuple[Any, ...]]:
    row, entries = int(run.rows[place]), slice(int(run.starts[place]), int(run.starts[place + 1]))
    names, codes = qrels.index.documents(row), qrels.codes[qrels.starts[row] : qrels.starts[row + 1]]
    columns = (run.rank[entries], run.document[entries], run.first[entries], run.last[entries])
    for rank, document, first, last in zip(*(column.tolist() for column in columns), strict=True):
        yield rank, names[document], float(qrels.levels[codes[document]]), first, last
