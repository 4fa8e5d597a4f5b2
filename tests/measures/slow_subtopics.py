"""Measures of sub-topics, transcribed from their definitions with plain loops; also over all orders of ties."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

Judgments = dict[str, dict[str, float]]  # sub-topic -> document -> grade, of one topic
Ranking = Sequence[str]
LOG, RECIPROCAL = (lambda r: 1 / math.log2(r + 1)), (lambda r: 1 / r)


class Topic:
    """The judgments of one topic, and what follows from them."""

    def __init__(
        self, judgments: Judgments, rel: float = 1, weights: dict[str, float] | None = None, *, renormalise: bool = True
    ) -> None:
        self.judgments, self.rel = judgments, rel
        self.listed = {*judgments, *(weights or {})}
        self.counting = [i for i in sorted(judgments) if any(self.serves(i, d) for d in judgments[i])]
        self.p = {i: 1 / len(self.counting) if weights is None else weights.get(i, 0.0) for i in self.counting}
        total = math.fsum(self.p.values())
        if weights is not None and renormalise and total > 0:
            self.p = {i: p / total for i, p in self.p.items()}
        if total == 0:
            self.p, self.counting = {}, []

    def serves(self, i: str, document: str) -> bool:
        return self.judgments[i].get(document, -math.inf) >= self.rel

    def relevant(self, i: str) -> list[str]:
        return [d for d in self.judgments[i] if self.serves(i, d)]

    @property
    def documents(self) -> list[str]:
        return sorted({d for of in self.judgments.values() for d in of})

    def gain(self, document: str, above: Ranking, alpha: float) -> float:
        """g: what a document adds below these."""
        return math.fsum(
            p * (1 - alpha) ** sum(self.serves(i, d) for d in above)
            for i, p in self.p.items()
            if self.serves(i, document)
        )

    def novelty(self, ranking: Ranking, weight: Callable[[int], float], alpha: float, k: int | None) -> float:
        cut = ranking if k is None else ranking[:k]
        return math.fsum(weight(r) * self.gain(d, cut[: r - 1], alpha) for r, d in enumerate(cut, start=1))

    def greedy(self, alpha: float) -> list[str]:
        ideal: list[str] = []
        left = sorted(self.documents, key=str.encode, reverse=True)
        while left:
            gains = [self.gain(d, ideal, alpha) for d in left]
            best = max(gains)
            if best <= 0:
                break
            chosen = next(d for d, gain in zip(left, gains, strict=True) if gain >= best - 1e-12 and gain > 0)
            ideal.append(chosen)
            left.remove(chosen)
        return ideal

    def best(self, weight: Callable[[int], float], alpha: float, k: int) -> float:
        """What the best of all rankings has at rank k."""
        useful = [d for d in self.documents if any(self.serves(i, d) for i in self.counting)]
        return max(
            (self.novelty(order, weight, alpha, k) for order in permutations(useful, min(k, len(useful)))), default=0.0
        )


def alpha_dcg(topic: Topic, ranking: Ranking, k: int, alpha: float = 0.5, weight=LOG) -> float:
    divisor = math.fsum((1 - alpha) ** (r - 1) * weight(r) for r in range(1, k + 1))
    return topic.novelty(ranking, weight, alpha, k) / divisor


def err_ia(topic: Topic, ranking: Ranking, k: int, alpha: float = 0.5) -> float:
    return alpha_dcg(topic, ranking, k, alpha, RECIPROCAL)


def over_ideal(topic: Topic, ranking: Ranking, k: int | None, alpha: float = 0.5, weight=LOG) -> float:
    ideal = topic.novelty(topic.greedy(alpha), weight, alpha, k)
    return topic.novelty(ranking, weight, alpha, k) / ideal if ideal else 0.0


def nrbp(topic: Topic, ranking: Ranking, k: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> float:
    return (1 - (1 - alpha) * beta) * topic.novelty(ranking, lambda r: beta ** (r - 1), alpha, k)


def nnrbp(topic: Topic, ranking: Ranking, k: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> float:
    return over_ideal(topic, ranking, k, alpha, lambda r: beta ** (r - 1))


def p_ia(topic: Topic, ranking: Ranking, k: int) -> float:
    return math.fsum(p * sum(topic.serves(i, d) for d in ranking[:k]) / k for i, p in topic.p.items())


def ap_ia(topic: Topic, ranking: Ranking, k: int | None = None) -> float:
    total = 0.0
    for i, p in topic.p.items():
        met, precisions = 0, 0.0
        for r, d in enumerate(ranking if k is None else ranking[:k], start=1):
            if topic.serves(i, d):
                met += 1
                precisions += met / r
        total += p * precisions / len(topic.relevant(i))
    return total


def strecall(topic: Topic, ranking: Ranking, k: int | None = None) -> float:
    met = sum(any(topic.serves(i, d) for d in (ranking if k is None else ranking[:k])) for i in topic.counting)
    return met / len(topic.counting) if topic.counting else 0.0


def coverage(topic: Topic, ranking: Ranking, k: int) -> float:
    return strecall(topic, ranking, k) * len(topic.counting) / len(topic.listed)


def d_ndcg(topic: Topic, ranking: Ranking, k: int, gain: Callable[[float], float] = float) -> float:
    def worth(d: str) -> float:
        return math.fsum(p * gain(topic.judgments[i][d]) for i, p in topic.p.items() if topic.serves(i, d))

    ideal = sorted(map(worth, topic.documents), reverse=True)[:k]
    best = math.fsum(worth / math.log2(r + 1) for r, worth in enumerate(ideal, start=1))
    return math.fsum(worth(d) / math.log2(r + 1) for r, d in enumerate(ranking[:k], start=1)) / best if best else 0.0


def dsharp_ndcg(topic: Topic, ranking: Ranking, k: int, gamma: float = 0.5) -> float:
    return gamma * strecall(topic, ranking, k) + (1 - gamma) * d_ndcg(topic, ranking, k)


def orders(groups: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Every order of a ranking whose groups are tied."""
    for chosen in product(*(permutations(group) for group in groups)):
        yield [d for group in chosen for d in group]


MEASURES: dict[str, Callable[[Topic, Ranking, int], float]] = {
    "alpha_DCG": alpha_dcg,
    "alpha_nDCG": over_ideal,
    "ERR_IA": err_ia,
    "nERR_IA": lambda topic, ranking, k: over_ideal(topic, ranking, k, weight=RECIPROCAL),
    "NRBP": nrbp,
    "nNRBP": nnrbp,
    "P_IA": p_ia,
    "AP_IA": ap_ia,
    "StRecall": strecall,
    "Coverage": coverage,
    "D_nDCG": d_ndcg,
    "Dsharp_nDCG": dsharp_ndcg,
    "IA(P)": p_ia,
    "IA(AP)": ap_ia,
}
