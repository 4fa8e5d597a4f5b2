"""The topics of a shared task, read from the file that its participants were given."""

import json
import os
import re

from rankscale.errors import FormatError

NUMBERED = re.compile(
    r"<num>\s*(?:Number:)?\s*([^\s<]+)|<(?:topic|top|query)\s[^>]*(?:number|id|num)\s*=\s*[\"']([^\"']+)"
)
KEYS = ("topic", "topicid", "queryid", "qid", "query", "id", "number")


def read_topics(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of topics: of TREC's `<num>` and `<topic number="1">`, of JSON Lines, or the first column of each line.

    Columns are separated by a tab where there is one, else by a colon or blanks.

    Raises
    ------
    FormatError
        If the file names no topic.
    """
    with open(path, encoding="utf-8", errors="surrogateescape") as opened:
        text = opened.read().removeprefix("\N{BYTE ORDER MARK}")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if numbered := [first or second for first, second in NUMBERED.findall(text)]:
        names = numbered
    elif lines and lines[0].startswith("{"):
        names = [_named(line, os.fspath(path), number) for number, line in enumerate(lines, start=1)]
    else:
        names = [re.split(r"\t|[\s:]", line, maxsplit=1)[0] for line in lines]
    if not names:
        raise FormatError(f"{os.fspath(path)}: expected topics, one on each line, found none")
    return tuple(dict.fromkeys(names))


def _named(line: str, source: str, number: int) -> str:
    """The topic that an object of JSON Lines names."""
    try:
        given = json.loads(line)
    except json.JSONDecodeError:
        given = None
    if isinstance(given, dict):
        by_key = {re.sub(r"[\s_-]", "", key).casefold(): value for key, value in given.items()}
        for key in KEYS:
            if key in by_key:
                return str(by_key[key])
    raise FormatError(
        f'{source}, line {number}: expected an object with a topic, such as {{"qid": "1"}}, found {line[:60]}'
    )
