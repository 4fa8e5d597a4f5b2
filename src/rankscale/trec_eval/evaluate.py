"""From the two files to the text that trec_eval prints."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscale.data.arrays import Ints
from rankscale.data.judged import BEYOND, UNJUDGED, Judged
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import DuplicateError, FormatError
from rankscale.formats.read.trec import read_qrels, read_run
from rankscale.trec_eval.columns import Collection, Column
from rankscale.trec_eval.exits import INPUT, MEASURE, NO_TOPICS, USAGE, Quit
from rankscale.trec_eval.measure_columns import columns_for
from rankscale.trec_eval.options import Options
from rankscale.trec_eval.printing import summary_lines, topic_lines
from rankscale.trec_eval.quirks import reset_missing
from rankscale.trec_eval.zscores import Zscores, read_zscores, standardised

LATER = ("prefs", "qrels_prefs", "qrels_jg")
STDIN = "-"
MISSING = -1  # the place of a ranking that the run lacks

Read = TypeVar("Read", Qrels, Run)


@dataclass(frozen=True)
class Evaluated:
    """Rankings seen through the qrels, with their topics."""

    judged: Judged
    topics: list[str]
    missing: NDArray[np.bool_]  # topics that the run lacks; version 10 has them under -c
    ended: Quit | None  # version 10 without -c ends at the first topic that the run lacks


def evaluate(options: Options, warn: Callable[[str], object]) -> tuple[str, Quit | None]:
    """The text to print, and the error that ended the evaluation early, if any."""
    _check_forms(options)
    try:
        qrels, run = _read(options)
    except DuplicateError as error:  # trec_eval meets these when it computes, after all other checks
        _prepared(options)
        raise Quit(MEASURE, f"trec_eval: {error}") from None
    for warning in (*qrels.warnings, *run.warnings):
        warn(f"trec_eval: warning: {warning}\n")
    columns, zscores = _prepared(options)
    evaluated = _evaluated(options, qrels, run)
    if not evaluated.topics:
        raise evaluated.ended or Quit(NO_TOPICS, "trec_eval: No queries with both results and relevance info")
    values = [_values(column, evaluated, zscores) for column in columns]
    lines = topic_lines(columns, evaluated.topics, values, zscores=zscores is not None) if options.per_topic else []
    if evaluated.ended is None and not options.no_summary:
        collection = _collection(options, qrels, len(evaluated.topics), run.last_tag)
        lines += summary_lines(columns, values, collection, zscores=zscores is not None)
    return "".join(lines), evaluated.ended


def _check_forms(options: Options) -> None:
    if options.qrels_form in LATER:
        raise Quit(USAGE, f"trec_eval: rankscale does not read -R {options.qrels_form} yet; only -R qrels")
    if options.qrels_form != "qrels":
        raise Quit(INPUT, f"trec_eval: Illegal rel_format '{options.qrels_form}'")
    if options.run_form != "trec_results":
        raise Quit(INPUT, f"trec_eval: Illegal retrieval results format '{options.run_form}'")


def _read(options: Options) -> tuple[Qrels, Run]:
    qrels_file, run_file = options.files
    dialect = f"trec_eval {options.compat}"
    nine = options.compat == 9
    if qrels_file == STDIN or (run_file == STDIN and nine):
        hint = "; --compat 10 reads the run from standard input" if qrels_file != STDIN else ""
        raise Quit(INPUT, f"trec_eval: cannot read file '-'{hint}")
    # -M cuts before duplicates are looked for; a ranking of one document has none
    depth = None if options.depth is None else max(options.depth, 1)
    qrels = _readable(qrels_file, lambda: read_qrels(qrels_file, dialect=dialect))
    order = "score" if nine else "score64"
    return qrels, _readable(run_file, lambda: read_run(qrels, run_file, order=order, dialect=dialect, depth=depth))


def _readable(path: str, read: Callable[[], Read]) -> Read:
    try:
        return read()
    except DuplicateError:
        raise
    except (FormatError, OSError) as error:
        raise Quit(INPUT, f"trec_eval: {error}\ntrec_eval: Quit in file '{path}'") from None


def _prepared(options: Options) -> tuple[list[Column], Zscores | None]:
    zscores = None if options.zscores is None else read_zscores(options.zscores)
    return columns_for(options), zscores


def _evaluated(options: Options, qrels: Qrels, run: Run) -> Evaluated:
    """The rankings of the topics that count under -c, -D and the version, after -M and -J."""
    place = np.full(len(qrels.topics), MISSING)
    place[run.rows] = np.arange(len(run.rows))
    rows = np.array([row for row, topic in enumerate(qrels.topics) if options.topic in {None, topic}], dtype=np.intp)
    ended = None
    if options.compat == 9:
        rows = rows[place[rows] != MISSING]
    elif not options.complete and (place[rows] == MISSING).any():
        first = int((place[rows] == MISSING).argmax())
        ended = Quit(MEASURE, f"trec_eval: result qid '{qrels.topics[rows[first]]}' not found in qrels")
        rows = rows[:first]
    judged = _arranged(run.judged(qrels), place[rows], qrels.counts[rows])
    if options.depth is not None and options.depth < 1:
        judged = judged.cut(0)
    if options.judged_only:
        judged = judged.only_judged()
    return Evaluated(judged, [qrels.topics[row] for row in rows], place[rows] == MISSING, ended)


def _arranged(judged: Judged, places: Ints, counts: Ints) -> Judged:
    """The rankings at these places; for MISSING a ranking of one document that is not in the qrels."""

    def rows(column: Ints, filling: int) -> Ints:
        return np.concatenate([column, np.full((1, *column.shape[1:]), filling, column.dtype)])[places]

    return replace(
        judged,
        rank=rows(judged.rank, BEYOND),
        code=rows(judged.code, UNJUDGED),
        document=rows(judged.document, UNJUDGED),
        first=rows(judged.first, BEYOND),
        last=rows(judged.last, BEYOND),
        length=rows(judged.length, 1),
        counts=counts,
    )


def _values(column: Column, evaluated: Evaluated, zscores: Zscores | None) -> NDArray[Any]:
    values = column.values(evaluated.judged)
    if evaluated.missing.any():
        values = reset_missing(column.name, values, evaluated.missing)
    if column.form == "text":
        return values
    if zscores is not None:
        return standardised(values, evaluated.topics, column.name, zscores)
    return values + 0.0  # no -0.0: sums in C begin at 0


def _collection(options: Options, qrels: Qrels, evaluated: int, tag: str) -> Collection:
    if not options.complete:
        return Collection(evaluated, 0, None, tag)
    # -c counts the relevant documents of all topics anew, and there forgets -l
    relevant = int(qrels.counts[:, qrels.levels > 0].sum())
    return Collection(len(qrels.topics), len(qrels.topics) - evaluated, relevant, tag)
