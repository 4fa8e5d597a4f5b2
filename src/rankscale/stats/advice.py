"""Which significance test and which correction fit a question, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankscale.data.arguments import check_arguments
from rankscale.data.names import place_of
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.outputs.results import Page, TabularResult
from rankscale.stats.compare import retrieved_by_all
from rankscale.stats.comparison import HOLDER
from rankscale.stats.tests.base.test import check_alpha
from rankscale.stats.tests.register import find_test
from rankscale.stats.verdicts import verdict

MANY = 50  # pairs from which controlling the share of false differences is worth a thought
FEW = 10  # topics below which exact tests are worth a thought
WORKS = {
    "scale": "Ferrante, Ferro and Fuhr, IEEE Access 9, 2021",
    "student": "Smucker, Allan and Carterette, CIKM 2007; Urbano, Lima and Hanjalic, SIGIR 2019",
    "two-way": "Tague-Sutcliffe and Blustein, TREC-3, 1994; Carterette, TOIS 30(1), 2012",
    "friedman": "Friedman, JASA 32(200), 1937; Demsar, JMLR 7, 2006",
    "sign": "Conover, Practical Nonparametric Statistics, 1999",
    "dunnett": "Dunnett, JASA 50(272), 1955",
    "holm": "Holm, Scandinavian Journal of Statistics 6(2), 1979",
    "bh": "Benjamini and Hochberg, JRSS B 57(1), 1995",
    "randomisation": "Fisher, The Design of Experiments, 1935; Smucker, Allan and Carterette, CIKM 2007",
}
WHY = {
    "sign": "On how many topics one run is better: that holds on any scale, at some cost in power",
    "friedman": "All runs are ranked within each topic, and all pairs are compared at once",
    "student": "The paired t test keeps its level on values of topics and has about the most power of all tests of "
    "means",
    "dunnett": "Each run with one baseline, all at once, with intervals that fit; it uses that differences share the "
    "baseline. Where most runs differ from it, student with holm finds more",
    "two-way": "All pairs at once, topics as a factor: one error from all runs, and Tukey's correction for all pairs",
}


@dataclass(frozen=True)
class Reason:
    """One step of the advice: what it is about, what follows, why, and who says so."""

    about: str
    choice: str
    why: str
    work: str = ""


@dataclass(frozen=True)
class Advice(TabularResult):
    """Result of `advise`: the test and correction that fit one measure, with reasons.

    Attributes
    ----------
    measure : str
        Name of the measure.
    test, correction : str
        As `compare` takes them; the correction is 'none' where the test makes its own, or there is one pair.
    reasons : tuple of Reason
        Why, step by step.
    """

    measure: str
    test: str
    correction: str
    runs: int
    topics: int
    pairs: int
    reasons: tuple[Reason, ...]

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row for each reason."""
        return advice_table([self])

    def page(self) -> Page:
        """What a notebook shows: the advice, and its reasons one by one."""
        advice, *reasons = str(self).split("\n")
        return Page(advice, ["\n".join(reasons)])

    def __str__(self) -> str:
        correction = "" if self.correction == "none" else f" --correction {self.correction}"
        test = f"'{self.test}'" if " " in self.test else self.test
        pairs = f"{self.pairs:,} pair{'s' * (self.pairs != 1)}"
        head = f"{self.measure}: --test {test}{correction} ({self.runs} runs, {self.topics} topics, {pairs})"
        lines = [f"  {one.about}: {one.choice}. {one.why}{f' ({one.work})' * bool(one.work)}." for one in self.reasons]
        return "\n".join([head, *lines])

    __repr__ = __str__


def advise(evaluation: Evaluation, *, baseline: str | Sequence[str] | None = None, alpha: float = 0.05) -> Advice:
    """Which test and correction fit the measure's scale, the number of runs and topics, and the question.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure.
    baseline : str or sequence of str, optional
        Runs that the others are compared with; by default the question is about all pairs.
    alpha : float
        Significance level.

    Returns
    -------
    Advice
        `test` and `correction` as `compare` takes them, with reasons and works.

    Raises
    ------
    ParameterError
        The evaluation has several measures or fewer than two runs, or alpha is out of range.

    Examples
    --------
    >>> import rankscale as rs
    >>> values = rs.read_values({run: {str(t): {"P@10": t / 10} for t in range(10)} for run in "abc"}, levels=[0, 1])
    >>> advice = rs.advise(values, baseline="a")
    >>> advice.test, advice.correction
    ('dunnett', 'none')
    """
    check_arguments(advise, locals())
    expected(evaluation, "advise")
    check_alpha(alpha)
    if len(evaluation.measures) != 1 or len(evaluation.runs) < 2:
        raise ParameterError(
            "advice is about two runs or more by one measure, and the evaluation has "
            f"{len(evaluation.runs)} and {len(evaluation.measures)}; choose a measure, as in evaluation['AP']"
        )
    measure, runs = evaluation.measures[0], len(evaluation.runs)
    baselines = tuple(dict.fromkeys([baseline] if isinstance(baseline, str) else baseline or ()))
    for name in baselines:
        place_of(evaluation.runs, name, "run", HOLDER)
    pairs = (runs - len(baselines)) * len(baselines) if baselines else runs * (runs - 1) // 2
    topics = int(retrieved_by_all(evaluation).sum())
    of_means = verdict(measure, find_test("student")(), evaluation.judged_levels)
    scale = _scale(of_means.text, by_order=of_means.order_only)
    test = _test(runs, len(baselines), by_order=of_means.order_only)
    correction = _correction(pairs, own=find_test(test.choice).together)
    reasons = (scale, test, correction, *_topics(topics, pairs, alpha, test.choice))
    return Advice(str(measure), test.choice, correction.choice, runs, topics, pairs, reasons)


def _scale(text: str, *, by_order: bool) -> Reason:
    """What the scale of the measure supports."""
    choice, way_out = "a test of means", ""
    if by_order:
        choice = "a test that needs only the order of values"
        way_out = "; a test of means on its interval version, Interval(M@N), is the alternative"
    return Reason("scale", choice, f"{text}{way_out}", WORKS["scale"])


def _test(runs: int, baselines: int, *, by_order: bool) -> Reason:
    """The test, and why, by the number of runs and baselines."""
    if by_order:
        name = "sign" if runs == 2 or baselines else "friedman"
    elif runs == 2 or baselines > 1:
        name = "student"
    else:
        name = "dunnett" if baselines else "two-way"
    return Reason("test", name, WHY[name], WORKS[name])


def _correction(pairs: int, *, own: bool) -> Reason:
    """The correction, and why."""
    if own:
        return Reason("correction", "none", f"The test corrects for its {pairs} pairs by itself")
    if pairs == 1:
        return Reason("correction", "none", "There is one comparison")
    why = f"The chance of any false difference among {pairs} pairs stays below alpha, whatever their dependence"
    if pairs > MANY:
        why += f"; for screening, bh keeps the expected share of false ones below alpha instead ({WORKS['bh']})"
    return Reason("correction", "holm", why, WORKS["holm"])


def _topics(topics: int, pairs: int, alpha: float, test: str) -> list[Reason]:
    """What the number of topics leaves open."""
    if test == "sign":
        needed = math.ceil(1 + math.log2(pairs / alpha))  # 2 / 2**n is the smallest p-value
        if topics < needed:
            why = f"The smallest p-value of the sign test, corrected for {pairs} pairs, is below alpha from {needed} on"
            return [Reason("topics", f"{topics} are too few", why)]
    if topics < FEW and test in {"student", "two-way", "dunnett"}:
        why = "With few topics the normal distribution is an assumption; flips of signs are exact"
        return [Reason("topics", "try randomisation, too", why, WORKS["randomisation"])]
    return []


def advice_table(advice: Sequence[Advice]) -> Table:
    """One row for each measure and reason."""
    rows = [
        [one.measure, one.test, one.correction, part.about, part.choice, part.why, part.work]
        for one in advice
        for part in one.reasons
    ]
    sizes = [{"measure": one.measure, "runs": one.runs, "topics": one.topics, "pairs": one.pairs} for one in advice]
    names = ("measure", "test", "correction", "about", "choice", "why", "work")
    return replace(Table.of(names, rows), provenance={"advice": sizes})
