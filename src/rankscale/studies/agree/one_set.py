"""One set of judgments by several assessors: how far they agree, and what each of them alone makes of runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale import __version__
from rankscale.data.names import listed
from rankscale.data.notices import MERGED, Notice, notes
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import EvaluateOptions, Progress
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.stats.agreement import OF_AS_MANY, OF_SEVERAL
from rankscale.stats.resampling.confidence import words_of_draws
from rankscale.stats.resampling.draws import FEWEST_TOPICS, draws_from, mean
from rankscale.studies.agree import two_sets as of_two
from rankscale.studies.agree.judges import AssessorPair, Assessors, CoefficientResult, Together
from rankscale.studies.agree.judgments import Judgments
from rankscale.studies.agree.runs import JudgedRuns, RunsRequest, judged_runs, measured, read_for_both
from rankscale.studies.agree.two_sets import AgreementStudy, titled

WORDS = {name: one.words for name, one in (*OF_SEVERAL.items(), *OF_AS_MANY.items())}
OF_PAIRS = ("agreement", "kappa", "alpha_ordinal")  # coefficients of two that people are shown
ByAssessor = Mapping[str, JudgedRuns]


def agreement_table(together: Together) -> Table:
    """One row for each coefficient over all assessors."""
    every, topics = together.coefficients, int(np.count_nonzero(together.items))
    items = int(together.items.sum())
    return Table(
        {
            "coefficient": [one.name for one in every],
            "items": [together.as_many if one.name in OF_AS_MANY else items for one in every],
            "pooled": [one.pooled for one in every],
            "lower": [one.lower for one in every],
            "upper": [one.upper for one in every],
            "mean": [one.mean for one in every],
            "topics": [one.topics for one in every],
            "undefined": [topics - one.topics for one in every],
            "undefined_draws": [one.undefined_draws for one in every],
        }
    )


def agreement_shown(together: Together) -> Table:
    """The same for people: the interval next to the value, and coefficients in words."""
    cells = agreement_table(together).columns
    return Table(
        {
            "coefficient": [WORDS[str(name)] for name in cells["coefficient"]],
            **{name: cells[name] for name in ("items", "pooled", "mean", "topics")},
        },
    ).with_columns(_with_interval("pooled", together.coefficients))


def _with_interval(name: str, coefficients: Sequence[CoefficientResult | None]) -> Column:
    lower, upper = (
        [np.nan if one is None else getattr(one, end) for one in coefficients] for end in ("lower", "upper")
    )
    return Column(name, interval=(lower, upper))


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
    """One row for each two assessors: what they share, every coefficient with its interval, and bias."""
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
    names = dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row)
    return Table({name: [row.get(name) for row in rows] for name in names})


def pairs_shown(pairs: Sequence[AssessorPair]) -> Table:
    """The same for people: three coefficients, with intervals next to them."""
    columns: dict[str, Sequence[Cell]] = {
        "first": [one.first for one in pairs],
        "second": [one.second for one in pairs],
        "items": [one.overlap.both for one in pairs],
        **{name: [_value(one, name) for one in pairs] for name in OF_PAIRS},
        "second_higher": [None if one.judges is None else one.judges.bias.higher for one in pairs],
        "second_lower": [None if one.judges is None else one.judges.bias.lower for one in pairs],
    }
    known = [one.judges for one in pairs]
    values = [_with_interval(name, [None if one is None else one[name] for one in known]) for name in OF_PAIRS[1:]]
    return Table(columns).with_columns(*values, Column("first", align="left"), Column("second", align="left"))


def topics_table(together: Together, topics: Sequence[str]) -> Table:
    """One row for each topic: items, and every coefficient over all assessors."""
    columns: dict[str, Sequence[Cell]] = {"topic": list(topics), "items": together.items.tolist()}
    return Table({**columns, **{one.name: one.by_topic.tolist() for one in together.coefficients}})


def runs_table(by_assessor: ByAssessor) -> Table:
    """One row for each assessor, measure and run: under all (A) and under the assessor alone (B)."""
    return _each(by_assessor, lambda one: of_two.runs_table(one.by_measure, one.evaluations[0].runs, one.unjudged))


def orders_table(by_assessor: ByAssessor) -> Table:
    """One row for each assessor, measure and statistic: the order of runs under all and under the assessor."""
    return _each(by_assessor, lambda one: of_two.orders_table(one.by_measure))


def outcome_counts_table(by_assessor: ByAssessor, test: str) -> Table:
    """One row for each assessor and measure: pairs of runs by what becomes of their difference."""
    return _each(by_assessor, lambda one: of_two.pairs_table(one.by_measure, test, one.verdicts))


def outcomes_table(by_assessor: ByAssessor) -> Table:
    """One row for each assessor, measure and pair of runs."""
    return _each(by_assessor, lambda one: of_two.outcomes_table(one.by_measure, one.evaluations[0].runs))


def _each(by_assessor: ByAssessor, make: Callable[[JudgedRuns], Table]) -> Table:
    """The tables of all assessors below each other, with their names in the first column."""
    tables = {name: make(one) for name, one in by_assessor.items()}
    columns: dict[str, list[Cell]] = {"assessor": [name for name, table in tables.items() for _ in range(len(table))]}
    for name in next(iter(tables.values())).columns:
        columns[name] = [cell for table in tables.values() for cell in table.columns[name]]
    return Table(columns).with_columns(Column("assessor", align="left"))


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
    return Table({name: [row[name] for row in rows] for name in rows[0]}).with_columns(Column("run", align="left"))


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
    lower, upper = [tau[place].lower for place in order], [tau[place].upper for place in order]
    table = Table({name: [rows[place][name] for place in order] for name in rows[0]})
    return table.with_columns(Column("tau", interval=(lower, upper)), *left)


def sentence_of_all(assessors: Assessors, together: Together, confidence: float) -> str:
    """How far all assessors agree."""
    items, count = int(together.items.sum()), len(assessors.names)
    documents = int(np.count_nonzero(assessors.judged.any(axis=0)))
    who = f"{assessors.qrels.source} names {count} assessors ({listed(list(assessors.names))})"
    share = f"{items:,} of {documents:,} judged documents have grades of two or more"
    if len(together.levels) == 1:
        grade = of_two.grade_text(float(together.levels[0]))
        return f"{who}; {share}, which are all {grade}, so that agreement beyond chance is undefined."
    by_name = {one.name: one for one in together.coefficients}
    alpha, kappa = (_words(by_name[name], confidence) for name in ("alpha_ordinal", "kappa_fleiss"))
    as_many = f", on {_documents(together.as_many)} with {together.grades} grades" if together.as_many < items else ""
    return (
        f"{who}; {share}. Of two grades of a document {by_name['agreement'].pooled:.1%} are the same; Krippendorff's "
        f"alpha, ordinal, {alpha}; Fleiss' kappa {kappa}{as_many}."
    )


def _words(one: CoefficientResult, confidence: float) -> str:
    if np.isnan(one.pooled):
        return "undefined"
    interval = "" if np.isnan(one.lower) else f" ({100 * confidence:g}% interval {one.lower:.4f} to {one.upper:.4f})"
    return f"{one.pooled:.4f}{interval}"


def sentence_of_pairs(pairs: Sequence[AssessorPair]) -> str:
    """Which two agree least and most, by Cohen's kappa."""
    by_kappa = sorted(
        (one for one in pairs if not np.isnan(_value(one, "kappa"))), key=lambda one: _value(one, "kappa")
    )
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
            "agreement": agreement_table(self.together),
            "assessors": assessors_table(self.assessors, self.pairs, float(str(self.options["rel"]))),
            "assessor_pairs": pairs_table(self.pairs),
            "topics": topics_table(self.together, self.assessors.qrels.topics),
        }
        if self.judged is not None:
            by_assessor, test = self.judged.by_assessor, str(self.options["test"])
            made["runs"] = runs_table(by_assessor)
            made["orders"] = orders_table(by_assessor)
            made["pairs"] = outcome_counts_table(by_assessor, test)
            made["outcomes"] = outcomes_table(by_assessor)
        return made

    def sentences(self) -> list[str]:
        """How far judges agree and, with runs, what that does to each measure."""
        confidence = float(str(self.options["confidence"]))
        sentences = [
            sentence_of_all(self.assessors, self.together, confidence),
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
        topics = len(self.assessors.qrels.topics)
        if topics >= FEWEST_TOPICS:
            how = words_of_draws(draws_from(str(self.options["draws"])), int(str(self.options["seed"])))
            sentences.append(f"Intervals are from {how}, of the topics that the assessors compared share.")
        return sentences

    def titled_tables(self) -> Iterator[Table]:
        """Agreement first, then, with runs, what becomes of them."""
        yield titled(agreement_shown(self.together), "Agreement of all")
        yield titled(self.table("assessors"), "Assessors")
        yield titled(pairs_shown(self.pairs), "Pairs of assessors")
        if self.judged is not None:
            by_assessor = self.judged.by_assessor
            if len(by_assessor) <= MOST_COLUMNS:
                yield titled(runs_shown(self.judged.evaluation, by_assessor), "Runs")
            shown = orders_shown(by_assessor)
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
