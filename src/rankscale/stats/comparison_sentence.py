"""A comparison in sentences: how many pairs differ, whether any do, and what the scale of the measure supports."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.names import counted_topics
from rankscale.data.notices import Spelling, in_python
from rankscale.stats.corrections import WHOSE
from rankscale.stats.dominance import crossing
from rankscale.stats.medians import compare_medians
from rankscale.stats.tests.base.test import Resampling, Test
from rankscale.stats.verdicts import MEDIAN, SUMMARIES, verdict

if TYPE_CHECKING:
    from rankscale.stats.comparison import Comparison


def sentence(about: "Comparison", spelling: Spelling = in_python, *, by_order: bool = True) -> str:
    """How many pairs differ, by which test, and whether the test is meaningful on the scale of the measure.

    `by_order` adds what the order of values alone supports: medians and quantiles.
    """
    number, of = int(about.significant.sum()), len(about.pairs)
    how = "" if about.correction == "none" else f", {WHOSE[about.correction]} correction"
    tested = f"{about.test.label}{how}, alpha {about.alpha:g}, {counted_topics(about.results.topics)}"
    parts = [
        f"{number:,} of {of:,} pairs differ significantly ({tested})",
        *([] if about.omnibus is None else [f"all runs together: {about.omnibus.text}"]),
        *([] if about.equivalence is None else [about.equivalence.sentence()]),
        str(about.verdict),
        *(_by_order(about, spelling) if by_order else ()),
        *too_few_samples(about.test, about.correction, of, about.alpha),
    ]
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


def _by_order(about: "Comparison", spelling: Spelling) -> Iterator[str]:
    """What the order of values alone supports: medians and quantiles."""
    of_pairs = f"{len(about.pairs):,} pairs"
    crossings = crossing(about.dominances) if about.sums is None else 0  # sums do not know quantiles
    if about.summarised_by != "mean":
        mixing = verdict(about.measure, MEDIAN, about.levels)
        if not mixing.meaningful:
            yield str(mixing)
        relations = [
            compare_medians(about.medians[one], about.medians[other])
            for one, other in zip(about.pairs.first.tolist(), about.pairs.second.tolist(), strict=True)
        ]
        apart = sum(relation in {"above", "below"} for relation in relations)
        yield f"in {apart:,} of {of_pairs} one median is above the other"
        yield f"in {len(about.pairs) - crossings:,} one run is at least as high at every quantile"
    elif about.is_ordinal:
        of_means = verdict(about.measure, SUMMARIES[about.measure.summary], about.levels)
        if about.verdict.meaningful:  # the test needs only an order, the means in the table need more
            yield str(of_means)
        yield of_means.way_out(spelling)
        if crossings:
            which = f"the quantiles of {crossings:,} of {of_pairs} cross"
            yield f"{which}: some map that keeps the order of values reverses the order of their means"


def too_few_samples(test: Test, correction: str, pairs: int, alpha: float) -> Iterator[str]:
    """A warning if even the smallest p-value of a resampling test would not be significant once corrected."""
    if not isinstance(test, Resampling) or correction == "none":
        return
    # If all pairs have the smallest p-value, 'bh' leaves it as it is and 'by' multiplies it by the harmonic number;
    # the other corrections multiply it by the number of pairs.
    factors = {"bh": 1.0, "by": float(np.sum(1.0 / np.arange(1, pairs + 1)))}
    needed = int(factors.get(correction, pairs) / alpha + 1e-9)  # 49, not 48.999
    if test.samples < needed:
        yield (
            f"{test.samples:,} samples are too few for {pairs:,} pairs: no corrected p-value can be below {alpha:g}; "
            f"take {needed:,} or more, a baseline, or correction='bh' or 'none'"
        )
