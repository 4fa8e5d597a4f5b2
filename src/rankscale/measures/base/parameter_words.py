"""What each parameter means, in words; a name means one thing, whatever measure has it.

A measure with a parameter that no other has may tell what it means in its own `words`.
"""

from rankscale.measures.base.graded import Graded
from rankscale.measures.base.measure import Measure

WORDS = {
    "rel": "the lowest grade that is relevant",
    "recalls": "the levels of recall that are averaged",
    "recall": "the level of recall",
    "version": "the version of trec_eval whose recall levels are met, 9 or 10",
    "of": "the measure that it is taken of",
    "crossing": "when CRP crosses zero: at its first return ('return'), at the first change of sign, also downwards "
    "('literal'), or when it first becomes positive ('positive')",
    "min_rel": "the highest grade that gains nothing",
    "max_rel": "the grade that gains 1; the highest of the qrels unless given",
    "T": "how much gain the user expects to find",
    "k": "how many documents more than are relevant are looked at, for topics with few relevant ones",
    "unjudged": "what an unjudged document gains",
    "p": "the probability of reading on after a document",
    "otherwise": "the probability of reading on after a document that is not relevant; p is then that after a relevant",
    "normalize": "whether to divide by the value of the ideal ranking",
    "base": "that of the logarithm that discounts; ranks above it are not discounted",
    "discount": "'none', 'rank' to divide by the rank, or 'log', which is base=2; log2(rank + 1) unless given",
    "dcg": "the gains as ir_measures spells them: 'log2' for the grade, 'exp-log2' for 2^grade - 1",
    "gmax": "the grade that satisfies almost surely; the highest of the qrels unless given",
    "n": "which relevant document is looked for: the n-th",
    "beta": "how much recall (in Q: gain) counts beside precision",
    "thresholds": "how likely 1, 2, ... is the lowest grade that a user takes for relevant",
    "length": "the length that rankings are taken to have, one for all ranks; by rank unless given",
    "collection": "how many documents the collection has",
    "multiple": "how many times RB documents are looked at",
    "damping": "added to the rank, so that the top ranks differ less",
    "relative": "whether to divide by the most that could be found, as SetRelP does",
    "a": "what a relevant document retrieved is worth",
    "b": "what another document retrieved is worth",
    "c": "what a relevant document missed is worth",
    "d": "what another document not retrieved is worth",
}
SCHEMES = "a list for grades 0, 1, 2, ..., a map, 'exp' for 2^grade - 1, or 'linear' for the grade over the highest one"


def meaning(measure: type[Measure], name: str) -> str:
    """What a parameter of a measure means.

    >>> from rankscale.measures.rbp import RBP
    >>> meaning(RBP, "rel")
    'the lowest grade that is relevant'
    """
    if name in measure.words or name != "gains":
        return measure.words.get(name) or WORDS.get(name, "")
    default = "the grade itself" if issubclass(measure, Graded) else "1 if relevant, else 0"
    given = getattr(measure, "gains", None)
    return f"what each grade is worth ({f'{given!r}' if given else default} unless given): {SCHEMES}"
