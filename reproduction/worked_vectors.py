"""Worked examples of Järvelin and Kekäläinen 2002, Angelini et al. 2012, and Ferro et al. (Twist)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from reproduction.page import Cell, differences, listing, table
from reproduction.rankings import curve, value

GAINS = (3, 2, 3, 0, 0, 1, 2, 2, 3, 0)
MISSED_GAINS = (1, 1, 1)
IDEAL_GAINS = (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0)
CUMULATED = {
    "CG": "3 5 8 8 8 9 11 13 16 16",
    "DCG(base=2)": "3.00 5.00 6.89 6.89 6.89 7.28 7.99 8.66 9.61 9.61",
    "nCG": "1.0000 0.8333 0.8889 0.7273 0.6154 0.6000 0.6875 0.7647 0.8889 0.8421",
    "nDCG(base=2)": "1.0000 0.8333 0.8733 0.7751 0.7067 0.6915 0.7343 0.7719 0.8328 0.8117",
}
IDEALS = {
    "CG": "3 6 9 11 13 15 16 17 18 19 19",
    "DCG(base=2)": "3.0000 6.0000 7.8928 8.8928 9.7541 10.5278 10.8841 11.2174 11.5329 11.8339 11.8339",
}

TWIST_GRADES = {  # each of 15 ranks
    "ideal": "3 3 2 2 1 1 1 0 0 0 0 0 0 0 0",
    "worst": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "full scale": "0 0 0 0 0 0 0 0 1 1 1 2 2 3 3",
    "A": "3 3 2 0 1 2 0 0 0 1 0 0 0 0 0",
    "B": "3 0 1 0 2 0 0 0 2 1 0 0 3 1 0",
}
TWIST_MISSED = {"worst": "3 3 2 2 1 1 1", "A": "1"}
TWIST_RP = {
    "ideal": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "worst": "-7 -6 -5 -4 -3 -2 -1 0 0 0 0 0 0 0 0",
    "full scale": "-7 -6 -5 -4 -3 -2 -1 0 +2 +3 +4 +8 +9 +12 +13",
    "A": "0 0 0 -4 0 +2 -1 0 0 +3 0 0 0 0 0",
    "B": "0 -6 -2 -4 +1 -2 -1 0 +5 +3 0 0 +11 +7 0",
}
TWIST_CRP = {
    "ideal": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "worst": "-7 -13 -18 -22 -25 -27 -28 -28 -28 -28 -28 -28 -28 -28 -28",
    "full scale": "-7 -13 -18 -22 -25 -27 -28 -28 -26 -23 -19 -11 -2 +10 +23",
    "A": "0 0 0 -4 -4 -2 -3 -3 -3 0 0 0 0 0 0",
    "B": "0 -6 -8 -12 -11 -13 -14 -14 -9 -6 -6 -6 +5 +12 +12",
}
CRP_GRADES = {  # each of 20 ranks
    "A": "3 3 2 0 1 2 0 0 0 1 3 0 0 0 0 0 0 0 0 0",
    "B": "3 3 1 0 2 1 0 0 2 1 2 0 3 1 0 0 0 0 0 0",
}
CRP_MISSED = {"A": "2 1 1"}
CRP_RP = {
    "A": "0 0 -1 -7 -2 0 -4 -3 -2 0 +8 0 0 0 0 0 0 0 0 0",
    "B": "0 0 -4 -7 0 -1 -4 -3 +3 0 +5 0 +10 +4 0 0 0 0 0 0",
}
CRP_LAST = {"A": "-11", "B": "+3"}
INDICATORS = {  # by the definitions of Ferro et al., with crossings as this project rules
    "A": {"sigma_plus": (46, 51), "sigma_minus": (23, 28), "rho": (7, 9)},
    "B": {"sigma_plus": (24, 51), "sigma_minus": (13, 28), "rho": (7, 12)},
}
DAMAGED = (
    "The gains 3, 2, 3, 0, 0, 1, 2, 2, 3, 0 of a topic with three documents of grade 3, three of grade 2 and four of "
    "grade 1. The text at hand has lost most of the paper's vectors; its DCG, to two decimals, is there from rank 2 "
    "on, and CG at rank 7. The others are held against exact values worked out from the paper's definitions."
)
WORST = (
    "Relative positions of the rankings of Ferro et al.: RB = 7 (two documents of grade 3, two of grade 2, three of "
    "grade 1), N = 15. `rankscale curves -m RP -m CRP` gives both for any runs."
)
TWIST = (
    "The paper works out no Twist; by its definitions these rankings have the following, where a ranking that comes "
    "back to 0 counts as recovered at the last rank below 0:"
)


def section(_: Path) -> str:
    """Each published vector beside ours."""
    gains, ideals = list(curves(CUMULATED, GAINS, MISSED_GAINS)), list(curves(IDEALS, IDEAL_GAINS))
    rp, crp = list(positions("RP", TWIST_RP)), list(positions("CRP", TWIST_CRP))
    angelini = list(positions_of_angelini())
    return "\n\n".join(
        [
            "## Cumulated gain: the worked example of Järvelin and Kekäläinen 2002",
            DAMAGED,
            table(gains),
            "Of its ideal ranking:",
            table(ideals),
            differences([*gains, *ideals]),
            "## Cumulated relative position: the worked examples",
            WORST,
            "RP by rank:",
            table(rp),
            "CRP by rank:",
            table(crp),
            differences([*rp, *crp]),
            (
                "Of Angelini et al. 2012: R = 10 (three documents of grade 3, three of grade 2, four of grade 1), N "
                "= 20. (The paper prints that its run B has documents of grade 3 at ranks 1, 2 and 3; by its vectors "
                "it is 1, 2, 13.)"
            ),
            table(angelini),
            differences(angelini),
            "## Twist: the worked example",
            TWIST,
            listing(twist_values(), "by definition"),
        ]
    )


def curves(published: dict[str, str], ranking: Sequence[float], missed: Sequence[float] = ()) -> Iterator[Cell]:
    """Vectors of one ranking, by measure."""
    for measure, row in published.items():
        ours = curve(ranking, measure, missed).tolist()
        for rank, (text, number) in enumerate(zip(row.split(), ours, strict=True), start=1):
            yield Cell(measure, str(rank), text, number)


def positions(measure: str, published: dict[str, str]) -> Iterator[Cell]:
    """Vectors of the rankings of Ferro et al."""
    for name, row in published.items():
        ranking, missed = _grades(TWIST_GRADES[name]), _grades(TWIST_MISSED.get(name, ""))
        for cell in curves({measure: row}, ranking, missed):
            yield Cell(name, cell.column, cell.published, cell.ours)


def positions_of_angelini() -> Iterator[Cell]:
    """RP by rank, and CRP at the end, of the rankings of Angelini et al."""
    for name, row in CRP_RP.items():
        ranking, missed = _grades(CRP_GRADES[name]), _grades(CRP_MISSED.get(name, ""))
        for cell in curves({"RP": row}, ranking, missed):
            yield Cell(f"RP of {name}", cell.column, cell.published, cell.ours)
        yield Cell(f"RP of {name}", "CRP at 20", CRP_LAST[name], curve(ranking, "CRP", missed).tolist()[-1])


def twist_values() -> Iterator[Cell]:
    """The indicators and Twist of two rankings."""
    for name, indicators in INDICATORS.items():
        ranking, missed = _grades(TWIST_GRADES[name]), _grades(TWIST_MISSED.get(name, ""))
        for measure, (part, of) in indicators.items():
            yield Cell(
                f"{measure} of {name} ({part}/{of})", "", f"{part / of:.6f}", value(ranking, f"{measure}@15", missed)
            )
        plus, minus, rho = (part / of for part, of in indicators.values())
        twist = (rho + 2 * plus * minus / (plus + minus)) / 2
        yield Cell(f"Twist of {name}", "", f"{twist:.6f}", value(ranking, "Twist@15", missed))
    for name, twist in (("ideal", 1.0), ("worst", 0.0)):
        missed = _grades(TWIST_MISSED.get(name, ""))
        yield Cell(f"Twist of {name}", "", f"{twist:.6f}", value(_grades(TWIST_GRADES[name]), "Twist@15", missed))


def _grades(text: str) -> list[float]:
    return [float(grade) for grade in text.split()]
