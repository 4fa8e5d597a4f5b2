"""Data for the scripts of a page: arrays as base64, runs in the order of the leaderboard."""

import base64

import numpy as np

from rankscale.answers.standing import interval_words, pair_intervals
from rankscale.data.arrays import Floats, NDArray
from rankscale.data.table import readable
from rankscale.measures.base.measure import Measure
from rankscale.reporting.results import Results

MOST_PAIRS = 20_000  # beyond which a page has only those with the best run, or with the baseline


def packed(array: NDArray[np.generic], kind: str) -> str:
    """An array as little-endian numbers of a kind such as 'f4', 'u2' or 'u1', in base64."""
    with np.errstate(over="ignore"):  # what 4 bytes have no room for is infinite
        return base64.b64encode(np.ascontiguousarray(array).astype(f"<{kind}").tobytes()).decode()


def values_data(results: Results) -> dict[str, object]:
    """Names of runs and topics, and the values of the main measure (run, topic), which several sections draw."""
    main = results.main
    return {
        "runs": list(map(readable, results.comparison.runs)),
        "topics": list(map(readable, results.evaluation.topics)),
        "measure": str(main),
        "direction": 0 if main.direction_note else -1 if main.low_is_good else 1,
        "values": packed(ordered_values(results, main), "f4"),
    }


def ordered_values(results: Results, measure: Measure) -> Floats:
    """(run, topic): values of a measure, the best run by the main measure first; NaN where one is undefined."""
    return results.values(measure)[results.order]


def pairs_data(results: Results) -> dict[str, object]:
    """The test of each pair of runs, if they are not too many: places of both, corrected p-value, and interval."""
    about = results.comparison
    lower, upper = map(about.shown, pair_intervals(about))
    reference = about.runs.index(results.standing.reference)
    kept = np.ones(len(about.pairs), dtype=bool)
    if len(kept) > MOST_PAIRS:
        kept = (about.pairs.first == reference) | (about.pairs.second == reference)
    return {
        "means": [float(mean) if np.isfinite(mean) else None for mean in about.means],
        "pairs": {
            "first": packed(about.pairs.first[kept], "u2"),
            "second": packed(about.pairs.second[kept], "u2"),
            "difference": packed(about.shown(about.results.difference[kept]), "f4"),
            "ratio": about.is_ratio,
            "p": packed(about.p[kept], "f8"),
            "lower": packed(lower[kept], "f4"),
            "upper": packed(upper[kept], "f4"),
            "partial": bool(not kept.all()),
            "alpha": about.alpha,
            "reference": reference,
            "words": interval_words(about),
            "test": about.test.label,
            "family": about.family,
        },
    }
