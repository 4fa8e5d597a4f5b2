"""Table 2 and the curves of Järvelin and Kekäläinen 2002 in form, on the runs of Deep Learning 2021."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import rankscale as rs
from rankscale.data.run import Run
from rankscale.stats.tests.base.test import Omnibus
from reproduction.collections import DL_2021, collection
from reproduction.page import plain

SCHEMES = {"0-1-1-1": "0,1,1,1", "0-1-10-100": "0,1,10,100", "0-0-0-1": "0,0,0,1"}
RANKS = (1, 5, 10, 20, 50, 100)
DEPTHS = (100, 200)
FIVE = 5  # runs, as many as the paper compares
ALPHA = 0.05
FEW_TOPICS = 20  # as many as the paper has
WHAT = (
    "The paper's runs and graded judgments are not at hand, so this is the same analysis of other data, with nothing "
    "to hold it against: 63 runs and 53 topics of the passage task of TREC Deep Learning 2021, grades 0 to 3. As in "
    "the paper five runs are shown: from the best to the last in equal steps by nDCG@10. Each number is the mean over "
    "the ranks of a topic's vector, then over topics."
)
DEPTH = (
    "The paper averages over 200 ranks. Rankings end at rank 100 here, so 100 is the depth that the data answers for; "
    "at 200 they are read on as if unjudged documents came, which gain nothing while the ideal may still gain."
)
TESTS = (
    "Of the ten pairs of the five runs, how many differ at .05 by Friedman's test and by one-way and two-way ANOVA, "
    "each with Tukey's HSD, and the p-value of each test for all five (`rankscale compare`). In the paper Friedman's "
    "test found differences, and ANOVA none; with 53 topics and runs this far apart both do."
)
OMNIBUS = (
    "The tests of all five runs at once, as in the paper over 200 ranks: chi-squared with 4 degrees of freedom of "
    "Friedman's test, F of one-way ANOVA with 4 and 260, F of two-way ANOVA (topics and runs) with 4 and 208. Each "
    "stands beside its p-value."
)
FEW = (
    "The paper has 20 topics and runs that are close to each other. Of the five runs around the median by nDCG@10 and "
    "the first 20 topics, over 200 ranks: how many of the ten pairs differ, and the p-value of each test."
)
CURVES = (
    "Curves by rank, base 2, as in the paper's figures: CG and DCG are means of the topics' vectors (`rankscale "
    "curves`), nCG and nDCG the mean vector over the mean ideal vector (`.mean('ratio')`). The last line of each is "
    "what one mostly sees under that name, the mean of the topics' own normalised values, which is another number."
)


def section(data: Path) -> str:
    """Means with tests, and curves."""
    names = [run.name for run in five(data)]
    return "\n\n".join(
        [
            "## Cumulated gain: Table 2 in form, Deep Learning 2021",
            WHAT,
            DEPTH,
            plain(["", *names, *TESTED_NAMES], averages(data)),
            TESTS,
            OMNIBUS,
            plain(["", "chi-squared", "F, one-way", "F, two-way"], statistics(data)),
            FEW,
            plain(["", *(run.name for run in around_the_median(data)), *TESTED_NAMES], few_topics(data)),
            few_topics_in_words(data),
            "## Cumulated gain: curves, Deep Learning 2021",
            CURVES,
            f"Run {names[0]}, the best, and the ideal:",
            plain(["", *map(str, RANKS)], by_rank(data)),
        ]
    )


@cache
def by_ndcg(data: Path) -> list[Run]:
    """All runs, the best by nDCG@10 first."""
    qrels, runs = collection(data, DL_2021)
    by_name = {run.name: run for run in runs}
    return [by_name[name] for name in rs.evaluate(qrels, runs, "nDCG@10").sorted_by("nDCG@10").runs]


def five(data: Path) -> list[Run]:
    """Five runs from the best to the last by nDCG@10."""
    order = by_ndcg(data)
    return [order[round(step * (len(order) - 1) / (FIVE - 1))] for step in range(FIVE)]


def around_the_median(data: Path) -> list[Run]:
    """Five runs that are next to each other."""
    order = by_ndcg(data)
    first = len(order) // 2 - FIVE // 2
    return order[first : first + FIVE]


def measures(depth: int) -> dict[str, str]:
    """By what is shown of it: each vector and scheme, averaged over its ranks."""
    return {
        f"{shown} ({scheme}), {depth} ranks": f"AvgPos({name}gains=[{gains}]))@{depth}"
        for shown, name in (("nCG", "nCG("), ("nDCG", "nDCG(base=2,"))
        for scheme, gains in SCHEMES.items()
    }


def averages(data: Path) -> Iterator[list[str]]:
    """A line for each measure, scheme and depth."""
    qrels, _ = collection(data, DL_2021)
    for depth in DEPTHS:
        yield from _lines(rs.evaluate(qrels, five(data), list(measures(depth).values())), measures(depth))


def _lines(found: rs.Evaluation, named: dict[str, str]) -> Iterator[list[str]]:
    for shown, means in zip(named, found.means().values, strict=True):
        tests = (_tested(found[named[shown]], test) for test in TESTED)
        yield [shown, *(f"{mean:.4f}" for mean in means), *tests]


TESTED = ("friedman", "one-way", "two-way")
TESTED_NAMES = ("Friedman", "one-way ANOVA", "two-way ANOVA")


def _tested(found: rs.Evaluation, test: str) -> str:
    comparison = rs.compare(found, test, "none", alpha=ALPHA)
    return f"{int(comparison.significant.sum())} of {len(comparison.pairs)}, p {_p(_omnibus(found, test).p)}"


def _omnibus(found: rs.Evaluation, test: str) -> Omnibus:
    every = rs.compare(found, test, "none", alpha=ALPHA).results.omnibus
    if every is None:
        raise ValueError(f"{test} says nothing of all runs together")
    return every


def _p(p: float) -> str:
    return "< .0001" if p < 1e-4 else f"= {p:.4f}"


def statistics(data: Path) -> Iterator[list[str]]:
    """The statistic of each test, over 200 ranks."""
    qrels, _ = collection(data, DL_2021)
    named = measures(DEPTHS[-1])
    found = rs.evaluate(qrels, five(data), list(named.values()))
    for shown, measure in named.items():
        every = [_omnibus(found[measure], test) for test in TESTED]
        yield [shown, *(f"{one.statistic:.2f}, p {_p(one.p)}" for one in every)]


@cache
def of_few_topics(data: Path) -> rs.Evaluation:
    """Runs that are close to each other, over the first 20 topics."""
    qrels, _ = collection(data, DL_2021)
    found = rs.evaluate(qrels, around_the_median(data), list(measures(DEPTHS[-1]).values()))
    return replace(
        found,
        topics=found.topics[:FEW_TOPICS],
        values=found.values[:, :, :FEW_TOPICS],
        retrieved=found.retrieved[:, :FEW_TOPICS],
    )


def few_topics(data: Path) -> Iterator[list[str]]:
    """Means and tests of them."""
    yield from _lines(of_few_topics(data), measures(DEPTHS[-1]))


def few_topics_in_words(data: Path) -> str:
    """In how many rows each test finds differences."""
    found = of_few_topics(data)
    significant = {
        shown: sum(_omnibus(found[measure], test).p < ALPHA for measure in measures(DEPTHS[-1]).values())
        for shown, test in zip(TESTED_NAMES, TESTED, strict=True)
    }
    counts = ", ".join(f"{name} for {count}" for name, count in significant.items())
    return (
        f"Rows of these six in which the runs differ at .05, by test: {counts}. In the paper Friedman's test found "
        "differences and ANOVA none: with few topics and runs close to each other it is so for one-way ANOVA here too."
    )


def by_rank(data: Path) -> Iterator[list[str]]:
    """A line for each vector, measured and ideal."""
    runs, (qrels, _) = five(data)[:1], collection(data, DL_2021)
    for scheme, gains in SCHEMES.items():
        for name, options in (("CG", f"gains=[{gains}]"), ("DCG", f"base=2,gains=[{gains}]")):
            drawn = rs.curves(qrels, runs, f"{name}({options})", depth=RANKS[-1], ideal=True)
            own = rs.curves(qrels, runs, f"n{name}({options})", depth=RANKS[-1])
            mean = drawn.mean().values[0]
            ratio = drawn.mean("ratio").values[0]
            lines = {
                name: mean[0, 0],
                f"{name} of the ideal": mean[1, 0],
                f"n{name}": ratio[0, 0],
                f"n{name}, mean over topics": own.mean().values[0][0, 0],
            }
            for shown, vector in lines.items():
                yield [f"{shown} ({scheme})", *(f"{vector[rank - 1]:.4f}" for rank in RANKS)]
