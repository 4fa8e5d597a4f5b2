"""Runs that cannot be measured, left out and named rather than raised."""

from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError, InputError
from rankscale.inputs.options import Reading, available_cores
from rankscale.inputs.rankings import readable_twice
from rankscale.inputs.read import iterate_runs

SKIPPED = "skipped"  # kind of the notices
Sources = list[tuple[str | None, object]]  # names and sources of runs


def measurable(qrels: Qrels, sources: Sources, reading: Reading) -> tuple[Sources, tuple[Notice, ...]]:
    """The runs that can be read and share a topic with the qrels, and a notice of each other one.

    They are read twice, once here; what can be read only once is kept in memory. Raise InputError where none can be
    measured, with what is wrong with the first.
    """
    from concurrent.futures import ThreadPoolExecutor

    sources = [(name, readable_twice(source)) for name, source in sources]
    with ThreadPoolExecutor(reading.threads or available_cores()) as pool:
        read = list(pool.map(lambda source: _read(qrels, source, reading), sources))
    kept = [source for source, words in zip(sources, read, strict=True) if words is None]
    bad = [words for words in read if words is not None]
    if not kept:
        raise InputError(f"no run can be measured; of the first: {bad[0]}")
    return kept, tuple(Notice.of(SKIPPED, text=f"left out: {words}") for words in bad)


def _read(qrels: Qrels, source: tuple[str | None, object], reading: Reading) -> str | None:
    """Why a run cannot be measured; None if it can."""
    try:
        runs = list(iterate_runs(qrels, [source], reading))
    except FormatError as error:
        return str(error)
    bare = [run for run in runs if not len(run.rows)]
    return f"{bare[0].source or bare[0].name}: no topic in common with {qrels.source}" if bare else None
