"""Two sets of judgments: the result of `agree`, its tables and its sentences."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from rankscale import __version__
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Column, Table
from rankscale.evaluation.result import Evaluation
from rankscale.outputs.blocks import Printable
from rankscale.outputs.pictures import dots_of
from rankscale.outputs.results import Page
from rankscale.stats.agreement import COEFFICIENTS
from rankscale.stats.comparison_tables import gap_columns
from rankscale.stats.resampling.confidence import words_of_draws
from rankscale.stats.resampling.draws import FEWEST_TOPICS, draws_from
from rankscale.stats.tests.base.test import p_text
from rankscale.stats.verdicts import Verdict
from rankscale.studies.agree.judges import CoefficientResult, Judges, undefined_in_draws
from rankscale.studies.agree.judgments import JudgmentOverlap
from rankscale.studies.agree.runs import OUTCOMES, JudgedRuns, RunsByTwo
from rankscale.studies.support.study import ArrayOfCells, Study, table_of_arrays

Shares = Literal["none", "row", "column", "total"]  # what percentages of the matrix are of
SIDES = ((0, "_A"), (1, "_B"))  # of both judgments: their place, and the ending of their columns
WORDS = {name: one.words for name, one in COEFFICIENTS.items()}
LABELS = {
    "mean_difference": "mean difference, B - A",
    "rmse": "RMSE of topic values",
    "tau": "Kendall's tau-b",
    "tau_ap": "AP correlation, A as the truth",
    "rbo": "RBO, p = 0.9",
}


class AgreementStudy(Study):
    """Agreement of judges, told in sentences and shown in tables, the table `agreement` among them."""

    titles: ClassVar[Mapping[str, str]]  # of the tables that people are shown, by name, in their order
    options: Mapping[str, object]

    @abstractmethod
    def sentences(self) -> list[str]:
        """What the result says, a sentence each."""

    def titled_tables(self) -> Iterator[Table]:
        """The tables for people, titled, in their order."""
        for name, title in self.titles.items():
            if name in self.tables():
                yield replace(self.table(name), title=title)

    @property
    def confidence(self) -> float:
        """Confidence level of intervals."""
        return float(str(self.options["confidence"]))

    @property
    def how_drawn(self) -> str:
        """Draws of topics in words."""
        return words_of_draws(draws_from(str(self.options["draws"])), int(str(self.options["seed"])))

    @staticmethod
    def origin_of(evaluation: Evaluation | None, qrels: object) -> Mapping[str, object]:
        """The files of qrels; with runs where their values come from."""
        own = {"rankscale": __version__, "signature": f"version:{__version__}"}
        return {**(own if evaluation is None else evaluation.provenance), "qrels": qrels}

    def sentence(self) -> str:
        """How far judges agree and, with runs, what that does to them."""
        return "\n".join(self.sentences())

    def views(self, name: str | None = None) -> Sequence[Table]:
        """Tables for people, with the sentences below the first; a table that is named, in full."""
        if name is not None:
            return super().views(name)
        first, *others = self.titled_tables()
        return [replace(first, notes=tuple(self.sentences()), provenance=self.provenance), *others]

    def page(self) -> Page:
        """What a notebook shows: the tables with sentences, and coefficients as dots with their intervals."""
        drawn = dots_of(self.table("agreement").in_full())
        return replace(super().page(), blocks=self.views(), pictures=[drawn] if drawn else [])

    def blocks(self, name: str | None = None) -> Sequence[Printable]:
        """The sentences first, then the tables."""
        return self.views(name) if name is not None else [self.sentence(), *self.titled_tables()]


def grade_text(grade: float) -> str:
    """A grade as qrels write it.

    >>> grade_text(2.0), grade_text(0.5)
    ('2', '0.5')
    """
    return f"{grade:.15g}"


def agreement_table(
    every: Sequence[CoefficientResult], words: Mapping[str, str], topics: int, items: Sequence[int] | None = None
) -> Table:
    """One row for each coefficient: pooled with its interval, mean over topics, and where it is undefined.

    `words` are the names of coefficients for people, `items` how many each is over, where that differs.
    """
    columns: dict[str, Sequence[Cell]] = {
        "coefficient": [one.name for one in every],
        **({} if items is None else {"items": items}),
        **{name: [getattr(one, name) for one in every] for name in ("pooled", "lower", "upper", "mean", "topics")},
        "undefined": [topics - one.topics for one in every],
        "undefined_draws": [one.undefined_draws for one in every],
    }
    named = Column("coefficient", cells=[words[one.name] for one in every])
    pooled = Column("pooled", interval=("lower", "upper"))
    return Table(columns).without("undefined", "undefined_draws").with_columns(named, pooled)


def matrix_table(judges: Judges, shares: Shares = "none") -> Table:
    """Items by grade: a row for each grade of A, a column for each grade of B.

    With `shares` a row of all, and percentages behind the counts: of the row, the column or all items.
    """
    names = [grade_text(level) for level in judges.levels.tolist()]
    headings = [*(f"B={name}" for name in names), "all"]
    counts = np.column_stack([judges.matrix, judges.matrix.sum(axis=1)])
    right = Column("A", align="right")
    if shares == "none":
        columns: dict[str, ArrayOfCells] = dict(zip(headings, counts.T.astype(np.int64), strict=True))
        return table_of_arrays([{"A": names}], columns).with_columns(right)
    counts, columns = np.vstack([counts, counts.sum(axis=0)]), {}
    totals = {"row": counts[:, -1:], "column": counts[-1:], "total": counts[-1:, -1:]}[shares]
    percentages = np.divide(100.0 * counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0)
    for name, number, percent in zip(headings, counts.T.astype(np.int64), percentages.T, strict=True):
        columns |= {name: number, f"{name} %": percent}
    declared = [Column(f"{name} %", digits=1) for name in headings]
    return table_of_arrays([{"A": [*names, "all"]}], columns).with_columns(right, *declared)


def grades_table(judges: Judges) -> Table:
    """One row for each grade: how often each assessor and both gave it, and agreement on it."""
    matrix, by_grade = judges.matrix.astype(np.int64), judges.by_grade
    counts = {"A": matrix.sum(axis=1), "B": matrix.sum(axis=0), "both": np.diagonal(matrix)}
    agreement = {"specific": by_grade.specific, "of_A": by_grade.of_first, "of_B": by_grade.of_second}
    grade = Column("grade", digits=0 if (judges.levels % 1 == 0).all() else None)
    table = table_of_arrays([{"grade": judges.levels.tolist()}], {**counts, **agreement})
    return table.with_columns(grade)


def counts_table(judges: Judges, overlap: JudgmentOverlap) -> Table:
    """Judged and relevant sets, the table of relevance, and bias, one number in a row: a count or another value."""
    relevance, bias = judges.relevance, judges.bias
    cells: dict[str, Cell] = {
        "topics": overlap.topics,
        "topics_A_only": len(overlap.first_topics),
        "topics_B_only": len(overlap.second_topics),
        "items": overlap.both,
        "judged_A_only": overlap.first_only,
        "judged_B_only": overlap.second_only,
        "judged_jaccard": overlap.jaccard,
        "relevant_both": relevance.both,
        "relevant_A_only": relevance.first_only,
        "relevant_B_only": relevance.second_only,
        "relevant_neither": relevance.neither,
        "relevant_jaccard": relevance.overlap,
        "positive_agreement": relevance.positive,
        "negative_agreement": relevance.negative,
        "precision_of_B": relevance.precision,
        "recall_of_B": relevance.recall,
        "B_higher": bias.higher,
        "B_lower": bias.lower,
        "same": bias.same,
        "sign_test_p": bias.p,
        "mean_B_minus_A": bias.mean,
    }
    return Table(
        {
            "number": list(cells),
            "count": [cell if isinstance(cell, int) else None for cell in cells.values()],
            "value": [cell if isinstance(cell, float) else None for cell in cells.values()],
        }
    )


def topics_table(every: Sequence[CoefficientResult], items: Sequence[int], topics: Sequence[str]) -> Table:
    """One row for each topic: items, and every coefficient."""
    columns: dict[str, Sequence[Cell]] = {"topic": list(topics), "items": items}
    return Table({**columns, **{one.name: one.by_topic.tolist() for one in every}})


def tables_of_runs(judged: JudgedRuns, options: Mapping[str, object]) -> dict[str, Table]:
    """What becomes of runs from the first judgments to the second: `runs`, `orders`, `pairs` and `outcomes`."""
    effects, runs = judged.by_measure, judged.evaluations[0].runs
    return {
        "runs": runs_table(effects, runs, judged.unjudged),
        "orders": orders_table(effects),
        "pairs": pairs_table(effects, str(options["test"]), judged.verdicts),
        "outcomes": outcomes_table(effects, runs),
    }


def runs_table(effects: Sequence[RunsByTwo], runs: Sequence[str], unjudged: np.ndarray[tuple[int, int]]) -> Table:
    """One row for each measure and run, the best under A first; people see both places as one column."""
    rows, places = [], []
    for one in effects:
        rmse = np.sqrt(((one.values[1] - one.values[0]) ** 2).mean(axis=-1))
        for run in np.argsort(one.places[0], kind="stable").tolist():
            gap, drop, (first, second) = one.difference[run], one.drop[run], one.places[:, run].tolist()
            row: dict[str, Cell] = {"measure": str(one.measure), "run": runs[run]}
            row |= {"A": float(one.means[0, run]), "B": float(one.means[1, run])}
            row |= {"difference": gap.value, "difference_lower": gap.lower, "difference_upper": gap.upper}
            row |= {"rmse": float(rmse[run]), "place_A": first, "place_B": second}
            ends = (None if np.isnan(end) else int(end) for end in (drop.lower, drop.upper))
            row |= {"drop": int(drop.value), **dict(zip(("drop_lower", "drop_upper"), ends, strict=True))}
            row |= {"unjudged_A": float(unjudged[0, run]), "unjudged_B": float(unjudged[1, run])}
            rows.append(row)
            places.append(f"{first} to {second}" if first != second else f"{first}")
    gap_column = Column("difference", interval=("difference_lower", "difference_upper"))
    place = Column("place", cells=places, align="left")
    return replace(Table.from_rows(rows), view=["measure", "run", "A", "B", gap_column, place])


def orders_table(effects: Sequence[RunsByTwo]) -> Table:
    """One row for each measure and statistic of the two orders of runs; falls and rises are in sentences for people."""
    rows = [
        (str(one.measure), name, len(one.topics), stat.value, stat.lower, stat.upper, listed(list(stat.runs)))
        for one in effects
        for name, stat in one.orders.items()
    ]
    made = Table.of(("measure", "statistic", "topics", "value", "lower", "upper", "runs"), rows)
    statistic = Column("statistic", cells=[LABELS.get(name, "") for _, name, *_ in rows])
    view: list[str | Column] = ["measure", statistic, Column("value", interval=("lower", "upper"))]
    return replace(made, view=view, rows=[place for place, (_, name, *_) in enumerate(rows) if name in LABELS])


def pairs_table(effects: Sequence[RunsByTwo], test: str, verdicts: Sequence[Verdict]) -> Table:
    """One row for each measure: pairs of runs by what becomes of their difference.

    People see it without what sentences say, and without a column of pairs that could not be tested where all were.
    """
    rows: list[tuple[Cell, ...]] = []
    for one, verdict in zip(effects, verdicts, strict=True):
        if one.tests is not None:
            made = one.tests
            shares = made.over("lost"), made.over("gained"), made.over("lost", "gained")
            counts = made.significant, *map(made.count, OUTCOMES)
            rows.append((str(one.measure), test, len(made.pairs), *counts, *shares, verdict.kind))
    names = ("measure", "test", "pairs", "Sig", *OUTCOMES, "lost/Sig", "gained/Sig", "change", "verdict")
    table = Table.of(names, rows)
    all_tested = () if any(table.columns["untested"]) else ("untested",)
    return table.without("test", "lost/Sig", "gained/Sig", "verdict", *all_tested).with_columns(
        Column("Sig", label="significant")
    )


def outcomes_table(effects: Sequence[RunsByTwo], runs: Sequence[str]) -> Table:
    """One row for each measure and pair of runs: differences and p-values under both, and what became of it."""
    tested = [(one, one.tests) for one in effects if one.tests is not None]
    pairs = [(one, made, place) for one, made in tested for place in range(len(made.pairs))]
    ratios = [made.is_ratio for _, made, _ in pairs]
    columns: dict[str, Sequence[Cell]] = {
        "measure": [str(one.measure) for one, _, _ in pairs],
        "run": [runs[made.pairs.first[place]] for _, made, place in pairs],
        "other": [runs[made.pairs.second[place]] for _, made, place in pairs],
    }
    for side, which in SIDES:
        gaps = [one.measure.of_average(made.difference) if made.is_ratio else made.difference for one, made in tested]
        columns |= gap_columns([number for of in gaps for number in of[side].tolist()], ratios, which)
    columns |= {f"p{which}": [float(made.p[side, place]) for _, made, place in pairs] for side, which in SIDES}
    return Table({**columns, "outcome": [str(made.outcomes[place]) for _, made, place in pairs]})


def sentence_of_judges(judges: Judges, overlap: JudgmentOverlap, sources: tuple[str, str], confidence: float) -> str:
    """How far the two agree, and which is more lenient."""
    items = int(judges.matrix.sum())
    kind = "items (triples of topic, sub-topic or assessor, and document)" if overlap.by_subtopic else "items"
    if len(judges.levels) == 1:
        only = f"all {items:,} {kind} have the grade {grade_text(float(judges.levels[0]))} in both"
        return f"A is {sources[0]}, B is {sources[1]}: {only}, so that agreement beyond chance is undefined."
    kappa, alpha = (judges[name].words(confidence) for name in ("kappa", "alpha_ordinal"))
    bias = judges.bias
    grades = "grade" if bias.higher == 1 else "grades"
    bias_of_b = (
        "B is more lenient" if bias.higher > bias.lower else "B is stricter" if bias.higher < bias.lower else "No bias"
    )
    return (
        f"A is {sources[0]}, B is {sources[1]}: of {items:,} {kind} judged in both, {judges['agreement'].pooled:.1%} "
        f"have the same grade; kappa {kappa}, ordinal alpha {alpha}. {bias_of_b}: {bias.higher:,} {grades} higher, "
        f"{bias.lower:,} lower (sign test, {p_text(bias.p)}), {bias.mean:+.4f} in the mean, which assumes "
        "equal steps between grades."
    )


def sentence_of_sets(judges: Judges, overlap: JudgmentOverlap) -> str:
    """How many judgments and relevant documents the two share."""
    relevant = judges.relevance.overlap
    level = f"grade {grade_text(judges.rel)} and above"
    kind = "triple" if overlap.by_subtopic else "document"
    judged = f"{kind} is" if overlap.first_only == 1 else f"{kind}s are"
    overlapping = (
        f"no item is relevant ({level}) in either"
        if np.isnan(relevant)
        else f"Jaccard overlap of the relevant items ({level}) {relevant:.4f}"
    )
    return (
        f"{overlap.first_only:,} {judged} judged in A only, {overlap.second_only:,} in B only (Jaccard overlap "
        f"{overlap.jaccard:.4f}); "
        f"{overlapping}."
    )


def sentence_of_runs(one: RunsByTwo, verdict: Verdict) -> str:
    """What the second judgments do to the order of runs and to significant differences."""
    orders, parts = one.orders, []
    tau = orders["tau"]
    if np.isfinite(tau.value):
        parts.append(f"tau {tau.value:.4f} between the orders of runs")
    fall = orders["max_drop"]
    if fall.runs:
        verb = "falls" if len(fall.runs) == 1 else "fall"
        ends = "" if np.isnan(fall.lower) else f" (interval {fall.lower:g} to {fall.upper:g})"
        places = f"{fall.value:g} place{'s' * (fall.value != 1)}"
        parts.append(f"{listed(list(fall.runs))} {verb} by {places}{ends}")
    else:
        parts.append("no run falls")
    if one.tests is None:
        parts.append(f"pairs are not tested: {one.untested}")
    else:
        made = one.tests
        counts = ", ".join(f"{made.count(outcome):,} {outcome}" for outcome in ("kept", "lost", "flipped"))
        parts.append(
            f"of {made.significant:,} significant differences {counts}, and {made.count('gained'):,} gained"
            if made.significant
            else f"no difference is significant under A, {made.count('gained'):,} gained"
        )
    caution = "" if verdict.meaningful else f" {verdict}."
    return f"{one.measure}: {'; '.join(parts)}.{caution}"


@dataclass(frozen=True, eq=False, repr=False)
class Agree(AgreementStudy):
    """Result of `agree`: agreement of two judges, and what it does to conclusions about runs.

    Attributes
    ----------
    judges : Judges
        Matrix of grades, coefficients, agreement by grade and by relevance, bias.
    overlap : Overlap
        How many judgments the two share.
    topics : tuple of str
        Topics that both have.
    sources : tuple of str
        Names of A and B.
    judged : JudgedRuns or None
        Runs under both; None where none are given.
    options : dict
        Options of the study.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    shares : {'none', 'row', 'column', 'total'}
        What percentages in the table `matrix` are of.
    """

    titles: ClassVar[Mapping[str, str]] = {
        "agreement": "Agreement",
        "matrix": "Items by grade, A in rows and B in columns",
        "grades": "Agreement by grade",
        "runs": "Runs under A and B",
        "orders": "Orders of runs",
        "pairs": "Pairs of runs: significant differences under A, and what B makes of them",
    }

    judges: Judges
    overlap: JudgmentOverlap
    topics: tuple[str, ...]
    sources: tuple[str, str]
    judged: JudgedRuns | None
    options: Mapping[str, object]
    notices: tuple[Notice, ...]
    shares: Shares = "none"

    @property
    def settings(self) -> dict[str, object]:
        """Options of coefficients and draws; with runs those of tests, too."""
        return {"study": "agree", **self.options}

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return () if self.judged is None else self.judged.evaluations[0].runs

    @property
    def origin(self) -> Mapping[str, object]:
        """Files of qrels; with runs where their values come from."""
        return self.origin_of(self.judged.evaluations[0] if self.judged else None, list(self.sources))

    def tables(self) -> Mapping[str, Table]:
        """`agreement`, `matrix`, `grades`, `counts`, `topics`; with runs `runs`, `orders`, `pairs`, `outcomes`."""
        made = {
            "agreement": agreement_table(self.judges.coefficients, WORDS, len(self.judges.items)),
            "matrix": matrix_table(self.judges, self.shares),
            "grades": grades_table(self.judges),
            "counts": counts_table(self.judges, self.overlap),
            "topics": topics_table(self.judges.coefficients, self.judges.items.tolist(), self.topics),
        }
        return made if self.judged is None else {**made, **tables_of_runs(self.judged, self.options)}

    def sentences(self) -> list[str]:
        """How far judges agree and, with runs, what that does to each measure."""
        sentences = [
            sentence_of_judges(self.judges, self.overlap, self.sources, self.confidence),
            sentence_of_sets(self.judges, self.overlap),
        ]
        if self.judged is not None:
            both = zip(self.judged.by_measure, self.judged.verdicts, strict=True)
            unjudged = " and ".join(f"{share:.1%}" for share in self.judged.unjudged.mean(axis=1).tolist())
            depth = self.options["unjudged_at"]
            sentences.append(
                f"Unjudged documents in the first {depth} ranks of runs: {unjudged} on average, under A and under B."
            )
            sentences += [sentence_of_runs(one, verdict) for one, verdict in both]
        if len(self.topics) >= FEWEST_TOPICS:
            sentences.append(f"Intervals are from {self.how_drawn}, of {len(self.topics):,} topics.")
        return sentences


def undefined_for_two(agreed: Judges) -> Iterator[str]:
    """Sentences about coefficients without a value."""
    if len(agreed.levels) == 1:
        yield "both give all items one grade: kappa, alpha, AC1 and AC2 are undefined"
        return
    topics = len(agreed.items)
    empty = int(np.count_nonzero(agreed.items == 0))
    if empty:
        yield f"{empty:,} of {topics:,} topics {'has' if empty == 1 else 'have'} no document that both judge"
    fewer = {one.name: topics - one.topics for one in agreed.coefficients if topics - one.topics > empty}
    if fewer:
        most = max(fewer.values())
        yield f"{listed(list(fewer))}: undefined on up to {most:,} of {topics:,} topics, left out of their means"
    yield from undefined_in_draws(agreed.coefficients, topics)
