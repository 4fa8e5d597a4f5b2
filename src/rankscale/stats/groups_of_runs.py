"""Groups of runs that do not differ: by letters, and as bars of a critical-difference diagram."""

import string

import numpy as np

from rankscale.data.arrays import Bools, Ints

ALPHABET = string.ascii_lowercase + string.ascii_uppercase


def letters(significant: Bools) -> list[str]:
    """For each run, best first, the groups it is in: runs share a letter exactly where they do not differ.

    `significant` is (run, run), symmetric. The first run differs from the last alone:

    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ['a', 'ab', 'b']

    After z comes A, after Z a2. No letter could be left out, though there may be a way with fewer: to find the fewest
    is out of reach for many runs.
    """
    groups = _needed(_covering(~np.asarray(significant, dtype=bool)))
    names = [_letter(number) for number in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if group[run])
        for run in range(len(significant))
    ]


def critical_groups(significant: Bools) -> list[list[int]]:
    """Runs that stand side by side, best first, none of which differ: those groups that no other holds.

    >>> critical_groups(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    [[0, 1], [1, 2]]

    Runs that differ from both neighbours are in none.
    """
    alike = ~np.asarray(significant, dtype=bool)
    groups: list[list[int]] = []
    end = 0  # of the last group: one that ends no later is within it
    for start in range(len(alike)):
        stop = start + 1
        while stop < len(alike) and alike[start:stop, stop].all():
            stop += 1
        if stop > max(end, start + 1):
            groups.append(list(range(start, stop)))
        end = max(end, stop)
    return groups


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn + 1) if turn else "")


def _covering(alike: Bools) -> list[Bools]:
    """Groups in which all are alike, as large as they can be, such that any two that are alike share one.

    Each begins with two that share none yet, the first run that has such a partner and the last of its partners: where
    all that stand between two alike runs are alike too, as after Tukey's test, these are all the largest groups.
    """
    np.fill_diagonal(alike, val=True)
    open_pairs = alike.copy()
    groups = []
    for run in range(len(alike)):
        while open_pairs[run].any():
            partner = int(np.flatnonzero(open_pairs[run])[-1])
            group = _largest(alike, open_pairs, [run, partner])
            open_pairs[np.ix_(group, group)] = False
            groups.append(np.isin(np.arange(len(alike)), group))
    return groups


def _largest(alike: Bools, open_pairs: Bools, members: list[int]) -> list[int]:
    """The group with all that are alike to all in it, first those that have most open pairs with it."""
    group = list(dict.fromkeys(members))
    candidates: Bools = np.logical_and.reduce(alike[group], axis=0)
    candidates[group] = False
    gains: Ints = open_pairs[group].sum(axis=0)
    while candidates.any():
        chosen = int(np.argmax(np.where(candidates, gains, -1)))
        group.append(chosen)
        candidates &= alike[chosen]
        candidates[chosen] = False
        gains = gains + open_pairs[chosen]
    return group


def _needed(groups: list[Bools]) -> list[Bools]:
    """Without groups whose pairs all share another one."""
    if not groups:
        return groups
    shared = np.sum([np.outer(group, group) for group in groups], axis=0)
    kept = []
    for group in reversed(groups):
        inside = np.outer(group, group)
        if (shared[inside] > 1).all():
            shared -= inside
        else:
            kept.append(group)
    return kept[::-1]
