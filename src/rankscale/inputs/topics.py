"""Files about topics: those to keep, their groups, and the probabilities of their sub-topics (intents)."""

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from rankscale.data.aspects import Aspects
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError, Setting
from rankscale.inputs.content import check_characters, text_of
from rankscale.inputs.values.forms import frame_columns, json_lines
from rankscale.inputs.values.tables import TOPIC, Named, delimited, from_columns, name

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
    where, text = text_of(source)
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
    given = None
    with suppress(ValueError, RecursionError):
        given = json.loads(line)
    check_characters(line, given, f"{source}, line {number}")
    if isinstance(given, dict):
        by_key = {re.sub(r"[\s_-]", "", key).casefold(): value for key, value in given.items()}
        for key in KEYS:
            if key in by_key:
                return str(by_key[key])
    expected = 'expected an object with a topic, such as {"qid": "1"}'
    raise FormatError(f"{source}, line {number}: {expected}, found {line[:60]}")


GROUP = ("group", "category", "class", "type")
MOST_GROUPS = 4_096  # each has its own means
EXPECTED_GROUPS = "expected lines of a topic and its group, or a table with a column of topics"


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
            raise FormatError(f"groups: expected a data frame with a column of topics, found {_columns(table)}")
        return "groups", _groups_of_table(table, column)
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise ParameterError(f"groups must be a path, a mapping of topics to groups or a data frame, got {kind}")
    where, text = text_of(source)
    held = _table(text, where)
    if held is not None:
        return where, _groups_of_table(held, column)
    lines = text.split("\n")
    if column is not None:
        expected = f"expected a table with a header that has the columns topic and {column}"
        raise FormatError(f"{where}: {expected}, found\n    {lines[0][:200]}")
    return where, _groups_of_lines(lines, where)


def _groups_of_lines(lines: list[str], where: str) -> dict[str, str]:
    groups: dict[str, str] = {}
    for place, line in enumerate(lines, start=1):
        cells = line.split(None, 1)
        if len(cells) == 1:
            raise FormatError(f"{where}, line {place}: {EXPECTED_GROUPS}, found one word\n    {line.strip()[:200]}")
        if cells:
            _put(groups, cells[0], cells[1].strip(), f"{where}, line {place}")
    return _some(groups, where)


def _table(text: str, where: str) -> Named | None:
    """The table that a file holds; None for plain lines, whose first one is no header with a column of topics."""
    if text.lstrip().startswith("{"):
        table = json_lines(text, where)
        if table.place(TOPIC) is None:
            raise FormatError(f"{where}: expected objects with a topic and its group, found those of {_columns(table)}")
        return table
    first = text.split("\n", 1)[0]
    has_topics = any(one in first for one in "\t,;") and delimited(first, where).place(TOPIC) is not None
    return delimited(text, where) if has_topics else None


def _groups_of_table(table: Named, column: str | None) -> dict[str, str]:
    topic = table.place(TOPIC)
    names = list(table.names)
    if column is not None and column not in names:
        raise FormatError(f"{table.where}: expected a column {column!r}, found {', '.join(names)}")
    others = [place for place in range(len(names)) if place != topic]
    only = others[0] if len(others) == 1 else table.place(GROUP)
    chosen = only if column is None else names.index(column)
    if chosen is None or topic is None:
        several = f"several columns could be the group: {', '.join(names)}; name one: "
        raise FormatError(f"{table.where}: {several}", Setting("column", "NAME", "--group-column", "column="))
    groups: dict[str, str] = {}
    for at, cells in table.rows:
        if not _is_nothing(cells[chosen]):
            _put(groups, name(cells[topic], "topic", at), name(cells[chosen], "group", at), at)
    return _some(groups, table.where)


def _is_nothing(cell: object) -> bool:
    """Whether a cell names no group: empty, None or NaN."""
    return cell is None or cell != cell or not str(cell).strip()  # noqa: PLR0124  # NaN


def _columns(table: Named) -> str:
    return listed(list(table.names)) or "none"


def _put(groups: dict[str, str], topic: str, group: str, place: str) -> None:
    if groups.setdefault(topic, group) != group:
        both = f"{groups[topic]} and {group} for topic {topic}"
        raise DuplicateError(f"{place}: expected one group for each topic, found {both}")


def _some(groups: dict[str, str], where: str) -> dict[str, str]:
    if not groups:
        raise FormatError(f"{where}: {EXPECTED_GROUPS}, found none")
    if (count := len(set(groups.values()))) > MOST_GROUPS:
        found = f"found {count:,}; check which column holds the groups"
        raise FormatError(f"{where}: expected at most {MOST_GROUPS:,} groups, {found}")
    return groups


Intents = dict[tuple[str, str], float]  # by topic and sub-topic
MOST_FAULTS = 1_000  # lines that are listed as wrong
EXPECTED_INTENTS = "expected lines of a topic, a sub-topic and its probability"


def read_intents(source: object) -> tuple[str, Intents]:
    r"""How messages call a source of probabilities of sub-topics, and the probabilities.

    Parameters
    ----------
    source
        A path (`-`: standard input), packed or not, an open binary file, or bytes, with lines `topic sub-topic
        probability`; or `{topic: {sub-topic: probability}}`.

    Returns
    -------
    tuple[str, Intents]
        The name of the source, and probabilities by topic and sub-topic.

    Raises
    ------
    FormatError
        If a line has other columns, or a probability is no number from 0; the message says where.
    DuplicateError
        If a sub-topic has two probabilities.

    Examples
    --------
    >>> read_intents(b"1 a 0.7\n1 b 0.3\n")
    ('bytes', {('1', 'a'): 0.7, ('1', 'b'): 0.3})
    """
    if isinstance(source, Mapping):
        return "intents", _of_mapping(source)
    where, intents, faults = intents_and_faults(source, most=1)
    if faults:
        raise faults[0]
    return where, intents


def intents_and_faults(source: object, most: int = MOST_FAULTS) -> tuple[str, Intents, list[FormatError]]:
    r"""The name of a file of probabilities, those of its lines that can be read, and an error for each other line.

    After `most` errors the rest is not read.

    >>> where, intents, faults = intents_and_faults(b"1 a 0.7\n1 b much\n1 a 0.3\n")
    >>> print(intents, *faults, sep="\n")
    {('1', 'a'): 0.7}
    bytes, line 2: expected a probability, a number from 0, found 'much'
    bytes, line 3: expected each sub-topic once, found a of topic 1 again
    """
    where, text = text_of(source)
    intents: Intents = {}
    faults: list[FormatError] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip():
                _add(intents, line, f"{where}, line {number}")
        except FormatError as error:
            faults.append(error.with_traceback(None))
            if len(faults) == most:
                break
    if not intents and not faults:
        faults.append(FormatError(f"{where}: {EXPECTED_INTENTS}, found none"))
    return where, intents, faults


def _add(intents: Intents, line: str, at: str) -> None:
    """Put the probability of a line among the others."""
    cells = line.split()
    if len(cells) != 3:
        count = f"{len(cells)} column{'s' * (len(cells) > 1)}"
        raise FormatError(f"{at}: {EXPECTED_INTENTS}, found {count}\n    {line.strip()[:200]}")
    topic, subtopic, written = cells
    if (topic, subtopic) in intents:
        raise DuplicateError(f"{at}: expected each sub-topic once, found {subtopic} of topic {topic} again")
    intents[topic, subtopic] = _probability(written, at)


def _of_mapping(given: Mapping[object, object]) -> Intents:
    intents: Intents = {}
    for topic, of in given.items():
        if not isinstance(of, Mapping):
            raise ParameterError(f"intents are {{topic: {{sub-topic: probability}}}}, got {of!r} for topic {topic}")
        for subtopic, weight in of.items():
            intents[str(topic), str(subtopic)] = _probability(weight, f"intents, topic {topic}, sub-topic {subtopic}")
    if not intents:
        raise FormatError("intents: expected probabilities of sub-topics, found none")
    return intents


def _probability(written: object, at: str) -> float:
    """A number from 0."""
    try:
        number = float(written)  # type: ignore[arg-type]  # what is no number is refused
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise FormatError(f"{at}: expected a probability, a number from 0, found {written!r}")
    return number


def with_intents(qrels: Qrels, intents: object) -> Qrels:
    """The same judgments with the probabilities of their sub-topics; what does not fit is among the notices.

    Parameters
    ----------
    qrels
        Judgments by sub-topic.
    intents
        Probabilities, in any form that `read_intents` takes. Sub-topics that it lacks have the probability 0; those
        that the qrels lack are listed, without a document.

    Raises
    ------
    InputError
        If the qrels name no sub-topics, or share no topic with the probabilities.
    """
    where, given = read_intents(intents)
    aspects = subtopics_of(qrels, where)
    rows = {topic: row for row, topic in enumerate(qrels.topics)}
    known = {(rows[topic], subtopic): weight for (topic, subtopic), weight in given.items() if topic in rows}
    if not known:
        topics = list(dict.fromkeys(topic for topic, _ in given))
        have = f"the qrels have {listed(list(qrels.topics))}, the probabilities {listed(topics)}"
        raise InputError(f"{where} and {qrels.source} have no topic in common; {have}")
    notices = (*qrels.notices, *_notices(qrels, where, given, known))
    return replace(qrels, aspects=aspects.with_intents(known), notices=notices)


def subtopics_of(qrels: Qrels, where: str) -> Aspects:
    """The sub-topics that probabilities, called `where` in messages, are of; InputError where the qrels name none."""
    if qrels.aspects is None:
        there = f"{qrels.source} names none; its second column should"
        raise InputError(f"{where}: probabilities are of sub-topics, and {there}")
    return qrels.aspects


def _notices(qrels: Qrels, where: str, given: Intents, known: Mapping[tuple[int, str], float]) -> Iterator[Notice]:
    unknown = len({topic for topic, _ in given} - set(qrels.topics))
    if unknown:
        yield Notice.of("unknown topics", where=where, qrels=qrels.source, count=unknown)
    held = [] if qrels.aspects is None else list(zip(qrels.aspects.topic_of.tolist(), qrels.aspects.names, strict=True))
    lacking = [f"topic {qrels.topics[row]} sub-topic {name}" for row, name in held if (row, name) not in known]
    if lacking:
        has, count = ("has", "counts") if len(lacking) == 1 else ("have", "count")
        of = f"{len(lacking)} of {len(held)} sub-topics of {qrels.source}"
        text = f"{of} {has} no probability in {where}, and {count} 0"
        yield Notice.of("lacking probabilities", text=f"{text} ({listed(lacking)})")
