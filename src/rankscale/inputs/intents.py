"""Probabilities of sub-topics (intents): a file of lines `topic sub-topic probability`, or a mapping."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError
from rankscale.inputs.values.content import content

Intents = dict[tuple[str, str], float]  # by topic and sub-topic
MOST_FAULTS = 1_000  # lines that are listed as wrong
EXPECTED = "expected lines of a topic, a sub-topic and its probability"


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
    where, plain, _ = content(source)
    text = plain.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
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
        faults.append(FormatError(f"{where}: {EXPECTED}, found none"))
    return where, intents, faults


def _add(intents: Intents, line: str, at: str) -> None:
    """Put the probability of a line among the others."""
    cells = line.split()
    if len(cells) != 3:
        count = f"{len(cells)} column{'s' * (len(cells) > 1)}"
        raise FormatError(f"{at}: {EXPECTED}, found {count}\n    {line.strip()[:200]}")
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
    aspects = qrels.aspects
    if aspects is None:
        raise InputError(
            f"{where}: probabilities are of sub-topics, and {qrels.source} names none; its second column should"
        )
    rows = {topic: row for row, topic in enumerate(qrels.topics)}
    known = {(rows[topic], subtopic): weight for (topic, subtopic), weight in given.items() if topic in rows}
    if not known:
        topics = list(dict.fromkeys(topic for topic, _ in given))
        raise InputError(
            f"{where} and {qrels.source} have no topic in common; the qrels have {listed(list(qrels.topics))}, "
            f"the probabilities {listed(topics)}"
        )
    notices = (*qrels.notices, *_notices(qrels, where, given, known))
    return replace(qrels, aspects=aspects.with_intents(known), notices=notices)


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
