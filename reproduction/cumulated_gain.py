"""Table 2 and the curves of Järvelin and Kekäläinen 2002 in form, on the runs of Deep Learning 2021."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rankscale as rs
from rankscale.data.run import Run
from reproduction.collections import DL_2021, collection
from reproduction.page import plain

SCHEMES = {"0-1-1-1": "0,1,1,1", "0-1-10-100": "0,1,10,100", "0-0-0-1": "0,0,0,1"}
RANKS = (1, 5, 10, 20, 50, 100)
DEPTHS = (100, 200)
FIVE = 5  # runs, as many as the paper compares
ALPHA = 0.05
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
            plain(["", *names, "Friedman", "one-way ANOVA", "two-way ANOVA"], averages(data)),
            TESTS,
            "## Cumulated gain: curves, Deep Learning 2021",
            CURVES,
            f"Run {names[0]}, the best, and the ideal:",
            plain(["", *map(str, RANKS)], by_rank(data)),
        ]
    )


@cache
def five(data: Path) -> list[Run]:
    """Five runs from the best to the last by nDCG@10."""
    qrels, runs = collection(data, DL_2021)
    order = rs.evaluate(qrels, runs, "nDCG@10").sorted_by("nDCG@10").runs
    by_name = {run.name: run for run in runs}
    return [by_name[order[round(step * (len(order) - 1) / (FIVE - 1))]] for step in range(FIVE)]


def averages(data: Path) -> Iterator[list[str]]:
    """A line for each measure, scheme and depth."""
    qrels, _ = collection(data, DL_2021)
    measures = {
        f"{shown} ({scheme}), {depth} ranks": f"AvgPos({name}gains=[{gains}]))@{depth}"
        for depth in DEPTHS
        for shown, name in (("nCG", "nCG("), ("nDCG", "nDCG(base=2,"))
        for scheme, gains in SCHEMES.items()
    }
    found = rs.evaluate(qrels, five(data), list(measures.values()))
    for shown, means in zip(measures, found.means().values, strict=True):
        of_measure = found[measures[shown]]
        yield [shown, *(f"{mean:.4f}" for mean in means), *(_tested(of_measure, test) for test in TESTED)]


TESTED = ("friedman", "one-way", "two-way")


def _tested(found: rs.Evaluation, test: str) -> str:
    comparison = rs.compare(found, test, "none", alpha=ALPHA)
    every = comparison.results.omnibus
    p = float("nan") if every is None else every.p
    return (
        f"{int(comparison.significant.sum())} of {len(comparison.pairs)}, p {'< .0001' if p < 1e-4 else f'= {p:.4f}'}"
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
