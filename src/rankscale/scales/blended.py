"""Q-measure in whole numbers: documents and gain so far at relevant ranks, over rank and ideal gain."""

from fractions import Fraction

from rankscale.scales.counting.recurrences import SumOfCounts
from rankscale.scales.question import Question


def blended(question: Question, beta: Fraction) -> SumOfCounts:
    """How the values of a question about Q add up: each relevant rank i adds (c + beta g) / ((i + beta G) RB).

    c are the relevant documents so far, g their gain with that of all others, G the gain of the ideal ranking.
    """
    measure, counts = question.measure, question.counts_by_level
    gain_of = [measure.exact_gain(level, question.highest) for level in question.levels]
    relevant = [level >= (measure.threshold or 1) for level in question.levels]
    ideal, best = Fraction(0), sorted((gain for gain, n in zip(gain_of, counts, strict=True) for _ in range(n)))
    weights = []
    for rank in range(1, question.depth + 1):
        ideal += max(best.pop(), Fraction(0)) if best else 0
        weights.append(1 / ((rank + beta * ideal) * question.recall_base))
    worth = {
        own: (Fraction(here) + beta * gain, Fraction(here))
        for own, here, gain in zip(question.per_level, relevant, gain_of, strict=True)
    }
    worth[question.unjudged] = Fraction(0), Fraction(0)
    counted, parts = zip(*(worth[own] for own in question.gains), strict=True)
    return SumOfCounts(_columns(counted), _columns(parts), tuple(weights), measure.name)


def _columns(numbers: tuple[Fraction, ...]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple((number,) for number in numbers)
