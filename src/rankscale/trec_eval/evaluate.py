"""From the two files to the text that trec_eval prints."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscale.data.arrays import UNJUDGED, Ints, NDArray
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import DuplicateError, on_command_line
from rankscale.inputs.trec import read_qrels
from rankscale.trec_eval.input_files import (
    STDIN,
    OtherInputs,
    qrels_without_repeats,
    read_inputs,
    read_rankings,
    readable,
    repeated_in_run,
)
from rankscale.trec_eval.measure_columns import (
    OTHER_FORMS,
    columns_for,
    first_measure,
    requested_measures,
    suited,
    unsuited,
)
from rankscale.trec_eval.options import INPUT, MEASURE, NO_TOPICS, Options, Quit
from rankscale.trec_eval.printing import (
    Collection,
    PrintedColumn,
    Totals,
    Zscores,
    read_zscores,
    standardised,
    summary_lines,
    topic_lines,
)
from rankscale.trec_eval.quirks import reset_missing

MISSING = -1  # the place of a ranking that the run lacks
FEW_TOPICS = 200  # at a time, where each may have grades of its own
MOST_TOPICS = 1 << 11  # at a time: their lines take some 10 MB if all measures are requested
CELLS = 1 << 20  # of a table of topics and ranks, or topics and grades, at a time

ColumnBlock = tuple[Ints, list[NDArray[Any]]]  # rows of some topics, and their values by column, (topic,) each


def evaluate(options: Options, warn: Callable[[str], object]) -> tuple[Iterator[bytes], Quit | None]:
    """The text to print, some topics at a time, and the error that ended the evaluation early, if any."""
    _check_forms(options)
    inputs: OtherInputs | None = None
    twice: Mapping[str, Quit] = {}
    try:
        if options.qrels_form == "qrels":
            qrels, run = _read(options)
        else:
            inputs = read_inputs(options)
            qrels, run = inputs.qrels, inputs.run
    except DuplicateError as error:
        qrels, run, twice = _read_with_repeats(options, error)
    for warning in () if inputs else (*qrels.warnings, *run.warnings):
        warn(f"trec_eval: warning: {warning}\n")
    columns, zscores = _prepared(options)
    requested = requested_measures(options.measures, options.compat)
    place, rows, ended = _topics(options, qrels, run)
    if not len(rows):
        raise ended or Quit(NO_TOPICS, "trec_eval: No queries with both results and relevance info")
    if inputs is None:
        if wrong := unsuited(requested, "qrels"):
            raise wrong
        if first_measure(requested):
            rows, met = before_twice(qrels, rows, twice)
            ended = met or ended
        # Where the first topic has no grade from 0 on, trec_eval takes its table of grades for missing.
        if len(rows) and first_measure(requested) and not qrels.counts_of(rows[:1])[0, qrels.levels >= 0].any():
            raise Quit(MEASURE, f"trec_eval: Can't calculate measure '{first_measure(requested)}'")
        blocks = _blocks(options, columns, qrels, run, place, rows)
    else:
        rows, values, quit_ = _other_values(options, requested, inputs, columns, place, rows)
        blocks, ended = iter([(rows, values)]), quit_ or ended
    summarised = None
    if ended is None and not options.no_summary:
        summarised = _collection(options, qrels, len(rows), run.last_tag)
    return _printed(options, columns, qrels.topics, blocks, zscores, summarised), ended


def before_twice(qrels: Qrels, rows: Ints, twice: Mapping[str, Quit]) -> tuple[Ints, Quit | None]:
    """The topics above the first that holds a document twice, and the error that it is.

    trec_eval meets it when it computes the topic.
    """
    for number, row in enumerate(rows.tolist()):
        if quit_ := twice.get(qrels.topics[row]):
            return rows[:number], quit_
    return rows, None


def _read_with_repeats(options: Options, error: DuplicateError) -> tuple[Qrels, Run, Mapping[str, Quit]]:
    """Both files, in which some documents stand twice; each counts once, and the topics are kept, with their error.

    A file that cannot be read again (standard input, a pipe) ends the evaluation here.
    """
    qrels_file, run_file = options.files
    of_first = Quit(MEASURE, f"trec_eval: {error.worded(on_command_line)}")
    if not (os.path.isfile(qrels_file) and os.path.isfile(run_file)):
        _prepared(options)
        raise of_first from None
    once, of_qrels = qrels_without_repeats(qrels_file, options)
    qrels = readable(qrels_file, lambda: read_qrels(once, dialect=options.dialect))
    run = read_rankings(qrels, run_file, options, once=True)
    topics = {*of_qrels, *repeated_in_run(run_file, options, ascending=False)}
    return qrels, run, dict.fromkeys(topics, of_first)


def _printed(
    options: Options,
    columns: list[PrintedColumn],
    names: Sequence[str],
    blocks: Iterator[ColumnBlock],
    zscores: Zscores | None,
    collection: Collection | None,
) -> Iterator[bytes]:
    """The lines of topics, then, where there is a collection, those over all of them."""
    totals = Totals(len(columns))
    for rows, computed in blocks:
        topics, values = [names[row] for row in rows], computed
        if zscores is not None:
            values = [
                of_column if column.form == "text" else standardised(of_column, topics, column.name, zscores)
                for column, of_column in zip(columns, computed, strict=True)
            ]
        totals.add(columns, values)
        if options.per_topic:
            yield topic_lines(columns, topics, values, zscores=zscores is not None)
    if collection is not None:
        yield summary_lines(columns, totals, collection, zscores=zscores is not None)


def _check_forms(options: Options) -> None:
    """Raise Quit for forms of the files that trec_eval does not have."""
    if options.qrels_form not in {"qrels", *OTHER_FORMS}:
        raise Quit(INPUT, f"trec_eval: Illegal rel_format '{options.qrels_form}'")
    if options.run_form != "trec_results":
        raise Quit(INPUT, f"trec_eval: Illegal retrieval results format '{options.run_form}'")


def _other_values(
    options: Options,
    requested: Mapping[str, str],
    inputs: OtherInputs,
    columns: list[PrintedColumn],
    place: Ints,
    rows: Ints,
) -> tuple[Ints, list[NDArray[Any]], Quit | None]:
    """Topics with their values by column, and what ended the evaluation."""
    wrong = unsuited(requested, options.qrels_form)
    if wrong and first_measure(requested) not in suited(options.qrels_form):
        raise wrong
    rows, ended = before_twice(inputs.qrels, rows[:1] if wrong else rows, inputs.twice)
    if options.by_preference:
        from rankscale.trec_eval.preferences import preference_values

        by_name, met = preference_values(inputs, options, rows.tolist(), set(requested), first_measure(requested))
        rows, ended = rows[: len(by_name[""])], met or ended
        values = [by_name.get(column.name, by_name[""]) for column in columns]
    else:
        judged = _judged(replace(options, judged_only=False), inputs.qrels, inputs.run, place, rows)
        values = [_values(column, judged, place[rows] == MISSING) for column in columns]
    if ended is None and wrong:
        raise wrong
    return rows, values, ended


def _read(options: Options) -> tuple[Qrels, Run]:
    qrels_file, run_file = options.files
    if qrels_file == STDIN or (run_file == STDIN and options.compat == 9):
        hint = "; --compat 10 reads the run from standard input" if qrels_file != STDIN else ""
        raise Quit(INPUT, f"trec_eval: cannot read file '-'{hint}")
    qrels = readable(qrels_file, lambda: read_qrels(qrels_file, dialect=options.dialect))
    return qrels, read_rankings(qrels, run_file, options)


def _prepared(options: Options) -> tuple[list[PrintedColumn], Zscores | None]:
    zscores = None if options.zscores is None else read_zscores(options.zscores)
    return columns_for(options), zscores


def _topics(options: Options, qrels: Qrels, run: Run) -> tuple[Ints, Ints, Quit | None]:
    """The place of each topic's ranking in the run, and the topics that count under -c, -D and the version.

    Version 10 without -c ends at the first topic that the run lacks.
    """
    place = np.full(len(qrels.topics), MISSING)
    place[run.rows] = np.arange(len(run.rows))
    rows = np.array([row for row, topic in enumerate(qrels.topics) if options.topic in {None, topic}], dtype=np.intp)
    if options.compat == 9:
        return place, rows[place[rows] != MISSING], None
    if options.complete or not (place[rows] == MISSING).any():
        return place, rows, None
    first = int((place[rows] == MISSING).argmax())
    name = qrels.topics[rows[first]]
    return place, rows[:first], Quit(MEASURE, f"trec_eval: result qid '{name}' not found in qrels")


def _judged(options: Options, qrels: Qrels, run: Run, place: Ints, rows: Ints) -> Judged:
    """The rankings of these topics, after -M and -J."""
    places = place[rows]
    there = places[places != MISSING]
    start, stop = (int(there.min()), int(there.max()) + 1) if len(there) else (0, 0)
    from_start = np.where(places == MISSING, MISSING, places - start)
    kept = qrels.levels_of(np.union1d(rows, run.rows[start:stop])) if qrels.has_many_levels else None
    judged = _arranged(run.judged(qrels, start, stop, kept), from_start, qrels.counts_of(rows, kept), rows)
    if options.depth is not None and options.depth < 1:
        judged = judged.cut(0)
    return judged.only_judged() if options.judged_only else judged


def _arranged(judged: Judged, places: Ints, counts: Ints, topics: Ints) -> Judged:
    """The rankings at these places; for MISSING a ranking of one document that is not in the qrels."""
    columns: dict[str, Any] = {"counts": counts, "row": topics}
    filling = {"rank": BEYOND, "code": UNJUDGED, "document": UNJUDGED, "first": BEYOND, "last": BEYOND, "length": 1}
    for name, missing in filling.items():
        column = getattr(judged, name)
        last = np.full((1, *column.shape[1:]), missing, column.dtype)
        columns[name] = np.concatenate([column, last])[places]
    return replace(judged, **columns)


def _blocks(
    options: Options, columns: list[PrintedColumn], qrels: Qrels, run: Run, place: Ints, rows: Ints
) -> Iterator[ColumnBlock]:
    """Values of some topics at a time; of few where there are very many grades."""
    most = min(MOST_TOPICS, FEW_TOPICS if qrels.has_many_levels else max(1, CELLS // max(1, len(qrels.levels))))
    length, start = np.append(run.length, 1)[place[rows]], 0  # MISSING is the last of them
    while start < len(rows):
        longest = np.maximum.accumulate(length[start : start + most])  # sets the width of all rows of a table
        count = int(np.searchsorted(longest * np.arange(1, len(longest) + 1), CELLS, side="right"))
        block = rows[start : start + max(1, count)]
        start += len(block)
        judged = _judged(options, qrels, run, place, block)
        yield block, [_values(column, judged, place[block] == MISSING) for column in columns]


def _values(column: PrintedColumn, judged: Judged, missing: NDArray[np.bool_]) -> NDArray[Any]:
    values = column.values(judged)
    if missing.any():
        values = reset_missing(column.name, values, missing)
    return values if column.form == "text" else values + 0.0  # no -0.0: sums in C begin at 0


def _collection(options: Options, qrels: Qrels, evaluated: int, tag: str) -> Collection:
    if not options.complete:
        return Collection(evaluated, 0, None, tag)
    # -c counts the relevant documents of all topics anew, and there forgets -l
    relevant = int(qrels.level_counts[qrels.levels > 0].sum())
    return Collection(len(qrels.topics), len(qrels.topics) - evaluated, relevant, tag)
