"""Files of topics: those to keep, or those that the participants of a shared task were given."""

import json
import os
import re
from collections.abc import Iterator

from rankscale.errors import FormatError
from rankscale.inputs.values.content import check_characters, content
from rankscale.inputs.values.tables import TOPIC, delimited

TAG = re.compile(r"<num>|<(?:topic|top|query)\s")  # in which TREC's topics are numbered
AFTER_TAG = re.compile(r"\s*+(?:Number:)?\s*+([^\s<]+)")
NUMBER = re.compile(r"number|id|num")  # an attribute of a tag
VALUE = re.compile(r"(?:number|id|num)\s*+=\s*+[\"']([^\"']+)")
KEYS = ("topic", "topicid", "queryid", "qid", "query", "id", "number")


def read_topics(source: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of topics, each once.

    Names are those of TREC's `<num>` and `<topic number="1">`, of JSON Lines, or of the column of topics of a table
    with a header; else what each line starts with, up to a tab, a blank or, where every line has one, a colon.

    Raises
    ------
    FormatError
        If the file names no topic.
    """
    where, plain, _ = content(source)
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    names = list(_numbered(text))
    if not names and lines and lines[0].startswith("{"):
        names = [_named(line, where, number) for number, line in enumerate(lines, start=1)]
    names = names or _of_table(text, where) or _first_words(lines)
    if not names:
        raise FormatError(f"{where}: expected a topic in each line, found none")
    return tuple(dict.fromkeys(names))


def _numbered(text: str) -> Iterator[str]:
    """The numbers in tags of TREC, each part of the text looked at once or twice, however many tags do not end.

    A tag that ends nowhere goes on to the end of the text; in `<topic ...>` the last number counts.

    >>> list(_numbered('<num> Number: 301 <topic id="a" number="302"> <top <num>303'))
    ['301', '302', '303']
    """
    at = searched = 0  # up to `searched`, no tag has another number
    while (tag := TAG.search(text, at)) is not None:
        at = tag.end()
        if tag[0] == "<num>":
            last = AFTER_TAG.match(text, at)
        elif at < searched:
            continue
        else:
            end = text.find(">", at)
            searched = len(text) if end < 0 else end
            places = [name.start() for name in NUMBER.finditer(text, at, searched)]
            last = next(filter(None, (VALUE.match(text, place) for place in reversed(places))), None)
        if last is not None:
            yield last[1]
            at = last.end(1)


def _of_table(text: str, where: str) -> list[str]:
    """The column of topics; nothing where there is no header with one."""
    table = delimited(text, where) if any(one in text.split("\n", 1)[0] for one in "\t,;") else None
    place = None if table is None else table.place(TOPIC[:-1])
    return [] if table is None or place is None else [str(cells[place]) for _, cells in table.rows]


def _first_words(lines: list[str]) -> list[str]:
    ends = r"\t" if all("\t" in line for line in lines) else r"[\s:]" if all(":" in line for line in lines) else r"\s"
    return [re.split(ends, line, maxsplit=1)[0] for line in lines]


def _named(line: str, source: str, number: int) -> str:
    """The topic that an object of JSON Lines names."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        given = None
    check_characters(line, given, f"{source}, line {number}")
    if isinstance(given, dict):
        by_key = {re.sub(r"[\s_-]", "", key).casefold(): value for key, value in given.items()}
        for key in KEYS:
            if key in by_key:
                return str(by_key[key])
    raise FormatError(
        f'{source}, line {number}: expected an object with a topic, such as {{"qid": "1"}}, found {line[:60]}'
    )
