"""Values in the forms that tools write: JSON, output of trec_eval and ir_measures, tables; content decides which."""

import io
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from rankscale.data.names import MISSING_TOPICS
from rankscale.data.resources import PROVENANCE_KEY, library
from rankscale.errors import FormatError, Setting
from rankscale.inputs.binary import in_print, in_words, open_binary
from rankscale.inputs.content import CELLS, check_characters, content, most_rows, too_many
from rankscale.inputs.files import NamedBytes, file_name
from rankscale.inputs.values import tables
from rankscale.inputs.values.tables import Named, Naming, SourceValues, number, read_table, shortened

EXPECTED_DOCUMENT = "expected values as rankscale writes them, results of MTEB, or {run: {topic: {measure: value}}}"


def is_ours(document: Mapping[str, object]) -> bool:
    """Whether this is an evaluation as we write it."""
    return isinstance(document.get("runs"), list) and "signature" in document


def is_mteb(document: Mapping[str, object]) -> bool:
    """Whether these are the results of a task of MTEB."""
    return isinstance(document.get("task_name"), str) and isinstance(document.get("scores"), Mapping)


def read_ours(document: Mapping[str, object], where: str, naming: Naming) -> SourceValues:
    """An evaluation as `evaluate --format json` writes it."""
    runs = cast("list[object]", document["runs"])
    given = {key for run in runs if isinstance(run, Mapping) for key in run}
    extra = tuple(name for name in tables.EXTRA if f"topics_{name}" in given)
    about = ("rankscale", "signature", "sources", "measures", MISSING_TOPICS)
    kept = {key: document[key] for key in about if key in document}
    what = "an evaluation of rankscale in JSON"
    block = SourceValues(where, what, (tables.VALUE, *extra), provenance=kept, sums_up=True, most=naming.most)
    for entry in runs:
        run = _mapping(entry, where).get("run")
        if not isinstance(run, str):
            raise FormatError(f"{where}: expected the name of each run, found {shortened(run)}")
        block.runs[run] = None
        keys = ("topics", *(f"topics_{one}" for one in extra))
        values, *others = (_mapping(_mapping(entry, where).get(key, {}), where) for key in keys)
        for topic, cells in values.items():
            at = f"{where}, run {run}, topic {topic}"
            for measure, cell in _mapping(cells, at).items():
                beside = (_mapping(table.get(topic, {}), at).get(measure) for table in others)
                numbers = tuple(number(one, f"value of {measure}", at) for one in (cell, *beside))
                block.add((run, topic, measure), numbers, at)
    return block.checked()


def read_mteb(document: Mapping[str, object], where: str, naming: Naming) -> SourceValues:
    """Results of one task: its splits and subsets stand for topics, for there are no values of single queries."""
    what = "results of MTEB; tasks stand for topics, and each value is the mean of a task"
    block = SourceValues(where, what, most=naming.most)
    task, splits = str(document["task_name"]), _mapping(document["scores"], where)
    for split, parts in splits.items():
        at = f"{where}, {split}"
        if not isinstance(parts, list):
            raise FormatError(f"{at}: expected a list of results, found {shortened(parts)}")
        for part in (_mapping(one, at) for one in parts):
            subset = part.get("hf_subset", "default")
            named = [task, *([split] if len(splits) > 1 else []), *([str(subset)] if subset != "default" else [])]
            for measure, cell in part.items():
                if isinstance(cell, int | float) and not isinstance(cell, bool):
                    there = number(cell, f"value of {measure}", at)
                    block.add((naming.run, " ".join(named), measure), (there,), at)
    return block.checked()


def read_nested(document: Mapping[str, object], where: str, naming: Naming) -> SourceValues:
    """`{run: {topic: {measure: value}}}`, or a part of that: `{topic: {measure: value}}`, `{run: {topic: value}}`."""
    inner = [_mapping(part, where) for part in document.values()]
    by_name = [(name, key, cell) for name, part in zip(document, inner, strict=True) for key, cell in part.items()]
    triples: Iterable[tuple[object, object, object, object]]
    if by_name and all(isinstance(cell, Mapping) for _, _, cell in by_name):
        form = "{run: {topic: {measure: value}}}"
        deepest = ((run, topic, _mapping(cells, where)) for run, topic, cells in by_name)
        triples = ((run, topic, measure, cell) for run, topic, cells in deepest for measure, cell in cells.items())
    elif naming.measure is not None:
        form = f"{{run: {{topic: value}}}} of {naming.measure}"
        triples = ((run, topic, naming.measure, cell) for run, topic, cell in by_name)
    elif inner and all(map(naming.is_measure, {str(key): None for part in inner for key in part})):
        form = "{topic: {measure: value}} of one run"
        triples = ((naming.run, topic, measure, cell) for topic, measure, cell in by_name)
    else:
        needed = "values of one measure as {run: {topic: value}} need "
        raise FormatError(f"{where}: {EXPECTED_DOCUMENT}; {needed}", Setting("measure", "AP", "-m"))
    block = SourceValues(where, form, most=naming.most)
    for *names, cell in triples:
        run, topic, measure = map(str, names)
        at = f"{where}, run {run}, topic {topic}"
        block.add((run, topic, measure), (number(cell, f"value of {measure}", at),), at)
    return block.checked()


def _mapping(part: object, where: str) -> Mapping[str, object]:
    if not isinstance(part, Mapping):
        raise FormatError(f"{where}: {EXPECTED_DOCUMENT}; found {shortened(part)}")
    return part


TREC_EVAL = "output of trec_eval -q: measure, topic, value"
IR_MEASURES = "output of ir_measures -q: topic, measure, value"
RUN_ID = "runid"
LOOKED_AT = 1_000  # names of a column that may be measures
NO_NUMBERS = re.compile(r"Z?relstring")  # a measure of trec_eval whose values are texts
NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|nan|inf)", re.IGNORECASE)
NumberedLine = tuple[int, list[str]]


def fields(line: str) -> list[str]:
    """The cells of a line: between tabs, without the blanks that pad names; between blanks where there is no tab."""
    return [cell.strip(" ") for cell in line.split("\t")] if "\t" in line else line.split()


def is_line(line: str) -> bool:
    """Whether this is a line of trec_eval or ir_measures."""
    cells = fields(line)
    if len(cells) != 3:
        return False
    return bool(NUMBER.fullmatch(cells[2])) or cells[0] == RUN_ID or bool(NO_NUMBERS.match(cells[0]))


def read_lines(text: str, where: str, naming: Naming, form: str | None) -> SourceValues:
    """Values of trec_eval or ir_measures; which of them is seen by where names of measures stand."""
    lines = list(_cells(text, where))
    chosen = form or _form(text, lines, where, naming)
    return (_trec_eval if chosen == "trec_eval" else _ir_measures)(lines, where, naming).checked()


def _cells(text: str, where: str) -> Iterator[NumberedLine]:
    for place, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = fields(line.rstrip("\r"))
        if len(cells) != 3:
            found = f"{len(cells)} column{'s' * (len(cells) != 1)}\n    {line.rstrip()[:200]}"
            raise FormatError(f"{where}, line {place}: expected three columns, found {found}")
        yield place, cells


def _form(text: str, lines: list[NumberedLine], where: str, naming: Naming) -> str:
    first, second = (dict.fromkeys(cells[place] for _, cells in lines) for place in (0, 1))
    padded = re.search(r"^\S+ +\t", text, re.MULTILINE)  # trec_eval pads names of measures to one width
    if padded or RUN_ID in first:
        return "trec_eval"
    if (tables.SUMMARY in first) != (tables.SUMMARY in second):
        return "trec_eval" if tables.SUMMARY in second else "ir_measures"
    named = [any(map(naming.is_measure, islice(names, LOOKED_AT))) for names in (first, second)]
    if named[0] == named[1]:
        which = f"{where}: this reads as {TREC_EVAL}, and as {IR_MEASURES}; say which: "
        one, other = (Setting("form", name, "--values-form") for name in ("trec_eval", "ir_measures"))
        raise FormatError(which, one, " or ", other)
    return "trec_eval" if named[0] else "ir_measures"


def _trec_eval(lines: list[NumberedLine], where: str, naming: Naming) -> SourceValues:
    """Runs one after the other, each ending with the values of all topics, among them its name."""
    block, run = SourceValues(where, TREC_EVAL, has_means=True, most=naming.most), naming.run
    waiting: list[NumberedLine] = []
    unnamed, summed = 1, False

    def finish() -> None:
        for place, (measure, topic, cell) in waiting:
            at = f"{where}, line {place}"
            block.add((run, topic, measure), (number(cell, f"value of {measure}", at),), at)
        waiting.clear()

    for place, cells in lines:
        measure, topic, cell = cells
        if summed and topic != tables.SUMMARY:  # the next run begins
            finish()
            unnamed += 1
            run, summed = f"{naming.run}#{unnamed}", False
        summed = summed or topic == tables.SUMMARY
        if measure == RUN_ID:
            run = cell
        elif not NO_NUMBERS.match(measure):
            waiting.append((place, cells))
    finish()
    return block


def _ir_measures(lines: list[NumberedLine], where: str, naming: Naming) -> SourceValues:
    block = SourceValues(where, IR_MEASURES, has_means=True, most=naming.most)
    for place, (topic, measure, cell) in lines:
        at = f"{where}, line {place}"
        block.add((naming.run, topic, measure), (number(cell, f"value of {shortened(measure)}", at),), at)
    return block


LONGEST_META = 1 << 16  # bytes of a description of a model
OLD = "Queryid (Num)"  # trec_eval -o, and before version 7
EXPECTED = (
    "expected values: a table with a header (csv, tsv), JSON, JSON Lines, Parquet, or what trec_eval -q or "
    "ir_measures -q print"
)


def read_block(source: object, naming: Naming, form: str | None, max_size: int | None) -> SourceValues:
    """The values of one source."""
    if isinstance(source, Mapping):
        return read_nested(source, "the dictionary", naming)
    if type(source).__module__.partition(".")[0] == "pyarrow" and hasattr(source, "column_names"):
        table: Any = source
        try:
            table.validate(full=True)  # rows may have numbers of values that are not there
        except ValueError as error:
            raise FormatError(f"the table: expected a table that is whole ({in_print(str(error))})") from None
        held = {name: table.column(name).to_pylist() for name in table.column_names}
        return _of_columns(held, table.schema.metadata or {}, "the table", naming)
    if (columns := frame_columns(source)) is not None:
        return read_table(tables.from_columns(columns, "the table", has_means=True), naming)
    if isinstance(source, str | bytes | os.PathLike) or hasattr(source, "read"):
        where, plain, most = content(source, max_size)
        if plain.startswith((b"PAR1", b"ARROW1")):
            return _arrow(plain, where, naming, max_size)
        return _of_text(plain, where, naming if most is None else replace(naming, most=most), form)
    kind = type(source).__name__
    raise FormatError(f"expected values as a path, bytes, an open file, a dictionary or a data frame, found {kind}")


def run_name(source: object) -> str:
    """What to call the run of a source that does not name it: the file, without folder, packing and ending."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return "run"
    path = os.fspath(source)
    meta = os.path.join(os.path.dirname(path), "model_meta.json")  # which MTEB writes beside its results
    if os.path.isfile(meta):
        with suppress(ValueError, KeyError, TypeError, RecursionError), open(meta, "rb") as file:
            text = file.read(LONGEST_META).decode()
            document = json.loads(text)
            check_characters(text, document, meta)
            return str(document["name"])
    return os.path.splitext(file_name(path))[0]


def _of_text(plain: bytes, where: str, naming: Naming, form: str | None) -> SourceValues:
    if b"\0" in plain[:3]:  # further on it may stand in a name
        raise FormatError(f"{where}: {EXPECTED}; found a NUL byte")
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    start = text.lstrip()
    if not start:
        raise FormatError(f"{where}: {EXPECTED}; found an empty file")
    if start.startswith(OLD):
        old = "trec_eval's old form for people; run it without -o, or in version 7 or later"
        raise FormatError(f"{where}: expected lines of measure, topic and value, found {old}")
    if form in {"trec_eval", "ir_measures"}:
        return read_lines(text, where, naming, form)
    if form != "table" and (start[0] in "{[" or form in {"json", "mteb"}):
        return _json(text, where, naming)
    first = start.split("\n", 1)[0].rstrip("\r")
    if form is None and is_line(first):
        return read_lines(text, where, naming, None)
    if not any(separator in first for separator in "\t,;"):
        raise FormatError(f"{where}: {EXPECTED}; found\n    {first[:200]}")
    return read_table(tables.delimited(start, where), naming)


def _json(text: str, where: str, naming: Naming) -> SourceValues:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return read_table(json_lines(text, where), naming)
    check_characters(text, document, where)
    if isinstance(document, Mapping):
        if is_ours(document):
            return read_ours(document, where, naming)
        if is_mteb(document):
            folder = os.path.basename(os.path.dirname(where))  # the file has the name of the task, not of the model
            of_task = naming.run == document["task_name"] and folder
            return read_mteb(document, where, replace(naming, run=folder) if of_task else naming)
        if not any(isinstance(part, Mapping) for part in document.values()):
            document = [document]
        else:
            return read_nested(document, where, naming)
    if not isinstance(document, list) or not all(isinstance(one, Mapping) for one in document):
        raise FormatError(f"{where}: {EXPECTED_DOCUMENT}; found {type(document).__name__}")
    return read_table(tables.from_records(document, where, lambda i: f"{where}, entry {i + 1}"), naming)


def json_lines(text: str, where: str) -> Named:
    """A table of JSON Lines, one object in each."""
    records, places = [], []
    for place, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        at = f"{where}, line {place}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{at}: expected JSON, or a JSON object in each line: {error}") from None
        check_characters(line, record, at)
        if not isinstance(record, Mapping):
            raise FormatError(f"{at}: expected a JSON object, found {line.strip()[:60]}")
        records.append(record)
        places.append(at)
    return tables.from_records(records, where, places.__getitem__)


def _arrow(plain: bytes, where: str, naming: Naming, max_size: int | None) -> SourceValues:
    """Parquet, or an Arrow file (Feather); ours says so in its metadata, and has no rows of means."""
    form = "parquet" if plain.startswith(b"PAR1") else "arrow"
    _, table = open_binary(NamedBytes(where, plain), form, max_size, of_rankings=False)
    most = math.inf if max_size else most_rows(len(plain))
    columns: dict[str, list[object]] = {name: [] for name in table.names}
    tables.check_names(where, table.names)
    rows = 0
    with in_words(where, form, table):
        for batch in cast("Any", table.stream(list(table.names))):
            rows += batch.num_rows
            if rows * (len(columns) + 1) > CELLS * most:
                raise too_many(where, f"{rows:,} rows of {len(columns):,} columns or more", len(plain))
            batch.validate(full=True)  # in a damaged file, rows may have numbers of values that are not there
            for name, column in zip(columns, batch.columns, strict=True):
                columns[name].extend(column.to_pylist())
        metadata = _metadata(plain, form)
    return _of_columns(columns, metadata, where, replace(naming, most=most))


def _metadata(plain: bytes, form: str) -> Mapping[bytes, bytes]:
    """What the file says about itself; its content has been looked at."""
    arrow = library("pyarrow", "reading Parquet and Arrow files")
    if form == "parquet":
        schema = library("pyarrow.parquet", "reading Parquet files").read_schema(io.BytesIO(plain))
    else:
        schema = arrow.ipc.open_file(io.BytesIO(plain)).schema
    return schema.metadata or {}


def _of_columns(
    columns: Mapping[str, Sequence[object]], metadata: Mapping[bytes, bytes], where: str, naming: Naming
) -> SourceValues:
    ours = PROVENANCE_KEY in metadata
    block = read_table(tables.from_columns(columns, where, has_means=not ours), naming)
    block.provenance = _provenance(metadata[PROVENANCE_KEY], where) if ours else {}
    return block


def _provenance(written: bytes, where: str) -> Mapping[str, object]:
    """What our own files say about themselves."""
    try:
        text = written.decode("utf-8", "surrogateescape")
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: expected JSON as its metadata ({in_print(str(error))})") from None
    check_characters(text, document, where)
    if not isinstance(document, Mapping):
        raise FormatError(f"{where}: expected a JSON object as its metadata, found {type(document).__name__}")
    return document


def frame_columns(source: Any) -> dict[str, Sequence[object]] | None:  # noqa: ANN401  # of any library
    """The columns of a data frame, None for anything else; the index of a pandas frame is a column if it has names."""
    kind = type(source).__module__.partition(".")[0]
    if kind == "pandas":
        index = source.index
        plain = type(index).__name__ == "RangeIndex" or getattr(index, "nlevels", 1) > 1
        named = {} if plain else {str(index.name or ""): index.tolist()}
        return {**named, **{str(key): source[key].tolist() for key in source.columns}}
    if kind == "polars":
        collected = source.collect() if hasattr(source, "collect") else source
        return {column.name: column.to_list() for column in collected.get_columns()}
    return None
