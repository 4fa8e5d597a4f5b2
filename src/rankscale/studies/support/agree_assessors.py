"""Agreement of the assessors of one set of judgments, and what each of them alone makes of runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rankscale import __version__
from rankscale.data.names import listed
from rankscale.data.notices import MERGED, Notice, notes
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import EvaluateOptions, Progress
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.stats.resampling.confidence import words_of_draws
from rankscale.stats.topic_draws import FEWEST_TOPICS, draws_from
from rankscale.studies.support import assessor_tables as tables_of
from rankscale.studies.support.agree_tables import titled
from rankscale.studies.support.agreement_study import AgreementStudy
from rankscale.studies.support.assessors import AssessorPair, Assessors, Together
from rankscale.studies.support.judged_runs import JudgedRuns, RunsRequest, judged_runs, measured, read_for_both
from rankscale.studies.support.two_qrels import Judgments

MOST_COLUMNS = 8  # assessors whose means stand side by side


@dataclass(frozen=True, eq=False)
class RunsByAssessor:
    """Runs under all assessors together, and under each of them alone.

    Attributes
    ----------
    evaluation : Evaluation
        Under all of them: a document has one grade, by the rule of the qrels.
    by_assessor : dict
        Of each assessor, over the topics that it has: the runs under all (A), and under it alone (B).
    """

    evaluation: Evaluation
    by_assessor: Mapping[str, JudgedRuns]


@dataclass(frozen=True, eq=False, repr=False)
class AgreeAssessors(AgreementStudy):
    """Result of `agree` with one set of judgments: agreement of the assessors whom its second column names.

    Attributes
    ----------
    assessors : Assessors
        Names and grades of the assessors.
    together : Together
        Agreement of all of them.
    pairs : tuple of AssessorPair
        Every two of them, over the documents that both judge.
    judged : RunsByAssessor or None
        Runs under all and under each; None where none are given.
    options : dict
        Options of the study.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    assessors: Assessors
    together: Together
    pairs: tuple[AssessorPair, ...]
    judged: RunsByAssessor | None
    options: Mapping[str, object]
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> dict[str, object]:
        """Options of coefficients and draws; with runs those of tests, too."""
        return {"study": "agree", "items": "topic, document", **self.options}

    @property
    def origin(self) -> Mapping[str, object]:
        """The file of qrels; with runs where their values come from."""
        source = {"qrels": self.assessors.qrels.source}
        if self.judged is not None:
            return {**self.judged.evaluation.provenance, **source}
        return {"rankscale": __version__, "signature": f"version:{__version__}", **source}

    def __getitem__(self, names: tuple[str, str]) -> AssessorPair:
        """Two assessors, by name."""
        return next(one for one in self.pairs if {one.first, one.second} == set(names))

    def tables(self) -> Mapping[str, Table]:
        """`agreement`, `assessors`, `assessor_pairs`, `topics`; with runs `runs`, `orders`, `pairs`, `outcomes`."""
        return self._tables

    @cached_property
    def _tables(self) -> dict[str, Table]:
        made = {
            "agreement": tables_of.agreement_table(self.together),
            "assessors": tables_of.assessors_table(self.assessors, self.pairs, float(str(self.options["rel"]))),
            "assessor_pairs": tables_of.pairs_table(self.pairs),
            "topics": tables_of.topics_table(self.together, self.assessors.qrels.topics),
        }
        if self.judged is not None:
            by_assessor, test = self.judged.by_assessor, str(self.options["test"])
            made["runs"] = tables_of.runs_table(by_assessor)
            made["orders"] = tables_of.orders_table(by_assessor)
            made["pairs"] = tables_of.outcome_counts_table(by_assessor, test)
            made["outcomes"] = tables_of.outcomes_table(by_assessor)
        return made

    def sentences(self) -> list[str]:
        """How far judges agree and, with runs, what that does to each measure."""
        confidence = float(str(self.options["confidence"]))
        sentences = [
            tables_of.sentence_of_all(self.assessors, self.together, confidence),
            tables_of.sentence_of_pairs(self.pairs),
        ]
        if self.judged is not None:
            aspects = self.assessors.qrels.aspects
            rule = MERGED["max" if aspects is None else aspects.merge]
            sentences.append(
                f"Runs are measured under all assessors, a document having {rule} of its grades, and under each alone, "
                "over the topics that it has."
            )
            sentences += tables_of.sentences_of_runs(self.judged.by_assessor)
        topics = len(self.assessors.qrels.topics)
        if topics >= FEWEST_TOPICS:
            how = words_of_draws(draws_from(str(self.options["draws"])), int(str(self.options["seed"])))
            sentences.append(f"Intervals are from {how}, of the topics that the assessors compared share.")
        return sentences

    def titled_tables(self) -> Iterator[Table]:
        """Agreement first, then, with runs, what becomes of them."""
        yield titled(tables_of.agreement_shown(self.together), "Agreement of all")
        yield titled(self.table("assessors"), "Assessors")
        yield titled(tables_of.pairs_shown(self.pairs), "Pairs of assessors")
        if self.judged is not None:
            by_assessor = self.judged.by_assessor
            if len(by_assessor) <= MOST_COLUMNS:
                yield titled(tables_of.runs_shown(self.judged.evaluation, by_assessor), "Runs")
            shown = tables_of.orders_shown(by_assessor)
            yield titled(shown, "Orders of runs under each assessor alone, compared with that under all")


def runs_by_assessor(
    assessors: Assessors,
    request: RunsRequest,
    runs: RunsLike,
    measures: Sequence[Measure],
    judgments: Judgments,
    progress: Progress | None,
    options: EvaluateOptions,
) -> tuple[RunsByAssessor, list[Notice]]:
    """Runs, read once, under all assessors and under each alone; an assessor whose topics no run has is left out."""
    if judgments == "fill":
        raise ParameterError(
            "judgments='fill' completes one set of judgments by another; of one set, choose 'own' or 'common'"
        )
    read, notices = read_for_both(assessors.qrels, runs, measures, progress, options)
    every = measured(request, assessors.qrels, read, measures)
    made, left_out = {}, []
    for number, name in enumerate(assessors.names):
        has = assessors.has_topic[number]
        if not (every.evaluation.retrieved.any(axis=0) & has).any():
            left_out.append(name)
            continue
        alone = measured(request, assessors.qrels_of(number), read, measures)
        first = every
        if judgments == "common":  # all assessors, on the documents that this one judges
            kept = assessors.qrels.keeping(assessors.judged[number])
            first = measured(request, kept, read, measures)
        made[name], of_topics = judged_runs(request, first, alone, has)
        notices = (*notices, *(notice.within(name) for notice in of_topics))
    if not made:
        raise ParameterError("there is no topic that all runs have and some assessor judges")
    missing = f"no run has a topic of {listed(left_out)}, who {'is' if len(left_out) == 1 else 'are'} left out"
    of_all = (one for one in every.evaluation.notices if one.kind != "form")
    return RunsByAssessor(every.evaluation, made), [*notices, *of_all, *notes([missing] if left_out else [])]
