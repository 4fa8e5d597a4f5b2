"""Which kinds of rankings the runs of a collection give, by the course of their CRP (the Twist paper, Table 2).

For each kind also the distributions of recovery, space ratio and Twist over its rankings (Figs. 4 to 6).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Unpack

import numpy as np

from rankscale.data.arguments import Declaration, Positive, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.judged import BEYOND
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run, concatenate
from rankscale.data.table import Cell, Table
from rankscale.errors import UnknownNameError
from rankscale.evaluation.batches import batches
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.notices import value_notices
from rankscale.evaluation.options import Progress, RankingOptions, SameTopics, check_missing, judging_of, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress
from rankscale.measures.families.relative_measure import Relative
from rankscale.measures.families.relative_position import ARCHETYPES, DEPTH, archetype, minimum_and_maximum_rank
from rankscale.measures.twist import Rho, Sigma, SigmaMinus, SigmaPlus, Twist
from rankscale.studies.support.selection import check_topics
from rankscale.studies.support.study import Study, share_of, table_of_arrays

MERGED = {  # as Table 2 of the paper has them
    "ideal": ("ideal",),
    "worst": ("worst",),
    "full scale": ("full scale",),
    "typical A": ("typical A",),
    "typical B": ("typical B",),
    "excellent": ("excellent A", "excellent B", "ups and downs"),
}
RATIOS: Mapping[str, type[Relative]] = {  # of each ranking; Twist is the mean of rho and sigma
    "Twist": Twist,
    "rho": Rho,
    "sigma": Sigma,
    "sigma_plus": SigmaPlus,
    "sigma_minus": SigmaMinus,
}
QUARTILES = {"lowest": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "highest": 1.0}
MANY_PADDED = 0.1  # of the topics: warned of from here on


@dataclass(frozen=True, eq=False, repr=False)
class Archetypes(Study):
    """Result of `archetypes`: the archetype of each ranking.

    Attributes
    ----------
    evaluation : Evaluation
        Values of Twist, rho, sigma, sigma_plus and sigma_minus over the same rankings.
    kinds : array of int
        (run, topic): index in ARCHETYPES; -1 where there is none.
    recall_base : array of int
        (topic,): number of relevant documents.
    documents : array of int
        (topic, level): documents of each grade in the qrels; grades are `evaluation.levels`.
    depth : int
        Rank at which rankings are cut.
    rel : float
        Lowest relevant grade.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    kinds: Ints
    recall_base: Ints
    documents: Ints
    depth: int
    rel: float
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> Mapping[str, object]:
        """The depth of rankings and the lowest relevant grade."""
        return {"study": "archetypes", "k": self.depth, "rel": f"{self.rel:g}"}

    @property
    def padded(self) -> Bools:
        """(topic,): whether rankings of the topic are padded beyond their depth, to 2RB ranks."""
        return 2 * self.recall_base > self.depth

    @property
    def counts(self) -> Ints:
        """(archetype,): rankings of the collection."""
        return np.bincount(self.kinds[self.kinds >= 0], minlength=len(ARCHETYPES))

    def share(self, name: str) -> float:
        """The share of one archetype, or of one of those of the paper's Table 2, among all rankings.

        'excellent' is excellent A, excellent B, and ups and downs together.
        """
        together = MERGED.get(name, (name,))
        if not set(together) <= set(ARCHETYPES):
            raise UnknownNameError("archetype", name, [*ARCHETYPES, *MERGED], f"there are {', '.join(ARCHETYPES)}")
        count = sum(int(self.counts[ARCHETYPES.index(one)]) for one in together)
        return share_of(count, int(self.counts.sum()))

    def values_of(self, name: str, ratio: str = "Twist") -> Floats:
        """(ranking,): values of one ratio over the rankings of one archetype, by run and topic.

        Parameters
        ----------
        name : str
            An archetype: 'typical A', 'excellent B', ...
        ratio : {'Twist', 'rho', 'sigma', 'sigma_plus', 'sigma_minus'}
            What is read off each ranking.

        Returns
        -------
        array of float
            Empty where no ranking is of this archetype.

        Raises
        ------
        UnknownNameError
            If there is no such archetype or ratio.
        """
        kind = place_of(ARCHETYPES, name, "archetype", "archetypes are")
        of_ratio = place_of(list(RATIOS), ratio, "ratio", "ratios are")
        values: Floats = self.evaluation.values[of_ratio][self.kinds == kind]
        return values

    def sentence(self) -> str:
        """Numbers of rankings and runs, and of topics whose rankings are padded."""
        padded = int(np.count_nonzero(self.padded))
        return (
            f"{int(self.counts.sum()):,} rankings of {len(self.evaluation.runs):,} runs, cut at {self.depth:,}; grades "
            f"from {self.rel:g} on are relevant. On {padded:,} of {len(self.padded):,} topics twice the "
            "recall base exceeds that depth."
        )

    def tables(self) -> Mapping[str, Table]:
        """Archetypes of the collection, merged as in Table 2, their ratios, by run, by topic, and of each ranking.

        `blocks` has the ideal ranking of each topic: the ranks that documents of each grade take there.
        """
        merged = {one: name for name, several in MERGED.items() for one in several}
        values = dict(zip(RATIOS, self.evaluation.values, strict=True))
        return {
            "collection": Table(
                {
                    "archetype": list(ARCHETYPES),
                    "in_table_2": [merged[name] for name in ARCHETYPES],
                    "rankings": self.counts.tolist(),
                    "share": [self.share(name) for name in ARCHETYPES],
                }
            ),
            "merged": Table(
                {
                    "rankings": [int(self.counts.sum())],
                    **{name.replace(" ", "_"): [self.share(name)] for name in MERGED},
                }
            ),
            "ratios": self._ratios(),
            "runs": Table({"run": list(self.evaluation.runs), **_shares(self.kinds)}),
            "topics": Table(
                {
                    "topic": list(self.evaluation.topics),
                    "recall_base": self.recall_base.tolist(),
                    "2RB_beyond_depth": ["yes" if padded else "no" for padded in self.padded.tolist()],
                    **_shares(self.kinds.T),
                }
            ),
            "rankings": table_of_arrays(
                [{"run": self.evaluation.runs}, {"topic": self.evaluation.topics}],
                {"archetype": np.array(ARCHETYPES)[self.kinds], **values},
                chosen=self.kinds >= 0,
            ),
            "blocks": self._blocks(),
        }

    def _blocks(self) -> Table:
        """First and last rank of each grade in the ideal ranking; what is not relevant follows without end."""
        levels = np.array(self.evaluation.levels)
        first, last = minimum_and_maximum_rank(self.documents, levels, self.rel)
        topic, level = np.nonzero((self.documents > 0) & (levels >= 0))
        best_first = np.lexsort((-level, topic))
        topic, level = topic[best_first], level[best_first]
        ends: list[Cell] = [None if rank == BEYOND else rank for rank in last[topic, level].tolist()]
        return Table(
            {
                "topic": [self.evaluation.topics[place] for place in topic.tolist()],
                "grade": [int(grade) if grade.is_integer() else grade for grade in levels[level].tolist()],
                "documents": self.documents[topic, level].tolist(),
                "first_rank": first[topic, level].tolist(),
                "last_rank": ends,
            }
        )

    def _ratios(self) -> Table:
        """Distributions of each ratio over the rankings of each archetype: how many are 0, quantiles (interpolated)."""
        rows: list[dict[str, Cell]] = []
        for ratio, name in product(RATIOS, ARCHETYPES):
            values = self.values_of(name, ratio)
            row: dict[str, Cell] = {"ratio": ratio, "archetype": name, "rankings": len(values)}
            row |= {"zero": int(np.count_nonzero(values == 0)), **dict.fromkeys((*QUARTILES, "mean"))}
            if len(values):
                quartiles = np.quantile(values, list(QUARTILES.values())).tolist()
                row |= {**dict(zip(QUARTILES, quartiles, strict=True)), "mean": float(values.mean())}
            rows.append(row)
        return Table.from_rows(rows)


def archetypes(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    depth: Positive = DEPTH,
    rel: float = 1,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[RankingOptions],
) -> Archetypes:
    """Classify rankings by the course of their CRP.

    CRP is the cumulated relative position. Worst retrieves nothing relevant, ideal all of it in the best order, full
    scale in the worst. Typical B: CRP falls below 0 and never comes back. Typical A: it comes back to 0 after rank RB,
    the number of relevant documents. Ups and downs: it comes back by rank RB, and falls below 0 again. Excellent A and
    B: it comes back by rank RB and stays; A has all relevant documents in the first RB ranks, B does not.

    Parameters
    ----------
    qrels, runs, missing, progress, **options
        As in `evaluate`: judged_only, grades, negative, order, max_size, threads; not missing='skip'.
    depth : int
        Cut every ranking at this rank.
    rel : float
        Lowest relevant grade.

    Returns
    -------
    Archetypes
        The archetype of each ranking, and shares by collection, run and topic.

    Raises
    ------
    ParameterError
        If `depth` or `rel` is out of range.

    Notes
    -----
    The first archetype that fits is the ranking's, in this order: worst, ideal, full scale, typical B, typical A, ups
    and downs, excellent A, excellent B. With binary relevance only the first five can occur. Topics that a run lacks
    are empty rankings. Topics without relevant documents have no archetype and are left out. The table `ratios` has the
    distributions of Twist, rho, sigma, sigma_plus and sigma_minus over the rankings of each archetype. The table
    `blocks` has the first and the last rank of each grade in a topic's ideal ranking, which relative positions are
    counted from; what is not relevant follows without end.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}}
    >>> runs = {"good": {"1": {"a": 2, "b": 1}, "2": {"a": 3, "x": 2, "b": 1}}, "bad": {"1": {"x": 1}, "2": {"b": 1}}}
    >>> print(archetypes(qrels, runs).text(2, "merged"))
    rankings  ideal  worst  full_scale  typical_A  typical_B  excellent
           4   0.25   0.25        0.00       0.25       0.25       0.00

    Command line
    ------------
        rankscale archetypes qrels.txt runs/*.gz
        rankscale archetypes qrels.txt runs/*.gz --depth 100 --rel 2 --table runs
        rankscale archetypes qrels.txt runs/*.gz --table ratios
        rankscale archetypes qrels.txt run.txt --table blocks
        rankscale archetypes qrels.txt runs/*.gz --table rankings -o rankings.tsv
    """
    check_arguments(archetypes, locals())
    check_missing(missing, compared=True)
    reading, judging = reading_of(options), judging_of(options)
    ratios = [kind(rel=rel, depth=depth) for kind in RATIOS.values()]
    judgments = read_qrels(qrels, max_size=reading.max_size)
    read = read_with_progress(judgments, runs, reading, progress)
    result = evaluate(judgments, read, ratios, missing=missing, **asdict(judging))
    check_topics(result)
    seen, condensed = judging.regraded(judgments), judging.judged_only
    kinds = np.concatenate([_kinds(batch, seen, depth, rel, judged_only=condensed) for batch in batches(read, [])])
    recall_base = seen.recall_base(rel)
    kinds = frozen(np.where(result.retrieved, kinds, -1))
    notices = (*_once(result, seen), *notes(_cautions(recall_base, depth)))
    return Archetypes(result, kinds, frozen(recall_base), frozen(seen.counts), depth, rel, notices)


def _once(result: Evaluation, qrels: Qrels) -> tuple[Notice, ...]:
    """The notices of an evaluation of all ratios, which are undefined together: those on values of the first alone."""
    others = tuple(notice for notice in result.notices if notice.kind not in {"odd values", "caution"})
    return (*others, *value_notices(result.measures[:1], result.values[:1], result.retrieved, qrels))


def _cautions(recall_base: Ints, depth: int) -> Iterator[str]:
    share = float(np.mean(2 * recall_base > depth))
    if share >= MANY_PADDED:
        yield (
            f"{share:.0%} of the topics have 2RB beyond depth {depth}: their rankings are padded, and CRP may have "
            "come back to 0 only below the cut; give a greater depth, or a higher rel"
        )


def _kinds(runs: Sequence[Run], qrels: Qrels, depth: int, rel: float, *, judged_only: bool) -> Ints:
    """(run, topic): the archetypes of some runs, those of missing topics as of empty rankings."""
    topics = len(qrels.topics)
    together = concatenate([run.completed(topics) for run in runs])
    if not judged_only:  # all that is not relevant is alike
        together = together.without(qrels.levels < rel, qrels)
    names: list[str] = []
    for _, judged in together.blocks(qrels):
        names += archetype(judged.only_judged() if judged_only else judged, depth, rel).tolist()
    place = {"": -1, **{name: number for number, name in enumerate(ARCHETYPES)}}
    return np.array([place[name] for name in names]).reshape(len(runs), topics)


def _shares(kinds: Ints) -> dict[str, list[Cell]]:
    """Columns: how many rankings each row has, and the share of each archetype among them."""
    rankings = np.count_nonzero(kinds >= 0, axis=-1).tolist()
    columns: dict[str, list[Cell]] = {"rankings": rankings}
    for place, name in enumerate(ARCHETYPES):
        counts = np.count_nonzero(kinds == place, axis=-1).tolist()
        columns[name.replace(" ", "_")] = [share_of(*both) for both in zip(counts, rankings, strict=True)]
    return columns


COMMAND = Declaration(
    archetypes,
    source="runs",
    shared=("collections", "missing", "relevance", "grades", "judged_only", "reading"),
    tables=("collection", "merged", "ratios", "runs", "topics", "rankings", "blocks"),
)
