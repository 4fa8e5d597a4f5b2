"""Groups of topics: a file of lines `topic group`, a column of a table with a header, a mapping or a data frame."""

import os
from collections.abc import Mapping

from rankscale.data.names import listed
from rankscale.errors import DuplicateError, FormatError, ParameterError
from rankscale.inputs.values.block import name
from rankscale.inputs.values.content import content
from rankscale.inputs.values.forms import frame_columns, json_lines
from rankscale.inputs.values.tables import TOPIC, Named, delimited, from_columns

GROUP = ("group", "category", "class", "type")
MOST_GROUPS = 4_096  # each has its own means
EXPECTED = "expected lines of a topic and its group, or a table with a column of topics"


def read_groups(source: object, column: str | None = None) -> tuple[str, dict[str, str]]:
    """How messages call the source, and the group of each topic.

    Topics whose group is empty, None or NaN have none.

    Parameters
    ----------
    source : mapping, path or data frame
        `{topic: group}`; a file of lines with topic and group, or a table with a header (csv, tsv, JSON Lines); a data
        frame of polars or pandas.
    column : str, optional
        Column of the table that holds the groups.

    Raises
    ------
    FormatError
        If the source is not as it should be, or has no such column.
    DuplicateError
        If it puts a topic into two groups.
    ParameterError
        If the source is of another type, or a column is named where there are none.
    """
    if isinstance(source, Mapping):
        if column is not None:
            raise ParameterError(f"a mapping of topics to groups has no column {column!r}: leave out column")
        there = {str(topic): str(group) for topic, group in source.items() if not _is_nothing(group)}
        return "groups", _some(there, "groups")
    if (columns := frame_columns(source)) is not None:
        table = from_columns(columns, "groups", has_means=False)
        if table.place(TOPIC) is None:
            raise FormatError(f"groups: expected a data frame with a column of topics, found {_shown(table)}")
        return "groups", _of_table(table, column)
    if not isinstance(source, str | os.PathLike):
        raise ParameterError(
            f"groups must be a path, a mapping of topics to groups or a data frame, got {type(source).__name__}"
        )
    return _of_file(source, column)


def _of_file(source: str | os.PathLike[str], column: str | None) -> tuple[str, dict[str, str]]:
    where, plain, _ = content(source)
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    table = _table(text, where)
    if table is not None:
        return where, _of_table(table, column)
    if column is not None:
        raise FormatError(
            f"{where}: expected a table with a header that has the columns topic and {column}, found\n"
            f"    {text.split(chr(10), 1)[0][:200]}"
        )
    groups: dict[str, str] = {}
    for place, line in enumerate(text.split("\n"), start=1):
        cells = line.split(None, 1)
        if len(cells) == 1:
            raise FormatError(f"{where}, line {place}: {EXPECTED}, found one word\n    {line.strip()[:200]}")
        if cells:
            _put(groups, cells[0], cells[1].strip(), f"{where}, line {place}")
    return where, _some(groups, where)


def _table(text: str, where: str) -> Named | None:
    """The table that a file holds; None for plain lines, whose first one is no header with a column of topics."""
    if text.lstrip().startswith("{"):
        table = json_lines(text, where)
        if table.place(TOPIC) is None:
            raise FormatError(f"{where}: expected objects with a topic and its group, found those of {_shown(table)}")
        return table
    first = text.split("\n", 1)[0]
    if not any(one in first for one in "\t,;") or delimited(first, where).place(TOPIC) is None:
        return None
    return delimited(text, where)


def _of_table(table: Named, column: str | None) -> dict[str, str]:
    topic = table.place(TOPIC)
    names = list(table.names)
    if column is not None and column not in names:
        raise FormatError(f"{table.where}: expected a column {column!r}, found {', '.join(names)}")
    others = [place for place in range(len(names)) if place != topic]
    only = others[0] if len(others) == 1 else table.place(GROUP)
    chosen = only if column is None else names.index(column)
    if chosen is None or topic is None:
        raise FormatError(
            f"{table.where}: several columns could be the group: {', '.join(names)}; name one "
            "(--group-column NAME, in Python column='NAME')"
        )
    groups: dict[str, str] = {}
    for at, cells in table.rows:
        if not _is_nothing(cells[chosen]):
            _put(groups, name(cells[topic], "topic", at), name(cells[chosen], "group", at), at)
    return _some(groups, table.where)


def _is_nothing(cell: object) -> bool:
    """Whether a cell names no group: empty, None or NaN."""
    return cell is None or cell != cell or not str(cell).strip()  # noqa: PLR0124  # NaN


def _shown(table: Named) -> str:
    return listed(list(table.names)) or "none"


def _put(groups: dict[str, str], topic: str, group: str, place: str) -> None:
    if groups.setdefault(topic, group) != group:
        raise DuplicateError(
            f"{place}: expected one group for each topic, found {groups[topic]} and {group} for topic {topic}"
        )


def _some(groups: dict[str, str], where: str) -> dict[str, str]:
    if not groups:
        raise FormatError(f"{where}: {EXPECTED}, found none")
    if (count := len(set(groups.values()))) > MOST_GROUPS:
        raise FormatError(
            f"{where}: expected at most {MOST_GROUPS:,} groups, found {count:,}; check which column holds the groups"
        )
    return groups
