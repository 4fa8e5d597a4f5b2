"""prefs_avgjg_Rnonrel as trec_eval has it: as many documents not relevant as relevant ones, defects and all."""

import math

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.measures.families.preference_counts import better_above

Counted = tuple[int, int, int, int, int]  # F2, P2, F1, P1, P0


def one_list_shares(place: Ints, number: Ints, relevant: Bools, held: int, counted: Counted) -> tuple[float, float]:
    """Of a weak order: both shares, of lines in the order of places, with the numbers of their classes.

    Where there are too many that are not relevant, preferences over the lowest class are counted anew: every line,
    those of the class itself too, against the first lines of the class.
    """
    f2, p2, f1, p1, p0 = counted
    wanted, met = int(relevant.sum()), int(relevant[:held].sum())
    others, others_met = len(number) - wanted, held - met
    lowest = number == number.max()
    total = (
        _filled(f2 + f1, p2 + p1 + p0, (met, wanted, wanted - others))
        if wanted >= others
        else _against_first(place, number, lowest, held, wanted, all_lines=True)
    )
    among_retrieved = (
        _filled(f2, p2, (met, wanted, met - others_met))
        if met >= others_met
        else _against_first(place, number, lowest, held, met, all_lines=False)
    )
    return total, among_retrieved


def several_lists_shares(preferred: Bools, level: Floats, held: int, counted: Counted) -> tuple[float, float]:
    """Of a table of places: both shares. A document of a negative level is neither relevant nor not."""
    f2, p2, f1, p1, p0 = counted
    relevant, other = level > 0, level == 0
    wanted, met = int(relevant.sum()), int(relevant[:held].sum())
    others, others_met = int(other.sum()), int(other[:held].sum())
    kept = ~other | (np.cumsum(other) <= wanted)  # the first ones, as many as there are relevant documents
    if wanted >= others:
        total = _filled(f2 + f1, p2 + p1 + p0, (met, wanted, wanted - others))
    else:
        among = preferred & kept & kept[:, None]
        fulfilled = int(np.count_nonzero(np.triu(among[:held])))
        total = _quotient(fulfilled, int(np.count_nonzero(among)))
    if met >= others_met:
        return total, _filled(f2, p2, (met, wanted, met - others_met))
    among = (preferred & kept & kept[:, None])[:held, :held]
    return total, _quotient(int(np.count_nonzero(np.triu(among))), int(np.count_nonzero(among)))


def _filled(fulfilled: int, possible: int, added: tuple[int, int, int]) -> float:
    """With imagined documents below everything: relevant ones retrieved, relevant ones, and how many are imagined."""
    met, wanted, imagined = added
    return _quotient(fulfilled + met * imagined, possible + wanted * imagined)


def _against_first(place: Ints, number: Ints, lowest: Bools, held: int, first: int, *, all_lines: bool) -> float:
    """The share of one list where the lowest class counts by its `first` lines only."""
    end = len(number) if all_lines else held
    kept = np.flatnonzero(lowest)[:first]
    kept = kept[kept < end]
    upper = ~lowest[:end]
    fulfilled = int(better_above(number[:held])[upper[:held]].sum())
    in_class = np.bincount(number[:end], minlength=int(number.max()) + 1)[:-1]
    possible = int(in_class @ (in_class.sum() - np.cumsum(in_class)))
    if all_lines:  # those that are missing are below those retrieved
        above = np.bincount(number[:held], minlength=len(in_class) + 1)
        missing = number[held:][upper[held:]]
        fulfilled += int(np.cumsum(above)[missing - 1][missing > 0].sum())
    above_kept = np.minimum(np.searchsorted(place, place[kept]), held)
    return _quotient(fulfilled + int(above_kept.sum()), possible + end * len(kept))


def _quotient(part: float, whole: int) -> float:
    return part / whole if whole else math.nan
