"""What is odd about files that can be read, runs, qrels and intents: a kind and a text for each such thing."""

import math
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from rankscale.data.aspects import Aspects
from rankscale.data.exact_sums import rounded_sums
from rankscale.data.names import listed
from rankscale.data.notices import is_warning, render
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import Setting, Wording
from rankscale.inputs.check.lines import LineColumns
from rankscale.inputs.check.result import Problem, Submission, as_problems
from rankscale.inputs.files import stem
from rankscale.inputs.topics import Intents, intents_and_faults, subtopics_of

SHOWN = 10  # topics that are listed
EXAMPLES = 3  # topics of each spelling
MOST = 0.5  # share of documents in ties, of topics in reverse order, or of topics in common, that counts as most
TOP = 10  # ranks of which judgments are counted
Warnings = Iterator[tuple[str, Wording]]  # kind and text


def of_order(columns: LineColumns) -> Warnings:
    """Scores that are ranks: the best document last."""
    ranked = columns.length > 1
    of = np.count_nonzero(ranked)
    count = int(np.count_nonzero(columns.swapped() & ranked))
    if count > MOST * of:
        text = (
            f"the score column counts up as ranks do, and the rank column falls as scores do, in {count} of {of} "
            "topics: the two seem to be swapped, so that the order is reversed; swap them, or say where the scores are "
        )
        yield "rank and score swapped", (f"{text}with ", Setting("columns"))
        return
    count = int(np.count_nonzero(columns.reversed() & ranked))
    if count > MOST * of:
        text = f"scores rise down the rank column in {count} of {of} topics, so that the order is reversed"
        why = "the highest score comes first, and the rank column counts only with "
        yield "order reversed", (f"{text}: {why}", Setting("order", "rank"))


def of_ties(columns: LineColumns, share: float) -> Warnings:
    """Documents with one score, which only their names order."""
    if share >= MOST and columns.length.max(initial=0) > 1:
        which = "all scores" if share == 1 else "most scores"
        shown = f"{100 * share:.1f}% of documents have the score of another one of their topic"
        yield "ties", f"{which} are tied: {shown}, and are ordered by name"


def of_topics(names: Collection[str], wanted: Mapping[str, object], source: str, what: str) -> Warnings:
    """Topics that the run lacks, or has too many; the spellings of both where hardly any are shared.

    `wanted` has the topics that it should have, as keys: a file may hold very many runs of a topic or two each.
    """
    there = set(names)
    unknown = [name for name in names if name not in wanted]
    common = sum(name in wanted for name in there)
    lacking = len(wanted) - common
    missing = list(islice((name for name in wanted if name not in there), min(lacking, max(SHOWN, EXAMPLES + 1))))
    if unknown and common < MOST * min(len(wanted), len(there)):
        how = "no topic" if common == 0 else f"only {common} of {len(wanted)} topics"
        spelled = f"the file has {_examples(unknown)}; {what} are {_examples(missing)}"
        kind = "no topic in common" if common == 0 else "few topics in common"
        yield kind, f"{how} in common with {source}: {spelled}"
        return
    if missing:
        kind = "missing topics" if common >= MOST * len(wanted) else "few topics in common"
        yield kind, f"missing {what}: {', '.join(missing[:SHOWN])} ({lacking} of {len(wanted)})"
    if unknown:
        names_shown = ", ".join(unknown[:SHOWN])
        yield "other topics", f"topics that are not in {source}: {names_shown} ({len(unknown)} of {len(there)})"


def _examples(names: Sequence[str]) -> str:
    return ", ".join(names[:EXAMPLES]) + (", ..." if len(names) > EXAMPLES else "")


def judged_shares(run: Run, qrels: Qrels) -> tuple[float, float] | None:
    """Judged@10 of a run, and the share of all its first ten documents that are judged; grades below 0 are none.

    Judged@10 is the mean over all topics of the qrels, as `evaluate` has it: a topic that the run lacks counts as 0.
    The other share is about the documents that are there. None without a document in common topics.
    """
    judged = run.without(qrels.levels < 0, qrels)
    of_topic = np.repeat(np.arange(len(run.rows)), np.diff(judged.starts))[judged.rank <= TOP]
    counts, ranked = np.bincount(of_topic, minlength=len(run.rows)), np.minimum(run.length, TOP)
    if not ranked.sum():
        return None
    mean = float(rounded_sums(counts / np.maximum(ranked, 1))) / len(qrels.topics)
    return mean, int(counts.sum()) / int(ranked.sum())


def of_judgments(share: float | None, least: float) -> Warnings:
    """Few judged documents where users look: documents of another collection, or ids in another spelling."""
    if share is not None and share < least:
        shown = f"only {100 * share:.1f}% of the first {TOP} documents are judged"
        yield "few judged", f"{shown}: are the ids of documents those of the qrels?"


def of_depth(columns: LineColumns, most: int | None) -> Warnings:
    """Rankings that are longer than the task allows."""
    longest = int(columns.length.max(initial=0))
    if most is not None and longest > most:
        count = np.count_nonzero(columns.length > most)
        have = "1 topic has" if count == 1 else f"{count} topics have"
        yield "too deep", f"{have} more than {most} documents, up to {longest}"


def of_tag(run: Run, file: str | None, *, is_trec: bool) -> Warnings:
    """A name that other tools cut, or that is not what the file is called; None where a file need not be called so."""
    word = "tag" if is_trec else "name"
    given = run.last_tag if is_trec else run.name
    called, tag = (re.sub(r"[\W_]", "", text).casefold() for text in (stem(file or "").removesuffix(".res"), run.name))
    if re.search(r"\s", given) and (is_trec or tag != called):
        yield "blanks in tag", f"the {word} {given!r} holds blanks: other tools read its first word alone"
    is_pipe = (file or "").startswith(("/dev/", "/proc/"))  # whose name is the shell's
    if tag and called and not is_pipe and tag not in called and called not in tag:
        yield "tag unlike file name", f"the {word} is {run.name}, unlike the name of the file"


def of_clashes(submissions: Sequence[Submission]) -> Iterator[Submission]:
    """The same submissions, those whose run has the name of another one with a warning more."""
    holders = defaultdict[str | None, list[str]](list)
    for one in submissions:
        holders[one.run].append(one.file)
    for one in submissions:
        files = holders[one.run]
        if not one.run or len(files) < 2:
            yield one
            continue
        others = _examples([other for other in files if other != one.file] or files[1:])
        word = "tag" if one.form == "trec" else "name"
        text = f"the {word} {one.run} is that of {others}, too"
        yield replace(one, problems=(*one.problems, Problem(one.file, "warning", "tags clash", text, one.run)))


def of_qrels(qrels: Qrels) -> Warnings:
    """What is odd about judgments."""
    for notice in filter(is_warning, qrels.notices):
        yield "reader", render(notice)
    without = np.flatnonzero(qrels.recall_base() == 0).tolist()
    if without:
        names = ", ".join(qrels.topics[place] for place in without[:SHOWN])
        count = f"{len(without)} of {len(qrels.topics)}"
        yield "nothing relevant", f"topics without a document of grade 1 or more: {names} ({count})"
    if (qrels.levels < 0).any():
        judged = Setting("negative", "not relevant")
        text = ("negative grades are read as unjudged; ", judged, " reads them as judged and not relevant")
        yield "negative grades", text
    if ((qrels.levels > 0) & (qrels.levels < 1)).any():
        yield "grades below 1", ("grades between 0 and 1 count as not relevant unless ", Setting("rel"), " is lower")


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
    subtopics = _by_topic(subtopics_of(qrels, where), qrels)
    topics = len({topic for topic, _ in intents})
    described = f"{where}: {topics} {'topic' if topics == 1 else 'topics'}, {len(intents)} probabilities"
    errors = as_problems(where, (("intents", str(fault)) for fault in faults), "error")
    return described, (*errors, *as_problems(where, _odd(intents, subtopics, qrels.source)))


def _by_topic(aspects: Aspects, qrels: Qrels) -> dict[str, list[str]]:
    """Sub-topics of each topic of the qrels."""
    return {topic: [name for _, name, _ in aspects.of_topic(row)] for row, topic in enumerate(qrels.topics)}


def _odd(intents: Intents, judged: Mapping[str, list[str]], source: str) -> Warnings:
    """What does not fit the qrels, and topics whose probabilities do not add up to 1."""
    known = {topic for topic, _ in intents}
    other = [topic for topic in dict.fromkeys(topic for topic, _ in intents) if topic not in judged]
    if other:
        yield "other topics", f"topics that are not in {source}: {listed(other)} ({len(other)} of {len(known)})"
    without = [topic for topic in judged if topic not in known]
    if without:
        text = f"topics of {source} without a probability, where measures of sub-topics are 0: {listed(without)}"
        yield "missing topics", f"{text} ({len(without)} of {len(judged)})"
    lacking = [(topic, name) for topic in judged if topic in known for name in judged[topic]]
    lacking = [pair for pair in lacking if pair not in intents]
    if lacking:
        text = f"sub-topics of {source} without a probability, which count 0: {_pairs(lacking)}"
        yield "missing sub-topics", f"{text} ({len(lacking)} of {sum(map(len, judged.values()))})"
    unjudged = [pair for pair in intents if pair[0] in judged and pair[1] not in judged[pair[0]]]
    if unjudged:
        text = f"sub-topics that are not in {source}, which Coverage alone counts: {_pairs(unjudged)}"
        yield "other sub-topics", f"{text} ({len(unjudged)} of {len(intents)})"
    yield from _sums(intents)


def _sums(intents: Intents) -> Warnings:
    """Topics whose probabilities do not add up to 1."""
    by_topic = defaultdict[str, list[float]](list)
    for (topic, _), probability in intents.items():
        by_topic[topic].append(probability)
    sums = {topic: math.fsum(given) for topic, given in by_topic.items()}
    zero = [topic for topic, total in sums.items() if total == 0]
    if zero:
        yield "probabilities 0", f"all probabilities of a topic are 0, and so are its values: {listed(zero)}"
    off = {topic: total for topic, total in sums.items() if total and abs(total - 1) > WITHIN}
    if off:
        shown = listed([f"{topic} ({total:.6g})" for topic, total in off.items()])
        text = f"probabilities of a topic do not add up to 1: {shown}"
        yield "probabilities not 1", f"{text}; they are scaled to 1, except in measures with renormalise=False"


def _pairs(pairs: list[tuple[str, str]]) -> str:
    return listed([f"{name} of topic {topic}" for topic, name in pairs])
