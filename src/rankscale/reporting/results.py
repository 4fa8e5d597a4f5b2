"""Results: what the sections of a report share, the evaluation, the comparison and the studies that it has on request.

Such studies are differences from a baseline, a gate, overlap of runs and agreement of judges.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankscale.answers.cautions import cautions, judged_share
from rankscale.answers.standing import Standing, standing
from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import place_of
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.result import HOLDER, Evaluation
from rankscale.figures.base.look import Appearance
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure
from rankscale.reporting.measured import Measured, anonymous, read_with_documents
from rankscale.stats.comparison import Comparison
from rankscale.stats.tests.base.test import Test
from rankscale.studies.agree import agree
from rankscale.studies.agree.two_sets import Agree
from rankscale.studies.diff import Diff, diff
from rankscale.studies.gate import Gate, gate
from rankscale.studies.overlap import Overlap, overlap
from rankscale.studies.robustness import Robustness
from rankscale.studies.topic_groups import TopicGroups

COEFFICIENTS = ("overlap", "jaccard", "RBO")  # those that are quick for many runs
ENDS = 10  # topics with the largest losses, and with the largest wins
JUDGING = ("judged_only", "grades", "negative")
READING = ("order", "depth", "max_size", "threads")
NEEDED: Mapping[str, tuple[str, str]] = {  # sections: the option that they need, and in words
    "gate": ("margin", "a margin: name one (margin, --margin 0.01)"),
    "judges": ("agree", "a second set of judgments: name its file (agree, --agree QRELS)"),
}


@dataclass(frozen=True, eq=False)
class Studies:
    """Results of the studies requested; empty or None for others."""

    diffs: tuple[Diff, ...] = ()  # one for each candidate
    gate: Gate | None = None
    overlap: Overlap | None = None
    agree: Agree | None = None
    other_qrels: str = ""  # where the judgments that it compares come from

    def without_folders(self, sources: Sequence[str]) -> "Studies":
        """The same studies, with the names of files alone in their notices."""
        return replace(
            self,
            diffs=tuple(anonymous(one, sources) for one in self.diffs),
            gate=anonymous(self.gate, sources),
            overlap=anonymous(self.overlap, sources),
            agree=anonymous(self.agree, (*sources, self.other_qrels)),
        )

    @property
    def notices(self) -> Iterator[Notice]:
        """What users should know about them."""
        for one in (*self.diffs, self.gate, self.overlap, self.agree):
            yield from one.notices if one is not None else ()


def check_sections(sections: Sequence[str], given: Mapping[str, Any]) -> None:
    """Raise ParameterError for a section that is named without the option that it needs."""
    for name, (option, about) in NEEDED.items():
        if name in sections and given[option] is None:
            raise ParameterError(f"the section {name} is about {about}")


def requested_studies(about: Measured, given: Mapping[str, Any], sections: Sequence[str], test: Test) -> Studies:
    """The studies that options or names of sections request; `given` are the arguments of `report`."""
    baseline, candidates = _named_runs(about.evaluation.runs, given["baseline"], given["candidate"])
    compared = candidates if given["candidate"] is not None else ()
    if "diff" in sections and not compared:
        if len(candidates) > 1:
            runs = f"{len(about.evaluation.runs)} runs"
            raise ParameterError(
                f"the section diff compares runs with a baseline, and there are {runs}: name one or more, ",
                Setting("candidate", "RUN", python="candidate="),
            )
        compared = candidates
    judges, other_qrels = (None, "") if given["agree"] is None else _agree(about, given, test)
    return Studies(
        diffs=_diffs(about, given, baseline, compared, test) if compared else (),
        gate=None if given["margin"] is None else _gate(about, given, baseline, candidates, test),
        overlap=_overlap(about, given) if given["overlap"] or "overlap" in sections else None,
        agree=judges,
        other_qrels=other_qrels,
    )


def _named_runs(
    runs: Sequence[str], baseline: str | None, candidate: str | Sequence[str] | None
) -> tuple[str, tuple[str, ...]]:
    """The baseline, by default the first run that is no candidate, and the candidates, by default all others."""
    named = [] if candidate is None else [candidate] if isinstance(candidate, str) else list(candidate)
    chosen = [runs[place_of(runs, name, "run", HOLDER)] for name in dict.fromkeys(named)]
    if candidate is not None and not chosen:
        raise ParameterError("candidate names no run: give one or more, or leave it out")
    others = [run for run in runs if run not in chosen]
    if baseline is None and not others:
        raise ParameterError("all runs are candidates: one must be left as the baseline")
    first = others[0] if baseline is None else runs[place_of(runs, baseline, "run", HOLDER)]
    if first in chosen:
        raise ParameterError(f"{first} is the baseline, and cannot be a candidate too: name another run as one of them")
    return first, tuple(chosen or (run for run in runs if run != first))


def _diffs(
    about: Measured, given: Mapping[str, Any], baseline: str, candidates: Sequence[str], test: Test
) -> tuple[Diff, ...]:
    """Each candidate topic by topic; with documents where there are rankings."""
    how = {"test": test, "alpha": given["alpha"], "groups": given["groups"], "column": given["group_column"]}
    how |= {"worst": ENDS, "best": ENDS}
    if about.judgments is None:  # the interval version goes with the measures requested, where it is there
        measures = dict.fromkeys([*about.measures, *getattr(about.interval, "measures", ())])
        return tuple(diff(about.evaluation[[*measures]], baseline, one, **how) for one in candidates)
    judging = {name: given[name] for name in JUDGING}
    first, *others = read_with_documents(about, (baseline, *candidates))
    return tuple(diff(about.own_qrels, [first, one], list(about.measures), **how, **judging) for one in others)


def _gate(about: Measured, given: Mapping[str, Any], baseline: str, candidates: Sequence[str], test: Test) -> Gate:
    """The decision by all measures that have a direction; by groups of topics where they are given."""
    directed: list[AnyMeasure] = [measure for measure in about.measures if not measure.direction_note]
    return gate(
        about.evaluation[directed or [*about.measures]],
        given["margin"],
        baseline=baseline,
        candidate=list(candidates),
        alpha=given["alpha"],
        test="randomisation" if test.name == "randomisation" else "student",
        groups=given["groups"],
        column=given["group_column"],
        seed=given["seed"],
    )


def _overlap(about: Measured, given: Mapping[str, Any]) -> Overlap:
    """Every two runs, by coefficients that are quick to compute for many of them."""
    reading: Any = {name: given[name] for name in READING if name != "depth" or given[name] is not None}
    return overlap(list(_whole(about)), coefficients=COEFFICIENTS, seed=given["seed"], **reading)


def _whole(about: Measured) -> Iterator[tuple[str | None, Any]]:
    """Sources of whole rankings: a run that was read before has the names of its topics in its qrels."""
    assert about.own_qrels is not None  # noqa: S101  # values alone have been refused
    topics = about.own_qrels.topics
    for name, source in about.sources:
        if isinstance(source, Run) and source.documents is not None:
            rankings = zip(source.rows.tolist(), source.documents, strict=True)
            yield name or source.name, {topics[row]: list(documents) for row, documents in rankings}
        else:
            yield name, source


def _agree(about: Measured, given: Mapping[str, Any], test: Test) -> tuple[Agree, str]:
    """The judgments against others, and the runs under both; then the file of the others."""
    if test.needs_baseline:
        raise ParameterError(
            f"{test.label} compares runs with a baseline, and agreement of judges is about all pairs: take another "
            "test, or leave out ",
            Setting("agree"),
        )
    options: Any = {name: given[name] for name in (*JUDGING, *READING)}
    how: Any = {name: given[name] for name in ("rel", "alpha", "correction", "seed", "progress")}
    made = agree(about.own_qrels, given["agree"], about.sources, list(about.measures), test=test, **how, **options)
    names = tuple(map(os.path.basename, made.sources))
    return replace(made, sources=(names[0], names[1])), made.sources[1]


@dataclass(frozen=True, eq=False, kw_only=True)
class Results(Measured):
    """Runs, their values, the comparison by the main measure, and the settings that the sections of a report share."""

    comparison: Comparison  # by the main measure
    groups: TopicGroups | None  # comparisons within groups of topics, by all measures
    robustness: Robustness | None
    studies: Studies  # differences, gate, overlap and agreement of judges, where requested
    inspected: tuple[str, ...]  # runs whose rankings can be opened, whatever their place; the best follow
    look: Appearance
    theme: str  # light, dark, or auto: what the reader's system has
    rel: float  # the lowest relevant grade of samples of judgments, and of CRP unless that of effort is another
    judged_only: bool
    seed: int
    command: str

    @property
    def has_rankings(self) -> bool:
        """Whether there are qrels and runs, rather than values alone."""
        return self.judgments is not None

    @property
    def qrels(self) -> Qrels:
        """The judgments, in sections that need rankings."""
        assert self.judgments is not None  # noqa: S101  # such sections are left out
        return self.judgments

    @property
    def main(self) -> Measure:
        """The measure that runs are put in order by."""
        return self.measures[0]

    @property
    def effort_rel(self) -> float:
        """The lowest relevant grade of the measure of effort, which holds for CRP too."""
        return self.rel if self.effort.threshold is None else self.effort.threshold

    @cached_property
    def order(self) -> Ints:
        """(run,): rows of the evaluation, the best run by the main measure first."""
        return np.array([self.evaluation.runs.index(run) for run in self.comparison.runs])

    @cached_property
    def standing(self) -> Standing:
        """Each run against the best, or against the baseline."""
        return standing(self.comparison)

    @cached_property
    def judged(self) -> Evaluation:
        """Judged@10 of all runs, unjudged documents left in."""
        return judged_share(self.qrels, self.runs)

    @cached_property
    def cautions(self) -> list[str]:
        """What to beware of, in sentences."""
        others = (self.interval if isinstance(self.interval, Evaluation) else None, self.robustness)
        notices = [*self.evaluation.notices, *self.comparison.notices]
        notices += [notice for one in others if one is not None for notice in one.notices]
        if not self.has_rankings:
            return cautions(notices)
        return cautions(notices, self.runs, self.judged, judged_only=self.judged_only)

    def relevant(self, rel: float) -> list[int]:
        """(topic,): number of documents with this grade or a better one."""
        counts: list[int] = self.qrels.recall_base(rel).tolist()
        return counts

    def inspected_first(self, most: int) -> list[str]:
        """So many runs: those to inspect, all of them, then the best; one at least."""
        order = list(dict.fromkeys([*self.inspected, *self.comparison.runs]))
        return order[: max(1, len(self.inspected), most)]

    def values(self, measure: Measure) -> Floats:
        """(run, topic): the values of a measure, NaN where a run has none."""
        of_measure = self.evaluation[measure]
        return np.where(of_measure.retrieved, of_measure.values[0], np.nan)
