"""Measures of preferences and of judgment groups: worked values, an independent count, and laws."""

import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.data.qrels import Qrels
from rankscale.errors import BoundsError, FormatError, InputError, ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.inputs.read import read_qrels, read_run
from rankscale.measures.base.parser import parse, parse_all
from rankscale.measures.base.trec_names import BY_NAME, PREFERENCES
from rankscale.measures.families import preferences
from tests.data.made_aspects import made_qrels
from tests.measures.slow_preferences import Line, orders, package_values, random_topic, ranked

MEASURES = {name: parse(str(BY_NAME[name].measure)) for name in PREFERENCES}
SHARES = [name for name in PREFERENCES if "num" not in name]
EXAMPLE: list[Line] = [
    *(("A", "s", document, level) for document, level in [("d2", 2.0), ("d4", 1.0)]),
    *(("A", "s", document, 0.0) for document in ("d1", "d3", "d5", "d6")),
    *(("B", "s1", document, level) for document, level in [("d3", 3.0), ("d2", 1.0)]),
    *(("B", "s2", document, level) for document, level in [("d2", 2.0), ("d7", 1.0), ("d5", 0.0), ("d8", 0.0)]),
]
EXAMPLE_RUN = {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 3.0, "x": 2.0, "d5": 1.0}


def made(topics: dict[str, list[Line]]) -> Qrels:
    """Qrels of preferences."""
    return made_qrels([(topic, *line) for topic, lines in topics.items() for line in lines])


def judged_by(qrels: Qrels, runs: dict[str, dict[str, float]]) -> Judged:
    return read_run(qrels, runs, name="run").judged(qrels)


def values(lines: list[Line], scores: dict[str, float]) -> dict[str, float]:
    """All values of one topic by trec_eval's names."""
    qrels = made({"1": lines})
    judged = judged_by(qrels, {"1": scores})
    return {name: float(measure.value(judged)[0]) for name, measure in MEASURES.items()}


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    for name in PREFERENCES:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, err_msg=name)


def test_the_worked_example():
    """PREFS 11, in brackets: d3 and d4 have equal scores, and d4 comes first."""
    expected = {
        "prefs_num_prefs_poss": 18,
        "prefs_num_prefs_ful": 13,
        "prefs_num_prefs_ful_ret": 7,
        "prefs_simp": 0.7222,
        "prefs_pair": 0.7188,
        "prefs_avgjg": 0.7222,
        "prefs_avgjg_Rnonrel": 0.6333,
        "prefs_simp_ret": 0.7,
        "prefs_pair_ret": 0.6875,
        "prefs_avgjg_ret": 0.6905,
        "prefs_avgjg_Rnonrel_ret": 0.7,
        "prefs_simp_imp": 0.7647,
        "prefs_pair_imp": 0.7667,
        "prefs_avgjg_imp": 0.7639,
    }
    assert {name: round(value + 1e-9, 4) for name, value in values(EXAMPLE, EXAMPLE_RUN).items()} == expected


@pytest.mark.parametrize("seed", range(10))
def test_values_are_those_of_an_independent_count(seed):
    draw = random.Random(seed)
    topics = {f"{number:03}": random_topic(draw) for number in range(120)}
    qrels = made({topic: lines for topic, (lines, _) in topics.items()})
    judged = judged_by(qrels, {topic: scores for topic, (_, scores) in topics.items()})
    assert judged.topics == len(topics)
    found = {name: measure.value(judged) for name, measure in MEASURES.items()}
    for place, (lines, scores) in enumerate(topics.values()):
        expected = package_values(lines, ranked(scores, ascending=False))
        same({name: column[place] for name, column in found.items()}, expected)


@pytest.mark.parametrize("seed", range(4))
def test_depths_and_curves_are_those_of_shorter_rankings(seed):
    draw = random.Random(100 + seed)
    topics = {f"{number:02}": random_topic(draw) for number in range(30)}
    qrels = made({topic: lines for topic, (lines, _) in topics.items()})
    judged = judged_by(qrels, {topic: scores for topic, (_, scores) in topics.items()})
    for name, measure in MEASURES.items():
        curve = measure.curve(judged.every_rank(4))
        for depth in (1, 2, 4):
            if not measure.takes_depth:
                continue
            found = measure.at(depth).value(judged)
            np.testing.assert_array_equal(curve[:, depth - 1], found)
            for place, (lines, scores) in enumerate(topics.values()):
                expected = package_values(lines, ranked(scores, ascending=False)[:depth])[name]
                np.testing.assert_allclose(found[place], expected, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("seed", range(6))
def test_a_preference_between_tied_documents_counts_a_half(seed):
    """The mean over all orders of tied documents, listed one by one; exact but for the one with imagined documents."""
    draw = random.Random(200 + seed)
    topics: dict[str, tuple[list[Line], dict[str, float]]] = {}
    while len(topics) < 8:
        lines, scores = random_topic(draw)
        if len(scores) <= 6:
            topics[f"{len(topics)}"] = lines, scores
    qrels = made({topic: lines for topic, (lines, _) in topics.items()})
    judged = judged_by(qrels, {topic: scores for topic, (_, scores) in topics.items()})
    for name, measure in MEASURES.items():
        exact = "Rnonrel" not in name
        assert measure.knows_tied_means == exact
        found = measure.expected(judged)
        for place, (lines, scores) in enumerate(topics.values()):
            every = [package_values(lines, order)[name] for order in orders(scores)]
            if exact:
                np.testing.assert_allclose(found[place], np.mean(every), rtol=1e-12, err_msg=name)


def test_a_depth_that_parts_tied_documents_is_averaged_over_all_orders():
    qrels = made({"1": EXAMPLE})
    judged = judged_by(qrels, {"1": EXAMPLE_RUN})
    every = [package_values(EXAMPLE, order[:3]) for order in orders(EXAMPLE_RUN)]
    for name in ("prefs_simp", "prefs_pair_ret", "prefs_avgjg_imp", "prefs_avgjg_Rnonrel"):
        expected = np.mean([one[name] for one in every])
        np.testing.assert_allclose(MEASURES[name].at(3).expected(judged), [expected], rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_where_all_preferences_count_the_mean_is_exact_at_any_depth(seed):
    draw = random.Random(300 + seed)
    for _ in range(10):
        lines, scores = random_topic(draw)
        if len(scores) > 6:
            continue
        judged = judged_by(made({"1": lines}), {"1": scores})
        for name in ("prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"):
            found = [float(MEASURES[name].at(depth).expected(judged)[0]) for depth in range(1, 6)]
            every = [[package_values(lines, order[:depth])[name] for depth in range(1, 6)] for order in orders(scores)]
            np.testing.assert_allclose(found, np.mean(every, axis=0), rtol=1e-12, err_msg=name)
            table = judged.every_rank(max(5, len(scores)))
            np.testing.assert_allclose(MEASURES[name].tied_curve(table)[0, :5], found, rtol=1e-12, err_msg=name)


def test_qrels_by_assessor_are_preferences_with_one_list_each():
    draw = random.Random(1)
    for _ in range(40):
        lines, scores = random_topic(draw)
        one_list = list(
            {(group, document): (group, "l", document, level) for group, _, document, level in lines}.values()
        )
        qrels = made_qrels([("1", group, document, level) for group, _, document, level in one_list])
        judged = judged_by(qrels, {"1": scores})
        same({name: measure.value(judged)[0] for name, measure in MEASURES.items()}, values(one_list, scores))


def test_a_negative_grade_expresses_nothing():
    rows = [("1", "A", "d1", 2.0), ("1", "A", "d2", 0.0)]
    with_negative = made_qrels([*rows, ("1", "A", "d3", -1.0), ("1", "B", "d1", 1.0), ("1", "B", "d2", -2.0)])
    without = made_qrels([*rows, ("1", "B", "d1", 1.0)])
    run = {"1": {"d3": 3.0, "d1": 2.0}}
    for measure in MEASURES.values():
        found, expected = (measure.value(judged_by(qrels, run)) for qrels in (with_negative, without))
        np.testing.assert_array_equal(found, expected)


# Laws of PREFS 10


inputs = st.integers(0, 2**32).map(lambda seed: random_topic(random.Random(seed)))
tried = settings(max_examples=60, deadline=None)


def one_group(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line[0] == min(line[0] for line in lines)]


def one_list(lines: list[Line]) -> list[Line]:
    """One group with one list."""
    held = one_group(lines)
    return [line for line in held if line[1] == held[0][1]]


@tried
@given(inputs, inputs)
def test_what_is_possible_does_not_depend_on_the_run(one, other):
    lines, scores = one
    found = [values(lines, run)["prefs_num_prefs_poss"] for run in (scores, other[1], {"x": 1.0})]
    assert len(set(found)) == 1


@tried
@given(inputs)
def test_shares_lie_within_0_and_1(one):
    found = values(*one)
    assert all(math.isnan(found[name]) or 0 <= found[name] <= 1 for name in SHARES)
    assert found["prefs_num_prefs_ful_ret"] <= found["prefs_num_prefs_ful"] <= found["prefs_num_prefs_poss"]


@tried
@given(inputs)
def test_unjudged_documents_change_nothing(one):
    lines, scores = one
    known = {line[2] for line in lines}
    more = {document: 2 * score for document, score in scores.items()} | {f"u{n}": float(n) for n in range(9)}
    few = {document: score for document, score in scores.items() if document in known} or {"u": 1.0}
    same(values(lines, more), values(lines, few))


@tried
@given(inputs)
def test_levels_matter_by_their_order_and_by_0_alone(one):
    lines, scores = one
    mapped = [(group, name, document, 7 * level**3 if level else 0.0) for group, name, document, level in lines]
    same(values(mapped, scores), values(lines, scores))


@tried
@given(inputs)
def test_with_one_group_the_three_shares_are_one(one):
    found = values(one_group(one[0]), one[1])
    for form in ("", "_imp", "_ret"):
        np.testing.assert_allclose(found[f"prefs_pair{form}"], found[f"prefs_simp{form}"], rtol=1e-12)
        np.testing.assert_allclose(found[f"prefs_avgjg{form}"], found[f"prefs_simp{form}"], rtol=1e-12)


@tried
@given(inputs, st.randoms())
def test_where_all_is_retrieved_the_three_forms_are_one_and_the_reversed_run_has_the_rest(one, draw):
    lines = one[0]
    documents = sorted({line[2] for line in lines})
    draw.shuffle(documents)
    scores = {document: float(place) for place, document in enumerate(documents)}
    found, reversed_ = values(lines, scores), values(lines, {document: -score for document, score in scores.items()})
    for name in ("prefs_simp", "prefs_pair", "prefs_avgjg"):
        np.testing.assert_allclose([found[f"{name}_imp"], found[f"{name}_ret"]], found[name], rtol=1e-12)
        np.testing.assert_allclose(reversed_[name], 1 - found[name], rtol=1e-9, atol=1e-12)


@tried
@given(inputs)
def test_a_list_is_the_lists_of_its_pairs(one):
    whole = one_list(one[0])
    if len({line[2] for line in whole}) < 2:
        return
    pairs = [
        (group, f"p{number}", document, level)
        for number, pair in enumerate(combinations(sorted(set(whole)), 2))
        for group, _, document, level in pair
    ]
    same(values(pairs, one[1]), values(whole, one[1]))


@tried
@given(inputs)
def test_repeated_lines_count_once(one):
    lines, scores = one
    same(values([*lines, *lines[:3]], scores), values(lines, scores))


@tried
@given(inputs)
def test_the_ideal_ranking_of_a_group_has_1(one):
    lines = one_list(one[0])
    level = {document: level for _, _, document, level in lines}
    found = values(lines, level)
    for name in ("prefs_simp", "prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"):
        assert found[name] == 1 or math.isnan(found[name])


@tried
@given(inputs)
def test_groups_of_one_assessor_are_the_measure_itself(one):
    lines, scores = one_list(one[0]), one[1]
    plain = read_qrels({"1": {document: level for _, _, document, level in lines}})
    grouped = made_qrels([("1", group, document, level) for group, _, document, level in set(lines)])
    for text in ("AP", "P@3", "Rprec(multiple=0.4)", "nDCG", "RBP@2", "AP(judged_only=True)"):
        of_one = parse(f"Groups({text})").value(judged_by(grouped, {"1": scores}))
        np.testing.assert_array_equal(of_one, parse(text).value(judged_by(plain, {"1": scores})))
        np.testing.assert_array_equal(parse(f"Groups({text})").value(judged_by(plain, {"1": scores})), of_one)


# Judgment groups


def mean_over_assessors(text: str, rows: list[tuple[str, str, str, float]], scores: dict[str, float]) -> Floats:
    """The measure by the qrels of each assessor alone, each read by itself."""
    alone = [
        read_qrels({"1": {document: grade for _, one, document, grade in rows if one == group}})
        for group in sorted({row[1] for row in rows})
    ]
    found: Floats = np.mean([parse(text).value(judged_by(qrels, {"1": scores})) for qrels in alone], axis=0)
    return found


@pytest.mark.parametrize(
    "text", ["AP", "P@3", "Rprec", "nDCG@4", "AP(judged_only=True)", "P(judged_only=True)@2", "RR"]
)
def test_groups_are_the_mean_over_assessors(text):
    draw = random.Random(5)
    for _ in range(50):
        lines, scores = random_topic(draw)
        rows = [
            ("1", group, document, level) for (group, document), level in {line[::2]: line[3] for line in lines}.items()
        ]
        found = parse(f"Groups({text})").value(judged_by(made_qrels(rows), {"1": scores}))
        np.testing.assert_allclose(found, mean_over_assessors(text, rows, scores), rtol=1e-12)


@pytest.mark.parametrize("text", ["AP", "P@3", "nDCG@4"])
def test_groups_over_tied_documents(text):
    draw = random.Random(6)
    for _ in range(10):
        lines, scores = random_topic(draw)
        if len(scores) > 6:
            continue
        rows = [
            ("1", group, document, level) for (group, document), level in {line[::2]: line[3] for line in lines}.items()
        ]
        every = []
        for order in orders(scores):
            run = {document: float(-place) for place, document in enumerate(order)}
            every.append(mean_over_assessors(text, rows, run))
        found = parse(f"Groups({text})").expected(judged_by(made_qrels(rows), {"1": scores}))
        np.testing.assert_allclose(found, np.mean(every, axis=0), rtol=1e-12)


def test_depths_of_groups_may_be_written_inside_or_outside():
    assert parse("Groups(P@5)") == parse("Groups(P)@5")
    assert str(parse("Groups(P@5)")) == "Groups(P)@5"
    with pytest.raises(ParameterError, match="the depth is given twice"):
        parse("Groups(P@5)@6")
    with pytest.raises(ParameterError, match=r"as in Groups\(AP\), got Prefs"):
        parse("Groups(Prefs)")
    with pytest.raises(ParameterError, match=r"a depth is needed, as in Groups\(P\)@10"):
        parse("Groups(P)")
    with pytest.raises(ParameterError, match="takes no depth"):
        parse("Groups(Rprec)@5")
    with pytest.raises(BoundsError, match="each assessor left other documents unjudged"):
        parse("Groups(P)@5").bounds(judged_by(made({"1": EXAMPLE}), {"1": EXAMPLE_RUN}))


def test_names_of_trec_eval_are_understood_and_values_go_by_ours():
    texts = [
        "prefs_simp",
        "prefs_avgjg_Rnonrel_ret",
        "map_avgjg",
        "P_avgjg.5,10",
        "P_avgjg_15",
        "Rprec_mult_avgjg_0.40",
    ]
    assert [str(one) for one in parse_all(texts)] == [
        *("Prefs", "PrefsBalanced(among='retrieved')", "Groups(AP)", "Groups(P)@5", "Groups(P)@10", "Groups(P)@15"),
        "Groups(Rprec(multiple=0.4))",
    ]
    assert len(parse_all(["all_prefs"])) == 15  # with NumQ
    found = evaluate(made({"1": EXAMPLE}), {"run": {"1": EXAMPLE_RUN}}, ["prefs_simp", "map_avgjg"])
    assert [str(measure) for measure in found.measures] == ["Prefs", "Groups(AP)"]


def test_undefined_values_are_left_out_and_counted():
    qrels = made({"1": EXAMPLE, "2": [("A", "s", "d1", 1.0), ("A", "s", "d2", 1.0)]})
    found = evaluate(qrels, {"run": {"1": EXAMPLE_RUN, "2": EXAMPLE_RUN}}, ["Prefs", "PrefsGroup", "NumPrefs"])
    assert str(found.means()).splitlines()[1].split() == ["run", "2", "0.7222", "(1)", "0.7222", "(1)", "18"]
    assert found.warnings[0] == (
        "Prefs is undefined for 1 of 2 rankings (the topic has no preference that counts), which its means leave out"
    )


# Errors


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            [("A", "s", "d4", 2.0)],
            (
                "lines 2 and 13: topic 1, assessor A, list s, document d4: a document stands once in a list, "
                "found it at levels 1 and 2"
            ),
        ),
        (
            [("B", "s3", "d7", 0.0), ("B", "s3", "d9", 0.0)],
            (
                "lines 10 and 13: topic 1, assessor B, list s2 and s3, document d7: level 0 means not relevant, "
                "found the document at level 0 and above 0 too"
            ),
        ),
        (
            [("A", "s", "d9", -1.0)],
            "line 13: topic 1, assessor A, list s, document d9: expected a level of 0 or more, found -1",
        ),
        (
            [("B", "s3", "d7", 2.0), ("B", "s3", "d3", 1.0)],
            (
                "lines 7, 8, 9, 10, 13 and 14: topic 1, assessor B: the lists of one assessor must not contradict "
                "each other, "
                "found d2 > d7 > d3 > d2; correct the lines, or give contradicting lists to different assessors"
            ),
        ),
    ],
    ids=["two levels", "0 and more", "negative", "cycle"],
)
def test_contradictions_are_refused_in_words(more, message):
    qrels = made({"1": [*EXAMPLE, *more]})
    for text in ("Prefs", "PrefsPair", "PrefsBalanced"):
        with pytest.raises(FormatError) as error:
            parse(text).value(judged_by(qrels, {"1": EXAMPLE_RUN}))
        where, words = str(error.value).split(", line", 1)
        assert where == qrels.source
        assert f"line{words}" == message


def test_too_many_documents_for_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(preferences, "MOST_DOCUMENTS", 5)
    judged = judged_by(made({"1": EXAMPLE}), {"1": EXAMPLE_RUN})
    with pytest.raises(InputError, match="topic 1: 8 documents, and each pair of them is looked at by itself"):
        parse("PrefsPair").value(judged)
    assert parse("Prefs").value(judged)[0] == pytest.approx(13 / 18)


def test_a_long_list_is_counted_by_classes():
    """2,000 documents of five levels, and of 2,000: against a count of every pair."""
    rng = np.random.default_rng(0)
    for highest in (5, 10**6):
        level = rng.integers(0, highest, 2000)
        qrels = read_qrels({"1": {f"d{n:04}": float(grade) for n, grade in enumerate(level)}})
        order = rng.permutation(2000)[:1500]
        judged = judged_by(qrels, {"1": {f"d{document:04}": float(-place) for place, document in enumerate(order)}})
        ranked_level = level[order]
        f2 = np.count_nonzero(np.triu(ranked_level[:, None] > ranked_level))
        missing = np.delete(level, order)
        f1 = np.count_nonzero(ranked_level[:, None] > missing)
        possible = np.count_nonzero(level[:, None] > level)
        np.testing.assert_allclose(parse("Prefs").value(judged), [(f2 + f1) / possible], rtol=1e-12)
        np.testing.assert_allclose(parse("NumPrefsFul(among='retrieved')").value(judged), [f2], rtol=1e-12)


@pytest.mark.parametrize("text", ["Prefs@3", "Groups(P)@3", "AvgPos(Prefs)@3"])
def test_there_is_no_interval_scale_of_pairs_or_of_several_assessors(text):
    from rankscale.scales.interval import interval_version
    from rankscale.scales.scale import scale

    reason = "looks at pairs of documents or at several assessors"
    with pytest.raises(ParameterError, match=reason):
        parse(f"Interval({text})")
    with pytest.raises(ParameterError, match=reason):
        scale(text, levels=[0, 1])
    assert interval_version(text) is None
    assert not parse(text).has_interval_version


def test_files_are_read_and_refused_in_words(tmp_path):
    """As users meet it: preferences by `form='prefs'`, assessors by the second column."""
    prefs, twice = tmp_path / "prefs.txt", tmp_path / "twice.txt"
    lines = [f"1 {group} {name} {document} {level:g}\n" for group, name, document, level in EXAMPLE]
    prefs.write_text("".join(lines), encoding="utf-8")
    twice.write_text("".join([*lines, "1 B s3 d7 2\n", "1 B s3 d3 1\n"]), encoding="utf-8")
    names = [str(measure) for measure in MEASURES.values()]
    found = evaluate(read_qrels(str(prefs), form="prefs"), {"run": {"1": EXAMPLE_RUN}}, names)
    same(
        dict(zip(PREFERENCES, found.values[:, 0, 0].tolist(), strict=True)),
        package_values(EXAMPLE, ranked(EXAMPLE_RUN, ascending=False)),
    )
    with pytest.raises(FormatError) as error:
        evaluate(read_qrels(str(twice), form="prefs"), {"run": {"1": EXAMPLE_RUN}}, ["Prefs"])
    assert str(error.value).startswith(f"{twice}, lines 7, 8, 9, 10, 13 and 14: topic 1, assessor B: the lists of one")
    assert "found d2 > d7 > d3 > d2" in str(error.value)


def test_curves_are_drawn_but_without_an_ideal_run():
    import rankscale as rs

    qrels, runs = made({"1": EXAMPLE}), {"run": {"1": EXAMPLE_RUN}}
    found = rs.curves(qrels, runs, ["Prefs", "Groups(P)@6"], depth=6)
    every = [
        package_values(EXAMPLE, ranked(EXAMPLE_RUN, ascending=False)[:depth])["prefs_simp"] for depth in range(1, 7)
    ]
    np.testing.assert_allclose(found.values[0][0, 0], every, rtol=1e-12)
    with pytest.raises(
        ParameterError, match="Prefs looks at pairs of documents or at several assessors, and the ideal"
    ):
        rs.curves(qrels, runs, ["Prefs"], depth=6, ideal=True)


def test_every_verb_takes_them(tmp_path):
    """Compared, reported, drawn: measures like any other."""
    import rankscale as rs

    draw = random.Random(9)
    topics = {f"{number}": random_topic(draw) for number in range(12)}
    qrels = made({topic: lines for topic, (lines, _) in topics.items()})
    one = {topic: scores for topic, (_, scores) in topics.items()}
    other = {topic: {name: -score for name, score in scores.items()} for topic, scores in one.items()}
    found = rs.evaluate(qrels, {"one": one, "other": other}, ["PrefsGroup", "Groups(AP)", "NumPrefsFul"], ties="range")
    assert found.ties_lower is not None
    assert found.ties_upper is not None
    assert np.nanmax(found.ties_lower - found.values) <= 1e-12
    assert np.nanmin(found.ties_upper - found.values) >= -1e-12
    assert rs.compare(found["PrefsGroup"]).pairs
    path = tmp_path / "report.html"
    rs.write_report(qrels, {"one": one, "other": other}, path, ["Prefs@5", "Groups(P)@5"])
    assert "Groups(P)@5" in path.read_text(encoding="utf-8")
