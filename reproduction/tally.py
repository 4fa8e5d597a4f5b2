"""The table at the top of the page: how many published numbers are met, explained, or cannot be made at all.

It is counted on the page itself: in tables of published values a number that is not met stands in bold beside the
published one, and lists have a column for the difference.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reproduction import other_collections, other_published, twist_studies
from reproduction.page import plain

Rows = list[list[str]]
NOT_MET = re.compile(r"\*\*(.*)\*\* \(published (.*)\)")
SCALES, RBP, DCG, CRP, TWIST, FILES = (
    "Interval scales (Ferrante, Ferro and Fuhr 2021)",
    "Rank-biased precision (Moffat and Zobel 2008)",
    "Cumulated gain (Järvelin and Kekäläinen 2002)",
    "Cumulated relative position (Angelini et al. 2012)",
    "Twist (Ferro et al.)",
    "Files that come with the runs of TREC-8",
)
TABLE_5 = ("P", "RBP_p05", "RBP_p03", "RBP_p08", "DCG_b02", "DCG_b10", "RR")
TABLE_6 = ("R", "AP", "nDCG_b02", "nDCG_b10")
WHAT = (
    "How many of the numbers that the papers print come out of this project. **Met**: ours is the same to the last "
    "digit, or, where the runs are not public, the number is the same for any runs. **Explained**: it is not, and this "
    "page says why, or what could not be settled; in brackets, how many of these are met once we compute in a way that "
    "may be the paper's, as shown there. **Impossible**: made of runs or judgments that are not public, or lost in the "
    "text at hand."
)
CLAIMED = (
    "Numbers that are not met are in bold below, with the published ones and the reason. Claims in words that the "
    "numbers do not bear out (the whole list is under [Claims in words](#claims-in-words)):"
)


@dataclass(frozen=True)
class Part:
    """A table of a paper: where its numbers stand on the page."""

    paper: str
    what: str
    section: str
    headings: tuple[str, ...]  # beginnings of those that its tables stand under
    tables: tuple[int, ...] = (0,)  # which tables there
    others: tuple[tuple[str, int], ...] = ()  # headings and tables with the same numbers made in another way


@dataclass(frozen=True)
class Count:
    """Numbers of a table."""

    paper: str
    what: str
    published: int
    met: int = 0
    explained: int = 0
    other_way: int = 0  # of those explained
    impossible: int = 0

    @property
    def line(self) -> list[str]:
        """A row of the table."""
        other = f" ({self.other_way})" if self.explained else ""
        numbers = (f"{self.met:,}", f"{self.explained:,}{other}", f"{self.impossible:,}")
        return [self.paper, self.what, f"{self.published:,}", *numbers]

    @property
    def strong(self) -> list[str]:
        """The same in bold."""
        return [f"**{text}**" if text else "" for text in self.line]


PARTS = (
    Part(SCALES, "Examples 9, 10 and 12, Table 1, Figures 4 and 5", "interval-examples", ("Interval scales: worked",)),
    Part(SCALES, "Table 2, T08", "intervals", ("Interval scales: Table 2",), others=(("Interval scales: Table 2", 1),)),
    Part(SCALES, "Table 3, T08", "intervals", ("Interval scales: Table 3",), others=(("Interval scales: Table 3", 1),)),
    Part(
        SCALES, "Table 4, T08", "correlations", ("Interval scales: Table 4",), others=(("Interval scales: Table 4", 1),)
    ),
    Part(SCALES, "Table 5, T08", "significance", TABLE_5),
    Part(SCALES, "Table 6, T08", "significance", TABLE_6, others=(("Differences", 0),)),
    Part(SCALES, "Averages of section VIII-C", "mean-changes", ("Interval scales: the headline",)),
    Part(
        SCALES,
        "Table 2, T26 and T27: R at N = 10, from means; numbers of runs",
        "other-collections",
        ("Interval scales: columns T26",),
    ),
    Part(SCALES, "Recall bases", "other-collections", ("Interval scales: columns T26",), (2,)),
    Part(RBP, "Tables I and II", "rbp-worked", ("Rank-biased precision: Tables I",), (0, 1)),
    Part(RBP, "Values in the text", "rbp-worked", ("Rank-biased precision: Tables I",), (2,)),
    Part(
        RBP,
        "Table III",
        "rbp-agreement",
        ("Rank-biased precision: Table III",),
        others=(("Rank-biased precision: Table III", 1),),
    ),
    Part(
        RBP,
        "Figures 2 and 4, tau",
        "rbp-agreement",
        ("Rank-biased precision: Figures 2",),
        others=(("Rank-biased precision: Figures 2", 1),),
    ),
    Part(
        RBP,
        "Table IV",
        "rbp",
        ("Rank-biased precision: Table IV",),
        others=tuple(("Rank-biased precision: Table IV", place) for place in (1, 2, 3)),
    ),
    Part(DCG, "Worked vectors", "worked", ("Cumulated gain: the worked",), (0, 1)),
    Part(CRP, "Worked vectors", "worked", ("Cumulated relative position: the worked",), (2,)),
    Part(TWIST, "Worked vectors", "worked", ("Cumulated relative position: the worked",), (0, 1)),
    Part(TWIST, "Table 1: topics, degrees of relevance, runs", "twist-collections", ("Twist: Table 1",)),
    Part(TWIST, "Worked example, by its definitions", "worked", ("Twist: the worked",)),
    Part(FILES, "Pools, and MAP with other judgments", "pools", ("Pools: facts",), (0, 1)),
)
NEEDED = {part.section for part in PARTS} | {"claims"}


def section(sections: Mapping[str, str]) -> str:
    """The table, and claims that do not hold, of the other sections of the page."""
    counts = [*(counted(part, sections) for part in PARTS), *impossible()]
    return "\n\n".join(
        [
            "## At a glance",
            WHAT,
            plain(["paper", "what", "published", "met", "explained", "impossible"], lines(counts)),
            CLAIMED,
            "\n".join(unmet_claims(sections["claims"])),
        ]
    )


def lines(counts: Sequence[Count]) -> Iterator[list[str]]:
    """Paper by paper, each with its total, and all together."""
    for paper in dict.fromkeys(one.paper for one in counts):
        of_paper = [one for one in counts if one.paper == paper]
        yield total(of_paper, paper, "all").strong
        yield from (["", *one.line[1:]] for one in of_paper)
    yield total(counts, "All papers and files", "").strong


def counted(part: Part, sections: Mapping[str, str]) -> Count:
    """Numbers of one table of a paper."""
    there = tables(sections[part.section])
    its = [under(there, heading)[place] for heading in part.headings for place in part.tables]
    cells = [cell for table in its for cell in cells_of(table)]
    missed = [key for key, met in cells if not met]
    other_ways = {key for heading, at in part.others for key, met in cells_of(under(there, heading)[at]) if met}
    return Count(
        part.paper,
        part.what,
        published=len(cells),
        met=len(cells) - len(missed),
        explained=len(missed),
        other_way=sum(key in other_ways for key in missed),
    )


def impossible() -> Iterator[Count]:
    """Numbers that are made of what is not public; those that follow for any runs are met."""
    known = list(other_collections.known_for_any_runs())
    for table, number in other_collections.published_cells().items():
        met = sum(one.met for one in known if one.table == table)
        rest = number - (len(other_published.TRACKS) if table == "Table 2" else 0)  # R at N = 10 is counted apart
        yield Count(SCALES, f"{table}, T26 and T27", rest, met=met, impossible=rest - met)
    kinds = sum(len(shares.split()) for _, shares in twist_studies.PAPER_KINDS.values())  # full scale, and a total
    yield Count(TWIST, "Table 2", kinds, impossible=kinds)
    taus = sum(len(row.split()) for row in twist_studies.PAPER_TAUS.values())
    yield Count(TWIST, "Tables 3 and 4", taus, impossible=taus)
    shares = sum(bool(text) for row in twist_studies.PAPER_AREAS for text in row[2:])
    yield Count(TWIST, "Shares in the text on Figures 7 to 10", shares, impossible=shares)
    yield Count(DCG, "Table 1, as far as it is in the text", DCG_TABLE_1, impossible=DCG_TABLE_1)


DCG_TABLE_1 = 18  # three lines of three counts and three shares; Table 2 is lost


def total(counts: Sequence[Count], paper: str, what: str) -> Count:
    """All of them together."""
    sums = [
        sum(numbers)
        for numbers in zip(
            *((one.published, one.met, one.explained, one.other_way, one.impossible) for one in counts), strict=True
        )
    ]
    return Count(paper, what, *sums)


def unmet_claims(made: str) -> Iterator[str]:
    """A line for each claim that does not hold."""
    (table,) = under(tables(made), "Claims in words")
    for paper, where, claim, numbers, holds in table[1:]:
        if holds != "yes":
            yield f"- {paper}, {where}. Claimed: {claim}. Here: {numbers}."


def tables(made: str) -> dict[str, list[Rows]]:
    r"""The tables of a section by the heading that they stand under.

    >>> tables("## Two\n\n| a | b |\n| --- | --- |\n| 1 |  |\n\ntext")
    {'Two': [[['a', 'b'], ['1', '']]]}
    """
    by_heading: dict[str, list[Rows]] = {}
    heading, before = "", False
    for line in made.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif line.startswith("| "):
            row = [text.strip() for text in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not before:
                by_heading.setdefault(heading, []).append([])
            if set("".join(row)) != {"-"}:
                by_heading[heading][-1].append(row)
        before = line.startswith("| ")
    return by_heading


def under(there: Mapping[str, list[Rows]], heading: str) -> list[Rows]:
    """The tables under the one heading that begins so, or is this word."""
    names = [name for name in there if name == heading] or [name for name in there if name.startswith(heading)]
    if len(names) != 1:
        raise ValueError(f"{len(names)} headings begin with {heading!r}")
    return there[names[0]]


def cells_of(table: Rows) -> list[tuple[tuple[str, ...], bool]]:
    """Each published number, by row and column or by what is listed, and whether it is met."""
    head, *rows = table
    if head[2:] == ["ours", "difference", "reason"]:
        return [((row[0],), not row[3]) for row in rows]
    return [
        ((row[0], column), not NOT_MET.fullmatch(text))
        for row in rows
        for column, text in zip(head[1:], row[1:], strict=True)
        if text
    ]
