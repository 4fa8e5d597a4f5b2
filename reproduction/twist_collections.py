"""Table 1 of the Twist paper (Ferro et al.), as far as public judgments and means of runs tell."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import rankscale as rs
from rankscale.data.qrels import Qrels
from reproduction.other_collections import printed_means
from reproduction.page import Cell, listing, plain


@dataclass(frozen=True)
class Track:
    """A collection of the paper, and the files that are public."""

    name: str
    judgments: str
    means: str
    topics: tuple[int, int]  # the first and the last
    grades: dict[float, float]  # what the paper conflates: spam is not relevant, key is highly relevant
    degrees: str  # published
    runs: str
    depth: int  # of the runs


CONFLATED: dict[float, float] = {-2: 0, 3: 2}
TRACKS = (
    Track("TREC 10", "qrels.adhoc.451-550.txt.gz", "trec10_web.results.md.gz", (501, 550), {}, "3", "95", 1000),
    Track("TREC 14", "qrels.robust05.txt.gz", "trec14_robust.results.md.gz", (303, 689), {}, "3", "74", 1000),
    Track("TREC 20", "qrels.web.101-150.txt.gz", "trec20_web.results.md.gz", (101, 150), CONFLATED, "4", "37", 10_000),
    Track("TREC 21", "qrels.web.151-200.txt.gz", "trec21_web.results.md.gz", (151, 200), CONFLATED, "4", "27", 10_000),
)
NEEDS = tuple(path for track in TRACKS for path in (f"qrels_only/{track.judgments}", f"official_means/{track.means}"))
REASONS = {
    ("TREC 10", "runs"): "NIST lists 97 runs with a mean AP; which two the paper leaves out is not said.",
    (
        "TREC 20",
        "runs",
    ): "NIST lists runs of both tasks of the track, ad hoc and diversity; the list does not say which are which.",
    (
        "TREC 21",
        "runs",
    ): "NIST lists runs of both tasks of the track, ad hoc and diversity; the list does not say which are which.",
    ("TREC 20", "relevance degrees"): "No document is judged navigational, the paper's fourth degree.",
}
WHAT = (
    "Runs of the four collections are not public; judgments, and NIST's list of the runs with their means, are. The "
    "paper takes spam for not relevant and key results for highly relevant in TREC 20 and 21."
)
LARGE = (
    "Recall bases, and topics whose worst case needs more ranks than the runs have (2RB beyond the depth), so that CRP "
    "could not come back:"
)


def section(data: Path) -> str:
    """What can be checked of the table."""
    return "\n\n".join(
        [
            "## Twist: Table 1, the collections",
            WHAT,
            listing(cells(data)),
            LARGE,
            plain(
                ["", "smallest RB", "median RB", "largest RB", "without any", "topics with 2RB > depth"], sizes(data)
            ),
        ]
    )


def judged(data: Path, track: Track) -> Qrels:
    """The judgments of a track's own topics, grades as the paper has them."""
    first, last = track.topics
    qrels = rs.read_qrels(data / "qrels_only" / track.judgments)
    kept = {topic: grades for topic, grades in qrels.to_dict().items() if first <= int(topic) <= last}
    return rs.read_qrels(kept).conflated(track.grades) if track.grades else rs.read_qrels(kept)


def cells(data: Path) -> Iterator[Cell]:
    """Topics, degrees of relevance, and runs."""
    for track in TRACKS:
        qrels = judged(data, track)
        runs = [means for means in printed_means(data / "official_means" / track.means).values() if "map" in means]
        degrees = len({0.0, *(level for level in qrels.judged_levels if level >= 0)})
        for what, published, ours in (
            ("topics", "50", len(qrels.topics)),
            ("relevance degrees", track.degrees, degrees),
            ("runs", track.runs, len(runs)),
        ):
            yield Cell(f"{track.name}: {what}", "", published, ours, REASONS.get((track.name, what), ""))


def sizes(data: Path) -> Iterator[list[str]]:
    """Recall bases of each track."""
    for track in TRACKS:
        relevant = sorted(judged(data, track).recall_base().tolist())
        beyond = sum(2 * one > track.depth for one in relevant)
        middle = f"{(relevant[(len(relevant) - 1) // 2] + relevant[len(relevant) // 2]) / 2:g}"
        some = [one for one in relevant if one]
        yield [track.name, str(some[0]), middle, str(some[-1]), str(len(relevant) - len(some)), str(beyond)]
