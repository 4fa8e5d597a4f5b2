"""TREC files alone: runs (`topic Q0 document rank score tag`) and qrels (`topic iteration document grade`)."""

from collections.abc import Iterator, Sequence
from typing import Unpack

from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.inputs.files import Source, judge_files, judge_qrels
from rankscale.inputs.options import Reading, ReadOptions


def read_qrels(source: Source, *, dialect: str = "rankscale", max_size: int | None = None) -> Qrels:
    """Qrels from a file, `-` for standard input, bytes, or an open binary file."""
    return judge_qrels([source], Reading(form="trec", max_size=max_size), dialect=dialect)


def read_run(qrels: Qrels, source: Source, *, dialect: str = "rankscale", **options: Unpack[ReadOptions]) -> Run:
    """One run, judged while it is read, named by its tag."""
    (run,) = read_runs(qrels, [source], dialect=dialect, **options)
    return run


def read_runs(
    qrels: Qrels, sources: Sequence[Source], *, dialect: str = "rankscale", **options: Unpack[ReadOptions]
) -> Iterator[Run]:
    """Runs in the order of their sources, read in parallel on all cores and judged while they are read."""
    options.setdefault("form", "trec")
    reading = Reading(**options)
    return (run for runs in judge_files(qrels, sources, reading, dialect) for run in runs)
