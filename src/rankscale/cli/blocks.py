"""Data sets on the command line: measured block by block, and read back where all values are needed."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankscale.cli.output import Writing
from rankscale.cli.progress import progress_bar

if TYPE_CHECKING:
    from rankscale.evaluation.block_result import BlockEvaluation
    from rankscale.evaluation.result import Evaluation
    from rankscale.measures.base.measure import Measure

MANIFEST = "_rankscale.json"  # as in rankscale.inputs.partitioned, which imports much
TAKEN = ("judged_only", "depth", "grades", "negative", "order", "max_size", "missing", "executor")
TEXT = ("tsv", "csv", "jsonl")  # forms that rows are added to


def is_data_set(source: object) -> bool:
    """Whether qrels are a folder with a manifest, or an address that may be one."""
    place = getattr(source, "source", source)
    if not isinstance(place, str):
        return False
    if "://" not in place:
        return os.path.isfile(os.path.join(place, MANIFEST))
    from rankscale.inputs.partitioned import find_data_set

    return find_data_set(place) is not None


def streams_to(writing: Writing, *, per_topic: bool) -> str | None:
    """The form in which values by topic are written as they come; None where means are written."""
    if writing.form == "parquet":
        return "parquet"
    return writing.form if per_topic and writing.form in TEXT else None


def measure_blocks(
    qrels: object,
    runs: Sequence[object],
    measures: "tuple[Measure, ...]",
    options: Mapping[str, Any],
    writing: Writing | None = None,
    *,
    pairs: bool = False,
    form: str | None = None,
    mean_name: str = "all",
) -> "BlockEvaluation":
    """Measure data sets; with `form`, values by topic go to the output as they come."""
    from rankscale.evaluation.blocks import stream_blocks
    from rankscale.outputs.frames import write_parquet
    from rankscale.outputs.text import tidy_text

    given = {name: options[name] for name in TAKEN if name in options}
    with progress_bar() as progress:
        streaming = stream_blocks(qrels, list(runs), measures, pairs=pairs, progress=progress, **given)
        if form is None or writing is None:
            return streaming.finish()
        streaming.mean_name = mean_name
        if form == "parquet":
            write_parquet(streaming.table(), str(writing.output))
        else:
            writing.deliver(tidy_text(streaming.table(), form, writing.digits, formulas=writing.formulas))
        return streaming.result(writing.output)


def read_blocks(
    qrels: object,
    runs: Sequence[object],
    measures: "tuple[Measure, ...]",
    options: Mapping[str, Any],
) -> "Evaluation":
    """Measure data sets, and read all values back; refused before any work where they take too much memory."""
    import tempfile

    from rankscale.data.memory import need
    from rankscale.evaluation.block_result import ALL_VALUES, memory_of
    from rankscale.evaluation.blocks import data_set_of, evaluate_blocks

    about = data_set_of(qrels)
    topics = 0 if about is None else about.topics
    need(memory_of(topics, len(runs), len(measures)), f"a table of the values of {topics} topics", ALL_VALUES)
    given = {name: options[name] for name in TAKEN if name in options}
    with tempfile.TemporaryDirectory(prefix="rankscale-") as folder, progress_bar() as progress:
        where = os.path.join(folder, "values.parquet")
        made = evaluate_blocks(qrels, list(runs), measures, values=where, progress=progress, **given)
        return made.read()
