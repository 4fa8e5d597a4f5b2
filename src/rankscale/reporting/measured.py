"""What a report is about: rankings, measured once for all its sections, or values that were measured before."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.resources import announce, need_for_study
from rankscale.data.run import Run
from rankscale.errors import ParameterError, ScaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.notices import value_notices
from rankscale.evaluation.options import Judging, no_bounds
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import readable_twice
from rankscale.inputs.read import QrelsLike, iterate_runs, read_qrels, run_sources, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.measures.twist import Twist
from rankscale.reporting.collection import collection_name
from rankscale.reporting.effort_measures import effort_measures
from rankscale.reporting.of_values import chosen_values, value_files
from rankscale.scales.interval import NotKnown, interval_version, why_no_version

REPORT_BYTES, RANKING_BYTES = 100 << 20, 3300  # of any report, and of each ranking in it
REPORT_SECONDS, RANKING_SECONDS = 4.0, 2.8e-4
NAMED_RANKS = 20  # down to which names of documents are kept, for lists of them


class Measured(NamedTuple):
    """What a report is about: rankings that were measured, or values alone."""

    evaluation: Evaluation
    interval: Evaluation | NotKnown  # of the main measure's interval version
    measures: tuple[Measure, ...]  # those requested, the main one first
    runs: tuple[Run, ...]
    qrels: Qrels | None
    effort: Measure
    gain: Measure | None
    renamed: tuple[Notice, ...]
    collection: str  # its name; empty where that is not known
    own_qrels: Qrels | None = None  # as they were read, before grades are mapped
    sources: Sequence[tuple[str | None, Any]] = ()  # name and source of each run, to be read again
    reading: Reading = Reading()


def of_rankings(qrels: QrelsLike, given: Mapping[str, Any]) -> Measured:
    """Read qrels and runs, and measure all that the page shows; `given` are the arguments of `report`."""
    if given["runs"] is None:
        raise ParameterError("give qrels and runs, report(qrels, runs), or values alone, report(evaluation)")
    reading = Reading(**{name: given[name] for name in ("order", "depth", "max_size", "threads")})
    judging = Judging(given["judged_only"], given["grades"], given["negative"])
    own = read_qrels(qrels, max_size=given["max_size"])
    judgments = judging.regraded(own)
    again = given["candidate"] is not None or given["agree"] is not None or given["overlap"] or given["sections"]
    named = not given["sections"] or {"compare", "rankings", "topics", "effort"}.intersection(given["sections"])
    sources = [(name, readable_twice(one) if again else one) for name, one in run_sources(given["runs"])]
    runs, renamed = runs_with_names(judgments, sources, reading, NAMED_RANKS if named else 0)
    _check_count(len(runs))
    _need(len(runs), len(judgments.topics))
    requested = parse_all(given["measures"])
    if not requested:
        raise ParameterError("no measure is requested; name one, as in report(qrels, runs, 'AP')")
    plotted = effort_measures(requested, given["effort"], given["gain"], given["rel"])
    drawn = [measure for measure in plotted if measure is not None]
    values, interval = _evaluations(judgments, runs, requested, drawn, given["judged_only"], given["progress"])
    name = collection_name(judgments.source)
    measured = Measured(values, interval, tuple(requested), tuple(runs), judgments, *plotted, tuple(renamed), name)
    return measured._replace(own_qrels=own, sources=sources, reading=reading)


def _need(runs: int, topics: int) -> None:
    """Raise MemoryLimitError where a report takes more memory than may be used; announce one that takes long."""
    need_for_study("a report", runs, topics, REPORT_BYTES + runs * topics * RANKING_BYTES)
    announce(REPORT_SECONDS + runs * topics * RANKING_SECONDS, f"a report about {runs:,} runs and {topics:,} topics")


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
    """Values in place of rankings; all measures that there are unless some are named."""
    _check_count(len(evaluation.runs))
    chosen, interval = chosen_values(evaluation, measures)
    files = value_files(evaluation)
    name = collection_name(files[0]) if len(files) == 1 else ""
    return Measured(evaluation, interval, chosen, (), None, Twist(), None, (), name)


def _check_count(runs: int) -> None:
    if runs < 2:
        raise ParameterError("a report compares runs: give two or more")


def _evaluations(
    qrels: Qrels,
    runs: Sequence[Run],
    requested: Sequence[Measure],
    plotted: Sequence[Measure],
    judged_only: bool,  # noqa: FBT001
    progress: Callable[[int, int], None] | None,
) -> tuple[Evaluation, Evaluation | NotKnown]:
    """Evaluate the measures of a report, those of its effort/gain plot and the main one's interval version at once."""
    wanted: list[AnyMeasure] = [*dict.fromkeys([*requested, *plotted])]
    version = interval_version(requested[0])
    bounds = any(no_bounds(measure) is None for measure in (*requested, *plotted))

    def of(measures: list[AnyMeasure]) -> Evaluation:
        result = evaluate(qrels, runs, measures, bounds=bounds, judged_only=judged_only, progress=progress)
        # The leaderboard shows which measures have no bounds: it has no brackets for them.
        return replace(result, notices=tuple(notice for notice in result.notices if notice.kind != "no bounds"))

    if version is None:
        return of(wanted), NotKnown(why_no_version(requested[0]))
    try:
        both = of([*wanted, version] if version not in wanted else wanted)
    except (ScaleError, ParameterError) as error:  # of the interval version, or raised again here
        return of(wanted), NotKnown(str(error))
    interval = both[version]
    own = tuple(value_notices((version,), interval.values, interval.retrieved, qrels))
    others = tuple(notice for notice in both.notices if notice not in own or version in wanted)
    return replace(both[wanted], notices=others), replace(interval, notices=own)
