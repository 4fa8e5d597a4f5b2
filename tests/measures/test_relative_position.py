"""Relative positions: the values that the papers and the specification work out, and the slow transcription of both."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale
from rankscale.data.arrays import Floats
from rankscale.data.judged import BEYOND, Judged, judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.measures.crp import CRP, RP, nCRP
from rankscale.measures.families.relative_position import ARCHETYPES, archetype, minimum_and_maximum_rank
from rankscale.measures.twist import Twist
from tests.measures.slow_relative_position import Slow

# (a): Ferro et al. 2016, RB = 7, N = 15. Grade 1 occurs three times; A does not retrieve one of them.
TWIST_A, TWIST_B = judged("3 3 2 0 1 2 0 0 0 1 0 0 0 0 0", missed="1"), judged("3 0 1 0 2 0 0 0 2 1 0 0 3 1 0")
TWIST_FULL_SCALE = judged("0 0 0 0 0 0 0 0 1 1 1 2 2 3 3")
# (b): Angelini et al. 2012, RB = 10, N = 20; neither retrieves all.
CRP_A, CRP_B = judged("3 3 2 0 1 2 0 0 0 1 3", missed="2 1 1"), judged("3 3 1 0 2 1 0 0 2 1 2 0 3 1")
WORKED = {
    "A": (TWIST_A, [0, 0, 0, -4, -4, -2, -3, -3, -3, 0, 0, 0, 0, 0, 0]),
    "B": (TWIST_B, [0, -6, -8, -12, -11, -13, -14, -14, -9, -6, -6, -6, 5, 12, 12]),
    "full scale": (TWIST_FULL_SCALE, [-7, -13, -18, -22, -25, -27, -28, -28, -26, -23, -19, -11, -2, 10, 23]),
}

grades = st.sampled_from([*"0123", "-", "-1", "3", "2", "1", "1"])
rankings = st.lists(grades, max_size=14)
missed = st.lists(st.sampled_from([*"01230", "-1"]), max_size=4)
binary = st.lists(st.sampled_from("01"), max_size=12)


def slow(ranking: list[str], missed: list[str], depth: int | None = None, rel: float = 1) -> Slow:
    given = [None if grade == "-" else float(grade) for grade in ranking]
    return Slow(given, Counter(float(g) for g in [*ranking, *missed] if g != "-"), depth, rel)


def value(text: str, table: Judged) -> float:
    [found] = parse(text).value(table)
    return float(found)


def vector(measure: RP | CRP | nCRP, table: Judged, length: int) -> list[int]:
    return measure.curve(table.every_rank(length))[0].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", WORKED)
def test_cumulated_relative_positions_of_ferro_et_al(name: str) -> None:
    table, expected = WORKED[name]
    assert vector(CRP(), table, 15) == expected
    assert vector(RP(depth=1), table, 15) == np.diff(expected, prepend=0).tolist()
    assert [value(f"CRP@{rank}", table) for rank in range(1, 16)] == expected


def test_relative_positions_of_angelini_et_al() -> None:
    assert vector(RP(depth=1), CRP_A, 20) == [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8] + [0] * 9
    assert vector(RP(depth=1), CRP_B, 20) == [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4] + [0] * 6
    assert (value("CRP@20", CRP_A), value("CRP@20", CRP_B)) == (-11, 3)


@pytest.mark.parametrize(
    ("text", "table", "fraction"),
    [
        ("sigma_plus@15", TWIST_A, Fraction(46, 51)),
        ("sigma_minus@15", TWIST_A, Fraction(23, 28)),
        ("rho@15", TWIST_A, Fraction(7, 9)),
        ("sigma_plus@15", TWIST_B, Fraction(24, 51)),
        ("sigma_minus@15", TWIST_B, Fraction(13, 28)),
        ("rho@15", TWIST_B, Fraction(7, 12)),
        ("balance@15", TWIST_A, Fraction(9)),
        ("balance@15", TWIST_B, Fraction(12)),
        ("balance@15", TWIST_FULL_SCALE, Fraction(13)),
        ("rho_w@15", TWIST_B, Fraction(7, 13)),
        ("b_ratio@15", TWIST_A, Fraction(4, 13)),
        ("turn_around@15", TWIST_A, Fraction(4)),  # -4 at ranks 4 and 5
        ("CRP_min@15", TWIST_A, Fraction(18, 22)),
        ("loss@15", TWIST_A, Fraction(-3)),
        ("loss@15", TWIST_B, Fraction(-14)),
        ("CRP_N@15", TWIST_A, Fraction(1)),
        ("CRP_N@15", TWIST_B, Fraction(11, 23)),
        ("CRP_N@15", TWIST_FULL_SCALE, Fraction(0)),
        ("nCRP@15", TWIST_FULL_SCALE, Fraction(1)),
        ("nCRP(length=15)@7", TWIST_FULL_SCALE, Fraction(-1)),
        ("CRP@4", judged("1 0 0 1"), Fraction(1)),  # RB = 2, N = 4: above the full scale, which ends at 0
        ("CRP@4", judged("0 0 1 1"), Fraction(0)),
    ],
)
def test_worked_fractions(text: str, table: Judged, fraction: Fraction) -> None:
    assert value(text, table) == pytest.approx(float(fraction), abs=1e-15)


@pytest.mark.parametrize(
    ("rule", "of_a", "of_b"),
    [("return", 0.818795, 0.525375), ("literal", 0.929907, 0.733708), ("positive", 0.429907, 0.525375)],
)
def test_twist_of_ferro_et_al(rule: str, of_a: float, of_b: float) -> None:
    text = f"Twist(crossing='{rule}')@15"
    assert round(value(text, TWIST_A), 6) == of_a
    assert round(value(text, TWIST_B), 6) == of_b


def test_the_ideal_and_the_worst_ranking() -> None:
    ideal, nothing = judged("3 3 2 2 1 1 1"), judged("0 - 0 -1", missed="3 3 2 2 1 1 1")
    for text in ("Twist", "rho", "sigma", "sigma_plus", "sigma_minus", "CRP_min", "CRP_N"):
        assert value(text, ideal) == 1
    for text in ("Twist", "rho", "sigma", "sigma_minus", "b_ratio", "CRP_min"):
        assert value(text, nothing) == 0
    assert (value("sigma_plus", nothing), value("balance", nothing), value("b_ratio_raw", nothing)) == (
        1,
        math.inf,
        -math.inf,
    )


def test_a_topic_without_relevant_documents_is_undefined() -> None:
    names = "RP@3 CRP nCRP Twist rho rho_w balance turn_around loss b_ratio b_ratio_raw CRP_min CRP_N"
    for text in (*names.split(), "sigma_plus", "sigma_minus", "sigma"):
        assert math.isnan(value(text, judged("0 - -1 0")))
    assert archetype(judged("0 - -1 0")).tolist() == [""]


def test_without_a_depth_it_is_1000() -> None:
    far = judged(" ".join(["2"] + ["-"] * 999 + ["1"]))  # what the first rank lost is made up at rank 1001
    for name in ("Twist", "CRP", "rho", "sigma", "CRP_N", "nCRP", "balance"):
        assert str(parse(name)) == name
        assert value(name, far) == value(f"{name}@1000", far)
        assert value(name, far) != value(f"{name}@1001", far)


def test_what_is_appended_and_not_relevant_changes_nothing() -> None:
    for text in ("Twist", "rho@5", "sigma@9", "CRP_N@30", "balance"):
        assert value(text, judged("1 0 2", missed="1")) == value(text, judged("1 0 2 0 - 0 - - -", missed="1"))


@pytest.mark.parametrize("name", ["Twist", "rho", "rho_w", "balance", "b_ratio", "b_ratio_raw"])
def test_a_crossing_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="crossing must be 'return', 'literal' or 'positive', got 'up'"):
        parse(f"{name}(crossing='up')")


def test_a_length_without_ranks_is_refused() -> None:
    with pytest.raises(ParameterError, match="nCRP: length must be a whole number from 1, got 0"):
        nCRP(length=0)


@settings(max_examples=300)
@given(
    topics=st.lists(rankings, min_size=1, max_size=4),
    missed=missed,
    depth=st.integers(1, 30),
    rel=st.sampled_from([1, 2]),
)
def test_every_measure_equals_its_transcription(
    topics: list[list[str]], missed: list[str], depth: int, rel: int
) -> None:
    table = judged(*map(" ".join, topics), missed=" ".join(missed))
    expected = [slow(ranking, missed, depth, rel) for ranking in topics]
    assert archetype(table, depth, rel).tolist() == [ranking.archetype() for ranking in expected]
    defined = [ranking.RB > 0 for ranking in expected]
    by_name = [ranking.all_values() if ranking.RB else {} for ranking in expected]
    for name in next((values for values in by_name if values), {}):
        measure = parse(name if rel == 1 else _with_rel(name, rel))
        wanted = [float(values[name]) if values else math.nan for values in by_name]
        found = measure.value(table)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12, err_msg=name)
        assert np.isnan(found[~np.array(defined)]).all()


def _with_rel(name: str, rel: int) -> str:
    before, _, depth = name.partition("@")
    return f"{before[:-1]},rel={rel})@{depth}" if before.endswith(")") else f"{before}(rel={rel})@{depth}"


@settings(max_examples=50)
@given(ranking=rankings, missed=missed)
def test_all_depths_at_once_and_curves_equal_the_transcription(ranking: list[str], missed: list[str]) -> None:
    table = judged(" ".join(ranking), missed=" ".join(missed))
    depths = tuple(range(1, len(ranking) + 4))
    expected = {depth: slow(ranking, missed, depth) for depth in depths}
    if expected[1].RB == 0:
        return
    values = {depth: one.all_values() for depth, one in expected.items()}
    whole = table.every_rank(depths[-1])
    for name in values[1]:
        text = name.removesuffix("@1")
        measure = parse(f"{text}@1")
        wanted = [[float(values[depth][f"{text}@{depth}"]) for depth in depths]]
        np.testing.assert_allclose(measure.read_at(measure.total(table), table, depths), wanted, rtol=0, atol=1e-12)
        np.testing.assert_allclose(measure.curve(whole), wanted, rtol=0, atol=1e-12, err_msg=name)
    # Entries that fill their rows have rank 2^31 - 1: a value, and no overflow on the way.
    assert np.isfinite(Twist().curve(judged(" ".join(ranking), "", missed="1"))).all()


@settings(max_examples=50)
@given(ranking=rankings, missed=missed, length=st.integers(1, 40))
def test_one_length_serves_all_ranks_of_ncrp(ranking: list[str], missed: list[str], length: int) -> None:
    length = max(length, len(ranking), 1)
    expected = slow(ranking, missed, length)
    if expected.RB:
        found = nCRP(length=length).curve(judged(" ".join(ranking), missed=" ".join(missed)).every_rank(length))
        wanted = [float(expected.ncrp(rank)) for rank in range(1, length + 1)]
        np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-12)


@settings(max_examples=300)
@given(ranking=rankings, missed=missed, more=st.integers(0, 20))
def test_properties_of_crp(ranking: list[str], missed: list[str], more: int) -> None:
    table = judged(" ".join(ranking), missed=" ".join(missed))
    [base] = table.recall_base().tolist()
    if base == 0:
        return
    length = max(len(ranking) + more, 2 * base)
    crp, rp = vector(CRP(), table, length), vector(RP(depth=1), table, length)
    assert min(crp) >= -base * (base + 1) / 2
    first, last = minimum_and_maximum_rank(table.counts, table.levels)
    relevant = (table.levels >= 1) & (table.counts[0] > 0)
    end_of_full_scale = base * (length - base) - int((table.counts * last)[0, relevant].sum())
    assert slow(ranking, missed, length).CRPw[-1] == end_of_full_scale
    if length >= 3 * base - 1:
        assert max(crp) <= end_of_full_scale
    highest = int(last[0, relevant][-1])  # the last ideal rank of the topic's highest grade
    assert all(-base <= position <= length - highest for position in rp)
    assert next((number for number in crp if number), -1) < 0
    assert all(position >= 0 for position in rp[base:])
    end = max((rank for rank, grade in enumerate(ranking, start=1) if grade in {"1", "2", "3"}), default=0)
    assert len(set(crp[max(end, base) - 1 :])) == 1
    assert (first[0, relevant] <= last[0, relevant]).all()


@settings(max_examples=200)
@given(ranking=binary, missed=st.integers(0, 3), depth=st.integers(1, 20))
def test_properties_of_binary_relevance(ranking: list[str], missed: int, depth: int) -> None:
    table = judged(" ".join(ranking), missed=" ".join(["1"] * missed))
    base = int(table.recall_base()[0])
    if base:
        assert max(vector(CRP(), table, base)) <= 0
        assert archetype(table, depth)[0] in {"worst", "ideal", "full scale", "typical A", "typical B"}


@pytest.mark.parametrize("counts", [[1], [2], [5], [1, 1], [2, 2, 3], [3, 3, 4], [0, 4, 1], [40, 30, 20]])
@pytest.mark.parametrize("factor", [3, 4, 7])
def test_the_full_scale_recovers_late(counts: list[int], factor: int) -> None:
    length = factor * sum(counts)
    grades = [grade for grade, count in enumerate(counts, start=1) for _ in range(count)]
    full_scale = judged(" ".join(map(str, [0] * (length - len(grades)) + grades)))
    rho = value(f"rho@{length}", full_scale)
    assert rho == value(f"rho_w@{length}", full_scale) <= 0.5
    assert value(f"sigma@{length}", full_scale) == 0
    assert archetype(full_scale, length).tolist() == ["full scale"]


def test_the_full_scale_recovers_at_most_to_one_half() -> None:
    assert value("rho@3", judged("0 0 1")) == 0.5
    assert value("rho@6", judged("0 0 0 0 1 1")) == 0.5


def test_every_archetype_occurs() -> None:
    """All rankings of three grades and six ranks, with everything retrieved that is relevant."""
    ranked = [list(ranking) for ranking in itertools.product("0123", repeat=6)]
    expected = [slow(ranking, [], 12).archetype() for ranking in ranked]
    assert archetype(judged(*map(" ".join, ranked)), 12).tolist() == expected
    assert {*expected, "worst", "full scale", "typical B"} == {"", *ARCHETYPES}  # the first needs what is not retrieved
    assert archetype(TWIST_FULL_SCALE, 15).tolist() == ["full scale"]
    assert archetype(judged("0 1", "0 0", missed="1 1"), 15).tolist() == ["typical B", "worst"]


def test_archetypes_go_by_where_crp_returns() -> None:
    """Values of the specification: an order within the first RB ranks does not make a ranking excellent by itself."""
    assert archetype(judged("1 3 3", "3 1 3")).tolist() == ["typical B", "excellent A"]
    assert value("rho", judged("1 3 3")) == 0
    late = judged("1 1 0 1")  # returns at RB + 1, so that the balance point is RB
    assert archetype(late).tolist() == ["typical A"]
    assert value("rho", late) == 1


def test_recovery_of_each_archetype() -> None:
    """All rankings of three grades and up to five ranks, with one document missed: rho as the paper says."""
    rho: dict[str, set[float]] = {}
    for missed in ("0", "1", "2", "3"):
        ranked = [" ".join(ranking) for length in range(1, 6) for ranking in itertools.product("0123", repeat=length)]
        table = judged(*ranked, missed=missed)
        values = parse("rho@10").value(table).tolist()
        for name, recovered in zip(archetype(table, 10).tolist(), values, strict=True):
            rho.setdefault(name, set()).add(recovered)
    rho.pop("")  # of rankings without a relevant document
    assert {name: rho.pop(name) for name in ("worst", "typical B")} == {"worst": {0}, "typical B": {0}}
    for name in ("ideal", "excellent A", "excellent B", "ups and downs"):
        assert rho.pop(name) == {1}, name
    assert min(rho.pop("typical A")) > 0
    assert set(rho) <= {"full scale"}


@pytest.mark.parametrize("recall_base", range(1, 7))
def test_binary_relevance_has_only_typical_and_reference_rankings(recall_base: int) -> None:
    """Every binary ranking of up to nine documents, at every depth."""
    allowed = {"worst", "ideal", "full scale", "typical A", "typical B"}
    ranked = [" ".join(ranking) for ranking in itertools.product("01", repeat=9) if ranking.count("1") <= recall_base]
    by_missed: dict[int, list[str]] = {}
    for ranking in ranked:
        by_missed.setdefault(recall_base - ranking.count("1"), []).append(ranking)
    for missed, some in by_missed.items():
        table = judged(*some, missed=" ".join("1" * missed))
        for depth in (1, 3, 9, 2 * recall_base, 20):
            assert set(archetype(table, depth).tolist()) <= allowed


def test_first_and_last_rank_of_each_grade() -> None:
    counts, levels = np.array([[5, 3, 2, 2], [4, 0, 1, 0], [2, 0, 0, 0]]), np.array([0.0, 1.0, 2.0, 3.0])
    first, last = minimum_and_maximum_rank(counts, levels)
    assert first.tolist() == [[8, 5, 3, 1], [2, 2, 1, 1], [1, 1, 1, 1]]
    assert last.tolist() == [[BEYOND, 7, 4, 2], [BEYOND, 1, 1, 0], [BEYOND, 0, 0, 0]]
    first, last = minimum_and_maximum_rank(counts[:1], levels, rel=2)
    assert (first.tolist(), last.tolist()) == ([[5, 5, 3, 1]], [[BEYOND, BEYOND, 4, 2]])


@pytest.mark.parametrize(
    ("collection", "qrels_file", "rel"),
    [
        ("trec8_adhoc", "trec8.qrels.gz", 1),
        ("dl21_passage_judged", "qrels-pass.txt.gz", 1),
        ("dl21_passage_judged", "qrels-pass.txt.gz", 2),
    ],
)
def test_real_runs_equal_the_transcription(shared_data: Path, collection: str, qrels_file: str, rel: int) -> None:
    qrels = rankscale.read_qrels(shared_data / collection / qrels_file)
    for path in sorted((shared_data / collection / "runs").glob("*.xz"))[:3]:
        run = rankscale.read_run(qrels, path)
        table, kept = run.judged(qrels), run.without(qrels.levels < rel, qrels).judged(qrels)
        expected = [_slow_topic(table, topic, rel) for topic in range(table.topics)]
        by_topic = [{**ranking.all_values(), "CRP@100": ranking.CRP[99]} for ranking in expected]
        for text in by_topic[0]:
            wanted = [float(values[text]) for values in by_topic]
            for seen in (table, kept):
                _close(parse(_with_rel(text, rel)).value(seen), wanted)
        _close(Twist(rel=rel).value(kept), [float(ranking.twist()) for ranking in expected])
        assert archetype(table, rel=rel).tolist() == [ranking.archetype() for ranking in expected]


def _slow_topic(table: Judged, topic: int, rel: int) -> Slow:
    ranking: list[float | None] = [None] * int(table.length[topic])
    for rank, code in zip(table.rank[topic].tolist(), table.code[topic].tolist(), strict=True):
        if rank < BEYOND:
            ranking[rank - 1] = float(table.levels[code])
    return Slow(ranking, dict(zip(table.levels.tolist(), table.counts[topic].tolist(), strict=True)), None, rel)


def _close(found: Floats, wanted: list[float]) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
