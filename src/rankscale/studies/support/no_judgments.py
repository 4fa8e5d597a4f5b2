"""Qrels of a collection that nobody has judged yet: the topics of some runs, and no judged document."""

import os
from collections.abc import Iterator

from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.inputs.core_results import name_of
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import listings_of
from rankscale.inputs.read import RunFile, RunsLike, read_qrels, run_sources

NO_DOCUMENT = ""  # the one entry of each topic, with a grade that means unjudged


def no_judgments(runs: RunsLike, max_size: int | None = None) -> Qrels:
    """The topics of runs, in the order of their names.

    Raise ParameterError for runs that were read before, or that can be read only once: their topics are read first.
    """
    topics = {topic for _, source in run_sources(runs) for topic in _topics(source, Reading(max_size=max_size))}
    if not topics:
        raise ParameterError("the runs have no topics")
    return read_qrels({topic: {NO_DOCUMENT: -1} for topic in sorted(topics)})


def _topics(source: object, reading: Reading) -> Iterator[str]:
    if isinstance(source, RunFile):
        reading, source = source.reading(reading), source.source
    if isinstance(source, Run) or source == "-" or hasattr(source, "read"):
        raise ParameterError("without qrels, runs are files or tables in memory: their topics are read first")
    where = os.fspath(source) if isinstance(source, os.PathLike) else source
    for listing in listings_of(where, reading, "file"):
        yield from map(name_of, listing.topics)
