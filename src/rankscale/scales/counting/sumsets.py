"""All sums of one value from each group, labelled by the documents that they take.

A universe may hold only so many documents of a kind. Then each sum carries a label: the least numbers of documents,
by kind, that rankings with this sum take. Sums of two labels can stand in one ranking if some choice of the two is
allowed. Where there is no end of documents, all sums share one label.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, NDArray
from rankscale.errors import ScaleError
from rankscale.scales.counting.groups import Group
from rankscale.scales.counting.image import Limits

MOST_LABELS = 1 << 13

Taken = tuple[int, ...]  # documents of each kind
Label = frozenset[Taken]
Numbers = NDArray[np.int64]  # Python integers where these would overflow; long doubles for displayed values


class Value(NamedTuple):
    """A value of a group with the documents that it takes."""

    place: int  # among the values of the group
    label: Label
    weight: int  # how many assignments of gains it stands for


class Listed(NamedTuple):
    """Sums, and what each of them carries along."""

    sums: Numbers
    carried: Numbers | None


class Documents:
    """What there is of each kind of document, and so which labels go together."""

    def __init__(self, groups: Sequence[Group], limits: Limits | None) -> None:
        depth = sum(len(group.ranks) for group in groups)
        gains = len(groups[0].gains)
        # A limit that no ranking can reach is none, and every limit less means fewer labels.
        binding = [kind for kind, most in enumerate(limits.most) if most < depth] if limits else []
        self.most: Taken = tuple(limits.most[kind] for kind in binding) if limits else ()
        kinds = limits.kinds if limits else (-1,) * gains
        self.limits = Limits(tuple(binding.index(kind) if kind in binding else -1 for kind in kinds), self.most)
        self.nothing: Label = frozenset({(0,) * len(self.most)})
        self.usages = [self._with_all_kinds(group.usages(self.limits.kinds)) for group in groups]
        self._joined: dict[tuple[Label, Label], Label] = {}

    def _with_all_kinds(self, usages: Iterable[Mapping[Taken, int]]) -> tuple[Mapping[Taken, int], ...]:
        """Usages by all kinds, also where no gain takes the last of them; those that are too many are left out."""
        width = len(self.most)
        padded = ({(*taken, *(0,) * (width - len(taken))): n for taken, n in options.items()} for options in usages)
        return tuple({taken: n for taken, n in options.items() if self.limits.allow(taken)} for options in padded)

    def values(self) -> list[list[Value]]:
        """For each group its values, each of them once, with the least that it takes."""
        return [
            [Value(place, least(options), 1) for place, options in enumerate(usages) if options]
            for usages in self.usages
        ]

    def assignments(self) -> list[list[Value]]:
        """For each group its values, once for every number of documents that they can take."""
        return [
            [
                Value(place, frozenset({taken}), n)
                for place, options in enumerate(usages)
                for taken, n in options.items()
            ]
            for usages in self.usages
        ]

    def multiplicity(self, places: Sequence[int]) -> int:
        """How many rankings have these values of the groups; none if that takes more documents than there are."""
        counts: dict[Taken, int] = dict.fromkeys(self.nothing, 1)
        for usages, place in zip(self.usages, places, strict=True):
            following: dict[Taken, int] = defaultdict(int)
            for taken, count in counts.items():
                for more, number in usages[place].items():
                    following[_sum(taken, more)] += count * number
            counts = {taken: count for taken, count in following.items() if self.limits.allow(taken)}
        return sum(counts.values())

    def join(self, one: Label, other: Label) -> Label:
        """The label of sums of the two; empty if no ranking can have both."""
        if (one, other) not in self._joined:
            both = {_sum(a, b) for a in one for b in other}
            self._joined[one, other] = least(taken for taken in both if self.limits.allow(taken))
        return self._joined[one, other]

    def together(self, some: Sequence[Label], others: Sequence[Label]) -> Bools:
        """(label of some, label of others): whether a ranking can have both."""
        (of_some, some_taken), (of_others, others_taken) = _memberships(some), _memberships(others)
        allowed = np.all(some_taken[:, None, :] + others_taken[None, :, :] <= np.array(self.most, dtype=np.int64), -1)
        possible: Bools = of_some @ allowed.astype(np.float32) @ of_others.T > 0
        return possible

    def counts(self, values: Iterable[Sequence[Value]]) -> list[dict[Label, int]]:
        """How many sums of the first 0, 1, 2, ... groups there are, by label."""
        steps = [dict.fromkeys([self.nothing], 1)]
        for group in values:
            by_label: dict[Label, int] = defaultdict(int)
            for value in group:
                by_label[value.label] += 1
            following: dict[Label, int] = defaultdict(int)
            for label, count in steps[-1].items():
                for more, times in by_label.items():
                    following[self.join(label, more)] += count * times
            following.pop(frozenset(), None)
            if len(following) > MOST_LABELS:
                raise ScaleError(
                    "there are too many combinations of documents to count exactly: "
                    "take a smaller depth, fewer grades, or universe='all'"
                )
            steps.append(dict(following))
        return steps

    def sums(
        self,
        values: Iterable[Sequence[Value]],
        numbers: Sequence[Numbers],
        carried: tuple[np.ufunc, Sequence[Numbers]] | None = None,
        at_most: int | None = None,
    ) -> dict[Label, Listed]:
        """All sums by label, unsorted, where `numbers` are the values of each group.

        `carried` gives what comes along with each of `values`, and how that of two groups is joined. With `at_most`
        only so many sums of each label are kept, the least ones.
        """
        join, alongs = carried or (np.add, None)
        identity = None if alongs is None else np.full(1, join.identity, dtype=alongs[0].dtype if alongs else np.int64)
        sums = {self.nothing: Listed(np.zeros(1, dtype=numbers[0].dtype if numbers else np.int64), identity)}
        for group, (entries, worth) in enumerate(zip(values, numbers, strict=True)):
            pieces: dict[Label, list[Listed]] = defaultdict(list)
            for label, listed in sums.items():
                for entry, value in enumerate(entries):
                    along = None if alongs is None else join(listed.carried, alongs[group][entry])
                    pieces[self.join(label, value.label)].append(Listed(listed.sums + worth[value.place], along))
            pieces.pop(frozenset(), None)
            sums = {label: concatenated(lists) for label, lists in pieces.items()}
            if at_most is not None:
                sums = {label: Listed(_lowest(listed.sums, at_most), None) for label, listed in sums.items()}
        return sums


def least(options: Iterable[Taken]) -> Label:
    """The minimal ones: no other takes at most as many documents of every kind.

    >>> sorted(least([(2, 0), (1, 1), (2, 1), (0, 3)]))
    [(0, 3), (1, 1), (2, 0)]
    """
    kept: list[Taken] = []
    for taken in sorted(options, key=lambda taken: (sum(taken), taken)):
        if not any(all(a <= b for a, b in zip(less, taken, strict=True)) for less in kept):
            kept.append(taken)
    return frozenset(kept)


def concatenated(lists: Sequence[Listed]) -> Listed:
    """One after the other."""
    if len(lists) == 1:
        return lists[0]
    carried = [listed.carried for listed in lists if listed.carried is not None]
    return Listed(np.concatenate([listed.sums for listed in lists]), np.concatenate(carried) if carried else None)


def ascending(lists: Sequence[Listed]) -> Listed:
    """All of them in one list, sorted by the sums."""
    sums, carried = concatenated(lists)
    if carried is None:
        return Listed(np.sort(sums), None)
    order = np.argsort(sums)
    return Listed(sums[order], carried[order])


def _lowest(numbers: Numbers, count: int) -> Numbers:
    return numbers if len(numbers) <= count else np.partition(numbers, count)[:count]


def _sum(one: Taken, other: Taken) -> Taken:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _memberships(labels: Sequence[Label]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """(label, number): which of all distinct numbers of documents each label holds; and these numbers."""
    column = {taken: place for place, taken in enumerate(sorted(frozenset().union(*labels)))}
    members = np.zeros((len(labels), len(column)), dtype=np.float32)
    for row, label in enumerate(labels):
        members[row, [column[taken] for taken in label]] = 1
    return members, np.array(list(column), dtype=np.int64).reshape(len(column), -1)
