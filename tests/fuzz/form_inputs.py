"""Input number `i` of a form and a seed: a file, the judgments, and how it is to be read. The same on every machine."""

import re
from dataclasses import dataclass
from random import Random

import pyarrow as pa

from tests.fuzz import form_writers as writers
from tests.fuzz import mutations
from tests.fuzz.form_writers import Line, Table
from tests.fuzz.packing import PACK
from tests.fuzz.plain_forms import Options

WRITERS: dict[str, writers.Writer] = {
    "csv": writers.delimited(b","),
    "semicolons": writers.delimited(b";"),
    "tsv": writers.delimited(b"\t"),
    "blanks": writers.blanks_with_header,
    "columns": writers.columns_without_header,
    "jsonl": writers.json_lines,
    "rankings": writers.json_rankings,
    "json": writers.json_nested,
    "rows": writers.json_rows,
}
FORMS = tuple(WRITERS)
GIVEN = {"semicolons": "csv", "blanks": "tsv", "rankings": "jsonl", "rows": "json"}  # names that `form=` takes
WITHOUT_BLANKS = ("blanks", "columns")
TOKENS = (
    *(b"1", b"2", b"10", b"051", b"00", b"301", b"t-\xc3\xa9", b"t\xe9", b"\xf0\x9f\x8c\x8d", b"1.", b'q"uote', b"'"),
    *(b"{", b"[x]", b"\\", b"\\u0041", b"a/b", b"null", b"NaN", b"1e5", b"\xed\xa0\x80", b"0", b"\x7f", b"a,b", b"a;b"),
)
ODD = (
    *(
        b"two words",
        b" lead",
        b"trail\t",
        b"line\nend",
        b'say ""hi""',
        b"a\tb",
        b"\r",
        b"cr\r\nlf",
        b"#no",
        b", ,",
        b'"',
    ),
    *(b"\x0b", b"\xe2\x80\xa8", b"x" * 300),
)
GRADES = (b"0", b"0", b"1", b"1", b"2", b"3", b"-1", b"0.5", b"-0", b"1e0", b"4.0")
EXACT = (
    b"1e999",
    b"-1e999",
    b"-0",
    b"1e-400",
    b"16777217",
    b"16777216",
    b"9" * 400,
    b"1E5",
    b"0.1",
    b"12345678901234567.5",
)
TEXT_ONLY = (b"inf", b"-Infinity", b"+INF", b".5", b"5.", b"+1", b"1e+5", b"007")
TOKENS_OF_FORMS = (
    *(
        b'"',
        b'""',
        b",",
        b";",
        b"\t",
        b"\n",
        b"\r\n",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"null",
        b"NaN",
        b"Infinity",
        b"1e999",
    ),
    *(
        b"\\",
        b"\\ud800",
        b"\\udc80",
        b"\\udcff",
        b"\\ud83d\\ude00",
        b"\\u0000",
        b"\\x",
        b'"qid"',
        b"qid",
        b"docno",
        b"#",
    ),
    *(
        b"\xff",
        b"\0",
        b"true",
        b"-",
        b"0",
        b'"score": 1,',
        b'"qid": "1",',
        b"{}",
        b"[]",
        b"\x0b",
        b"\xef\xbb\xbf",
        b"score",
    ),
)


@dataclass(frozen=True)
class FormCase:
    """What is read, with which judgments, and how."""

    kind: str  # runs or qrels
    form: str  # as it was written, before it was spoilt
    data: bytes
    judgments: dict[str, dict[str, float]]
    options: Options
    way: str = "bytes"  # or file
    depth: int | None = None
    batch: int | None = None  # rows that are read at once, in forms that are not text
    is_spoilt: bool = False  # whether bytes of a file that is not text were changed


def case(form: str, seed: int, number: int) -> FormCase:
    """Input `number` of a form and a seed. One in two is as the form asks; the others are spoilt."""
    rng = Random(f"{form}/{seed}/{number}")
    kind = "runs" if rng.random() < 0.75 else "qrels"
    table = _table(form, kind, rng)
    data = WRITERS[form](table, rng)
    if rng.random() < 0.5:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = rng.choice(SPOILING)(data, rng)
    if rng.random() < 0.05:
        packed = {**PACK, "lz4": _lz4}
        data = packed[rng.choice(tuple(packed))](data)
    depth = rng.randrange(1, 8) if rng.random() < 0.1 else None
    way = "bytes" if rng.random() < 0.8 else "file"
    return FormCase(kind, form, data, _judgments(table, rng), _options(form, table, rng), way, depth)


def _lz4(text: bytes) -> bytes:
    return bytes(pa.compress(text, codec="lz4", asbytes=True))


def _options(form: str, table: Table, rng: Random) -> Options:
    given = GIVEN.get(form, form) if form != "columns" else None
    order = rng.choice(("score", "score64", "rank", "file")) if rng.random() < 0.3 else None
    columns: dict[str, str | int] | None = None
    if form in {"csv", "tsv"} and rng.random() < 0.05:
        columns = {rng.choice(("topic", "document")): rng.choice(("qid", "Query ID", "docno", "pid"))}
    elif form == "columns" and rng.random() < 0.15:
        columns = {"topic": 1, "document": 2, "grade" if table.kind == "qrels" else rng.choice(("rank", "score")): 3}
    return Options(
        form=given if rng.random() < 0.15 else None,
        columns=columns,
        order=order if table.kind == "runs" else None,
        duplicates=rng.choice(("error",) * 4 + ("best", "first")) if table.kind == "runs" else "error",
        document_from="^(d[0-9])" if table.kind == "runs" and rng.random() < 0.05 else None,
        merge=rng.choice(("error",) * 4 + ("max", "min", "mean")) if table.kind == "qrels" else "error",
    )


def _table(form: str, kind: str, rng: Random) -> Table:
    names = TOKENS if form in WITHOUT_BLANKS else TOKENS + ODD
    documents = [b"d%d" % at for at in range(rng.randrange(1, 12))] + rng.sample(names, rng.randrange(6))
    topics = rng.sample(names if rng.random() < 0.5 else TOKENS, rng.randrange(1, 5))
    several = kind == "runs" and form != "columns" and rng.random() < 0.25
    runs = rng.sample(names, rng.randrange(2, 4)) if several else [b"run"]
    lines = [line for run in runs for topic in topics for line in _ranking(run, topic, documents, form, kind, rng)]
    if rng.random() < 0.06:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    if rng.random() < 0.3:
        lines = _interleaved(lines, rng)
    return Table(kind, lines, _columns(form, kind, rng, several=several))


def _columns(form: str, kind: str, rng: Random, *, several: bool) -> tuple[str, ...]:
    if kind == "qrels":
        return ("topic", "document", "grade", *["rank"] * (form == "columns" and rng.random() < 0.5))
    if form == "columns":
        return ("topic", "document", "score", "rank", "run", "q0")[: rng.choice((3, 3, 4, 4, 6))]
    given = rng.choice((("score",), ("score",), ("score", "rank"), ("rank",), ()))
    if not given and form not in {"json", "rankings"} and rng.random() < 0.9:
        given = ("rank",)  # without numbers only lists of documents are runs
    if form in {"json", "rankings"} and "score" in given:
        given = ("score",)
    return ("topic", "document", *given, *["run"] * several)


def _ranking(run: bytes, topic: bytes, documents: list[bytes], form: str, kind: str, rng: Random) -> list[Line]:
    chosen = rng.sample(documents, rng.randrange(1, len(documents) + 1))
    numbers = [rng.choice(GRADES) if kind == "qrels" else _score(form, rng) for _ in chosen]
    return [
        Line(run, topic, document, b"%d" % (rank if rng.random() < 0.99 else rng.randrange(5)), number)
        for rank, (document, number) in enumerate(zip(chosen, numbers, strict=True), start=1)
    ]


def _score(form: str, rng: Random) -> bytes:
    chance = rng.random()
    if chance < 0.3:
        return b"%d" % rng.randrange(5)
    if chance < 0.9:
        return b"%.*f" % (rng.randrange(8), rng.uniform(-2, 20))
    return rng.choice(EXACT if form in {"json", "rows", "rankings"} or chance < 0.96 else TEXT_ONLY)


def _interleaved(lines: list[Line], rng: Random) -> list[Line]:
    """The same lines with topics scattered, those of one ranking still in their order."""
    rankings: dict[tuple[bytes, bytes], list[Line]] = {}
    for line in lines:
        rankings.setdefault((line.run, line.topic), []).append(line)
    order = [key for key, ranking in rankings.items() for _ in ranking]
    rng.shuffle(order)
    return [rankings[key].pop(0) for key in order]


def _judgments(table: Table, rng: Random) -> dict[str, dict[str, float]]:
    """Grades for some of what the table holds, so that most documents can be seen in the result."""
    judged: dict[str, dict[str, float]] = {"nobody's": {"d0": 1.0}}
    for line in table.lines:
        if rng.random() < 0.6:
            topic, document = (name.decode("utf-8", "surrogateescape") for name in (line.topic, line.document))
            judged.setdefault(topic, {})[document] = float(rng.randrange(3))
    return judged


# Ways to spoil a file that know what forms are made of.


def insert_a_token(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS_OF_FORMS) + data[at:]


def replace_a_number(data: bytes, rng: Random) -> bytes:
    numbers = list(re.finditer(rb"-?[0-9]+(\.[0-9]+)?", data))
    if not numbers:
        return data
    spot = rng.choice(numbers)
    return data[: spot.start()] + rng.choice(mutations.NUMBERS) + data[spot.end() :]


def drop_a_mark(data: bytes, rng: Random) -> bytes:
    marks = [at for at, byte in enumerate(data) if byte in b'",;\t\n{}[]:\\']
    if not marks:
        return data
    at = rng.choice(marks)
    return data[:at] + rng.choice((b"", b"", bytes([data[at]]) * 2, rng.choice(TOKENS_OF_FORMS))) + data[at + 1 :]


def splice(data: bytes, rng: Random) -> bytes:
    """The beginning of the file, and the end of another one of any form."""
    kind = rng.choice(("runs", "qrels"))
    form = rng.choice(FORMS)
    other = WRITERS[form](_table(form, kind, rng), rng)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def repeat_a_name(data: bytes, rng: Random) -> bytes:
    """A second column or key of a name that is there."""
    names = list(re.finditer(rb'"?[A-Za-z_-]{3,10}"?', data[:200]))
    if not names:
        return data
    taken, at = rng.choice(names)[0], rng.choice(names).start()
    return data[:at] + taken + rng.choice((b",", b"\t", b" ", b": 1,", b': "x",')) + data[at:]


def nest_deeply(data: bytes, rng: Random) -> bytes:
    at, depth = rng.randrange(len(data) + 1), rng.choice((3, 50, 100, 5_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return data[:at] + opening * depth + rng.choice((b"", b"1", closing * depth)) + data[at:]


SPOILING: tuple[mutations.Mutation, ...] = (
    *(insert_a_token, insert_a_token, replace_a_number, replace_a_number, drop_a_mark, drop_a_mark, splice),
    *(repeat_a_name, nest_deeply, mutations.flip_a_bit, mutations.insert_a_byte, mutations.insert_an_odd_byte),
    *(mutations.delete_bytes, mutations.truncate, mutations.repeat_a_slice, mutations.move_a_slice),
    *(mutations.repeat_a_line, mutations.shuffle_lines, mutations.comment_or_blank_line, mutations.with_bom),
    *(mutations.other_line_ends, mutations.no_last_line_end, mutations.random_bytes, mutations.nothing),
    *(mutations.as_utf_16, mutations.long_token),
)
