"""One ranking, rank by rank: relative positions, their sum CRP, the points that CRP is read by, discounted gains."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Unpack

import numpy as np

from rankscale.data.arrays import UNJUDGED, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.data.names import place_of
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.curves.tracer import ideal_rankings
from rankscale.evaluation.options import RankingOptions, judging_of, reading_of
from rankscale.inputs.options import whole_number
from rankscale.inputs.read import QrelsLike, RunsLike, iterate_runs, read_qrels
from rankscale.measures.base.additive import Additive
from rankscale.measures.crp import CRP, TurnAround
from rankscale.measures.families.relative_position import DEPTH, FullScale, fallen, positions
from rankscale.measures.twist import Balance

EARLY, IN_PLACE, LATE = "too early", "in place", "too late"
KINDS = (LATE, IN_PLACE, EARLY)
NEVER_BACK = "It never comes back to 0, so there is no balance point"
STRAIGHT = 1e-12  # a change of slope below this is none
SINGLE_CELLS = 80  # ranks that are drawn cell by cell; where there are more, neighbours of one kind are one cell


@dataclass(frozen=True, eq=False)
class TopicCourse:
    """One topic of one run, seen through the qrels, cut at the depth."""

    run: str
    topic: str
    judged: Judged  # of one ranking
    documents: tuple[str, ...]  # their names, where they are known
    depth: int
    rel: float
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, eq=False)
class Course:
    """How CRP goes down one ranking, N ranks long, and what the full scale does."""

    rp: Ints  # (rank,)
    crp: Ints  # (rank,)
    full_scale: Ints  # (rank,), CRP of the ideal ranking reversed
    grades: tuple[float | None, ...]  # by rank; None where nobody judged
    recall_base: int
    turn_around: int  # the first rank at which CRP is lowest
    balance: float  # infinite where CRP never comes back to 0
    full_scale_balance: float
    last_relevant: int  # the rank of the last relevant document retrieved, 0 if there is none

    @property
    def length(self) -> int:
        """N: the evaluation length."""
        return len(self.crp)

    @property
    def telling(self) -> int:
        """The last rank that is worth drawing: 2 RB, or the last relevant document, from which on CRP stays."""
        beyond = max(2, self.last_relevant // 50)  # a little more, so that it is seen to stay
        return min(self.length, max(2 * self.recall_base, self.last_relevant + beyond, 4))

    def rows(self, documents: Sequence[str] = ()) -> Table:
        """Rank by rank: document, grade, RP, CRP, and CRP of the full scale."""
        names = [*documents[: self.length], *[None] * (self.length - len(documents))]
        return Table(
            {
                "rank": list(range(1, self.length + 1)),
                "document": names,
                "grade": list(self.grades),
                "RP": self.rp.tolist(),
                "CRP": self.crp.tolist(),
                "full_scale": self.full_scale.tolist(),
            }
        )

    def corners(self, last: int) -> Table:
        """CRP and that of the full scale at the ranks where one of them bends: all that lines need."""
        return line_corners(last, CRP=self.crp, full_scale=self.full_scale)

    def crp_corners(self, last: int) -> Table:
        """The same of CRP alone: rank, CRP."""
        columns = self.corners(last).columns
        return Table({axis: columns[axis] for axis in ("rank", "CRP")})

    def cells(self, last: int) -> Table:
        """The RP bar down to a rank: a cell for each rank, or for neighbours of one kind where ranks are many."""
        kinds = [LATE if rp > 0 else EARLY if rp < 0 else IN_PLACE for rp in self.rp[:last].tolist()]
        ranks: list[list[int]] = [[place] for place in range(last)]
        if last > SINGLE_CELLS:
            ranks = [list(group) for _, group in groupby(range(last), key=lambda place: kinds[place])]
        return Table(
            {
                "first": [group[0] + 1 for group in ranks],
                "last": [group[-1] + 1 for group in ranks],
                "kind": [kinds[group[0]] for group in ranks],
                "RP": [int(self.rp[group].sum()) for group in ranks],
                "CRP": [int(self.crp[group[-1]]) for group in ranks],
            }
        )

    def facts(self) -> dict[str, Cell]:
        """What is marked in a small plot, and how the curve ends."""
        return {
            "recall_base": self.recall_base,
            "turn_around_point": self.turn_around,
            "balance_point": int(self.balance) if math.isfinite(self.balance) else None,
            "last_CRP": int(self.crp[-1]),
        }

    def sentence(self) -> str:
        """The main numbers."""
        lowest = int(self.crp[self.turn_around - 1])
        falls = f"CRP is lowest at its turn-around point, rank {self.turn_around}, with {lowest}"
        balance = NEVER_BACK
        if math.isfinite(self.balance):
            below = ", the last before it comes back to 0" * bool(self.crp[int(self.balance) - 1] < 0)
            balance = f"Its balance point is rank {self.balance:.0f}{below}"
        return (
            f"With a recall base of {self.recall_base}, {falls if lowest < 0 else 'CRP never falls below 0'}. "
            f"{balance}, and it ends with {self.crp[-1]} at rank {self.length}; that of the full scale is "
            f"{self.full_scale[-1]} there."
        )


def course_of_topic(run: Run, qrels: Qrels, topic: str, *, judged_only: bool, depth: int, rel: float) -> Course:
    """How CRP goes down the ranking of one topic of a run that has one for every topic, be it empty."""
    place = place_of(qrels.topics, topic, "topic", f"{qrels.source} has")
    judged = run.judged(qrels, place, place + 1)
    return course(judged.only_judged() if judged_only else judged, depth, rel)


def line_corners(last: int, **curves: Floats | Ints) -> Table:
    """Rank and curves at the first rank, the last, and all at which one of the curves does not go straight on.

    >>> line_corners(5, CRP=np.array([0, 0, 0, 1, 2])).columns
    {'rank': [1, 3, 5], 'CRP': [0, 0, 2]}
    """
    turns = np.zeros(last, dtype=bool)
    turns[[0, -1]] = True
    for curve in curves.values():
        turns[1:-1] |= np.abs(np.diff(curve[:last], 2)) > STRAIGHT
    kept = np.flatnonzero(turns)
    return Table({"rank": (kept + 1).tolist(), **{name: curve[kept].tolist() for name, curve in curves.items()}})


def read_ranking(
    qrels: QrelsLike,
    run: RunsLike,
    topic: str,
    *,
    depth: int | None = None,
    rel: float = 1,
    **options: Unpack[RankingOptions],
) -> TopicCourse:
    """One ranking of one run; topics that the run or the qrels do not have are refused."""
    depth = checked_depth(depth)
    reading, judging = reading_of(options), judging_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    runs = list(iterate_runs(judgments, run, replace(reading, keep_documents=True)))
    if len(runs) != 1:
        raise ParameterError(f"a ranking is drawn of one run, got {len(runs)}")
    (read,) = runs
    seen = judging.regraded(judgments)
    topic = str(topic)
    row = place_of(seen.topics, topic, "topic", f"{judgments.source} has")
    there = read.rows.tolist()
    if row not in there:
        raise ParameterError(f"{read.source or read.name} has no ranking for topic {topic}")
    place = there.index(row)
    names = read.documents[place] if read.documents is not None and not judging.judged_only else ()
    ranking = ranking_of(read, seen, place, depth=depth, rel=rel, judged_only=judging.judged_only)
    return replace(ranking, documents=names[:depth], notices=(*judgments.notices, *read.notices))


def ranking_of(run: Run, qrels: Qrels, place: int, *, depth: int | None, rel: float, judged_only: bool) -> TopicCourse:
    """The ranking number `place` of a run, cut at `depth`, without names of documents.

    Raises
    ------
    ParameterError
        If no document of the topic has grade `rel` or more.
    """
    depth = checked_depth(depth)
    topic = qrels.topics[int(run.rows[place])]
    judged = run.judged(qrels, place, place + 1)
    judged = judged.only_judged() if judged_only else judged
    if not judged.recall_base(rel)[0]:
        raise ParameterError(f"topic {topic} has no document of grade {rel:g} or more: there is no ideal ranking")
    return TopicCourse(run.name, topic, judged.cut(depth), (), depth, rel)


def checked_depth(depth: int | None) -> int:
    """Where rankings are cut, 1000 unless something else is requested."""
    return whole_number("depth", depth) or DEPTH


def course(judged: Judged, depth: int | None = None, rel: float = 1) -> Course:
    """How CRP goes down a ranking (one topic), cut at `depth`, 1000 if none is given.

    >>> from rankscale.data.judged import judged
    >>> one = course(judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0"), depth=15)
    >>> one.crp.tolist()
    [0, -6, -8, -12, -11, -13, -14, -14, -9, -6, -6, -6, 5, 12, 12]
    >>> one.recall_base, one.turn_around, one.balance, one.full_scale_balance
    (7, 7, 12.0, 13.0)
    """
    depth = checked_depth(depth)
    seen = judged.cut(depth)
    of = positions(seen, rel)
    recall_base = int(of.recall_base[0, 0])
    length = max(depth, 2 * recall_base)
    full_scale = FullScale(of, np.array([[length]]))
    ranks = np.arange(1, length + 1)
    met = np.clip(ranks - (length - recall_base), 0, recall_base)  # nothing relevant down to rank N - RB, then all
    table = seen.every_rank(length)
    crp = CRP(rel=rel).curve(table)[0].astype(np.int64)
    return Course(
        rp=np.diff(crp, prepend=0),
        crp=crp,
        full_scale=np.where(met > 0, full_scale.crp_after(met[None])[0], fallen(ranks, np.array([recall_base]))),
        grades=tuple(None if code == UNJUDGED else float(seen.levels[code]) for code in table.code[0].tolist()),
        recall_base=recall_base,
        turn_around=int(TurnAround(rel=rel, depth=depth).value(seen)[0]),
        balance=float(Balance(rel=rel, depth=depth).value(seen)[0]),
        full_scale_balance=float(full_scale.balance("return")[0, 0]),
        last_relevant=int(of.rank.max(initial=0)),
    )


def discounted_gains(dcg: Additive, judged: Judged, last: int) -> tuple[Floats, Floats]:
    """(rank,) twice: discounted gains of the ranking, and of the ideal ranking, down to a rank."""
    best = ideal_rankings(dcg.of_ideal, judged.counts, judged.levels, judged.highest)
    per_level, weight = dcg.gain(judged.levels, judged.highest), dcg.weight(np.arange(1, last + 1))
    own, ideal = (
        weight * table.every_rank(last).worth(per_level, unjudged)[0]
        for table, unjudged in ((judged, dcg.unjudged_gain), (best, dcg.of_ideal.unjudged_gain))
    )
    return own, ideal
