"""Equivalence of pairs of runs: whether each difference of means lies within a margin on both sides."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.measures.base.measure import Measure
from rankscale.stats.corrections import WHOSE, correct
from rankscale.stats.margin import Given, Margin, limits, shown_margin
from rankscale.stats.noninferiority import differences, equivalence, student
from rankscale.stats.tests.base.test import Pairs


@dataclass(frozen=True, eq=False)
class Equivalence:
    """Two one-sided tests (TOST) of each pair, by Student's t.

    Attributes
    ----------
    margin : Margin
        As it was given.
    margins : array (pair,)
        In values of the measure; a relative one is a share of the mean of the second run, or of geometric means the
        share itself.
    p_uncorrected, p : array (pair,)
        p-values, and those corrected for the number of pairs; NaN where a pair cannot be tested.
    """

    margin: Margin
    margins: Floats
    p_uncorrected: Floats
    p: Floats
    correction: str
    alpha: float

    @property
    def equivalent(self) -> Bools:
        """(pair,): whether the difference is shown to be smaller than the margin."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

    def sentence(self) -> str:
        """How many pairs are equivalent; the others are not shown to differ."""
        how = "" if self.correction == "none" else f", {WHOSE[self.correction]} correction"
        shown, of = int(self.equivalent.sum()), len(self.p)
        others = "; the others are not shown to be equivalent" if 0 < shown < of else ""
        pairs = "1 pair is" if of == 1 else f"{of:,} pairs are"
        return (
            f"{shown:,} of {pairs} shown to be equivalent within {self.margin} (two one-sided t tests{how}, alpha "
            f"{self.alpha:g}){others}"
        )


def equivalences(
    measure: Measure, values: Floats, pairs: Pairs, margin: Given, correction: str, alpha: float
) -> Equivalence:
    """Test pairs of runs, given values (topic, run), on the topics on which both have one.

    >>> from rankscale.measures.precision import P
    >>> values, pair = np.array([[0.40, 0.42], [0.33, 0.31], [0.54, 0.55], [0.19, 0.20]]), Pairs(*np.array([[0], [1]]))
    >>> equivalences(P(depth=100), values, pair, 0.05, "holm", 0.05).p.round(4)
    array([0.0069])
    """
    read = Margin.of(margin, "--equivalence (equivalence= in Python)")
    tested, (lower, upper) = measure.averaged(values), limits(measure, read)
    margins, p = np.empty(len(pairs)), np.empty(len(pairs))
    for place, runs in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        both = tested[:, runs]
        first, second = both[~np.isnan(both).any(axis=1)].T
        with np.errstate(invalid="ignore"):  # of infinite values
            mean = float(second.mean()) if len(second) else np.nan
        margins[place] = shown_margin(measure, read, mean)
        p[place] = equivalence(differences(first, second), second, student, lower, upper)
    return Equivalence(read, margins, p, correct(p, correction), correction, alpha)
