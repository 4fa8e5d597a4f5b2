"""The lowest relevant grade and the gains of grades that go to all measures which leave them open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankscale.errors import ParameterError
from rankscale.measures.base.gains import Gains
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all


@dataclass(frozen=True)
class Relevance:
    """Parameters that go to all measures that take them and were not given their own."""

    rel: float | None = None
    gains: Gains | Sequence[float] | Mapping[float, float] | str = None

    def measures(self, texts: Sequence[str]) -> tuple[Measure, ...]:
        """The measures that these texts name, each once.

        >>> [str(one) for one in Relevance(rel=2).measures(["AP", "P(rel=1)@10", "nDCG@10"])]
        ['AP(rel=2)', 'P@10', 'nDCG@10']
        """
        return tuple(dict.fromkeys(self.given_to(one, text) for text in texts for one in parse_all([text])))

    def measure(self, text: str) -> Measure:
        """The one measure that a text names; raise ParameterError where it names several."""
        measures = self.measures((text,))
        if len(measures) != 1:
            raise ParameterError(f"expected one measure, and {text} names {len(measures)}")
        return measures[0]

    def given_to(self, measure: Measure, text: str) -> Measure:
        """A measure with these parameters, where the text that names it leaves them open."""
        lacking: dict[str, object] = {}
        if self.rel is not None and measure.threshold is not None and _is_left_open(measure, "rel", text):
            lacking["rel"] = self.rel
        # Gains are for measures of graded gain; measures that count relevance alone by default do not take them.
        if self.gains is not None and measure.graded and _is_left_open(measure, "gains", text):
            lacking["gains"] = self.gains
        return measure if not lacking else replace(measure, **lacking)  # type: ignore[arg-type]  # each measure has its own


def _is_left_open(measure: Measure, name: str, text: str) -> bool:
    """Whether a measure takes this parameter, and the text that names the measure does not give it."""
    field = type(measure).__dataclass_fields__.get(name)
    return field is not None and getattr(measure, name) == field.default and f"{name}=" not in text.replace(" ", "")
