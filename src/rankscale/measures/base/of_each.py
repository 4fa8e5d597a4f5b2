"""OfEach: another measure, taken for each sub-topic or for each assessor alone."""

from typing import ClassVar

from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure


class OfEach(Measure):
    """A measure of another one, `of`, with the judgments of each sub-topic or assessor; a subclass declares it."""

    taken_over: ClassVar[tuple[str, ...]]  # what the other measure declares of itself, and this one too

    of: Measure

    def check(self) -> None:
        """Raise ParameterError for measures that look at more than one grade; take over what the other declares."""
        if self.of.looks_at or self.of.summary != "mean" or self.of.interval_of is not None:
            raise ParameterError(
                f"{self.name} takes a measure whose topics are averaged and that looks at one grade of each document, "
                f"as in {self.example}, got {self.of}"
            )
        for name in self.taken_over:
            object.__setattr__(self, name, getattr(self.of, name))
        if self.of.depth is not None:
            if self.depth not in {None, self.of.depth}:
                raise ParameterError(f"{self.name}: the depth is given twice, got {self.of} and @{self.depth}")
            object.__setattr__(self, "depth", self.of.depth)
            object.__setattr__(self, "of", self.of.at(None))
        if self.depth is not None and not self.of.takes_depth:
            raise ParameterError(f"{self.name}: {self.of} takes no depth, got @{self.depth}")

    def check_measurable(self) -> None:
        """Raise ParameterError where the other measure needs a depth and has none."""
        if self.depth is None and self.needs_depth:
            raise ParameterError(f"{self.name}: a depth is needed, as in {self}@10")

    @property
    def inner(self) -> Measure:
        """The other measure, at the depth of this one."""
        return self.of if self.depth is None else self.of.at(self.depth)

    @property
    def assumed_depth(self) -> int | None:
        """That of the other measure."""
        return self.inner.assumed_depth

    def length_note(self) -> str:
        """That of the other measure."""
        return self.inner.length_note()

    @property
    def threshold(self) -> float | None:
        """The lowest grade that is relevant to the other measure."""
        return self.of.threshold

    @property
    def needs_scores(self) -> bool:  # type: ignore[override]  # as the other measure does
        """Whether the other measure looks at scores."""
        return self.of.needs_scores

    def why_undefined(self, judged: Judged) -> str:
        """Why the other measure has no value."""
        return self.inner.why_undefined(judged)
