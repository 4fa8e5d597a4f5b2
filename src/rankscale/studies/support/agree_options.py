"""Keywords of `agree`, for its two forms."""

from collections.abc import Sequence
from typing import Literal

from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics
from rankscale.stats.agreement.weights import Spacing
from rankscale.stats.tests.base.test import Test
from rankscale.studies.support.two_qrels import Judgments

Shares = Literal["none", "row", "column", "total"]  # what percentages of the matrix are of


class AgreeOptions(EvaluateOptions, total=False):
    """Keywords of `agree`."""

    judgments: Judgments
    rel: float
    levels: Sequence[float]
    spacing: Spacing
    shares: Shares
    test: str | Test
    alpha: float
    correction: str | None
    samples: int | None
    draws: int | str
    seed: int
    confidence: float
    unjudged_at: int
    missing: SameTopics
    progress: Progress | None
