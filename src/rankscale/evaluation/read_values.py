"""The verb: `read_values(source) -> Evaluation`, of values that were measured before, and their measures."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from rankscale.data.arguments import Grades, Positive, check_arguments
from rankscale.data.arrays import Bools, frozen
from rankscale.data.judged import Judged
from rankscale.data.names import MISSING_TOPICS, listed
from rankscale.data.notices import Notice, by_key
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError, RankscaleError, Setting
from rankscale.evaluation.batches import check_table
from rankscale.evaluation.options import Missing, one_or_all
from rankscale.evaluation.result import Evaluation, counting, in_bytes
from rankscale.inputs.read import expanded
from rankscale.inputs.values.forms import read_block, run_name
from rankscale.inputs.values.tables import Naming, SourceValues, shortened
from rankscale.measures.base.measure import Measure, Numbers, ScaleType
from rankscale.measures.base.parser import parse

ValuesForm = Literal["trec_eval", "ir_measures", "mteb", "json", "table"]
RowsOf = Literal["topics", "runs"]
KEEP_COMMON = Setting("missing", "common"), " keeps the topics that all runs have"  # in messages


@dataclass(frozen=True)
class NamedMeasure(Measure):
    """A measure that values were read of; it has no formula, and no ranking can be measured by it."""

    name: ClassVar[str] = "Named"
    takes_depth: ClassVar[bool] = False

    label: str
    on: ScaleType | None = None  # the scale of the values; None where it is not known
    low: bool = False  # whether low is good
    of: Measure | None = None  # the measure of this name, where the grades that its scale depends on are not known

    def __post_init__(self) -> None:
        known: dict[str, object] = {
            "scale": self.on or "ordinal",
            "scale_known": self.on is not None,
            "low_is_good": self.low,
        }
        if self.of is not None:
            known |= {name: getattr(self.of, name) for name in ("uses_recall_base", "summary", "direction_note")}
        for name, value in known.items():
            object.__setattr__(self, name, value)
        super().__post_init__()

    def total(self, judged: Judged) -> Numbers:  # noqa: ARG002
        """Not of rankings."""
        raise ParameterError(f"{self} was read as values, and has no formula that could measure rankings")

    def __str__(self) -> str:
        return self.label


def read_values(
    source: object,
    *,
    measure: str | None = None,
    scale: ScaleType | None = None,
    low_is_good: bool = False,
    levels: Grades | None = None,
    missing: Missing = "skip",
    rows: RowsOf | None = None,
    form: ValuesForm | None = None,
    max_size: Positive | None = None,
) -> Evaluation:
    r"""Read values that were measured before, for everything that needs no rankings: comparing, correlating.

    Parameters
    ----------
    source
        A path (`-`: standard input), a pattern such as `outputs/*.txt`, an open binary file, bytes, a data frame, an
        Arrow table or a dictionary; a list of these, or `{name: path}`, which names the run of each. Forms are told
        apart by content: tsv, csv, jsonl, json and Parquet as rankscale writes them, output of trec_eval -q and
        ir_measures -q, results of MTEB, tables with a column for each run or for each measure.
    measure
        Name of the measure, for tables of one measure that do not name it.
    scale
        Scale of measures that are not known by their name: 'ordinal', 'interval' or 'ratio'. Without it their scale is
        not known, and verdicts say so.
    low_is_good
        Whether low values are good, for measures that are not known by their name.
    levels
        Grades of the collection, which the scale of some measures depends on.
    missing
        Rule for topics that a run lacks and others have. 'skip': left out of its means; 'zero': a value of 0; 'common':
        only topics that all runs have count; 'error': raise InputError.
    rows
        Whether the rows of a wide table are 'topics' or 'runs', where its header does not say.
    form
        Form of files: 'trec_eval', 'ir_measures', 'mteb', 'json' (JSON Lines too) or 'table'; by content unless given.
    max_size
        The most bytes that a packed file may unpack to; by default 40 times its packed size.

    Returns
    -------
    Evaluation
        Values by measure, run and topic. Measures that are known by their name, as rankscale, trec_eval or ir_measures
        spells it, are those of `rs.parse`; others keep their name.

    Raises
    ------
    FormatError
        If the content of a source is not as it should be, or can be read in two ways; the message says where.
    InputError
        If there are no values, or with `missing='error'` if a run lacks a topic.
    FileNotFoundError
        If there is no such file, or no file matches a pattern.
    ParameterError
        If an option has a value that it cannot take.

    Examples
    --------
    >>> import rankscale as rs
    >>> lines = b"map\t301\t0.25\nmap\t302\t0.75\nrunid\tall\tbm25\nmap\tall\t0.5\n"
    >>> print(rs.read_values(lines).means())
    run   topics      AP
    bm25       2  0.5000
    """
    check_arguments(read_values, locals(), choices=("missing", "scale", "rows", "form"))
    if isinstance(source, Evaluation):
        return source
    known = cache(_known)  # a file may name thousands of measures, and each of them often

    def is_measure(name: str) -> bool:
        return known(name) is not None

    blocks = [
        read_block(one, Naming(name or run_name(one), measure, rows, is_measure), form, max_size)
        for name, one in _sources(source)
    ]
    if not blocks:
        raise InputError("there are no values to read")
    grades = tuple(float(level) for level in levels or ())
    names = dict.fromkeys(name for block in blocks for name in _measures(block))
    measures = {name: _measure(name, known(name), scale, grades, low_is_good=low_is_good) for name in names}
    return _gathered(blocks, measures, grades, missing)


def _sources(source: object) -> list[tuple[str | None, object]]:
    """The sources, each with the name of its run where it is given."""
    named = source if isinstance(source, Mapping) else {}
    if named and all(isinstance(one, str | bytes | os.PathLike) for one in named.values()):
        return [(str(name), one) for name, one in named.items()]
    several = list(source) if isinstance(source, list | tuple | Iterator) else [source]
    if several and all(isinstance(one, Mapping) for one in several) and isinstance(source, list | tuple):
        raise InputError("expected paths, data frames or one dictionary of values, found a list of dictionaries")
    return [(None, one) for part in several for one in expanded(part)]


def _measures(block: SourceValues) -> dict[str, None]:
    """Names of measures, in the order in which the source says that they were measured."""
    there = dict.fromkeys(measure for _, _, measure in block.entries)
    recorded = block.provenance.get("measures", ())
    first = [name for name in recorded if name in there] if isinstance(recorded, list) else []
    return dict.fromkeys([*first, *there])


def _known(name: str) -> Measure | None:
    """The measure of this name, None where there is none, or several."""
    try:
        return parse(name) if re.match(r"\w", name) else None
    except RankscaleError:
        return None


def _measure(
    name: str, known: Measure | None, scale: ScaleType | None, levels: tuple[float, ...], *, low_is_good: bool
) -> Measure:
    if known is None:
        return NamedMeasure(name, scale, low_is_good)
    try:
        known.scale_type(levels)
    except ParameterError:  # it depends on the grades
        return NamedMeasure(str(known), scale, known.low_is_good, known)
    return known


def _gathered(
    blocks: Sequence[SourceValues], by_name: Mapping[str, Measure], levels: tuple[float, ...], missing: Missing
) -> Evaluation:
    measures = tuple(dict.fromkeys(by_name.values()))
    runs = tuple(dict.fromkeys(run for block in blocks for run in block.runs))
    topics = tuple(sorted({key[1] for block in blocks for key in block.entries}, key=in_bytes))
    columns = list(dict.fromkeys(column for block in blocks for column in block.columns))
    held = sum(len(block.entries) for block in blocks) / len(measures)  # rankings, if all measures have the same
    check_table(len(runs), len(topics), len(measures) * (len(columns) + 1), held)
    arrays = {column: np.full((len(measures), len(runs), len(topics)), np.nan) for column in columns}
    there = np.zeros((len(measures), len(runs), len(topics)), dtype=bool)
    places = [{one: place for place, one in enumerate(names)} for names in (measures, runs, topics)]
    several = {one for one, count in Counter(by_name.values()).items() if count > 1}  # Rprec and Rprec_mult_1.00
    for block in blocks:
        for (run, topic, name), numbers in block.entries.items():
            at = places[0][by_name[name]], places[1][run], places[2][topic]
            if there[at] and measures[at[0]] in several and arrays["value"][at] == numbers[0]:
                continue
            if there[at]:
                raise DuplicateError(
                    f"{block.where}: expected one value for each run, topic and measure, found a second one of "
                    f"{measures[at[0]]} for run {run}, topic {topic}; in Python {{name: path}} names the run of a file"
                )
            there[at] = True
            for column, value in zip(block.columns, numbers, strict=True):
                arrays[column][at] = value
    retrieved: Bools = np.count_nonzero(there, axis=0) > 0
    lacking = [_lacking(block) for block in blocks]
    empty = _empty(lacking, retrieved, runs, topics)
    present: Bools = retrieved & ~empty
    values = arrays.pop("value")
    if missing == "error" and not present.all():
        raise _lacks_topics(present, runs, topics)
    if missing == "zero" and not retrieved.all():
        _check_empty_is_zero(measures)
        values[:, ~retrieved] = 0.0
    extra: dict[str, Any] = {name: frozen(array) for name, array in arrays.items()}
    return Evaluation(
        measures=measures,
        runs=runs,
        topics=topics,
        values=frozen(values),
        retrieved=frozen(counting(present if missing == "common" else retrieved, missing)),
        present=None if present.all() else frozen(present),
        present_known=all(one is not None for one in lacking),
        signature=str(one_or_all(block.provenance.get("signature", "values:read") for block in blocks)),
        sources=_files(blocks, runs),
        notices=(*_forms(blocks), *_unknown(measures), *_counted_as_empty(empty, runs, topics, blocks, missing)),
        topics_rule=missing,
        levels=levels,
        **extra,
    )


def _lacking(block: SourceValues) -> Mapping[str, Sequence[str]] | None:
    """`{run: topics}` of the topics for which the block holds values of empty rankings; None where it does not say."""
    recorded = block.provenance.get(MISSING_TOPICS, {} if "signature" in block.provenance else None)
    if recorded is None:
        return None
    if not isinstance(recorded, Mapping) or not all(isinstance(topics, list) for topics in recorded.values()):
        raise FormatError(f"{block.where}: expected {MISSING_TOPICS} as {{run: [topics]}}, found {shortened(recorded)}")
    return recorded


def _empty(
    lacking: Sequence[Mapping[str, Sequence[str]] | None], retrieved: Bools, runs: Sequence[str], topics: Sequence[str]
) -> Bools:
    """(run, topic): where there are values, and they are those of an empty ranking."""
    rows, columns = ({one: place for place, one in enumerate(names)} for names in (runs, topics))
    empty = np.zeros(retrieved.shape, dtype=bool)
    for recorded in lacking:
        for run, absent in (recorded or {}).items():
            places = [columns[str(topic)] for topic in absent if str(topic) in columns]
            if run in rows:
                empty[rows[run], places] = True
    return empty & retrieved


def _counted_as_empty(
    empty: Bools, runs: Sequence[str], topics: Sequence[str], blocks: Sequence[SourceValues], missing: Missing
) -> Iterator[Notice]:
    """Notices of topics that runs lacked when the values were measured, and that counted as empty rankings."""
    for place in np.flatnonzero(empty.any(axis=1)).tolist():
        yield Notice.of(
            "missing topics",
            where=runs[place],
            qrels=_files(blocks, runs)[0],
            topics=tuple(topics[t] for t in np.flatnonzero(empty[place]).tolist()),
            of=len(topics),
            rule="common" if missing == "common" else "zero",
        )


def _files(blocks: Sequence[SourceValues], runs: Sequence[str]) -> tuple[str, ...]:
    """The sources of qrels and runs as one source names them, or else the sources of the values."""
    recorded = blocks[0].provenance.get("sources") if len(blocks) == 1 else None
    if isinstance(recorded, list) and len(recorded) == len(runs) + 1:
        return tuple(map(str, recorded))
    of = {run: block.where for block in blocks for run in block.runs}
    return (listed(list(dict.fromkeys(block.where for block in blocks))), *(of[run] for run in runs))


def _lacks_topics(present: Bools, runs: Sequence[str], topics: Sequence[str]) -> InputError:
    """The error about the first run without some topics, where all have to be there."""
    run = int(np.flatnonzero(~present.all(axis=1))[0])
    lacking = [topics[place] for place in np.flatnonzero(~present[run]).tolist()]
    words = f"run {runs[run]} has no values for {len(lacking)} of {len(topics)} topics ({listed(lacking)}); "
    return InputError(words, *KEEP_COMMON)


def _check_empty_is_zero(measures: Sequence[Measure]) -> None:
    """Raise ParameterError where 0 is not what an empty ranking has."""
    low = [str(measure) for measure in measures if measure.low_is_good]
    if low:
        words = f"low is good for {listed(low)}, so that 0 is no value of an empty ranking; "
        raise ParameterError(words, *KEEP_COMMON)


def _forms(blocks: Sequence[SourceValues]) -> tuple[Notice, ...]:
    """How each source was read."""
    return tuple(
        Notice.of("read as", text=f"{listed(names)}: read as {form}", files=tuple(names))
        for form, names in by_key((block.form, block.where) for block in blocks).items()
    )


def _unknown(measures: Sequence[Measure]) -> Iterator[Notice]:
    """A notice of measures whose scale is not known."""
    open_scales = [one for one in measures if not one.scale_known]
    for is_known, why in ((False, ""), (True, "grades")):
        names = tuple(str(one) for one in open_scales if (getattr(one, "of", None) is not None) == is_known)
        if names:
            yield Notice.of("unknown scale", measures=names, why=why)
