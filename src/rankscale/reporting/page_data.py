"""Data for the scripts of a page: arrays as base64, runs in the order of the leaderboard.

Rankings are grades of all of them, one byte a rank, and the names of their first documents. A page holds so many bytes
of either and no more: ranks below a bound are left out, and so are the rankings of the last runs where even a few ranks
of all would be too many. What is left out is plain text on the page.
"""

import base64
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from rankscale.answers.standing import interval_words, pair_intervals
from rankscale.data.arrays import Ints, NDArray
from rankscale.data.judged import Judged
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.measures.families.relative_position import DEPTH
from rankscale.reporting.measured import NAMED_RANKS
from rankscale.reporting.results import Results

MOST_PAIRS = 20_000  # beyond which a page has only those with the best run, or with the baseline
BYTES = 1_300_000  # of grades in a page; base64 takes a third more
FEWEST_RANKS = 10  # of each ranking; where they do not fit, runs are left out
NAMES_BYTES = 1_200_000  # of names of documents
FEWER_RANKS = (NAMED_RANKS, 10, 5)  # how far down documents are named: the first of these that fits
UNJUDGED, MOST_LEVELS = 255, 250  # as bytes
ABSENT = -1  # the length of a ranking that is not in the page
NO_DOCUMENT = 0xFFFF


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
        "values": packed(results.values(main)[results.order], "f4"),
    }


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


def rankings_data(results: Results) -> dict[str, object] | None:
    """Grades and documents by run and topic; None where nothing can be opened.

    Runs are in the order of the leaderboard, topics in that of the qrels. `length` has ABSENT for what is left out;
    `grades` has the first `ranks` of each ranking one after the other, as places in `levels`.
    """
    qrels = results.qrels
    if len(qrels.levels) > MOST_LEVELS or not any(results.relevant(results.effort_rel)):
        return None
    runs = [results.runs[row] for row in results.order]
    kept = set(opened_runs(results))
    seen = [run.judged(qrels) if run.name in kept else None for run in runs]
    if results.judged_only:
        seen = [of_run and of_run.only_judged() for of_run in seen]
    shape = len(runs), len(qrels.topics)
    length = np.full(shape, ABSENT, dtype=np.int64)
    for row, (run, of_run) in enumerate(zip(runs, seen, strict=True)):
        if of_run is not None:
            length[row, run.rows] = of_run.length
    ranks = ranks_that_fit(length)
    grades = [_grades(of_run, ranks) for of_run in seen if of_run is not None]
    named = any(run.documents is not None for run in runs)
    documents = (_documents(results, runs, fewer) for fewer in FEWER_RANKS if named)
    return {
        "levels": [float(level) for level in qrels.levels],
        "rel": results.effort_rel,
        "depth": DEPTH,
        "ranks": ranks,
        "length": packed(length, "i4"),
        "grades": packed(np.concatenate(grades), "u1"),
        "counts": packed(qrels.counts, "i4"),
        "condensed": results.judged_only,
        "documents": next((made for made in documents if made is not None), None),
    }


def opened_runs(results: Results) -> list[str]:
    """Runs whose rankings can be opened: those requested, then the best, as many as fit; all where they do."""
    return results.inspected_first(BYTES // (FEWEST_RANKS * max(1, len(results.qrels.topics))))


def ranks_that_fit(length: Ints) -> int:
    """The largest bound on ranks with which rankings of these lengths fit into a page."""
    lengths = np.maximum(length, 0)
    bounds = range(1, int(lengths.max(initial=1)) + 1)
    return max(1, bisect_right(bounds, BYTES, key=lambda ranks: int(np.minimum(lengths, ranks).sum())))


def _grades(judged: Judged, ranks: int) -> NDArray[np.uint8]:
    """The first ranks of all rankings of a run, one after the other."""
    codes = judged.every_rank(ranks).code
    there = np.arange(ranks) < judged.length[:, None]
    grades: NDArray[np.uint8] = np.where(codes < 0, UNJUDGED, codes)[there].astype(np.uint8)
    return grades


def _documents(results: Results, runs: Sequence[Run], ranks: int) -> dict[str, object] | None:
    """Names of the first documents, by topic, with their grades, and where each run has them; None if they do not fit.

    `places` (run, topic, rank) says which of the names of its topic stands at a rank, NO_DOCUMENT where none is known.
    """
    topics = len(results.qrels.topics)
    names: list[dict[str, tuple[int, int]]] = [{} for _ in range(topics)]  # place and grade of each document
    places = np.full((len(runs), topics, ranks), NO_DOCUMENT, dtype=np.int64)
    size = 0
    for row, run in enumerate(runs):
        if run.documents is None:
            continue
        grades = run.judged(results.qrels).every_rank(ranks).code
        for topic, documents, of_topic in zip(run.rows.tolist(), run.documents, grades.tolist(), strict=True):
            known = names[topic]
            for rank, document in enumerate(documents[:ranks]):
                if document not in known:
                    known[document] = len(known), UNJUDGED if of_topic[rank] < 0 else of_topic[rank]
                    size += len(document) + 3
                places[row, topic, rank], _ = known[document]
        if size > NAMES_BYTES:
            return None
    if max(map(len, names), default=0) >= NO_DOCUMENT or 2 * places.size > NAMES_BYTES:
        return None
    codes = [grade for of_topic in names for _, grade in of_topic.values()]
    return {
        "ranks": ranks,
        "names": [list(map(readable, of_topic)) for of_topic in names],
        "grades": packed(np.array(codes, dtype=np.int64), "u1"),
        "places": packed(places, "u2"),
    }
