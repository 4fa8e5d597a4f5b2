"""Runs against runs: how far they rank the same documents in the same order and, with judgments, reproduce values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Unpack

import numpy as np

from rankscale.data.arguments import Declaration, DrawCount, Positive, Seed, Share, ValueKind, check_arguments
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Progress, RankingOptions, SameTopics, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.options import whole_number
from rankscale.inputs.rankings import Lists, read_lists
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.stats.margin import Margin
from rankscale.stats.resampling.confidence import words_of_draws
from rankscale.stats.resampling.draws import draws_from
from rankscale.stats.verdicts import SUMMARIES, verdict
from rankscale.studies.overlap.pairs import (
    Effect,
    ListPair,
    ListRule,
    ValuePair,
    ValueRule,
    effects,
    effects_table,
    list_pairs,
    value_pairs,
    values_table,
)
from rankscale.studies.support.study import Study, origin_of_files

MEASURES = ("nDCG@10", "AP")
NO_EVIDENCE = "A large p does not show that runs are alike. The means are shown to differ by less than smallest_margin"
LABELS = {"docno": "KTU(docno) is repro_eval's, for comparison only: it changes when documents are renamed"}


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Study):
    """Result of `overlap`: how alike runs are.

    Attributes
    ----------
    pairs : tuple of ListPair
        Each two runs by the documents they rank; none where runs are of two collections.
    rule : ListRule or None
        Coefficients, depth, p of RBO and union of KTU.
    values : tuple of ValuePair
        Originals and reproductions by the values of measures, with qrels.
    effects : tuple of Effect
        Effects over a baseline in the original and in the reproduction, where a baseline is named.
    value_rule : ValueRule
        How values are compared.
    evaluations : tuple of Evaluation
        What was measured: nothing, the runs, or those of either collection.
    confidence, draws, seed
        Confidence level of the intervals of means, draws of topics that they are computed from, random seed.
    sources, orders : tuple of str
        Files of the runs, or their names, and what put them in order.
    notices : tuple of Notice
        What users should know about the result.
    """

    pairs: tuple[ListPair, ...]
    rule: ListRule | None
    values: tuple[ValuePair, ...]
    effects: tuple[Effect, ...]
    value_rule: ValueRule
    evaluations: tuple[Evaluation, ...]
    confidence: float
    draws: DrawCount
    seed: int
    sources: tuple[str, ...]
    orders: tuple[str, ...]
    notices: tuple[Notice, ...]

    @property
    def origin(self) -> Mapping[str, object]:
        """Files and order; with judgments those of the evaluation."""
        if self.evaluations:
            return self.evaluations[0].provenance
        return origin_of_files(self.sources, self.orders)

    def pair(self, first: str, second: str) -> dict[str, float]:
        """Means of all coefficients of two runs, by name."""
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return dict(zip(self._columns, one.means.tolist(), strict=True))
        raise ParameterError(f"there is no pair {first} and {second}; the first run of a pair is given first")

    @property
    def _columns(self) -> tuple[str, ...]:
        return self.rule.columns if self.rule else ()

    def tables(self) -> Mapping[str, Table]:
        """`overlap`, `pairs` (one row each) and `topics`; with judgments `values`, with a baseline `effects`."""
        made: dict[str, Table] = {}
        if self.rule:
            names = ("first", "second", "coefficient", "mean", "lower", "upper", "topics", "undefined", "left_out")
            made["overlap"] = Table.of(names, self._means())
            means = ((one.first, one.second, len(one.topics), *one.means.tolist()) for one in self.pairs)
            made["pairs"] = Table.of(("first", "second", "topics", *self._columns), means)
            made["topics"] = Table.of(("first", "second", "topic", *self._columns), self._topics())
        if self.values:
            made["values"] = values_table(self.values)
        if self.effects:
            made["effects"] = effects_table(self.effects)
        return made

    def _means(self) -> Iterator[tuple[Cell, ...]]:
        for pair in self.pairs:
            columns = zip(self._columns, pair.means.tolist(), pair.intervals, pair.defined, strict=True)
            for name, mean, (lower, upper), defined in columns:
                undefined = len(pair.topics) - defined
                yield pair.first, pair.second, name, mean, lower, upper, defined, undefined, pair.left_out

    def _topics(self) -> Iterator[tuple[Cell, ...]]:
        for pair in self.pairs:
            for topic, values in zip(pair.topics, pair.values.T.tolist(), strict=True):
                yield pair.first, pair.second, topic, *values

    def shown(self) -> tuple[str, ...]:
        """Coefficients with their intervals for two runs, means of all pairs for more; then values and effects."""
        lists = ["overlap" if len(self.pairs) == 1 else "pairs"] if self.rule else []
        return (*lists, *(["values"] if self.values else []), *(["effects"] if self.effects else []))

    def sentence(self) -> str:
        """What the tables are about, and how to read p-values."""
        return "\n".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.rule:
            how = f"; {self.confidence:.0%} intervals from {words_of_draws(self.draws, self.seed)}"
            yield (
                f"Rankings to depth {self.rule.depth}; means over the topics that both runs have"
                f"{how if len(self.pairs) == 1 else ''}."
            )
            if "tau_ap" in self.rule.coefficients:
                yield "tau_ap takes the order of the first run as the true one."
            if "KTU" in self.rule.coefficients and self.rule.union in LABELS:
                yield f"{LABELS[self.rule.union]}."
        if self.values:
            first, rule = self.values[0], self.value_rule
            given = f"; by less than {rule.margin} where p_equivalence is below alpha" if rule.margin else ""
            yield f"{first.collection.capitalize()}, {first.test} test. {NO_EVIDENCE} (alpha {rule.alpha:g}){given}."
            for measure in self.evaluations[0].measures:
                yield f"{verdict(measure, SUMMARIES[measure.summary], self.evaluations[0].judged_levels)}."

    @property
    def settings(self) -> Mapping[str, object]:
        """Depth, coefficients, draws, and how values are compared."""
        drawn = {"draws": self.draws, "seed": None if self.draws == "all" else self.seed}
        lists: dict[str, object] = {}
        if self.rule:
            rule = self.rule
            lists = {"depth": rule.depth, "p": rule.p, "norm": rule.norm, "union": rule.union, **drawn}
            lists |= {"coefficients": list(rule.coefficients), "confidence": self.confidence}
        rule_of_values = self.value_rule
        values: dict[str, object] = {}
        if self.values:
            margin = None if rule_of_values.margin is None else str(rule_of_values.margin)
            values = {"alpha": rule_of_values.alpha, "margin": margin, "baseline": rule_of_values.baseline}
            values |= {"reproduced-baseline": rule_of_values.reproduced_baseline, "welch": rule_of_values.welch or None}
        return {"study": "overlap", **lists, **values}


def overlap(
    runs: RunsLike,
    qrels: QrelsLike | None = None,
    measures: AnyMeasure | Iterable[AnyMeasure] = MEASURES,
    *,
    depth: Positive = 1000,
    coefficients: str | Sequence[str] | None = None,
    p: Share = 0.9,
    norm: Literal["extrapolated", "depth"] = "extrapolated",
    union: Literal["first", "docno"] = "first",
    baseline: str | None = None,
    reproduced_baseline: str | None = None,
    other_qrels: QrelsLike | None = None,
    other_runs: Annotated[RunsLike | None, ValueKind("text")] = None,
    margin: Annotated[float | str | None, ValueKind("text")] = None,
    alpha: Share = 0.05,
    welch: bool = False,
    confidence: Share = 0.95,
    draws: Annotated[int | str, ValueKind("text")] = 1000,
    seed: Seed = 0,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[RankingOptions],
) -> Overlap:
    """Compare runs with each other, without judgments or with.

    Every two runs are compared topic by topic by the documents that they rank: how many they share, and how alike their
    order is. That needs no judgments. With judgments the values of measures are compared as well: how far the second
    run of a pair reproduces those of the first.

    Parameters
    ----------
    runs : runs
        Two runs or more; the first is the original.
    qrels : qrels, default none
        Judgments, to compare the values of measures as well.
    measures : measures
        Measures whose values are compared.
    depth : int
        Rank at which rankings are cut before their documents are compared.
    coefficients : str or list of str, default all
        Coefficient to compute: overlap, jaccard, RBO, tau, tau_ap, tau_union or KTU.
    p : float
        Persistence of RBO.
    norm : str
        RBO extrapolated, with bounds, or cut at the depth without extrapolation, as in repro_eval.
    union : str
        Order of all documents in KTU: those of the first run first, or by name, as in repro_eval.
    baseline : str, default none
        Original baseline, to compare effects over it: the first other run is then the advanced one, and those after it
        reproduce it.
    reproduced_baseline : str, default the baseline
        Reproduction of the baseline.
    other_qrels : qrels, default none
        Judgments of another collection, on which the reproductions were made.
    other_runs : runs, default none
        Run on that collection, which reproduces a run on the first.
    margin : float or str, default none
        Margin within which means count as equivalent, such as 0.01, or 2% of the original's mean.
    alpha : float
        Significance level of the tests of equivalence.
    welch : bool
        With another collection: test by Welch's t test, which does not assume equal variances.
    confidence : float
        Confidence level of intervals of coefficients.
    draws : int or 'all'
        Random draws of topics for intervals, or 'all' draws that there are, for up to 6 topics.
    seed : int
        Random seed of the draws.
    missing : str
        Rule for topics that a run lacks, in values, as in `evaluate`; coefficients are over topics that both runs have.
    progress : callable, optional
        Called as `progress(done, of)` after each topic.
    **options
        Keywords on reading and judging, as `evaluate` explains them: order, threads, max_size, judged_only, grades,
        negative.

    Returns
    -------
    Overlap
        Tables 'overlap' (means with intervals), 'pairs', 'topics', and with judgments 'values' and 'effects'.

    Raises
    ------
    ParameterError
        If there are fewer than two runs, if no two have a topic in common, or if an option has a value that it cannot
        take.
    UnknownNameError
        If there is no such coefficient, or no run of the name of a baseline.

    Examples
    --------
    >>> import rankscale as rs
    >>> a, b = {"1": ["d1", "d2", "d3", "d4", "d5"]}, {"1": ["d2", "d1", "d6", "d3", "d7"]}
    >>> result = rs.overlap({"a": a, "b": b}, depth=5)
    >>> {name: round(value, 4) for name, value in result.pair("a", "b").items() if "tau" in name}
    {'tau': 0.3333, 'tau_ap': 0.0, 'tau_union': 0.35}

    Command line
    ------------
        rankscale overlap run.txt other.txt
        rankscale overlap runs/*.gz --depth 10 --coefficient RBO --table pairs
        rankscale overlap run.txt other.txt --qrels qrels.txt -m AP -m nDCG@10 --margin 0.01
    """
    check_arguments(overlap, locals(), choices=("norm", "union"))
    cut = whole_number("depth", depth) or 1000
    rule, number = ListRule.of(coefficients, cut, p, norm, union), draws_from(draws)
    value_rule = ValueRule(alpha, None if margin is None else Margin.of(margin), welch, baseline, reproduced_baseline)
    _check(value_rule, qrels, other_qrels, other_runs, confidence)
    if isinstance(runs, Iterator):
        runs = list(runs)
    lists = read_lists(runs, reading_of(options), what="compared") if other_qrels is None else None
    pairs: tuple[ListPair, ...] = ()
    if lists:
        pairs = list_pairs(lists, rule, confidence=confidence, draws=number, seed=seed, progress=progress)
    evaluations = []
    for of_qrels, of_runs in ((qrels, runs), (other_qrels, other_runs)):
        if of_qrels is not None:
            evaluations.append(evaluate(of_qrels, of_runs, parse_all(measures), missing=missing, **options))
    original, other = (*evaluations, None, None)[:2]
    return Overlap(
        pairs=pairs,
        rule=rule if lists else None,
        values=() if original is None else tuple(value_pairs(original, other, value_rule)),
        effects=() if original is None else tuple(effects(original, other, value_rule)),
        value_rule=value_rule,
        evaluations=tuple(evaluations),
        confidence=confidence,
        draws=number,
        seed=seed,
        sources=lists.sources if lists else (),
        orders=lists.orders if lists else (),
        notices=tuple(dict.fromkeys(_notices(lists, pairs, evaluations))),
    )


def _check(
    rule: ValueRule, qrels: object | None, other_qrels: object | None, other_runs: object | None, confidence: float
) -> None:
    """Raise ParameterError for options that need others, and for levels out of range."""
    needing = {"baseline": rule.baseline, "other_qrels": other_qrels, "margin": rule.margin}
    for name, value in needing.items():
        if value is not None and qrels is None:
            raise ParameterError(
                Setting(name),
                " is about values, which need judgments: give ",
                Setting("qrels", "FILE", python="qrels="),
                " too",
            )
    if rule.reproduced_baseline is not None and rule.baseline is None:
        raise ParameterError(
            Setting("reproduced_baseline"),
            " goes with ",
            Setting("baseline", "RUN", python="baseline="),
            ": name that too",
        )
    if (other_qrels is None) != (other_runs is None):
        raise ParameterError(
            Setting("other_qrels"),
            " and ",
            Setting("other_runs", option="--other-run"),
            " go together: give both, or neither",
        )
    if rule.welch and other_qrels is None:
        raise ParameterError(
            Setting("welch"),
            " is for runs of another collection, ",
            Setting("other_qrels"),
            "; on the same collection topics are paired: leave it out",
        )
    for name, level in {"alpha": rule.alpha, "confidence": confidence}.items():
        if not 0 < level < 1:
            raise ParameterError(f"{name} must lie between 0 and 1, got {level}")


def _notices(lists: Lists | None, pairs: Sequence[ListPair], evaluations: Sequence[Evaluation]) -> Iterator[Notice]:
    """What is known of the runs, and how many topics no pair has."""
    if lists:
        yield from lists.notices
        left_out = [pair for pair in pairs if pair.left_out]
        if left_out:
            most = max(pair.left_out for pair in left_out)
            where = f"{len(left_out)} of {len(pairs)} pairs: " if len(pairs) > 1 else ""
            yield from notes([f"{where}topics that only one run of a pair has are left out, at most {most} of a pair"])
        undefined = sum(int(np.count_nonzero(np.isnan(pair.values).any(axis=0))) for pair in pairs)
        if undefined:
            of = sum(len(pair.topics) for pair in pairs)
            topics = f"{undefined:,} of {of:,} topics{' (of all pairs together)' * (len(pairs) > 1)}"
            yield from notes([f"a coefficient is undefined on {topics}, which its mean leaves out"])
    for evaluation in evaluations:
        yield from evaluation.notices


COMMAND = Declaration(
    overlap,
    source="rankings",
    measures=MEASURES,
    flags={
        "qrels": "--qrels",
        "coefficients": "--coefficient",
        "other_runs": "--other-run",
        "p": "-p --persistence",
    },
    shared=("missing", "grading", "reading"),
    tables=("overlap", "pairs", "topics", "values", "effects"),
    tables_with={"values": "qrels", "effects": "baseline"},
)
