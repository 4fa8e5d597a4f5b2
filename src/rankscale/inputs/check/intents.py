"""A file of probabilities of sub-topics, held against the qrels: all errors, and what does not fit."""

import math
import os
from collections.abc import Mapping

from rankscale.data.names import listed
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError
from rankscale.inputs.check.look import as_problems
from rankscale.inputs.check.result import Problem
from rankscale.inputs.check.warnings import Warnings
from rankscale.inputs.intents import Intents, intents_and_faults

WITHIN = 1e-6  # of 1: thirds and the like are written with a few digits


def look_at_intents(source: str | os.PathLike[str], qrels: Qrels) -> tuple[str, tuple[Problem, ...]]:
    """What a file of probabilities holds, in a line, and what is wrong or odd about it.

    Parameters
    ----------
    source
        Path of the file, with lines `topic sub-topic probability`.
    qrels
        The judgments that it goes with; InputError where they name no sub-topics.
    """
    where, intents, faults = intents_and_faults(source)
    if qrels.aspects is None:
        raise InputError(
            f"{where}: probabilities are of sub-topics, and {qrels.source} names none; its second column should"
        )
    topics = len({topic for topic, _ in intents})
    described = f"{where}: {topics} {'topic' if topics == 1 else 'topics'}, {len(intents)} probabilities"
    errors = as_problems(where, (("intents", str(fault)) for fault in faults), "error")
    return described, (*errors, *as_problems(where, _odd(intents, qrels)))


def _odd(intents: Intents, qrels: Qrels) -> Warnings:
    """What does not fit the qrels, and topics whose probabilities do not add up to 1."""
    judged = _subtopics(qrels)
    known = {topic for topic, _ in intents}
    other = [topic for topic in dict.fromkeys(topic for topic, _ in intents) if topic not in judged]
    if other:
        yield "other topics", f"topics that are not in {qrels.source}: {listed(other)} ({len(other)} of {len(known)})"
    without = [topic for topic in judged if topic not in known]
    if without:
        text = f"topics of {qrels.source} without a probability, where measures of sub-topics are 0: {listed(without)}"
        yield "missing topics", f"{text} ({len(without)} of {len(judged)})"
    lacking = [(topic, name) for topic in judged if topic in known for name in judged[topic]]
    lacking = [pair for pair in lacking if pair not in intents]
    if lacking:
        text = f"sub-topics of {qrels.source} without a probability, which count 0: {_pairs(lacking)}"
        yield "missing sub-topics", f"{text} ({len(lacking)} of {sum(map(len, judged.values()))})"
    unjudged = [pair for pair in intents if pair[0] in judged and pair[1] not in judged[pair[0]]]
    if unjudged:
        text = f"sub-topics that are not in {qrels.source}, which Coverage alone counts: {_pairs(unjudged)}"
        yield "other sub-topics", f"{text} ({len(unjudged)} of {len(intents)})"
    yield from _sums(intents)


def _sums(intents: Intents) -> Warnings:
    """Topics whose probabilities do not add up to 1."""
    by_topic: dict[str, list[float]] = {}
    for (topic, _), probability in intents.items():
        by_topic.setdefault(topic, []).append(probability)
    sums = {topic: math.fsum(given) for topic, given in by_topic.items()}
    zero = [topic for topic, total in sums.items() if total == 0]
    if zero:
        yield "probabilities 0", f"all probabilities of a topic are 0, and so are its values: {listed(zero)}"
    off = {topic: total for topic, total in sums.items() if total and abs(total - 1) > WITHIN}
    if off:
        shown = listed([f"{topic} ({total:.6g})" for topic, total in off.items()])
        text = f"probabilities of a topic do not add up to 1: {shown}"
        yield "probabilities not 1", f"{text}; they are scaled to 1, except in measures with renormalise=False"


def _subtopics(qrels: Qrels) -> Mapping[str, list[str]]:
    """Sub-topics of each topic of the qrels."""
    made: dict[str, list[str]] = {}
    if qrels.aspects is not None:
        for row, topic in enumerate(qrels.topics):
            made[topic] = [name for _, name, _ in qrels.aspects.of_topic(row)]
    return made


def _pairs(pairs: list[tuple[str, str]]) -> str:
    return listed([f"{name} of topic {topic}" for topic, name in pairs])
