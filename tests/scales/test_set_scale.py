"""Set measures over different lengths and recall bases: the facts of the paper, and all triples one by one."""

from fractions import Fraction
from itertools import pairwise, product

import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.parser import parse
from rankscale.scales.describe import describe_sets

FORMULAS = {
    "SetP": lambda r, n, rb: Fraction(r, n),
    "SetR": lambda r, n, rb: Fraction(r, rb),
    "SetF": lambda r, n, rb: Fraction(2 * r, n + rb),
    "SetF(beta=2)": lambda r, n, rb: Fraction(5 * r, n + 4 * rb),
    "SetF(beta=0.5)": lambda r, n, rb: Fraction(5 * r, 4 * n + rb),
    "SetF(beta=0)": lambda r, n, rb: Fraction(r, n),
    "SetRelP": lambda r, n, rb: Fraction(r, min(n, rb)),
    "SetAP": lambda r, n, rb: Fraction(r * r, n * rb),
}


def triples(lengths: tuple[int, int], bases: tuple[int, int]) -> list[tuple[int, int, int]]:
    sizes = product(range(lengths[0], lengths[1] + 1), range(bases[0], bases[1] + 1))
    return [(r, n, rb) for n, rb in sizes for r in range(min(n, rb) + 1)]


def fractions(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


@pytest.mark.parametrize(
    ("measure", "largest", "image"),
    [
        ("SetP", (2, 1), fractions("0", "1/2", "1")),
        ("SetP", (2, 5), fractions("0", "1/2", "1")),
        ("SetP", (3, 2), fractions("0", "1/3", "1/2", "2/3", "1")),
        ("SetR", (4, 2), fractions("0", "1/2", "1")),
        ("SetF", (1, 1), fractions("0", "1")),
        ("SetF", (2, 1), fractions("0", "2/3", "1")),
        ("SetF", (1, 2), fractions("0", "2/3", "1")),
        ("SetF", (2, 2), fractions("0", "1/2", "2/3", "1")),
    ],
)
def test_images_of_the_paper(measure: str, largest: tuple[int, int], image: tuple[Fraction, ...]) -> None:
    scale = rs.scale(measure, lengths=(1, largest[0]), recall_bases=(1, largest[1]))
    assert scale.values == image
    assert scale.interval == (len({after - before for before, after in pairwise(image)}) == 1)


def test_where_set_measures_are_interval_scales() -> None:
    """P up to length 2, R up to a recall base of 2, F1 on S[1,1] alone (section IV-D)."""
    for longest, most in product(range(1, 8), repeat=2):
        ranges = {"lengths": (1, longest), "recall_bases": (1, most)}
        assert rs.scale("SetP", **ranges).interval == (longest <= 2)
        assert rs.scale("SetR", **ranges).interval == (most <= 2)
        assert rs.scale("SetF", **ranges).interval == ((longest, most) == (1, 1))


def test_at_one_length_and_recall_base_all_three_are_interval_scales() -> None:
    for measure, n, base in product(("SetP", "SetR", "SetF"), range(1, 6), range(1, 6)):
        assert rs.scale(measure, lengths=n, recall_bases=base).interval


def test_precision_and_recall_order_two_sets_oppositely() -> None:
    ranks = {
        measure: [rs.scale(measure, lengths=(1, 2), recall_bases=(1, 2)).rank(one) for one in ([1, 2, 1], [1, 1, 2])]
        for measure in ("SetP", "SetR", "SetF")
    }
    assert ranks == {"SetP": [2, 3], "SetR": [3, 2], "SetF": [3, 3]}


@pytest.mark.parametrize("measure", FORMULAS)
@pytest.mark.parametrize(("lengths", "bases"), [((1, 6), (1, 4)), ((1, 3), (1, 7)), ((2, 5), (3, 6)), ((4, 4), (1, 9))])
def test_image_and_ranks_are_those_of_all_triples(
    measure: str, lengths: tuple[int, int], bases: tuple[int, int]
) -> None:
    scale = rs.scale(measure, lengths=lengths, recall_bases=bases)
    every = triples(lengths, bases)
    image = sorted({FORMULAS[measure](*one) for one in every})
    assert list(scale.values) == image
    assert scale.size == len(image)
    assert scale.triples == len(every)
    for one in every:
        assert scale.value(one) == FORMULAS[measure](*one)
        assert scale.rank(one) == 1 + image.index(FORMULAS[measure](*one))
        assert scale.normalised(one) == (scale.rank(one) - 1) / (len(image) - 1)
    assert scale.interval == (len({after - before for before, after in pairwise(image)}) <= 1)


@pytest.mark.parametrize("measure", FORMULAS)
def test_values_are_those_of_the_measure_on_rankings(measure: str) -> None:
    scale = rs.scale(measure, lengths=(1, 4), recall_bases=(1, 3))
    for relevant, length, base in triples((1, 4), (1, 3)):
        grades = " ".join(["1"] * relevant + ["0"] * (length - relevant))
        table = judged(grades, missed=" ".join(["1"] * (base - relevant)))
        assert parse(measure).value(table)[0] == pytest.approx(float(scale.value((relevant, length, base))), abs=1e-15)


def test_misuse_is_refused() -> None:
    both = {"lengths": (1, 3), "recall_bases": (1, 2)}
    for measure in ("P@3", "AP", "nDCG@10", "RR"):
        with pytest.raises(ScaleError, match="are for measures of a set"):
            rs.scale(measure, **both)
    with pytest.raises(ParameterError, match="give recall_bases too"):
        rs.scale("SetP", lengths=(1, 3))  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="leave out counts"):
        rs.scale("SetP", counts=3, **both)  # type: ignore[call-overload]
    for odd in [(0, 3), (3, 1), (1, 2, 3), (1.5, 2), (-1, 2)]:
        with pytest.raises(ParameterError, match=r"lengths must be (the first and the last|a list of whole numbers)"):
            rs.scale("SetP", lengths=odd, recall_bases=(1, 2))  # type: ignore[arg-type]
    with pytest.raises(ScaleError, match="beta of few digits"):
        rs.scale("SetF(beta=0.123456)", **both)
    with pytest.raises(ScaleError, match="sets of these lengths"):
        rs.scale("SetP", lengths=(1, 10_000), recall_bases=(1, 10_000))
    scale = rs.scale("SetP", **both)
    with pytest.raises(ScaleError, match="3 relevant documents cannot be retrieved"):
        scale.rank([3, 3, 2])
    with pytest.raises(ScaleError, match="not among the sets of 1 to 3 documents"):
        scale.rank([1, 4, 2])
    with pytest.raises(ScaleError, match="three whole numbers"):
        scale.rank([1, 2])


def test_description() -> None:
    facts = dict(describe_sets(rs.scale("SetP", lengths=(1, 3), recall_bases=2)).facts)
    assert facts["sets"] == "all 8 [r, n, RB] of 1 to 3 documents, in topics with 2 relevant ones"
    assert facts["note"].endswith("is not on an interval scale")
