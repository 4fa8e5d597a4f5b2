"""Preferences counted pair by pair, in plain loops from the definitions: an oracle for the drop-in and the package."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

Line = tuple[str, str, str, float]  # group, list, document, level
Relation = dict[tuple[str, str], int]  # (better, other) -> how often
Ranking = Sequence[str]


def lines_of(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """Lines by group, groups in byte order."""
    return {group: [line for line in lines if line[0] == group] for group in sorted({line[0] for line in lines})}


def relation_of(lines: Sequence[Line]) -> Relation:
    """How often each document is preferred to each other one, by one group; doubled lines count twice in one list."""
    lists = sorted({line[1] for line in lines})
    counted: Relation = {}
    for name in lists:
        held = [line for line in lines if line[1] == name]
        for (_, _, a, above), (_, _, b, below) in product(held, held):
            if above > below:
                counted[a, b] = counted.get((a, b), 0) + 1
    if len(lists) == 1:
        return counted
    pairs = set(counted)
    while True:  # chains
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c and a != d} - pairs
        if not more:
            return dict.fromkeys(pairs, 1)
        pairs |= more


def places_of(lines: Sequence[Line], ranking: Ranking) -> tuple[dict[str, int], int]:
    """The place of each document that the lines name, and how many of them are retrieved."""
    documents = sorted({line[2] for line in lines})
    retrieved = [document for document in ranking if document in documents]
    order = [*retrieved, *(document for document in documents if document not in retrieved)]
    return {document: place for place, document in enumerate(order)}, len(retrieved)


def counts_of(relation: Relation, place: dict[str, int], held: int) -> tuple[int, int, int, int, int]:
    """F2, P2, F1, P1, P0."""
    f2 = p2 = f1 = p1 = p0 = 0
    for (a, b), times in relation.items():
        above, below = place[a] < held, place[b] < held
        if above and below:
            p2 += times
            f2 += times * (place[a] < place[b])
        elif above or below:
            p1 += times
            f1 += times * above
        else:
            p0 += times
    return f2, p2, f1, p1, p0


def values_of(
    lines: Sequence[Line],
    ranking: Ranking,
    ratio: Callable[[float, float], float],
    shares: Callable[..., tuple[float, float]],
) -> dict[str, float]:
    """All measures but for the averages over groups, which are lists here; `shares` are those of Rnonrel."""
    place, held = places_of(lines, ranking)
    groups = lines_of(lines)
    relations = [relation_of(of_group) for of_group in groups.values()]
    counts = [counts_of(relation, place, held) for relation in relations]
    f2, p2, f1, p1, p0 = (sum(column) for column in zip(*counts, strict=True))
    values: dict[str, object] = {
        "prefs_num_prefs_poss": p2 + p1 + p0,
        "prefs_num_prefs_ful": f2 + f1,
        "prefs_num_prefs_ful_ret": f2,
        "prefs_simp": ratio(f2 + f1, p2 + p1 + p0),
        "prefs_simp_ret": ratio(f2, p2),
        "prefs_simp_imp": ratio(f2 + f1, p2 + p1),
        "prefs_avgjg": [ratio(c[0] + c[2], c[1] + c[3] + c[4]) for c in counts],
        "prefs_avgjg_ret": [ratio(c[0], c[1]) for c in counts],
        "prefs_avgjg_imp": [ratio(c[0] + c[2], c[1] + c[3]) for c in counts],
    }
    values |= pairs_of(relations, place, held, ratio)
    both = [shares(of_group, place, held) for of_group in groups.values()]
    values["prefs_avgjg_Rnonrel"] = [share for share, _ in both]
    values["prefs_avgjg_Rnonrel_ret"] = [share for _, share in both]
    return values  # type: ignore[return-value]


def pairs_of(
    relations: Sequence[Relation], place: dict[str, int], held: int, ratio: Callable[[float, float], float]
) -> dict[str, float]:
    order = sorted(place, key=place.__getitem__)
    both: list[float] = []
    one: list[float] = []
    number = 0
    for first, x in enumerate(order):
        for second in range(first + 1, len(order)):
            y = order[second]
            for_x = sum(relation.get((x, y), 0) for relation in relations)
            for_y = sum(relation.get((y, x), 0) for relation in relations)
            if for_x + for_y == 0:
                continue
            number += 1
            if second < held:
                both.append(for_x / (for_x + for_y))
            elif first < held:
                one.append(for_x / (for_x + for_y))
    return {
        "prefs_pair": ratio(sum_up([*both, *one]), number),
        "prefs_pair_ret": ratio(sum_up(both), len(both)),
        "prefs_pair_imp": ratio(sum_up([*both, *one]), len(both) + len(one)),
    }


def sum_up(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


# trec_eval, defects included


def trec_values(lines: Sequence[Line], ranking: Ranking) -> dict[str, float]:
    """The 14 values that trec_eval prints."""
    values = values_of(lines, ranking, lambda part, whole: part / whole if whole else 0.0, trec_shares)
    for name, value in values.items():
        if isinstance(value, list):
            mean = sum_up(value) / len(value)
            values[name] = 0.0 if math.isnan(mean) else mean
    return values


def quotient(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def trec_shares(lines: Sequence[Line], place: dict[str, int], held: int) -> tuple[float, float]:
    relation = relation_of(lines)
    f2, p2, f1, p1, p0 = counts_of(relation, place, held)
    several = len({line[1] for line in lines}) > 1
    if several:
        last = {document: level for _, _, document, level in sorted(lines, key=lambda line: (line[1], -line[3]))}
        relevant = [document for document, level in last.items() if level > 0]
        others = [document for document, level in last.items() if level == 0]
    else:
        relevant = [document for _, _, document, level in lines if level > 0]
        others = [document for _, _, document, level in lines if level <= 0]
    total, other = len(relevant), len(others)
    met, other_met = (sum(place[document] < held for document in some) for some in (relevant, others))
    if total >= other:
        share = quotient(f2 + f1 + met * (total - other), p2 + p1 + p0 + total * (total - other))
    elif several:
        share = _among(relation, place, held, set(sorted(others, key=place.__getitem__)[total:]), retrieved=False)
    else:
        share = _against_lowest(lines, place, held, total, retrieved=False)
    if met >= other_met:
        share_ret = quotient(f2 + met * (met - other_met), p2 + total * (met - other_met))
    elif several:
        in_order = sorted((document for document in others if place[document] < held), key=place.__getitem__)
        share_ret = _among(relation, place, held, set(in_order[total:]), retrieved=True)
    else:
        share_ret = _against_lowest(lines, place, held, met, retrieved=True)
    return share, share_ret


def _among(relation: Relation, place: dict[str, int], held: int, dropped: set[str], *, retrieved: bool) -> float:
    kept = {(a, b): 1 for a, b in relation if a not in dropped and b not in dropped}
    f2, p2, f1, p1, p0 = counts_of(kept, place, held)
    return quotient(f2, p2) if retrieved else quotient(f2 + f1, p2 + p1 + p0)


def _against_lowest(lines: Sequence[Line], place: dict[str, int], held: int, number: int, *, retrieved: bool) -> float:
    """One list: every line against the first lines of the lowest class, other preferences as ever."""
    lowest = min(level for *_, level in lines)
    first = sorted((document for _, _, document, level in lines if level == lowest), key=place.__getitem__)[:number]
    pairs = [(a, b) for (_, _, a, up), (_, _, b, down) in product(lines, lines) if up > down > lowest]
    pairs += [(a, b) for (_, _, a, _), b in product(lines, first)]
    if retrieved:
        pairs = [(a, b) for a, b in pairs if place[a] < held and place[b] < held]
    return quotient(sum(place[a] < held and place[a] < place[b] for a, b in pairs), len(pairs))


# The package


def package_values(lines: Sequence[Line], ranking: Ranking) -> dict[str, float]:
    """The values of the measures of the package, NaN where there is none."""
    once = sorted(set(lines))
    values = values_of(once, ranking, quotient, imagined_shares)
    for name, value in values.items():
        if isinstance(value, list):
            defined = [one for one in value if not math.isnan(one)]
            values[name] = quotient(sum_up(defined), len(defined))
    return values


def imagined_shares(lines: Sequence[Line], place: dict[str, int], held: int) -> tuple[float, float]:
    """As many documents that are not relevant as relevant ones: surplus ones dropped, missing ones imagined."""
    level = {document: grade for _, _, document, grade in lines}
    return _imagined(lines, level, place, held), _imagined(
        [line for line in lines if place[line[2]] < held],
        {document: grade for document, grade in level.items() if place[document] < held},
        place,
        held,
        relation_of(lines),
    )


def _imagined(
    lines: Sequence[Line], level: dict[str, float], place: dict[str, int], held: int, relation: Relation | None = None
) -> float:
    retrieved_only = relation is not None
    relation = relation_of(lines) if relation is None else relation
    relevant = [document for document in level if level[document] > 0]
    others = sorted((document for document in level if level[document] == 0), key=place.__getitem__)[: len(relevant)]
    kept = {(a, b) for a, b in relation if a in {*relevant, *others} and b in {*relevant, *others}}
    where = dict(place)
    below = len(place)
    for number in range(len(relevant) - len(others)):
        where[f"imagined {number}"] = below + number
        kept |= {(document, f"imagined {number}") for document in relevant}
    fulfilled = sum(place[a] < held and where[a] < where[b] for a, b in kept)
    assert not retrieved_only or all(place[a] < held for a, _ in kept)
    return quotient(fulfilled, len(kept))


def orders(scores: dict[str, float]) -> Iterator[Ranking]:
    """Every ranking by descending score: all orders of documents with equal ones."""
    tied = [[name for name in scores if scores[name] == score] for score in sorted(set(scores.values()), reverse=True)]
    for parts in product(*map(permutations, tied)):
        yield [document for part in parts for document in part]


def ranked(scores: dict[str, float], *, ascending: bool) -> Ranking:
    """The ranking, ties by document id ascending (trec_eval's preferences) or descending (everything else)."""
    return sorted(sorted(scores, reverse=not ascending), key=lambda document: -scores[document])


# Inputs


def random_topic(draw: random.Random, *, odd: bool = False) -> tuple[list[Line], dict[str, float]]:
    """Lines that do not contradict themselves within a group, and scores of a ranking.

    `odd` adds what only trec_eval takes: doubled lines, negative levels.
    """
    documents = [f"d{number}" for number in range(draw.randint(2, 8))]
    lines: list[Line] = []
    for group in range(draw.randint(1, 4)):
        lowest = -2 if odd and draw.random() < 0.2 else 0
        hidden = {document: draw.randint(lowest, draw.choice([1, 2, 4])) for document in documents}
        if draw.random() < 0.3:
            hidden = dict.fromkeys(documents, 0) | {draw.choice(documents): 1}
        for name in range(draw.choice([1, 1, 2, 3])):
            scale = draw.choice([0.5, 1, 2])
            some = draw.sample(documents, draw.randint(1, len(documents)))
            flat = draw.random() < 0.2
            for document in some:
                level = min(hidden[document], 1) if flat else hidden[document] * scale
                lines += [(f"g{group}", f"l{name}", document, float(level))] * (2 if odd and draw.random() < 0.1 else 1)
    draw.shuffle(lines)
    retrieved = draw.sample([*documents, "x", "y", "z"], draw.randint(0, len(documents) + 3))
    return lines, {document: float(draw.randint(0, draw.choice([2, 9]))) for document in retrieved or ["x"]}
