"""Tables as one JSON document."""

import json
from collections.abc import Iterator, Mapping

import numpy as np

from rankscale.data.table import Table
from rankscale.outputs.text import json_number, numbers


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
    entries = (
        (_run(run, places) for run in table.stream.documents())
        if table.stream
        else (_json(row, places) for row in table)
    )
    yield "[\n"
    for place, entry in enumerate(entries):
        yield (",\n" if place else "") + entry
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
