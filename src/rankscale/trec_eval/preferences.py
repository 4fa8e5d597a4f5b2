"""Preferences as trec_eval counts them, of one topic and one ranking, defects and all.

Documents are known by their place: those retrieved first, in the order of the ranking, then the others by their names.
A group with one list is a weak order, and is counted by its classes, by line; one with several lists is the
transitive closure of them all, and is counted by document in a table of places. prefs_avgjg_Rnonrel looks at as many
documents that are not relevant as relevant ones.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.measures.base.measure import added
from rankscale.measures.families.preferences import MOST_DOCUMENTS, better_above, closure
from rankscale.trec_eval.input_files import AssessorLines, OtherInputs, TopicJudgments, cannot_calculate
from rankscale.trec_eval.options import ABORT, MEASURE, Options, Quit

WHERE = "trec_eval.form_prefs_counts: "
CountedLines = tuple[int, int, int, int, int]  # F2, P2, F1, P1, P0


class GroupPreferences(NamedTuple):
    """Preferences of one group: fulfilled and possible with both documents retrieved, with one of them, with none."""

    f2: int
    p2: int
    f1: int
    p1: int
    p0: int
    share: float  # of all, with as many documents that are not relevant as relevant ones; NaN for 0/0
    share_ret: float


@dataclass(frozen=True)
class Seen:
    """A topic seen by a ranking."""

    topic: TopicJudgments
    place: Ints  # (document,)
    retrieved: int  # how many of the documents the ranking holds: places below this

    @classmethod
    def of(cls, topic: TopicJudgments, ranking: Ints) -> "Seen":
        """The topic as a ranking has it, given by the rows of the topic's documents that it holds, in order."""
        missing = np.setdiff1d(np.arange(len(topic.documents)), ranking)
        place = np.empty(len(topic.documents), dtype=np.int64)
        place[np.concatenate([ranking, missing]).astype(np.int64)] = np.arange(len(place))
        return cls(topic, place, len(ranking))

    def counts(self) -> list[GroupPreferences]:
        """Of each group."""
        groups = self.topic.groups
        return [self._one_list(group) if group.lists == 1 else self._several_lists(group) for group in groups]

    def _one_list(self, group: AssessorLines) -> GroupPreferences:
        order = np.argsort(self.place[group.document], kind="stable")
        place, level = self.place[group.document][order], group.level[order]
        _, number = np.unique(-level, return_inverse=True)  # of the class of each line: 0 is the highest level
        _check_levels(place, number)
        size = int(number.max()) + 1
        held = int(np.count_nonzero(place < self.retrieved))
        in_class, missing = (np.bincount(part, minlength=size) for part in (number[:held], number[held:]))
        f2 = int(better_above(number[:held]).sum())
        f1 = int(in_class @ _below(missing))
        p2, p0 = int(in_class @ _below(in_class)), int(missing @ _below(missing))
        p1 = held * (len(number) - held) - int(in_class @ missing)
        counted, reduced = (f2, p2, f1, p1, p0), partial(_against_first, place, number, held)
        return GroupPreferences(*counted, *both_shares(level > 0, ~(level > 0), held, counted, reduced))

    def _several_lists(self, group: AssessorLines) -> GroupPreferences:
        place = self.place[group.document]
        order = np.lexsort((place, -group.level, group.ordering))
        relevance = self._relevance(group, order)
        preferred = self.relation(group)
        both = preferred & preferred.T
        if both.any():
            first, second = np.argwhere(both)[0].tolist()
            raise Quit(
                ABORT,
                f"{WHERE}Pref inconsistency found\n"
                f"      internal rank {first} and internal rank {second} are conflicted",
            )
        counted = counted_in(preferred, self.retrieved)
        relevant, other = relevance > 0, relevance == 0  # a document of a negative level is neither
        kept = ~other | (np.cumsum(other) <= relevant.sum())  # the first others, as many as there are relevant ones
        reduced = partial(_among_first, preferred, kept, self.retrieved)
        return GroupPreferences(*counted, *both_shares(relevant, other, self.retrieved, counted, reduced))

    def relation(self, group: AssessorLines) -> Bools:
        """(place, place): whether the first document is preferred to the second, by one list or a chain of lists."""
        _refuse_many(len(self.place))
        preferred = np.zeros((len(self.place), len(self.place)), dtype=bool)
        place = self.place[group.document]
        for number in range(group.lists):
            lines = np.flatnonzero(group.ordering == number)
            first, second = np.nonzero(group.level[lines][:, None] > group.level[lines])
            preferred[place[lines[first]], place[lines[second]]] = True
        if group.lists == 1:
            return preferred
        closed = closure(preferred)
        np.fill_diagonal(closed, val=False)
        return closed

    def _relevance(self, group: AssessorLines, order: Ints) -> Floats:
        """(place,): the last level of each document; NaN where it has none."""
        level = np.full(len(self.place), np.nan)
        for line in order.tolist():
            document, now = int(group.document[line]), float(group.level[line])
            before = level[self.place[document]]
            if (before > 0 and now == 0) or (before == 0 and now > 0):
                name = self.topic.documents[document].decode("utf-8", "surrogateescape")
                raise Quit(MEASURE, f"{WHERE}doc '{name}' has both 0 and non-0 rel_level assigned\n")
            level[self.place[document]] = now
        return level

    def pairs(self) -> tuple[Floats, Floats, int]:
        """The shares of the pairs that are both retrieved, of those with one retrieved, and the number of all pairs.

        A share is how many of a pair's preferences want the document first that stands first.
        """
        size, held = len(self.place), self.retrieved
        _refuse_many(size)
        wanted = np.zeros((size, size), dtype=np.uint16)  # as in trec_eval: counts begin again after 65,535
        for group in self.topic.groups:
            if group.lists > 1:
                wanted += self.relation(group)
                continue
            place = self.place[group.document]
            lines = np.bincount(place, minlength=size).astype(np.uint16)
            level = np.zeros(size)
            level[place] = group.level
            wanted += (level[:, None] > level) * np.multiply.outer(lines, lines)
        number = int(np.count_nonzero(wanted | wanted.T)) // 2
        first, pairs = wanted[:held].astype(np.int32), wanted[:held].astype(np.int32) + wanted[:, :held].T
        both, one = np.triu(pairs[:, :held] > 0, 1), pairs[:, held:] > 0
        shares = [
            first[:, columns][chosen] / pairs[:, columns][chosen]
            for columns, chosen in ((slice(held), both), (slice(held, None), one))
        ]
        return shares[0], shares[1], number


def _refuse_many(documents: int) -> None:
    """Raise Quit where a table of all pairs would not fit into memory; trec_eval fails there, too."""
    if documents > MOST_DOCUMENTS:
        raise Quit(MEASURE, f"{WHERE}{documents} documents of a topic are too many for all pairs of them\n")


def _below(in_class: Ints) -> Ints:
    """(class,): how many there are in lower classes."""
    below: Ints = in_class.sum() - np.cumsum(in_class)
    return below


def counted_in(preferred: Bools, held: int) -> CountedLines:
    """F2, P2, F1, P1 and P0 of a table of places."""
    f2 = int(np.count_nonzero(np.triu(preferred[:held, :held])))
    p2, f1 = int(np.count_nonzero(preferred[:held, :held])), int(np.count_nonzero(preferred[:held, held:]))
    p1 = f1 + int(np.count_nonzero(preferred[held:, :held]))
    return f2, p2, f1, p1, int(np.count_nonzero(preferred[held:, held:]))


def _check_levels(place: Ints, number: Ints) -> None:
    """Raise Quit for a document with lines in two classes: the first in the order of classes, then of places."""
    if (np.diff(number)[np.diff(place) == 0] == 0).all():
        return
    classes = [set(place[number == one].tolist()) for one in range(int(number.max()) + 1)]
    for one, documents in enumerate(classes):
        for lower in classes[one + 1 :]:
            if twice := documents & lower:
                place = min(twice)
                raise Quit(MEASURE, f"{WHERE}Internal docid {place} occurs with different rel_level in same jsg\n")


def values(seen: Seen, wanted: set[str]) -> dict[str, float]:
    """The values of trec_eval's preference measures; those of pairs where they are wanted."""
    groups = seen.counts()
    f2, p2, f1, p1, p0 = (sum(column) for column in list(zip(*groups, strict=True))[:5])
    of_group = {
        "prefs_avgjg": [_ratio(g.f2 + g.f1, g.p2 + g.p1 + g.p0) for g in groups],
        "prefs_avgjg_Rnonrel": [g.share for g in groups],
        "prefs_avgjg_ret": [_ratio(g.f2, g.p2) for g in groups],
        "prefs_avgjg_Rnonrel_ret": [g.share_ret for g in groups],
        "prefs_avgjg_imp": [_ratio(g.f2 + g.f1, g.p2 + g.p1) for g in groups],
    }
    result = {
        "prefs_num_prefs_poss": p2 + p1 + p0,
        "prefs_num_prefs_ful": f2 + f1,
        "prefs_num_prefs_ful_ret": f2,
        "prefs_simp": _ratio(f2 + f1, p2 + p1 + p0),
        "prefs_simp_ret": _ratio(f2, p2),
        "prefs_simp_imp": _ratio(f2 + f1, p2 + p1),
        **{name: _mean(shares) for name, shares in of_group.items()},
    }
    if any(name.startswith("prefs_pair") for name in wanted):
        both, one, pairs = seen.pairs()
        total = float(added(np.concatenate([both, one])))
        result |= {
            "prefs_pair": _ratio(total, pairs),
            "prefs_pair_ret": _ratio(float(added(both)), len(both)),
            "prefs_pair_imp": _ratio(total, len(both) + len(one)),
        }
    return result


def _ratio(part: float, whole: int, nothing: float = 0.0) -> float:
    return part / whole if whole else nothing


def _mean(shares: list[float]) -> float:
    """The mean over groups, added one by one; 0 where one of them is 0/0."""
    mean = float(added(np.array(shares))) / len(shares)
    return 0.0 if np.isnan(mean) else mean


def both_shares(
    relevant: Bools, other: Bools, held: int, counted: CountedLines, reduced: Callable[[int, int], float]
) -> tuple[float, float]:
    """Of one group: the shares with as many documents that are not relevant, `other`, as relevant ones.

    Both columns are in the order of places. Where there are too many others, `reduced` counts anew, given where lines
    or places end, and how many are relevant down to there.
    """
    f2, p2, f1, p1, p0 = counted
    wanted, met = int(relevant.sum()), int(relevant[:held].sum())
    imagined, imagined_below = wanted - int(other.sum()), met - int(other[:held].sum())
    every = (met, wanted, imagined)
    share = _filled(f2 + f1, p2 + p1 + p0, every) if imagined >= 0 else reduced(len(relevant), wanted)
    retrieved = (met, wanted, imagined_below)
    return share, _filled(f2, p2, retrieved) if imagined_below >= 0 else reduced(held, met)


def _filled(fulfilled: int, possible: int, added: tuple[int, int, int]) -> float:
    """With imagined documents below everything: relevant ones retrieved, relevant ones, and how many are imagined."""
    met, wanted, imagined = added
    return _ratio(fulfilled + met * imagined, possible + wanted * imagined, math.nan)


def _against_first(place: Ints, number: Ints, held: int, end: int, first: int) -> float:
    """The share of one list, of lines down to an end, where the lowest class counts by its `first` lines only.

    Preferences over this class are counted anew: every line, those of the class itself too, against these lines.
    """
    lowest = number == number.max()
    kept = np.flatnonzero(lowest)[:first]
    kept = kept[kept < end]
    upper = ~lowest[:end]
    fulfilled = int(better_above(number[:held])[upper[:held]].sum())
    in_class = np.bincount(number[:end], minlength=int(number.max()) + 1)[:-1]
    # Those that are missing are below those retrieved.
    above = np.bincount(number[:held], minlength=len(in_class) + 1)
    missing = number[held:end][upper[held:]]
    fulfilled += int(np.cumsum(above)[missing - 1][missing > 0].sum())
    above_kept = np.minimum(np.searchsorted(place, place[kept]), held)
    return _ratio(fulfilled + int(above_kept.sum()), int(in_class @ _below(in_class)) + end * len(kept), math.nan)


def _among_first(preferred: Bools, kept: Bools, held: int, end: int, _first: int) -> float:
    """The share of several lists, of documents down to an end, where only those that are `kept` count."""
    among = (preferred & kept & kept[:, None])[:end, :end]
    return _ratio(int(np.count_nonzero(np.triu(among[:held]))), int(np.count_nonzero(among)), math.nan)


class Preferred:
    """Rankings of the documents that preferences name, ties by name ascending, cut at -M."""

    def __init__(self, inputs: OtherInputs, options: Options) -> None:
        self._inputs = inputs
        run = inputs.run
        rank = run.first + run.last - run.rank  # the names of tied documents, which stand together, the other way round
        depth = len(run.rank) + int(run.length.max(initial=0)) if options.depth is None else options.depth
        kept = rank <= depth
        topic = np.repeat(np.arange(len(run.rows)), np.diff(run.starts))[kept]
        order = np.lexsort((rank[kept], topic))
        ends = np.cumsum(np.bincount(topic, minlength=len(run.rows)))
        parts = np.split(run.document[kept][order], ends[:-1]) if len(run.rows) else []
        self._rankings: dict[int, Ints] = dict(zip(run.rows.tolist(), parts, strict=True))

    def seen(self, row: int) -> Seen:
        """One topic; where the run lacks it, nothing is retrieved."""
        return Seen.of(self._inputs.topics[row], self._rankings.get(row, np.zeros(0, dtype=np.int64)))


def preference_values(
    inputs: OtherInputs, options: Options, rows: Sequence[int], wanted: set[str], measure: str
) -> tuple[dict[str, Floats], Quit | None]:
    """(topic,) by name of the measure, under no name zeros; and what ended the evaluation, naming this measure."""
    preferred, counted = Preferred(inputs, options), []
    ended = None
    for row in rows:
        try:
            counted.append(values(preferred.seen(row), wanted))
        except Quit as quit_:
            if quit_.code == ABORT:  # which loses what was not yet written
                counted.clear()
                ended = quit_
            else:
                ended = Quit(quit_.code, f"{quit_.message}{cannot_calculate(measure)}")
            break
    columns = {name: np.array([of_topic.get(name, 0) for of_topic in counted], dtype=float) for name in wanted}
    return columns | {"": np.zeros(len(counted))}, ended
