"""Mean changes on interval scales: over which measures and tests they are taken, and how sure they are.

What a test says of a measure can change on its interval version for two reasons: the values of the measure are not
equally spaced and the test asks for that, or each topic has a scale of its own and the test mixes topics. Where neither
is so nothing can change, and the mean is taken over the other cells (Ferrante, Ferro and Fuhr, IEEE Access 9, 2021,
section VIII-C, whose 25% is such a mean).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from rankscale.measures.base.measure import Measure
from rankscale.stats.tests.base.test import Test
from rankscale.stats.verdicts import Verdict

NORMAL_975 = 1.959963984540054  # 95% of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class ChangeCell:
    """A measure and a test: pairs lost (S2NS), gained (NS2S), and both, over the significant ones; NaN if none is."""

    measure: Measure
    test: Test
    verdict: Verdict  # on the test with the measure
    lost: float
    gained: float
    change: float

    @property
    def can_change(self) -> bool:
        """Whether anything can: not where all topics share a scale, and it is one that the test asks for."""
        return self.measure.topic_scales or not self.verdict.equal_steps


@dataclass(frozen=True)
class Selection:
    """Measures and tests that are averaged."""

    name: str
    what: str
    holds: Callable[[ChangeCell], bool]


SELECTIONS = (
    Selection(
        "can change",
        "all but measures on one interval scale and, of measures without the recall base, ordinal tests",
        lambda one: one.can_change,
    ),
    Selection(
        "spacing",
        "of these, measures without the recall base: tests of an interval scale",
        lambda one: one.can_change and not one.measure.topic_scales,
    ),
    Selection(
        "recall base",
        "of these, measures with the recall base: tests of an ordinal scale",
        lambda one: one.measure.topic_scales and one.test.asks == "ordinal",
    ),
    Selection(
        "recall base and spacing",
        "of these, measures with the recall base: tests of an interval scale",
        lambda one: one.measure.topic_scales and one.test.asks != "ordinal",
    ),
    Selection("all", "every measure and test", lambda _: True),
)


@dataclass(frozen=True)
class MeanChange:
    """Means over the cells of a selection: a cell is a measure and a test."""

    selection: Selection
    cells: int  # averaged
    undefined: int  # left out, since no pair is significant
    change: float
    half_width: float  # of the 95% interval of the mean change, cells taken as independent
    lost: float
    gained: float

    @property
    def what(self) -> str:
        """Which measures and tests."""
        return self.selection.what


def mean_change(cells: Sequence[ChangeCell], selection: Selection) -> MeanChange:
    """Means over those cells that a selection holds."""
    selected = [one for one in cells if selection.holds(one)]
    values = np.array([(one.change, one.lost, one.gained) for one in selected]).reshape(-1, 3)
    defined = values[~np.isnan(values[:, 0])]
    number = len(defined)
    change, lost, gained = defined.mean(axis=0).tolist() if number else (float("nan"),) * 3
    error = float(defined[:, 0].std(ddof=1)) / sqrt(number) if number > 1 else float("nan")
    return MeanChange(selection, number, len(selected) - number, change, NORMAL_975 * error, lost, gained)


def mean_changes(cells: Sequence[ChangeCell]) -> Mapping[str, MeanChange]:
    """Means of every selection, by its name."""
    return {one.name: mean_change(cells, one) for one in SELECTIONS}
