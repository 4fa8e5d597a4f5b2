"""One set of judgments by several assessors: how far they agree, and what each of them alone makes of runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.names import listed
from rankscale.data.notices import MERGED, Notice, notes
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.result import Evaluation
from rankscale.stats.agreement import OF_AS_MANY, OF_SEVERAL
from rankscale.stats.resampling.draws import FEWEST_TOPICS, mean
from rankscale.studies.agree.judges import AssessorPair, Assessors, Together
from rankscale.studies.agree.runs import JudgedRuns, RunsRequest, judged_runs
from rankscale.studies.agree.two_sets import (
    AgreementStudy,
    agreement_table,
    grade_text,
    tables_of_runs,
    topics_table,
)
from rankscale.studies.support.study import below_each_other

WORDS = {name: one.words for name, one in (*OF_SEVERAL.items(), *OF_AS_MANY.items())}
BIAS = ("second_higher", "second_lower")
OF_PAIRS = ("agreement", "kappa", "alpha_ordinal")  # coefficients of two that people are shown
ByAssessor = Mapping[str, JudgedRuns]


def assessors_table(assessors: Assessors, pairs: Sequence[AssessorPair], rel: float) -> Table:
    """One row for each assessor: judgments, and the means of coefficients over pairs with the others."""
    judged, several = assessors.judged, assessors.judged.sum(axis=0) > 1
    counts = judged.sum(axis=1)
    relevant = (assessors.grades >= rel).sum(axis=1)
    return Table(
        {
            "assessor": list(assessors.names),
            "topics": assessors.has_topic.sum(axis=1).tolist(),
            "judged": counts.tolist(),
            "shared": (judged & several).sum(axis=1).tolist(),
            "relevant": [float(part / of) if of else np.nan for part, of in zip(relevant, counts, strict=True)],
            **{
                f"mean_{name}": [
                    float(mean(np.array([_value(one, name) for one in pairs if own in {one.first, one.second}])))
                    for own in assessors.names
                ]
                for name in OF_PAIRS
            },
        },
    ).with_columns(Column("assessor", align="left"))


def _value(pair: AssessorPair, name: str) -> float:
    return np.nan if pair.judges is None else pair.judges[name].pooled


def pairs_table(pairs: Sequence[AssessorPair]) -> Table:
    """One row for each two assessors: what they share, every coefficient with its interval, and bias.

    People are shown three coefficients.
    """
    rows = []
    for one in pairs:
        row: dict[str, Cell] = {"first": one.first, "second": one.second, "topics": one.overlap.topics}
        row |= {"items": one.overlap.both, "first_only": one.overlap.first_only, "second_only": one.overlap.second_only}
        if one.judges is not None:
            for each in one.judges.coefficients:
                row |= {each.name: each.pooled, f"{each.name}_lower": each.lower, f"{each.name}_upper": each.upper}
            bias = one.judges.bias
            row |= {"second_higher": bias.higher, "second_lower": bias.lower, "sign_test_p": bias.p}
            row |= {"relevant_jaccard": one.judges.relevance.overlap}
        rows.append(row)
    intervals = [Column(name, interval=(f"{name}_lower", f"{name}_upper")) for name in OF_PAIRS[1:]]
    names = (Column(name, align="left") for name in ("first", "second"))
    return replace(Table.from_rows(rows), view=[*names, "items", OF_PAIRS[0], *intervals, *BIAS])


def runs_shown(evaluation: Evaluation, by_assessor: ByAssessor) -> Table:
    """Means of each run under all and under each assessor alone, each over the topics that it has."""
    rows = []
    for place, measure in enumerate(evaluation.measures):
        means = evaluation.means()
        by_run = {run: means[name, measure] for run, name in enumerate(evaluation.runs)}
        for run in sorted(by_run, key=lambda run: by_run[run], reverse=not measure.low_is_good):
            row: dict[str, Cell] = {"measure": str(measure), "run": evaluation.runs[run], "all": by_run[run]}
            row |= {name: float(one.by_measure[place].means[1, run]) for name, one in by_assessor.items()}
            rows.append(row)
    return Table.from_rows(rows).with_columns(Column("run", align="left"))


def orders_shown(by_assessor: ByAssessor) -> Table:
    """Agreement of the orders for people, and which runs fall and rise most."""
    rows, tau = [], []
    for name, judged in by_assessor.items():
        for one in judged.by_measure:
            row: dict[str, Cell] = {"measure": str(one.measure), "assessor": name, "topics": len(one.topics)}
            tau.append(one.orders["tau"])
            row |= {"tau": one.orders["tau"].value, "tau_ap": one.orders["tau_ap"].value}
            for column, statistic in (("falls_most", "max_drop"), ("rises_most", "max_rise")):
                runs = one.orders[statistic].runs
                row[column] = f"{listed(list(runs))} ({one.orders[statistic].value:g})" if runs else "-"
            rows.append(row)
    left = [Column(name, align="left") for name in ("assessor", "falls_most", "rises_most")]
    order = sorted(range(len(rows)), key=lambda place: str(rows[place]["measure"]))
    ends = [one.lower for one in tau], [one.upper for one in tau]
    return replace(Table.from_rows(rows).with_columns(Column("tau", interval=ends), *left), rows=order)


def sentence_of_all(assessors: Assessors, together: Together, confidence: float) -> str:
    """How far all assessors agree."""
    items, count = int(together.items.sum()), len(assessors.names)
    documents = int(np.count_nonzero(assessors.judged.any(axis=0)))
    who = f"{assessors.qrels.source} names {count} assessors ({listed(list(assessors.names))})"
    share = f"{items:,} of {documents:,} judged documents have grades of two or more"
    if len(together.levels) == 1:
        grade = grade_text(float(together.levels[0]))
        return f"{who}; {share}, which are all {grade}, so that agreement beyond chance is undefined."
    by_name = {one.name: one for one in together.coefficients}
    alpha, kappa = (by_name[name].words(confidence) for name in ("alpha_ordinal", "kappa_fleiss"))
    as_many = f", on {_documents(together.as_many)} with {together.grades} grades" if together.as_many < items else ""
    return (
        f"{who}; {share}. Of two grades of a document {by_name['agreement'].pooled:.1%} are the same; Krippendorff's "
        f"alpha, ordinal, {alpha}; Fleiss' kappa {kappa}{as_many}."
    )


def sentence_of_pairs(pairs: Sequence[AssessorPair]) -> str:
    """Which two agree least and most, by Cohen's kappa."""
    known = (one for one in pairs if not np.isnan(_value(one, "kappa")))
    by_kappa = sorted(known, key=lambda one: _value(one, "kappa"))
    apart = sum(one.judges is None for one in pairs)
    none = f" {apart:,} of {len(pairs):,} pairs share no document." if apart else ""
    if not by_kappa:
        return f"Cohen's kappa is undefined for all pairs of assessors.{none}"
    least, most = (
        f"{_value(one, 'kappa'):.4f} ({one.first} and {one.second}, {_documents(one.overlap.both)})"
        for one in (by_kappa[0], by_kappa[-1])
    )
    if len(by_kappa) == 1:
        return f"Cohen's kappa of two assessors: {least}.{none}"
    return f"Cohen's kappa of two assessors: from {least} to {most}.{none}"


def _documents(count: int) -> str:
    return f"{count:,} document{'s' * (count != 1)}"


def sentences_of_runs(by_assessor: ByAssessor) -> Iterator[str]:
    """Of each measure, under which assessor alone the order of runs changes most."""
    first = next(iter(by_assessor.values()))
    for place, verdict in enumerate(first.verdicts):
        measure = first.by_measure[place].measure
        taus = {name: one.by_measure[place].orders["tau"].value for name, one in by_assessor.items()}
        known = {name: tau for name, tau in taus.items() if not np.isnan(tau)}
        caution = "" if verdict.meaningful else f" {verdict}."
        if not known:
            yield f"{measure}: tau between orders of runs is undefined.{caution}"
            continue
        least, most = min(known, key=lambda name: known[name]), max(known, key=lambda name: known[name])
        flipped = {
            name: made.count("flipped")
            for name, one in by_assessor.items()
            if (made := one.by_measure[place].tests) is not None and made.count("flipped")
        }
        opposite = "; ".join(
            f"{count} significant difference{'s flip' if count > 1 else ' flips'} under {name}"
            for name, count in flipped.items()
        )
        taus_said = (
            f"{known[least]:.4f} under each"
            if known[least] == known[most]
            else f"from {known[least]:.4f} under {least} to {known[most]:.4f} under {most}"
        )
        flips = opposite or "no significant difference flips"
        yield f"{measure}: tau with the order under all is {taus_said}; {flips}.{caution}"


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

    titles: ClassVar[Mapping[str, str]] = {
        "agreement": "Agreement of all",
        "assessors": "Assessors",
        "assessor_pairs": "Pairs of assessors",
    }

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
        return self.origin_of(self.judged.evaluation if self.judged else None, self.assessors.qrels.source)

    def __getitem__(self, names: tuple[str, str]) -> AssessorPair:
        """Two assessors, by name."""
        return next(one for one in self.pairs if {one.first, one.second} == set(names))

    def tables(self) -> Mapping[str, Table]:
        """`agreement`, `assessors`, `assessor_pairs`, `topics`; with runs `runs`, `orders`, `pairs`, `outcomes`."""
        together, topics = self.together, self.assessors.qrels.topics
        every, items = together.coefficients, int(together.items.sum())
        of_each = [together.as_many if one.name in OF_AS_MANY else items for one in every]
        made = {
            "agreement": agreement_table(every, WORDS, int(np.count_nonzero(together.items)), of_each),
            "assessors": assessors_table(self.assessors, self.pairs, float(str(self.options["rel"]))),
            "assessor_pairs": pairs_table(self.pairs),
            "topics": topics_table(every, together.items.tolist(), topics),
        }
        if self.judged is not None:
            of_runs = {name: tables_of_runs(one, self.options) for name, one in self.judged.by_assessor.items()}
            for name in next(iter(of_runs.values())):
                below = below_each_other({assessor: one[name] for assessor, one in of_runs.items()}, "assessor")
                made[name] = below.with_columns(Column("assessor", align="left"))
        return made

    def sentences(self) -> list[str]:
        """How far judges agree and, with runs, what that does to each measure."""
        sentences = [
            sentence_of_all(self.assessors, self.together, self.confidence),
            sentence_of_pairs(self.pairs),
        ]
        if self.judged is not None:
            aspects = self.assessors.qrels.aspects
            rule = MERGED["max" if aspects is None else aspects.merge]
            sentences.append(
                f"Runs are measured under all assessors, a document having {rule} of its grades, and under each alone, "
                "over the topics that it has."
            )
            sentences += sentences_of_runs(self.judged.by_assessor)
        if len(self.assessors.qrels.topics) >= FEWEST_TOPICS:
            sentences.append(f"Intervals are from {self.how_drawn}, of the topics that the assessors compared share.")
        return sentences

    def titled_tables(self) -> Iterator[Table]:
        """Agreement first, then, with runs, what becomes of them."""
        yield from super().titled_tables()
        if self.judged is not None:
            by_assessor = self.judged.by_assessor
            if len(by_assessor) <= MOST_COLUMNS:
                yield replace(runs_shown(self.judged.evaluation, by_assessor), title="Runs")
            title = "Orders of runs under each assessor alone, compared with that under all"
            yield replace(orders_shown(by_assessor), title=title)


def runs_by_assessor(assessors: Assessors, request: RunsRequest) -> tuple[RunsByAssessor, list[Notice]]:
    """Runs, read once, under all assessors and under each alone; an assessor whose topics no run has is left out."""
    if request.judgments == "fill":
        raise ParameterError(
            Setting("judgments", "fill"),
            " completes one set of judgments by another; of one set, choose 'own' or 'common'",
        )
    read, notices = request.read(assessors.qrels)
    every = request.under(assessors.qrels, read)
    made, left_out = {}, []
    for number, name in enumerate(assessors.names):
        has = assessors.has_topic[number]
        if not (every.evaluation.retrieved.any(axis=0) & has).any():
            left_out.append(name)
            continue
        alone = request.under(assessors.qrels_of(number), read)
        first = every
        if request.judgments == "common":  # all assessors, on the documents that this one judges
            first = request.under(assessors.qrels.keeping(assessors.judged[number]), read)
        made[name], of_topics = judged_runs(request, first, alone, has)
        notices = (*notices, *(notice.within(name) for notice in of_topics))
    if not made:
        raise ParameterError("there is no topic that all runs have and some assessor judges")
    missing = f"no run has a topic of {listed(left_out)}, who {'is' if len(left_out) == 1 else 'are'} left out"
    of_all = (one for one in every.evaluation.notices if one.kind != "form")
    return RunsByAssessor(every.evaluation, made), [*notices, *of_all, *notes([missing] if left_out else [])]
