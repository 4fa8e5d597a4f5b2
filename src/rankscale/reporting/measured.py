"""What a report is about: rankings, measured once for all its sections, or values that were measured before.

With what goes with it: which sections need rankings, which measures the effort/gain plot shows, what the collection is
called, and names of files without their folders, for pages that others read.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rankscale.data.notices import Notice, Noticed
from rankscale.data.qrels import Qrels
from rankscale.data.resources import announce, need_for_study
from rankscale.data.run import Run
from rankscale.errors import ParameterError, ScaleError, Setting
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.notices import value_notices
from rankscale.evaluation.options import judging_of, no_bounds, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import readable_twice
from rankscale.inputs.read import QrelsLike, iterate_runs, read_qrels, run_sources, runs_with_names
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse, parse_all
from rankscale.measures.twist import Twist
from rankscale.scales.interval import NotKnown, interval_version, why_no_version
from rankscale.studies.effort_gain import check_effort, check_gain, is_gain

NEED_RANKINGS = {  # sections, as sentences call them
    "effort": "effort and gain",
    "archetypes": "archetypes of rankings",
    "rankings": "single rankings",
    "overlap": "overlap of runs",
    "judges": "agreement of judges",
    "robustness": "fewer judgments",
}
OF_RANKINGS = (  # options that only rankings can follow
    *("runs", "robustness", "overlap", "agree", "inspect", "effort", "gain", "rel"),
    *("depth", "order", "threads", "max_size", "grades", "negative", "judged_only"),
)
ENDINGS = re.compile(
    r"\.(gz|xz|bz2|zst|zip|txt|tsv|csv|json|jsonl|ndjson|parquet|arrow|feather|qrels?|trec|out|dat)$", re.IGNORECASE
)
QRELS = re.compile(r"(?:^|(?<=[._-]))qrels?(?:$|[._-])|[._-]+$", re.IGNORECASE)
GENERAL = {"", "qrels", "qrel", "test", "dev", "train", "judgments", "values", "stdin"}  # names that say nothing
REPORT_BYTES, RANKING_BYTES = 100 << 20, 3300  # of any report, and of each ranking in it
REPORT_SECONDS, RANKING_SECONDS = 4.0, 2.8e-4
NAMED_RANKS = 20  # down to which names of documents are kept, for lists of them
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Measured:
    """What a report is about: rankings that were measured, or values alone."""

    evaluation: Evaluation  # by all these measures, with bounds where a measure has them
    interval: Evaluation | NotKnown  # of the main measure's interval version
    measures: tuple[Measure, ...]  # those requested, the main one first
    runs: tuple[Run, ...] = ()  # none where there are values alone
    judgments: Qrels | None = None  # None where there are values alone
    effort: Measure = field(default_factory=Twist)  # of the effort/gain plot
    gain: Measure | None = None  # of that plot; None where there is none
    renamed: tuple[Notice, ...] = ()
    collection: str = ""  # its name; empty where that is not known
    own_qrels: Qrels | None = None  # as they were read, before grades are mapped
    sources: Sequence[tuple[str | None, Any]] = ()  # name and source of each run, to be read again
    reading: Reading = field(default_factory=Reading)


def of_rankings(qrels: QrelsLike, given: Mapping[str, Any]) -> Measured:
    """Read qrels and runs, and measure all that the page shows; `given` are the arguments of `report`."""
    if given["runs"] is None:
        raise ParameterError("give qrels and runs, report(qrels, runs), or values alone, report(evaluation)")
    reading, judging = reading_of(given), judging_of(given)
    own = read_qrels(qrels, max_size=given["max_size"])
    judgments = judging.regraded(own)
    again = given["candidate"] is not None or given["agree"] is not None or given["overlap"] or given["sections"]
    named = not given["sections"] or {"compare", "rankings", "topics", "effort"}.intersection(given["sections"])
    sources = [(name, readable_twice(one) if again else one) for name, one in run_sources(given["runs"])]
    runs, renamed = runs_with_names(judgments, sources, reading, NAMED_RANKS if named else 0)
    _check_count(len(runs))
    rankings = len(runs) * len(judgments.topics)
    what = f"a report about {len(runs):,} runs and {len(judgments.topics):,} topics"
    need_for_study("a report", len(runs), len(judgments.topics), REPORT_BYTES + rankings * RANKING_BYTES)
    announce(REPORT_SECONDS + rankings * RANKING_SECONDS, what)
    requested = parse_all(given["measures"])
    if not requested:
        raise ParameterError("no measure is requested; name one, as in report(qrels, runs, 'AP')")
    effort, gain = effort_measures(requested, given["effort"], given["gain"], given["rel"])
    wanted: list[AnyMeasure] = list(dict.fromkeys([*requested, effort, *([] if gain is None else [gain])]))
    values, interval = _evaluations(judgments, runs, wanted, requested[0], given)
    return Measured(
        values,
        interval,
        tuple(requested),
        tuple(runs),
        judgments,
        effort,
        gain,
        tuple(renamed),
        collection_name(judgments.source),
        own_qrels=own,
        sources=sources,
        reading=reading,
    )


def read_with_documents(about: Measured, names: Sequence[str]) -> list[Run]:
    """The runs of these names, read again with the names of their documents; no others, where files hold one each."""
    assert about.own_qrels is not None  # noqa: S101  # the caller has looked
    places = [[run.name for run in about.runs].index(name) for name in names]
    reading, alone = replace(about.reading, keep_documents=True), len(about.sources) == len(about.runs)
    chosen = [about.sources[place] for place in places] if alone else about.sources
    read = list(iterate_runs(about.own_qrels, chosen, reading))
    kept = read if alone else [read[place] for place in places]
    return [replace(run, name=name) for run, name in zip(kept, names, strict=True)]


def of_values(evaluation: Evaluation, measures: str | Measure | Iterable[str | Measure] | None) -> Measured:
    """Values in place of rankings, with what there is of the main measure's interval version.

    All measures that there are unless some are named.
    """
    _check_count(len(evaluation.runs))
    chosen = evaluation.measures
    if measures is not None:
        named = [measures] if isinstance(measures, str | Measure) else list(measures)
        chosen = evaluation[[*named]].measures
    if not chosen:
        raise ParameterError("no measure is requested, or the evaluation has none")
    version = interval_version(chosen[0])
    interval: Evaluation | NotKnown = NotKnown("there are values alone, and it takes rankings")
    if version is None:
        interval = NotKnown(why_no_version(chosen[0]))
    elif version in evaluation.measures:
        interval = evaluation[version]
        chosen = tuple(one for one in chosen if one != version) if measures is None else chosen
    files = value_files(evaluation)
    name = collection_name(files[0]) if len(files) == 1 else ""
    return Measured(evaluation, interval, chosen, collection=name)


def _check_count(runs: int) -> None:
    if runs < 2:
        raise ParameterError("a report compares runs: give two or more")


def _evaluations(
    qrels: Qrels, runs: Sequence[Run], wanted: list[AnyMeasure], main: Measure, given: Mapping[str, Any]
) -> tuple[Evaluation, Evaluation | NotKnown]:
    """Evaluate the measures of a report, those of its effort/gain plot and the main one's interval version at once."""
    version = interval_version(main)
    options = {name: given[name] for name in ("judged_only", "progress")}
    bounds = any(no_bounds(parse(measure)) is None for measure in wanted)

    def of(measures: list[AnyMeasure]) -> Evaluation:
        result = evaluate(qrels, runs, measures, bounds=bounds, **options)
        # The leaderboard shows which measures have no bounds: it has no brackets for them.
        return replace(result, notices=tuple(notice for notice in result.notices if notice.kind != "no bounds"))

    if version is None:
        return of(wanted), NotKnown(why_no_version(main))
    try:
        both = of([*wanted, version] if version not in wanted else wanted)
    except (ScaleError, ParameterError) as error:  # of the interval version, or raised again here
        return of(wanted), NotKnown(str(error))
    interval = both[version]
    own = tuple(value_notices((version,), interval.values, interval.retrieved, qrels))
    others = tuple(notice for notice in both.notices if notice not in own or version in wanted)
    return replace(both[wanted], notices=others), replace(interval, notices=own)


def without_folders(notices: Sequence[Notice], sources: Sequence[str]) -> tuple[Notice, ...]:
    """The same notices, each path of a source replaced by the name of its file.

    >>> notice = Notice.of("note", text="/home/me/runs/a.txt: tags vary")
    >>> without_folders([notice], ["/home/me/runs/a.txt"])[0]["text"]
    'a.txt: tags vary'
    """
    longest_first = sorted(filter(os.path.dirname, sources), key=len, reverse=True)

    def plain(value: object) -> object:
        if not isinstance(value, str):
            return value
        for source in longest_first:
            value = value.replace(source, os.path.basename(source))
        return value

    return tuple(
        Notice(notice.kind, tuple((name, plain(value)) for name, value in notice.fields)) for notice in notices
    )


def anonymous(result: Result, sources: Sequence[str]) -> Result:
    """The same result, with the names of files alone in its notices, if it has any."""
    if not isinstance(result, Noticed):
        return result
    return replace(result, notices=without_folders(result.notices, sources))  # type: ignore[type-var]


def command_without_folders(words: Sequence[str]) -> list[str]:
    """A command line with the names of files alone.

    >>> command_without_folders(["report", "/home/me/qrels.txt", "-o", "out/page.html", "-m", "nDCG@10"])
    ['report', 'qrels.txt', '-o', 'page.html', '-m', 'nDCG@10']
    """
    return [os.path.basename(word.rstrip("/")) if "/" in word else word for word in words]


def refuse_options(given: Mapping[str, object], defaults: Mapping[str, object], sections: Collection[str]) -> None:
    """Raise ParameterError for an option or a section that needs rankings, where there are values alone."""
    for name in OF_RANKINGS:
        value = given[name]
        if value != defaults.get(name) and not (isinstance(value, Collection) and not value):
            raise ParameterError(f"{name} needs rankings, and an evaluation has only what was measured of them")
    for name in sections:
        if name in NEED_RANKINGS:
            raise ParameterError(
                f"the section {name} needs rankings, and there are only values: leave it out, or give qrels and runs"
            )


def value_files(evaluation: Evaluation) -> tuple[str, ...]:
    """The files that values were read from; those of qrels and runs where they were measured in this process."""
    read = [notice["files"] for notice in evaluation.notices if notice.kind == "read as"]
    there = [file for files in read if isinstance(files, tuple) for file in files]
    return tuple(dict.fromkeys(map(str, there or evaluation.sources)))


def collection_name(source: str) -> str:
    """What judgments are about, from where they were read; empty where that says nothing.

    >>> collection_name("data/trec8.qrels.gz"), collection_name("qrels.robust04.txt"), collection_name("qrels.tsv")
    ('trec8', 'robust04', '')
    >>> collection_name("irds:beir/scifact/test")
    'beir/scifact/test'
    """
    if source.startswith("irds:"):
        return source.removeprefix("irds:")
    if source.startswith("the "):  # data in memory, as messages call it
        return ""
    name = os.path.basename(source)
    while (shorter := ENDINGS.sub("", name)) != name:
        name = shorter
    name = QRELS.sub("", name)
    return "" if name.lower() in GENERAL else name


def effort_measures(
    requested: Sequence[Measure], effort: AnyMeasure | None, gain: AnyMeasure | None, rel: float
) -> tuple[Measure, Measure | None]:
    """Choose effort and gain: those named, else the first requested measure of each kind.

    Parameters
    ----------
    requested : sequence of Measure
        The measures of the report, the main one first.
    effort, gain : str, Measure or None
        Measures named by the user.
    rel : float
        Lowest relevant grade of Twist, which measures effort where no requested measure does.

    Returns
    -------
    tuple of Measure
        Effort and gain. Where measures of effort alone are requested, the gain is AP with the same lowest relevant
        grade; it is None where no requested measure is one of gain: then there is no plot.

    Raises
    ------
    ParameterError
        If a measure that is named cannot measure effort or gain, or if effort is named and there is no gain.
    """
    named = [one for one in requested if one.measures_effort] if effort is None else [parse(effort)]
    of_effort = named[0] if named else Twist(rel=rel)
    check_effort(of_effort)
    of_gain = None if gain is None else parse(gain)
    if of_gain is not None:
        check_gain(of_gain)
    else:
        others = [measure for measure in requested if not measure.measures_effort and measure != of_effort]
        lowest = rel if of_effort.threshold is None else of_effort.threshold
        of_gain = next(filter(is_gain, others), None) if others else AP(rel=lowest)
    if of_gain == of_effort:
        raise ParameterError(f"effort and gain are both {of_gain}: name two different measures")
    if effort is not None and of_gain is None:
        names = ", ".join(map(str, requested))
        raise ParameterError(
            f"effort is drawn against a measure of gain, whose highest value is the best, and none of {names} is one; "
            "name one, as in ",
            Setting("gain", "AP"),
        )
    return of_effort, of_gain
