"""Runs and qrels from the results of the core: buffers become arrays, bytes become names."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rankscale.data.arrays import Ints, frozen, lazy
from rankscale.data.aspects import Aspects
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, Setting
from rankscale.inputs.options import Reading


def name_of(raw: bytes) -> str:
    """A name as text; bytes that are not UTF-8 are kept as surrogates and come out again as they were."""
    return raw.decode("utf-8", "surrogateescape")


def names_of(text: bytes, ends: bytes) -> list[str]:
    """Names that stand in one text without anything between them, given where each ends (64-bit integers)."""
    stops = np.frombuffer(ends, dtype=np.uint64).tolist()
    bounds = zip([0, *stops], stops, strict=False)
    if text.isascii():  # then a byte is a character, and all names are decoded at once
        every = name_of(text)
        return [every[start:end] for start, end in bounds]
    return [name_of(text[start:end]) for start, end in bounds]


def qrels_of(given: dict[str, Any], source: str, merge: str = "aspects") -> Qrels:
    """Qrels as the core read them; documents with several grades were merged so ('aspects': no rule was requested)."""
    rule = merge if merge in {"min", "mean"} else "max"
    qrels = Qrels(
        index=given["index"],
        codes=np.frombuffer(given["codes"], dtype=np.int16),
        starts=np.frombuffer(given["starts"], dtype=np.int64),
        levels=np.frombuffer(given["levels"], dtype=np.float64),
        source=source,
        notices=_odd_fields(given),
    )
    if given["aspects"] is not None:
        qrels = replace(qrels, aspects=_aspects(given["aspects"], qrels, rule, requested=merge == rule))
        if documents := given["aspects"]["repeated"]:  # which have several grades
            notice = Notice.of("aspects", source=source, documents=documents, merge=rule)
            qrels = replace(qrels, notices=(*qrels.notices, notice))
    if not qrels.index.topics:
        raise FormatError(f"{source}: expected judgments, found none")
    return qrels


def _aspects(given: dict[str, Any], qrels: Qrels, merge: str, *, requested: bool) -> Aspects:
    """Judgments by sub-topic or assessor, as the core read them."""
    ordered = "lists" in given
    lists = tuple(tuple(map(name_of, names)) for names in given["lists"]) if ordered else None
    return Aspects(
        starts=np.frombuffer(given["starts"], dtype=np.int64),
        names=tuple(map(name_of, given["names"])),
        first=np.frombuffer(given["first"], dtype=np.int64),
        document=np.frombuffer(given["document"], dtype=np.int32),
        code=np.frombuffer(given["code"], dtype=np.int16),
        levels=qrels.levels,
        judgments=qrels.starts,
        ordering=np.frombuffer(given["ordering"], dtype=np.int32) if ordered else None,
        lists=lists,
        line=np.frombuffer(given["line"], dtype=np.int64) if ordered else None,
        merge=merge,
        merge_requested=requested,
    )


def run_of(given: dict[str, Any], name: str, source: str, qrels: Qrels, reading: Reading) -> Run:
    """A run as the core judged it."""
    columns = ("rank", "document", "first", "last")
    rank, document, first, last = (np.frombuffer(given[key], dtype=np.int32) for key in columns)
    tied = np.frombuffer(given["tied"], dtype=np.int64)
    length = np.frombuffer(given["length"], dtype=np.int32)
    return Run(
        name=name,
        rows=np.frombuffer(given["rows"], dtype=np.int32),
        length=length,
        starts=np.frombuffer(given["starts"], dtype=np.int64),
        rank=rank,
        document=document,
        first=lazy(partial(_with_ties, rank, tied, first)),
        last=lazy(partial(_with_ties, rank, tied, last)),
        qrels=qrels.fingerprint,
        order=given["order"],
        depth=reading.depth,
        source=source,
        last_tag=name_of(given["last_tag"]),
        unknown_topics=given["unknown_topics"],
        is_scattered=given["scattered"],
        notices=(*_odd_fields(given), *_other_documents(given, source or name, reading)),
        score=np.frombuffer(given["score"], dtype=np.float64) if reading.keep_scores else None,
        documents=_documents(given, length.tolist()) if reading.keep_documents else None,
    )


def _with_ties(rank: Ints, tied: Ints, bound: Ints) -> Ints:
    """(entry,): ranks, but for the tied entries the first or last rank of their group."""
    if not len(tied):
        return rank
    column = rank.copy()
    column[tied] = bound
    return frozen(column)


def _other_documents(given: dict[str, Any], where: str, reading: Reading) -> Iterator[Notice]:
    """Notices of documents left out, or whose names stay as they are; InputError where a pattern matches none."""
    matched, unmatched = given["matched"]
    if unmatched and not matched:
        pattern = repr(reading.document_from)
        raise InputError(f"{where}: {pattern} matches no document (", Setting("document_from"), ")")
    if unmatched:
        unlike = f"{unmatched} of {matched + unmatched} documents are not as {reading.document_from!r} says"
        yield from notes([f"{where}: {unlike}, and keep their names"])
    if given["dropped"]:
        kept = {"best": "the one ranked highest is kept", "first": "the first in the file is kept"}[reading.duplicates]
        number = given["dropped"]
        repeats = "1 document stands" if number == 1 else f"{number} documents stand"
        yield from notes([f"{where}: {repeats} in a ranking again; {kept}"])


def _odd_fields(given: dict[str, Any]) -> tuple[Notice, ...]:
    count, first = given["odd"]
    return notes([f"{first}\n({count} such fields)"], "reader") if count else ()


def _documents(given: dict[str, Any], length: list[int]) -> tuple[tuple[str, ...], ...]:
    names = names_of(given["names"], given["name_ends"])
    ends = np.cumsum(length, dtype=np.int64).tolist()
    return tuple(tuple(names[end - count : end]) for count, end in zip(length, ends, strict=True))
