"""Text in columns, with a header or without: CSV, TSV, blanks, 3, 4 and 6 columns; byte by byte and slowly."""

import math
from collections.abc import Iterator, Mapping

from tests.fuzz.packing import Fault
from tests.fuzz.plain_rows import (
    BLANKS,
    ROLES,
    Open,
    Row,
    finite,
    normalised,
    not_empty,
    number,
    number_or_nan,
    place_of_role,
)

Columns = Mapping[str, str | int]
FIRST_LOOK = 1 << 20  # bytes in which the ranks of the first topic are looked at


def first_line(text: bytes) -> int:
    """Where the first line starts that is neither blank nor a comment."""
    at = 0
    while at < len(text):
        line = line_at(text, at)
        if line.strip(BLANKS) and not line.lstrip(BLANKS).startswith(b"#"):
            return at
        at += len(line) + 1
    raise Fault


def line_at(text: bytes, at: int) -> bytes:
    return text[at:].split(b"\n", 1)[0] if len(text) < 10_000 else text[at : _line_end(text, at)]


def _line_end(text: bytes, at: int) -> int:
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end


def separator_of(line: bytes, form: str | None) -> bytes | None:
    """None: any run of blanks."""
    candidates = {"csv": b",;", "tsv": b"\t"}.get(form or "", b"\t,;")
    return next((bytes([byte]) for byte in candidates if byte in line), None)


def cells_of(text: bytes, at: int, separator: bytes | None) -> tuple[list[bytes], int]:
    """The cells of the record that starts there, and where the next line starts."""
    if separator is None:
        line = line_at(text, at)
        return line.split(), at + len(line) + 1
    around, cells = BLANKS.replace(separator, b""), []
    while True:
        start = at
        while at < len(text) and text[at] in around:
            at += 1
        if text[at : at + 1] == b'"':
            cell, at = _quoted(text, at + 1)
            while at < len(text) and text[at] in around:
                at += 1
        else:
            while at < len(text) and text[at : at + 1] not in {separator, b"\n"}:
                at += 1
            cell = text[start:at].strip(around)
        cells.append(cell)
        if text[at : at + 1] != separator:
            break
        at += 1
    if text[at : at + 1] not in {b"\n", b""}:
        raise Fault  # something after a closing quote
    return cells, at + 1


def _quoted(text: bytes, at: int) -> tuple[bytes, int]:
    """The text of a quoted cell that starts after its quote, and where it ends."""
    cell = bytearray()
    while at < len(text):
        if text[at : at + 2] == b'""':
            cell += b'"'
            at += 2
        elif text[at : at + 1] == b'"':
            return bytes(cell), at + 1
        else:
            cell.append(text[at])
            at += 1
    raise Fault


def header_of(text: bytes, at: int, form: str | None, columns: Columns) -> list[bytes] | None:
    """The names in the header; None where the first line is none."""
    line = line_at(text, at)
    separator = separator_of(line, form)
    try:
        names, _ = cells_of(line, 0, separator)
    except Fault:
        try:
            names, _ = cells_of(text, at, separator)
        except Fault:
            return None
        if _is_header(names, columns):
            raise Open("a header with a line end in quotes") from None
        return None
    return names if _is_header(names, columns) else None


def _is_header(names: list[bytes], columns: Columns) -> bool:
    try:
        return all(place_of_role(role, names, columns) is not None for role in ("topic", "document"))
    except Fault:
        return True  # with a name that stands twice


def rows_with_header(text: bytes, kind: str, form: str | None, columns: Columns) -> Iterator[Row]:
    at = first_line(text)
    separator = separator_of(line_at(text, at), form)
    start = at
    names, at = cells_of(text, at, separator)
    if b"\0" in text[start:at]:
        raise Fault
    named = [name for name in names if name]
    if len(set(named)) < len(named):
        raise Fault
    places = {role: place_of_role(role, names, columns) for role in ROLES[kind]}
    if any(places.get(role) is None for role in ("topic", "document", "grade") if role in places):
        raise Fault
    if any(role in columns and places[role] is None for role in places):
        raise Fault
    grade = places.get("grade")
    is_score = grade is not None and "grade" not in columns and normalised(names[grade]) == b"score"
    if is_score and any(normalised(name) == b"rank" for name in names):
        raise Fault  # a run
    yield from _rows(text, at, separator, places, len(names))


def rows_by_position(text: bytes, kind: str, form: str | None, columns: Mapping[str, int]) -> Iterator[Row]:
    at = first_line(text)
    separator = separator_of(line_at(text, at), form)
    cells, _ = cells_of(text, at, separator)
    needed = ROLES[kind][:2] if kind == "runs" else ROLES[kind]
    if any(role not in columns for role in needed) or max(columns.values()) > len(cells):
        raise Fault
    places = {role: columns[role] - 1 if role in columns else None for role in ROLES[kind]}
    yield from _rows(text, at, separator, places, len(cells), header=False)


def _rows(
    text: bytes, at: int, separator: bytes | None, places: dict[str, int | None], width: int, *, header: bool = True
) -> Iterator[Row]:
    while at < len(text):
        line = line_at(text, at)
        if not line.strip(BLANKS):
            if separator == b"\t" and b"\t" in line:
                raise Open("a line of nothing but separators")
            at += len(line) + 1
            continue
        if not header and line.lstrip(BLANKS).startswith(b"#"):
            raise Open("a comment among rows of which the columns are given by position")
        start = at
        cells, at = cells_of(text, at, separator)
        if len(cells) != width or b"\0" in text[start:at]:
            raise Fault
        yield _row(cells, places)


def _row(cells: list[bytes], places: dict[str, int | None]) -> Row:
    taken = {role: cells[place] for role, place in places.items() if place is not None}
    return Row(
        not_empty(taken["topic"]),
        not_empty(taken["document"]),
        number_or_nan(taken["score"]) if "score" in taken else None,
        number_or_nan(taken["rank"]) if "rank" in taken else None,
        finite(number(taken["grade"])) if "grade" in taken else None,
        not_empty(taken["run"]) if "run" in taken else None,
    )


def lines_in_columns(text: bytes) -> Iterator[list[bytes]]:
    for line in text.split(b"\n"):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            if b"\0" in line:
                raise Fault
            yield fields


def is_trec_line(line: bytes) -> bool:
    """Whether a line is TREC's, whatever its topic starts with: six columns, the fifth a number."""
    fields = line.split()
    try:
        return len(fields) >= 6 and not math.isnan(number(fields[4]))
    except Fault:
        return False


def rows_without_header(text: bytes, kind: str, form: str | None) -> tuple[str, list[Row]]:
    """The form and the rows of a file in which columns are known by their number."""
    width = len(next(lines_in_columns(text)))
    if kind == "qrels":
        name = {3: "3 columns", 4: "trec"}.get(width)
    else:
        name = {3: "msmarco", 4: "4 columns"}.get(width, "trec" if width >= 6 else None)
    if name is None or (form is not None and form != name and not (form == "msmarco" and name == "3 columns")):
        raise Fault
    rows = [_plain_row(fields, kind, name) for fields in lines_in_columns(text)]
    if name == "msmarco" and form is None:
        _check_ranks(text)
    first = next(lines_in_columns(text))
    if name == "4 columns" and first[1] in {b"0", b"Q0", b"q0"}:
        raise Fault  # qrels
    if name == "3 columns" and form is None:
        grades = [row.grade for row in rows if row.topic == first[0]]
        together = next((at for at, row in enumerate(rows) if row.topic != first[0]), len(rows))
        if together >= 6 and grades[:together] == list(range(1, together + 1)):
            raise Fault  # a run
    return name, rows


def _plain_row(fields: list[bytes], kind: str, form: str) -> Row:
    if kind == "qrels":
        if len(fields) != (4 if form == "trec" else 3):
            raise Fault
        return Row(fields[0], fields[-2], grade=finite(number(fields[-1])))
    if form == "trec":
        if len(fields) < 6:
            raise Fault
        return Row(fields[0], fields[2], number(fields[4]), number_or_nan(fields[3]))
    if len(fields) != (3 if form == "msmarco" else 4):
        raise Fault
    return Row(fields[0], fields[1], number(fields[3]) if form == "4 columns" else None, number(fields[2]))


def _check_ranks(text: bytes) -> None:
    """Whether the third column is 1, 2, 3, ... for the first topic; it might be scores."""
    if len(text) > FIRST_LOOK:
        raise Open("more than is looked at")
    lines = list(lines_in_columns(text))
    ranks = [fields[2] for fields in lines if fields[0] == lines[0][0]]
    values = [number(rank) for rank in ranks]
    if any(value != place for place, value in enumerate(values, start=1) if math.isfinite(value)) or math.inf in values:
        raise Fault
    if ranks != [b"%d" % place for place in range(1, len(ranks) + 1)]:
        raise Open("ranks that are whole numbers written as 1.0, +1 or 01")


def tag_of(text: bytes) -> bytes | None:
    """The tag of a TREC run, where all its lines have one."""
    tags = {line.strip().split(None, 5)[5] for line in text.split(b"\n") if len(line.split()) >= 6 and not _noted(line)}
    return tags.pop() if len(tags) == 1 else None


def _noted(line: bytes) -> bool:
    return line.lstrip(BLANKS).startswith(b"#")
