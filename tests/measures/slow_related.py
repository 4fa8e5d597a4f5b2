"""The precision family and its relatives as SPEC section 2 writes them, with lists and loops.

A ranking is a list of grades, best rank first, None for an unjudged document. `missed` are the grades of judged
documents that it does not hold. A negative grade means unjudged.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

Grade = float | None
Ranking = Sequence[Grade]
Missed = Sequence[float]


def r(grade: Grade, rel: float = 1) -> int:
    return int(grade is not None and grade >= rel)


def recall_base(ranking: Ranking, missed: Missed, rel: float = 1) -> int:
    return sum(r(grade, rel) for grade in [*ranking, *missed])


def c(ranking: Ranking, i: int, rel: float = 1) -> int:
    return sum(r(grade, rel) for grade in ranking[:i])


def sum_of_precisions(ranking: Ranking, k: int, rel: float = 1) -> float:
    return sum(c(ranking, i, rel) / i for i in range(1, min(k, len(ranking)) + 1) if r(ranking[i - 1], rel))


def ap(ranking: Ranking, missed: Missed, k: int, rel: float = 1) -> float:
    relevant = recall_base(ranking, missed, rel)
    return sum_of_precisions(ranking, k, rel) / relevant if relevant else 0.0


def ap_star(ranking: Ranking, k: int) -> float:
    found = c(ranking, k)
    return sum_of_precisions(ranking, k) / found if found else 0.0


def shaw(ranking: Ranking, missed: Missed, k: int) -> float:
    if not c(ranking, k):
        return 0.0
    precision, recall = c(ranking, k) / k, c(ranking, k) / recall_base(ranking, missed)
    return 1 / (1 / precision + 1 / recall - 1)


def interpolated(ranking: Ranking, missed: Missed, k: int, recall: float) -> float:
    """trec_eval 9: the level asks for int(recall * RB + 0.9) relevant documents."""
    wanted = int(recall * recall_base(ranking, missed) + 0.9)
    return max((c(ranking, i) / i for i in range(1, min(k, len(ranking)) + 1) if c(ranking, i) >= wanted), default=0.0)


def ap3(ranking: Ranking, missed: Missed, k: int) -> float:
    return sum(interpolated(ranking, missed, k, recall) for recall in (0.2, 0.5, 0.8)) / 3


def cg(gains: Sequence[float], i: int) -> float:
    return sum(gains[:i])


def gains_of(ranking: Sequence[Grade], gain: Callable[[float], float]) -> list[float]:
    return [0.0 if grade is None or grade < 0 else gain(grade) for grade in ranking]


def q_binary(ranking: Ranking, missed: Missed, k: int) -> float:
    relevant = recall_base(ranking, missed)
    terms = [
        2 * c(ranking, i) / (i + min(i, relevant)) for i in range(1, min(k, len(ranking)) + 1) if r(ranking[i - 1])
    ]
    return sum(terms) / relevant if relevant else 0.0


def q_graded(ranking: Ranking, missed: Missed, k: int, gain: Callable[[float], float], b: float) -> float:
    relevant = recall_base(ranking, missed)
    gains = gains_of(ranking, gain)
    ideal = sorted(gains_of([*ranking, *missed], gain), reverse=True)
    terms = [
        (c(ranking, i) + b * cg(gains, i)) / (i + b * cg(ideal, i))
        for i in range(1, min(k, len(ranking)) + 1)
        if r(ranking[i - 1])
    ]
    return sum(terms) / relevant if relevant else 0.0


def orders(groups: Sequence[Sequence[Grade]]) -> Iterator[list[Grade]]:
    """Every order of documents within tie groups."""
    for chosen in product(*(permutations(group) for group in groups)):
        yield [grade for group in chosen for grade in group]


def esl(groups: Sequence[Sequence[Grade]], n: int) -> float:
    """The mean over all orders of the not relevant documents above the n-th relevant one."""
    lengths = []
    for ranking in orders(groups):
        places = [i for i in range(1, len(ranking) + 1) if r(ranking[i - 1])]
        if len(places) < n:
            return math.nan
        lengths.append(places[n - 1] - n)
    return sum(lengths) / len(lengths)


def ranks(ranking: Ranking, k: int) -> list[int]:
    return [i for i in range(1, min(k, len(ranking)) + 1) if r(ranking[i - 1])]


def asl(ranking: Ranking, k: int) -> float:
    places = ranks(ranking, k)
    return sum(places) / len(places) if places else math.nan


def rank_power(ranking: Ranking, k: int) -> float:
    places = ranks(ranking, k)
    return sum(places) / len(places) / len(places) if places else math.nan


def nr(ranking: Ranking, missed: Missed, k: int, collection: int) -> float:
    n = recall_base(ranking, missed)
    if n == 0:
        return 0.0
    places = ranks(ranking, k)
    not_retrieved = n - len(places)
    places += range(collection - not_retrieved + 1, collection + 1)
    return 1 - (sum(places) - sum(range(1, n + 1))) / (n * (collection - n))


def sr(ranking: Ranking, k: int) -> float:
    gains = gains_of(ranking, float)
    best = cg(sorted(gains, reverse=True), k)
    return cg(gains, k) / best if best else 0.0


def rhl(ranking: Ranking, k: int) -> float:
    gains = gains_of(ranking[:k], float)
    total = sum(gains)
    if total == 0:
        return math.nan
    m = next(i for i in range(1, len(gains) + 1) if cg(gains, i) >= total / 2)
    return (m - 1) + (total / 2 - cg(gains, m - 1)) / gains[m - 1]


def relative_relevance(ranking: Ranking, scores: Sequence[float], k: int) -> float:
    both = [(s, g) for s, g in zip(scores[:k], ranking[:k], strict=True) if g is not None and g >= 0]
    product_of_norms = math.sqrt(sum(s * s for s, _ in both)) * math.sqrt(sum(g * g for _, g in both))
    return sum(s * g for s, g in both) / product_of_norms if product_of_norms else 0.0


def generalised_precision(ranking: Ranking, k: int, gain: Callable[[float], float]) -> float:
    return sum(gains_of(ranking[:k], gain)) / k


def generalised_recall(ranking: Ranking, missed: Missed, k: int, gain: Callable[[float], float]) -> float:
    every = sum(gains_of([*ranking, *missed], gain))
    return sum(gains_of(ranking[:k], gain)) / every if every else 0.0


def gap(ranking: Ranking, missed: Missed, k: int, g: Sequence[float] = ()) -> float:
    """Robertson, Kanoulas and Yilmaz 2010, equation by equation; g[0] is the probability of threshold 1.

    Without g every threshold is as likely as any other, so that a grade satisfies users in proportion to itself.
    """

    def satisfied(document: Grade) -> float:
        grade = max(0.0, document or 0.0)
        return sum(g[: math.floor(grade)]) if g else grade

    def delta(m: int, n: int) -> float:
        return min(satisfied(ranking[m - 1]), satisfied(ranking[n - 1]))

    gained = sum(sum(delta(m, n) for m in range(1, n + 1)) / n for n in range(1, min(k, len(ranking)) + 1))
    most = sum(satisfied(document) for document in [*ranking, *missed])
    return gained / most if most else 0.0


def bpref(ranking: Ranking, missed: Missed, k: int) -> float:
    relevant = recall_base(ranking, missed)
    judged = [grade for grade in ranking if grade is not None and grade >= 0]  # unjudged documents are removed first
    not_relevant = sum(0 <= grade < 1 for grade in [*judged, *missed])
    terms = []
    for place, grade in enumerate(judged):
        if r(grade):
            above = place - c(judged, place)
            terms.append(1 - min(relevant + k, above) / min(relevant + k, not_relevant) if above else 1.0)
    return sum(terms) / relevant if relevant else 0.0


def reciprocal_rank(ranking: Ranking, n: int, damping: float) -> float:
    places = ranks(ranking, len(ranking))
    return 1 / (damping + places[n - 1]) if len(places) >= n else 0.0
