"""Tables for programs: chunks of tsv, csv and jsonl, and one JSON document. The core writes values by topic."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby, islice
from typing import cast

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats, Ints
from rankscale.data.table import GRID_ROWS, Batch, Cell, Cells, Names, RunRows, Table
from rankscale.outputs.names import HIDDEN, check_formulas, quoted, separated

FEW = 4  # a batch with so many times fewer rows than there are names makes those alone text that it has
RUNS = 16  # made text at once, in two threads
MANY = 1 << 12  # numbers from which equal ones are made text once
LookedAt = dict[int, tuple[Sequence[str], bool]]  # lists of names by their identity, and whether one is hidden
SEPARATORS = {"tsv": "\t", "csv": ",", "jsonl": ""}  # jsonl names its columns in each row


def tidy_text(table: Table, form: str, places: int | None = None, *, formulas: str = "escape") -> Iterator[bytes]:
    """Chunks of tsv, csv or jsonl: a header but in jsonl, then the rows, batch by batch.

    Numbers have the fewest digits that read back the same, or `places` decimals. With `formulas='escape'` an
    apostrophe stands before names in tsv and csv that a spreadsheet would run as formulas; 'keep' writes them as
    they are.
    """
    check_formulas(formulas)
    names = list((table.stream.text_kinds if table.stream else None) or table.kinds)
    batches = table.stream.text_batches() if table.stream else [table.columns]  # errors come before the header
    if form == "jsonl":
        template = "{" + ", ".join(f"{json.dumps(name)}: ".replace("%", "%%") + "%s" for name in names) + "}\n"
    else:
        template = SEPARATORS[form].join(["%s"] * len(names)) + "\n"
        yield (template % tuple(quoted(name, form, formulas) for name in names)).encode("utf-8", "surrogateescape")
    looked_at: LookedAt = {}
    for batch in _together(_without_hidden(batches, looked_at) if form == "jsonl" else batches):
        if isinstance(batch, list):  # runs of the same topics and measures
            topics, measures = (_all_raw(of, form, formulas) for of in (batch[0].topics, batch[0].measures))
            yield _core.values_as_text(form, topics, measures, [_given(run, form, formulas) for run in batch], places)
        elif table.stream and table.stream.grid and not (form == "jsonl" and _any_hidden(_lists(batch), looked_at)):
            yield from _grid_text(batch, form, places, table.stream.grid, formulas)
        else:
            rows = zip(*(_cells(batch[name], form, places, formulas) for name in names), strict=True)
            text = "".join([template % row for row in rows]) if form == "jsonl" else _joined(rows, SEPARATORS[form])
            yield text.encode("utf-8", "surrogateescape")


def _without_hidden(batches: Iterable[Batch | RunRows], looked_at: LookedAt) -> Iterator[Batch | RunRows]:
    """The same for jsonl, but row by row where there are names that the core does not write in it."""
    for batch in batches:
        if isinstance(batch, RunRows) and _any_hidden((batch.runs, batch.topics, batch.measures), looked_at):
            yield from batch.batches()
        else:
            yield batch


def _together(batches: Iterable[Batch | RunRows]) -> Iterator[Batch | list[RunRows]]:
    """The same, with runs that follow each other in lists of a few."""
    for kind, some in groupby(batches, type):
        if kind is RunRows:
            while runs := list(islice(some, RUNS)):
                yield cast("list[RunRows]", runs)
        else:
            yield from cast("Iterator[Batch]", some)


def _given(grid: RunRows, form: str, formulas: str) -> "_core.GivenRun":
    """A run as the core takes it."""
    value, *extra = (
        (name.encode(), np.ascontiguousarray(column), np.ascontiguousarray(grid.means[name]))
        for name, column in grid.by_topic.items()
    )
    present = np.ascontiguousarray(grid.present).view(np.uint8)
    return _all_raw((grid.run,), form, formulas)[0], value[1], present, value[2], extra


def _joined(rows: Iterable[Sequence[str]], separator: str) -> str:
    """Rows as lines, each with its end."""
    return "\n".join([*map(separator.join, rows), ""])


def _grid_text(batch: Batch, form: str, places: int | None, width: int, formulas: str) -> Iterator[bytes]:
    """Rows of one run, each topic with the same `width` measures, by the core; some topics at a time."""
    run, topic, measure = (cast("Names", batch[name]) for name in ("run", "topic", "measure"))
    raw = partial(_raw, form=form, formulas=formulas)
    name, measures, nothing = raw(run, run.codes[:1]), raw(measure, measure.codes[:width]), np.full(width, np.nan)
    step = width * max(1, GRID_ROWS // width)
    for start in range(0, len(run.codes), step):
        rows = slice(start, start + step)
        value, *extra = (
            (name.encode(), np.ascontiguousarray(cast("Floats", column)[rows].reshape(-1, width).T).ravel(), nothing)
            for name, column in batch.items()
            if not isinstance(column, Names)
        )
        topics = raw(topic, topic.codes[rows][::width])
        present, no_means = np.ones(len(topics), dtype=np.uint8), np.zeros(0)
        rest = (name[0], value[1], present, no_means, extra)
        yield _core.values_as_text(form, topics, measures, [rest], places)


def _raw(column: Names, codes: Ints, form: str, formulas: str) -> list[bytes]:
    """Names as the core takes them, which puts them in quotes where the form needs that."""
    if FEW * len(codes) < len(column.names):  # as of the names of very many runs
        return _all_raw(tuple(column.names[code] for code in codes.tolist()), form, formulas)
    written = _all_raw(tuple(column.names), form, formulas)
    return [written[code] for code in codes.tolist()]


@lru_cache(maxsize=8)  # the topics and measures of a table are those of every run in it
def _all_raw(names: tuple[str, ...], form: str, formulas: str) -> list[bytes]:
    written = names if form == "jsonl" else [separated(name, form, formulas) for name in names]
    return [name.encode("utf-8", "surrogateescape") for name in written]


def _lists(batch: Batch) -> list[Sequence[str]]:
    """The lists of names in a batch."""
    return [column.names for column in batch.values() if isinstance(column, Names)]


def _any_hidden(lists: Sequence[Sequence[str]], looked_at: LookedAt) -> bool:
    """Whether a name has characters that JSON may hold as they are, and no terminal should be shown.

    Lists that were looked at, which batches share, are not looked at again.
    """
    for names in lists:
        if id(names) not in looked_at:
            looked_at[id(names)] = names, any(map(HIDDEN.search, names))
    return any(looked_at[id(names)][1] for names in lists)


def _cells(column: Cells, form: str, places: int | None, formulas: str) -> Sequence[str]:
    """(row,): the cells of a column as the form writes them."""
    if isinstance(column, Names):
        codes: list[int] = column.codes.tolist()
        written = {code: quoted(column.names[code], form, formulas) for code in set(codes)}
        return [written[code] for code in codes]
    if isinstance(column, np.ndarray):
        return numbers(column, places, special=form == "jsonl")
    if form == "jsonl":
        return [json_number(cell, places) if isinstance(cell, float) else json.dumps(cell) for cell in column]
    return [_text(cell, form, places, formulas) for cell in column]


def _text(cell: Cell, form: str, places: int | None, formulas: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return repr(cell) if places is None else f"{cell:.{places}f}"
    return quoted(cell, form, formulas) if isinstance(cell, str) else str(cell)


def numbers(values: Floats | Ints, places: int | None, *, special: bool) -> list[str]:
    """A vector of numbers as text; with `special`, undefined and infinite ones as JSON has them."""
    if len(values) > MANY and values.dtype.itemsize == 8:
        bits, places_of = np.unique(values.view(np.int64), return_inverse=True)  # not by value: -0 is not 0
        if len(bits) < len(values) // 4:
            distinct = numbers(cast("Floats | Ints", bits.view(values.dtype)), places, special=special)
            return [distinct[place] for place in places_of.tolist()]
    if values.dtype.kind != "f":
        return list(map(str, values.tolist()))
    if special and not np.isfinite(values).all():
        return [json_number(value, places) for value in values.tolist()]
    return list(map(repr if places is None else f"%.{places}f".__mod__, values.tolist()))


def json_number(value: float, places: int | None) -> str:
    """A number in JSON: undefined is null, and 1e999 is what every reader takes for infinite."""
    if math.isnan(value):
        return "null"
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return repr(value) if places is None else f"{value:.{places}f}"


def json_chunks(table: Table, places: int | None = None, /, **more: object) -> Iterator[str]:
    """Chunks of one document: provenance, `more` (tables among it), then the rows, or the runs of a large table."""
    yield "{"
    for name, part in {**table.provenance, **(table.stream.head if table.stream else {}), **more}.items():
        yield f"{json.dumps(name)}: "
        yield from _lines(part, places) if isinstance(part, Table) else [json.dumps(part)]
        yield ", "
    yield '"runs": ' if table.stream else '"rows": '
    yield from _lines(table, places)
    yield "}\n"


def _lines(table: Table, places: int | None) -> Iterator[str]:
    """A list of objects, one for each row or run."""
    yield "[\n"
    for place, entry in enumerate(table.stream.documents() if table.stream else table):
        yield (",\n" if place else "") + (_run(entry, places) if table.stream else _json(entry, places))
    yield "\n]"


def _run(run: Mapping[str, object], places: int | None) -> str:
    """One run: a line for each entry, and for each topic."""
    parts = []
    for name, part in run.items():
        text = _json(part, places)
        if isinstance(part, Mapping) and isinstance(next(iter(part.values()), None), Mapping):
            topics = (f"  {json.dumps(topic)}: {_json(values, places)}" for topic, values in part.items())
            text = "{\n" + ",\n".join(topics) + "\n }"
        parts.append(f"{json.dumps(name)}: {text}")
    return "{" + ",\n ".join(parts) + "}"


def _json(part: object, places: int | None) -> str:
    if isinstance(part, float):
        return json_number(part, places)
    if isinstance(part, np.ndarray):
        return f"[{', '.join(numbers(part, places, special=True))}]"
    if isinstance(part, Mapping):
        return "{" + ", ".join(f"{json.dumps(name)}: {_json(value, places)}" for name, value in part.items()) + "}"
    return json.dumps(part)
