"""Qrels of a collection that nobody has judged yet: the topics of some runs, and no judged document."""

import os
from collections.abc import Mapping

from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError
from rankscale.formats.read.inputs import RunsLike, read_qrels, run_sources
from rankscale.submissions.columns import columns_of
from rankscale.submissions.text import blocks

NO_DOCUMENT = ""  # the one entry of each topic, with a grade that means unjudged


def no_judgments(runs: RunsLike, max_size: int | None = None) -> Qrels:
    """The topics of runs, in the order of their names.

    Raise ParameterError where runs are neither files nor dictionaries: qrels have to say what their topics are.
    """
    topics = {topic for _, source in run_sources(runs) for topic in _topics(source, max_size)}
    if not topics:
        raise ParameterError("the runs have no topics")
    return read_qrels({topic: {NO_DOCUMENT: -1} for topic in sorted(topics)})


def _topics(source: object, max_size: int | None) -> tuple[str, ...]:
    if isinstance(source, Mapping):
        return tuple(map(str, source))
    if isinstance(source, str | os.PathLike) and source != "-":
        return columns_of(blocks(os.fspath(source), max_size)).topics
    raise ParameterError("without qrels, runs are files or dictionaries: their topics are read first")
