"""Statement: one conclusion about two runs, with its test, the scale of its measure and what holds on any scale."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Literal, Self

from rankscale.answers.outcomes import ByOrder, Claim, Outcome, against
from rankscale.data.notices import Notice, Noticed
from rankscale.evaluation.options import Summary
from rankscale.measures.base.measure import Measure
from rankscale.outputs.results import Page
from rankscale.stats.corrections import ALONE
from rankscale.stats.resampling.order_statistics import MedianRelation
from rankscale.stats.tests.base.test import Test, p_text
from rankscale.stats.verdicts import Verdict

StatementKind = Claim | MedianRelation | Literal["higher"]  # relations are those of medians


@dataclass(frozen=True)
class OnInterval:
    """Whether a statement also holds on the interval version of its measure."""

    holds: bool | None  # None where that is not known
    words: str  # the same, reversed, no difference; or why nothing is known
    measure: Measure | None = None
    outcome: Outcome | None = None
    mean_verdict: Verdict | None = None
    reversed: bool = False  # whether means are in the opposite order there, significant or not


@dataclass(frozen=True)
class TopicSigns:
    """Topics on which the first run is better, worse and equal, and the sign test: meaningful on any scale."""

    wins: int
    losses: int
    ties: int
    p: float  # exact, two-sided, uncorrected
    agrees: bool | None  # more wins than losses; for runs that do not differ: p not below alpha


@dataclass(frozen=True)
class Statement:
    """One sentence about two runs, with the comparison under it and whether the measure's scale supports it.

    Attributes
    ----------
    sentence : str
        The conclusion, without a full stop.
    runs : tuple of str
        The two runs, the one with the better mean or median first.
    outcome : Outcome
        Means, difference, interval and p-value of the two.
    mean_verdict, test_verdict : Verdict
        Whether the mean, or the median where the sentence is about that, and the test are meaningful on the scale of
        the measure.
    interval : OnInterval
        Whether the conclusion holds on the interval version of the measure.
    by_topic : ByTopic
        Wins, losses and ties over topics.
    by_order : ByOrder, optional
        Medians and quantiles of the two, where the measure is ordinal or the statement is about medians.
    summary : str
        What the sentence is about: 'mean', or medians for 'median' and 'quantiles'.
    """

    sentence: str
    kind: StatementKind
    runs: tuple[str, str]
    measure: Measure
    test: Test
    correction: str
    alpha: float
    confidence: float
    outcome: Outcome
    mean_verdict: Verdict
    test_verdict: Verdict
    interval: OnInterval
    by_topic: TopicSigns
    by_order: ByOrder | None = None
    summary: Summary = "mean"
    signature: str = ""

    @property
    def on_interval(self) -> bool | None:
        """Whether it also holds on the interval version; None where that is not known."""
        return self.interval.holds

    @property
    def verdict(self) -> Verdict:
        """The verdict on the test, or on the mean where only that needs a caution."""
        return self.mean_verdict if self.test_verdict.meaningful else self.test_verdict

    @property
    def text(self) -> str:
        """The sentence, and a line each on the test, the interval version and the topics."""
        return "\n  ".join([self.sentence, *self.lines()])

    @property
    def why(self) -> str:
        """The verdicts on the mean and on the test, with their reasons in full."""
        reasons = (self.mean_verdict.why, self.test_verdict.why)
        return " ".join(f"{reason[0].upper()}{reason[1:]}." for reason in reasons)

    def to_dict(self) -> dict[str, object]:
        """For JSON, by the names of the fields; numbers that are not finite are None."""
        plain = {one.name: _plain(getattr(self, one.name)) for one in fields(self)}
        return {**plain, "on_interval": self.on_interval, "compares": self.test.compares}

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return Page(self.sentence, ["\n".join(f"  {line}" for line in self.lines())]).html()

    __repr__ = __str__

    def lines(self) -> list[str]:
        """What supports the sentence: the test, the interval version unless the measure needs none, and the topics.

        Medians and quantiles follow where the measure is ordinal; a statement about medians has their intervals first.
        """
        if self.summary != "mean" and self.by_order is not None:
            intervals, difference = (self.by_order.interval_line, self.by_order.difference_line)
            lines = [intervals(self.runs, self.confidence), self._test_line(), difference(self.confidence)]
            return [*filter(None, lines), self._topics_line(), self.by_order.quantiles_line(self.runs)]
        settled = self.verdict.meaningful and self.on_interval
        lines = [self._test_line(), *([] if settled else [self._interval_line()]), self._topics_line()]
        if self.by_order is not None:
            lines += [self.by_order.medians_line(self.runs), self.by_order.quantiles_line(self.runs)]
        return lines

    def _test_line(self) -> str:
        outcome = self.outcome
        if math.isnan(outcome.p):
            return f"not tested ({self.test.label}): too few topics on which both runs have a finite value"
        significance = "significant" if outcome.significant else "not significant"
        how = f"{self.test.label}, {p_text(outcome.p, self.alpha, outcome.family)}"
        of = "" if self.test.compares == self.measure.summary == "mean" else f" in {self.test.compares}"
        gap = "difference"
        if outcome.is_ratio:
            gap, of = "ratio", f" of {self.measure.summed_up}s"
        reach = ""
        if outcome.lower is not None and outcome.upper is not None:
            # Intervals are those of the pair alone: one next to a corrected p-value could seem to contradict it.
            alone = "" if outcome.family == ALONE else f"{ALONE}: {p_text(outcome.p_uncorrected, self.alpha)}, "
            reach = f" ({alone}{100 * self.confidence:g}% interval {outcome.lower:.4g} to {outcome.upper:.4g})"
        return f"{significance} ({how}); {gap} {outcome.difference:.4g}{of}{reach}"

    def _interval_line(self) -> str:
        text, outcome = f"on the interval version: {self.interval.words}", self.interval.outcome
        if outcome is None:
            return text
        topics = "" if outcome.topics == self.outcome.topics else f", {outcome.topics} topics"
        return f"{text} ({against(outcome.means)}{topics}, {p_text(outcome.p, self.alpha, outcome.family)})"

    def _topics_line(self) -> str:
        more, less = ("higher", "lower") if self.measure.direction_note else ("better", "worse")
        counts = f"{more} on {self.by_topic.wins}, {less} on {self.by_topic.losses}, equal on {self.by_topic.ties}"
        return f"topic by topic: {counts} (sign test {p_text(self.by_topic.p, self.alpha, ALONE)})"


class Statements(tuple[Statement, ...], Noticed):  # noqa: SLOT001  # it has notices
    """Statements in order, and the notices of the values that they rest on."""

    notices: tuple[Notice, ...]

    def __new__(cls, made: Iterable[Statement], notices: Iterable[Notice] = ()) -> Self:
        """Statements, and their notices without repetitions."""
        result = super().__new__(cls, made)
        result.notices = tuple(dict.fromkeys(notices))
        return result

    def cautions(self) -> list[str]:
        """One sentence or two for each verdict that is not 'meaningful', and what the interval version changes."""
        groups: dict[str, list[Statement]] = {}
        for one in self:
            if not one.verdict.meaningful:
                groups.setdefault(one.verdict.text, []).append(one)
        return [f"{text}. {on_interval_version(group)}".strip() for text, group in groups.items()]

    def _repr_html_(self) -> str:
        """In a notebook: what the numbers support, sentence by sentence."""
        return Page("Conclusions", [*self.cautions(), *(one.text for one in self)], warnings=self.warnings).html()

    def __str__(self) -> str:
        return "\n\n".join([*self.cautions(), *(one.text for one in self)])

    __repr__ = __str__


def on_interval_version(group: Sequence[Statement]) -> str:
    """What becomes of statements about one measure on its interval version."""
    measure, known = group[0].measure, [one.on_interval for one in group if one.on_interval is not None]
    if measure.interval_of is not None:
        return ""
    if not measure.has_interval_version:
        return "It has no interval version."
    if not known:
        return f"On its interval version the conclusion is {group[0].interval.words}."
    differing, opposite = known.count(False), sum(one.interval.reversed for one in group)
    if len(known) == 1:
        differs = "is reversed" if opposite else "differs" if differing else "is the same"
        return f"On its interval version the conclusion {differs}."
    if not differing:
        return "On its interval version the conclusions are the same."
    text = f"On its interval version {differing} of {len(known)} conclusions differ{'s' * (differing == 1)}"
    return f"{text}, {opposite} of them with means reversed." if opposite else f"{text}."


def _plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, Measure | Test):
        return str(value) if isinstance(value, Measure) else value.name
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
