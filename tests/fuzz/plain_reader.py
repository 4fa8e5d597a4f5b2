"""TREC files read as SPEC 1 says: plain Python, slow and short, sharing nothing with the core."""

import ctypes
import math
from collections.abc import Iterator

from tests.fuzz.packing import Fault, unpacked


def lines_of(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    text = unpacked(data).removeprefix(b"\xef\xbb\xbf")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16
        raise Fault
    for line, written in enumerate(text.split(b"\n"), start=1):
        fields = written.strip().split(None, 5)
        if fields and not fields[0].startswith(b"#"):
            yield line, ([] if b"\0" in written else fields)


def number_in(text: bytes) -> float:
    try:
        return math.nan if b"_" in text else float(text)
    except ValueError:
        return math.nan


def read_qrels(data: bytes) -> dict[bytes, dict[bytes, float]]:
    qrels: dict[bytes, dict[bytes, float]] = {}
    for line, fields in lines_of(data):
        if len(fields) != 4 or not math.isfinite(number_in(fields[3])) or fields[2] in qrels.get(fields[0], {}):
            raise Fault(line)
        qrels.setdefault(fields[0], {})[fields[2]] = number_in(fields[3])
    if not qrels:
        raise Fault
    return qrels


def read_run(data: bytes, order: str) -> tuple[dict[bytes, list[tuple[float, bytes]]], list[bytes]]:
    """Rankings by topic, each of (what orders it, document), and the tag of every line."""
    run: dict[bytes, dict[bytes, float]] = {}
    tags: list[bytes] = []
    repeats: dict[bytes, int] = {}
    for line, fields in lines_of(data):
        score, rank = (number_in(fields[4]), number_in(fields[3])) if len(fields) == 6 else (math.nan, math.nan)
        if math.isnan(score) or (order == "rank" and math.isnan(rank)):
            raise Fault(line, *repeats.values())
        ranking = run.setdefault(fields[0], {})
        if fields[2] in ranking:
            repeats.setdefault(fields[0], line)
        ranking[fields[2]] = {"score": ctypes.c_float(score).value, "score64": score, "rank": -rank, "file": -line}[
            order
        ]
        tags.append(fields[5])
    if repeats or not run:
        raise Fault(*repeats.values())
    return {t: sorted(((key, d) for d, key in run[t].items()), reverse=True) for t in run}, tags
