"""What an engine gives back, as one `Evaluation`."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.names import listed
from rankscale.data.qrels import Qrels
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import DuplicateError, FormatError, InputError
from rankscale.evaluation.batches import OneRun, empty_run, measured, sharing
from rankscale.evaluation.engine.blocks import plain
from rankscale.evaluation.engine.evaluator import EXAMPLE, NAMES, ValueOptions, columns_of
from rankscale.evaluation.evaluate import check_room
from rankscale.evaluation.gathering import gathered
from rankscale.evaluation.notices import requested
from rankscale.evaluation.options import BOUNDS, EvaluationRequest, Missing, Summary
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.binary import ENDINGS, binary_form, in_words, open_binary
from rankscale.inputs.read import QrelsLike, read_qrels
from rankscale.inputs.tabular import ArrowStream, ArrowTable, opened
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure

if TYPE_CHECKING:
    import pyarrow as pa

WHERE = "the values"  # in messages
AGAIN = "all rows of a topic must be in one partition when it is measured: repartition the rankings by topic"


def summarise(
    qrels: QrelsLike,
    values: object,
    measures: AnyMeasure | Iterable[AnyMeasure],
    *,
    runs: Sequence[str] | None = None,
    missing: Missing = "zero",
    summary: Summary = "mean",
    **options: Unpack[ValueOptions],
) -> Evaluation:
    """Gather the values that an engine returned into an `Evaluation`, the same as `rs.evaluate` of the same rankings.

    Topics of the qrels that a run lacks are added here, since no partition has all topics.

    Parameters
    ----------
    qrels
        The judgments that the values were measured with, in any form that `read_qrels` takes.
    values
        Output of the function of `evaluate_batches`, rows in any order, long or wide: an Arrow table or record
        batches, a data frame, or the path of a Parquet file or folder.
    measures
        The measures, as they were given to `evaluate_batches`.
    runs
        Names of the runs, in the order wanted in the evaluation; by default in alphabetical order, since engines return
        rows in any order.
    missing
        Rule for topics of the qrels that a run lacks, as in `rs.evaluate`.
    summary
        What tables for people show of each run: 'mean', 'median' or 'quantiles'.
    **options
        `judged_only`, `depth`, `grades`, `negative`, `order` and `bounds`, as they were given to `evaluate_batches`:
        the values of missing topics and the signature depend on them.

    Returns
    -------
    Evaluation
        The values, as `evaluate` gives them.

    Raises
    ------
    FormatError
        If a column is missing, or a topic of a run lacks the value of a measure.
    DuplicateError
        If a topic of a run has two values, which happens when its rows were in two partitions.
    InputError
        If a topic is not in the qrels, or a run of `runs` has no values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rankscale import engine
    >>> qrels = {"301": {"a": 1, "b": 0}, "302": {"c": 1}}
    >>> evaluate = engine.evaluate_batches(qrels, "AP", run="bm25")
    >>> batch = pa.record_batch({"topic": ["301", "301"], "document": ["b", "a"], "score": [2.0, 1.0]})
    >>> print(engine.summarise(qrels, evaluate([batch]), "AP").means())
    run   topics      AP
    bm25       2  0.2500
    """
    check_arguments(summarise, locals(), choices=("summary",))
    request = EvaluationRequest.of(requested(measures, EXAMPLE), {**options, "missing": missing})
    request.without_bounds()
    judgments = request.judging.regraded(read_qrels(qrels))
    wanted, reading = request.measures, request.reading
    names, there, columns = _by_run(_tidy(values, wanted, bounds=request.bounds), wanted, judgments, runs)
    if request.complete and not there.all():
        nothing = empty_run("", judgments, request.reading)
        (of_nothing,) = measured(judgments, sharing(request, judgments), request, [nothing])
        for name, of_empty in of_nothing.values.items():
            columns[name] = np.where(there[:, None], columns[name], of_empty)
    none_drawn = np.zeros((len(wanted), len(judgments.topics)), dtype=bool)
    each = []
    for number, name in enumerate(names):
        of_run = {key: of[number] for key, of in columns.items()}
        read_as = reading.order or "score", reading.depth
        each.append(OneRun(name, of_run, there[number], *read_as, drawn=none_drawn, some=none_drawn))
    check_room(each, int(np.count_nonzero(there)), request)
    return replace(gathered(request, judgments, each), summary=summary)


def _tidy(values: object, measures: tuple[Measure, ...], *, bounds: bool) -> "pa.Table":
    """Rows of run, topic, measure and numbers, of any object that holds them, long or wide."""
    arrow = library("pyarrow", "record batches")
    table = _table(values)
    long, wide = (columns_of(measures, wide=form, bounds=bounds) for form in (False, True))
    if set(long) <= set(table.schema.names):
        return table.select([*long])
    if not set(wide) <= set(table.schema.names):
        raise FormatError(
            f"{WHERE}: expected columns {', '.join(long)}, or {', '.join(wide)}, found {listed(table.schema.names)}"
        )
    parts = []
    for measure in map(str, measures):
        numbers = [table.column(name) for name in (measure, *(f"{measure}_{bound}" for bound in BOUNDS * bounds))]
        name = arrow.array([measure] * len(table), arrow.string())
        parts.append(arrow.table([*(table.column(of) for of in NAMES), name, *numbers], names=[*long]))
    return arrow.concat_tables(parts)


def _table(values: object) -> "pa.Table":
    """An Arrow table of anything that holds one."""
    arrow = library("pyarrow", "record batches")
    if isinstance(values, arrow.Table):
        return values
    if isinstance(values, str | os.PathLike):
        form = _form_of_files(os.fspath(values)) if os.path.isdir(values) else binary_form(values)
        if form not in {"parquet", "arrow"}:
            raise FormatError(f"{readable(str(values))}: expected a Parquet or Arrow file, or a folder of them")
        where, held = open_binary(values, form, of_rankings=False)
        with in_words(where, form, held):
            return arrow.table(ArrowStream(held, [*held.names]))
    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        return arrow.Table.from_pandas(values, preserve_index=False)
    if isinstance(values, Iterable) and not hasattr(values, "__arrow_c_stream__") and not hasattr(values, "columns"):
        batches = [one for part in values for one in (part.to_batches() if hasattr(part, "to_batches") else [part])]
        if not batches or not all(isinstance(one, arrow.RecordBatch) for one in batches):
            raise FormatError(f"{WHERE}: expected record batches of Arrow, found {type(values).__name__}")
        return arrow.Table.from_batches(batches)
    held_table = opened(values, "")
    if not isinstance(held_table, ArrowTable):
        raise FormatError(f"{WHERE}: expected an Arrow table, record batches or a data frame, found {module}")
    return arrow.table(ArrowStream(held_table, [*held_table.names]))


def _form_of_files(folder: str) -> str | None:
    """The form that all files of a folder have by their endings, whatever the engine calls them."""
    names = [name for _, _, files in os.walk(folder) for name in files if not name.startswith((".", "_"))]
    forms = {ENDINGS.get(os.path.splitext(name)[1].lower()) for name in names}
    return forms.pop() if len(forms) == 1 else None


def _by_run(
    table: "pa.Table", measures: tuple[Measure, ...], qrels: Qrels, runs: Sequence[str] | None
) -> tuple[list[str], Bools, dict[str, Floats]]:
    """Names of runs, (run, topic) whether there are values, and (run, measure, topic) the values by column."""
    names = runs if runs is not None else sorted(_text(table.column("run"), "run").unique().to_pylist(), key=str.encode)
    if not names:
        raise InputError(f"{WHERE}: there are none, so that no run is known; name those that were measured with runs=")
    run = _places(table.column("run"), names, "run")
    topic = _places(table.column("topic"), [readable(one) for one in qrels.topics], "topic")
    measure = _places(table.column("measure"), [str(one) for one in measures], "measure")
    shape = (len(names), len(measures), len(qrels.topics))
    at = np.ravel_multi_index((run, measure, topic), shape)
    times = np.bincount(at, minlength=int(np.prod(shape))).reshape(shape)
    _check_once(times, names, measures, qrels)
    columns: dict[str, Floats] = {}
    for place, name in enumerate(("values", *BOUNDS)[: table.num_columns - len(NAMES) - 1]):
        column = np.full(shape, np.nan)
        column.flat[at] = table.column(len(NAMES) + 1 + place).to_numpy()
        columns[name] = column
    there: Bools = np.count_nonzero(times, axis=1) > 0
    return [*names], there, columns


def _text(column: "pa.ChunkedArray", what: str) -> "pa.ChunkedArray":
    """A column of names as text; raise FormatError for a null."""
    arrow = library("pyarrow", "record batches")
    if column.null_count:
        raise FormatError(f"{WHERE}: expected a {what} in every row, found null")
    text = [plain(chunk).cast(arrow.large_string()) for chunk in column.chunks]
    return arrow.chunked_array(text, arrow.large_string())


def _places(column: "pa.ChunkedArray", names: Sequence[str], what: str) -> Ints:
    """(row,): the place of each name among those that are known; raise InputError for any other."""
    arrow, compute = library("pyarrow", "record batches"), library("pyarrow.compute", "record batches")
    text = _text(column, what)
    places = compute.index_in(text, arrow.array(names, arrow.large_string()))
    if places.null_count:
        unknown = compute.unique(text.filter(compute.is_null(places))).to_pylist()
        expected = "topics of the qrels" if what == "topic" else f"{what}s among {listed([*names])}"
        raise InputError(
            f"{WHERE}: expected {expected}, found {listed(unknown)}; give the qrels, runs and measures that they were "
            "measured with"
        )
    numbers: Ints = places.to_numpy()
    return numbers


def _check_once(times: Ints, names: Sequence[str], measures: tuple[Measure, ...], qrels: Qrels) -> None:
    """Raise where a value is there twice, or where a ranking has values of some measures only."""
    twice = np.argwhere(times > 1)
    if len(twice):
        run, measure, topic = twice[0].tolist()
        raise DuplicateError(
            f"{WHERE}: there are {times[run, measure, topic]} values of {measures[measure]} for run {names[run]}, "
            f"topic {qrels.topics[topic]}; {AGAIN}"
        )
    lacking = np.argwhere(times.any(axis=1, keepdims=True) & (times == 0))
    if len(lacking):
        run, measure, topic = lacking[0].tolist()
        raise FormatError(
            f"{WHERE}: expected a value of {measures[measure]} for run {names[run]}, topic {qrels.topics[topic]}, "
            "found none"
        )
