"""Tables I and II and the worked values of Moffat and Zobel 2008."""

from collections.abc import Iterator
from pathlib import Path

from rankscale.measures.rbp import depth_needed, largest_p
from reproduction.page import Cell, differences, listing, table
from reproduction.rankings import evaluated, marked, value

RANKING = "$$---$----$-----$---"
RELEVANT = (1, 2, 6, 11, 17)
TABLE_1 = {
    "Total": "1.8164 0.8164 0.3164 0.1497 0.0588",
    "x 1/5": "0.3633 0.1633 0.0633 0.0299 0.0118",
    "%": "58 26 10 5 2",
}
TABLE_2 = {
    "0.50": "1.0000 0.5000 0.0313 0.0010 0.0000 1.5322 0.7661",
    "0.80": "1.0000 0.8000 0.3277 0.1074 0.0281 2.2632 0.4526",
    "0.95": "1.0000 0.9500 0.7738 0.5987 0.4401 3.7626 0.1881",
}
BOUNDS = {"0.5": ("0.7661", "0.7663"), "0.8": ("0.447", "0.489"), "0.95": ("0.17", "0.60")}
CUT_OFF = "The paper cut the digits off: the value is 0.63155, which its Table I has as 0.6316."


def section(_: Path) -> str:
    """Tables I and II, and values in the text."""
    shares, terms, values = list(shares_of_ap()), list(terms_of_rbp()), list(worked_values())
    return "\n\n".join(
        [
            "## Rank-biased precision: Tables I and II, and worked values",
            f"What each relevant document of the ranking `{RANKING}` adds to AP, by the rank it stands at (Table I):",
            table(shares),
            differences(shares),
            "And to RBP (Table II):",
            table(terms),
            differences(terms),
            "Values in the text (relevant documents are marked $, unjudged ones ?):",
            listing(values),
        ]
    )


def shares_of_ap() -> Iterator[Cell]:
    """Table I: AP is a sum over pairs of relevant documents, of which a document has those at or below its rank."""
    whole = value(marked(RANKING), "AP")
    for name, row in TABLE_1.items():
        for rank, published in zip(RELEVANT, row.split(), strict=True):
            total = sum(1 / lower for lower in RELEVANT if lower >= rank)
            ours = {"Total": total, "x 1/5": total / 5, "%": 100 * total / 5 / whole}[name]
            yield Cell(name, f"rank {rank}", published, ours)


def terms_of_rbp() -> Iterator[Cell]:
    """Table II: a term is what RBP is of the ranking with that document alone, over 1 - p."""
    for p, row in TABLE_2.items():
        measure, rest = f"RBP(p={p})", 1 - float(p)
        alone = [value(marked("-" * (rank - 1) + "$"), measure) / rest for rank in RELEVANT]
        whole = value(marked(RANKING), measure)
        names = [*(f"rank {rank}" for rank in RELEVANT), "Total", "x (1 - p)"]
        for name, published, ours in zip(names, row.split(), [*alone, whole / rest, whole], strict=True):
            yield Cell(f"p = {p}", name, published, ours)


def worked_values() -> Iterator[Cell]:
    """Values that the text gives."""
    ranking, longer = marked(RANKING), "$$---$----$-----$$$$"
    yield Cell(f"AP of `{RANKING}`", "R = 5", "0.6315", value(ranking, "AP"), CUT_OFF)
    yield Cell(f"AP of `{RANKING}`", "R = 6", "0.5263", value(ranking, "AP", missed=[1]))
    yield Cell(f"AP of `{RANKING}`", "R = 7", "0.4511", value(ranking, "AP", missed=[1, 1]))
    yield Cell(f"AP* of `{RANKING}`", "", "0.6315", value(ranking, "APstar"), CUT_OFF)
    yield Cell(f"AP* of `{longer}`", "", "0.5324", value(marked(longer), "APstar"))
    yield Cell("AP of `$--$------??????????`", "R = 2", "0.75", value(marked("$--$------??????????"), "AP"))
    one_more = [value(marked("$--$------" + "?" * place + "$"), "AP") for place in range(10)]
    yield Cell("AP of `$--$------??????????`", "at most, if one ? is relevant", "0.5909", max(one_more))
    yield from _bounds()
    for p, depth in (("0.5", "14"), ("0.8", "42"), ("0.95", "180")):
        yield Cell(f"Depth for a residual under 0.0001, p = {p}", "", depth, depth_needed(float(p), 0.0001))
    yield Cell("Largest p for a residual of 0.0001 at depth 100", "", "0.91", largest_p(100, 0.0001))
    yield Cell("Residual of RBP(p=0.8) at depth 20", "", "0.012", value([0.0] * 20, "Residual(RBP(p=0.8))"))
    yield Cell("RBP(p=0.95) of five relevant documents, at most", "", "0.23", value([1.0] * 5, "RBP(p=0.95)"))
    for number, published in ((100, "21.79"), (1000, "123.99")):
        yield Cell(f"DCG(base=2) of {number} relevant documents", "", published, value([1.0] * number, "DCG(base=2)"))


def _bounds() -> Iterator[Cell]:
    marks = "$$---$----$-??--?---"
    for p, published in BOUNDS.items():
        found = evaluated(marked(marks), [f"RBP(p={p})"], bounds=True)
        for name, text, side in zip(("lower", "upper"), published, (found.lower, found.upper), strict=True):
            if side is not None:
                yield Cell(f"RBP(p={p}) of `{marks}`", name, text, float(side[0, 0, 0]))
