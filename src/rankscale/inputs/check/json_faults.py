"""Every error of JSON Lines that cannot be read: the reader itself takes them, some at a time, past each it refuses."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError
from rankscale.inputs.check.faults import Faults, kind_of_error
from rankscale.inputs.files import NamedBytes
from rankscale.inputs.options import Duplicates, Reading
from rankscale.inputs.read import iterate_runs

CHUNK = 256  # lines that are read at once
SHAPES = 8  # sets of keys, the most usual first, of which an example is looked for
TRIED = 2_000  # first lines, one of which has to be read
REREAD = 1 << 28  # bytes of text that are read again to find documents that stand twice
NAME = "lines"  # what the reader calls them; no file, so that its message starts with nothing else
PLACE = re.compile(rf"{NAME}, line (\d+)((?:, column \d+)?: [^\n]*)")


def json_faults(source: str, blocks: Iterable[bytes], reading: Reading, index: Qrels) -> Faults | None:
    r"""All errors of the lines of a run; None where none of the first lines is one of JSON Lines.

    >>> from rankscale import read_qrels
    >>> line = b'{"qid": "1", "docid": "%s", "score": %s}\n'
    >>> text = b"".join(line % pair for pair in [(b"a", b"2"), (b"b", b"x"), (b"a", b"1")])
    >>> for kind, words in json_faults("run.jsonl", [text], Reading(), read_qrels({"1": {}})).texts():
    ...     print(kind, words, sep=": ")
    unreadable: run.jsonl, line 2, column 37: expected a value
    document twice: run.jsonl, line 3: document a stands a second time in topic 1 (first in line 1)
    """
    lines = b"".join(blocks).split(b"\n")
    example = _example(lines, reading, index)
    if example is None and reading.form != "jsonl" and not any(map(_keys, lines[:TRIED])):
        return None
    faults = Faults(source, lines=sum(1 for line in lines if line.strip() and not line.startswith(b"#")))
    reader = _Reader(replace(reading, form="jsonl"), index)
    if example is None:
        _add_alone(faults, lines, reader)
        return faults if faults.counts else None
    _add_unreadable(faults, lines, example, reader)
    if reading.duplicates == "error":
        _add_repeated(faults, lines, reader)
    return faults


class _Reader:
    """The reader of runs, which stops at the first line that it refuses."""

    def __init__(self, reading: Reading, index: Qrels) -> None:
        self.reading, self.index = reading, index

    def refused(self, lines: Sequence[bytes], duplicates: Duplicates) -> tuple[int, str, str] | None:
        """Number of the first line that is refused, what the reader says of it, and the kind; None without one."""
        how = replace(self.reading, duplicates=duplicates)
        try:
            list(iterate_runs(self.index, [(None, NamedBytes(NAME, b"\n".join(lines)))], how))
        except FormatError as error:
            match = PLACE.match(str(error))
            return None if match is None else (int(match[1]), match[2], kind_of_error(str(error)))
        return None


def _example(lines: Sequence[bytes], reading: Reading, index: Qrels) -> bytes | None:
    """The first line that can be read and has the keys that most lines have; None where none can be read."""
    keys = [_keys(line) for line in lines[:TRIED]]
    usual = [of for of, _ in Counter(filter(None, keys)).most_common()]
    for wanted in usual[:SHAPES]:
        alike = [line for line, of in zip(lines, keys, strict=False) if of == wanted]
        for line in alike:
            if _is_one(line, reading, index):
                return line
    return None


def _keys(line: bytes) -> tuple[str, ...]:
    """The keys of an object, and of the first item of each list and object in it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return tuple(_paths(value)) if isinstance(value, dict) else ()


def _paths(value: dict[str, object]) -> Iterator[str]:
    for key, inner in value.items():
        first = inner[0] if isinstance(inner, list) and inner else inner
        yield f"{key}: {' '.join(first) if isinstance(first, dict) else type(first).__name__}"


def _is_one(line: bytes, reading: Reading, index: Qrels) -> bool:
    """Whether a line alone is read as one of JSON Lines."""
    try:
        runs = list(iterate_runs(index, [(None, NamedBytes(NAME, line))], replace(reading, duplicates="first")))
    except FormatError:
        return False
    return any(dict(notice.fields).get("form") == "jsonl" for run in runs for notice in run.notices)


def _add_unreadable(faults: Faults, lines: list[bytes], example: bytes, reader: _Reader) -> None:
    """Add each line that is refused, and leave it out of `lines`.

    Some lines are read at once, and read on after each that is refused; a line that can be read goes before them, as
    all have to be alike.
    """
    for start in range(0, len(lines), CHUNK):
        at, end = start, min(start + CHUNK, len(lines))
        while at < end and (wrong := reader.refused([example, *lines[at:end]], "first")):
            number, words, kind = wrong
            at += number - 1  # the example is the first
            faults.add(kind, at, words)
            lines[at - 1] = b""


def _add_alone(faults: Faults, lines: Sequence[bytes], reader: _Reader) -> None:
    """Add each line that is refused by itself, among the first ones."""
    for number, line in enumerate(lines[:TRIED], start=1):
        if wrong := reader.refused([line], "first"):
            faults.add(wrong[2], number, wrong[1])
    if len(lines) > TRIED:
        for kind, texts in faults.listed.items():
            texts.append(f"{faults.source}: none of the first {TRIED:,} lines is right, and no more were read ({kind})")


def _add_repeated(faults: Faults, lines: list[bytes], reader: _Reader) -> None:
    """Add each line whose document stands in its topic already; of long files with many such lines the first ones."""
    left, size = REREAD, sum(map(len, lines))
    while wrong := reader.refused(lines, "error"):
        number, words, kind = wrong
        faults.add(kind, number, words)
        lines[number - 1] = b""
        left -= size
        if left < 0:
            faults.listed[kind].append(f"{faults.source}: there may be more errors of this kind ({kind})")
            break
