"""Groups of topics: a file of lines `topic group`, or a column of a table with a header."""

import os
from collections.abc import Mapping

from rankscale.errors import DuplicateError, FormatError
from rankscale.formats.read.values.content import content
from rankscale.formats.read.values.tables import TOPIC, Named, delimited

GROUP = ("group", "category", "class", "type")
EXPECTED = "expected lines of a topic and its group, or a table with a column of topics"
Groups = Mapping[str, str] | str | os.PathLike[str]


def read_groups(source: Groups, column: str | None = None) -> tuple[str, dict[str, str]]:
    """How messages call the source, and the group of each topic."""
    if isinstance(source, Mapping):
        return "groups", {str(topic): str(group) for topic, group in source.items()}
    where, plain = content(source, None)
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    first = text.split("\n", 1)[0]
    table = delimited(text, where) if any(one in first for one in "\t,;") else None
    if table is not None and table.place(TOPIC) is not None:
        return where, _of_table(table, column)
    if column is not None:
        raise FormatError(f"{where}: expected a table with a header that has the columns topic and {column}")
    groups: dict[str, str] = {}
    for place, line in enumerate(text.split("\n"), start=1):
        cells = line.split(None, 1)
        if len(cells) == 1:
            raise FormatError(f"{where}, line {place}: {EXPECTED}, found one word\n    {line.strip()[:200]}")
        if cells:
            _put(groups, cells[0], cells[1].strip(), f"{where}, line {place}")
    return where, _some(groups, where)


def _of_table(table: Named, column: str | None) -> dict[str, str]:
    topic = table.place(TOPIC)
    names = list(table.names)
    if column is not None and column not in names:
        raise FormatError(f"{table.where}: expected a column {column!r}, found {', '.join(names)}")
    others = [place for place in range(len(names)) if place != topic]
    only = others[0] if len(others) == 1 else table.place(GROUP)
    chosen = only if column is None else names.index(column)
    if chosen is None or topic is None:
        raise FormatError(f"{table.where}: several columns could be the group: {', '.join(names)}; say column='NAME'")
    groups: dict[str, str] = {}
    for at, cells in table.rows:
        if str(cells[chosen]):  # an empty cell: no group
            _put(groups, str(cells[topic]), str(cells[chosen]), at)
    return _some(groups, table.where)


def _put(groups: dict[str, str], topic: str, group: str, place: str) -> None:
    if groups.setdefault(topic, group) != group:
        raise DuplicateError(
            f"{place}: expected one group for each topic, found {groups[topic]} and {group} for topic {topic}"
        )


def _some(groups: dict[str, str], where: str) -> dict[str, str]:
    if not groups:
        raise FormatError(f"{where}: {EXPECTED}, found none")
    return groups
