"""Relative positions as the specification writes them: lists, loops and fractions, rank by rank."""

import math
from fractions import Fraction

Number = Fraction | float


class Slow:
    """One ranking, cut at a depth and padded to N; grades of unjudged documents are None. Ranks count from 1."""

    def __init__(
        self, ranking: list[float | None], counts: dict[float, int], depth: int | None = None, rel: float = 1
    ) -> None:
        self.k = 1000 if depth is None else depth
        self.ideal_part = sorted((g for g, n in counts.items() if g >= rel for _ in range(n)), reverse=True)
        self.RB = len(self.ideal_part)
        self.N = max(self.k, 2 * self.RB)
        self.grades = [g if g is not None and g >= rel else None for g in ranking[: self.k]]
        self.grades += [None] * (self.N - len(self.grades))
        self.ideal: list[float | None] = [*self.ideal_part, *[None] * (self.N - self.RB)]
        self.full_scale = self.ideal[::-1]
        self.RP = self.relative_positions(self.grades)
        self.CRP = self.cumulated(self.RP)
        self.RPw = self.relative_positions(self.full_scale)
        self.CRPw = self.cumulated(self.RPw)

    def relative_positions(self, grades: list[float | None]) -> list[int]:
        found = []
        for j, grade in enumerate(grades, start=1):
            if grade is None:
                low, high = self.RB + 1, math.inf
            else:
                low = self.ideal_part.index(grade) + 1
                high = low + self.ideal_part.count(grade) - 1
            if j < low:
                found.append(j - low)
            elif j > high:
                found.append(int(j - high))
            else:
                found.append(0)
        return found

    @staticmethod
    def cumulated(positions: list[int]) -> list[int]:
        found, total = [], 0
        for position in positions:
            total += position
            found.append(total)
        return found

    @staticmethod
    def crossing(crp: list[int], rule: str) -> float:
        pairs = [(j, crp[j - 1], crp[j]) for j in range(1, len(crp))]
        if rule == "return":
            if all(value >= 0 for value in crp):
                return 1
            return next((j for j, here, below in pairs if here < 0 <= below), math.inf)
        if rule == "literal":
            return next((j for j, here, below in pairs if here * below <= 0), math.inf)
        if all(value == 0 for value in crp):
            return 1
        return next((j for j, here, below in pairs if here <= 0 < below), math.inf)

    def balance(self, rule: str = "return") -> float:
        return max(self.RB, self.crossing(self.CRP, rule))

    def balance_of_full_scale(self, rule: str = "return") -> float:
        return max(self.RB, self.crossing(self.CRPw, rule))

    def rho(self, rule: str = "return") -> Number:
        return over(self.RB, self.balance(rule))

    def rho_w(self, rule: str = "return") -> Number:
        return over(self.RB, self.balance_of_full_scale(rule))

    def b_ratio(self, rule: str = "return") -> Number:
        own, worst = self.balance(rule), self.balance_of_full_scale(rule)
        return Fraction(0) if own == math.inf or own > worst else 1 - over(own, worst)

    def b_ratio_raw(self, rule: str = "return") -> Number:
        own, worst = self.balance(rule), self.balance_of_full_scale(rule)
        return -math.inf if own == math.inf else 1 - over(own, worst)

    def turn_around(self) -> int:
        return self.CRP.index(min(self.CRP)) + 1

    def crp_min(self) -> Number:
        m = self.turn_around()
        return 1 - Fraction(self.CRP[m - 1], self.CRPw[m - 1])

    def crp_n(self) -> Number:
        return math.nan if self.CRPw[-1] == 0 else 1 - Fraction(self.CRP[-1], self.CRPw[-1])

    def loss(self) -> int:
        return self.CRP[self.RB - 1]

    def ncrp(self, rank: int) -> Number:
        high, low = max(self.CRPw), min(self.CRPw)
        return Fraction(2 * self.CRP[rank - 1] - high - low, high - low)

    def sigma_plus(self) -> Fraction:
        return 1 - Fraction(sum(x for x in self.RP if x > 0), sum(x for x in self.RPw if x > 0))

    def sigma_minus(self) -> Fraction:
        return 1 - Fraction(sum(x for x in self.RP if x < 0), sum(x for x in self.RPw if x < 0))

    def sigma(self) -> Fraction:
        plus, minus = self.sigma_plus(), self.sigma_minus()
        return Fraction(0) if plus == minus == 0 else 2 * plus * minus / (plus + minus)

    def twist(self, rule: str = "return") -> Number:
        if all(grade is None for grade in self.grades):
            return Fraction(0)
        return (self.rho(rule) + self.sigma()) / 2

    def archetype(self) -> str:  # noqa: PLR0911  # one for each archetype, in the order of the specification
        if self.RB == 0:
            return ""
        retrieved = [grade for grade in self.grades if grade is not None]
        if not retrieved:
            return "worst"
        if all(value == 0 for value in self.CRP) and len(retrieved) == self.RB:
            return "ideal"
        if self.grades == self.full_scale:
            return "full scale"
        crossing = self.crossing(self.CRP, "return")
        if crossing == math.inf:
            return "typical B"
        back = int(crossing) + 1  # the rank at which CRP is 0 or more again
        if back > self.RB:
            return "typical A"
        if min(self.CRP[back - 1 :]) < 0:
            return "ups and downs"
        return "excellent A" if all(grade is not None for grade in self.grades[: self.RB]) else "excellent B"

    def all_values(self) -> dict[str, Number]:
        """Every measure at this depth, by its name."""
        depth = f"@{self.k}"
        values: dict[str, Number] = {
            f"RP{depth}": self.RP[self.k - 1],
            f"CRP{depth}": self.CRP[self.k - 1],
            f"nCRP{depth}": self.ncrp(self.k),
            f"turn_around{depth}": self.turn_around(),
            f"CRP_min{depth}": self.crp_min(),
            f"CRP_N{depth}": self.crp_n(),
            f"loss{depth}": self.loss(),
            f"sigma_plus{depth}": self.sigma_plus(),
            f"sigma_minus{depth}": self.sigma_minus(),
            f"sigma{depth}": self.sigma(),
        }
        for rule in ("return", "literal", "positive"):
            given = "" if rule == "return" else f"(crossing='{rule}')"
            values |= {
                f"balance{given}{depth}": self.balance(rule),
                f"rho{given}{depth}": self.rho(rule),
                f"rho_w{given}{depth}": self.rho_w(rule),
                f"b_ratio{given}{depth}": self.b_ratio(rule),
                f"b_ratio_raw{given}{depth}": self.b_ratio_raw(rule),
                f"Twist{given}{depth}": self.twist(rule),
            }
        return values


def over(numerator: float, denominator: float) -> Fraction:
    """A fraction, 0 where the denominator is infinite."""
    return Fraction(0) if denominator == math.inf else Fraction(int(numerator), int(denominator))
