"""One table of rankings or judgments, written in each form in one of the many ways that are right."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.fuzz.plain_json import LISTS
from tests.fuzz.plain_rows import NAMES


@dataclass(frozen=True)
class Line:
    """A document of a ranking, or a judgment (`number` is the score or the grade); texts as they are written."""

    run: bytes
    topic: bytes
    document: bytes
    rank: bytes
    number: bytes


@dataclass(frozen=True)
class Table:
    """What is written, and which columns."""

    kind: str  # runs or qrels
    lines: list[Line]
    columns: tuple[str, ...]  # roles: some of topic, document, score, rank, grade, run


Writer = Callable[[Table, Random], bytes]
EXTRA = ("text", "title", "Q0", "timestamp", "url", "notes", "é", "x y", "value", "n")
LATER = {"topic": (b"query",), "document": (b"doc", b"document")}  # less preferred than all other names


def value_of(line: Line, role: str) -> bytes:
    return line.number if role in {"score", "grade"} else bytes(getattr(line, role))


def name_of_role(role: str, rng: Random) -> bytes:
    """One of the names of a role, in some spelling."""
    spelt = {b"queryid": b"query-id", b"corpusid": b"corpus-id", b"docid": b"doc_id", b"topicid": b"topic id"}
    name = rng.choice(NAMES[role])
    if rng.random() < 0.4:
        name = spelt.get(name, name)
    return rng.choice((name, name, name, name.upper(), name.title(), b"_" + name, name.replace(b"-", b"_")))


def header(table: Table, rng: Random) -> tuple[list[bytes], list[str]]:
    """Names of columns, and their roles ('' for those that nobody reads), in any order."""
    pairs = [(name_of_role(role, rng), role) for role in table.columns]
    for role, names in LATER.items():
        taken = next(name for name, used in pairs if used == role)
        if rng.random() < 0.15 and taken.lower() not in (*names, b"_" + names[0]) and role == "topic":
            pairs.append((rng.choice(names), ""))
    extra = [name.encode() for name in rng.sample(EXTRA, rng.choice((0, 0, 0, 1, 2, 9)))]
    pairs += [(name, "") for name in extra]
    if rng.random() < 0.5:
        rng.shuffle(pairs)
    return [name for name, _ in pairs], [role for _, role in pairs]


def delimited(separator: bytes) -> Writer:
    """A writer of CSV, or of TSV."""

    def write(table: Table, rng: Random) -> bytes:
        names, roles = header(table, rng)
        quotes, padding = rng.choice((0.0, 0.0, 0.1, 1.0)), rng.choice((0.0, 0.0, 0.0, 0.2))

        def cell(text: bytes) -> bytes:
            needed = re.search(rb'[\n\t,;"]|^[ \r\x0b\x0c]|[ \r\x0b\x0c]$', text)
            if needed or rng.random() < quotes:
                text = b'"' + text.replace(b'"', b'""') + b'"' + b" " * (rng.random() < padding)
            elif rng.random() < padding:
                text = rng.choice((b" ", b"  ", b"\x0b")) + text + rng.choice((b" ", b"\r", b""))
            return text

        filler = [b"", b"0", b"what is, this", b"NaN", b"l'eau", b"\xff"]
        records = [separator.join(map(cell, names))]
        for line in table.lines:
            cells = [value_of(line, role) if role else rng.choice(filler) for role in roles]
            records.append(separator.join(map(cell, cells)))
        return as_lines(records, rng)

    return write


def blanks_with_header(table: Table, rng: Random) -> bytes:
    names, roles = header(table, rng)
    records = [[name.replace(b" ", b"_") for name in names]]
    records += [[value_of(line, role) if role else b"x" for role in roles] for line in table.lines]
    if rng.random() < 0.2:
        records[0] = records[0] if len(records[0]) > 1 else [*records[0], b"n"]
    return as_lines([rng.choice((b" ", b" ", b"  ", b" \x0b ")).join(record) for record in records], rng)


def columns_without_header(table: Table, rng: Random) -> bytes:
    """3 columns (ranks, or grades), 4 columns (rank and score, or TREC qrels), or 6."""
    between, parts = rng.choice((b"\t", b"\t", b" ", b"  ")), len(table.columns)
    if table.kind == "qrels":
        rows = [(line.topic, *[b"0"] * (parts == 4), line.document, line.number) for line in table.lines]
    elif parts == 6:
        rows = [(line.topic, b"Q0", line.document, line.rank, line.number, line.run) for line in table.lines]
    else:
        rows = [(line.topic, line.document, line.rank, *[line.number] * (parts == 4)) for line in table.lines]
    texts = [between.join(row) for row in rows]
    if rng.random() < 0.1:
        texts.insert(rng.randrange(len(texts) + 1), rng.choice((b"# a comment", b"#", b"\t")))
    return as_lines(texts, rng)


def as_lines(records: list[bytes], rng: Random) -> bytes:
    end = rng.choice((b"\n",) * 5 + (b"\r\n", b"\n\n"))
    before = rng.choice((b"",) * 8 + (b"# made by hand\n", b"\n \n", b"#\n#1 a 1\n", b"\xef\xbb\xbf"))
    return before + end.join(records) + (end if rng.random() < 0.8 else b"")


# JSON


def json_text(text: bytes, rng: Random, escapes: float = 0.05) -> bytes:
    """A string in quotes; bytes that are not UTF-8 as they are, or as surrogates."""
    out = []
    for character in text.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            out.append(bytes([code - 0xDC00]) if rng.random() < 0.5 else b"\\u%04X" % code)
        elif code < 0x20 or character in '"\\' or rng.random() < escapes:
            units = character.encode("utf-16-be")
            out += [b"\\u%04x" % int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
        else:
            out.append(character.encode())
    return b'"' + b"".join(out) + b'"'


def json_name(text: bytes, rng: Random) -> bytes:
    """A string, or the number that it is."""
    whole = re.fullmatch(rb"0|[1-9][0-9]*", text) and rng.random() < 0.5
    return text if whole else json_text(text, rng)


def json_number(text: bytes, rng: Random, *, text_too: bool = True) -> bytes:
    """A number as JSON writes it, or now and then in quotes."""
    plain = re.fullmatch(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text)
    return text if plain and (rng.random() < 0.97 or not text_too) else b'"%b"' % text


def json_object(members: list[tuple[bytes, bytes]], rng: Random, *, line_ends: bool = False) -> bytes:
    """Members with keys as they are and values that are written already."""
    colon, comma = rng.choice(((b":", b","), (b": ", b",\n  " if line_ends else b", "), (b" :\t", b" , ")))
    return b"{" + comma.join(json_text(key, rng, 0.01) + colon + value for key, value in members) + b"}"


def skipped(rng: Random) -> bytes:
    deep = rng.choice((2, 5, 5, 30, 30, 30, 300))
    values = (
        b"null",
        b"true",
        b"-0.0E-5",
        b'"NaN \\/ \\b"',
        b'{"a": [1, {"b": null}], "a": {}}',
        b"[" * deep + b"]" * deep,
    )
    return rng.choice(values)


def json_row(line: Line, table: Table, names: dict[str, bytes], rng: Random) -> bytes:
    members = []
    for role in table.columns:
        is_name = role in {"topic", "document", "run"}
        value = json_name(value_of(line, role), rng) if is_name else json_number(value_of(line, role), rng)
        members.append((names[role], value))
    if rng.random() < 0.1:
        members.append((rng.choice((b"text", b"Title", b"\xff", b"")), skipped(rng)))
    if rng.random() < 0.2:
        rng.shuffle(members)
    return json_object(members, rng)


def json_lines(table: Table, rng: Random) -> bytes:
    names = {role: name_of_role(role, rng) for role in table.columns}
    return as_lines([json_row(line, table, names, rng) for line in table.lines], rng)


def groups(table: Table, *, by_run: bool) -> dict[tuple[bytes, bytes], list[Line]]:
    grouped: dict[tuple[bytes, bytes], list[Line]] = {}
    for line in table.lines:
        grouped.setdefault((line.run if by_run else b"", line.topic), []).append(line)
    return grouped


def json_list(lines: list[Line], table: Table, shape: str, rng: Random) -> bytes:
    """One ranking; the shape is one of names, pairs, objects or numbers."""
    if shape == "names":
        items = [json_name(line.document, rng) for line in lines]
    elif shape == "pairs":
        items = [
            b"[%b,%b]" % (json_name(line.document, rng), json_number(line.number, rng, text_too=False))
            for line in lines
        ]
    elif shape == "objects":
        inner = Table(table.kind, lines, tuple(role for role in table.columns if role not in {"topic", "run"}))
        names = {role: name_of_role(role, rng) for role in inner.columns}
        items = [json_row(line, inner, names, rng) for line in lines]
    else:
        return json_object([(line.document, json_number(line.number, rng, text_too=False)) for line in lines], rng)
    return b"[" + rng.choice((b",", b", ", b"\t,")).join(items) + b"]"


def shape_of(table: Table, rng: Random) -> str:
    if not {"score", "grade"} & set(table.columns):
        return "objects" if "rank" in table.columns else rng.choice(("names", "objects"))
    return rng.choice(("pairs", "objects", "numbers"))


def json_rankings(table: Table, rng: Random) -> bytes:
    by_run, shape = "run" in table.columns, shape_of(table, rng)
    topic, run, key = name_of_role("topic", rng), name_of_role("run", rng), rng.choice(LISTS)
    records = []
    for (its_run, its_topic), lines in groups(table, by_run=by_run).items():
        cut = rng.randrange(len(lines) + 1) if rng.random() < 0.2 else len(lines)
        for part in (lines[:cut], lines[cut:]) if cut < len(lines) else (lines,):
            members = [(topic, json_name(its_topic, rng)), *[(run, json_name(its_run, rng))] * by_run]
            members.append((key, json_list(part, table, shape, rng)))
            records.append(json_object(members, rng))
    return as_lines(records, rng)


def json_rows(table: Table, rng: Random) -> bytes:
    written = (json_lines if rng.random() < 0.6 else json_rankings)(Table(table.kind, table.lines, table.columns), rng)
    rows = [line for line in written.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    rows = [row.strip() for row in rows if not row.startswith(b"#")]
    return b"[" + rng.choice((b",", b",\n", b" ,\r\n\t")).join(rows) + b"]" + rng.choice((b"", b"\n", b" \r\n"))


def json_nested(table: Table, rng: Random) -> bytes:
    by_run, shape = "run" in table.columns, shape_of(table, rng)
    runs: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for (run, topic), lines in groups(table, by_run=by_run).items():
        empty = rng.random() < 0.03
        text = rng.choice((b"{}", b"[]")) if empty else json_list(lines, table, shape, rng)
        runs.setdefault(run, []).append((topic, text))
    members = [(run, json_object(topics, rng)) for run, topics in runs.items()]
    if not by_run:
        return as_lines([json_object(next(iter(runs.values())), rng, line_ends=True)], rng)
    if rng.random() < 0.4:
        members = [
            (b"default", json_object(members, rng)),
            *[(b"en", json_object(members[:1], rng))] * (rng.random() < 0.5),
        ]
    if rng.random() < 0.3:
        members.insert(rng.randrange(2), (b"mteb_model_meta", rng.choice((skipped(rng), b'{"model_name": "x/y"}'))))
    return as_lines([json_object(members, rng, line_ends=True)], rng)
