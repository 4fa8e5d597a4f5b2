"""-R prefs, qrels_prefs and qrels_jg: rankings judged by preferences, or by several assessors."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscale._core import Index
from rankscale.data.arrays import Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import DuplicateError, FormatError, message_of, on_command_line
from rankscale.inputs.files import NamedBytes, read_whole
from rankscale.inputs.trec import read_run
from rankscale.trec_eval.input_files import TopicJudgments, read_judgments, repeated_in_run
from rankscale.trec_eval.measure_columns import PREFERENCE_FORMS, OtherForm
from rankscale.trec_eval.options import ABORT, INPUT, MEASURE, Options, Quit
from rankscale.trec_eval.preferences import Seen, values

STDIN = "-"


@dataclass(frozen=True)
class OtherInputs:
    """Judgments of another form, and the run seen through them."""

    form: OtherForm
    topics: list[TopicJudgments]
    qrels: Qrels
    run: Run
    twice: Mapping[str, str]  # topics that hold a document twice, and the first such document

    @property
    def by_preference(self) -> bool:
        """Whether the judgments are preferences."""
        return self.form in PREFERENCE_FORMS


def read_inputs(options: Options, form: OtherForm) -> OtherInputs:
    """Read judgments and run. A document that stands twice is refused when its topic is measured, not here."""
    judgments, run_file = options.files
    topics = read_judgments(judgments, form, options.compat, single=options.single)
    qrels = _qrels(topics, form)
    if run_file == STDIN and options.compat == 9:
        raise Quit(INPUT, "trec_eval: cannot read file '-'; --compat 10 reads the run from standard input")
    source = NamedBytes(STDIN, read_whole(sys.stdin.buffer, STDIN)) if run_file == STDIN else run_file
    # Preferences have ties in the other order, so that the cut of -M comes later
    depth = None if options.depth is None or form in PREFERENCE_FORMS else max(options.depth, 1)
    order, dialect = options.order, options.dialect
    twice: dict[str, str] = {}
    try:
        try:
            run = read_run(qrels, source, order=order, dialect=dialect, depth=depth)
        except DuplicateError:
            run = read_run(qrels, source, order=order, dialect=dialect, depth=depth, duplicates="best")
            run = replace(run, notices=tuple(one for one in run.notices if one.kind == "reader"))
            twice = repeated_in_run(source, options, ascending=form in PREFERENCE_FORMS)
    except (FormatError, OSError) as error:
        raise Quit(
            INPUT, f"trec_eval: {message_of(error, on_command_line)}\ntrec_eval: Quit in file '{run_file}'"
        ) from None
    return OtherInputs(form, topics, qrels, run, twice)


def _qrels(topics: Sequence[TopicJudgments], form: OtherForm) -> Qrels:
    """Qrels by assessor; of preferences only the documents matter here."""
    documents = [list(topic.documents) for topic in topics]
    starts = np.concatenate([[0], np.cumsum([len(names) for names in documents])])
    index, codes = Index([topic.name for topic in topics], documents), np.zeros(int(starts[-1]), dtype=np.int16)
    if form in PREFERENCE_FORMS:
        return Qrels(index, codes, starts, np.zeros(1))
    groups = [group for topic in topics for group in topic.groups]
    every = np.concatenate([group.level for group in groups])
    levels, code = np.unique(np.append(every, 0.0), return_inverse=True)
    aspects = Aspects(
        starts=np.concatenate([[0], np.cumsum([len(topic.groups) for topic in topics])]),
        names=("",) * len(groups),
        first=np.concatenate([[0], np.cumsum([len(group.level) for group in groups])]),
        document=np.concatenate([group.document for group in groups]),
        code=code[:-1].astype(np.int16),
        levels=levels,
        judgments=starts,
    )
    return Qrels(index, codes, starts, levels, aspects=aspects)


class Preferred:
    """Rankings of the documents that preferences name, ties by name ascending, cut at -M."""

    def __init__(self, inputs: OtherInputs, options: Options) -> None:
        self._inputs = inputs
        run = inputs.run
        rank = run.first + run.last - run.rank  # the names of tied documents, which stand together, the other way round
        depth = len(run.rank) + int(run.length.max(initial=0)) if options.depth is None else options.depth
        kept = rank <= depth
        topic = np.repeat(np.arange(len(run.rows)), np.diff(run.starts))[kept]
        order = np.lexsort((rank[kept], topic))
        ends = np.cumsum(np.bincount(topic, minlength=len(run.rows)))
        parts = np.split(run.document[kept][order], ends[:-1]) if len(run.rows) else []
        self._rankings: dict[int, Ints] = dict(zip(run.rows.tolist(), parts, strict=True))

    def seen(self, row: int) -> Seen:
        """One topic; where the run lacks it, nothing is retrieved."""
        return Seen.of(self._inputs.topics[row], self._rankings.get(row, np.zeros(0, dtype=np.int64)))


def preference_values(
    inputs: OtherInputs, options: Options, rows: Sequence[int], wanted: set[str], measure: str
) -> tuple[dict[str, Floats], Quit | None]:
    """(topic,) by name of the measure, under no name zeros; and what ended the evaluation, naming this measure."""
    preferred, counted = Preferred(inputs, options), []
    ended = None
    for row in rows:
        try:
            _refuse_twice(inputs, row)
            counted.append(values(preferred.seen(row), wanted))
        except Quit as quit_:
            ended = _cannot(quit_, measure)
            if quit_.code == ABORT:  # which loses what was not yet written
                counted.clear()
            break
    columns = {name: np.array([of_topic.get(name, 0) for of_topic in counted], dtype=float) for name in wanted}
    return columns | {"": np.zeros(len(counted))}, ended


def before_twice(inputs: OtherInputs, rows: Ints, measure: str) -> tuple[Ints, Quit | None]:
    """The topics above the first one whose ranking holds a document twice, and the error that it is."""
    for number, row in enumerate(rows.tolist()):
        try:
            _refuse_twice(inputs, row)
        except Quit as quit_:
            return rows[:number], _cannot(quit_, measure)
    return rows, None


def _refuse_twice(inputs: OtherInputs, row: int) -> None:
    """Raise Quit where a topic's ranking holds a document twice; its line goes on with what follows."""
    document = inputs.twice.get(inputs.qrels.topics[row])
    if document is not None:
        where = "form_prefs_counts" if inputs.by_preference else "form_res_qrels"
        raise Quit(MEASURE, f"trec_eval.{where}: duplicate docs {document}")


def _cannot(quit_: Quit, measure: str) -> Quit:
    """The error of a topic, with the measure that could not be computed for it."""
    if quit_.code != MEASURE:
        return quit_
    return Quit(MEASURE, f"{quit_.message}trec_eval: Can't calculate measure '{measure}'")
