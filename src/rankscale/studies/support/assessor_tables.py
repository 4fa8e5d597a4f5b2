"""How agreement of several assessors is written: tables and sentences."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from rankscale.data.names import listed
from rankscale.data.table import Cell, Column, Table
from rankscale.evaluation.result import Evaluation
from rankscale.stats.agreement.coefficients import OF_AS_MANY, OF_SEVERAL
from rankscale.stats.topic_draws import mean
from rankscale.studies.support import agree_tables as of_two
from rankscale.studies.support.assessors import AssessorPair, Assessors, Together
from rankscale.studies.support.judged_runs import JudgedRuns
from rankscale.studies.support.pooled_coefficients import CoefficientResult

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
