"""Many comparisons at once: p-values corrected for their number, and groups of runs that do not differ.

Groups are shown by letters, and as bars of a critical-difference diagram.
"""

import string
from collections.abc import Mapping

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import UnknownNameError

CORRECTIONS: Mapping[str, str] = {
    "none": "no correction: each comparison by itself",
    "bonferroni": "Bonferroni: the chance of any false difference is kept below alpha",
    "holm": "Holm 1979: the chance of any false difference is kept below alpha; never less powerful than Bonferroni",
    "bh": "Benjamini and Hochberg 1995: the expected share of false differences among the significant ones is kept "
    "below alpha, for comparisons that are independent or positively dependent",
    "by": "Benjamini and Yekutieli 2001: the expected share of false differences among the significant ones is kept "
    "below alpha, whatever the dependence",
}
WHOSE: Mapping[str, str] = {
    "holm": "Holm's",
    "bonferroni": "Bonferroni's",
    "bh": "Benjamini and Hochberg's",
    "by": "Benjamini and Yekutieli's",
}
ALPHABET = string.ascii_lowercase + string.ascii_uppercase
SHORT: Mapping[str, str] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
}
ALONE = "this pair alone"  # the family of a p-value that holds for one pair of runs by itself


def family(tests: int, correction: str, of: str = "pairs") -> str:
    """What p-values are corrected for, in words that stand beside each: a p-value alone says too much.

    >>> family(276, "holm"), family(276, "none"), family(1, "holm")
    ('276 pairs, Holm', 'this pair alone', 'this pair alone')
    >>> family(1200, "", of="pairs")
    '1,200 pairs, by the test itself'
    """
    if correction == "none" or tests < 2:
        return ALONE
    return f"{tests:,} {of}, {SHORT.get(correction, 'by the test itself')}"


def correct(p: Floats, method: str) -> Floats:
    """The p-values of comparisons made together; those that are NaN stay so and do not count.

    Holm's go from the smallest on: each times the number of comparisons that are left, and no smaller than the one
    before. Those of false discoveries go from the largest on: each times the number of comparisons over its place, and
    no larger than the one before; whatever the dependence, times the harmonic number of comparisons, too.

    >>> p = np.array([0.01, 0.04, np.nan, 0.03])
    >>> print(correct(p, "holm"))
    [0.03 0.06  nan 0.06]
    >>> print(correct(p, "bh"))
    [0.03 0.04  nan 0.04]
    """
    check_correction(method)
    corrected = np.array(p, dtype=np.float64)
    tested = ~np.isnan(corrected)
    known = corrected[tested]
    ascending, number = np.argsort(known), len(known)
    sorted_p = known[ascending]
    if method == "bonferroni":
        sorted_p = sorted_p * number
    elif method == "holm":
        sorted_p = np.maximum.accumulate(sorted_p * np.arange(number, 0, -1))
    elif method != "none":
        factor = harmonic_number(number) if method == "by" else 1.0
        steps = sorted_p[::-1] * factor * (number / np.arange(number, 0, -1))
        sorted_p = np.minimum.accumulate(steps)[::-1]
    known[ascending] = np.minimum(sorted_p, 1.0)
    corrected[tested] = known
    return corrected


def harmonic_number(number: int) -> float:
    """The sum of 1 / n for n from 1 to a number."""
    return float(np.sum(1.0 / np.arange(1, number + 1)))


def check_correction(method: str) -> None:
    """Raise UnknownNameError unless there is such a correction."""
    if method not in CORRECTIONS:
        raise UnknownNameError("correction", method, CORRECTIONS, f"there are {', '.join(CORRECTIONS)}")


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
