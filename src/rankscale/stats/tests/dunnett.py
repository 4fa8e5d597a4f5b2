"""Dunnett's test: each run with one baseline, all at once."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.exact_sums import RunSums
from rankscale.errors import ParameterError
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.anova import Anova
from rankscale.stats.tests.base.many_to_one import ManyToOne
from rankscale.stats.tests.base.test import PairResults, Pairs
from rankscale.stats.tests.base.tukey import Means, analysed, check_finite, quotient


@dataclass(frozen=True)
class Dunnett(Anova):
    """Whether mean values differ from that of a baseline, once topics may be hard or easy for all runs alike.

    The error is that of the two-way analysis of variance, and each difference is compared with the largest that chance
    gives:

    >>> from rankscale.stats.tests.base.test import pairs_with
    >>> values = np.array([[1.0, 2.0, 4.0], [4.0, 5.0, 9.0]])
    >>> result = Dunnett().compare(values, pairs_with(3, 0))
    >>> result.difference, result.statistic.round(3), result.p.round(3)
    (array([1., 4.]), array([1.225, 4.899]), array([0.496, 0.06 ]))

    `df` is that of the error, or 'infinite'.
    """

    name: ClassVar[str] = "dunnett"
    aliases: ClassVar[tuple[str, ...]] = ("many-to-one",)
    label: ClassVar[str] = "Dunnett's test"
    help: ClassVar[str] = "means, each with that of the one `--baseline`, topics as a factor"
    topics: ClassVar[bool] = True
    needs_baseline: ClassVar[bool] = True
    paper: ClassVar[str] = "Dunnett, Journal of the American Statistical Association 50(272), 1955"

    def compare_together(self, sums: RunSums, pairs: Pairs, confidence: float) -> PairResults:
        """Differences of means; statistics are in standard errors of a difference."""
        check_finite(self.label, sums.infinite)
        if len(np.unique(pairs.second)) != 1 or len(np.unique(pairs.first)) != len(pairs):
            raise ParameterError(
                f"{self.label} compares each run with one baseline: give one, --baseline RUN (baseline= in Python), or "
                "take 'two-way', which compares all pairs"
            )
        means, analysis = analysed(sums, self.df, topics=self.topics)
        result = with_baseline(means, pairs, confidence)
        effects = {"d": quotient(result.difference, math.sqrt(analysis.mean_error))}
        return PairResults(
            **{name: getattr(result, name) for name in ("difference", "p", "topics", "statistic", "lower", "upper")},
            effects=effects,
            omnibus=analysis.omnibus(),
            corrected=True,
        )


def with_baseline(means: Means, pairs: Pairs, confidence: float) -> PairResults:
    """Differences from the baseline against the largest that chance gives; without any error, where means differ."""
    check_confidence(confidence)
    difference = means.means[pairs.first] - means.means[pairs.second]
    difference = np.where(np.abs(difference) <= means.rounding, 0.0, difference)
    distribution = ManyToOne(len(pairs), means.df)
    error = math.sqrt(2 * means.variance)
    t = quotient(difference, error)
    reach = distribution.critical(1 - confidence) * error
    return PairResults(
        difference=difference,
        p=np.where(np.isinf(t), 0.0, distribution.p(np.where(np.isinf(t), 0.0, t))),
        topics=np.full(len(pairs), means.topics),
        statistic=t,
        lower=difference - reach,
        upper=difference + reach,
        corrected=True,
    )
